// Bits of floats, and what a domain lets them be.
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

/// A float that rounds to the nearest number of 8 bits as `value` does: what is
/// cut off stays in its last bit.
static float roundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (!std::isfinite(value) || nearest == value)
    return nearest;
  auto bits = llvm::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return llvm::bit_cast<float>(bits | 1);
}

/// To the nearest, ties to even. Of a NaN not its payload.
static uint16_t encodeBF16(double value) {
  const auto bits = llvm::bit_cast<uint32_t>(roundToOdd(value));
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double evo::decodeFloat(Type type, const char *bytes) {
  // Nearly all data is of these types, and all of it comes by here.
  if (type.isF32()) {
    float value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  if (type.isF64()) {
    double value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  }
  if (type.isF16()) {
    _Float16 value;
    std::memcpy(&value, bytes, sizeof(value));
    return static_cast<double>(value);
  }
  uint64_t bits = 0;
  if (type.isBF16()) {
    std::memcpy(&bits, bytes, 2);
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits << 16));
  }
  std::memcpy(&bits, bytes, getElementBytes(type));
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  llvm::APFloat value(semantics,
                      llvm::APInt(type.getIntOrFloatBitWidth(), bits));
  bool lossy;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &lossy);
  return value.convertToDouble();
}

void evo::encodeFloat(Type type, double value, char *bytes) {
  if (type.isF32()) {
    float narrow = static_cast<float>(value);
    std::memcpy(bytes, &narrow, 4);
    return;
  }
  if (type.isF16()) {
    const auto narrow = static_cast<_Float16>(value);
    std::memcpy(bytes, &narrow, 2);
    return;
  }
  if (type.isBF16()) {
    const uint16_t narrow = encodeBF16(value);
    std::memcpy(bytes, &narrow, 2);
    return;
  }
  llvm::APFloat converted(value);
  bool lossy;
  converted.convert(cast<FloatType>(type).getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &lossy);
  uint64_t bits = converted.bitcastToAPInt().getZExtValue();
  std::memcpy(bytes, &bits, getElementBytes(type));
}

double evo::nextFloat(Type type, double value, bool up) {
  llvm::APFloat number(value);
  bool lossy;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &lossy);
  number.next(/*nextDown=*/!up);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

/// The ends of a declared range, which both belong to it.
static std::optional<std::pair<double, double>> closedRange(DomainAttr domain) {
  if (!domain || domain.getKind() != DomainKind::Range)
    return std::nullopt;
  std::pair<double, double> ends;
  if (domain.getLowerText().getAsDouble(ends.first) ||
      domain.getUpperText().getAsDouble(ends.second))
    return std::nullopt;
  return ends;
}

evo::FloatDomain::FloatDomain(Type type, DomainAttr domain)
    : type(type), isF32(type && type.isF32()), ends(closedRange(domain)) {
  if (domain)
    kind = domain.getKind();
}

double evo::FloatDomain::fit(double value) const {
  if (!kind)
    return value;
  switch (*kind) {
  case DomainKind::Range: {
    if (!ends || (value >= ends->first && value <= ends->second))
      return value;
    const double fraction = value - std::floor(value);
    return ends->first + (ends->second - ends->first) * fraction;
  }
  case DomainKind::NonNegative:
  case DomainKind::Probability:
    return std::fabs(value);
  case DomainKind::NonZero:
    return value == 0 ? 1 : value;
  default:
    return value;
  }
}

double evo::fitDomain(double value, DomainAttr domain) {
  return FloatDomain(nullptr, domain).fit(value);
}

void evo::FloatDomain::encode(double value, char *bytes) const {
  double rounded;
  if (isF32) {
    const auto narrow = static_cast<float>(value);
    std::memcpy(bytes, &narrow, sizeof(narrow));
    rounded = narrow;
  } else {
    encodeFloat(type, value, bytes);
    rounded = decodeFloat(type, bytes);
  }
  const bool isInside =
      std::isfinite(rounded) &&
      !(kind == DomainKind::NonZero && rounded == 0) &&
      !(ends && (rounded < ends->first || rounded > ends->second));
  if (kind == DomainKind::Any || isInside)
    return;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  if (!std::isfinite(rounded)) {
    double largest = llvm::APFloat::getLargest(semantics).convertToDouble();
    rounded = value < 0 ? -largest : largest;
  } else if (kind == DomainKind::NonZero && rounded == 0) {
    rounded = std::copysign(
        llvm::APFloat::getSmallestNormalized(semantics).convertToDouble(),
        value);
  } else {
    // One step back, if the type has a number there.
    const double inside = nextFloat(type, rounded, rounded < ends->first);
    if (inside >= ends->first && inside <= ends->second)
      rounded = inside;
  }
  encodeFloat(type, rounded, bytes);
}

void evo::encodeWithin(Type type, double value, DomainAttr domain,
                       char *bytes) {
  FloatDomain(type, domain).encode(value, bytes);
}
