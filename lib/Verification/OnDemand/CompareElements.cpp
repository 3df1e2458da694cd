// Elements of a reference of tensors, for those that a block wrote.
#include "Verification/SampledBlockRun.h"
#include <set>

using namespace mlir;
using namespace evo;

/// Runs a launch of the reference by elements for some of one output; null,
/// with the reason noted, where that is over budget.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runElements(unsigned output, unsigned launch,
                                ArrayRef<uint64_t> places) {
  auto run = prepare(elements->plan);
  if (!run) {
    skipped = "the reference: " + llvm::toString(run.takeError());
    return nullptr;
  }
  Run &r = **run;
  r.values.buffers[ElementReference::places] =
      r.memory.addBuffer(ElementReference::makePlaces(places));
  if (llvm::Error error = runBlockOn(
          r,
          {.plan = elements->plan, .launch = launch, .block = 0, .cut = Cut()},
          optionsOfJudge())) {
    skipped = "the reference: " + llvm::toString(std::move(error));
    return nullptr;
  }
  if (!r.result.clean()) {
    const sim::Finding &first = r.result.findings.front();
    const bool isOver = first.kind == sim::FindingKind::BudgetExceeded;
    overBudget |= isOver;
    skipped = isOver
                  ? "an element of the reference is over budget"
                  : std::string("the reference fails: ") +
                        sim::findingKindName(first.kind) + ": " + first.message;
    return nullptr;
  }
  r.values.buffers[r.outputs[output].getName().getValue()] =
      r.values.buffers.lookup(elements->results[output]);
  r.again = [this, output, launch, places = SmallVector<uint64_t>(places)] {
    return runElements(output, launch, places);
  };
  return std::move(*run);
}

std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runFewElements(unsigned output, ArrayRef<uint64_t> places) {
  return runElements(output, elements->getLaunch(output), places);
}

/// How many elements of an output the budget allows for one block: long rows
/// are summed by each lane. Zero where it does not allow one. That one is run
/// where it is not known yet, by a warp if it can be, and then left in `one`.
unsigned SampledBlocksTrial::countAtOnce(unsigned output, uint64_t element,
                                         std::unique_ptr<Run> &one) {
  auto [known, isNew] = atOnce.try_emplace(output, 0);
  if (!isNew)
    return known->second;
  one = runFewElements(output, {element});
  if (!one)
    return 0;
  const uint64_t each =
      std::max<uint64_t>(1, one->result.stats.laneInstructions);
  // Blocks of four places, and some by chance, are to be compared.
  constexpr uint64_t usualBlocks = 8;
  const uint64_t share =
      std::min(budget.ofReference, budget.leftOfReference / usualBlocks);
  known->second = static_cast<unsigned>(
      std::clamp<uint64_t>(share / each, 1, ElementReference::threads));
  return known->second;
}

/// Whether elements that differ from what a warp computed are right by the
/// order of the whole reference, one by one: a sum may be as bad as that one.
bool SampledBlocksTrial::areRightInOrder(unsigned output,
                                         ArrayRef<uint64_t> places,
                                         const Run &got) {
  const std::optional<Comparison> found = difference;
  const std::string before = skipped;
  for (uint64_t place : places) {
    std::unique_ptr<Run> one = runElements(output, output, {place});
    skipped = before;
    difference.reset();
    if (one)
      compare(*one, got);
    if (!one || difference) {
      if (!difference)
        difference = found;
      return false;
    }
  }
  return true;
}

/// Of what a block wrote, the element to compare where there is time for one:
/// what is not finite, for most data are, or where an input of the same shape
/// stands out, which tells most of what it is scaled by, or the last one.
uint64_t SampledBlocksTrial::findTelling(const Run &got, ArgumentAttr output,
                                         const Elements &written) {
  const sim::BufferId id = got.getId(output);
  const uint64_t size = getElementBytes(output.getElementType());
  for (uint64_t element : written)
    if (!isFinite(output, got.memory, id, element * size))
      return element;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (auto place = standsOut.find(arg.getName().getValue());
        place != standsOut.end() &&
        arg.getDimStrings() == output.getDimStrings() &&
        llvm::is_contained(written, place->second))
      return place->second;
  return written.back();
}

/// Of each output the first and the last element that the block wrote, and
/// some by chance.
void SampledBlocksTrial::compareElements(const Run &got) {
  Random random(seed ^ (got.block + 1));
  for (auto [number, arg] : llvm::enumerate(got.outputs)) {
    const auto output = static_cast<unsigned>(number);
    const Elements written = listWritten(got, output);
    if (written.empty())
      continue;
    const uint64_t first = findTelling(got, arg, written);
    std::unique_ptr<Run> wanted;
    const unsigned atOnce = countAtOnce(output, first, wanted);
    if (!atOnce)
      return;
    const size_t max = std::min<size_t>(written.size(), atOnce);
    std::set<uint64_t> chosen = {first};
    for (uint64_t end : {written.back(), written.front()})
      if (chosen.size() < max)
        chosen.insert(end);
    while (chosen.size() < max)
      chosen.insert(written[random.below(written.size())]);
    const std::vector<uint64_t> places(chosen.begin(), chosen.end());
    // Where there is time for one per lane, all lanes have something to do.
    const unsigned launch = atOnce == ElementReference::threads
                                ? output
                                : elements->getLaunch(output);
    if (!wanted || max > 1)
      wanted = runElements(output, launch, places);
    if (!wanted)
      return;
    compare(*wanted, got);
    if (difference &&
        (launch == output || !areRightInOrder(output, places, got)))
      return;
    difference.reset();
  }
}
