// The helper kernels on this device against the same code on the host.
#include "DeviceHelpers.h"
#include "Helpers/HelperCode.h"
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "evo/Runtime/CUDA/Session.h"
#include <cmath>

using namespace llvm;

namespace evo::cuda {

namespace {
/// An odd number: of no block, vector or word a multiple.
constexpr uint64_t elements = 300007;
constexpr uint64_t key = 11;
constexpr double timeoutSeconds = 30;

struct Format {
  const char *name;
  ElementFormat format;
};
constexpr Format formats[] = {{"f64", {8, 11, 52, 0x7fefffffffffffffull}},
                              {"f32", {4, 8, 23, 0x7f7fffff}},
                              {"f16", {2, 5, 10, 0x7bff}},
                              {"bf16", {2, 8, 7, 0x7f7f}},
                              {"f8E4M3FN", {1, 4, 3, 0x7e}},
                              {"f8E5M2", {1, 5, 2, 0x7b}},
                              {"i64", {8, 0, 0, 1}},
                              {"i8", {1, 0, 0, 1}}};

class HelperCheck {
public:
  HelperCheck(DriverApi &api, DriverHandle stream, DeviceHelpers &helpers)
      : api(api), stream(stream), helpers(helpers) {}

  Error check(const Format &format, ValueKind kind) {
    InputValues values;
    values.kind = kind;
    values.format = format.format;
    values.lower = -0.75;
    values.upper = 3.25;
    values.first = -5;
    values.span = format.format.bytes == 1 ? 100 : elements / 3;
    values.rowLength = 129;
    values.elements = elements;
    uint64_t bytes = elements * format.format.bytes;
    Expected<DeviceMemory> memory = DeviceMemory::allocate(api, bytes);
    if (!memory)
      return memory.takeError();
    if (Error error = helpers.fill(stream, memory->get(), values, key))
      return error;
    std::string found(bytes, '\0'), expected(bytes, '\0');
    if (Error error = api.check(
            api.memcpyDtoHAsync(found.data(), memory->get(), bytes, stream),
            "cuMemcpyDtoHAsync"))
      return error;
    if (Error error = waitForStream(api, stream, timeoutSeconds))
      return error;
    generateValues(values, key, {expected.data(), expected.size()});
    if (found != expected)
      return createStringError("%s of kind %u: the device's values are not "
                               "the host's",
                               format.name, static_cast<unsigned>(kind));
    return checkResults(format, memory->get(), expected);
  }

private:
  Error checkResults(const Format &format, DeviceAddress at,
                     std::string &bytes) {
    const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
    Expected<std::vector<uint64_t>> print = helpers.fingerprint(
        stream, DeviceHelpers::Range{at, bytes.size()}, timeoutSeconds);
    if (!print)
      return print.takeError();
    if (print->front() != helper::fingerprint(0, 1, data, bytes.size()))
      return createStringError("%s: another fingerprint", format.name);
    if (format.format.exponentBits == 0)
      return Error::success();
    Expected<double> rms = helpers.rootMeanSquare(
        stream, {at, bytes.size()}, format.format, timeoutSeconds);
    if (!rms)
      return rms.takeError();
    helper::Squares squares =
        helper::sumSquares(0, 1, data, elements, format.format);
    double wanted = std::sqrt(squares.sum / static_cast<double>(squares.count));
    if (!(std::fabs(*rms - wanted) <= 1e-9 * wanted))
      return createStringError("%s: the root mean square is %.17g, not %.17g",
                               format.name, *rms, wanted);
    return checkComparison(format, at, bytes, wanted);
  }

  /// Moves two elements, of which one stays within the bound.
  Error checkComparison(const Format &format, DeviceAddress at,
                        std::string &bytes, double rms) {
    auto *data = reinterpret_cast<unsigned char *>(bytes.data());
    constexpr uint64_t near = 1234, far = 299999;
    double allowed = 0.5;
    for (auto [index, by] : {std::pair(near, 0.25), std::pair(far, 2.0)}) {
      unsigned char *element = data + index * format.format.bytes;
      double value = helper::decode(format.format,
                                    helper::load(element, format.format.bytes));
      helper::store(element, format.format.bytes,
                    helper::encode(format.format, value + by));
    }
    Expected<DeviceMemory> other = DeviceMemory::allocate(api, bytes.size());
    if (!other)
      return other.takeError();
    if (Error error = api.check(api.memcpyHtoDAsync(other->get(), bytes.data(),
                                                    bytes.size(), stream),
                                "cuMemcpyHtoDAsync"))
      return error;
    DeviceHelpers::Comparison comparison{
        at, other->get(), bytes.size(), format.format, {0, allowed}, rms};
    Expected<uint64_t> suspects =
        helpers.countSuspects(stream, comparison, timeoutSeconds);
    if (!suspects)
      return suspects.takeError();
    if (*suspects != 1)
      return createStringError("%s: %llu elements are suspected, not 1",
                               format.name,
                               static_cast<unsigned long long>(*suspects));
    return Error::success();
  }

  DriverApi &api;
  DriverHandle stream;
  DeviceHelpers &helpers;
};
} // namespace

Error Session::checkHelpers() {
  Expected<DeviceHelpers> helpers = DeviceHelpers::load(api);
  if (!helpers)
    return helpers.takeError();
  Expected<DriverObject> stream = createStream(api);
  if (!stream)
    return stream.takeError();
  HelperCheck check(api, stream->get(), *helpers);
  for (const Format &format : formats) {
    bool isFloat = format.format.exponentBits;
    auto first = isFloat ? ValueKind::Normal : ValueKind::Integers;
    auto last = isFloat ? ValueKind::Probability : ValueKind::Monotone;
    for (auto kind = static_cast<uint32_t>(first);
         kind <= static_cast<uint32_t>(last); ++kind)
      if (Error error = check.check(format, static_cast<ValueKind>(kind)))
        return error;
  }
  return Error::success();
}

} // namespace evo::cuda
