// Blocks that are under way together. Each has registers, shared and local
// memory of its own; the launcher works on those of the block whose turn it is.
// A block runs until it waits, is held, gives up its turn or has ended. Another
// block begins only where all that are under way wait, unless turns are given
// up by chance: so blocks that wait for nobody run one after another, as
// without a schedule.
#include "Simulator/IR/Numeric.h"
#include "Simulator/Interp/Launcher.h"

namespace evo::sim {

struct Launcher::Resident {
  std::vector<Region> shared{1}, locals{1};
  std::vector<Warp> warps;
  std::unique_ptr<AsyncCopies> copies;
  uint32_t arrivals[16] = {};
  std::vector<unsigned> warpOrder;
  Random warpRandom{0};
  uint32_t ctaid[3] = {};
  RaceDetector::BlockState races;
  LateStores late;
  bool isChosen = false, hasEnded = false, isSetUp = false;

  bool isHeld() const {
    return !late.isEmpty() ||
           llvm::any_of(warps, [](const Warp &w) { return w.held; });
  }
};

bool Launcher::setUpTurns() {
  const Schedule *schedule = options.schedule;
  if (!schedule)
    return true;
  auto find = [&](std::optional<uint32_t> at) {
    const bool isHere =
        at && schedule->kernel == k->name && *at < k->code.size();
    return isHere ? &k->code[*at] : nullptr;
  };
  turns.emplace(*schedule,
                TurnedAccesses{find(schedule->held), find(schedule->late)});
  return true;
}

/// Exchanges what the launcher works on for what belongs to `other`.
void Launcher::switchTo(Resident &other) {
  shared.swap(other.shared);
  locals.swap(other.locals);
  warps.swap(other.warps);
  warpOrder.swap(other.warpOrder);
  std::swap(copies, other.copies);
  std::swap(arrivals, other.arrivals);
  std::swap(warpRandom, other.warpRandom);
  std::swap(x.ctaid, other.ctaid);
  x.copies = copies.get();
  x.tables[SpaceShared] = shared.data();
  x.tables[SpaceLocal] = locals.data();
  if (races)
    races->exchange(other.races);
}

bool Launcher::interleave(uint64_t blocks,
                          llvm::function_ref<uint64_t(uint64_t)> at) {
  using Who = Schedule::Who;
  const Schedule &schedule = *options.schedule;
  const bool hasCopies = copies != nullptr;
  x.turns = &*turns;
  x.rounds = nullptr; // which are of one block
  Random random(schedule.turnSeed);
  std::vector<std::unique_ptr<Resident>> underWay, spare;
  uint64_t begun = 0;
  auto enter = [&](Resident &r) {
    switchTo(r);
    turns->late = &r.late;
    turns->holdsBlock = r.isChosen;
    r.late.show();
  };
  auto leave = [&](Resident &r) {
    r.late.hide();
    switchTo(r);
  };
  auto begin = [&] {
    if (spare.empty())
      spare.push_back(std::make_unique<Resident>());
    Resident &r = *spare.back();
    underWay.push_back(std::move(spare.back()));
    spare.pop_back();
    r.isChosen = schedule.who == Who::All ||
                 begun == (schedule.who == Who::First ? 0 : blocks - 1);
    r.hasEnded = false;
    enter(r);
    bool done = r.isSetUp || (setUpBlockMemory() && setUpWarps());
    if (done) {
      if (hasCopies && !copies)
        copies = std::make_unique<AsyncCopies>(x.warps);
      x.copies = copies.get();
      x.tables[SpaceShared] = shared.data();
      x.tables[SpaceLocal] = locals.data();
      r.isSetUp = true;
      beforeBlock = x.laneInstructions;
      startBlock(at(begun++));
    }
    leave(r);
    return done;
  };
  // Runs a block for one turn; answers whether it did anything.
  auto run = [&](Resident &r, bool &failed) {
    if (r.hasEnded)
      return false;
    enter(r);
    bool progress = false;
    Round round;
    turns->left = false;
    while ((round = runRound()) == Round::Going) {
      progress = true;
      if (turns->left)
        break;
    }
    failed = round == Round::Failed;
    if (round == Round::Ended) {
      progress = r.hasEnded = true;
      endBlock();
    }
    leave(r);
    return progress;
  };
  auto letOneGo = [&] {
    auto go = [&](Resident &r) {
      if (!r.isHeld())
        return false;
      r.late.publishHidden();
      for (Warp &w : r.warps)
        w.held = false;
      return true;
    };
    if (!schedule.newestFirst)
      return llvm::any_of(underWay, [&](auto &r) { return go(*r); });
    return llvm::any_of(llvm::reverse(underWay),
                        [&](auto &r) { return go(*r); });
  };
  for (;;) {
    bool progress = false, failed = false;
    if (schedule.turnSeed) {
      if (begun < blocks && underWay.size() < schedule.resident &&
          (underWay.empty() || random.below(2)) && !begin())
        return false;
      for (size_t n = underWay.size(); n > 1; --n)
        std::swap(underWay[n - 1], underWay[random.below(n)]);
    }
    for (std::unique_ptr<Resident> &r : underWay) {
      progress |= run(*r, failed);
      if (failed)
        return false;
    }
    for (size_t i = 0; i < underWay.size();)
      if (underWay[i]->hasEnded && underWay[i]->late.isEmpty()) {
        spare.push_back(std::move(underWay[i]));
        underWay.erase(underWay.begin() + i);
      } else {
        ++i;
      }
    if (underWay.empty() && begun == blocks)
      return true;
    if (progress && !underWay.empty()) {
      stale = 0;
      // Those that wait are asked again once all others have begun.
      if (schedule.turnSeed)
        continue;
    }
    if (begun < blocks && underWay.size() < schedule.resident) {
      if (!begin())
        return false;
      continue;
    }
    if (progress) {
      stale = 0;
      continue;
    }
    if (letOneGo())
      continue;
    if (++stale > maxStaleRounds) {
      enter(*underWay.front());
      reportSpin();
      leave(*underWay.front());
      return false;
    }
  }
}

} // namespace evo::sim
