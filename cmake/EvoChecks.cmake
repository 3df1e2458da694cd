#===- EvoChecks.cmake - Targets on the form of the sources -------------------===#
#
# check-format  fails unless all C++ sources are formatted (also a lit test)
# fix-format    formats them
# check-tidy    runs clang-tidy with .clang-tidy on the libraries and tools; takes
#               many minutes, and is therefore no part of check-evo
# check-tidy-changed  the same on what differs from EVO_TIDY_BASE, origin/main by
#               default: seconds a file, for every change before it lands
# update-docs   writes docs/Dialect.md and docs/Passes.md from TableGen; a lit test
#               fails where they are not in step
#
#===--------------------------------------------------------------------------===#

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(EVO_CLANG_FORMAT NAMES clang-format HINTS "${LLVM_TOOLS_BINARY_DIR}"
  NO_DEFAULT_PATH)
find_program(EVO_CLANG_TIDY NAMES clang-tidy HINTS "${LLVM_TOOLS_BINARY_DIR}"
  NO_DEFAULT_PATH)
set(EVO_TIDY_BASE origin/main CACHE STRING "What check-tidy-changed compares with")

if(EVO_CLANG_FORMAT)
  set(check_format "${PROJECT_SOURCE_DIR}/utils/check-format.sh"
      "${EVO_CLANG_FORMAT}" "${PROJECT_SOURCE_DIR}")
  add_custom_target(check-format COMMAND ${check_format} VERBATIM USES_TERMINAL)
  add_custom_target(fix-format COMMAND ${check_format} --fix VERBATIM USES_TERMINAL)
endif()

if(EVO_CLANG_TIDY)
  set(check_tidy "${PROJECT_SOURCE_DIR}/utils/check-tidy.sh" "${EVO_CLANG_TIDY}"
      "${CMAKE_BINARY_DIR}" "${PROJECT_SOURCE_DIR}")
  # The precompiled header and the generated ones have to exist.
  add_custom_target(check-tidy COMMAND ${check_tidy}
    DEPENDS EvoPCH EvoHeadersGen VERBATIM USES_TERMINAL)
  add_custom_target(check-tidy-changed COMMAND ${check_tidy} "${EVO_TIDY_BASE}"
    DEPENDS EvoPCH EvoHeadersGen VERBATIM USES_TERMINAL)
endif()

add_custom_target(update-docs
  COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/utils/generate-docs.py"
          --tblgen "${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen"
          --include "${LLVM_INCLUDE_DIRS}" --out "${PROJECT_SOURCE_DIR}/docs"
          "${PROJECT_SOURCE_DIR}"
  VERBATIM USES_TERMINAL)
