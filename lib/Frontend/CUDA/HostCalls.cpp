// A condition of a caller is one of the callee where all its names are passed
// on: an integer as a parameter, a tensor, whose sizes they are, as another.
#include "HostCalls.h"
#include "HostFlow.h"
#include "evo/Support/IntExpr.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;
using namespace evo;

/// A size of a parameter, before the callee's own name for it is known.
static std::string nameOfSize(const ParmVarDecl *tensor, int64_t place) {
  return tensor->getNameAsString() + "_" + std::to_string(place);
}

namespace {
class Calls : public HostFlow {
public:
  using Conditions = std::map<const FunctionDecl *, std::vector<std::string>>;
  Calls(ASTContext &context, Stmt *body, Conditions &conditions,
        std::vector<std::string> inherited)
      : HostFlow(context, body), conditions(conditions),
        inherited(std::move(inherited)) {}

protected:
  void visitCall(const CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee || isa<CUDAKernelCallExpr>(call) || isa<CXXMethodDecl>(callee))
      return;
    const FunctionDecl *body = nullptr;
    if (callee->hasBody(body))
      note(*call, *body);
  }

private:
  Conditions &conditions;
  std::vector<std::string> inherited;

  void note(const CallExpr &call, const FunctionDecl &callee) {
    std::vector<std::string> here;
    for (const std::vector<std::string> &known : {inherited, requirements()})
      for (const std::string &text : known)
        if (std::string passed = passOn(text, call, callee); !passed.empty())
          here.push_back(std::move(passed));
    auto [it, isFirst] =
        conditions.try_emplace(callee.getCanonicalDecl(), here);
    if (!isFirst)
      llvm::erase_if(it->second, [&](const std::string &text) {
        return !llvm::is_contained(here, text);
      });
  }

  /// In names of the callee; empty where it has none for some.
  std::string passOn(const std::string &text, const CallExpr &call,
                     const FunctionDecl &callee) {
    llvm::Expected<Requirement> requirement = Requirement::parse(text);
    if (!requirement) // unreachable: it was made of one
      return llvm::consumeError(requirement.takeError()), "";
    bool isPassed = true;
    Requirement changed =
        requirement->substitute([&](StringRef name) -> std::optional<IntExpr> {
          std::string there = nameIn(name, call, callee);
          isPassed &= !there.empty();
          return there.empty()
                     ? std::nullopt
                     : std::optional(llvm::cantFail(IntExpr::parse(there)));
        });
    return isPassed ? changed.str() : "";
  }

  std::string nameIn(StringRef name, const CallExpr &call,
                     const FunctionDecl &callee) {
    const auto size = expressions.sizeNamed(name);
    std::string ofTensor;
    for (unsigned i = 0; i < std::min(call.getNumArgs(), callee.getNumParams());
         ++i) {
      const ParmVarDecl *param = callee.getParamDecl(i);
      if (param->getName().empty())
        continue;
      const Expr *arg = call.getArg(i);
      if (param->getType()->isIntegerType() &&
          expressions.operand(arg) == name.str())
        return param->getNameAsString();
      if (size && HostExpressions::buffer(arg) == size->first)
        ofTensor = nameOfSize(param, size->second);
    }
    return ofTensor;
  }
};
} // namespace

void HostCalls::read(ASTContext &context, FunctionDecl *caller) {
  HostExpressions none(context, {});
  Calls(context, caller->getBody(), conditions, conditionsOf(caller, none))
      .walk();
}

std::vector<std::string>
HostCalls::conditionsOf(const FunctionDecl *function,
                        const HostExpressions &expressions) const {
  auto it = conditions.find(function->getCanonicalDecl());
  if (it == conditions.end())
    return {};
  auto ownName = [&](StringRef name) -> std::optional<IntExpr> {
    for (const ParmVarDecl *param : function->parameters())
      if (auto place = name;
          place.consume_front(param->getName()) && place.consume_front("_"))
        if (int64_t number = 0; !place.getAsInteger(10, number))
          if (auto own = expressions.nameOfSize(param, number))
            return llvm::cantFail(IntExpr::parse(*own));
    return std::nullopt;
  };
  std::vector<std::string> found;
  for (const std::string &text : it->second)
    found.push_back(
        llvm::cantFail(Requirement::parse(text)).substitute(ownName).str());
  return found;
}
