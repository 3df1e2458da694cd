// See OutputCheck.h. Outputs have up to billions of elements, so narrow types
// are decoded by a table.
#include "OutputCheck.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Verification/Values.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

namespace {
/// Elements of a float type as doubles.
class Decoder {
public:
  explicit Decoder(FloatType type) : type(type), size(getElementBytes(type)) {
    if (size > 2)
      return;
    table.resize(size_t(1) << 8 * size);
    for (size_t bits = 0; bits < table.size(); ++bits) {
      char bytes[8] = {char(bits), char(bits >> 8)};
      table[bits] = decodeFloat(type, bytes);
    }
  }
  double operator()(const char *bytes) const {
    if (size == 1)
      return table[static_cast<unsigned char>(*bytes)];
    if (size == 2) {
      uint16_t bits;
      std::memcpy(&bits, bytes, 2);
      return table[bits];
    }
    if (size == 4) {
      float value;
      std::memcpy(&value, bytes, 4);
      return value;
    }
    double value;
    std::memcpy(&value, bytes, 8);
    return value;
  }

private:
  FloatType type;
  unsigned size;
  std::vector<double> table;
};
} // namespace

/// Half the distance of 1 from its successor.
static double getRoundoff(Type type) {
  return std::exp2(
      -static_cast<double>(cast<FloatType>(type).getFPMantissaWidth()));
}

static llvm::Error differ(ArgumentAttr arg, uint64_t index, double expected,
                          double found, double bound) {
  return llvm::createStringError(
      "element %llu of '%s' is %.9g, the baseline's is %.9g, allowed are %.3g",
      static_cast<unsigned long long>(index), arg.getName().str().c_str(),
      found, expected, bound);
}

llvm::Error evo::checkOutput(ArgumentAttr arg, AccuracyAttr accuracy,
                             StringRef baseline, StringRef other) {
  Type type = arg.getElementType();
  unsigned size = getElementBytes(type);
  if (baseline.size() != other.size())
    return llvm::createStringError("sizes of '%s' differ",
                                   arg.getName().str().c_str());
  if (baseline == other)
    return llvm::Error::success();
  uint64_t elements = baseline.size() / size;
  const char *poison = "\xff\xff\xff\xff\xff\xff\xff\xff";
  auto isWritten = [&](uint64_t i) {
    return std::memcmp(baseline.data() + i * size, poison, size) != 0;
  };
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    for (uint64_t i = 0; i < elements; ++i) {
      const char *b = baseline.data() + i * size, *c = other.data() + i * size;
      if (isWritten(i) && std::memcmp(b, c, size) != 0)
        return differ(arg, i, decodeInteger(type, b), decodeInteger(type, c),
                      0);
    }
    return llvm::Error::success();
  }

  double roundoff = getRoundoff(type), rtol = 0, atol = 0;
  if (accuracy) {
    for (TypeAttr allowed : {accuracy.getMultiply(), accuracy.getAccumulate()})
      if (allowed)
        roundoff = std::max(roundoff, getRoundoff(allowed.getValue()));
    rtol = accuracy.getRtol() ? accuracy.getRtol().getValueAsDouble() : 0;
    atol = accuracy.getAtol() ? accuracy.getAtol().getValueAsDouble() : 0;
  }
  rtol = std::max(rtol, std::sqrt(roundoff));
  Decoder decode(floatType);
  double norm = 0;
  uint64_t count = 0;
  for (uint64_t i = 0; i < elements; ++i) {
    if (!isWritten(i))
      continue;
    double b = decode(baseline.data() + i * size),
           c = decode(other.data() + i * size);
    if (!std::isfinite(b) || !std::isfinite(c)) {
      if (std::isnan(b) ? !std::isnan(c) : b != c)
        return differ(arg, i, b, c, 0);
      continue;
    }
    norm += b * b;
    ++count;
  }
  double rms = count ? std::sqrt(norm / count) : 0;
  for (uint64_t i = 0; i < elements; ++i) {
    double b = decode(baseline.data() + i * size),
           c = decode(other.data() + i * size);
    if (!isWritten(i) || !std::isfinite(b))
      continue;
    double bound = rtol * std::max(std::fabs(b), rms) + atol;
    if (!(std::fabs(c - b) <= bound))
      return differ(arg, i, b, c, bound);
  }
  return llvm::Error::success();
}
