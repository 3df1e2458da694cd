// Arithmetic of sums of products, and what ranges allow to conclude of them.
#include "Places.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace evo;

Sum Sum::product(Product factors, int64_t coefficient) {
  Sum result;
  llvm::sort(factors);
  if (coefficient != 0)
    result.terms[std::move(factors)] = coefficient;
  return result;
}

Sum Sum::operator+(const Sum &other) const {
  Sum result = *this;
  for (const auto &[factors, coefficient] : other.terms)
    if ((result.terms[factors] += coefficient) == 0)
      result.terms.erase(factors);
  return result;
}

Sum Sum::operator*(const Sum &other) const {
  Sum result;
  for (const auto &[mine, scale] : terms)
    for (const auto &[theirs, coefficient] : other.terms) {
      Product factors = mine;
      llvm::append_range(factors, theirs);
      result = result + product(std::move(factors), scale * coefficient);
    }
  return result;
}

std::optional<int64_t> Sum::getAsConstant() const {
  if (terms.empty())
    return 0;
  if (isProduct() && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<Factor> Sum::getAsFactor() const {
  if (isProduct() && terms.begin()->first.size() == 1 &&
      terms.begin()->second == 1)
    return terms.begin()->first.front();
  return std::nullopt;
}

Sum Sum::substitute(Factor factor, const Sum &by) const {
  Sum result;
  for (const auto &[factors, coefficient] : terms) {
    Sum term = constant(coefficient);
    for (Factor each : factors)
      term = term * (each == factor ? by : Sum::factor(each));
    result = result + term;
  }
  return result;
}

std::pair<Sum, Sum> Sum::split(const Sum &divisor) const {
  const auto &[by, scale] = *divisor.terms.begin();
  Sum quotient, rest;
  for (const auto &[factors, coefficient] : terms)
    if (coefficient % scale == 0 && llvm::includes(factors, by)) {
      Product left;
      std::set_difference(factors.begin(), factors.end(), by.begin(), by.end(),
                          std::back_inserter(left));
      quotient = quotient + product(std::move(left), coefficient / scale);
    } else {
      rest = rest + product(factors, coefficient);
    }
  return {quotient, rest};
}

Sum Places::name(llvm::StringRef name) {
  auto [it, isNew] = names.try_emplace(name, 0);
  if (isNew)
    it->second = add({Kind::Name, name.str(), {}, {}, {}, {}});
  Sum whole = Sum::factor(it->second);
  int64_t divisor = divisors.lookup(name);
  if (divisor < 2)
    return whole;
  // N is so many times N / divisor, wherever it stands.
  Sum by = Sum::constant(divisor);
  return Sum::factor(findQuotient(whole, by)) * by;
}

Sum Places::unknown(mlir::Value value) {
  auto [it, isNew] = unknowns.try_emplace(value, 0);
  if (isNew)
    it->second = add({Kind::Unknown, "", {}, {}, value, {}});
  return Sum::factor(it->second);
}

Sum Places::size(const Sum &sum) {
  if (sum.isProduct() || sum.getTerms().empty())
    return sum;
  auto [it, isNew] = extents.try_emplace(sum, 0);
  if (isNew)
    it->second = add({Kind::Extent, "", sum, {}, {}, {}});
  return Sum::factor(it->second);
}

Factor Places::counter(std::optional<Sum> extent) {
  return add({Kind::Counter, "", {}, {}, {}, std::move(extent)});
}

void Places::forEachFactor(const Sum &sum,
                           llvm::function_ref<void(Factor)> visit) const {
  for (const auto &term : sum.getTerms())
    for (Factor factor : term.first)
      visit(factor);
}

bool Places::isSize(const Sum &sum) const {
  bool isSize = true;
  forEachFactor(sum, [&](Factor factor) {
    Kind kind = entries[factor].kind;
    isSize &= kind != Kind::Counter && kind != Kind::Unknown;
  });
  return isSize;
}

Factor Places::findQuotient(const Sum &lhs, const Sum &rhs) {
  Sum dividend = size(lhs), divisor = size(rhs);
  auto [it, isNew] = quotients.try_emplace({dividend, divisor}, 0);
  if (isNew)
    it->second = add({Kind::Quotient, "", dividend, divisor, {}, {}});
  return it->second;
}

/// Whether all counters at their ends leave `sum` below `limit`, and none of
/// its terms is negative.
bool Places::isBelow(const Sum &sum, const Sum &limit) const {
  Sum left = limit - Sum::constant(1);
  for (const auto &[factors, coefficient] : sum.getTerms()) {
    if (coefficient < 0)
      return false;
    Sum max = Sum::constant(coefficient);
    for (Factor factor : factors) {
      const Entry &entry = entries[factor];
      if (entry.kind == Kind::Unknown || (isCounter(factor) && !entry.extent))
        return false;
      max = max * (isCounter(factor) ? *entry.extent - Sum::constant(1)
                                     : Sum::factor(factor));
    }
    left = left - max;
  }
  // Sizes are taken for at least one.
  int64_t min = 0;
  for (const auto &[factors, coefficient] : left.getTerms()) {
    if (coefficient < 0 && !factors.empty())
      return false;
    min += coefficient;
  }
  return min >= 0;
}

std::optional<Sum> Places::quotient(const Sum &lhs, const Sum &rhs) {
  if (rhs.getTerms().empty())
    return std::nullopt;
  if (auto value = lhs.getAsConstant(), by = rhs.getAsConstant(); value && by)
    return Sum::constant(llvm::divideFloorSigned(*value, *by));
  Sum divisor = size(rhs);
  auto [whole, rest] = lhs.split(divisor);
  if (isBelow(rest, divisor))
    return whole;
  if (isSize(lhs) && isSize(rhs))
    return Sum::factor(findQuotient(lhs, rhs));
  return std::nullopt;
}

std::optional<Sum> Places::remainder(const Sum &lhs, const Sum &rhs) {
  if (rhs.getTerms().empty())
    return std::nullopt;
  if (auto value = lhs.getAsConstant(), by = rhs.getAsConstant(); value && by)
    return Sum::constant(*value - llvm::divideFloorSigned(*value, *by) * *by);
  Sum divisor = size(rhs), rest = lhs.split(divisor).second;
  return isBelow(rest, divisor) ? std::optional(rest) : std::nullopt;
}

std::optional<Sum> Places::convert(const IntExpr &expression) {
  using Op = IntExpr::Kind;
  if (auto value = expression.getAsConstant())
    return Sum::constant(*value);
  if (!expression.getAsName().empty())
    return name(expression.getAsName());
  if (expression.getKind() == Op::Constant || expression.getKind() == Op::Name)
    return std::nullopt;
  std::optional<Sum> lhs = convert(expression.getLhs()),
                     rhs = convert(expression.getRhs());
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expression.getKind()) {
  case Op::Add:
    return *lhs + *rhs;
  case Op::Sub:
    return *lhs - *rhs;
  case Op::Mul:
    return *lhs * *rhs;
  case Op::Div:
    return quotient(*lhs, *rhs);
  case Op::CeilDiv:
    return quotient(*lhs + *rhs - Sum::constant(1), *rhs);
  default:
    return std::nullopt;
  }
}

std::vector<Sum> Places::delinearize(Sum position, llvm::ArrayRef<Sum> dims) {
  std::vector<Sum> indices;
  while (!dims.empty()) {
    dims = dims.drop_front();
    Sum stride = Sum::constant(1);
    for (const Sum &dim : dims)
      stride = stride * dim;
    if (dims.empty()) {
      indices.push_back(position);
      break;
    }
    auto [index, rest] = position.split(stride);
    indices.push_back(index);
    position = rest;
  }
  return indices;
}

Sum Places::linearize(llvm::ArrayRef<Sum> indices, llvm::ArrayRef<Sum> dims) {
  Sum position;
  for (auto [index, dim] : llvm::zip_equal(indices, dims))
    position = position * dim + index;
  return position;
}
