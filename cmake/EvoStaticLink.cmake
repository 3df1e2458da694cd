# How the one portable executable is linked (EVO_STATIC). The imported targets of
# a distribution's MLIR name the shared libLLVM, so the archives are named as
# files; lld looks through all of them whatever their order, and takes from each
# only what is needed.
#
# Left dynamic: libc and libm (the CUDA driver is opened with dlopen, which a
# fully static executable cannot do). libcurl is opened when it is first used.
# Sets EVO_STATIC_LIBRARIES, EVO_STATIC_LINK_OPTIONS and EVO_STATIC_SOURCES, and
# drops from `foreign` what EVO_STATIC_SOURCES stands in for.

# The archives of `ARGN` that exist: lists of libraries also name header-only and
# shared ones. What is missing in earnest is an undefined symbol at the link.
function(evo_find_archives result)
  set(found "")
  foreach(name ${ARGN})
    if(EXISTS "${LLVM_LIBRARY_DIR}/lib${name}.a")
      list(APPEND found "${LLVM_LIBRARY_DIR}/lib${name}.a")
    endif()
  endforeach()
  if(NOT found)
    message(FATAL_ERROR
      "the static build needs LLVM's archives in ${LLVM_LIBRARY_DIR}")
  endif()
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
find_library(EVO_ZSTD_ARCHIVE NAMES libzstd.a REQUIRED)
find_library(EVO_Z_ARCHIVE NAMES libz.a REQUIRED)
find_library(EVO_TINFO_ARCHIVE NAMES libtinfo.a REQUIRED)
find_library(EVO_SQLITE_ARCHIVE NAMES libsqlite3.a REQUIRED)
list(REMOVE_ITEM foreign CURL::libcurl SQLite::SQLite3)
set(EVO_STATIC_SOURCES "${PROJECT_SOURCE_DIR}/lib/LLM/CurlAtRunTime.cpp"
  "${CMAKE_CURRENT_BINARY_DIR}/EvoOtherTargets.c")
set(EVO_STATIC_LIBRARIES
  ${mlir_archives} ${clang_archives} ${llvm_archives}
  "${EVO_SQLITE_ARCHIVE}" "${EVO_ZSTD_ARCHIVE}" "${EVO_Z_ARCHIVE}" "${EVO_TINFO_ARCHIVE}"
  pthread ${CMAKE_DL_LIBS} m)
set(EVO_STATIC_LINK_OPTIONS -fuse-ld=lld -static-libstdc++ -static-libgcc
  -Wl,--gc-sections -Wl,--icf=all -Wl,--as-needed -Wl,-s)
