// Draws samples as the check `usual-shapes` does, and compares what a device
// made of them.
#include "evo/Verification/DeviceSamples.h"
#include "SampleRunner.h"
#include "Verdict/Evidence.h"
#include "Verification/Checks/Registry.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Support/OwnDiagnostics.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

/// Few, for each variant that is measured has to pass them.
static constexpr unsigned numShapes = 4, distributionsOfEach = 2;
static constexpr int64_t maxWork = 150'000;
/// Of all buffers of a sample.
static constexpr uint64_t maxBytes = uint64_t(4) << 20;
/// No number that is computed is likely to be made of either.
static constexpr unsigned char poisons[] = {0xff, 0x5b};

static uint64_t countBytes(const TrialInputs &inputs) {
  uint64_t bytes = 0;
  for (const TrialInputs::Buffer &buffer : inputs.buffers)
    bytes += buffer.elements * getElementBytes(buffer.arg.getElementType());
  return bytes;
}

static DeviceSample describe(KernelOp kernel, const TrialInputs &inputs) {
  DeviceSample sample;
  sample.sizes = inputs.sizes;
  for (const auto &[name, value] : inputs.floats) {
    Type type = kernel.lookupArgument(name).getElementType();
    std::string &bytes = sample.scalars[name];
    bytes.resize(getElementBytes(type));
    encodeFloat(type, value, bytes.data());
  }
  for (const TrialInputs::Buffer &buffer : inputs.buffers)
    sample.buffers.push_back(
        {buffer.arg.getName().getValue(),
         StringRef(buffer.contents.data(), buffer.contents.size()),
         buffer.alignmentOffset});
  return sample;
}

/// Whether an element holds nothing but a poison.
static bool holdsPoison(StringRef element, unsigned char poison) {
  return llvm::all_of(element, [&](char byte) { return byte == char(poison); });
}

/// The memory that a run on the CPU with the same results would leave. Elements
/// that hold the poison after either run were not written.
static llvm::Expected<TrialRun> rebuild(const TrialInputs &inputs,
                                        const sim::Options &engine,
                                        const DeviceResult (&results)[2],
                                        unsigned which) {
  const DeviceResult &result = results[which], &other = results[1 - which];
  llvm::Expected<TrialRun> run = setUpTrial(inputs, engine);
  if (!run)
    return run;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    if (!buffer.arg.isWritten())
      continue;
    StringRef name = buffer.arg.getName().getValue();
    const unsigned size = getElementBytes(buffer.arg.getElementType());
    auto ofResult = result.outputs.find(name),
         ofOther = other.outputs.find(name);
    if (ofResult == result.outputs.end() || ofOther == other.outputs.end())
      // unreachable: unless the process that has the device is another one's
      return llvm::createStringError("the device left no '" + name + "'");
    StringRef bytes = ofResult->second, others = ofOther->second;
    if (bytes.size() != buffer.elements * size || others.size() != bytes.size())
      // unreachable: the same
      return llvm::createStringError("'" + name + "' has another size there");
    const sim::BufferId id = run->values.buffers.lookup(name);
    for (uint64_t at = 0; at < buffer.elements * size; at += size) {
      StringRef element = bytes.substr(at, size);
      bool isUnwritten =
          !buffer.arg.isRead() && holdsPoison(element, poisons[which]) &&
          holdsPoison(others.substr(at, size), poisons[1 - which]);
      if (!isUnwritten)
        run->memory->write(id, at, element.data(), size);
    }
  }
  return run;
}

namespace {
class DeviceTrial {
public:
  DeviceTrial(VerificationState &state, RunOnDevice run)
      : state(state), runner(state), runOnDevice(run) {}

  /// Tries the samples; a refutation is left in the state.
  llvm::Error tryAll();
  unsigned countSamples() const { return tried; }

private:
  VerificationState &state;
  SampleRunner runner;
  RunOnDevice runOnDevice;
  unsigned tried = 0;

  llvm::Error trySample(const TrialInputs &inputs, Distribution distribution);
};
} // namespace

