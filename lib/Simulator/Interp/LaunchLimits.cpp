//===- LaunchLimits.cpp - What launches a device refuses --------*- C++ -*-===//
//
// The limits of compute capability 5.0 and later, but for shared memory, which
// differs and is asked for.
//
//===----------------------------------------------------------------------===//

#include "evo/Simulator/LaunchLimits.h"

namespace evo::exec {

static std::string print(const Dim3 &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " +
         std::to_string(d.z) + ")";
}

std::optional<std::string> findBadLaunch(Dim3 g, Dim3 b, uint64_t sharedBytes,
                                         const Limits &limits) {
  if (g.x < 1 || g.y < 1 || g.z < 1 || g.x > 0x7fffffff || g.y > 65535 ||
      g.z > 65535)
    return "grid " + print(g) +
           " outside the limits (2147483647, 65535, 65535)";
  if (b.x < 1 || b.y < 1 || b.z < 1 || b.x > 1024 || b.y > 1024 || b.z > 64)
    return "block " + print(b) + " outside the limits (1024, 1024, 64)";
  if (b.x * b.y * b.z > 1024)
    return "block " + print(b) + " has more than 1024 threads";
  if (sharedBytes > limits.sharedBytes)
    return std::to_string(sharedBytes) +
           " bytes of shared memory exceed the limit of " +
           std::to_string(limits.sharedBytes);
  return std::nullopt;
}

} // namespace evo::exec
