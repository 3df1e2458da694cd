// Names of architectures.
#include "evo/Target/Arch.h"

using namespace llvm;

namespace evo::target {

static constexpr StringLiteral machinePrefix = "sm_",
                               virtualPrefix = "compute_";

std::optional<Arch> Arch::parse(StringRef name) {
  Arch arch;
  if (!name.consume_front(machinePrefix))
    return std::nullopt;
  if (name.ends_with("a") || name.ends_with("f")) {
    arch.suffix = name.back();
    name = name.drop_back();
  }
  if (name.getAsInteger(10, arch.capability))
    return std::nullopt;
  return arch;
}

static std::string print(StringRef prefix, const Arch &arch) {
  std::string text = prefix.str() + std::to_string(arch.capability);
  if (arch.suffix)
    text += arch.suffix;
  return text;
}

std::string Arch::str() const { return print(machinePrefix, *this); }
std::string Arch::virtualName() const { return print(virtualPrefix, *this); }

} // namespace evo::target
