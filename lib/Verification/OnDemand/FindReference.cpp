// Which block or warp of the reference writes a place.
#include "Verification/SampledBlockRun.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;

/// Steps of the search for a block of the reference.
static constexpr unsigned maxProbes = 48;

/// A unit of a model of it: a block or a warp, or what its launch is cut into.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::runReferenceUnit(const WriterModel &model, uint64_t unit,
                                     bool judged) {
  if (getCut(reference, *ofReference).parts > 1)
    return runReference(unit, 0, 0, judged);
  return runReference(unit / model.getParts(),
                      static_cast<unsigned>(unit % model.getParts()), 0,
                      judged);
}

bool SampledBlocksTrial::wrote(const Run &run, const Place &place) {
  return run.writes.has(place.first, place.second);
}

/// The last of `count` units whose first written place is not beyond `target`,
/// or one that wrote `target`; null where a probe fails.
std::unique_ptr<SampledBlocksTrial::Run> SampledBlocksTrial::bisect(
    uint64_t count, const Place &target,
    llvm::function_ref<std::unique_ptr<Run>(uint64_t)> probe, uint64_t &found) {
  std::unique_ptr<Run> last;
  for (uint64_t low = 0, high = count; low < high;) {
    uint64_t middle = low + (high - low) / 2;
    std::unique_ptr<Run> run = probe(middle);
    if (!run)
      return nullptr;
    auto first = run->writes.first(target.first);
    if (!first || *first > target.second) {
      high = middle;
      continue;
    }
    low = middle + 1;
    last = std::move(run);
    found = middle;
    if (wrote(*last, target))
      break;
  }
  return last;
}

/// Looks for the block (or, where its warps do not wait for each other, the
/// warp) of one launch that wrote `target`, or comes closest. Along each
/// direction of the grid blocks are taken to write in the order of their
/// numbers; the direction with the widest steps comes first, as the rows of
/// tiles do before their columns.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::search(const Place &target, bool byWarps, Probe run) {
  std::unique_ptr<Run> origin = run(0, 0);
  if (!origin || wrote(*origin, target))
    return origin;
  if (!origin->writes.first(target.first))
    return nullptr;
  unsigned probes = 0;
  auto probe = [&](uint64_t block, unsigned warp) -> std::unique_ptr<Run> {
    return ++probes > maxProbes ? nullptr : run(block, warp);
  };
  struct Direction {
    uint64_t step, stride, extent;
  };
  SmallVector<Direction, 4> directions;
  uint64_t stride = 1;
  for (uint64_t extent : {uint64_t(origin->parts), uint64_t(origin->grid.x),
                          uint64_t(origin->grid.y), uint64_t(origin->grid.z)}) {
    if (extent > 1) {
      std::unique_ptr<Run> next = probe(stride, 0);
      auto first = next ? next->writes.first(target.first) : std::nullopt;
      if (first)
        directions.push_back({*first, stride, extent});
    }
    stride *= extent;
  }
  llvm::sort(directions, [](const Direction &a, const Direction &b) {
    return a.step > b.step;
  });
  uint64_t block = 0, number = 0;
  std::unique_ptr<Run> found;
  for (const Direction &direction : directions) {
    found = bisect(
        direction.extent, target,
        [&](uint64_t n) { return probe(block + n * direction.stride, 0); },
        number);
    if (!found || wrote(*found, target))
      break;
    block += number * direction.stride;
  }
  if (byWarps && found && !wrote(*found, target) && !origin->hasBarriers)
    found = bisect(
        origin->warps, target, [&](uint64_t n) { return probe(block, n); },
        number);
  return found && wrote(*found, target) ? std::move(found) : nullptr;
}

/// The block or warp of the reference that writes `target`, which is looked for
/// at `part` of its grid first. Shadow values are for the one that is found.
std::unique_ptr<SampledBlocksTrial::Run>
SampledBlocksTrial::findReference(unsigned output, const Place &target,
                                  double part) {
  if (!ofReference)
    return runChainedReference(target);
  uint64_t blocks = countUnits(reference, ofReference.value_or(0));
  const bool isCutFiner = getCut(reference, *ofReference).parts > 1;
  const double place = part * double(blocks);
  uint64_t near =
      std::min(static_cast<uint64_t>(place), std::max<uint64_t>(1, blocks) - 1);
  const double warp = std::max(0.0, place - double(near));
  std::unique_ptr<Run> guess = runReference(near, 0, warp, /*judged=*/false);
  if (!guess)
    return nullptr;
  if (wrote(*guess, target))
    return runReference(near, 0, warp);
  const unsigned size =
      getElementBytes(guess->outputs[output].getElementType());
  for (bool byDigits : {false, true}) {
    const WriterModel *model = learnReference(output, byDigits);
    if (!model)
      break;
    for (uint64_t unit : model->predict(target.second / size)) {
      std::unique_ptr<Run> run = runReferenceUnit(*model, unit);
      if (!run || wrote(*run, target))
        return run;
    }
    if (model->isByDigits())
      break;
  }
  std::unique_ptr<Run> found = search(
      target, /*byWarps=*/!isCutFiner, [&](uint64_t block, unsigned warp) {
        return runReference(block, warp, 0, /*judged=*/false);
      });
  if (found)
    return runReference(found->block, found->warp);
  if (skipped.empty())
    skipped = "no block of the reference was found that writes there";
  return nullptr;
}
