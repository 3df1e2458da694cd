// A launch plan ready to run on the CPU engine: decoded programs and parsed
// formulas. One is made for each form of the code (pre- and post-optimisation).
#ifndef EVO_SIMULATOR_PLAN_EXECUTABLEPLAN_H
#define EVO_SIMULATOR_PLAN_EXECUTABLEPLAN_H

#include "evo/Analysis/CodeNote.h"
#include "evo/Analysis/Conditions.h"
#include "evo/Analysis/Literals.h"
#include "evo/Analysis/NarrowCounts.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Lowering/DeviceModule.h"
#include "evo/Simulator/Coverage.h"
#include "evo/Simulator/Launch.h"
#include "evo/Simulator/Schedule.h"
#include "evo/Support/LaunchFormulas.h"
#include "llvm/ADT/MapVector.h"

namespace evo {

/// Values of one trial: sizes and scalars by name, buffers by name.
struct TrialValues {
  Bindings sizes; // dimensions and integer scalars
  llvm::StringMap<double> floats;
  llvm::StringMap<sim::BufferId> buffers;
};

/// Bytes of one element; i1 takes a byte.
unsigned getElementBytes(mlir::Type type);
sim::ElementKind getElementKind(mlir::Type type);

class ExecutablePlan {
public:
  enum class Form { PreOptimisation, PostOptimisation };

  /// Fails with the engine's own text where something cannot be executed.
  static llvm::Expected<ExecutablePlan>
  create(LaunchPlanOpInterface plan, llvm::ArrayRef<DeviceModule> modules,
         Form form);

  /// Says how much shared memory a block has on the target: launches that take
  /// more are refused. Without this it is that of the sim::Limits.
  void limitSharedBytes(uint64_t bytes) { maxSharedBytes = bytes; }

  /// Whether each launch has blocks: no blocks are no launch, and such a shape
  /// is skipped. False where a formula cannot be evaluated.
  bool launchesBlocks(const Bindings &sizes) const;

  /// Threads of all launches together; the largest 64-bit value where a formula
  /// cannot be evaluated.
  uint64_t countThreads(const Bindings &sizes) const;

  /// Blocks of a launch; 0 where a formula cannot be evaluated.
  uint64_t countBlocks(const Bindings &sizes, size_t launch = 0) const;
  /// The same along one axis of its grid: 0, 1 or 2.
  uint64_t countBlocksAlong(const Bindings &sizes, size_t launch,
                            unsigned axis) const;

  /// Why a device refuses one of the launches at these sizes, if it does; an
  /// error where a formula cannot be evaluated. Nothing is run.
  llvm::Expected<std::optional<std::string>>
  findLaunchFailure(const Bindings &sizes) const;

  /// What is wrong with an integer that its parameter cannot hold at these
  /// sizes, whichever sign that has: a launcher refuses it, while a host that
  /// cuts it off launches something else. Nothing: all fit.
  std::optional<std::string> findNarrowArgument(const Bindings &sizes) const;

  /// Whether the dimension is handed to a parameter of 64 bits, and to none of
  /// fewer.
  bool takesWide(llvm::StringRef dim) const;

  /// Whether a device takes all launches at these sizes.
  bool isLaunchable(const Bindings &sizes) const;

  /// Runs all launches in order. `values` names the buffers of `memory`; those
  /// for scratch are added to both where an earlier run has not.
  llvm::Expected<sim::LaunchResult> run(TrialValues &values,
                                        sim::GlobalMemory &memory,
                                        sim::Options options,
                                        uint64_t orderSeed) const;

