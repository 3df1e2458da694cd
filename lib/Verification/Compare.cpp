// The bounds of docs/VerificationDesign.md, element by element and norm-wise.
#include "Compare.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/Values.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace evo;

static double allowedRoundoff(TypeAttr type) {
  return type ? getUnitRoundoff(cast<FloatType>(type.getValue())) : 0;
}

void evo::allowArithmetic(AccuracyAttr accuracy, sim::Options &options) {
  if (!accuracy)
    return;
  options.multiplyUnit = allowedRoundoff(accuracy.getMultiply());
  options.accumulateUnit = allowedRoundoff(accuracy.getAccumulate());
}

static std::string printNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", value);
  return text;
}

bool evo::isFiniteOutput(ArgumentAttr arg, uint64_t elements,
                         const sim::GlobalMemory &memory, sim::BufferId id) {
  if (!isa<FloatType>(arg.getElementType()))
    return true;
  unsigned size = getElementBytes(arg.getElementType());
  for (uint64_t i = 0; i < elements; ++i)
    if (memory.isInitialized(id, i * size) &&
        !std::isfinite(
            decodeFloat(arg.getElementType(), memory.bytes(id) + i * size)))
      return false;
  return true;
}

/// Whether the reference overflows at an element, on whose way or at which
/// finite numbers became an infinity, or has a NaN there.
static bool overflows(Type type, const sim::GlobalMemory &memory,
                      sim::BufferId id, uint64_t at, double value) {
  if (std::isfinite(value))
    return false;
  return std::isnan(value) || memory.error(id, at) != 0 ||
         (!type.isF64() && std::isfinite(memory.shadowValue(id, at, value)));
}

ValueCount evo::countValues(ArgumentAttr arg, uint64_t elements,
                            const sim::GlobalMemory &memory, sim::BufferId id) {
  ValueCount count;
  const Type type = arg.getElementType();
  const unsigned size = getElementBytes(type);
  for (uint64_t i = 0; i < elements; ++i) {
    const uint64_t at = i * size;
    if (!memory.isInitialized(id, at))
      continue;
    ++count.written;
    if (!isa<FloatType>(type)) {
      ++count.values;
      ++count.known;
      ++count.exact;
      continue;
    }
    const double value = decodeFloat(type, memory.bytes(id) + at);
    count.values += !overflows(type, memory, id, at, value);
    count.known += !(2 * memory.error(id, at) > std::fabs(value));
    count.exact += memory.error(id, at) == 0;
  }
  return count;
}

std::optional<uint64_t>
evo::findDifferentElement(ArgumentAttr arg, uint64_t elements,
                          const sim::GlobalMemory &one, sim::BufferId oneId,
                          const sim::GlobalMemory &other,
                          sim::BufferId otherId) {
  unsigned size = getElementBytes(arg.getElementType());
  for (uint64_t i = 0; i < elements; ++i) {
    uint64_t at = i * size;
    bool isWritten = one.isInitialized(oneId, at);
    if (isWritten != other.isInitialized(otherId, at))
      return i;
    if (isWritten && std::memcmp(one.bytes(oneId) + at,
                                 other.bytes(otherId) + at, size) != 0)
      return i;
  }
  return std::nullopt;
}

/// Marks the first difference.
static void refute(Comparison &result, uint64_t index, std::string expected,
                   std::string found, std::string message) {
  if (!result.withinBound)
    return;
  result.withinBound = false;
  result.index = index;
  result.expected = std::move(expected);
  result.found = std::move(found);
  result.message = std::move(message);
}

static Attribute describe(Type type, double value) {
  MLIRContext *context = type.getContext();
  if (std::isfinite(value))
    return FloatAttr::get(Float64Type::get(context), value);
  return StringAttr::get(context, std::isnan(value) ? "nan"
                                  : value > 0       ? "inf"
                                                    : "-inf");
}

/// The first difference is of these values.
static void refute(Comparison &result, uint64_t index, Type type,
                   double expected, double found, std::string message) {
  if (!result.withinBound)
    return;
  result.expectedValue = describe(type, expected);
  result.foundValue = describe(type, found);
  refute(result, index, printNumber(expected), printNumber(found),
         std::move(message));
}

static void compareIntegers(Comparison &result, Type type, uint64_t index,
                            const char *r, const char *c) {
  if (std::memcmp(r, c, getElementBytes(type)) == 0)
    return;
  result.equal = false;
  if (!result.withinBound)
    return;
  Builder b(type.getContext());
  const int64_t expected = decodeInteger(type, r),
                found = decodeInteger(type, c);
  result.expectedValue = b.getI64IntegerAttr(expected);
  result.foundValue = b.getI64IntegerAttr(found);
  refute(result, index, std::to_string(expected), std::to_string(found),
         "different integer");
}

