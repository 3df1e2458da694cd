// Device memory of one buffer of a plan that runs once, with room around it
// that nobody may write.
#ifndef EVO_LIB_RUNTIME_CUDA_GUARDEDBUFFER_H
#define EVO_LIB_RUNTIME_CUDA_GUARDEDBUFFER_H

#include "DeviceObjects.h"

namespace evo::cuda {

class GuardedBuffer {
public:
  /// The buffer's address is `offset` past a multiple of 256.
  static llvm::Expected<GuardedBuffer> allocate(DriverApi &api, uint64_t bytes,
                                                uint64_t guardBytes,
                                                uint64_t offset);
  /// Where the buffer begins.
  DeviceAddress get() const { return memory.get() + front; }
  /// Enqueues the poison of all of it, and then the contents of the buffer,
  /// unless they are empty.
  llvm::Error fill(unsigned char poison, llvm::StringRef contents,
                   DriverHandle stream);
  /// Whether all around the buffer is as it was filled. Waits for the stream.
  llvm::Expected<bool> hasItsGuards(DriverHandle stream,
                                    double timeoutSeconds) const;

private:
  DriverApi *api = nullptr;
  DeviceMemory memory;
  uint64_t bytes = 0, front = 0, back = 0;
  unsigned char filled = 0;
};

/// What device memory holds. Waits for the stream.
llvm::Expected<std::string> readBytes(DriverApi &api, DeviceAddress address,
                                      uint64_t bytes, DriverHandle stream,
                                      double timeoutSeconds);

} // namespace evo::cuda

#endif
