// Clang's driver as a library: it knows where a toolkit and the C++ library
// are.
#include "ClangJob.h"
#include "ConfinedFiles.h"
#include "evoHeaders.h"
#include "clang/Basic/CodeGenOptions.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/Version.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendOptions.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace evo;

const StringLiteral evo::emptyCUDAName = "/evo/cuda_headers.cu";
const StringLiteral evo::cudaPreludeName = "/evo/cuda_prelude.h";
/// What nvcc has before every file, of which its users need not know: headers,
/// the values of its macros (the compiler is as old as its headers), variables
/// that the host shares, and min and max of host code; and CUDA functions that
/// Clang's wrapper headers lack. Their cache hints are dropped: they change no
/// result.
const StringLiteral evo::cudaPrelude = R"(#pragma once
#undef __CUDACC__
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#undef __managed__
#define __managed__ __device__ __attribute__((annotate("evo.managed")))
#include <assert.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define EVO_EITHER(T) \
  inline T min(T a, T b) { return b < a ? b : a; } \
  inline T max(T a, T b) { return a < b ? b : a; }
EVO_EITHER(int)
EVO_EITHER(unsigned)
EVO_EITHER(long)
EVO_EITHER(unsigned long)
EVO_EITHER(long long)
EVO_EITHER(unsigned long long)
EVO_EITHER(float)
EVO_EITHER(double)
#undef EVO_EITHER
#define EVO_MIXED(T, A, B) \
  inline T min(A a, B b) { return min((T)a, (T)b); } \
  inline T max(A a, B b) { return max((T)a, (T)b); }
EVO_MIXED(unsigned, unsigned, int)
EVO_MIXED(unsigned, int, unsigned)
EVO_MIXED(unsigned long, unsigned long, long)
EVO_MIXED(unsigned long, long, unsigned long)
EVO_MIXED(unsigned long long, unsigned long long, long long)
EVO_MIXED(unsigned long long, long long, unsigned long long)
EVO_MIXED(double, float, double)
EVO_MIXED(double, double, float)
#undef EVO_MIXED
#define EVO_HINT(T) \
  template <class T> __device__ __forceinline__ __attribute__((nodebug)) T
#define EVO_STORE_HINT \
  template <class T> __device__ __forceinline__ __attribute__((nodebug)) void
EVO_HINT(T) __ldca(const T *p) { return *p; }
EVO_HINT(T) __ldlu(const T *p) { return *p; }
EVO_STORE_HINT __stcs(T *p, T v) { *p = v; }
EVO_STORE_HINT __stcg(T *p, T v) { *p = v; }
EVO_STORE_HINT __stwb(T *p, T v) { *p = v; }
EVO_STORE_HINT __stwt(T *p, T v) { *p = v; }
#undef EVO_HINT
#undef EVO_STORE_HINT
static __device__ __forceinline__ __attribute__((nodebug)) float
nanf(const char *) { return __int_as_float(0x7fffffff); }
static __device__ __forceinline__ __attribute__((nodebug)) double
nan(const char *) { return __longlong_as_double(0xfff8000000000000ll); }
static __device__ __forceinline__ __attribute__((nodebug)) float
__tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#include <evo/nv_atomics.h>
)";

/// Where the headers of the folder `headers` seem to be.
static constexpr StringLiteral stubFolder = "/evo/include";

bool evo::isOwnFile(StringRef name) {
  // What the command line includes is included by a file without a name.
  return name.starts_with("/evo/") || name.starts_with("<");
}

ClangFiles::ClangFiles()
    : all(makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
          vfs::getRealFileSystem())),
      memory(makeIntrusiveRefCnt<vfs::InMemoryFileSystem>()) {
  all->pushOverlay(memory);
  add(cudaPreludeName, cudaPrelude);
  add(emptyCUDAName, "");
  for (const embedded::File &header :
       ArrayRef(embedded::evoHeaders, embedded::evoHeadersCount))
    add((Twine(stubFolder) + "/" + header.name).str(),
        StringRef(header.data, header.size));
  // A file of the working directory makes that exist for a job which sees none
  // of the real ones: the front end takes it for granted.
  add("evo_here", "");
}

void ClangFiles::add(StringRef name, StringRef text) {
  memory->addFile(name, 0,
                  MemoryBuffer::getMemBuffer(text, name,
                                             /*RequiresNullTerminator=*/false));
}

