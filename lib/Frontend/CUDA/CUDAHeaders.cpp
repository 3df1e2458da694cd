// Precompilation of an empty CUDA file: what is left is what Clang and this
// tool put before every file.
#include "evo/Frontend/CUDAHeaders.h"
#include "ClangJob.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/ModuleCache.h"

using namespace evo;

namespace {
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
    return true;
  }
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
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
