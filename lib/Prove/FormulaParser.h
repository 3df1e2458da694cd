// A descent over formulas of a contract, into whatever terms a solver has.
// Texts were accepted by the dialect's verifier.
#ifndef EVO_LIB_PROVE_FORMULAPARSER_H
#define EVO_LIB_PROVE_FORMULAPARSER_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace evo::prove {

enum class Comparison { Less, LessEqual, Equal };

/// `Algebra` has a type Term, of which a null one is not known, and makes
/// terms: number, lookup (of a name), add, sub, mul, divide and modulo (by what
/// may not be positive: null), compare, choose, negate.
template <class Algebra> class FormulaParser {
public:
  using Term = typename Algebra::Term;
  FormulaParser(llvm::StringRef text, Algebra &algebra)
      : rest(text), algebra(algebra) {}

  /// Null where something in it has no term.
  Term formula() {
    Term result = sum();
    return rest.trim().empty() ? result : Term();
  }
  Term requirement() {
    Term left = sum();
    if (!left)
      return Term();
    struct Sign {
      llvm::StringLiteral text;
      Comparison comparison;
      bool isSwapped, isNegated;
    };
    static constexpr Sign signs[] = {
        {"<=", Comparison::LessEqual, false, false},
        {">=", Comparison::LessEqual, true, false},
        {"<", Comparison::Less, false, false},
        {">", Comparison::Less, true, false},
        {"==", Comparison::Equal, false, false},
        {"!=", Comparison::Equal, false, true}};
    for (const Sign &sign : signs) {
      if (!take(sign.text))
        continue;
      Term right = sum();
      if (!right)
        return Term();
      Term result = sign.isSwapped
                        ? algebra.compare(sign.comparison, right, left)
                        : algebra.compare(sign.comparison, left, right);
      return sign.isNegated ? algebra.negate(result) : result;
    }
    return Term();
  }

private:
  llvm::StringRef rest;
  Algebra &algebra;

  bool take(llvm::StringRef word) {
    rest = rest.ltrim();
    return rest.consume_front(word);
  }
  Term combine(Term a, Term b, Term (Algebra::*operation)(Term, Term)) {
    return a && b ? (algebra.*operation)(a, b) : Term();
  }
  Term sum() {
    Term left = product();
    while (true)
      if (take("+"))
        left = combine(left, product(), &Algebra::add);
      else if (take("-"))
        left = combine(left, product(), &Algebra::sub);
      else
        return left;
  }
  Term product() {
    Term left = atom();
    while (true)
      if (take("*"))
        left = combine(left, atom(), &Algebra::mul);
      else if (take("/"))
        left = combine(left, atom(), &Algebra::divide);
      else if (take("%"))
        left = combine(left, atom(), &Algebra::modulo);
      else
        return left;
  }
  Term atom() {
    if (take("(")) {
      Term inner = sum();
      return take(")") ? inner : Term();
    }
    if (take("-"))
      return combine(algebra.number(0), atom(), &Algebra::sub);
    llvm::StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    int64_t value;
    if (!word.getAsInteger(10, value))
      return algebra.number(value);
    if (take("("))
      return call(word);
    return algebra.lookup(word);
  }
  Term call(llvm::StringRef name) {
    llvm::SmallVector<Term> arguments = {sum()};
    while (take(","))
      arguments.push_back(sum());
    if (!take(")") || llvm::is_contained(arguments, Term()))
      return Term();
    if (name == "ceildiv" && arguments.size() == 2) {
      Term less = algebra.sub(arguments[1], algebra.number(1));
      return combine(algebra.add(arguments[0], less), arguments[1],
                     &Algebra::divide);
    }
    if (name != "min" && name != "max")
      return Term();
    Term best = arguments.front();
    for (Term other : llvm::drop_begin(arguments)) {
      Term isOther = name == "min"
                         ? algebra.compare(Comparison::Less, other, best)
                         : algebra.compare(Comparison::Less, best, other);
      best = algebra.choose(isOther, other, best);
    }
    return best;
  }
};

} // namespace evo::prove

#endif