llvm::Error DeviceTrial::trySample(const TrialInputs &inputs,
                                   Distribution distribution) {
  SampleKind kind;
  kind.values = getDistributionName(distribution);
  auto wanted = runner.runReference(inputs, kind);
  if (failed(wanted)) // which has been said when it was verified
    return llvm::Error::success();
  if (!*wanted) {
    state.refutation.reset(); // one of the reference, if any
    return llvm::Error::success();
  }
  const DeviceSample sample = describe(state.kernel, inputs);
  DeviceResult results[2];
  for (auto [result, poison] : llvm::zip_equal(results, poisons)) {
    llvm::Expected<DeviceResult> left = runOnDevice(sample, poison);
    if (!left)
      return left.takeError();
    result = std::move(*left);
    if (!result.reason)
      continue;
    state.refutation = Refutation(*result.reason, result.message);
    runner.locateRefutation(inputs, kind.values);
    return llvm::Error::success();
  }
  ++tried;
  for (unsigned which : {0, 1}) {
    llvm::Expected<TrialRun> got =
        rebuild(inputs, state.engineOptions(), results, which);
    if (!got)
      return got.takeError();
    runner.compare(inputs, **wanted, *got, kind);
    if (state.refutation)
      break;
  }
  runner.locateRefutation(inputs, kind.values);
  return llvm::Error::success();
}

llvm::Error DeviceTrial::tryAll() {
  std::vector<Bindings> shapes = sampleShapes(
      state.kernel, state.plan, state.getConstants(), state.options.target,
      numShapes, maxWork,
      [&](const Bindings &sizes) { return state.estimateWork(sizes); },
      state.random.split());
  unsigned drawn = 0;
  for (const Bindings &sizes : shapes)
    for (unsigned i = 0; i < distributionsOfEach; ++i) {
      // Special is last, and only for some.
      auto distribution = static_cast<Distribution>(
          i == 0 ? 0
                 : 1 + (state.options.seed + drawn++) % (numDistributions - 2));
      llvm::Expected<TrialInputs> inputs = drawInputs(
          state.kernel, sizes, distribution, {}, state.random.split());
      if (!inputs) {
        llvm::consumeError(inputs.takeError()); // sizes that are too large
        continue;
      }
      if (countBytes(*inputs) > maxBytes ||
          !state.reference->launchesBlocks(sizes))
        continue;
      if (llvm::Error error = trySample(*inputs, distribution))
        return error;
      if (state.refutation)
        return llvm::Error::success();
    }
  return llvm::Error::success();
}

llvm::Expected<EvidenceAttr>
evo::verifyOnDevice(VariantOp variant, const VerificationOptions &options,
                    DeviceBuilder &builder, RunOnDevice run) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  MLIRContext *context = variant.getContext();
  auto kernel = cast<KernelOp>(variant->getParentOp());
  VerificationState state(kernel, variant, options, builder);
  // All that can be wrong with it was said when it was verified.
  OwnDiagnosticHandler handler(context, [](Diagnostic &) { return success(); });
  if (failed(checks::build.run(state, Budget(options.effort))) ||
      state.refutation || state.hash != evidence.getHash().getValue())
    return evidence;
  DeviceTrial trial(state, run);
  if (llvm::Error error = trial.tryAll())
    return std::move(error);
  Builder b(context);
  auto add = [&](EvidenceAttr to, StringRef processors) {
    NamedAttrList details(to.getDetails());
    details.set(evidence::processors.name, b.getStringAttr(processors));
    if (trial.countSamples())
      details.set(evidence::deviceSamples.name,
                  b.getI64IntegerAttr(trial.countSamples()));
    return EvidenceAttr::get(context, to.getGrade(), to.getHash(),
                             details.getDictionary(context));
  };
  if (state.refutation) {
    state.refutation->message = "on the device " + state.refutation->message;
    return add(writeEvidence(state), "gpu");
  }
  return trial.countSamples() ? add(evidence, "both") : evidence;
}
