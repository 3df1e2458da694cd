// Whether single elements are those of the whole reference.
#include "ElementReference.h"
#include "Verification/Compare.h"
#include "Verification/Trial.h"
#include "evo/Verification/Values.h"
#include <cstring>
#include <set>

using namespace mlir;
using namespace evo;

sim::BufferSpec ElementReference::makePlaces(ArrayRef<uint64_t> elements) {
  assert(elements.size() <= threads && "too many at once");
  std::vector<int64_t> all(elements.begin(), elements.end());
  all.resize(threads, -1);
  sim::BufferSpec spec;
  spec.name = places;
  spec.bytes = all.size() * sizeof(int64_t);
  spec.kind = sim::ElementKind::Int;
  spec.readOnly = spec.initialized = spec.sparse = true;
  spec.fill = [all = std::move(all)](uint64_t offset, char *bytes,
                                     uint64_t size) {
    std::memcpy(bytes, reinterpret_cast<const char *>(all.data()) + offset,
                size);
  };
  return spec;
}

/// Up to `max` numbers below `count`, the ends among them.
static std::vector<uint64_t> choose(uint64_t count, uint64_t max,
                                    Random &random) {
  std::set<uint64_t> chosen;
  if (count <= max)
    for (uint64_t i = 0; i < count; ++i)
      chosen.insert(i);
  else
    for (chosen = {0, count - 1}; chosen.size() < max;)
      chosen.insert(random.below(count));
  return {chosen.begin(), chosen.end()};
}

std::optional<std::string>
ElementReference::findMismatch(KernelOp kernel, const ExecutablePlan &whole,
                               const Bindings &sizes, uint64_t max,
                               uint64_t seed) const {
  Random random(seed);
  llvm::Expected<TrialInputs> inputs = drawInputs(
      kernel, sizes, Distribution::Normal, {}, random.split(), false);
  if (!inputs)
    return llvm::toString(inputs.takeError());
  sim::Options judge;
  judge.shadow = sim::Shadow::ValueAndError;
  llvm::Expected<TrialRun> wanted = runTrial(whole, *inputs, judge, 0);
  if (!wanted)
    return llvm::toString(wanted.takeError());
  if (!wanted->result.clean())
    return wanted->result.findings.front().message;
  auto find = [&](const TrialInputs::Buffer &buffer, unsigned output,
                  unsigned launch,
                  ArrayRef<uint64_t> part) -> std::optional<std::string> {
    llvm::Expected<TrialRun> got = setUpTrial(*inputs, {});
    if (!got)
      return llvm::toString(got.takeError());
    got->values.buffers[places] = got->memory->addBuffer(makePlaces(part));
    sim::Options options;
    options.checkUninitialized = false; // of what an output held
    llvm::Expected<sim::LaunchResult> result =
        plan.runAlone(launch, got->values, *got->memory, options,
                      [](const ExecutablePlan::Configuration &,
                         sim::LaunchParams &, sim::Options &) {});
    if (!result)
      return llvm::toString(result.takeError());
    if (!result->clean())
      return result->findings.front().message;
    const Type type = buffer.arg.getElementType();
    const unsigned size = getElementBytes(type);
    sim::BufferId ours = wanted->values.buffers.lookup(
                      buffer.arg.getName().getValue()),
                  theirs = got->values.buffers.lookup(results[output]);
    const double scale =
        launch == output
            ? 0
            : getRootMeanSquare(type, wanted->memory->bytes(ours),
                                buffer.elements, [&](uint64_t i) {
                                  return wanted->memory->isInitialized(
                                      ours, i * size);
                                });
    for (uint64_t element : part) {
      uint64_t bits[2] = {0, 0};
      std::memcpy(&bits[0], wanted->memory->bytes(ours) + element * size, size);
      std::memcpy(&bits[1], got->memory->bytes(theirs) + element * size, size);
      const bool isWritten = got->memory->isInitialized(theirs, element * size);
      const bool isSame =
          launch == output
              ? isWritten && bits[0] == bits[1]
              : compareElement(buffer.arg, kernel.getAccuracyAttr(), element,
                               scale, bits[0], bits[1], isWritten,
                               wanted->memory.get(), ours, /*share=*/0)
                    .withinBound;
      if (!isSame)
        return "element " + std::to_string(element) + " of '" +
               buffer.arg.getName().str() +
               "' is another by itself than in the whole";
    }
    return std::nullopt;
  };
  unsigned output = 0;
  for (const TrialInputs::Buffer &buffer : inputs->buffers) {
    if (!buffer.arg.isWritten())
      continue;
    std::vector<uint64_t> all = choose(buffer.elements, max, random);
    for (size_t first = 0; first < all.size(); first += threads) {
      ArrayRef<uint64_t> part = llvm::ArrayRef(all).slice(
          first, std::min<size_t>(threads, all.size() - first));
      for (std::optional<unsigned> launch :
           {std::optional<unsigned>(output), byWarp[output]})
        if (launch)
          if (std::optional<std::string> mismatch =
                  find(buffer, output, *launch, part))
            return mismatch;
    }
    ++output;
  }
  return std::nullopt;
}
