// A descent over texts that the dialect's verifier has accepted.
#include "Formula.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo::prove;

namespace {
class Translator {
public:
  Translator(StringRef text, const llvm::StringMap<Term> &names, Terms &terms)
      : rest(text), names(names), terms(terms) {}

  Term sum() {
    Term left = product();
    while (true)
      if (take("+"))
        left = combine(left, product(), &Terms::add);
      else if (take("-"))
        left = combine(left, product(), &Terms::sub);
      else
        return left;
  }
  bool take(StringRef word) {
    rest = rest.ltrim();
    return rest.consume_front(word);
  }
  bool isAtEnd() { return rest.trim().empty(); }

private:
  StringRef rest;
  const llvm::StringMap<Term> &names;
  Terms &terms;

  Term combine(Term a, Term b, Term (Terms::*operation)(Term, Term)) {
    return a && b ? (terms.*operation)(a, b) : Term();
  }
  Term divide(Term a, Term b, Term (Terms::*operation)(Term, Term)) {
    if (!a || !b ||
        !terms.isImpossible({terms.compare(Less::le, b, terms.number(0))}))
      return Term();
    return (terms.*operation)(a, b);
  }
  Term product() {
    Term left = atom();
    while (true)
      if (take("*"))
        left = combine(left, atom(), &Terms::mul);
      else if (take("/"))
        left = divide(left, atom(), &Terms::div);
      else if (take("%"))
        left = divide(left, atom(), &Terms::mod);
      else
        return left;
  }
  Term atom() {
    if (take("(")) {
      Term inner = sum();
      return take(")") ? inner : Term();
    }
    if (take("-"))
      return combine(terms.number(0), atom(), &Terms::sub);
    StringRef word =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    int64_t value;
    if (!word.getAsInteger(10, value))
      return terms.number(value);
    if (take("("))
      return call(word);
    return names.lookup(word);
  }
  Term call(StringRef name) {
    SmallVector<Term> arguments = {sum()};
    while (take(","))
      arguments.push_back(sum());
    if (!take(")") || llvm::is_contained(arguments, Term()))
      return Term();
    if (name == "ceildiv" && arguments.size() == 2) {
      Term less = terms.sub(arguments[1], terms.number(1));
      return divide(terms.add(arguments[0], less), arguments[1], &Terms::div);
    }
    if (name != "min" && name != "max")
      return Term();
    Term best = arguments.front();
    for (Term other : llvm::drop_begin(arguments))
      best = terms.choose(
          terms.compare(name == "min" ? Less::lt : Less::gt, other, best),
          other, best);
    return best;
  }
};
} // namespace

Term evo::prove::translateFormula(StringRef text,
                                  const llvm::StringMap<Term> &names,
                                  Terms &terms) {
  Translator translator(text, names, terms);
  Term result = translator.sum();
  return translator.isAtEnd() ? result : Term();
}

Term evo::prove::translateRequirement(StringRef text,
                                      const llvm::StringMap<Term> &names,
                                      Terms &terms) {
  Translator translator(text, names, terms);
  Term left = translator.sum();
  if (!left)
    return Term();
  for (auto [sign, predicate] : {std::pair("<=", Less::le), {">=", Less::ge}})
    if (translator.take(sign)) {
      Term right = translator.sum();
      return right ? terms.compare(predicate, left, right) : Term();
    }
  for (auto [sign, predicate] : {std::pair("<", Less::lt), {">", Less::gt}})
    if (translator.take(sign)) {
      Term right = translator.sum();
      return right ? terms.compare(predicate, left, right) : Term();
    }
  bool isEqual = translator.take("==");
  if (!isEqual && !translator.take("!="))
    return Term();
  Term right = translator.sum();
  if (!right)
    return Term();
  Term equal = terms.equal(left, right);
  return isEqual ? equal : terms.negate(equal);
}
