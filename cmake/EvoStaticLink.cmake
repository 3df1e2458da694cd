# How the one portable executable is linked: `ninja evo-opt-portable`, from the objects
# that libEvo.so is made of. The imported targets of a distribution's MLIR name the
# shared libLLVM, so the archives are named as files; lld looks through all of them
# whatever their order, and takes from each only what is needed.
#
# Left dynamic: libc and libm (the CUDA driver is opened with dlopen, which a
# fully static executable cannot do), and libz3, of which there is no archive: it
# lies beside the executable and goes where that goes. libcurl is opened when it
# is first used.
# Where archives are missing the target is, too, and a line says so.

# The archives of `ARGN` that exist: lists of libraries also name header-only and
# shared ones. What is missing in earnest is an undefined symbol at the link.
function(evo_find_archives result)
  set(found "")
  foreach(name ${ARGN})
    if(EXISTS "${LLVM_LIBRARY_DIR}/lib${name}.a")
      list(APPEND found "${LLVM_LIBRARY_DIR}/lib${name}.a")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

get_property(mlir_libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
# Left out: what only mlir-opt's own tests or a JIT use.
list(FILTER mlir_libraries EXCLUDE REGEX "CAPI|ExecutionEngine|Jit|Test|LspServer|Lsp")
evo_find_archives(mlir_archives ${mlir_libraries} MLIROptLib
  MLIRExecutionEngineUtils)

evo_find_archives(clang_archives
  clangAnalysis clangAnalysisLifetimeSafety clangAPINotes clangAST
  clangASTMatchers clangBasic clangCodeGen clangDriver clangEdit clangFrontend
  clangLex clangOptions clangParse clangRewrite clangSema clangSerialization clangSupport)

# All of LLVM but the code generators of other machines. Passes that initialise
# every target get functions that do nothing: such a target is then not found.
set(other_targets "// Stands in for the targets that are left out.\n")
set(llvm_libraries ${LLVM_AVAILABLE_LIBS})
foreach(target ${LLVM_ALL_TARGETS} ${LLVM_ALL_EXPERIMENTAL_TARGETS})
  if(NOT target MATCHES "^(NVPTX|X86)$")
    list(FILTER llvm_libraries EXCLUDE REGEX
      "^LLVM${target}(AsmParser|CodeGen|Desc|Disassembler|Info|TargetMCA|Utils)$")
    foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
      string(APPEND other_targets "void LLVMInitialize${target}${part}(void) {}\n")
    endforeach()
  endif()
endforeach()
evo_find_archives(llvm_archives ${llvm_libraries} Polly PollyISL)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/EvoOtherTargets.c"
  CONTENT "${other_targets}" @ONLY)

# What LLVMSupport was built with.
find_library(EVO_ZSTD_ARCHIVE NAMES libzstd.a)
find_library(EVO_Z_ARCHIVE NAMES libz.a)
find_library(EVO_TINFO_ARCHIVE NAMES libtinfo.a)
find_library(EVO_SQLITE_ARCHIVE NAMES libsqlite3.a)
if(NOT (mlir_archives AND clang_archives AND llvm_archives AND EVO_ZSTD_ARCHIVE
        AND EVO_Z_ARCHIVE AND EVO_TINFO_ARCHIVE AND EVO_SQLITE_ARCHIVE))
  message(STATUS "Archives of LLVM or what it needs were not found: no evo-opt-portable")
  return()
endif()

# Besides libEvo's objects.
set(EVO_PORTABLE_SOURCES "${PROJECT_SOURCE_DIR}/lib/LLM/CurlAtRunTime.cpp"
  "${CMAKE_CURRENT_BINARY_DIR}/EvoOtherTargets.c")
add_library(EvoPortableLink INTERFACE)
target_link_libraries(EvoPortableLink INTERFACE
  ${mlir_archives} ${clang_archives} ${llvm_archives}
  "${EVO_SQLITE_ARCHIVE}" "${EVO_ZSTD_ARCHIVE}" "${EVO_Z_ARCHIVE}" "${EVO_TINFO_ARCHIVE}"
  pthread ${CMAKE_DL_LIBS} m)
if(EVO_Z3_LIBRARY)
  target_link_libraries(EvoPortableLink INTERFACE "${EVO_Z3_LIBRARY}")
endif()
target_link_options(EvoPortableLink INTERFACE -fuse-ld=lld -static-libstdc++ -static-libgcc
  -Wl,--gc-sections -Wl,--icf=all -Wl,--as-needed -Wl,-s)

get_property(objects GLOBAL PROPERTY EVO_OBJECTS)
add_library(EvoPortable STATIC EXCLUDE_FROM_ALL ${objects} ${EVO_PORTABLE_SOURCES})
add_dependencies(EvoPortable EvoHeadersGen)
target_compile_options(EvoPortable PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${EVO_CXX_FLAGS}>)
target_link_libraries(EvoPortable PUBLIC EvoPortableLink)

# What a tree that is carried to another machine holds: the tools in libexec, with
# libz3; Clang's own headers where they look for them; and in bin what starts them,
# or says in one line what that machine lacks.
set(EVO_PORTABLE_TREE "${CMAKE_BINARY_DIR}/portable")
file(COPY "${LLVM_LIBRARY_DIR}/clang/${LLVM_VERSION_MAJOR}/include"
  DESTINATION "${EVO_PORTABLE_TREE}/lib/clang/${LLVM_VERSION_MAJOR}")
if(EVO_Z3_LIBRARY)
  file(COPY "${EVO_Z3_LIBRARY}" DESTINATION "${EVO_PORTABLE_TREE}/libexec" FOLLOW_SYMLINK_CHAIN)
endif()

# evo_add_portable(tool sources...): the target <tool>-portable, in that tree <tool>.
function(evo_add_portable tool)
  add_executable(${tool}-portable EXCLUDE_FROM_ALL ${ARGN})
  target_compile_options(${tool}-portable PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${EVO_CXX_FLAGS}>)
  # Under a name of its own, or `ninja evo-opt` would be this one.
  set_target_properties(${tool}-portable PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin"
    BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
  add_custom_command(TARGET ${tool}-portable POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy "$<TARGET_FILE:${tool}-portable>"
            "${EVO_PORTABLE_TREE}/libexec/${tool}"
    COMMAND ${CMAKE_COMMAND} -E copy "${PROJECT_SOURCE_DIR}/utils/portable-start.sh"
            "${EVO_PORTABLE_TREE}/bin/${tool}")
  set_property(TARGET ${tool}-portable APPEND PROPERTY
    LINK_DEPENDS "${PROJECT_SOURCE_DIR}/utils/portable-start.sh")
endfunction()
foreach(tool evo-opt evo-gpu-check)
  evo_add_portable(${tool} "${PROJECT_SOURCE_DIR}/tools/${tool}/main.cpp")
  target_link_libraries(${tool}-portable PRIVATE EvoPortable)
endforeach()

# One archive to carry: that tree.
add_custom_target(package-portable DEPENDS evo-opt-portable evo-gpu-check-portable
  COMMAND ${CMAKE_COMMAND} -E env XZ_OPT=-T0 tar --create --xz
    --file=${CMAKE_BINARY_DIR}/evo-opt-portable.tar.xz --directory=${CMAKE_BINARY_DIR}
    --exclude=portable/*/evo-fuzz portable
  COMMENT "Packing evo-opt-portable.tar.xz" VERBATIM)
