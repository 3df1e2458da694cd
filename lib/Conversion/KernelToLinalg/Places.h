// Index arithmetic as sums of products, so that a flat index can be taken
// apart: (p * H + h) * W + w is an access at [p, h, w] of an array whose rows
// have W elements, and divided by W it is p * H + h. What is concluded here is
// a guess where it rests on ranges: the verifier judges what is raised by it.
#ifndef EVO_LIB_CONVERSION_KERNELTOLINALG_PLACES_H
#define EVO_LIB_CONVERSION_KERNELTOLINALG_PLACES_H

#include "evo/Support/IntExpr.h"
#include "mlir/IR/Value.h"
#include <map>

namespace evo {

/// What products are made of: a position in the table of `Places`.
using Factor = unsigned;

/// A sum of products of factors, each with a coefficient that is not zero.
class Sum {
public:
  using Product = std::vector<Factor>; ///< sorted; empty: the constant

  Sum() = default;
  static Sum constant(int64_t value) { return product({}, value); }
  static Sum factor(Factor factor) { return product({factor}, 1); }
  static Sum product(Product factors, int64_t coefficient);

  Sum operator+(const Sum &other) const;
  Sum operator-(const Sum &other) const { return *this + other * constant(-1); }
  Sum operator*(const Sum &other) const;
  bool operator==(const Sum &other) const { return terms == other.terms; }
  bool operator<(const Sum &other) const { return terms < other.terms; }

  std::optional<int64_t> getAsConstant() const;
  /// The factor, where the sum is nothing but one.
  std::optional<Factor> getAsFactor() const;
  bool isProduct() const { return terms.size() == 1; }
  Sum substitute(Factor factor, const Sum &by) const;
  /// Of the terms that `divisor`, one product, divides, the quotient; and the
  /// sum of the others.
  std::pair<Sum, Sum> split(const Sum &divisor) const;

  const std::map<Product, int64_t> &getTerms() const { return terms; }

private:
  std::map<Product, int64_t> terms;
};

/// What the factors of one kernel's sums are.
class Places {
public:
  enum class Kind {
    Name,     // of the contract
    Quotient, // of two sums without counters, rounded down
    Extent,   // a sum of several products, taken for one number
    Counter,  // of a loop or of threads, from zero
    Unknown   // any other integer of the code
  };
  struct Entry {
    Kind kind;
    std::string name;
    Sum lhs, rhs;
    mlir::Value value;
    std::optional<Sum> extent; // of a counter
  };

  /// `N % divisor == 0` holds.
  void require(llvm::StringRef name, int64_t divisor) {
    divisors[name] = divisor;
  }

  Sum name(llvm::StringRef name);
  Sum unknown(mlir::Value value);
  /// One product for a sum that stands for a size.
  Sum size(const Sum &sum);
  /// A counter from zero up to `extent`, which may not be known yet.
  Factor counter(std::optional<Sum> extent = std::nullopt);
  void setExtent(Factor counter, const Sum &extent) {
    entries[counter].extent = extent;
  }

  const Entry &operator[](Factor factor) const { return entries[factor]; }
  bool isCounter(Factor factor) const {
    return entries[factor].kind == Kind::Counter;
  }
  bool hasExtent(Factor counter, const Sum &extent) const {
    return isCounter(counter) && entries[counter].extent == extent;
  }
  /// Whether `sum` is of the contract's names alone.
  bool isSize(const Sum &sum) const;
  void forEachFactor(const Sum &sum,
                     llvm::function_ref<void(Factor)> visit) const;

  /// Rounded down; none where that is not plain to see.
  std::optional<Sum> quotient(const Sum &lhs, const Sum &rhs);
  std::optional<Sum> remainder(const Sum &lhs, const Sum &rhs);
  std::optional<Sum> convert(const IntExpr &expression);

  /// The indices of element `position` of a row-major array.
  static std::vector<Sum> delinearize(Sum position, llvm::ArrayRef<Sum> dims);
  static Sum linearize(llvm::ArrayRef<Sum> indices, llvm::ArrayRef<Sum> dims);

private:
  std::vector<Entry> entries;
  std::map<std::pair<Sum, Sum>, Factor> quotients;
  std::map<Sum, Factor> extents;
  llvm::StringMap<Factor> names;
  llvm::StringMap<int64_t> divisors;
  llvm::DenseMap<mlir::Value, Factor> unknowns;

  Factor add(Entry entry) {
    entries.push_back(std::move(entry));
    return entries.size() - 1;
  }
  Factor findQuotient(const Sum &lhs, const Sum &rhs);
  bool isBelow(const Sum &sum, const Sum &limit) const;
};

} // namespace evo

#endif
