// A walk over what the dialect holds parsed.
#include "Formula.h"

using namespace mlir;
using namespace evo;
using namespace evo::prove;

static Term divide(Term a, Term b, Term (Terms::*operation)(Term, Term),
                   Terms &terms) {
  if (!terms.isImpossible({terms.compare(Less::le, b, terms.number(0))}))
    return Term();
  return (terms.*operation)(a, b);
}

Term evo::prove::translateFormula(const IntExpr &expr,
                                  const llvm::StringMap<Term> &names,
                                  Terms &terms) {
  using Kind = IntExpr::Kind;
  const Kind kind = expr.getKind();
  if (kind == Kind::Constant)
    return terms.number(*expr.getAsConstant());
  if (kind == Kind::Name)
    return names.lookup(expr.getAsName());
  Term a = translateFormula(expr.getLhs(), names, terms);
  Term b = a ? translateFormula(expr.getRhs(), names, terms) : Term();
  if (!b)
    return Term();
  switch (kind) {
  case Kind::Constant:
  case Kind::Name:
    break;
  case Kind::Add:
    return terms.add(a, b);
  case Kind::Sub:
    return terms.sub(a, b);
  case Kind::Mul:
    return terms.mul(a, b);
  case Kind::Div:
    return divide(a, b, &Terms::div, terms);
  case Kind::Mod:
    return divide(a, b, &Terms::mod, terms);
  case Kind::CeilDiv:
    return divide(terms.add(a, terms.sub(b, terms.number(1))), b, &Terms::div,
                  terms);
  case Kind::Min:
    return terms.choose(terms.compare(Less::lt, b, a), b, a);
  case Kind::Max:
    return terms.choose(terms.compare(Less::gt, b, a), b, a);
  }
  llvm_unreachable("a kind of expression");
}

Term evo::prove::translateRequirement(const Requirement &requirement,
                                      const llvm::StringMap<Term> &names,
                                      Terms &terms) {
  if (requirement.isOnTarget())
    return Term();
  Term left = translateFormula(requirement.getLhs(), names, terms);
  Term right =
      left ? translateFormula(requirement.getRhs(), names, terms) : Term();
  if (!right)
    return Term();
  switch (requirement.getComparison()) {
  case Requirement::Comparison::EQ:
    return terms.equal(left, right);
  case Requirement::Comparison::NE:
    return terms.negate(terms.equal(left, right));
  case Requirement::Comparison::LT:
    return terms.compare(Less::lt, left, right);
  case Requirement::Comparison::LE:
    return terms.compare(Less::le, left, right);
  case Requirement::Comparison::GT:
    return terms.compare(Less::gt, left, right);
  case Requirement::Comparison::GE:
    return terms.compare(Less::ge, left, right);
  }
  llvm_unreachable("a comparison");
}
