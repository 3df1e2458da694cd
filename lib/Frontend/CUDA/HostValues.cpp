// What variables are worth that host code assigns: in order, and where branches
// meet again the value that large sizes lead to, with what leads there.
#include "HostConditions.h"
#include "HostExpressions.h"
#include "evo/Support/IntExpr.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace evo;

static void addAll(std::vector<std::string> &to,
                   const std::vector<std::string> &from) {
  for (const std::string &text : from)
    if (!llvm::is_contained(to, text))
      to.push_back(text);
}

static bool isExtents(QualType type) {
  const auto *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->getName() == "dim3";
}

std::pair<const ValueDecl *, int>
HostExpressions::assignedBy(const Expr *place) {
  place = place->IgnoreParenImpCasts();
  int which = -1;
  if (const auto *member = dyn_cast<MemberExpr>(place)) {
    StringRef name = member->getMemberDecl()->getName();
    place = member->getBase()->IgnoreParenImpCasts();
    if (!isExtents(place->getType()) || name.size() != 1)
      return {nullptr, -1};
    which = name[0] - 'x';
  }
  const auto *name = dyn_cast<DeclRefExpr>(place);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable || !(variable->getType()->isIntegralOrEnumerationType() ||
                     isExtents(variable->getType())))
    return {nullptr, -1};
  return {variable, which};
}

bool HostExpressions::mayChange(const Expr *expr) {
  return mentions(expr,
                  [&](const ValueDecl *decl) { return changing.count(decl); });
}

std::optional<std::vector<std::string>>
HostExpressions::valueOf(const ValueDecl *decl) {
  auto it = state.find(decl);
  if (it == state.end())
    return std::nullopt;
  addAll(assumed, it->second.requirements);
  return it->second.texts;
}

HostExpressions::Value HostExpressions::evaluate(const Expr *expr,
                                                 bool asExtents) {
  std::vector<std::string> others = std::move(assumed);
  assumed.clear();
  Value value;
  if (asExtents)
    value.texts = extentList(expr);
  else if (auto text = integer(expr))
    value.texts = {*text};
  value.requirements = std::move(assumed);
  assumed = std::move(others);
  return value;
}

void HostExpressions::declare(const VarDecl *decl) {
  const bool isInteger = decl->getType()->isIntegralOrEnumerationType();
  if (isInteger)
    (void)variable(decl, std::nullopt);
  if (!changing.count(decl) || !decl->getInit() ||
      decl->getInit()->isValueDependent())
    return;
  state[decl] = evaluate(decl->getInit(), !isInteger);
  // A dim3 that is declared alone is all ones.
  if (!isInteger && !state[decl].texts)
    if (const auto *made = dyn_cast<CXXConstructExpr>(strip(decl->getInit()));
        made && llvm::all_of(made->arguments(), [](const Expr *arg) {
          return isa<CXXDefaultArgExpr>(arg);
        }))
      state[decl].texts.emplace();
}

void HostExpressions::assign(const Expr *place, const Expr *value) {
  auto [decl, which] = assignedBy(place);
  if (!decl || value->isValueDependent())
    return;
  const bool isWhole = which < 0;
  Value made = evaluate(value, isWhole && isExtents(decl->getType()));
  if (isWhole) {
    state[decl] = std::move(made);
    return;
  }
  Value &now = state[decl];
  if (!now.texts || !made.texts || which > 2) {
    now.texts = std::nullopt;
    return;
  }
  if (now.texts->size() <= size_t(which))
    now.texts->resize(which + 1, "1");
  (*now.texts)[which] = made.texts->front();
  addAll(now.requirements, made.requirements);
}

std::optional<std::string> HostExpressions::bound(const Expr *condition,
                                                  const std::string &ifHolds,
                                                  const std::string &ifNot) {
  const auto *op = dyn_cast<BinaryOperator>(strip(condition));
  if (!op || !op->isRelationalOp())
    return std::nullopt;
  std::optional<std::string> lhs = operand(op->getLHS()),
                             rhs = operand(op->getRHS());
  const bool isLess = op->getOpcode() == BO_LT || op->getOpcode() == BO_LE;
  if (lhs == ifHolds && rhs == ifNot)
    return (isLess ? "min(" : "max(") + ifHolds + ", " + ifNot + ")";
  if (rhs == ifHolds && lhs == ifNot)
    return (isLess ? "max(" : "min(") + ifNot + ", " + ifHolds + ")";
  return std::nullopt;
}

/// Whether they hold where all sizes are large.
static bool holdAtLargeSizes(const std::vector<std::string> &requirements) {
  constexpr int64_t large = 4096;
  return llvm::all_of(requirements, [](const std::string &text) {
    llvm::Expected<Requirement> requirement = Requirement::parse(text);
    if (!requirement) // unreachable: it was made of one
      return llvm::consumeError(requirement.takeError()), false;
    Bindings sizes;
    requirement->forEachName([&](StringRef name) { sizes[name] = large; });
    llvm::Expected<bool> holds = requirement->holds(sizes, "");
    if (!holds)
      return llvm::consumeError(holds.takeError()), false;
    return *holds;
  });
}

