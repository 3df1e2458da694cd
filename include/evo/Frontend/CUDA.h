// CUDA C++ in, device LLVM IR out: Clang as a library. The IR is not optimised
// (detectors need every load, loop and access the programmer wrote), yet it is
// generated as for -O3, so that a later -O3 pipeline loses nothing.
#ifndef EVO_FRONTEND_CUDA_H
#define EVO_FRONTEND_CUDA_H

#include "evo/Support/IntExpr.h"
#include "evo/Target/Arch.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace evo {

struct CUDAOptions {
  std::string toolkit; // prefix of a CUDA toolkit
  std::string architecture = target::getDefaultArch(); // --cuda-gpu-arch
  std::string standard = "c++17";
  std::vector<std::string> includeDirectories;
  std::vector<std::string> defines; // NAME or NAME=VALUE

  /// The text is not the user's own: it reaches the headers of CUDA, Clang, C
  /// and C++ and the include directories, and no other file.
  bool confined = false;

  /// Where parsed headers are kept for later processes (CUDAHeaders); empty:
  /// nowhere.
  std::string cacheDirectory;

  /// What fails with parsed headers is compiled without them before it is
  /// called wrong. Only who wants to know what Clang dies of, soon, does not.
  bool doubtsHeaders = true;

  bool operator==(const CUDAOptions &other) const {
    auto all = [](const CUDAOptions &options) {
      return std::tie(options.toolkit, options.architecture, options.standard,
                      options.includeDirectories, options.defines,
                      options.confined);
    };
    return all(*this) == all(other);
  }
};

class CUDAHeaders;

/// A device variable whose value is the host's to set.
struct CUDAHostSymbol {
  std::string symbol, name; // in the module, in the source
  std::string file;
  unsigned line, column; // of the call that sets it, else of the variable
  /// A call sets it, it is shared with the host, or it is __constant__ without
  /// an initializer.
  enum class How { Call, Managed, Uninitialized } how;
  std::string spelling;    // with its namespaces
  std::string declaration; // of an argument of its type; empty: there is none
};

/// The parts of extents with commas between, commas in calls apart; a tuple's
/// brackets are dropped.
std::vector<std::string> splitExtents(llvm::StringRef text);

/// Extents of a buffer, parsed once, when they are made.
class DraftExtents {
public:
  /// `text` has commas between them.
  DraftExtents(std::string text = "");

  const std::string &str() const { return text; }
  llvm::ArrayRef<std::string> getParts() const { return parts; }
  /// What each part says; nothing where it is no expression.
  llvm::ArrayRef<std::optional<IntExpr>> getValues() const { return values; }
  /// Whether there is no question mark among them.
  bool isKnown() const { return text.find('?') == std::string::npos; }
  void forEachName(llvm::function_ref<void(llvm::StringRef)> callback) const;

private:
  std::string text;
  std::vector<std::string> parts;
  std::vector<std::optional<IntExpr>> values;
};

/// Header lines that a launch of the file's own suggests, to be completed. What
/// the file does not tell is a question mark.
struct CUDADraft {
  struct Argument {
    std::string name;
    std::string element; ///< its type, or that of its elements
    bool isBuffer = false, isRead = false, isWritten = false;
    DraftExtents dims; ///< of a buffer
    /// Of a buffer that begins as zeros: the bytes of an element; else 0.
    unsigned zeroed = 0;
  };
  std::string file;
  unsigned line, column; // of the launch; of the kernel where there is none
  bool isLaunched = true;
  std::string kernel; ///< as C++ spells it, template arguments included
  std::vector<Argument> arguments; ///< buffers and floats
  /// Integers that are passed, with their types: sizes, or arguments.
  std::vector<std::pair<std::string, std::string>> numbers;
  /// Of sizes that go by the name of a variable: what the host starts it with.
  std::map<std::string, int64_t> values;
  std::vector<std::string> symbols; ///< what evo.symbol lines declare
  /// Launch lines before the kernel's, but for buffers that begin as zeros.
  std::vector<std::string> steps;
  std::string grid, block, shared; ///< extents; bytes, "0" for none
  std::vector<std::string> passed; ///< to the kernel, in its order
  /// Conditions of the host on the way to the launch, as far as they compare
  /// integers that it knows: `C == 10`. Names in them may be none of a size.
  std::vector<std::string> conditions;

  /// The header lines.
  std::string text() const;
  /// The launch line that fills a buffer of these extents with zeros.
  static std::string zeroStep(const Argument &buffer, llvm::StringRef dims);
};

struct CUDAModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<CUDAHostSymbol> hostSymbols;
  /// Symbol of the kernel of each launch asked for, in order.
  std::vector<std::string> launchSymbols;
  /// Symbol of each variable asked for, in order.
  std::vector<std::string> variableSymbols;
  /// One for each kernel that host code launches, in that order, then one for
  /// each that nothing launches; of a compilation without launches, for where
  /// there are some there is a contract.
  std::vector<CUDADraft> drafts;
  /// Of a text that is its user's own: by what NVRTC would make other code of
  /// it, and where ("'__CUDACC_RTC__' at k.cu:3"). Empty: by nothing. A text
  /// that is not is refused for it.
  std::string whyNotNVRTC;
  /// Whether precompiled headers were of use.
  bool usedHeaders = false;
};

/// A kernel to be found, or instantiated, by its C++ spelling; or a variable.
struct CUDALaunchName {
  std::string spelling; // rows<128>
  std::string file;
  unsigned line, column; // of the spelling, for diagnostics
};

/// Compiles `source` as `fileName` for the device. Diagnostics of Clang are
/// emitted at their file, line and column; a failure has emitted at least one.
/// `headers` save time where they serve `options`, and change neither code nor
/// diagnostics; if they are null, those that the cache holds do.
mlir::FailureOr<CUDAModule>
compileCUDA(mlir::MLIRContext *context, llvm::LLVMContext &llvmContext,
            llvm::StringRef source, llvm::StringRef fileName,
            llvm::ArrayRef<CUDALaunchName> launches,
            llvm::ArrayRef<CUDALaunchName> variables,
            const CUDAOptions &options, const CUDAHeaders *headers = nullptr);

} // namespace evo

#endif
