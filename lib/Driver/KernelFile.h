// What the verbs begin with: a file, lifted in a context of its own.
#ifndef EVO_LIB_DRIVER_KERNELFILE_H
#define EVO_LIB_DRIVER_KERNELFILE_H

#include "Diagnostics.h"
#include "evo/Frontend/Lift.h"

namespace evo {

/// A context with everything registered, single-threaded, whose backends are
/// configured by the options.
std::unique_ptr<mlir::MLIRContext> createContext(const VerbOptions &options);

/// The genome that a kernel file of this name holds (.cu, .ll, .mlir); nothing,
/// after an error, for other names.
std::optional<Genome> getKernelLanguage(llvm::StringRef path,
                                        const VerbOptions &options);

/// The text of a kernel file; nothing, after an error, where it cannot be read
/// or holds bytes that no text has.
std::optional<std::string> readKernelText(llvm::StringRef path,
                                          const VerbOptions &options);

/// The folder of the toolkit whose headers CUDA files need; nothing, after an
/// error, where there is none.
std::optional<std::string> findHeaders(const VerbOptions &options);

/// A kernel file in a context with everything registered, single-threaded,
/// whose backends are configured by the options, and whose diagnostics go to
/// the user.
class KernelFile {
public:
  KernelFile(llvm::StringRef path, const VerbOptions &options);

  /// Null where the file could not be read or lifted; that was reported.
  mlir::ModuleOp getModule() { return module ? *module : mlir::ModuleOp(); }
  /// The one kernel of the file, which errors call `what`; null, after an
  /// error, where it has none, or several, or not the contract that is needed.
  KernelOp getKernel(llvm::StringRef what, bool needsContract);
  mlir::MLIRContext &getContext() { return *context; }
  /// Whether the file is a kernel as somebody wrote it, and no evo.kernel with
  /// its variants.
  bool isSource() const { return source; }
  /// What contracts a CUDA file without header lines suggests.
  llvm::ArrayRef<CUDADraft> getDrafts() const { return drafts; }
  /// What a verb answers that got no module or no kernel.
  ExitCode getExitCode() const { return exitCode; }

private:
  const VerbOptions &options;
  std::unique_ptr<mlir::MLIRContext> context;
  DiagnosticReporter reporter;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ExitCode exitCode = WrongInput;
  bool source = true;
  std::string path;
  std::vector<CUDADraft> drafts;

  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lift(llvm::StringRef path);
};

} // namespace evo

#endif
