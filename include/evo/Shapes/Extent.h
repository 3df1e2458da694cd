// Extents of tensors as formulas of named dimensions, in a normal form: two
// extents that are equal for all sizes are mostly equal as objects, so that a
// convolution which keeps its size is seen to keep it.
//
//   extent = integer polynomial over names and quotients
//   quotient = extent / positive literal, rounded down
#ifndef EVO_SHAPES_EXTENT_H
#define EVO_SHAPES_EXTENT_H

#include "evo/Support/IntExpr.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace evo {

class Extent {
public:
  /// What a term multiplies: a name, or a quotient where `dividend` is set.
  struct Factor {
    std::string text; // spells it, so that equal ones compare equal
    std::shared_ptr<const Extent> dividend;
    int64_t divisor = 1;
    bool operator<(const Factor &other) const { return text < other.text; }
    bool operator==(const Factor &other) const { return text == other.text; }
  };
  /// Factors in order; none is the constant term.
  using Monomial = std::vector<Factor>;
  using Terms = std::map<Monomial, int64_t>; // no coefficient is 0

  Extent(int64_t value = 0);
  static Extent name(llvm::StringRef name);

  Extent operator+(const Extent &other) const;
  Extent operator-(const Extent &other) const;
  Extent operator*(const Extent &other) const;
  /// Rounds down; `divisor` is positive.
  Extent floorDiv(int64_t divisor) const;
  bool operator==(const Extent &other) const { return terms == other.terms; }
  bool operator!=(const Extent &other) const { return terms != other.terms; }

  const Terms &getTerms() const { return terms; }
  std::optional<int64_t> getAsConstant() const;
  /// None where a name has no value.
  std::optional<int64_t> evaluate(const Bindings &values) const;
  /// Text that IntExpr reads.
  std::string str() const;
  void forEachName(llvm::function_ref<void(llvm::StringRef)> callback) const;
  Extent substitute(llvm::function_ref<Extent(llvm::StringRef)> replace) const;

private:
  void add(const Monomial &monomial, int64_t coefficient);
  Terms terms;
};

} // namespace evo

#endif
