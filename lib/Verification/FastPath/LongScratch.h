// Scratch as long as a workload's data, which launches hand to each other.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_LONGSCRATCH_H
#define EVO_LIB_VERIFICATION_FASTPATH_LONGSCRATCH_H

#include "FastEngine.h"
#include "PlanRun.h"

namespace evo {

/// Launches that make each element of long scratch of the elements at the same
/// place of long buffers, as they are left where nothing was fused: where those
/// buffers hold few terms (FewTerms.h), scratch is one number but for as many
/// places. The blocks that write these run, which are at random places; that
/// no other block would do anything else is taken from them, and none of it
/// where one of them reads elsewhere, or has another number.
class LongScratch {
public:
  /// In ascending order, of long buffers, by name.
  using Terms =
      llvm::ArrayRef<std::pair<llvm::StringRef, std::vector<uint64_t>>>;

  /// Long buffers of `run` are sparse; it gets scratch.
  LongScratch(KernelOp kernel, PlanRun &run, Terms terms, FastEngine &engine,
              const sim::Options &options)
      : kernel(kernel), at(run), terms(terms), engine(engine),
        options(options) {}

  /// Runs what fills scratch that is as long as the buffers are, all of which
  /// have one length; the other launches, or why that cannot be.
  llvm::Expected<std::vector<size_t>>
  run(llvm::ArrayRef<ExecutablePlan::ScratchBuffer> scratch);
  /// What to add to a memory: buffers that are only read, and whose bytes are
  /// those of the run, which has to live as long.
  std::vector<sim::BufferSpec> makeSpecs() const;

private:
  struct Filled {
    sim::BufferSpec spec;
    sim::BufferId id;
    unsigned size;       ///< bytes of an element
    uint64_t number = 0; ///< its bits, where no term is
    std::vector<uint64_t> apart;
  };
  KernelOp kernel;
  PlanRun &at;
  Terms terms;
  FastEngine &engine;
  sim::Options options;
  uint64_t elements = 0;        ///< of each long buffer
  std::vector<uint64_t> places; ///< of all terms
  std::vector<Filled> filled;

  std::optional<std::string> takeTerms();
  std::optional<std::string> findShortUse(size_t launch) const;
  std::optional<std::string> runLaunch(size_t launch);
  std::optional<std::string> readNumber(Filled &of) const;
  std::vector<uint64_t> listUnits(sim::BufferId id, unsigned size) const;
};

} // namespace evo

#endif