/// Whether what is chosen is at small and middling sizes the minimum or
/// maximum, which `kind` says.
static bool isChoice(IntExpr::Kind kind, const std::string &condition,
                     const std::string &ifHolds, const std::string &ifNot) {
  llvm::Expected<IntExpr> yes = IntExpr::parse(ifHolds);
  llvm::Expected<IntExpr> no = IntExpr::parse(ifNot);
  llvm::Expected<Requirement> requirement = Requirement::parse(condition);
  if (!yes || !no || !requirement) {
    llvm::consumeError(yes.takeError());
    llvm::consumeError(no.takeError());
    llvm::consumeError(requirement.takeError());
    return false;
  }
  const IntExpr whole = IntExpr::binary(kind, *yes, *no);
  std::set<std::string> names;
  whole.forEachName([&](StringRef name) { names.insert(name.str()); });
  requirement->forEachName([&](StringRef name) { names.insert(name.str()); });
  constexpr int64_t maxSize = 4096;
  for (int64_t size = 1; names.size() == 1 && size <= maxSize; ++size) {
    Bindings sizes;
    sizes[*names.begin()] = size;
    llvm::Expected<bool> holds = requirement->holds(sizes, "");
    if (!holds)
      return llvm::consumeError(holds.takeError()), false;
    llvm::Expected<int64_t> is = whole.evaluate(sizes),
                            wanted = (*holds ? *yes : *no).evaluate(sizes);
    if (!is || !wanted) {
      llvm::consumeError(is.takeError());
      llvm::consumeError(wanted.takeError());
      return false;
    }
    if (*is != *wanted)
      return false;
  }
  return names.size() == 1;
}

HostExpressions::Value HostExpressions::choose(const Expr *condition,
                                               const Value &ifHolds,
                                               const Value &ifNot) {
  if (ifHolds.texts == ifNot.texts || !ifHolds.texts || !ifNot.texts)
    return ifNot.texts ? ifNot : ifHolds;
  if (ifHolds.texts->size() == 1 && ifNot.texts->size() == 1)
    if (auto text =
            bound(condition, ifHolds.texts->front(), ifNot.texts->front())) {
      Value value = ifHolds;
      value.texts = {*text};
      addAll(value.requirements, ifNot.requirements);
      return value;
    }
  std::vector<std::string> holds = requirementsOf({condition, true}, *this);
  // A choice that a minimum or a maximum makes as well asks for nothing.
  if (ifHolds.texts->size() == 1 && ifNot.texts->size() == 1 &&
      holds.size() == 1)
    for (auto [kind, of] : {std::pair(IntExpr::Kind::Min, "min("),
                            std::pair(IntExpr::Kind::Max, "max(")})
      if (isChoice(kind, holds[0], ifHolds.texts->front(),
                   ifNot.texts->front())) {
        Value value = ifHolds;
        value.texts = {of + ifHolds.texts->front() + ", " +
                       ifNot.texts->front() + ")"};
        addAll(value.requirements, ifNot.requirements);
        return value;
      }
  std::vector<std::string> holdsNot = requirementsOf({condition, false}, *this);
  // What leads to the other one may be no comparison of sizes.
  const bool takesFirst =
      !holds.empty() ? holdAtLargeSizes(holds) : !holdAtLargeSizes(holdsNot);
  Value value = takesFirst ? ifHolds : ifNot;
  addAll(value.requirements, takesFirst ? holds : holdsNot);
  return value;
}

void HostExpressions::merge(const Expr *condition, const State &before,
                            const State &ifHolds) {
  State ifNot = std::move(state);
  auto valueIn = [](const State &in, const ValueDecl *decl) {
    auto it = in.find(decl);
    if (it != in.end())
      return it->second;
    // A parameter begins as what the caller gave.
    if (isa<ParmVarDecl>(decl) && !isExtents(decl->getType()))
      return Value{{{decl->getNameAsString()}}, {}};
    return Value();
  };
  Decls decls;
  for (const auto &[decl, value] : ifHolds)
    decls.insert(decl);
  for (const auto &[decl, value] : ifNot)
    decls.insert(decl);
  // The condition is that of the values before.
  state = before;
  State merged;
  for (const ValueDecl *decl : decls)
    merged[decl] =
        choose(condition, valueIn(ifHolds, decl), valueIn(ifNot, decl));
  state = std::move(merged);
}

std::optional<std::string>
HostExpressions::choice(const Expr *expr, std::optional<int64_t> sizeOfType) {
  const auto *op = cast<ConditionalOperator>(expr);
  if (const Expr *taken = takenOf(op); taken != op)
    return integer(taken, sizeOfType);
  std::vector<std::string> others = std::move(assumed);
  auto evaluateBranch = [&](const Expr *branch) {
    assumed.clear();
    Value value;
    if (auto text = integer(branch, sizeOfType))
      value.texts = {*text};
    value.requirements = std::move(assumed);
    return value;
  };
  Value ifHolds = evaluateBranch(op->getTrueExpr()),
        ifNot = evaluateBranch(op->getFalseExpr());
  assumed.clear();
  Value value = choose(op->getCond(), ifHolds, ifNot);
  assumed = std::move(others);
  if (!value.texts)
    return std::nullopt;
  addAll(assumed, value.requirements);
  return value.texts->front();
}
