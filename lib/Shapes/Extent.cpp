// Arithmetic on extents, and their text.
#include "evo/Shapes/Extent.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace evo;

Extent::Extent(int64_t value) { add({}, value); }

Extent Extent::name(llvm::StringRef name) {
  Extent result;
  result.add({Factor{name.str(), nullptr, 1}}, 1);
  return result;
}

void Extent::add(const Monomial &monomial, int64_t coefficient) {
  int64_t &sum = terms[monomial];
  sum += coefficient;
  if (sum == 0)
    terms.erase(monomial);
}

Extent Extent::operator+(const Extent &other) const {
  Extent result = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    result.add(monomial, coefficient);
  return result;
}

Extent Extent::operator-(const Extent &other) const {
  return *this + other * Extent(-1);
}

Extent Extent::operator*(const Extent &other) const {
  Extent result;
  for (const auto &[left, by] : terms)
    for (const auto &[right, times] : other.terms) {
      Monomial product = left;
      product.insert(product.end(), right.begin(), right.end());
      llvm::sort(product);
      result.add(product, by * times);
    }
  return result;
}

/// The quotient splits into terms that divide evenly and the quotient of the
/// rest, whose coefficients become the min non-negative ones.
Extent Extent::floorDiv(int64_t divisor) const {
  if (divisor == 1)
    return *this;
  Extent even, rest;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t quotient = llvm::divideFloorSigned(coefficient, divisor);
    even.add(monomial, quotient);
    rest.add(monomial, coefficient - quotient * divisor);
  }
  if (auto left = rest.getAsConstant())
    return even; // 0 <= left < divisor
  // (g q + r) / (g d) is q / d where 0 <= r < g.
  int64_t common = divisor;
  for (const auto &[monomial, coefficient] : rest.terms)
    if (!monomial.empty())
      common = std::gcd(common, coefficient);
  Extent reduced;
  for (const auto &[monomial, coefficient] : rest.terms)
    reduced.add(monomial, coefficient / common);
  divisor /= common;
  if (divisor == 1)
    return even + reduced;
  Factor quotient{"((" + reduced.str() + ") / " + std::to_string(divisor) + ")",
                  std::make_shared<const Extent>(reduced), divisor};
  even.add({quotient}, 1);
  return even;
}

std::optional<int64_t> Extent::getAsConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<int64_t> Extent::evaluate(const Bindings &values) const {
  int64_t sum = 0;
  for (const auto &[monomial, coefficient] : terms) {
    int64_t product = coefficient;
    for (const Factor &factor : monomial) {
      if (factor.dividend) {
        std::optional<int64_t> dividend = factor.dividend->evaluate(values);
        if (!dividend)
          return std::nullopt;
        product *= llvm::divideFloorSigned(*dividend, factor.divisor);
      } else if (auto it = values.find(factor.text); it != values.end()) {
        product *= it->second;
      } else {
        return std::nullopt;
      }
    }
    sum += product;
  }
  return sum;
}

std::string Extent::str() const {
  std::string text;
  // The constant, which sorts first, is printed last.
  auto print = [&](const Monomial &monomial, int64_t coefficient) {
    int64_t size = coefficient < 0 ? -coefficient : coefficient;
    if (text.empty())
      text = coefficient < 0 ? "0 - " : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    if (monomial.empty() || size != 1)
      text += std::to_string(size) + (monomial.empty() ? "" : " * ");
    for (size_t i = 0; i < monomial.size(); ++i)
      text += (i ? " * " : "") + monomial[i].text;
  };
  for (bool negative : {false, true})
    for (const auto &[monomial, coefficient] : terms)
      if (!monomial.empty() && (coefficient < 0) == negative)
        print(monomial, coefficient);
  if (auto it = terms.find({}); it != terms.end())
    print(it->first, it->second);
  return text.empty() ? "0" : text;
}

void Extent::forEachName(
    llvm::function_ref<void(llvm::StringRef)> callback) const {
  for (const auto &[monomial, coefficient] : terms)
    for (const Factor &factor : monomial)
      if (factor.dividend)
        factor.dividend->forEachName(callback);
      else
        callback(factor.text);
}

Extent
Extent::substitute(llvm::function_ref<Extent(llvm::StringRef)> replace) const {
  Extent result;
  for (const auto &[monomial, coefficient] : terms) {
    Extent product(coefficient);
    for (const Factor &factor : monomial)
      product =
          product *
          (factor.dividend
               ? factor.dividend->substitute(replace).floorDiv(factor.divisor)
               : replace(factor.text));
    result = result + product;
  }
  return result;
}
