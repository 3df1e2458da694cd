// Names of architectures, such as "sm_90a": read and written here only.
#ifndef EVO_TARGET_ARCH_H
#define EVO_TARGET_ARCH_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace evo::target {

/// An architecture that code is compiled for.
struct Arch {
  /// 90 for compute capability 9.0.
  unsigned capability = 0;
  /// 'a': with the instructions of that capability alone; 'f': with those of
  /// its family; 0: with those that all later ones have too.
  char suffix = 0;

  /// Nothing where `name` has not the form of a name; whether there is such an
  /// architecture, a code generator says.
  static std::optional<Arch> parse(llvm::StringRef name);
  /// "sm_90a".
  std::string str() const;
  /// "compute_90a": the same, as the PTX of it is named.
  std::string virtualName() const;

  /// Whether a device of that capability takes PTX for this architecture.
  bool runsOn(unsigned device) const {
    return suffix ? device == capability : device >= capability;
  }
  /// The same of machine code, which other major versions do not take.
  bool machineCodeRunsOn(unsigned device) const {
    return runsOn(device) && device / 10 == capability / 10;
  }
};

/// What code is compiled for unless another architecture is asked for.
std::string getDefaultArch();

} // namespace evo::target

#endif
