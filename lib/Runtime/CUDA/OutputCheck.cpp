// The helper kernels' work, done by the host.
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "Helpers/HelperCode.h"
#include <cmath>

using namespace llvm;

namespace evo::cuda {

static const unsigned char *toBytes(StringRef text) {
  return reinterpret_cast<const unsigned char *>(text.data());
}

void generateValues(InputValues values, uint64_t key,
                    MutableArrayRef<char> bytes) {
  values.elements = bytes.size() / values.format.bytes;
  helper::fill(0, 1, reinterpret_cast<unsigned char *>(bytes.data()), values,
               key);
}

/// An element as a number, for messages.
static double toNumber(const ElementFormat &format, uint64_t bits) {
  if (format.exponentBits)
    return helper::decode(format, bits);
  if (!format.largest)
    return static_cast<double>(bits);
  unsigned shift = 64 - 8 * format.bytes;
  return static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
}

Error checkOutput(const PlanBuffer &buffer, StringRef baseline, StringRef other,
                  double scale) {
  if (baseline.size() != other.size())
    return createStringError("sizes of '%s' differ", buffer.name.c_str());
  if (baseline == other)
    return Error::success();
  const ElementFormat &format = buffer.values.format;
  const Tolerance &allowed = buffer.tolerance;
  const unsigned char *b = toBytes(baseline), *c = toBytes(other);
  uint64_t elements = baseline.size() / format.bytes;
  double rms = scale;
  if (format.exponentBits && rms == 0) {
    helper::Squares squares = helper::sumSquares(0, 1, b, elements, format);
    if (squares.count)
      rms = std::sqrt(squares.sum / static_cast<double>(squares.count));
  }
  for (uint64_t i = 0; i < elements; ++i) {
    uint64_t expected = helper::load(b + i * format.bytes, format.bytes),
             found = helper::load(c + i * format.bytes, format.bytes);
    if (!helper::isApart(format, expected, found, allowed, rms))
      continue;
    double wanted = toNumber(format, expected), is = toNumber(format, found);
    bool isBounded =
        format.exponentBits && std::isfinite(wanted) && std::isfinite(is);
    double bound = isBounded
                       ? allowed.relative * std::max(std::fabs(wanted), rms) +
                             allowed.absolute
                       : 0;
    return createStringError("element %llu of '%s' is %.9g, the baseline's is "
                             "%.9g, allowed are %.3g",
                             static_cast<unsigned long long>(i),
                             buffer.name.c_str(), is, wanted, bound);
  }
  return Error::success();
}

} // namespace evo::cuda