IntrusiveRefCntPtr<vfs::FileSystem>
ClangFiles::visibleTo(const clang::CompilerInvocation &invocation,
                      const CUDAOptions &options) const {
  if (!options.confined)
    return all;
  // The driver has made the command line of trusted options only, so what it
  // searches is what may be seen.
  std::vector<std::string> folders;
  for (const auto &entry : invocation.getHeaderSearchOpts().UserEntries)
    folders.push_back(entry.Path);
  auto visible = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(
      makeIntrusiveRefCnt<ConfinedFiles>(folders));
  visible->pushOverlay(memory);
  return visible;
}

/// Clang's own headers: where the environment says, beside this executable (a
/// tree carried to another machine), or where they were at build time.
static std::string findResourceDirectory() {
  if (std::optional<std::string> asked =
          llvm::sys::Process::GetEnv("EVO_CLANG_RESOURCE_DIR"))
    return *asked;
  SmallString<256> carried(llvm::sys::path::parent_path(
      llvm::sys::fs::getMainExecutable(nullptr, nullptr)));
  llvm::sys::path::append(carried, "..", "lib", "clang",
                          CLANG_VERSION_MAJOR_STRING);
  if (llvm::sys::fs::is_directory(carried + "/include"))
    return carried.str().str();
  return EVO_CLANG_RESOURCE_DIR;
}

static std::vector<std::string> commandLine(StringRef fileName,
                                            const CUDAOptions &options) {
  std::vector<std::string> args = {
      EVO_CLANG_EXECUTABLE, "-x", "cuda", "--cuda-device-only",
      "--cuda-gpu-arch=" + options.architecture,
      "--cuda-path=" + options.toolkit, "-nocudalib",
      "-resource-dir=" + findResourceDirectory(), "-std=" + options.standard,
      // Not -O1 and not -fno-unroll-loops: both leave attributes that stop the
      // later full unrolling of register arrays.
      "-O3", "-Xclang", "-disable-llvm-passes", "-gline-tables-only",
      "-fdebug-compilation-dir=.", "-Wno-unknown-cuda-version",
      // As nvcc, which knows it as a hint that says nothing.
      "-Wno-register",
      // Which functions are wrong is asked for of all of them.
      "-ferror-limit=0",
      // Without libdevice the driver does not say it. By it Clang knows how
      // host code beside the kernels launches them.
      "-Xclang", "-target-sdk-version=12.0", "-fno-caret-diagnostics",
      "-emit-llvm", "-c", "-o", "-", "-include", cudaPreludeName.str()};
  for (const std::string &directory : options.includeDirectories)
    args.push_back("-I" + directory);
  // Since CUDA 13 the C++ core libraries, which CUDA's own headers include, lie
  // in a folder of their own.
  std::string core = options.toolkit + "/include/cccl";
  if (sys::fs::is_directory(core))
    args.insert(args.end(), {"-isystem", core});
  // Last of all: what is installed, or in a folder given with -I, goes before.
  args.insert(args.end(), {"-idirafter", stubFolder.str()});
  for (const std::string &define : options.defines)
    args.push_back("-D" + define);
  // What never ends in the compiler is to say so in seconds.
  if (options.confined)
    args.push_back("-fconstexpr-steps=131072");
  args.push_back(fileName.str());
  return args;
}

std::shared_ptr<clang::CompilerInvocation>
evo::createClangInvocation(StringRef fileName, const CUDAOptions &options,
                           const ClangFiles &files,
                           clang::DiagnosticsEngine &diagnostics) {
  std::vector<std::string> args = commandLine(fileName, options);
  SmallVector<const char *> pointers;
  for (const std::string &arg : args)
    pointers.push_back(arg.c_str());
  clang::driver::Driver driver(args[0], sys::getDefaultTargetTriple(),
                               diagnostics, "evo", files.all);
  std::unique_ptr<clang::driver::Compilation> compilation(
      driver.BuildCompilation(pointers));
  if (!compilation || diagnostics.hasErrorOccurred())
    return nullptr;
  for (const clang::driver::Command &command : compilation->getJobs()) {
    if (StringRef(command.getCreator().getName()) != "clang")
      continue;
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(
            *invocation, command.getArguments(), diagnostics))
      return nullptr;
    // Clang leaves what it made to the end of the process, which is near only
    // for that of a candidate: others compile again and again.
    invocation->getFrontendOpts().DisableFree = options.confined;
    invocation->getCodeGenOpts().DisableFree = options.confined;
    return invocation;
  }
  return nullptr;
}
