// Declarations of the main file are walked as they were written: instances of a
// template say nothing that it does not.
#include "OwnText.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"

using namespace evo;

static bool isOfHost(const clang::FunctionDecl &function) {
  return !function.hasAttr<clang::CUDADeviceAttr>() &&
         !function.hasAttr<clang::CUDAGlobalAttr>();
}

/// The name that a call is written with; empty where there is none.
static llvm::StringRef calledName(const clang::CallExpr &call) {
  const clang::Expr *callee = call.getCallee()->IgnoreParenImpCasts();
  clang::DeclarationName name;
  if (const auto *known = llvm::dyn_cast<clang::DeclRefExpr>(callee))
    name = known->getDecl()->getDeclName();
  else if (const auto *open = llvm::dyn_cast<clang::OverloadExpr>(callee))
    name = open->getName();
  return name.isIdentifier() && name ? name.getAsIdentifierInfo()->getName()
                                     : "";
}

namespace {
class Visitor : public clang::DynamicRecursiveASTVisitor {
public:
  Visitor(const clang::SourceManager &sources, OwnText &found)
      : sources(sources), found(found) {}

  bool VisitFunctionDecl(clang::FunctionDecl *function) override {
    refuseNames(*function, function->isThisDeclarationADefinition());
    if (isOfHost(*function)) {
      if (const clang::Stmt *body = function->isThisDeclarationADefinition()
                                        ? function->getBody()
                                        : nullptr)
        bodiesOfHosts[function] = {offsetOf(body->getBeginLoc()),
                                   offsetOf(body->getEndLoc())};
      return true;
    }
    // A device may run part of a host function: a method of a local class.
    for (const clang::DeclContext *context = function->getParent(); context;
         context = context->getParent())
      if (const auto *outer = llvm::dyn_cast<clang::FunctionDecl>(context))
        bodiesOfHosts.erase(outer);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    refuseNames(*variable, false);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const device::DeviceOp *op = device::lookupFunction(calledName(*call)).op;
    if (!op || !op->isForPeople)
      return true;
    for (const clang::Expr *argument : call->arguments()) {
      argument = argument->IgnoreParenImpCasts();
      if (const auto *literal = llvm::dyn_cast<clang::StringLiteral>(argument))
        for (unsigned i = 0; i < literal->getNumConcatenated(); ++i)
          ++found.printed[placesOf(literal->getStrTokenLoc(i))];
      else if (llvm::isa<clang::PredefinedExpr>(argument))
        ++found.printed[placesOf(argument->getBeginLoc())];
    }
    return true;
  }

  void finish() {
    for (const auto &[function, range] : bodiesOfHosts)
      found.hostBodies.push_back(range);
  }

private:
  const clang::SourceManager &sources;
  OwnText &found;
  std::map<const clang::FunctionDecl *, std::pair<unsigned, unsigned>>
      bodiesOfHosts;

  unsigned offsetOf(clang::SourceLocation at) const {
    return sources.getDecomposedExpansionLoc(at).second;
  }
  std::pair<unsigned, unsigned> placesOf(clang::SourceLocation at) const {
    if (at.isMacroID())
      return {offsetOf(at),
              sources
                  .getDecomposedSpellingLoc(
                      sources.getImmediateExpansionRange(at).getBegin())
                  .second};
    return {offsetOf(at), offsetOf(at)};
  }

  void refuse(const clang::NamedDecl &decl, std::string text) {
    const clang::PresumedLoc at =
        sources.getPresumedLoc(sources.getExpansionLoc(decl.getLocation()));
    found.refusals.push_back({at.getLine(), at.getColumn(), std::move(text)});
  }

  /// A label or a definition makes a name mean what it does not elsewhere: it
  /// is judged as one of the two, and may be built as the other.
  void refuseNames(const clang::DeclaratorDecl &decl, bool isDefinition) {
    const std::string name = decl.getNameAsString();
    if (const auto *label = decl.getAttr<clang::AsmLabelAttr>();
        label && !label->isImplicit())
      return refuse(decl, "'" + name + "' is given the name '" +
                              label->getLabel().str() +
                              "' by a label, which a candidate may not: call "
                              "what is meant by its own name");
    if (isDefinition && device::isLibdevice(name))
      refuse(decl, "'" + name +
                       "' is a name of CUDA's library of device functions, "
                       "which a candidate may not define");
  }
};

class ReadOwnText : public clang::ASTConsumer {
public:
  ReadOwnText(clang::CompilerInstance &compiler, OwnText &found)
      : compiler(compiler), found(found) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    decls.insert(decls.end(), group.begin(), group.end());
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext &) override {
    const clang::SourceManager &sources = compiler.getSourceManager();
    Visitor visitor(sources, found);
    for (clang::Decl *decl : decls)
      if (sources.isInMainFile(sources.getExpansionLoc(decl->getLocation())))
        visitor.TraverseDecl(decl);
    visitor.finish();
  }

private:
  clang::CompilerInstance &compiler;
  OwnText &found;
  std::vector<clang::Decl *> decls;
};
} // namespace

std::unique_ptr<clang::ASTConsumer>
evo::readOwnText(clang::CompilerInstance &compiler, OwnText &found,
                 std::unique_ptr<clang::ASTConsumer> rest) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(std::make_unique<ReadOwnText>(compiler, found));
  consumers.push_back(std::move(rest));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}
