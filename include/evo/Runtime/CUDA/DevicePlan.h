// Everything needed to run kernels once on a device: code, buffers, launches
// with all numbers evaluated. A plan owns no device memory and knows nothing of
// where its code came from, so it can be written to by any backend and tested
// without a device.
#ifndef EVO_RUNTIME_CUDA_DEVICEPLAN_H
#define EVO_RUNTIME_CUDA_DEVICEPLAN_H

#include "evo/Runtime/CUDA/Elements.h"
#include "evo/Runtime/LaunchDescription.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace evo::cuda {

enum class BufferRole { In, Out, InOut, Scratch };

struct PlanBuffer {
  std::string name;
  uint64_t bytes = 0;
  BufferRole role = BufferRole::In;
  /// A contract type, such as "f32"; for messages and for whoever compares.
  std::string elementKind = "f32";
  /// What an input is filled with when it is measured, and the format of its
  /// elements, which an output has, too.
  InputValues values = {};
  /// How far an output may be from the baseline's.
  Tolerance tolerance = {};

  bool isInput() const {
    return role == BufferRole::In || role == BufferRole::InOut;
  }
  bool isOutput() const {
    return role == BufferRole::Out || role == BufferRole::InOut;
  }
};

/// A kernel parameter: the address of a buffer, or raw bytes.
struct PlanArgument {
  /// Index of a buffer, or -1 for bytes.
  int buffer = -1;
  /// Of a scalar, as it lies in memory.
  std::string bytes = {};

  static PlanArgument ofBuffer(unsigned index) {
    return {static_cast<int>(index), {}};
  }
  template <typename T> static PlanArgument ofScalar(T value) {
    return {-1,
            std::string(reinterpret_cast<const char *>(&value), sizeof(value))};
  }
};

struct PlanLaunch {
  std::string kernel;
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  unsigned dynamicShared = 0;
  std::vector<PlanArgument> arguments = {};
};

struct DevicePlan {
  /// For messages.
  std::string name;
  /// A cubin (ELF) or PTX text.
  std::string image;
  std::vector<PlanBuffer> buffers;
  std::vector<PlanLaunch> launches;

  /// That indices and extents are within what a launch can take. An empty grid
  /// is allowed: that launch is left out.
  llvm::Error validate() const;
  const PlanBuffer *findBuffer(llvm::StringRef bufferName) const;
};

/// The plan of one variant for given sizes. `scalars` gives the bytes of the
/// scalar arguments by name. Errors: a formula fails, a scalar is missing or of
/// the wrong size, an integer operand does not fit its type.
llvm::Expected<DevicePlan>
instantiate(const LaunchDescription &description, unsigned variant,
            const Bindings &dims, const llvm::StringMap<std::string> &scalars,
            std::string image);

} // namespace evo::cuda

#endif
