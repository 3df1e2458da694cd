// Precompilation of an empty CUDA file: what is left is what Clang and this
// tool put before every file.
#include "evo/Frontend/CUDAHeaders.h"
#include "ClangJob.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/ModuleCache.h"

using namespace evo;

namespace {
/// Leaves out the lists of declarations of which Clang asks something at the
/// end of each file, for it reads all of them to do so: which may be called
/// from where they must not be (headers that do so are not parsed, and what a
/// file instantiates is in that file's own list), and which nobody uses.
class Generator : public clang::PCHGenerator {
public:
  using PCHGenerator::PCHGenerator;
  void InitializeSema(clang::Sema &toUse) override {
    sema = &toUse;
    PCHGenerator::InitializeSema(toUse);
  }
  void HandleTranslationUnit(clang::ASTContext &context) override {
    sema->DeclsToCheckForDeferredDiags.clear();
    sema->UnusedFileScopedDecls = {};
    PCHGenerator::HandleTranslationUnit(context);
  }

private:
  clang::Sema *sema = nullptr;
};

/// As Clang's own action for precompiled headers, without a file at its end.
class PrecompileAction : public clang::ASTFrontendAction {
public:
  explicit PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer)
      : buffer(std::move(buffer)) {}

  clang::TranslationUnitKind getTranslationUnitKind() override {
    return clang::TU_Prefix;
  }
  bool hasASTFileSupport() const override { return false; }
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    // Once, instead of at the end of each file.
    compiler.getLangOpts().PCHInstantiateTemplates = true;
    return true;
  }
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    llvm::StringRef) override {
    return std::make_unique<Generator>(
        compiler.getPreprocessor(), compiler.getModuleCache(),
        /*OutputFile=*/"", /*isysroot=*/"", buffer, compiler.getCodeGenOpts(),
        compiler.getFrontendOpts().ModuleFileExtensions);
  }

private:
  std::shared_ptr<clang::PCHBuffer> buffer;
};
} // namespace

std::unique_ptr<CUDAHeaders>
CUDAHeaders::parseAnew(const CUDAOptions &options) {
  ClangFiles files;
  clang::IgnoringDiagConsumer quiet;
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files.all, diagnosticOptions, &quiet, /*ShouldOwnClient=*/false);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      createClangInvocation(emptyCUDAName, options, files, *diagnostics);
  if (!invocation)
    return nullptr;
  auto visible = files.visibleTo(*invocation, options);
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(visible);
  compiler.setDiagnostics(diagnostics);
  compiler.createFileManager();
  auto buffer = std::make_shared<clang::PCHBuffer>();
  PrecompileAction action(buffer);
  if (!compiler.ExecuteAction(action) || diagnostics->hasErrorOccurred() ||
      !buffer->IsComplete)
    return nullptr;
  auto headers = std::make_unique<CUDAHeaders>();
  headers->options = options;
  headers->bytes.assign(buffer->Data.begin(), buffer->Data.end());
  return headers;
}
