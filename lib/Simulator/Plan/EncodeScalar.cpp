// The types of CUDA C++ for short floats are structures of an integer.
#include "EncodeScalar.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"

using namespace mlir;
using namespace evo;

std::optional<sim::Argument>
evo::encodeScalar(double value, Type type,
                  const sim::KernelParameter &parameter) {
  if (parameter.isFloat && parameter.bytes == 8)
    return sim::Argument::f64(value);
  if (parameter.isFloat && parameter.bytes == 4)
    return sim::Argument::f32(static_cast<float>(value));
  auto floatType = dyn_cast_or_null<FloatType>(type);
  if (!floatType || getElementBytes(floatType) != parameter.bytes)
    return std::nullopt;
  llvm::APFloat number(value);
  bool isInexact;
  number.convert(floatType.getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &isInexact);
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  if (parameter.byVal)
    return sim::Argument::byVal(&bits, parameter.bytes);
  // An integer of the size of a usual float is another argument by mistake.
  if (!parameter.isFloat && parameter.bytes > 2)
    return std::nullopt;
  return sim::Argument(bits, parameter.bytes);
}
