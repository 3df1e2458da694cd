// A launch plan ready to run on the CPU engine: decoded programs and parsed
// formulas. One is made for each form of the code (as written, as shipped).
#ifndef EVO_PLAN_EXECUTABLEPLAN_H
#define EVO_PLAN_EXECUTABLEPLAN_H

#include "evo/Device/DeviceModule.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Execution/FloatControl.h"
#include "evo/Execution/Launch.h"
#include "evo/Support/IntExpr.h"
#include "llvm/ADT/MapVector.h"

namespace evo {

/// Values of one trial: sizes and scalars by name, buffers by name.
struct TrialValues {
  Bindings sizes; // dimensions and integer scalars
  llvm::StringMap<double> floats;
  llvm::StringMap<exec::BufferId> buffers;
};

/// Bytes of one element; i1 takes a byte.
unsigned getElementBytes(mlir::Type type);
exec::ElementKind getElementKind(mlir::Type type);

class ExecutablePlan {
public:
  enum class Form { AsWritten, AsShipped };

  /// Fails with the engine's own text where something cannot be executed.
  static llvm::Expected<ExecutablePlan>
  create(mlir::Operation *plan, llvm::ArrayRef<DeviceModule> modules,
         Form form);

  /// Whether a grid extent is zero (the shape is then skipped), or an error
  /// where a formula cannot be evaluated.
  llvm::Expected<bool> isEmpty(const Bindings &sizes) const;

  /// Threads of all launches together; the largest 64-bit value where a formula
  /// cannot be evaluated.
  uint64_t countThreads(const Bindings &sizes) const;

  /// Runs all launches in order. Scratch buffers are added to `memory`, whose
  /// other buffers `values` names.
  llvm::Expected<exec::LaunchResult> run(const TrialValues &values,
                                         exec::GlobalMemory &memory,
                                         exec::Options options,
                                         uint64_t orderSeed) const;

  /// One launch with its formulas evaluated.
  struct Configuration {
    std::string kernel;
    exec::Dim3 grid, block;
    uint64_t staticSharedBytes, dynamicSharedBytes;
  };
  /// Called before each launch; may restrict the blocks that run and replace
  /// the options of this launch.
  using LaunchHook = llvm::function_ref<void(
      const Configuration &, exec::LaunchParams &, exec::Options &)>;
  /// As `run`, with `hook` before each launch.
  llvm::Expected<exec::LaunchResult>
  runWithHook(const TrialValues &values, exec::GlobalMemory &memory,
              exec::Options options, uint64_t orderSeed, LaunchHook hook) const;

  /// Integer literals of launch formulas and code that may mark a boundary.
  const std::vector<int64_t> &getConstants() const { return constants; }
  /// Float literals that the code compares values against.
  const std::vector<double> &getFloatConstants() const {
    return floatConstants;
  }
  /// Where comparisons of floats steer more than values.
  const std::vector<exec::FloatControl> &getFloatControl() const {
    return floatControl;
  }

private:
  struct Launch {
    unsigned program;
    std::string kernel;
    std::vector<IntExpr> grid, block;
    std::optional<IntExpr> shared;
    // What the code says of its blocks: their extents, or the most threads.
    std::optional<exec::Dim3> requiredBlock, largestBlock;
    struct Argument {
      std::string name;            // of a buffer, scratch or float scalar
      std::optional<IntExpr> expr; // else a formula
    };
    std::vector<Argument> args;
  };
  struct Scratch {
    std::string name;
    mlir::Type elementType;
    std::vector<IntExpr> dims;
  };
  std::vector<std::shared_ptr<exec::Program>> programs;
  std::vector<Launch> launches;
  std::vector<Scratch> scratches;
  std::vector<int64_t> constants;
  std::vector<double> floatConstants;
  std::vector<exec::FloatControl> floatControl;
};

} // namespace evo

#endif
