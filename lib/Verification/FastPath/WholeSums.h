// All blocks of all launches at the size of a workload, where results are sums
// over all of its data.
#ifndef EVO_LIB_VERIFICATION_FASTPATH_WHOLESUMS_H
#define EVO_LIB_VERIFICATION_FASTPATH_WHOLESUMS_H

#include "FastEngine.h"
#include "Verification/Compare.h"
#include "Verification/OnDemand/ElementReference.h"

namespace evo {

/// What a trial may take.
struct WholeSumsLimits {
  /// Of lanes, for each of the two; compiled ones of warps are counted by an
  /// eighth.
  uint64_t instructions;
  double seconds; ///< for each of the two
};

/// Runs the candidate as machine code on buffers of the workload's own size
/// that hold few terms (FewTerms.h). Of the reference some elements are
/// computed, or, where it is not one of tensors, all of it. Launches that fill
/// scratch as long as the data run at the terms alone. Where a result is
/// itself too large for memory, the last launch alone may write it, and a few
/// of its blocks run.
class WholeSumsTrial {
public:
  WholeSumsTrial(KernelOp kernel, const ExecutablePlan &reference,
                 const ElementReference *elements,
                 const ExecutablePlan &candidate, FastEngine &engine,
                 sim::Options options, Bindings sizes, uint64_t seed,
                 WholeSumsLimits limits)
      : kernel(kernel), reference(reference), elements(elements),
        candidate(candidate), engine(engine), options(options),
        sizes(std::move(sizes)), seed(seed), limits(limits) {}

  /// Whether a number for the rest of the data is known that adds nothing to
  /// the reference's results, by what these are at small sizes; those have to
  /// be `allowed`. To be asked first.
  bool findNeutral(llvm::function_ref<bool(const Bindings &)> allowed);
  void run();

  std::optional<sim::Finding> finding; ///< of the candidate
  std::optional<Comparison> difference;
  std::string argument; ///< in which it is
  std::string skipped;  ///< why nothing can be said, if so
  uint64_t compared = 0;

private:
  struct Run;
  KernelOp kernel;
  const ExecutablePlan &reference;
  const ElementReference *elements;
  const ExecutablePlan &candidate;
  FastEngine &engine;
  sim::Options options;
  Bindings sizes;
  uint64_t seed;
  WholeSumsLimits limits;
  /// What adds nothing: that number in long inputs, and in the floats of others
  /// if it is `ofAll`.
  struct Neutral {
    double number = 0;
    bool ofAll = false;
  };
  Neutral neutral;

  using Elements = std::vector<uint64_t>;
  llvm::Expected<std::unique_ptr<Run>> setUp(const ExecutablePlan &plan,
                                             bool isSparse = false);
  sim::Options limitOptions() const;
  bool hasManyResults(const Run &run) const;
  bool runWhole(Run &run, llvm::StringRef whose);
  bool runLaunches(Run &run, llvm::StringRef whose);
  /// Why that cannot be, if so.
  std::optional<std::string> runAtTerms(Run &run);
  std::unique_ptr<Run> runReference(unsigned output, const Elements &places);
  Elements choose(const Run &run, ArgumentAttr arg) const;
  void compare(const Run &wanted, const Run &got, ArgumentAttr arg,
               const Elements &places);
  bool isNeutral(const Neutral &tried,
                 llvm::function_ref<bool(const Bindings &)> allowed);
  std::optional<std::vector<double>> getFirstResults(const Bindings &small,
                                                     const Neutral &tried);
  sim::PageContents getShort(ArgumentAttr arg, const Bindings &at,
                             uint64_t elements, uint64_t ordinal,
                             const Neutral &tried) const;
  unsigned countBits() const;
};

} // namespace evo

#endif
