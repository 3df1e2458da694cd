// The front end asks its consumer, of each function that has a body.
#include "HostBodies.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/MultiplexConsumer.h"

namespace {
class HostBodies : public clang::ASTConsumer {
public:
  bool shouldSkipFunctionBody(clang::Decl *decl) override {
    const clang::FunctionDecl *function = decl->getAsFunction();
    return function && !function->hasAttr<clang::CUDADeviceAttr>() &&
           !function->hasAttr<clang::CUDAGlobalAttr>();
  }
};
} // namespace

std::unique_ptr<clang::ASTConsumer>
evo::passOverHostBodies(std::unique_ptr<clang::ASTConsumer> rest) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(std::make_unique<HostBodies>());
  consumers.push_back(std::move(rest));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}
