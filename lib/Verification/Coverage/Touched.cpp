// An observer that keeps a bit for each byte of each buffer, of a run and of
// the launch that is under way: where a later launch goes over what an earlier
// one has read or written, the sum of both hides what the later one leaves out.
#include "Touched.h"

using namespace mlir;
using namespace evo;

namespace {
using Bits = std::vector<uint64_t>;

struct Marks : sim::AccessObserver {
  struct Buffer {
    uint64_t address = 0, bytes = 0;
    Bits read, written;       // before this launch
    Bits readNow, writtenNow; // by this launch; empty: none of it
  };
  std::vector<Buffer> buffers; // by id

  static void mark(Bits &bits, const Buffer &buffer, uint64_t at,
                   uint64_t count) {
    if (bits.empty())
      bits.resize((buffer.bytes + 63) / 64);
    for (uint64_t end = at + count; at < end;) {
      const uint64_t shift = at % 64, run = std::min(64 - shift, end - at);
      bits[at / 64] |= (run == 64 ? ~0ull : (1ull << run) - 1) << shift;
      at += run;
    }
  }
  /// Whether all lanes together touch bytes that follow each other.
  static bool isContiguous(const Event &event) {
    if (event.mask != sim::allLanes)
      return false;
    uint64_t other = 0;
    for (unsigned lane = 1; lane < target::warpSize; ++lane)
      other |= event.addresses[lane] -
               (event.addresses[0] + uint64_t(lane) * event.bytes);
    return other == 0;
  }
  void note(const Event &event, uint64_t address, uint64_t count) {
    // Shared and local variables have higher addresses.
    const uint64_t index = address >> 40;
    if (index == 0 || index > buffers.size())
      return;
    Buffer &buffer = buffers[index - 1];
    const uint64_t at = address - buffer.address;
    if (at + count > buffer.bytes)
      return;
    if (event.access != Access::Store)
      mark(buffer.readNow, buffer, at, count);
    if (event.access != Access::Load)
      mark(buffer.writtenNow, buffer, at, count);
  }
  void access(const Event &event) override {
    if (isContiguous(event)) // as most are
      return note(event, event.addresses[0],
                  uint64_t(event.bytes) * target::warpSize);
    for (sim::LaneMask lanes = event.mask; lanes; lanes &= lanes - 1)
      note(event, event.addresses[sim::firstLane(lanes)], event.bytes);
  }
  static void add(Bits &sum, Bits &bits) {
    for (size_t word = 0; word < bits.size(); ++word)
      sum[word] |= bits[word];
    bits.clear();
  }
  void endLaunch() {
    for (Buffer &buffer : buffers) {
      add(buffer.read, buffer.readNow);
      add(buffer.written, buffer.writtenNow);
    }
  }
  void order(Order, uint32_t, sim::LaneMask) override {}
};
} // namespace

/// The first bytes of elements that have no mark; only among those that have
/// one in `among`, if given.
static std::vector<uint64_t> findGaps(const Bits &bits, const Bits *among,
                                      uint64_t bytes, unsigned size) {
  // Enough for whoever has to look at them one by one.
  constexpr size_t max = 1024;
  std::vector<uint64_t> gaps;
  for (uint64_t word = 0; word < bits.size() && gaps.size() < max; ++word) {
    uint64_t open = ~bits[word];
    if (among)
      open &= (*among)[word];
    for (; open && gaps.size() < max; open &= open - 1) {
      const uint64_t at = word * 64 + __builtin_ctzll(open);
      const uint64_t element = at / size * size;
      if (at < bytes && (gaps.empty() || gaps.back() != element))
        gaps.push_back(element);
    }
  }
  return gaps;
}

