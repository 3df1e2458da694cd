// Opens a device and runs a plan once. Timing is in Bench.cpp
// and Sampler.cpp.
#include "evo/Runtime/CUDA/Session.h"
#include "GuardedBuffer.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace evo::cuda {

// Device attributes by their documented numbers.
static constexpr int attrMultiprocessors = 16, attrL2Bytes = 38, attrMajor = 75,
                     attrMinor = 76;

Expected<std::unique_ptr<Session>> Session::open(int ordinal) {
  Expected<DriverApi> api = DriverApi::load();
  if (!api)
    return api.takeError();
  Expected<std::unique_ptr<Session>> session = open(*api, nullptr, ordinal);
  if (!session)
    return session.takeError();
  auto monitor = createNvmlMonitor((*session)->facts.pciBusId);
  if (monitor)
    (*session)->monitor = std::move(*monitor);
  else
    (*session)->monitorProblem = toString(monitor.takeError());
  return session;
}

Expected<std::unique_ptr<Session>>
Session::open(DriverApi api, std::unique_ptr<DeviceMonitor> monitor,
              int ordinal) {
  std::unique_ptr<Session> session(new Session(api, std::move(monitor)));
  if (!session->monitor)
    session->monitorProblem = "no monitor was given";
  if (Error error = session->initialize(ordinal))
    return std::move(error);
  return session;
}

Session::~Session() {
  if (retained)
    api.primaryCtxRelease(device);
}

Error Session::initialize(int number) {
  ordinal = number;
  // Whatever fails up to here means that there is nothing to run on.
  auto unavailable = [&](Error error) -> Error {
    return make_error<DeviceUnavailable>(toString(std::move(error)));
  };
  if (Error error = api.check(api.init(0), "cuInit"))
    return unavailable(std::move(error));
  int count = 0;
  if (Error error = api.check(api.deviceGetCount(&count), "cuDeviceGetCount"))
    return unavailable(std::move(error));
  if (ordinal < 0 || ordinal >= count)
    return make_error<DeviceUnavailable>(
        "there are " + std::to_string(count) + " devices, and number " +
        std::to_string(ordinal) + " was asked for");
  if (Error error = api.check(api.deviceGet(&device, ordinal), "cuDeviceGet"))
    return unavailable(std::move(error));

  char text[256] = {};
  if (Error error = api.check(api.deviceGetName(text, sizeof(text), device),
                              "cuDeviceGetName"))
    return unavailable(std::move(error));
  facts.name = text;
  if (Error error = api.check(api.deviceGetPCIBusId(text, sizeof(text), device),
                              "cuDeviceGetPCIBusId"))
    return unavailable(std::move(error));
  facts.pciBusId = text;
  int major = 0, minor = 0, sms = 0, l2 = 0;
  for (auto [attribute, slot] :
       {std::pair(attrMajor, &major), std::pair(attrMinor, &minor),
        std::pair(attrMultiprocessors, &sms), std::pair(attrL2Bytes, &l2)})
    if (Error error = api.check(api.deviceGetAttribute(slot, attribute, device),
                                "cuDeviceGetAttribute"))
      return unavailable(std::move(error));
  facts.capability = 10 * major + minor;
  facts.numSMs = sms;
  facts.l2Bytes = l2;
  api.driverGetVersion(&facts.driverVersion);

  if (Error error = api.check(api.primaryCtxRetain(&context, device),
                              "cuDevicePrimaryCtxRetain"))
    return unavailable(std::move(error));
  retained = true;
  if (Error error = api.check(api.ctxSetCurrent(context), "cuCtxSetCurrent"))
    return unavailable(std::move(error));
  size_t free = 0, total = 0;
  if (Error error = api.check(api.memGetInfo(&free, &total), "cuMemGetInfo"))
    return unavailable(std::move(error));
  facts.memoryBytes = total;
  return Error::success();
}

Expected<RunResult> Session::run(const DevicePlan &plan,
                                 ArrayRef<BufferData> inputs,
                                 const RunOptions &options) {
  // Inputs by buffer, checked before anything is loaded.
  std::vector<const BufferData *> given(plan.buffers.size());
  for (const BufferData &data : inputs) {
    if (data.buffer >= plan.buffers.size())
      return createStringError("an input is for buffer %u of %zu", data.buffer,
                               plan.buffers.size());
    const PlanBuffer &buffer = plan.buffers[data.buffer];
    if (!buffer.isInput())
      return createStringError("'%s' is no input", buffer.name.c_str());
    if (data.bytes.size() != buffer.bytes)
      return createStringError("input '%s' has %zu bytes, not %llu",
                               buffer.name.c_str(), data.bytes.size(),
                               static_cast<unsigned long long>(buffer.bytes));
    given[data.buffer] = &data;
  }
  for (auto [buffer, data] : zip(plan.buffers, given))
    if (buffer.isInput() && !data)
      return createStringError("no input for '%s'", buffer.name.c_str());

  Expected<LoadedPlan> loaded = LoadedPlan::load(api, plan);
  if (!loaded)
    return loaded.takeError();
  Expected<DriverObject> stream = createStream(api);
  if (!stream)
    return stream.takeError();

  std::vector<GuardedBuffer> memory;
  std::vector<DeviceAddress> addresses;
  for (auto [index, buffer] : enumerate(plan.buffers)) {
    Expected<GuardedBuffer> block = GuardedBuffer::allocate(
        api, buffer.bytes, options.guardBytes,
        index < options.offsets.size() ? options.offsets[index] : 0);
    if (!block)
      return block.takeError();
    const BufferData *data = given[index];
    if (Error error = block->fill(
            options.poison, data ? StringRef(data->bytes) : "", stream->get()))
      return std::move(error);
    addresses.push_back(block->get());
    memory.push_back(std::move(*block));
  }
  if (Error error = synchronize(api, stream->get(), options.timeoutSeconds))
    return std::move(error);

  RunResult result;
  result.loadMicros = loaded->getLoadMicros();
  double start = api.hostMicros();
  if (Error error = loaded->enqueue(stream->get(), addresses))
    return std::move(error);
  if (Error error = waitForStream(api, stream->get(), options.timeoutSeconds))
    return std::move(error);
  result.firstLaunchMicros = api.hostMicros() - start;

  auto read = [&](unsigned index) -> Expected<std::string> {
    return readBytes(api, addresses[index], plan.buffers[index].bytes,
                     stream->get(), options.timeoutSeconds);
  };
  for (auto [index, buffer] : enumerate(plan.buffers)) {
    if (buffer.role == BufferRole::Scratch)
      continue;
    Expected<std::string> bytes = read(index);
    if (!bytes)
      return bytes.takeError();
    if (buffer.isOutput())
      result.outputs.push_back(
          {static_cast<unsigned>(index), std::move(*bytes)});
    else if (*bytes != given[index]->bytes)
      result.writtenInputs.push_back(buffer.name);
  }
  if (Error error = synchronize(api, stream->get(), options.timeoutSeconds))
    return std::move(error);
  for (const BufferData &output : result.outputs) {
    Expected<std::string> again = read(output.buffer);
    if (!again)
      return again.takeError();
    result.wroteLate |= *again != output.bytes;
  }
  for (auto [buffer, block] : zip(plan.buffers, memory)) {
    Expected<bool> isWhole =
        block.hasItsGuards(stream->get(), options.timeoutSeconds);
    if (!isWhole)
      return isWhole.takeError();
    if (!*isWhole)
      result.writtenOutside.push_back(buffer.name);
  }
  return result;
}

} // namespace evo::cuda
