// What inputs of a workload are, for the device to make, and how its results
// are judged there.
#include "WorkloadInputs.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/AllowedError.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace evo;

llvm::Expected<llvm::StringMap<std::string>>
evo::drawScalars(KernelOp kernel, const Bindings &sizes, uint64_t seed) {
  llvm::StringMap<std::string> scalars;
  Random random(seed);
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    if (arg.isBuffer() || isa<IntegerType>(arg.getElementType()))
      continue;
    llvm::Expected<std::vector<char>> bytes =
        sampleValues(arg, 1, 1, sizes, Distribution::Uniform, random);
    if (!bytes)
      return bytes.takeError();
    if (auto value = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue()))
      encodeFloat(arg.getElementType(), value.getValueAsDouble(),
                  bytes->data());
    scalars[arg.getName().getValue()].assign(bytes->begin(), bytes->end());
  }
  return scalars;
}

static cuda::ElementFormat describeFormat(Type type) {
  cuda::ElementFormat format;
  format.bytes = getElementBytes(type);
  auto floats = dyn_cast<FloatType>(type);
  if (!floats) {
    format.exponentBits = format.mantissaBits = 0;
    format.largest = !type.isUnsignedInteger() && !type.isInteger(1);
    return format;
  }
  format.mantissaBits = floats.getFPMantissaWidth() - 1;
  format.exponentBits = floats.getWidth() - 1 - format.mantissaBits;
  format.largest = llvm::APFloat::getLargest(floats.getFloatSemantics())
                       .bitcastToAPInt()
                       .getZExtValue();
  return format;
}

/// The number of a type next to an end of a range, on the inside.
static double roundInwards(Type type, double end, DomainAttr domain) {
  char bytes[8] = {};
  encodeWithin(type, end, domain, bytes);
  return decodeFloat(type, bytes);
}

static cuda::ValueKind kindOfFloats(DomainKind domain) {
  switch (domain) {
  case DomainKind::Range:
    return cuda::ValueKind::Range;
  case DomainKind::NonNegative:
    return cuda::ValueKind::NonNegative;
  case DomainKind::NonZero:
    return cuda::ValueKind::NonZero;
  case DomainKind::Probability:
    return cuda::ValueKind::Probability;
  default:
    return cuda::ValueKind::Normal;
  }
}

static cuda::ValueKind kindOfIntegers(DomainKind domain) {
  switch (domain) {
  case DomainKind::NonZero:
    return cuda::ValueKind::NonZeroIntegers;
  case DomainKind::Permutation:
    return cuda::ValueKind::Permutation;
  case DomainKind::Monotone:
    return cuda::ValueKind::Monotone;
  default:
    return cuda::ValueKind::Integers;
  }
}

llvm::Expected<cuda::InputValues> evo::describeValues(ArgumentAttr arg,
                                                      const Bindings &sizes) {
  cuda::InputValues values;
  Type type = arg.getElementType();
  DomainAttr domain = arg.getDomain();
  DomainKind kind = domain ? domain.getKind() : DomainKind::Finite;
  values.format = describeFormat(type);
  if (SmallVector<IntExpr> extents = arg.getExtents(); !extents.empty()) {
    llvm::Expected<int64_t> extent = extents.back().evaluate(sizes);
    if (!extent)
      return extent.takeError();
    values.rowLength = std::max<int64_t>(*extent, 1);
  }
  if (isa<FloatType>(type)) {
    values.kind = kindOfFloats(kind);
    if (kind == DomainKind::Range) {
      domain.getLowerText().getAsDouble(values.lower);
      domain.getUpperText().getAsDouble(values.upper);
      values.lower = roundInwards(type, values.lower, domain);
      values.upper = roundInwards(type, values.upper, domain);
    }
    return values;
  }
  values.kind = kindOfIntegers(kind);
  auto range = getIntegerRange(arg, sizes);
  if (!range)
    return range.takeError();
  values.first = range->first;
  values.span = static_cast<uint64_t>(range->second) -
                static_cast<uint64_t>(range->first);
  return values;
}

cuda::Tolerance evo::describeTolerance(ArgumentAttr arg,
                                       AccuracyAttr accuracy) {
  auto type = dyn_cast<FloatType>(arg.getElementType());
  if (!type)
    return {};
  const AllowedError allowed(type, accuracy);
  cuda::Tolerance tolerance;
  tolerance.relative =
      std::max({allowed.rtol, allowed.norm, std::sqrt(allowed.roundoff)});
  tolerance.absolute = allowed.atol;
  return tolerance;
}

llvm::Error evo::describeBuffers(KernelOp kernel, const Bindings &sizes,
                                 cuda::DevicePlan &plan) {
  for (cuda::PlanBuffer &buffer : plan.buffers) {
    ArgumentAttr arg = kernel.lookupArgument(buffer.name);
    if (!arg)
      continue; // scratch
    llvm::Expected<cuda::InputValues> values = describeValues(arg, sizes);
    if (!values)
      return values.takeError();
    buffer.values = *values;
    buffer.tolerance = describeTolerance(arg, kernel.getAccuracyAttr());
  }
  return llvm::Error::success();
}
