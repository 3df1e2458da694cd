// CUPTI's range profiler behind CounterReader. Its interface is declared here,
// after its public documentation, so that a build needs no CUPTI. A structure's
// size, by which the library knows its version, ends with its last member.
#include "evo/Runtime/CUDA/Counters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/DynamicLibrary.h"
#include <cstddef>

using namespace llvm;

namespace evo::cuda {

namespace {
using HostObject = void *;
using RangeObject = void *;

struct CuptiInitialize {
  size_t size;
  void *reserved;
};
struct CuptiChipName {
  size_t size;
  void *reserved;
  size_t device;
  const char *name; // out
};
/// The image is null for the first call, which answers its size.
struct CuptiAvailability {
  size_t size;
  void *reserved;
  void *context;
  size_t imageSize;
  uint8_t *image;
};
struct CuptiHostInitialize {
  size_t size;
  void *reserved;
  int profiler; // 0: ranges
  const char *chip;
  const uint8_t *availability;
  HostObject object; // out
};
struct CuptiHostObject {
  size_t size;
  void *reserved;
  HostObject object;
};
struct CuptiAddMetrics {
  size_t size;
  void *reserved;
  HostObject object;
  const char **names;
  size_t count;
};
struct CuptiImageSize {
  size_t size;
  void *reserved;
  HostObject object;
  size_t imageSize; // out
};
struct CuptiImage {
  size_t size;
  void *reserved;
  HostObject object;
  size_t imageSize;
  uint8_t *image;
};
struct CuptiEvaluate {
  size_t size;
  void *reserved;
  HostObject object;
  const uint8_t *data;
  size_t dataSize;
  size_t range;
  const char **names;
  size_t count;
  double *values;
};
struct CuptiEnable {
  size_t size;
  void *reserved;
  void *context;
  RangeObject object; // out
};
struct CuptiRangeObject {
  size_t size;
  void *reserved;
  RangeObject object;
};
struct CuptiDataSize {
  size_t size;
  void *reserved;
  RangeObject object;
  const char **names;
  size_t count;
  size_t maxRanges;
  uint32_t maxNodes;
  size_t dataSize; // out
};
struct CuptiDataInitialize {
  size_t size;
  void *reserved;
  RangeObject object;
  size_t dataSize;
  uint8_t *data;
};
struct CuptiSetConfig {
  size_t size;
  void *reserved;
  RangeObject object;
  size_t configSize;
  const uint8_t *config;
  size_t dataSize;
  uint8_t *data;
  int range;  // 1: each kernel is one
  int replay; // 3: we run everything again
  size_t maxRangesPerPass;
  uint16_t nestingLevels;
  uint16_t lowestLevel;
  size_t pass;
  uint16_t targetLevel;
};
struct CuptiStop {
  size_t size;
  void *reserved;
  RangeObject object;
  size_t pass;
  size_t targetLevel;
  uint8_t isAllSubmitted; // out
};
struct CuptiDecode {
  size_t size;
  void *reserved;
  RangeObject object;
  size_t dropped; // out
};
struct CuptiDataInfo {
  size_t size;
  void *reserved;
  const uint8_t *data;
  size_t dataSize;
  size_t ranges; // out
};

/// Member, symbol, parameter. All return 0 for success.
#define EVO_CUPTI_TABLE(ENTRY)                                                 \
  ENTRY(initialize, "cuptiProfilerInitialize", CuptiInitialize)                \
  ENTRY(getChipName, "cuptiDeviceGetChipName", CuptiChipName)                  \
  ENTRY(getAvailability, "cuptiProfilerGetCounterAvailability",                \
        CuptiAvailability)                                                     \
  ENTRY(hostInitialize, "cuptiProfilerHostInitialize", CuptiHostInitialize)    \
  ENTRY(hostDeinitialize, "cuptiProfilerHostDeinitialize", CuptiHostObject)    \
  ENTRY(addMetrics, "cuptiProfilerHostConfigAddMetrics", CuptiAddMetrics)      \
  ENTRY(getImageSize, "cuptiProfilerHostGetConfigImageSize", CuptiImageSize)   \
  ENTRY(getImage, "cuptiProfilerHostGetConfigImage", CuptiImage)               \
  ENTRY(evaluate, "cuptiProfilerHostEvaluateToGpuValues", CuptiEvaluate)       \
  ENTRY(enable, "cuptiRangeProfilerEnable", CuptiEnable)                       \
  ENTRY(disable, "cuptiRangeProfilerDisable", CuptiRangeObject)                \
  ENTRY(getDataSize, "cuptiRangeProfilerGetCounterDataSize", CuptiDataSize)    \
  ENTRY(initializeData, "cuptiRangeProfilerCounterDataImageInitialize",        \
        CuptiDataInitialize)                                                   \
  ENTRY(setConfig, "cuptiRangeProfilerSetConfig", CuptiSetConfig)              \
  ENTRY(start, "cuptiRangeProfilerStart", CuptiRangeObject)                    \
  ENTRY(stop, "cuptiRangeProfilerStop", CuptiStop)                             \
  ENTRY(decode, "cuptiRangeProfilerDecodeData", CuptiDecode)                   \
  ENTRY(getDataInfo, "cuptiRangeProfilerGetCounterDataInfo", CuptiDataInfo)

/// The entry points; `call` fills in a parameter's size.
struct CuptiApi {
#define EVO_ENTRY(member, symbol, Parameter)                                   \
  int (*member)(Parameter *) = nullptr;
  EVO_CUPTI_TABLE(EVO_ENTRY)
#undef EVO_ENTRY
  int (*getResultString)(int, const char **) = nullptr;