  /// One launch with its formulas evaluated.
  struct Configuration {
    std::string kernel;
    const sim::Program &program;
    sim::Dim3 grid, block;
    uint64_t staticSharedBytes, dynamicSharedBytes;
    bool hasBarriers, exchangesLanes;
  };
  /// Called before each launch; may restrict the blocks that run and replace
  /// the options of this launch.
  using LaunchHook = llvm::function_ref<void(
      const Configuration &, sim::LaunchParams &, sim::Options &)>;
  /// As `run`, with `hook` before each launch.
  llvm::Expected<sim::LaunchResult>
  runWithHook(TrialValues &values, sim::GlobalMemory &memory,
              sim::Options options, uint64_t orderSeed, LaunchHook hook) const;
  /// What of a kernel's code runs.
  enum class CodePart {
    All,
    /// Nothing but what decides where it stores (StoreSlice.h): the values are
    /// others. Only where there is such code.
    Stores,
    /// Loops begin a few rounds before their ends, where it is not the form
    /// that is shipped (LastRounds.h): for accesses alone.
    LastRounds,
  };
  /// As `runWithHook`, one launch alone: what others leave to it is missing.
  llvm::Expected<sim::LaunchResult>
  runAlone(size_t launch, TrialValues &values, sim::GlobalMemory &memory,
           sim::Options options, LaunchHook hook,
           CodePart part = CodePart::All) const {
    return runSome(launch, values, memory, options, hook, part);
  }
  /// The same for some launches, in ascending order.
  llvm::Expected<sim::LaunchResult>
  runSome(llvm::ArrayRef<size_t> chosen, TrialValues &values,
          sim::GlobalMemory &memory, sim::Options options, LaunchHook hook,
          CodePart part = CodePart::All) const;
  /// Whether it has code that has nothing but what decides where it stores:
  /// with several launches, and as it is shipped.
  bool hasStoreSlices() const { return storeSlices.size() == programs.size(); }
  size_t getNumLaunches() const { return launches.size(); }
  /// Whether it may write that buffer: it is handed it, and not only to load.
  bool mayWrite(size_t launch, llvm::StringRef buffer) const;
  bool isHanded(size_t launch, llvm::StringRef buffer) const;
  /// The one launch that is handed scratch or a buffer that `isWritten`, where
  /// no other one can leave anything to it either.
  std::optional<size_t>
  findOnlyWriter(llvm::function_ref<bool(llvm::StringRef)> isWritten) const;

  /// Whether a buffer of scratch holds integers.
  bool hasIntegerScratch() const {
    return llvm::any_of(scratches, [](const Scratch &scratch) {
      return !llvm::isa<mlir::FloatType>(scratch.elementType);
    });
  }

  struct ScratchBuffer {
    sim::BufferSpec spec;
    unsigned elementBytes;
  };
  /// All scratch; fails where some cannot be of its size.
  llvm::Expected<std::vector<ScratchBuffer>>
  listScratch(const Bindings &sizes) const;
  /// Adds sparse buffers for scratch, which hold zeros, where storage of their
  /// full size would be too much.
  llvm::Error addSparseScratch(TrialValues &values,
                               sim::GlobalMemory &memory) const;
  /// Adds buffers for scratch of which nobody keeps what was written, as far as
  /// there is none yet; fails where they take more than `maxBytes` together.
  llvm::Error addPlainScratch(TrialValues &values, sim::GlobalMemory &memory,
                              uint64_t maxBytes) const;

  /// Whether any of its kernels multiplies by tensor cores.
  bool multipliesMatrices() const;
  /// Whether any divides in a way that is zero beyond 2^126.
  bool endsDivisionEarly() const;

  /// Whether its kernels have variables that outlive a call; between two calls
  /// on one memory, what was changed in them must not be read (Launch.h).
  bool keepsState() const;
  void retireState(sim::GlobalMemory &memory) const;

  /// Branches of kernels that ran that did not go all their ways.
  std::vector<sim::OneWayBranch>
  getOneWayBranches(const sim::Coverage &coverage) const;
  /// Loops that wait and were not seen to run three times.
  std::vector<sim::WaitingLoop>
  getFewRounds(const sim::Coverage &coverage) const;

  /// Where kernels meet what other blocks do.
  std::vector<sim::SharedAccess> getSharedAccesses() const;

  /// The place that an observer of `run` hears of by its number while a kernel
  /// runs; line 0 where it is not known.
  sim::SourceLoc getLocation(llvm::StringRef kernel, uint32_t number) const;

