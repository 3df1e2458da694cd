// The device memory of measurements of one kernel at one size: several sets of
// the buffers that all plans share, each with other values, what has to happen
// to them before a call, and what the baseline made of them. Private to this
// library.
#ifndef EVO_LIB_RUNTIME_CUDA_INPUTSETS_H
#define EVO_LIB_RUNTIME_CUDA_INPUTSETS_H

#include "DeviceHelpers.h"
#include "evo/Runtime/CUDA/Session.h"

namespace evo::cuda {

/// Where a plan's buffers are.
struct Placement {
  std::vector<DeviceMemory> scratch;
  /// [set][buffer of the plan].
  std::vector<std::vector<DeviceAddress>> addresses;
};

class InputSets {
public:
  /// Allocates and fills. Error if not even the min number of sets fits.
  static llvm::Expected<InputSets> create(DriverApi &api, DriverHandle stream,
                                          const DevicePlan &baseline,
                                          const MeasurePolicy &policy,
                                          uint64_t l2Bytes);

  unsigned size() const { return sets.size(); }
  bool exceedsL2() const { return setBytes * sets.size() > l2Bytes; }
  /// Of the buffers of one set.
  uint64_t getSetBytes() const { return setBytes; }
  /// Sets of which the baseline's outputs can be kept.
  unsigned countChecked() const { return checked; }
  /// Checks no more sets than so many.
  void limitChecked(unsigned count) { checked = std::min(checked, count); }

  /// Finds the shared buffers for a plan, which has to have the same ones, and
  /// allocates its scratch.
  llvm::Expected<Placement> place(const DevicePlan &plan) const;

  /// Poisons outputs and the plan's scratch; gives inout buffers their values.
  llvm::Error prepare(DriverHandle stream, const Placement &placement,
                      unsigned set) const;
  /// Brings a set's inputs into L2 by copying them elsewhere.
  llvm::Error touchInputs(DriverHandle stream, unsigned set) const;
  /// Puts other lines into all of L2.
  llvm::Error flush(DriverHandle stream);

  /// A number for the outputs of a set.
  llvm::Expected<uint64_t> fingerprintOutputs(DriverHandle stream, unsigned set,
                                              double timeoutSeconds) const;
  /// The names of the inputs of a set that are no longer what they were.
  llvm::Expected<std::vector<std::string>>
  findWrittenInputs(DriverHandle stream, unsigned set,
                    double timeoutSeconds) const;

  /// Keeps the outputs of a set as what is expected there.
  llvm::Error keepExpected(DriverHandle stream, unsigned set,
                           double timeoutSeconds);
  /// Whether what is kept is still what it was.
  llvm::Expected<bool> isExpectedIntact(DriverHandle stream,
                                        double timeoutSeconds) const;
  /// What is wrong with the outputs of a set against what is expected; empty:
  /// nothing. The device looks first, and the host at what that suspects.
  llvm::Expected<std::string> judge(DriverHandle stream, unsigned set,
                                    double timeoutSeconds) const;

private:
  struct Set {
    /// In the order of the shared buffers.
    std::vector<DeviceMemory> memory;
    /// Of the values put in; for `in` buffers.
    std::vector<uint64_t> fingerprints;
    /// Of the baseline; for outputs.
    std::vector<DeviceMemory> expected;
    std::vector<double> rootMeanSquares;
    std::vector<uint64_t> expectedPrints;
  };

  /// What a tolerance is relative to: the root mean square of an output over
  /// all sets, or over `own` where that is more. Where a result is one number
  /// whose terms cancel, what it is on one set says nothing of its error.
  double scaleOf(unsigned output, const Set &own) const;
  llvm::Error allocate(unsigned count);
  llvm::Error fill(DriverHandle stream, double timeoutSeconds);
  llvm::Error fillBuffer(DriverHandle stream, unsigned set,
                         unsigned index) const;
  llvm::Expected<std::vector<uint64_t>>
  fingerprint(DriverHandle stream, llvm::ArrayRef<DeviceMemory> memory,
              llvm::ArrayRef<unsigned> indices, double timeoutSeconds) const;
  llvm::Expected<std::string> read(DriverHandle stream, DeviceAddress from,
                                   uint64_t bytes, double timeoutSeconds) const;

  DriverApi *api = nullptr;
  DeviceHelpers helpers;
  std::string baselineName;
  uint64_t l2Bytes = 0, setBytes = 0, seed = 0;
  unsigned checked = 0;
  /// Those of the baseline that are no scratch.
  std::vector<PlanBuffer> shared;
  std::vector<unsigned> outputs, inputs; ///< of these
  std::vector<Set> sets;
  DeviceMemory flushArea, sink;
  unsigned char flushValue = 0;
};

} // namespace evo::cuda

#endif
