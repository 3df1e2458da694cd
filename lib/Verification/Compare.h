// Comparison of a candidate's output with the reference's, by the bound that
// the reference's own arithmetic gives.
#ifndef EVO_LIB_VERIFICATION_COMPARE_H
#define EVO_LIB_VERIFICATION_COMPARE_H

#include "evo/Simulator/Launch.h"
#include "evo/Verification/AllowedError.h"

namespace evo {

/// Makes errors of the reference cover the arithmetic that a contract allows
/// beside its own: products of rounded operands, rounded sums. They are not
/// scaled as a whole, for a dropped term would hide in that.
void allowArithmetic(AccuracyAttr accuracy, sim::Options &options);

/// The judgement on one output tensor.
struct Comparison {
  bool equal = true;       // bit for bit
  bool withinBound = true; // else the counterexample below is set
  /// The tensor's bound as a whole is wider than the tensor is long: rounding
  /// alone may make anything of it.
  bool illConditioned = false;
  /// The tensor as a whole is off by several times what the reference itself
  /// and a rounding of the result are: as narrower arithmetic is, or another
  /// order of additions.
  bool seemsNarrow = false;
  /// The counterexample is one by a bound, not of something that is missing,
  /// infinite or an integer.
  bool byBound = false;
  /// Largest distance from the shadow value over its bound, at most 1 when
  /// accepted.
  double worstRatio = 0;
  uint64_t index = 0;
  std::string expected, found, message;
  /// The same as attributes: f64 or i64, or text where it is not finite. Absent
  /// where no element is at fault, or it was never written.
  mlir::Attribute expectedValue, foundValue;
};

/// Let g, e and r be the reference's shadow value, running-error bound and
/// result, c the candidate's result, u the unit roundoff of the type (or of a
/// narrower type that `accuracy` allows), n the number of elements. Accepted
/// where
///   |c - g| <= 4 max(e, u max(|g|, rms(g)))          for each element, and
///   ||c - g|| <= 4 max(||r - g||, ||e|| / 2, u ||g||)  over the tensor.
/// Why ||e|| / 2: r may be right by luck, since the order of its additions
/// happens to cancel well, and no other order need be as lucky. For a sum of
/// x_i, one after another, e >= u sum |s_k| >= u/2 sum |x_i|, for each x_i is
/// the difference of two partial sums. Independent roundings of a tree over the
/// same terms, arranged as badly as can be, amount to u/sqrt(3) sum |x_i| (root
/// mean square), so 2 ||e|| is 1.7 times that.
/// Integers, infinities and NaN must be equal. Where `excuse` is set, elements
/// at which the reference overflows are not looked at. Elements that the
/// reference did not write are not looked at; one that it wrote and the
/// candidate did not is a refutation. The norm of all errors may be that
/// `share` of the norm of all bounds: half of it, where errors are not the same
/// for many elements.
Comparison compareOutput(ArgumentAttr arg, AccuracyAttr accuracy,
                         uint64_t elements, const sim::GlobalMemory &reference,
                         sim::BufferId referenceId,
                         const sim::GlobalMemory &candidate,
                         sim::BufferId candidateId, bool excuse = false,
                         double share = 0.5);

/// The root mean square of the elements of a tensor that are finite and, by
/// their number, written; 0 where none is, or they are integers.
double getRootMeanSquare(mlir::Type type, const char *bytes, uint64_t elements,
                         llvm::function_ref<bool(uint64_t)> isWritten);

/// The judgement on one element, whose bits are `wanted` and `found`, by the
/// rule for each element; `scale` is the tensor's root mean square. Where there
/// is no `reference` with its shadow value and bound, it may differ by that
/// share of the larger of that and of itself.
Comparison compareElement(ArgumentAttr arg, AccuracyAttr accuracy,
                          uint64_t index, double scale, uint64_t wanted,
                          uint64_t found, bool isWritten,
                          const sim::GlobalMemory *reference,
                          sim::BufferId referenceId, double share);

/// The first element that holds other bits in one memory than in the other, or
/// was written in one of them only.
std::optional<uint64_t>
findDifferentElement(ArgumentAttr arg, uint64_t elements,
                     const sim::GlobalMemory &one, sim::BufferId oneId,
                     const sim::GlobalMemory &other, sim::BufferId otherId);

/// How many elements of a result of the reference are values: all that it wrote
/// but those at which it overflows, or makes a NaN. Infinities that a mask put
/// there, or an input has, are values. Those are known that are off by no more
/// than half, and exact that are not off at all. For a run with errors.
struct ValueCount {
  uint64_t written = 0, values = 0, known = 0, exact = 0;
};
ValueCount countValues(ArgumentAttr arg, uint64_t elements,
                       const sim::GlobalMemory &memory, sim::BufferId id);

/// Whether all written elements of the reference are finite: a sample on which
/// they are not says nothing about finite data.
bool isFiniteOutput(ArgumentAttr arg, uint64_t elements,
                    const sim::GlobalMemory &memory, sim::BufferId id);

} // namespace evo

#endif
