// Draws the inputs of a workload with the verifier's own generators.
#include "WorkloadInputs.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/Values.h"
#include <cstring>

using namespace mlir;
using namespace evo;

/// Elements drawn one by one; drawing costs some 50 ns each.
static constexpr uint64_t largestPeriod = 1 << 22;

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

/// Elements that are drawn before they repeat: whole rows, an odd number of
/// them where there are many.
static uint64_t choosePeriod(ArgumentAttr arg, uint64_t elements,
                             uint64_t rowLength) {
  DomainKind kind =
      arg.getDomain() ? arg.getDomain().getKind() : DomainKind::Finite;
  if (elements <= largestPeriod || kind == DomainKind::Permutation ||
      kind == DomainKind::Monotone)
    return elements;
  uint64_t rows = largestPeriod / std::max<uint64_t>(rowLength, 1);
  if (rows > 1)
    return ((rows - 1) | 1) * rowLength;
  // Rows longer than that are normalised as a whole where they have to be.
  return kind == DomainKind::Probability ? rowLength : largestPeriod - 1;
}

cuda::InputSource evo::makeInputSource(KernelOp kernel, const Bindings &sizes,
                                       uint64_t seed) {
  return [kernel, &sizes,
          seed](unsigned set, const cuda::PlanBuffer &buffer,
                MutableArrayRef<char> bytes) mutable -> llvm::Error {
    ArgumentAttr arg = kernel.lookupArgument(buffer.name);
    uint64_t elements = bytes.size() / getElementBytes(arg.getElementType());
    uint64_t rowLength = 1;
    if (SmallVector<IntExpr> extents = arg.getExtents(); !extents.empty()) {
      llvm::Expected<int64_t> extent = extents.back().evaluate(sizes);
      if (!extent)
        return extent.takeError();
      rowLength = *extent;
    }
    uint64_t period = choosePeriod(arg, elements, rowLength);
    Random random(seed + set);
    for (auto other : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (other == arg)
        break;
      random = random.split(); // arguments must not hold the same values
    }
    llvm::Expected<std::vector<char>> values = sampleValues(
        arg, period, rowLength, sizes, Distribution::Normal, random);
    if (!values)
      return values.takeError();
    for (size_t at = 0; at < bytes.size(); at += values->size())
      std::memcpy(bytes.data() + at, values->data(),
                  std::min(values->size(), bytes.size() - at));
    return llvm::Error::success();
  };
}
