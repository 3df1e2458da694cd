#===- EvoChecks.cmake - Targets on the form of the sources -------------------===#
#
# check-format  fails unless all C++ sources are formatted (also a lit test)
# fix-format    formats them
# check-tidy    runs clang-tidy with .clang-tidy on the libraries and tools; takes
#               many minutes, and is therefore no part of check-evo
# update-docs   writes docs/Dialect.md and docs/Passes.md from TableGen; a lit test
#               fails where they are not in step
#
#===--------------------------------------------------------------------------===#

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(EVO_CLANG_FORMAT NAMES clang-format HINTS "${LLVM_TOOLS_BINARY_DIR}"
  NO_DEFAULT_PATH)
find_program(EVO_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-22
  HINTS "${LLVM_TOOLS_BINARY_DIR}")

if(EVO_CLANG_FORMAT)
  set(check_format "${PROJECT_SOURCE_DIR}/utils/check-format.sh"
      "${EVO_CLANG_FORMAT}" "${PROJECT_SOURCE_DIR}")
  add_custom_target(check-format COMMAND ${check_format} VERBATIM USES_TERMINAL)
  add_custom_target(fix-format COMMAND ${check_format} --fix VERBATIM USES_TERMINAL)
endif()

if(EVO_RUN_CLANG_TIDY)
  # The precompiled header and the generated ones have to exist.
  add_custom_target(check-tidy
    COMMAND "${EVO_RUN_CLANG_TIDY}" -quiet
            -clang-tidy-binary "${LLVM_TOOLS_BINARY_DIR}/clang-tidy" -p "${CMAKE_BINARY_DIR}"
            "^${PROJECT_SOURCE_DIR}/(lib|tools)/"
    DEPENDS EvoPCH EvoHeadersGen
    VERBATIM USES_TERMINAL)
endif()

add_custom_target(update-docs
  COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/utils/generate-docs.py"
          --tblgen "${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen"
          --include "${LLVM_INCLUDE_DIRS}" --out "${PROJECT_SOURCE_DIR}/docs"
          "${PROJECT_SOURCE_DIR}"
  VERBATIM USES_TERMINAL)
