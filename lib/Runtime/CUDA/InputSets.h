// The device memory of a measurement: several sets of the buffers that the
// plans share, each with other values, and what has to happen to them before a
// call. Private to this library.
#ifndef EVO_LIB_RUNTIME_CUDA_INPUTSETS_H
#define EVO_LIB_RUNTIME_CUDA_INPUTSETS_H

#include "DeviceObjects.h"
#include "evo/Runtime/CUDA/Session.h"

namespace evo::cuda {

class InputSets {
public:
  /// Allocates and fills. Error if not even the least number of sets fits.
  static llvm::Expected<InputSets> create(DriverApi &api, DriverHandle stream,
                                          llvm::ArrayRef<MeasuredPlan> plans,
                                          const InputSource &inputs,
                                          const MeasurePolicy &policy,
                                          uint64_t l2Bytes);

  unsigned size() const { return sets.size(); }
  bool exceedsL2() const { return setBytes * sets.size() > l2Bytes; }
  /// Of the buffers of one set.
  uint64_t getSetBytes() const { return setBytes; }

  /// Addresses of a plan's buffers in a set, in the plan's order.
  llvm::ArrayRef<DeviceAddress> getAddresses(unsigned plan,
                                             unsigned set) const {
    return addresses[plan][set];
  }

  /// Poisons outputs and the plan's scratch; gives inout buffers their values.
  llvm::Error prepare(DriverHandle stream, unsigned plan, unsigned set) const;
  /// Brings a set's inputs into L2 by copying them elsewhere.
  llvm::Error touchInputs(DriverHandle stream, unsigned set) const;
  /// Puts other lines into all of L2.
  llvm::Error flush(DriverHandle stream);

  /// Reads back the outputs of a set; indices are those of plan 0.
  llvm::Expected<std::vector<BufferData>>
  readOutputs(DriverHandle stream, unsigned set, double timeoutSeconds) const;
  /// The names of the inputs of a set that are no longer what they were.
  llvm::Expected<std::vector<std::string>>
  findWrittenInputs(DriverHandle stream, unsigned set,
                    double timeoutSeconds) const;

private:
  struct Set {
    /// In the order of the shared buffers.
    std::vector<DeviceMemory> memory;
    /// The initial values of inout buffers; empty for others.
    std::vector<DeviceMemory> pristine;
    /// Of the values put in; for `in` buffers.
    std::vector<uint64_t> fingerprints;
  };

  llvm::Error allocate(llvm::ArrayRef<MeasuredPlan> plans, unsigned count);
  llvm::Error fill(DriverHandle stream, const InputSource &inputs,
                   double timeoutSeconds);
  llvm::Expected<std::string> read(DriverHandle stream, DeviceAddress from,
                                   uint64_t bytes, double timeoutSeconds) const;

  DriverApi *api = nullptr;
  uint64_t l2Bytes = 0, setBytes = 0;
  /// Those of plan 0 that are no scratch, and their index there.
  std::vector<PlanBuffer> shared;
  std::vector<unsigned> sharedIndex;
  std::vector<Set> sets;
  /// One list per plan.
  std::vector<std::vector<DeviceMemory>> scratch;
  /// [plan][set][buffer].
  std::vector<std::vector<std::vector<DeviceAddress>>> addresses;
  DeviceMemory flushArea, sink;
  unsigned char flushValue = 0;
};

} // namespace evo::cuda

#endif