  /// Integer literals of launch formulas and code that may mark a boundary.
  const std::vector<int64_t> &getConstants() const { return constants; }
  /// Those of them that the code of kernels has, not launches alone.
  const std::vector<int64_t> &getConstantsOfCode() const { return ofCode; }
  /// Literals that values and sizes are compared with.
  const Literals &getLiterals() const { return literals; }
  /// Of each kernel of the form before optimisation; none of the other form.
  const std::vector<KernelConditions> &getConditions() const {
    return conditions;
  }
  LaunchFormulas getFormulas(size_t launch) const;
  /// Where comparisons of floats steer more than values.
  const std::vector<sim::CodeNote> &getFloatControl() const {
    return floatControl;
  }
  const sim::NarrowCounts &getNarrowCounts() const { return narrowCounts; }
  /// Whether results may be sums of floats of many terms.
  bool mayAddUpFloats() const { return addsUpFloats; }
  /// Whether integers that kernels load may decide where they load and store.
  bool takesPlacesFromData() const { return placesFromData; }
  /// Where addresses are more than a way to an access.
  const std::vector<sim::CodeNote> &getAddressControl() const {
    return addressControl;
  }

private:
  struct Launch {
    unsigned program;
    std::string kernel;
    std::vector<IntExpr> grid, block;
    std::optional<IntExpr> shared;
    // What the code says of its blocks: their extents, or the max threads.
    std::optional<sim::Dim3> requiredBlock, largestBlock;
    struct Argument {
      std::string name;            // of a buffer, scratch or float scalar
      std::optional<IntExpr> expr; // else a formula
      mlir::Type type;             // of a float scalar
    };
    std::vector<Argument> args;
  };
  struct Scratch {
    std::string name;
    mlir::Type elementType;
    std::vector<IntExpr> dims;
    /// Fails where it cannot be of that size.
    llvm::Expected<sim::BufferSpec> getSpec(const Bindings &sizes) const;
  };
  std::vector<std::shared_ptr<sim::Program>> programs;
  /// Of each program what decides where it stores, where there are several
  /// launches.
  std::vector<std::shared_ptr<sim::Program>> storeSlices;
  /// Each program with the last rounds of its loops.
  std::vector<std::shared_ptr<sim::Program>> lastRounds;
  std::vector<Launch> launches;
  std::vector<Scratch> scratches;
  uint64_t maxSharedBytes = sim::Limits().sharedBytes;
  std::vector<int64_t> constants, ofCode;
  Literals literals;
  std::vector<KernelConditions> conditions;
  std::vector<sim::CodeNote> floatControl;
  std::vector<sim::CodeNote> addressControl;
  sim::NarrowCounts narrowCounts;
  bool addsUpFloats = false, placesFromData = false;
  llvm::ArrayRef<std::shared_ptr<sim::Program>>
  getPrograms(CodePart part) const;
  llvm::Expected<sim::LaunchResult>
  runLaunches(llvm::ArrayRef<std::shared_ptr<sim::Program>> programs,
              llvm::ArrayRef<size_t> chosen, TrialValues &values,
              sim::GlobalMemory &memory, sim::Options options,
              uint64_t orderSeed, LaunchHook hook) const;
  // CreatePlan.cpp; a chain has several launches.
  llvm::Error addProgram(const DeviceModule &module, Form form, bool isChain);
  void addScratch(ScratchOp op);
  void addLaunch(LaunchOp op, KernelOp kernel, unsigned program,
                 const llvm::Module &code);
  void nameLiterals();
  // RunPlan.cpp; both fail where a device, or a compiler, would refuse the
  // launch.
  static llvm::Expected<std::vector<sim::Argument>>
  bindArguments(const Launch &launch,
                llvm::ArrayRef<sim::KernelParameter> parameters,
                const TrialValues &values, const sim::GlobalMemory &memory);
  static llvm::Expected<sim::LaunchParams>
  configure(const Launch &launch, const sim::Program &program,
            const TrialValues &values, const sim::GlobalMemory &memory);
  /// Calls `f` with each formula that a launch hands to a parameter and the
  /// bytes of that, until it answers false.
  void forEachInteger(
      llvm::function_ref<bool(const IntExpr &, unsigned bytes)> f) const;
  /// The same where the launch itself says so: its attributes.
  static std::optional<std::string>
  findBadBlock(const Launch &launch, sim::Dim3 block, uint64_t staticShared);
};

} // namespace evo

#endif