namespace {
/// What exact arithmetic would have given for one element.
struct Exact {
  double wanted, rest = 0; // of an f64, which its shadow value completes
  double value;
  Exact(Type type, const sim::GlobalMemory &reference, sim::BufferId id,
        uint64_t at, double wanted)
      : wanted(wanted) {
    if (type.isF64())
      rest = reference.shadowValue(id, at, 0);
    value =
        type.isF64() ? wanted + rest : reference.shadowValue(id, at, wanted);
    isDouble = type.isF64();
  }
  double to(double number) const {
    return std::fabs(isDouble ? number - wanted - rest : number - value);
  }

private:
  bool isDouble;
};

/// Sums over one float tensor.
struct Norms {
  double shadowValue = 0, referenceDistance = 0, candidateDistance = 0,
         bound = 0, largest = 0;
  uint64_t count = 0;
};
} // namespace

/// Whether an infinity that was found is within the error of a finite value of
/// the same sign.
static bool mayOverflow(Type type, const sim::GlobalMemory &reference,
                        sim::BufferId id, uint64_t at, double wanted,
                        double found) {
  const double value = Exact(type, reference, id, at, wanted).value;
  return std::isfinite(wanted) && std::isinf(found) && value * found > 0 &&
         std::fabs(value) + 4 * reference.error(id, at) >
             llvm::APFloat::getLargest(
                 cast<FloatType>(type).getFloatSemantics())
                 .convertToDouble();
}

Comparison evo::compareOutput(ArgumentAttr arg, AccuracyAttr accuracy,
                              uint64_t elements,
                              const sim::GlobalMemory &reference,
                              sim::BufferId referenceId,
                              const sim::GlobalMemory &candidate,
                              sim::BufferId candidateId, bool excuse,
                              double share) {
  Comparison result;
  Type type = arg.getElementType();
  unsigned size = getElementBytes(type);
  const char *r = reference.bytes(referenceId);
  const char *c = candidate.bytes(candidateId);
  bool isFloat = isa<FloatType>(type);

  // First pass: what is written, what is special, and the norms.
  Norms norms;
  bool isAnyFinite = false;
  for (uint64_t i = 0; i < elements; ++i) {
    uint64_t at = i * size;
    if (!reference.isInitialized(referenceId, at))
      continue;
    if (!candidate.isInitialized(candidateId, at)) {
      result.equal = false;
      refute(result, i, "a value", "nothing", "element is never written");
      return result;
    }
    result.equal &= std::memcmp(r + at, c + at, size) == 0;
    if (!isFloat) {
      compareIntegers(result, type, i, r + at, c + at);
      continue;
    }
    double wanted = decodeFloat(type, r + at), got = decodeFloat(type, c + at);
    if (excuse && overflows(type, reference, referenceId, at, wanted))
      continue;
    if (!std::isfinite(wanted) || !std::isfinite(got)) {
      bool same = std::isnan(wanted) ? std::isnan(got) : wanted == got;
      if (!same && !mayOverflow(type, reference, referenceId, at, wanted, got))
        refute(result, i, type, wanted, got,
               "different where a value is not finite");
      continue;
    }
    Exact exact(type, reference, referenceId, at, wanted);
    isAnyFinite = true;
    if (!std::isfinite(exact.value))
      continue; // the exact value overflows a double: nothing to hold it to
    norms.shadowValue += exact.value * exact.value;
    norms.largest = std::max(norms.largest, std::fabs(exact.value));
    norms.referenceDistance += exact.to(wanted) * exact.to(wanted);
    norms.candidateDistance += exact.to(got) * exact.to(got);
    double error = reference.error(referenceId, at);
    norms.bound += error * error;
    ++norms.count;
  }
  if (!isFloat || !result.withinBound)
    return result;
  if (norms.count == 0) { // nothing was held to anything
    result.illConditioned = isAnyFinite;
    return result;
  }

  // Second pass: each element against its own bound, with a common floor.
  const AllowedError allowed(cast<FloatType>(type), accuracy);
  const double roundoff = allowed.roundoff;
  double rms = std::sqrt(norms.shadowValue / norms.count);
  // Below it the distance of neighbours no longer shrinks with the value.
  double smallestNormal = llvm::APFloat::getSmallestNormalized(
                              cast<FloatType>(type).getFloatSemantics())
                              .convertToDouble();
  for (uint64_t i = 0; i < elements; ++i) {
    uint64_t at = i * size;
    if (!reference.isInitialized(referenceId, at))
      continue;
    double wanted = decodeFloat(type, r + at), got = decodeFloat(type, c + at);
    Exact exact(type, reference, referenceId, at, wanted);
    double shadowValue = exact.value;
    if (!std::isfinite(wanted) || !std::isfinite(got) ||
        !std::isfinite(shadowValue))
      continue; // judged above
    double error = reference.error(referenceId, at);
    double scale = std::max(std::fabs(shadowValue), rms);
    if (shadowValue != 0)
      scale = std::max(scale, smallestNormal);
    double bound = 4 * std::max(error, roundoff * scale);
    bound = std::max(bound, allowed.at(std::fabs(shadowValue), norms.largest));
    double distance = exact.to(got);
    if (distance == 0)
      continue;
    // A bound of zero (all data zero) admits only equality.
    result.worstRatio = std::max(
        result.worstRatio,
        std::min(distance / bound, std::numeric_limits<double>::max()));
    if (!(distance <= bound)) {
      result.byBound = true;
      refute(result, i, type, shadowValue, got,
             "off by " + printNumber(distance) + ", the bound is " +
                 printNumber(bound));
    }
  }
  const double ownBound = 4 * std::max(std::sqrt(norms.referenceDistance),
                                       roundoff * std::sqrt(norms.shadowValue));
  // The norm of few elements says no more than they do.
  double normBound = std::max(
      ownBound, 4 * std::sqrt(norms.bound) *
                    std::max(share, 1 / std::sqrt(double(norms.count))));
  if (norms.shadowValue > 0)
    normBound = std::max(normBound, 4 * roundoff * smallestNormal *
                                        std::sqrt(double(norms.count)));
  normBound =
      std::max({normBound,
                allowed.rtol * std::sqrt(norms.shadowValue) +
                    allowed.atol * std::sqrt(double(norms.count)),
                allowed.norm * norms.largest * std::sqrt(double(norms.count))});
  result.illConditioned = 4 * norms.bound > norms.shadowValue;
  double distance = std::sqrt(norms.candidateDistance);
  result.seemsNarrow = distance > ownBound;
  result.byBound |= !(distance <= normBound);
  if (!(distance <= normBound))
    refute(result, 0, "norm-wise distance up to " + printNumber(normBound),
           printNumber(distance), "too far from the reference as a whole");
  return result;
}

