// Where the pieces of a CUDA toolkit are. Nothing here links to CUDA: headers
// are for Clang, libdevice for lowering, ptxas is run as a child, and nvJitLink
// and NVRTC are opened at run time, so each piece may be missing on its own and
// is then named in the error of whoever needed it.
#ifndef EVO_TARGET_CUDA_TOOLKIT_H
#define EVO_TARGET_CUDA_TOOLKIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace evo::cuda {

/// An error that the machine is to blame for, and no text that it was given: a
/// part is missing or broken, or a file cannot be written.
class MachineError : public llvm::ErrorInfo<MachineError, llvm::StringError> {
public:
  explicit MachineError(const llvm::Twine &text)
      : ErrorInfo(text, llvm::inconvertibleErrorCode()) {}
  static char ID;
};

/// Whether all that `error` holds are machine errors.
bool isOfMachine(const llvm::Error &error);

/// The pieces of a toolkit that this project can use.
enum class ToolkitPart { Headers, Libdevice, Ptxas, NvJitLink, Nvrtc };

/// The name of a part as it appears in messages, such as "ptxas".
llvm::StringRef getName(ToolkitPart part);

/// Where to look. The defaults are what a user of the tool expects; tests
/// narrow them.
struct ToolkitSearch {
  /// A toolkit root, or a site-packages folder, given by the user. When set,
  /// nothing else is looked at.
  std::string path;
  /// Whether EVO_CUDA_PATH, CUDA_HOME and CUDA_PATH are read.
  bool useEnvironment = true;
  /// Whether the prefix configured at build time, /usr/local/cuda and the
  /// wheel folders of the active Python environment are looked at.
  bool useDefaults = true;
};

/// A toolkit folder and what was found in it.
class Toolkit {
public:
  /// Finds a toolkit. A path given by the caller or by EVO_CUDA_PATH is taken
  /// as it is, complete or not; of the other places the first complete one is
  /// taken, else the one with most parts. An error when no place has any part;
  /// it lists the places.
  static llvm::Expected<Toolkit> discover(const ToolkitSearch &search = {});

  /// Looks at one folder: a toolkit root, or a site-packages folder that holds
  /// `nvidia/cu<major>`.
  static Toolkit inspect(llvm::StringRef folder);

  /// The folder to hand to Clang as --cuda-path.
  const std::string &getRoot() const { return root; }
  /// Such as "13.0.88", or "13.0" where only the headers tell; empty if
  /// unknown.
  const std::string &getVersion() const { return version; }
  /// Path of a part; empty if missing. Headers: the include folder.
  const std::string &getPath(ToolkitPart part) const {
    return paths[static_cast<size_t>(part)];
  }
  /// The folder of CUB, Thrust and libcu++ headers, or empty.
  const std::string &getCcclIncludeDir() const { return cccl; }
  /// NVRTC's companion library, or empty.
  const std::string &getNvrtcBuiltins() const { return nvrtcBuiltins; }
  /// CUPTI, the profiler's library; empty: not there. Nothing else needs it.
  const std::string &getProfiler() const { return profiler; }

  bool has(ToolkitPart part) const { return !getPath(part).empty(); }
  std::vector<ToolkitPart> getMissing() const;
  /// Success, or an error that names the root and the parts it lacks.
  llvm::Error require(llvm::ArrayRef<ToolkitPart> parts) const;

private:
  static constexpr size_t numParts = 5;
  std::string root, version, cccl, nvrtcBuiltins, profiler;
  std::string paths[numParts];
};

/// A toolkit, or why there is none: looked for once, by a process that still
/// has the variables of its user. Those who judge a candidate have none.
struct FoundToolkit {
  std::optional<Toolkit> toolkit;
  std::string problem; ///< where there is no toolkit

  static FoundToolkit find(const ToolkitSearch &search = {});
  /// It, or the problem as an error of the machine.
  llvm::Expected<Toolkit> get() const;
};

} // namespace evo::cuda

#endif
