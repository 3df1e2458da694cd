// Tries products of ever more terms. Sizes are chosen so that no two products
// are equal in all trials, hence the first one that fits is meant.
#include "FitExtents.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace evo;

namespace {
class Fit {
public:
  Fit(llvm::ArrayRef<ExtentTerm> terms, llvm::ArrayRef<uint64_t> ends)
      : terms(terms), ends(ends) {}

  enum class Kind { Plain, Changed, Bound };

  std::optional<FittedExtent> find(Kind wanted) {
    constexpr unsigned maxDegree = 5;
    kind = wanted;
    for (unsigned degree = 0; degree <= maxDegree; ++degree) {
      chosen.clear();
      if (tryProducts(0, degree))
        return result;
    }
    return std::nullopt;
  }

private:
  llvm::ArrayRef<ExtentTerm> terms;
  llvm::ArrayRef<uint64_t> ends;
  Kind kind = Kind::Plain;
  std::vector<size_t> chosen;
  FittedExtent result;

  uint64_t product(size_t trial) const {
    uint64_t value = 1;
    for (size_t term : chosen)
      value *= uint64_t(std::max<int64_t>(0, terms[term].values[trial]));
    return value;
  }
  std::string dims(llvm::StringRef between) const {
    std::vector<std::string> texts;
    for (size_t term : chosen)
      texts.push_back(terms[term].text);
    return llvm::join(texts, between);
  }
  bool accept(std::string text) {
    result = {std::move(text), chosen};
    return true;
  }
  bool isBound() const {
    bool isNear = false;
    for (size_t trial = 0; trial < ends.size(); ++trial) {
      if (product(trial) < ends[trial])
        return false;
      isNear |= product(trial) <= 2 * ends[trial];
    }
    return isNear;
  }
  /// Whether the product is it, or up to a small number, or bounds it.
  bool tryProduct() {
    if (kind == Kind::Bound)
      return !chosen.empty() && isBound() && accept(dims(", "));
    const bool isPlain = kind == Kind::Plain;
    constexpr uint64_t maxFactor = 64;
    constexpr int64_t maxSummand = 64;
    const uint64_t first = product(0);
    if (first == 0)
      return false;
    const uint64_t factor = ends[0] / first;
    const int64_t summand = int64_t(ends[0]) - int64_t(first);
    bool hasFactor = factor > 0, hasSummand = true;
    for (size_t trial = 0; trial < ends.size(); ++trial) {
      hasFactor &= product(trial) * factor == ends[trial];
      hasSummand &= int64_t(product(trial)) + summand == int64_t(ends[trial]);
    }
    if (chosen.empty())
      return isPlain && hasSummand && accept(std::to_string(ends[0]));
    if (isPlain)
      return hasSummand && summand == 0 && accept(dims(", "));
    if (hasFactor && factor <= maxFactor)
      return accept(dims(", ") + ", " + std::to_string(factor));
    // What is a little less than a product leaves out a rim: see Bound.
    if (hasSummand && summand > 0 && summand <= maxSummand)
      return accept(dims(" * ") + " + " + std::to_string(summand));
    return false;
  }
  bool tryProducts(size_t from, unsigned degree) {
    if (degree == 0)
      return tryProduct();
    for (size_t term = from; term < terms.size(); ++term) {
      // A square is as far as one goes.
      if (chosen.size() >= 2 && chosen.back() == term &&
          chosen[chosen.size() - 2] == term)
        continue;
      chosen.push_back(term);
      if (tryProducts(term, degree - 1))
        return true;
      chosen.pop_back();
    }
    return false;
  }
};
} // namespace

std::optional<FittedExtent> evo::fitExtent(llvm::ArrayRef<ExtentTerm> terms,
                                           size_t numFirst,
                                           llvm::ArrayRef<uint64_t> ends) {
  if (std::optional<FittedExtent> plain =
          Fit(terms.take_front(numFirst), ends).find(Fit::Kind::Plain))
    return plain;
  Fit fit(terms, ends);
  if (std::optional<FittedExtent> plain = fit.find(Fit::Kind::Plain))
    return plain;
  return fit.find(Fit::Kind::Changed);
}

std::optional<FittedExtent> evo::boundExtent(llvm::ArrayRef<ExtentTerm> terms,
                                             llvm::ArrayRef<uint64_t> ends) {
  return Fit(terms, ends).find(Fit::Kind::Bound);
}