  Error check(int code, const char *call) const {
    if (code == 0)
      return Error::success();
    const char *text = nullptr;
    if (getResultString)
      getResultString(code, &text);
    // unreachable: without a device, which the tests have not
    return createStringError("%s: %s (%d)", call, text ? text : "error", code);
  }
};

class CuptiReader : public CounterReader {
public:
  explicit CuptiReader(const CuptiApi &api) : api(api) {}
  ~CuptiReader() override {
    if (ranges) {
      CuptiRangeObject end = {sizeof(end), nullptr, ranges};
      api.disable(&end);
    }
    if (host) {
      CuptiHostObject end = {sizeof(end), nullptr, host};
      api.hostDeinitialize(&end);
    }
  }

  Error setUp(void *context, int ordinal);
  Expected<LaunchCounts> count(function_ref<Error()> prepare,
                               function_ref<Error()> launch,
                               unsigned numLaunches) override;

private:
  Error readConfig();
  Error makeData(unsigned numLaunches);
  Error replay(function_ref<Error()> prepare, function_ref<Error()> launch,
               unsigned numLaunches);

  CuptiApi api;
  HostObject host = nullptr;
  RangeObject ranges = nullptr;
  /// Those that this device has: places in the table, and their names.
  std::vector<unsigned> metrics;
  std::vector<const char *> names;
  std::vector<uint8_t> config, data;
};
} // namespace

Error CuptiReader::setUp(void *context, int ordinal) {
  CuptiInitialize begin = {sizeof(begin), nullptr};
  if (Error error =
          api.check(api.initialize(&begin), "cuptiProfilerInitialize"))
    return error;
  CuptiChipName chip = {sizeof(chip), nullptr, size_t(ordinal), nullptr};
  if (Error error = api.check(api.getChipName(&chip), "cuptiDeviceGetChipName"))
    return error;
  CuptiAvailability available = {sizeof(available), nullptr, context, 0,
                                 nullptr};
  std::vector<uint8_t> image;
  for (int round = 0; round < 2; ++round) {
    if (Error error = api.check(api.getAvailability(&available),
                                "cuptiProfilerGetCounterAvailability"))
      return error;
    image.resize(available.imageSize);
    available.image = image.data();
  }
  CuptiHostInitialize hostBegin = {sizeof(hostBegin), nullptr,      0,
                                   chip.name,         image.data(), nullptr};
  if (Error error = api.check(api.hostInitialize(&hostBegin),
                              "cuptiProfilerHostInitialize"))
    return error;
  host = hostBegin.object;
  // One by one: what a device lacks costs no other.
  for (auto [index, metric] : enumerate(getCounterMetrics())) {
    const char *name = metric.metric.data();
    CuptiAddMetrics add = {sizeof(add), nullptr, host, &name, 1};
    if (metric.metric.empty() || api.addMetrics(&add) != 0)
      continue;
    metrics.push_back(index);
    names.push_back(name);
  }
  if (names.empty())
    return createStringError("this device counts nothing of what is asked for");
  if (Error error = readConfig())
    return error;
  CuptiEnable enable = {sizeof(enable), nullptr, context, nullptr};
  if (Error error = api.check(api.enable(&enable), "cuptiRangeProfilerEnable"))
    return error;
  ranges = enable.object;
  return Error::success();
}

Error CuptiReader::readConfig() {
  CuptiImageSize size = {sizeof(size), nullptr, host, 0};
  if (Error error = api.check(api.getImageSize(&size),
                              "cuptiProfilerHostGetConfigImageSize"))
    return error;
  config.resize(size.imageSize);
  CuptiImage image = {sizeof(image), nullptr, host, config.size(),
                      config.data()};
  return api.check(api.getImage(&image), "cuptiProfilerHostGetConfigImage");
}

Error CuptiReader::makeData(unsigned numLaunches) {
  CuptiDataSize size = {sizeof(size), nullptr,     ranges,      names.data(),
                        names.size(), numLaunches, numLaunches, 0};
  if (Error error = api.check(api.getDataSize(&size),
                              "cuptiRangeProfilerGetCounterDataSize"))
    return error;
  data.assign(size.dataSize, 0);
  CuptiDataInitialize begin = {sizeof(begin), nullptr, ranges, data.size(),
                               data.data()};
  return api.check(api.initializeData(&begin),
                   "cuptiRangeProfilerCounterDataImageInitialize");
}

Error CuptiReader::replay(function_ref<Error()> prepare,
                          function_ref<Error()> launch, unsigned numLaunches) {
  constexpr int eachKernel = 1, userReplay = 3;
  CuptiSetConfig set = {};
  set.size = offsetof(CuptiSetConfig, targetLevel) + sizeof(set.targetLevel);
  set.object = ranges;
  set.configSize = config.size();
  set.config = config.data();
  set.dataSize = data.size();
  set.data = data.data();
  set.range = eachKernel;
  set.replay = userReplay;
  set.maxRangesPerPass = numLaunches;
  set.nestingLevels = 1;
  set.lowestLevel = 1;
  set.targetLevel = 1;
  if (Error error =
          api.check(api.setConfig(&set), "cuptiRangeProfilerSetConfig"))
    return error;
  // More would be a library that never says so.
  constexpr int maxPasses = 200;
  for (int pass = 0; pass < maxPasses; ++pass) {
    if (Error error = prepare())
      return error;
    CuptiRangeObject start = {sizeof(start), nullptr, ranges};
    if (Error error = api.check(api.start(&start), "cuptiRangeProfilerStart"))
      return error;
    Error failed = launch();
    CuptiStop stop = {};
    stop.size =
        offsetof(CuptiStop, isAllSubmitted) + sizeof(stop.isAllSubmitted);
    stop.object = ranges;
    Error ended = api.check(api.stop(&stop), "cuptiRangeProfilerStop");
    if (failed) {
      consumeError(std::move(ended));
      return failed;
    }
    if (ended)
      return ended;
    if (stop.isAllSubmitted)
      return Error::success();
  }
  // unreachable: as long as CUPTI knows its passes
  return createStringError("the counters need more than %d passes", maxPasses);
}

Expected<LaunchCounts> CuptiReader::count(function_ref<Error()> prepare,
                                          function_ref<Error()> launch,
                                          unsigned numLaunches) {
  if (Error error = makeData(numLaunches))
    return std::move(error);
  if (Error error = replay(prepare, launch, numLaunches))
    return std::move(error);
  CuptiDecode decode = {sizeof(decode), nullptr, ranges, 0};
  if (Error error =
          api.check(api.decode(&decode), "cuptiRangeProfilerDecodeData"))
    return std::move(error);
  CuptiDataInfo info = {sizeof(info), nullptr, data.data(), data.size(), 0};
  if (Error error = api.check(api.getDataInfo(&info),
                              "cuptiRangeProfilerGetCounterDataInfo"))
    return std::move(error);
  if (decode.dropped || info.ranges != numLaunches)
    // unreachable: as long as each kernel is a range
    return createStringError("%zu launches were counted of %u", info.ranges,
                             numLaunches);
  LaunchCounts counts;
  counts.metrics = metrics;
  for (size_t range = 0; range < info.ranges; ++range) {
    std::vector<double> &row = counts.launches.emplace_back(names.size());
    CuptiEvaluate evaluate = {sizeof(evaluate), nullptr,      host,
                              data.data(),      data.size(),  range,
                              names.data(),     names.size(), row.data()};
    if (Error error = api.check(api.evaluate(&evaluate),
                                "cuptiProfilerHostEvaluateToGpuValues"))
      return std::move(error);
  }
  return counts;
}

Expected<std::unique_ptr<CounterReader>>
createCuptiReader(const std::string &path, void *context, int ordinal) {
  std::string message;
  sys::DynamicLibrary library =
      sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
  if (!library.isValid())
    return createStringError("cannot load CUPTI: %s", message.c_str());
  CuptiApi api;
  auto get = [&](const char *symbol, auto &slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(
        library.getAddressOfSymbol(symbol));
    return slot != nullptr;
  };
  bool complete = true;
#define EVO_ENTRY(member, symbol, Parameter)                                   \
  complete &= get(symbol, api.member);
  EVO_CUPTI_TABLE(EVO_ENTRY)
#undef EVO_ENTRY
  get("cuptiGetResultString", api.getResultString);
  if (!complete)
    return createStringError("'%s' has no range profiler, which CUPTI has from "
                             "12.6 on",
                             path.c_str());
  auto reader = std::make_unique<CuptiReader>(api);
  if (Error error = reader->setUp(context, ordinal))
    return std::move(error);
  return std::unique_ptr<CounterReader>(std::move(reader));
}

} // namespace evo::cuda
