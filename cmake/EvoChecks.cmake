# Targets on the form of the sources.
#
# check-format  fails unless all C++ sources are formatted (also a lit test)
# fix-format    formats them
# check-tidy    fails unless clang-tidy, with .clang-tidy, finds nothing in the libraries
#               and tools; looks only at what changed since it passed
# update-docs   writes docs/Dialect.md and docs/Passes.md from TableGen, the table of
#               evidence in docs/Verify.md, and docs/Checks.md from the verifier's list;
#               a lit test fails where they are not in step

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(EVO_CLANG_FORMAT NAMES clang-format HINTS "${LLVM_TOOLS_BINARY_DIR}"
  NO_DEFAULT_PATH)
find_program(EVO_CLANG_TIDY NAMES clang-tidy HINTS "${LLVM_TOOLS_BINARY_DIR}"
  NO_DEFAULT_PATH)

if(EVO_CLANG_FORMAT)
  set(check_format "${PROJECT_SOURCE_DIR}/utils/check-format.sh"
      "${EVO_CLANG_FORMAT}" "${PROJECT_SOURCE_DIR}")
  add_custom_target(check-format COMMAND ${check_format} VERBATIM USES_TERMINAL)
  add_custom_target(fix-format COMMAND ${check_format} --fix VERBATIM USES_TERMINAL)
endif()

if(EVO_CLANG_TIDY)
  # The precompiled header and the generated ones have to exist.
  add_custom_target(check-tidy
    COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/utils/check-tidy.py"
            "${EVO_CLANG_TIDY}" "${CMAKE_BINARY_DIR}" "${PROJECT_SOURCE_DIR}"
    DEPENDS EvoPCH EvoHeadersGen VERBATIM USES_TERMINAL)
endif()

add_custom_target(update-docs
  COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/utils/generate-docs.py"
          --tblgen "${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen"
          --include "${LLVM_INCLUDE_DIRS}" --evo-opt $<TARGET_FILE:evo-opt>
          --out "${PROJECT_SOURCE_DIR}/docs" "${PROJECT_SOURCE_DIR}"
  DEPENDS evo-opt
  VERBATIM USES_TERMINAL)
