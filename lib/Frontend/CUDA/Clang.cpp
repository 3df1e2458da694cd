// From text to a module with Clang's code generator. Kernels named by launch
// lines are found through one device variable a launch, appended to the source:
// its initialiser instantiates the template and names the symbol, with Clang's
// own overload resolution and Clang's own error where that fails.
#include "ClangJob.h"
#include "HostBodies.h"
#include "HostSymbols.h"
#include "InitialValues.h"
#include "evo/Frontend/CUDAHeaders.h"
#include "mlir/IR/Diagnostics.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace {

/// Turns Clang's diagnostics into MLIR's.
class DiagnosticBridge : public clang::DiagnosticConsumer {
public:
  DiagnosticBridge(MLIRContext *context, bool confined)
      : context(context), confined(confined) {}

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
    if (confined && info.getID() == clang::diag::err_pp_file_not_found)
      text += " (a candidate reaches the headers of CUDA, Clang, C and C++ and "
              "those of folders given with -I)";
    errors.emplace_back(loc, text.str().str());
  }
  /// Hands them on: not before it is clear that nothing else helps.
  void emit() {
    for (auto &[loc, text] : errors)
      emitError(loc) << text;
  }

private:
  MLIRContext *context;
  bool confined;
  std::vector<std::pair<Location, std::string>> errors;
};

} // namespace

/// The precompiled headers' place among the files of a run.
static constexpr StringLiteral precompiledName = "/evo/cuda_headers.pch";

static std::string launchVariable(size_t index) {
  return "evo_launch_kernel_" + std::to_string(index);
}

static std::string withLaunchVariables(StringRef source,
                                       ArrayRef<evo::CUDALaunchName> launches) {
  std::string text = source.str();
  for (auto [index, launch] : llvm::enumerate(launches)) {
    // The spelling stands where it does in the launch line, so that what Clang
    // says of it points there.
    text += "\nextern \"C\" { __device__ auto *" + launchVariable(index) +
            " =\n#line " + std::to_string(launch.line) + " \"" + launch.file +
            "\"\n" + std::string(launch.column - 1, ' ') + launch.spelling +
            "; }";
  }
  return text + "\n";
}

/// Removes the marks by which this run of Clang alone would find the source of
/// inline assembly again.
static void dropSourceCookies(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function))
      inst.setMetadata("srcloc", nullptr);
}

namespace {
/// Code generation of files that state no gigantic tables.
class BoundedCodeGenAction : public clang::EmitLLVMOnlyAction {
public:
  using EmitLLVMOnlyAction::EmitLLVMOnlyAction;
  std::vector<evo::CUDAHostSymbol> hostSymbols;

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    StringRef file) override {
    return evo::passOverHostBodies(evo::boundInitialValues(
        compiler, evo::collectHostSymbols(
                      compiler, hostSymbols,
                      EmitLLVMOnlyAction::CreateASTConsumer(compiler, file))));
  }
};
} // namespace

namespace {
enum class HostCode { Parsed, PassedOver };
} // namespace

/// One run of the front end; its module is null where it failed.
static evo::CUDAModule runClang(llvm::LLVMContext &llvmContext, StringRef text,
                                StringRef fileName,
                                const evo::CUDAOptions &options,
                                const evo::CUDAHeaders *headers,
                                clang::DiagnosticConsumer &consumer,
                                HostCode host = HostCode::Parsed) {
  evo::ClangFiles files;
  files.add(fileName, text);
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files.all, diagnosticOptions, &consumer, /*ShouldOwnClient=*/false);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      evo::createClangInvocation(fileName, options, files, *diagnostics);
  if (!invocation)
    return {};
  invocation->getFrontendOpts().SkipFunctionBodies =
      host == HostCode::PassedOver;
  if (headers) {
    files.add(precompiledName, headers->getBytes());
    invocation->getPreprocessorOpts().ImplicitPCHInclude =
        precompiledName.str();
  }
  auto visible = files.visibleTo(*invocation, options);
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(visible);
  compiler.setDiagnostics(diagnostics);
  compiler.createFileManager();
  BoundedCodeGenAction action(&llvmContext);
  bool ok = compiler.ExecuteAction(action);
  evo::CUDAModule result;
  result.module = action.takeModule();
  if (!ok || diagnostics->hasErrorOccurred())
    return {};
  if (result.module)
    dropSourceCookies(*result.module);
  result.hostSymbols = std::move(action.hostSymbols);
  return result;
}

FailureOr<evo::CUDAModule>
evo::compileCUDA(MLIRContext *context, llvm::LLVMContext &llvmContext,
                 StringRef source, StringRef fileName,
                 ArrayRef<CUDALaunchName> launches, const CUDAOptions &options,
                 const CUDAHeaders *headers) {
  std::string text = withLaunchVariables(source, launches);
  CUDAModule result;
  std::unique_ptr<llvm::Module> &module = result.module;
  std::unique_ptr<CUDAHeaders> kept;
  if (!headers) {
    kept = CUDAHeaders::find(options);
    headers = kept.get();
  }
  // What the bodies of host functions do is parsed, since it may instantiate
  // kernels; but what is wrong with them, or with the libraries that they call,
  // is no matter of the device's.
  clang::IgnoringDiagConsumer quiet;
  auto withoutHost = [&](const CUDAHeaders *headers) {
    return runClang(llvmContext, text, fileName, options, headers, quiet,
                    HostCode::PassedOver);
  };
  bool usedHeaders = headers && headers->serve(options);
  if (usedHeaders) {
    result = runClang(llvmContext, text, fileName, options, headers, quiet);
    if (!module)
      result = withoutHost(headers);
  }
  // What fails with precompiled headers is judged without them: a header that
  // has changed since is no fault of the text, and the messages are Clang's
  // own.
  if (!module) {
    bool wereUseless = usedHeaders;
    usedHeaders = false;
    DiagnosticBridge bridge(context, options.confined);
    result = runClang(llvmContext, text, fileName, options, nullptr, bridge);
    if (!module)
      result = withoutHost(nullptr);
    if (!module) {
      bridge.emit();
      if (bridge.getNumErrors() == 0)
        emitError(FileLineColLoc::get(context, fileName, 1, 1))
            << "the CUDA compiler produced no code"; // unreachable: it says why
      return failure();
    }
    if (wereUseless)
      headers->forget();
  }

  result.usedHeaders = usedHeaders;
  for (auto [index, launch] : llvm::enumerate(launches)) {
    llvm::GlobalVariable *variable =
        module->getGlobalVariable(launchVariable(index), true);
    auto *kernel = variable && variable->hasInitializer()
                       ? dyn_cast<llvm::Function>(
                             variable->getInitializer()->stripPointerCasts())
                       : nullptr;
    if (!kernel || kernel->getCallingConv() != llvm::CallingConv::PTX_Kernel) {
      emitError(
          FileLineColLoc::get(context, launch.file, launch.line, launch.column))
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
  return result;
}
