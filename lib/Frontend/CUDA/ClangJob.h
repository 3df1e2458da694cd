// What a compilation and the precompilation of headers have in common: the
// command line, made into an invocation of Clang's front end, and the files
// that exist in memory only.
#ifndef EVO_LIB_FRONTEND_CUDA_CLANGJOB_H
#define EVO_LIB_FRONTEND_CUDA_CLANGJOB_H

#include "evo/Frontend/CUDA.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"

namespace clang {
class CompilerInvocation;
class DiagnosticsEngine;
} // namespace clang

namespace evo {

/// The text of the prelude.
extern const llvm::StringLiteral cudaPrelude;
/// Places in ClangFiles: the prelude, and an empty CUDA file. A precompiled
/// header of the latter names it, so it stays there for its users. Both are
/// absolute: where a process stands makes no difference to the code.
extern const llvm::StringLiteral cudaPreludeName;
extern const llvm::StringLiteral emptyCUDAName;

/// Whether `name` is a file in memory that this tool brings along: nobody who
/// reads a message could open it.
bool isOwnFile(llvm::StringRef name);

/// The files of the machine, with some in memory before them.
struct ClangFiles {
  ClangFiles();
  /// `text` must outlive the files.
  void add(llvm::StringRef name, llvm::StringRef text);

  /// Those that the job of `invocation` may see under `options`.
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  visibleTo(const clang::CompilerInvocation &invocation,
            const CUDAOptions &options) const;

  llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> all;

private:
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory;
};

/// The front end's job for `fileName`. Null where the driver or the front end
/// refuses the options; `diagnostics` then knows why, unless nothing is to do.
std::shared_ptr<clang::CompilerInvocation>
createClangInvocation(llvm::StringRef fileName, const CUDAOptions &options,
                      const ClangFiles &files,
                      clang::DiagnosticsEngine &diagnostics);

} // namespace evo

#endif
