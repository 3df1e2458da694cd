// Looks at each declaration of the file as it is parsed. What comes from system
// headers or precompiled ones is left alone: to walk it would load all of it.
#include "HostSymbols.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace evo;

/// Which argument of a function of the CUDA runtime names a variable that it
/// changes, or lets others change; -1: none.
static int getSymbolArgument(llvm::StringRef function) {
  return llvm::StringSwitch<int>(function)
      .Cases({"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}, 0)
      .Case("cudaGetSymbolAddress", 1)
      .Default(-1);
}

namespace {
class Visitor : public clang::DynamicRecursiveASTVisitor {
public:
  Visitor(clang::ASTContext &context, std::vector<CUDAHostSymbol> &found)
      : context(context), mangler(context.createMangleContext()), found(found) {
  }

  bool VisitVarDecl(clang::VarDecl *variable) override {
    using How = CUDAHostSymbol::How;
    if (isManaged(*variable))
      note(*variable, variable->getLocation(), How::Managed);
    else if (variable->hasAttr<clang::CUDAConstantAttr>() &&
             variable->hasGlobalStorage() && !isInitialized(*variable))
      note(*variable, variable->getLocation(), How::Uninitialized);
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) override {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier())
      return true;
    const int place = getSymbolArgument(callee->getName());
    if (place < 0 || unsigned(place) >= call->getNumArgs())
      return true;
    // The address of the variable and casts of it name it as well.
    const clang::Expr *symbol = call->getArg(place)->IgnoreParenCasts();
    if (auto *address = llvm::dyn_cast<clang::UnaryOperator>(symbol))
      symbol = address->getSubExpr()->IgnoreParenCasts();
    if (auto *name = llvm::dyn_cast<clang::DeclRefExpr>(symbol))
      if (auto *variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl()))
        note(*variable, call->getBeginLoc(), CUDAHostSymbol::How::Call);
    return true;
  }

private:
  clang::ASTContext &context;
  std::unique_ptr<clang::MangleContext> mangler;
  std::vector<CUDAHostSymbol> &found;

  /// As the prelude defines __managed__.
  static bool isManaged(const clang::VarDecl &variable) {
    return llvm::any_of(variable.specific_attrs<clang::AnnotateAttr>(),
                        [](const clang::AnnotateAttr *note) {
                          return note->getAnnotation() == "evo.managed";
                        });
  }

  /// A class is constructed where nothing is written, too, which may well leave
  /// it as it is.
  static bool isInitialized(const clang::VarDecl &variable) {
    const clang::Expr *init = variable.getInit();
    if (!init)
      return false;
    const auto *construction =
        llvm::dyn_cast<clang::CXXConstructExpr>(init->IgnoreImplicit());
    return !construction || construction->getNumArgs() > 0 ||
           construction->isListInitialization() ||
           !construction->getConstructor()->isTrivial();
  }

  void note(const clang::VarDecl &variable, clang::SourceLocation at,
            CUDAHostSymbol::How how) {
    std::string symbol;
    if (mangler->shouldMangleDeclName(&variable)) {
      llvm::raw_string_ostream os(symbol);
      mangler->mangleName(&variable, os);
    } else {
      symbol = variable.getNameAsString();
    }
    clang::PresumedLoc place = context.getSourceManager().getPresumedLoc(at);
    if (place.isValid())
      found.push_back({symbol, variable.getNameAsString(), place.getFilename(),
                       place.getLine(), place.getColumn(), how,
                       variable.getQualifiedNameAsString(), declare(variable)});
  }

  /// As an argument of a contract: `table: in f32[4]`.
  std::string declare(const clang::VarDecl &variable) const {
    clang::QualType type = variable.getType();
    std::string dims;
    while (const auto *array = context.getAsConstantArrayType(type)) {
      dims += (dims.empty() ? "" : ", ") +
              llvm::toString(array->getSize(), 10, /*Signed=*/false);
      type = array->getElementType();
    }
    std::string element = nameElement(type);
    if (element.empty())
      return "";
    std::string result = variable.getQualifiedNameAsString() + ": ";
    return dims.empty() ? result + element
                        : result + "in " + element + "[" + dims + "]";
  }

  std::string nameElement(clang::QualType type) const {
    const auto *builtin = type.getCanonicalType()->getAs<clang::BuiltinType>();
    if (!builtin)
      return "";
    std::string width = std::to_string(context.getTypeSize(type));
    if (builtin->isBooleanType())
      return "i1";
    if (builtin->isInteger())
      return (builtin->isUnsignedInteger() ? "u" : "i") + width;
    return builtin->isFloatingPoint() ? "f" + width : "";
  }
};

class HostSymbols : public clang::ASTConsumer {
public:
  HostSymbols(clang::CompilerInstance &compiler,
              std::vector<CUDAHostSymbol> &found)
      : compiler(compiler), found(found) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    clang::ASTContext &context = compiler.getASTContext();
    for (clang::Decl *decl : group)
      if (!context.getSourceManager().isInSystemHeader(decl->getLocation()))
        Visitor(context, found).TraverseDecl(decl);
    return true;
  }

private:
  clang::CompilerInstance &compiler;
  std::vector<CUDAHostSymbol> &found;
};
} // namespace

std::unique_ptr<clang::ASTConsumer>
evo::collectHostSymbols(clang::CompilerInstance &compiler,
                        std::vector<CUDAHostSymbol> &found,
                        std::unique_ptr<clang::ASTConsumer> rest) {
  std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
  consumers.push_back(std::make_unique<HostSymbols>(compiler, found));
  consumers.push_back(std::move(rest));
  return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
}
