// From a launch plan to the LLVM modules that are judged and shipped. Verifier,
// code generator and cost model of one context share a builder, which keeps the
// last results of LLVM's pipeline: a candidate passes all of them, and the
// pipeline is the costliest part of each.
#ifndef EVO_LOWERING_DEVICEBUILDER_H
#define EVO_LOWERING_DEVICEBUILDER_H

#include "evo/Lowering/DeviceModule.h"
#include <array>
#include <atomic>
#include <list>
#include <mutex>

namespace evo {

/// The last few results of LLVM's pipeline. The key is a digest of all that the
/// pipeline reads: the very bitcode that enters it, the target, the level. So a
/// changed plan has another key, whatever its names and its history. Results
/// are kept as bitcode, which nobody who was handed one can change. Threads may
/// share one.
class OptimizedModules {
public:
  using Key = std::array<uint8_t, 32>;

  struct Entry {
    std::string bitcode, digest;
  };

  explicit OptimizedModules(size_t capacity) : capacity(capacity) {}

  static Key makeKey(llvm::StringRef inputBitcode,
                     const CodegenOptions &options);
  /// What is kept for `key`; empty where nothing is.
  Entry find(const Key &key);
  void insert(const Key &key, Entry entry);

private:
  size_t capacity;
  std::mutex mutex;
  std::list<std::pair<Key, Entry>> entries; // the latest used first
};

class DeviceBuilder {
public:
  /// Which forms of the code are wanted; with Digest neither, only the digest
  /// of the optimised one.
  enum class Forms { Unoptimized, Optimized, Both, Digest };

  /// Translates every gpu.module of `plan`. Modules that are not yet in the
  /// LLVM dialect are lowered first, on a copy. Emits a diagnostic on failure.
  mlir::FailureOr<std::vector<DeviceModule>>
  build(LaunchPlanOpInterface plan, const CodegenOptions &options,
        llvm::LLVMContext &context, Forms forms = Forms::Both);

  /// How often LLVM's pipeline was run, that is, not spared.
  unsigned getNumPipelineRuns() const { return pipelineRuns; }

private:
  /// A candidate's module, and its reference's for whoever judges more than
  /// one.
  OptimizedModules results{4};
  std::atomic<unsigned> pipelineRuns = 0;

  llvm::Expected<OptimizedModules::Entry>
  optimize(const llvm::Module &input, const CodegenOptions &options,
           llvm::TargetMachine &machine);
};

} // namespace evo

#endif