double evo::getRootMeanSquare(Type type, const char *bytes, uint64_t elements,
                              llvm::function_ref<bool(uint64_t)> isWritten) {
  if (!isa<FloatType>(type))
    return 0;
  const unsigned size = getElementBytes(type);
  double squares = 0;
  uint64_t count = 0;
  for (uint64_t i = 0; i < elements; ++i) {
    const double value = decodeFloat(type, bytes + i * size);
    if (!std::isfinite(value) || !isWritten(i))
      continue;
    squares += value * value;
    ++count;
  }
  return count ? std::sqrt(squares / static_cast<double>(count)) : 0;
}

Comparison evo::compareElement(ArgumentAttr arg, AccuracyAttr accuracy,
                               uint64_t index, double scale, uint64_t wanted,
                               uint64_t found, bool isWritten,
                               const sim::GlobalMemory *reference,
                               sim::BufferId referenceId, double share) {
  Comparison result;
  const Type type = arg.getElementType();
  const char *r = reinterpret_cast<const char *>(&wanted),
             *c = reinterpret_cast<const char *>(&found);
  if (!isWritten) {
    refute(result, index, "a value", "nothing", "element is never written");
    return result;
  }
  if (!isa<FloatType>(type)) {
    compareIntegers(result, type, index, r, c);
    return result;
  }
  const double x = decodeFloat(type, r), y = decodeFloat(type, c);
  if (!std::isfinite(x) || !std::isfinite(y)) {
    const bool same = std::isnan(x) ? std::isnan(y) : x == y;
    if (!same &&
        !(reference && mayOverflow(type, *reference, referenceId,
                                   index * getElementBytes(type), x, y)))
      refute(result, index, type, x, y,
             "different where a value is not finite");
    return result;
  }
  const AllowedError allowed(cast<FloatType>(type), accuracy);
  double shadowValue = x, error = 0, distance = std::fabs(x - y);
  if (reference) {
    const uint64_t at = index * getElementBytes(type);
    Exact exact(type, *reference, referenceId, at, x);
    shadowValue = exact.value;
    error = reference->error(referenceId, at);
    distance = exact.to(y);
    if (!std::isfinite(shadowValue))
      return result;
  }
  const double smallestNormal = llvm::APFloat::getSmallestNormalized(
                                    cast<FloatType>(type).getFloatSemantics())
                                    .convertToDouble();
  scale = std::max(
      {std::fabs(shadowValue), scale, shadowValue != 0 ? smallestNormal : 0});
  double bound =
      reference ? 4 * std::max(error, allowed.roundoff * scale) : share * scale;
  bound = std::max(bound, allowed.at(std::fabs(shadowValue), scale));
  if (!(distance <= bound))
    refute(result, index, type, shadowValue, y,
           "off by " + printNumber(distance) + ", the bound is " +
               printNumber(bound));
  return result;
}
