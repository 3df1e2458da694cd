// All blocks and all launches of reference and candidate at one large size, by
// the fast path.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_FULLGRID_H
#define EVO_LIB_VERIFICATION_FASTPATH_FULLGRID_H

#include "FastEngine.h"
#include "Verification/Compare.h"
#include "Verification/OnDemand/ElementReference.h"
#include "evo/Simulator/Terms.h"
#include <chrono>

namespace evo {

/// What the runs of one trial may take together. Effort that is counted decides
/// alike on any machine; the time is that of a caller who is in a hurry.
struct FullGridLimits {
  uint64_t instructions; ///< of lanes; compiled ones are counted by an eighth
  double seconds = 3600;
  /// Of a block that is run once more for its bounds; where those have taken
  /// more together, no further element is judged.
  uint64_t ofBlock = 200'000'000;
  /// Of a block that is run again only to see that the engines agree.
  uint64_t ofSelfCheck = 4'000'000;
  /// Kernels that are not compiled, too.
  bool mayInterpret = false;
  /// The min share of a tensor's typical size by which a float whose own bound
  /// is not known may differ.
  double minShare = 0;
};

/// What buffers hold at a large size.
enum class LongData {
  ByPlace, ///< functions of their places
  /// All alike but for one near the beginning and a larger one near the end of
  /// each row.
  Alike,
  AlikeWithDips, ///< the same, but what stands out is smaller
  AlikeAsPeak,   ///< the same, and what is alone is as large as what stands out
  /// Integers of short types, or of a range of numbers, are the largest that
  /// there may be, or the lowest; all others are functions of their places.
  Extremes,
  /// Numbers within a range are each that of the element before; all others are
  /// functions of their places.
  Paths,
};

/// Compares bits, and asks the faithful engine for shadow values and bounds
/// where they differ by more than rounding may: of the reference's block that
/// wrote the element.
class FullGridTrial {
public:
  FullGridTrial(KernelOp kernel, const ExecutablePlan &reference,
                const ExecutablePlan &candidate, FastEngine &engine,
                sim::Options options, Bindings sizes, uint64_t seed,
                FullGridLimits limits)
      : kernel(kernel), reference(reference), candidate(candidate),
        engine(engine), options(options), sizes(std::move(sizes)), seed(seed),
        limits(limits), instructionsLeft(limits.instructions),
        end(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(limits.seconds))) {
  }

  /// Whether both engines leave the same bits, of all blocks of both plans: at
  /// a size where the faithful one can run them all.
  bool doEnginesAgree();
  void run();
  /// Whether the candidate has a finding or a result that differs by more than
  /// rounding would make likely: what is worth a sample of its own.
  bool seemsOther();
  /// What both took so far of what they may.
  uint64_t countInstructions() const {
    return limits.instructions - instructionsLeft;
  }

  LongData data = LongData::ByPlace;
  /// The reference by elements, where it is one of tensors that has them.
  const ElementReference *elements = nullptr;

  std::optional<sim::Finding> finding; ///< of the candidate
  std::optional<Comparison> difference;
  std::string argument; ///< in which it is
  std::string skipped;  ///< why nothing can be said, if so
  uint64_t compared = 0;

private:
  struct Run;
  /// An element that differs, and by how much of the tensor's typical size.
  struct Suspect {
    ArgumentAttr arg;
    uint64_t index;
    double distance;
    uint64_t wanted = 0, found = 0; ///< bits
  };
  KernelOp kernel;
  const ExecutablePlan &reference, &candidate;
  FastEngine &engine;
  sim::Options options;
  Bindings sizes;
  uint64_t seed;
  FullGridLimits limits;
  uint64_t instructionsLeft;
  uint64_t spentOnBounds = 0; ///< lane instructions, about
  using Clock = std::chrono::steady_clock;
  Clock::time_point end; ///< when all is given up

  /// A run of a plan, or of some of its blocks, by the fast path, within what
  /// is left.
  llvm::Expected<sim::LaunchResult>
  runFast(Run &run, llvm::ArrayRef<uint64_t> blocks = {});
  llvm::Expected<std::unique_ptr<Run>> setUp(const ExecutablePlan &plan,
                                             const Run *like);
  bool fill(Run &run, ArgumentAttr arg, const Run *like);
  llvm::Expected<std::unique_ptr<Run>> runWhole(const ExecutablePlan &plan,
                                                const Run *like);
  /// Runs one block of a plan with a single launch by the faithful engine.
  bool runFaithfully(Run &run, uint64_t block, sim::Shadow shadow,
                     uint64_t limit);
  std::optional<uint64_t> findWriter(Run &run, const Suspect &suspect);
  /// The only block that wrote the element, run again; whether it left `bits`.
  enum class Repeat { Same, Other, Unknown };
  Repeat repeat(Run &run, const Suspect &suspect, uint64_t bits,
                sim::Shadow shadow);
  /// The suspect by itself, which takes the place of what the whole reference
  /// left: its sums may be in another order.
  Repeat repeatElement(Run &run, const Suspect &suspect, sim::Shadow shadow);
  bool takeAnyOrder(Run &wanted, const Suspect &suspect, sim::SumModel model);
  sim::TermsArena *terms = nullptr; ///< where that one's terms go
  bool agreesOnBlocks(const ExecutablePlan &plan, const Run &run);
  void compareBits(const Run &wanted, const Run &got, ArgumentAttr arg);
  void judge(Run &wanted, Run &got, const Suspect &suspect);
  double countTerms(const Run &run, ArgumentAttr arg);
  double getCoarseShare(const Run &run, ArgumentAttr arg);
  std::vector<Suspect> suspects;
  llvm::StringMap<double> scales;
};

} // namespace evo

#endif
