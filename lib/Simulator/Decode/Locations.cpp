// Places that observers hear of.
#include "evo/Simulator/Locations.h"
#include "Simulator/IR/Bytecode.h"

namespace evo::sim {

std::optional<SourceLoc> locationIn(const Program &program,
                                    llvm::StringRef kernel, uint32_t number) {
  const auto &kernels = program.impl().kernels;
  auto it = kernels.find(kernel.str());
  if (it == kernels.end() || number >= it->second.locations.size())
    return std::nullopt;
  return it->second.locations[number];
}

} // namespace evo::sim