llvm::Expected<TouchedRun> evo::runTouched(const ExecutablePlan &plan,
                                           const TrialInputs &inputs,
                                           sim::Options options,
                                           ExecutablePlan::CodePart part) {
  llvm::Expected<TrialRun> run = setUpTrial(inputs, options);
  if (!run)
    return run.takeError();
  Marks marks;
  options.observer = &marks;
  TouchedRun touched;
  auto add = [&](Gap::Kind kind, StringRef name, StringRef kernel,
                 const Bits &bits, const Bits *among, uint64_t bytes,
                 unsigned size) {
    std::vector<uint64_t> gaps = findGaps(bits, among, bytes, size);
    if (!gaps.empty())
      touched.gaps.push_back({kind, name.str(), kernel.str(), std::move(gaps)});
  };
  llvm::StringMap<const TrialInputs::Buffer *> ofContract;
  for (const TrialInputs::Buffer &buffer : inputs.buffers)
    ofContract[buffer.arg.getName().getValue()] = &buffer;

  // What the launch that has just ended left out of what it goes over.
  std::string kernel;
  auto endLaunch = [&] {
    for (const auto &[name, id] : run->values.buffers) {
      if (id >= marks.buffers.size())
        continue;
      const Marks::Buffer &own = marks.buffers[id];
      const TrialInputs::Buffer *known = ofContract.lookup(name);
      const bool isInput = known && known->arg.isRead();
      const unsigned size =
          known ? getElementBytes(known->arg.getElementType()) : 1;
      if (!own.readNow.empty())
        add(isInput ? Gap::Kind::NeverRead : Gap::Kind::NeverUsed, name, kernel,
            own.readNow, isInput ? nullptr : &own.written, own.bytes, size);
      if (!own.writtenNow.empty())
        add(Gap::Kind::LeftAlone, name, kernel, own.writtenNow, &own.written,
            own.bytes, size);
    }
    marks.endLaunch();
  };
  // Scratch is there when the first launch begins.
  auto prepare = [&](const ExecutablePlan::Configuration &configuration,
                     sim::LaunchParams &, sim::Options &) {
    if (!marks.buffers.empty())
      endLaunch();
    kernel = configuration.kernel;
    for (sim::BufferId id = static_cast<sim::BufferId>(marks.buffers.size());
         id < run->memory->size(); ++id) {
      const uint64_t bytes = run->memory->spec(id).bytes;
      const Bits none((bytes + 63) / 64);
      marks.buffers.push_back(
          {run->memory->address(id), bytes, none, none, {}, {}});
    }
  };
  const bool isAll = part == ExecutablePlan::CodePart::All;
  assert(isAll || plan.getNumLaunches() == 1);
  llvm::Expected<sim::LaunchResult> result =
      isAll
          ? plan.runWithHook(run->values, *run->memory, options,
                             /*orderSeed=*/0, prepare)
          : plan.runAlone(0, run->values, *run->memory, options, prepare, part);
  if (!result)
    return result.takeError();
  touched.warpInstructions = result->stats.warpInstructions;
  if (!result->clean()) {
    touched.finding = result->findings.front();
    touched.gaps.clear();
    return touched;
  }
  if (plan.getNumLaunches() > 1)
    endLaunch();
  else
    marks.endLaunch();
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    StringRef name = buffer.arg.getName().getValue();
    const Marks::Buffer &own = marks.buffers[run->values.buffers.lookup(name)];
    const unsigned size = getElementBytes(buffer.arg.getElementType());
    if (buffer.arg.isWritten())
      add(Gap::Kind::NeverWritten, name, "", own.written, nullptr, own.bytes,
          size);
    if (buffer.arg.isRead())
      add(Gap::Kind::NeverRead, name, "", own.read, nullptr, own.bytes, size);
  }
  for (const auto &[name, id] : run->values.buffers) {
    if (ofContract.count(name) || id >= marks.buffers.size())
      continue;
    const Marks::Buffer &own = marks.buffers[id];
    add(Gap::Kind::NeverUsed, name, "", own.read, &own.written, own.bytes, 1);
  }
  if (!isAll)
    llvm::erase_if(touched.gaps, [](const Gap &gap) {
      return gap.kind != Gap::Kind::NeverWritten;
    });
  return touched;
}
