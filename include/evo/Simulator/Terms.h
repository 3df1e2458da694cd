// What the sums of a reference are made of. A reference adds in one order, and
// code that is as right adds in another: how far that may be off follows from
// the terms alone, whatever the order. A value is taken for the sum of its
// terms: what additions and fused multiply-adds joined. The result of anything
// else is one term. With n additions of unit roundoff u over terms t_i, each
// known with an error e_i, any order is off by at most
//
//   sum e_i + n u sum |t_i|       (Higham, "Accuracy and Stability of Numerical
//                                  Algorithms", 4.2)
//
// On data that are independent of each other roundings are, too. A partial sum
// of k terms is k/n of the sum and a random walk over sqrt(k) terms, so the
// variance of one addition after another is at most
//
//   u^2/3 sum s_k^2 = n u^2/3 (sum^2 / 3 + (sum t_i^2) / 2)
//
// Values are handles into an arena that one run of one plan fills; they travel
// as those of Field.h do.
#ifndef EVO_SIMULATOR_TERMS_H
#define EVO_SIMULATOR_TERMS_H

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace evo::sim {

/// What is known of data, and of the hardware that may add.
struct SumModel {
  /// Terms are independent of each other.
  bool isIndependent = false;
  /// Tensor cores may add, which cut off where others round: by a unit of the
  /// partial sum on average, always towards zero.
  bool isTruncated = false;
  /// The result is added to what was there: a sum of many terms may be added up
  /// first, or its terms one by one.
  bool isInPlace = false;
};

/// A value as the sum of its terms. Plain data.
struct SumOfTerms {
  double error = 0;     ///< sum of the terms' own errors, absolute
  double magnitude = 0; ///< sum of |t|
  double squares = 0;   ///< sum of t^2
  float units = 0;      ///< unit roundoffs of all additions, summed
  float additions = 0;
  /// Additions of the longest sum that is a factor of one of the terms.
  float within = 0;

  static SumOfTerms term(double value, double error) {
    return {error, std::fabs(value), value * value, 0, 0, 0};
  }
  /// What adding up the terms may be off by, in the worst order.
  double ofWorstOrder() const { return units * magnitude; }
  /// The same on independent data, but for one case in 10^9: six standard
  /// deviations.
  double ofLikelyOrder(double value, bool isTruncated) const {
    if (additions == 0)
      return 0;
    const double deviation = units / std::sqrt(static_cast<double>(additions)) *
                             std::sqrt((value * value / 3 + squares / 2) / 3);
    // At most three in eight additions are of what was cut off: one for each
    // step of three products, where steps are of eight, or of four products.
    // Partial sums are as a random walk's; some stay three times as large.
    const double cut =
        isTruncated
            ? 3 * 0.375 * units * std::sqrt((value * value + squares) / 3)
            : 0;
    return 6 * deviation + cut;
  }
  /// What adding may be off by where a factor is taken into its sum, whose
  /// terms are then added to the others one by one: each addition rounds what
  /// all of them have come to.
  double ofTermByTerm(bool isIndependent) const {
    if (additions == 0 || within == 0)
      return 0;
    const double roundings =
        isIndependent ? 6 * std::sqrt(within / 3.0) : double(within);
    return std::fmin(roundings, double(within)) * units / additions * magnitude;
  }
  /// As an error of which four times is a bound: of the terms it is one, while
  /// orders have bounds themselves.
  double errorInAnyOrder(double value, SumModel model) const {
    double order = ofWorstOrder();
    if (model.isIndependent)
      order = std::fmin(order, ofLikelyOrder(value, model.isTruncated));
    if (model.isInPlace)
      order += ofTermByTerm(model.isIndependent);
    return error + order / 4;
  }
  /// All that the value may be off by.
  double reach() const { return error + ofWorstOrder(); }
};

class TermsArena {
public:
  using Handle = uint64_t;
  /// Handles below it stand for bits that no float operation made: one term,
  /// known exactly.
  static constexpr Handle firstHandle = 3;

  bool holds(Handle h) const { return h - firstHandle < count; }
  const SumOfTerms &at(Handle h) const {
    h -= firstHandle;
    return chunks[h >> chunkBits][h & (chunkSize - 1)];
  }
  /// 0 where there is no room.
  Handle store(const SumOfTerms &terms);
  /// The launch that filled it stops; nothing follows from it then.
  bool isFull() const { return count >= maxValues; }

private:
  static constexpr unsigned chunkBits = 12, chunkSize = 1u << chunkBits;
  static constexpr uint64_t maxValues = 1u << 23;
  std::vector<std::unique_ptr<SumOfTerms[]>> chunks;
  uint64_t count = 0;
};

} // namespace evo::sim

#endif
