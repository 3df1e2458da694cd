// See GuardedBuffer.h.
#include "GuardedBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace evo::cuda {

/// Of device memory, by which offsets are counted.
static constexpr uint64_t alignment = 256;

Expected<GuardedBuffer> GuardedBuffer::allocate(DriverApi &api, uint64_t bytes,
                                                uint64_t guardBytes,
                                                uint64_t offset) {
  GuardedBuffer buffer;
  buffer.api = &api;
  buffer.bytes = bytes;
  buffer.front = alignTo(guardBytes, alignment) + offset;
  buffer.back = guardBytes;
  Expected<DeviceMemory> memory =
      DeviceMemory::allocate(api, buffer.front + buffer.bytes + buffer.back);
  if (!memory)
    return memory.takeError();
  buffer.memory = std::move(*memory);
  return buffer;
}

Error GuardedBuffer::fill(unsigned char poison, StringRef contents,
                          DriverHandle stream) {
  filled = poison;
  int code = 0;
  if (memory.size())
    code = api->memsetD8Async(memory.get(), poison, memory.size(), stream);
  if (code == 0 && !contents.empty())
    code =
        api->memcpyHtoDAsync(get(), contents.data(), contents.size(), stream);
  // no diagnostic: the name of a call
  return api->check(code, "filling a buffer");
}

Expected<bool> GuardedBuffer::hasItsGuards(DriverHandle stream,
                                           double timeoutSeconds) const {
  for (auto [address, size] :
       {std::pair(memory.get(), front), {get() + bytes, back}}) {
    Expected<std::string> found =
        readBytes(*api, address, size, stream, timeoutSeconds);
    if (!found)
      return found.takeError();
    if (!all_of(*found,
                [&](char byte) { return byte == static_cast<char>(filled); }))
      return false;
  }
  return true;
}

Expected<std::string> readBytes(DriverApi &api, DeviceAddress address,
                                uint64_t bytes, DriverHandle stream,
                                double timeoutSeconds) {
  std::string read(bytes, '\0');
  if (read.empty())
    return read;
  if (Error error =
          api.check(api.memcpyDtoHAsync(read.data(), address, bytes, stream),
                    "cuMemcpyDtoHAsync"))
    return std::move(error);
  if (Error error = waitForStream(api, stream, timeoutSeconds))
    return std::move(error);
  return read;
}

} // namespace evo::cuda
