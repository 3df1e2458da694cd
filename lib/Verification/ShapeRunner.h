// Shapes: which samples of one are tried.
#ifndef EVO_LIB_VERIFICATION_SHAPERUNNER_H
#define EVO_LIB_VERIFICATION_SHAPERUNNER_H

#include "SampleRunner.h"

namespace evo {

/// Which samples of one shape are tried.
struct ShapeTrials {
  /// From number `first` to below `end`; number 0 has normal data.
  unsigned end, first = 0;
  uint64_t maxInstructions = 0; // as in SampleKind
  /// The distribution of all data of all of them. Without one, some arguments
  /// have data of another distribution than the sample's.
  std::optional<Distribution> all = {};
  /// That of number 1; otherwise its turn decides.
  std::optional<Distribution> second = {};
  uint64_t maxOfReference = 0; // as in SampleKind
};

class ShapeRunner {
public:
  explicit ShapeRunner(VerificationState &state) : state(state) {}

  /// Fails, with a diagnostic, where the reference is at fault.
  mlir::LogicalResult tryShape(const Bindings &sizes, ShapeTrials trials,
                               Random random);
  /// One after another, each with a generator split off `random`.
  mlir::LogicalResult tryShapes(llvm::ArrayRef<Bindings> shapes,
                                ShapeTrials trials, Random &random);
  /// The same with trials that hang on the shape. A shape at which one run of
  /// both seems to take more lane instructions is made smaller first.
  mlir::LogicalResult
  tryShapes(llvm::ArrayRef<Bindings> shapes,
            llvm::function_ref<ShapeTrials(const Bindings &)> chooseTrials,
            Random &random, uint64_t maxInstructions = UINT64_MAX);
  /// Distributions that take turns after normal data.
  unsigned countDistributions() const;

private:
  VerificationState &state;

  Bindings shorten(Bindings sizes, uint64_t maxInstructions);
  Distribution chooseDistribution(const ShapeTrials &trials, unsigned trial);
  mlir::LogicalResult tryData(const Bindings &sizes, Distribution distribution,
                              const SampleKind &kind, bool generic,
                              Random &random);
};

} // namespace evo

#endif
