// The only file that knows Clang. Kernels named by launch lines are found
// through one device variable a launch, appended to the source: its initialiser
// instantiates the template and names the symbol, with Clang's own overload
// resolution and Clang's own error where that fails.
#include "evo/Frontend/CUDA.h"
#include "mlir/IR/Diagnostics.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Version.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace {

/// Turns Clang's diagnostics into MLIR's.
class DiagnosticBridge : public clang::DiagnosticConsumer {
public:
  explicit DiagnosticBridge(MLIRContext *context) : context(context) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error)
      return; // warnings of the user's code are the user's compiler's business
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    Location loc = UnknownLoc::get(context);
    if (info.hasSourceManager() && info.getLocation().isValid()) {
      clang::PresumedLoc presumed =
          info.getSourceManager().getPresumedLoc(info.getLocation());
      if (presumed.isValid())
        loc = FileLineColLoc::get(context, presumed.getFilename(),
                                  presumed.getLine(), presumed.getColumn());
    }
    emitError(loc) << text;
  }

private:
  MLIRContext *context;
};

} // namespace

/// CUDA functions that Clang's wrapper headers lack. The cache hints of stores
/// are dropped: they change no result.
static constexpr StringLiteral preludeName = "evo_cuda_prelude.h";
static constexpr StringLiteral prelude = R"(#pragma once
template <class T> __device__ inline void __stcs(T *p, T v) { *p = v; }
template <class T> __device__ inline void __stcg(T *p, T v) { *p = v; }
template <class T> __device__ inline void __stwb(T *p, T v) { *p = v; }
template <class T> __device__ inline void __stwt(T *p, T v) { *p = v; }
)";

static std::string launchVariable(size_t index) {
  return "evo_launch_kernel_" + std::to_string(index);
}

static std::string withLaunchVariables(StringRef source,
                                       ArrayRef<evo::CUDALaunchName> launches) {
  std::string text = source.str();
  for (auto [index, launch] : llvm::enumerate(launches)) {
    text +=
        "\n#line " + std::to_string(launch.line) + " \"" + launch.file + "\"\n";
    text += "extern \"C\" { __device__ auto *" + launchVariable(index) + " = " +
            launch.spelling + "; }";
  }
  return text + "\n";
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
                                            const evo::CUDAOptions &options) {
  std::vector<std::string> args = {
      EVO_CLANG_EXECUTABLE, "-x", "cuda", "--cuda-device-only",
      "--cuda-gpu-arch=" + options.architecture,
      "--cuda-path=" + options.toolkit, "-nocudalib",
      "-resource-dir=" + findResourceDirectory(), "-std=" + options.standard,
      // Not -O1 and not -fno-unroll-loops: both leave attributes that stop the
      // later full unrolling of register arrays.
      "-O3", "-Xclang", "-disable-llvm-passes", "-gline-tables-only",
      "-fdebug-compilation-dir=.", "-Wno-unknown-cuda-version",
      "-fno-caret-diagnostics", "-emit-llvm", "-c", "-o", "-", "-include",
      preludeName.str()};
  for (const std::string &directory : options.includeDirectories)
    args.push_back("-I" + directory);
  // Since CUDA 13 the C++ library that cooperative groups use is set apart.
  SmallString<256> cccl(options.toolkit);
  llvm::sys::path::append(cccl, "include", "cccl");
  if (llvm::sys::fs::is_directory(cccl)) {
    args.push_back("-isystem");
    args.push_back(cccl.str().str());
  }
  for (const std::string &define : options.defines)
    args.push_back("-D" + define);
  args.push_back(fileName.str());
  return args;
}

FailureOr<evo::CUDAModule> evo::compileCUDA(MLIRContext *context,
                                            llvm::LLVMContext &llvmContext,
                                            StringRef source,
                                            StringRef fileName,
                                            ArrayRef<CUDALaunchName> launches,
                                            const CUDAOptions &options) {
  std::string text = withLaunchVariables(source, launches);
  // The driver checks that its input exists, so the text lives in an overlay.
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
      llvm::vfs::getRealFileSystem());
  files->pushOverlay(memory);
  memory->addFile(preludeName, 0, llvm::MemoryBuffer::getMemBuffer(prelude));
  memory->addFile(fileName, 0, llvm::MemoryBuffer::getMemBufferCopy(text));

  DiagnosticBridge bridge(context);
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files, diagnosticOptions, &bridge, /*ShouldOwnClient=*/false);

  std::vector<std::string> args = commandLine(fileName, options);
  SmallVector<const char *> pointers;
  for (const std::string &arg : args)
    pointers.push_back(arg.c_str());
  clang::driver::Driver driver(args[0], llvm::sys::getDefaultTargetTriple(),
                               *diagnostics, "evo", files);
  std::unique_ptr<clang::driver::Compilation> compilation(
      driver.BuildCompilation(pointers));
  const clang::driver::Command *job = nullptr;
  if (compilation && !diagnostics->hasErrorOccurred())
    for (const clang::driver::Command &command : compilation->getJobs())
      if (StringRef(command.getCreator().getName()) == "clang")
        job = &command;
  if (!job) {
    if (!diagnostics->hasErrorOccurred())
      emitError(FileLineColLoc::get(context, fileName, 1, 1))
          << "the CUDA compiler has nothing to do with this input";
    return failure();
  }

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(
          *invocation, job->getArguments(), *diagnostics))
    return failure();
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(files);
  compiler.setDiagnostics(diagnostics);
  compiler.createFileManager();
  clang::EmitLLVMOnlyAction action(&llvmContext);
  bool ok = compiler.ExecuteAction(action);
  std::unique_ptr<llvm::Module> module = action.takeModule();
  if (!ok || !module || diagnostics->hasErrorOccurred()) {
    if (!diagnostics->hasErrorOccurred())
      emitError(FileLineColLoc::get(context, fileName, 1, 1))
          << "the CUDA compiler produced no code";
    return failure();
  }

  CUDAModule result;
  for (auto [index, launch] : llvm::enumerate(launches)) {
    llvm::GlobalVariable *variable =
        module->getGlobalVariable(launchVariable(index), true);
    auto *kernel = variable && variable->hasInitializer()
                       ? dyn_cast<llvm::Function>(
                             variable->getInitializer()->stripPointerCasts())
                       : nullptr;
    if (!kernel || kernel->getCallingConv() != llvm::CallingConv::PTX_Kernel) {
      emitError(FileLineColLoc::get(context, launch.file, launch.line, 1))
          << "'" << launch.spelling << "' is no __global__ function";
      return failure();
    }
    result.launchSymbols.push_back(kernel->getName().str());
    // An entry of llvm.compiler.used may still name the variable.
    variable->replaceAllUsesWith(
        llvm::ConstantPointerNull::get(variable->getType()));
    variable->eraseFromParent();
  }
  for (StringRef used : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *list = module->getGlobalVariable(used, true))
      list->eraseFromParent();
  result.module = std::move(module);
  return result;
}
