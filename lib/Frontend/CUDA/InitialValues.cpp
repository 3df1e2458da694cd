// The check looks at each declaration before code is generated for it.
#include "InitialValues.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"

namespace {
class InitialValueCheck : public clang::ASTConsumer {
public:
  explicit InitialValueCheck(clang::DiagnosticsEngine &diagnostics)
      : diagnostics(diagnostics) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *decl : group)
      if (auto *variable = llvm::dyn_cast<clang::VarDecl>(decl))
        check(*variable);
    return true;
  }

private:
  clang::DiagnosticsEngine &diagnostics;

  void check(const clang::VarDecl &variable) {
    constexpr int64_t maxMebibytes = 64;
    clang::QualType type = variable.getType();
    if (!variable.hasInit() || type->isDependentType() ||
        type->isIncompleteType())
      return;
    int64_t mebibytes =
        variable.getASTContext().getTypeSizeInChars(type).getQuantity() >> 20;
    if (mebibytes <= maxMebibytes)
      return;
    unsigned id = diagnostics.getCustomDiagID(
        clang::DiagnosticsEngine::Error,
        "%0 has initial values of %1 MiB, of which a file may state %2 MiB");
    diagnostics.Report(variable.getLocation(), id)
        << &variable << std::to_string(mebibytes)
        << std::to_string(maxMebibytes);
  }
};
} // namespace

std::unique_ptr<clang::ASTConsumer>
evo::boundInitialValues(clang::CompilerInstance &compiler,
                        std::unique_ptr<clang::ASTConsumer> rest) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(
      std::make_unique<InitialValueCheck>(compiler.getDiagnostics()));
  consumers.push_back(std::move(rest));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}
