// A function with a condition that always holds is preferred to one without,
// once nothing else tells which is better ([over.match.best] as Clang extends
// it). The attribute is added when the header defines the operator: earlier,
// the definition would be another function than the declaration.
#include "EmptyBraces.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Frontend/MultiplexConsumer.h"

namespace {
class PreferMove : public clang::ASTConsumer {
public:
  void Initialize(clang::ASTContext &ast) override { context = &ast; }

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl *decl : group)
      if (auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(decl))
        if (isMoveOfPair(*method))
          prefer(*method);
    return true;
  }

private:
  clang::ASTContext *context = nullptr;

  static bool isMoveOfPair(const clang::CXXMethodDecl &method) {
    const clang::CXXRecordDecl *type = method.getParent();
    return method.isMoveAssignmentOperator() && type->getIdentifier() &&
           (type->getName() == "__half2" ||
            type->getName().ends_with("bfloat162"));
  }

  void prefer(clang::CXXMethodDecl &method) {
    for (clang::FunctionDecl *decl : method.redecls()) {
      auto *holds = clang::CXXBoolLiteralExpr::Create(
          *context, true, context->BoolTy, decl->getLocation());
      decl->addAttr(clang::EnableIfAttr::CreateImplicit(*context, holds, ""));
    }
  }
};
} // namespace

std::unique_ptr<clang::ASTConsumer>
evo::preferMoveOfPairs(std::unique_ptr<clang::ASTConsumer> rest) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(std::make_unique<PreferMove>());
  consumers.push_back(std::move(rest));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}
