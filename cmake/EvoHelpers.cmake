# Build rules shared by all directories. Every library is an object library; all
# of them together are libEvo.so (or part of evo-opt-portable), so that MLIR's
# type identifiers exist once in a process.

set(EVO_CXX_FLAGS "-DEVO_VERSION=\"${PROJECT_VERSION}\"" -fno-exceptions -Wall -Wextra -Wno-unused-parameter
    -fvisibility-inlines-hidden -ffunction-sections -fdata-sections)
if(EVO_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=thread)
elseif(EVO_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr,function)
endif()

# One precompiled header for all code on MLIR. ccache needs timestamps out of it.
add_library(EvoPCH OBJECT "${CMAKE_CURRENT_SOURCE_DIR}/cmake/pch.cpp")
target_compile_options(EvoPCH PRIVATE ${EVO_CXX_FLAGS} -Xclang -fno-pch-timestamp)
target_precompile_headers(EvoPCH PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/cmake/pch.h")

set_property(GLOBAL PROPERTY EVO_LIBRARIES "")
set_property(GLOBAL PROPERTY EVO_FUZZ_OBJECTS "")

# evo_use_pch(target): compiles all of it against the precompiled MLIR headers. They
# are position independent code for a library, so an executable has to be that, too.
function(evo_use_pch target)
  target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
  target_precompile_headers(${target} REUSE_FROM EvoPCH)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# evo_add_instrumented(name): the sources of a library once more, compiled to report to
# libFuzzer what they reach. Only evo-fuzz is linked from these objects.
function(evo_add_instrumented name)
  get_target_property(sources ${name} SOURCES)
  add_library(${name}Fuzzed OBJECT EXCLUDE_FROM_ALL ${sources})
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_LIBRARIES
          PRECOMPILE_HEADERS_REUSE_FROM MANUALLY_ADDED_DEPENDENCIES)
    get_target_property(value ${name} ${property})
    if(NOT value)
      continue()
    elseif(property STREQUAL "PRECOMPILE_HEADERS_REUSE_FROM")
      target_precompile_headers(${name}Fuzzed REUSE_FROM ${value})
    elseif(property STREQUAL "MANUALLY_ADDED_DEPENDENCIES")
      add_dependencies(${name}Fuzzed ${value})
    else()
      set_target_properties(${name}Fuzzed PROPERTIES ${property} "${value}")
    endif()
  endforeach()
  target_compile_options(${name}Fuzzed PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp>)
  set_property(GLOBAL APPEND PROPERTY EVO_FUZZ_OBJECTS $<TARGET_OBJECTS:${name}Fuzzed>)
endfunction()

# evo_add_library(name SOURCES ... [LINK evo libraries] [PRIVATE_LINK foreign]
#                 [DEPENDS targets] [MLIR] [FUZZED])
# MLIR: compile against the precompiled MLIR headers.
# FUZZED: reads what comes from outside, so that evo-fuzz has an instrumented copy of it.
function(evo_add_library name)
  cmake_parse_arguments(ARG "MLIR;FUZZED" "" "SOURCES;LINK;PRIVATE_LINK;DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${EVO_CXX_FLAGS})
  if(ARG_MLIR)
    evo_use_pch(${name})
  endif()
  if(ARG_PRIVATE_LINK)
    target_link_libraries(${name} PRIVATE ${ARG_PRIVATE_LINK})
    set_property(GLOBAL APPEND PROPERTY EVO_FOREIGN_LIBRARIES ${ARG_PRIVATE_LINK})
  endif()
  if(TARGET EvoHeadersGen)
    add_dependencies(${name} EvoHeadersGen)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY EVO_LIBRARIES ${name})
  if(EVO_FUZZ AND ARG_FUZZED)
    # At the end of the folder: what it embeds is a source by then.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL evo_add_instrumented ${name})")
  else()
    set_property(GLOBAL APPEND PROPERTY EVO_FUZZ_OBJECTS $<TARGET_OBJECTS:${name}>)
  endif()
endfunction()

# evo_add_unittest(name [MLIR] sources...): a GoogleTest executable against libEvo.so.
# MLIR: as in evo_add_library.
set_property(GLOBAL PROPERTY EVO_UNITTESTS "")
function(evo_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${EVO_CXX_FLAGS})
  if(ARG_MLIR)
    evo_use_pch(${name})
  endif()
  target_compile_definitions(${name} PRIVATE
    EVO_TEST_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE Evo gtest gtest_main pthread)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  set_property(GLOBAL APPEND PROPERTY EVO_UNITTESTS ${name})
endfunction()

# evo_add_tool(name [OPTIONAL] sources...): an executable that only composes libEvo.
# OPTIONAL: the package goes without where it was not built.
function(evo_add_tool name)
  cmake_parse_arguments(ARG "OPTIONAL" "" "" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE ${EVO_CXX_FLAGS})
  target_link_libraries(${name} PRIVATE Evo)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
  set(optional "")
  if(ARG_OPTIONAL)
    set(optional OPTIONAL)
  endif()
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT Evo ${optional})
endfunction()
