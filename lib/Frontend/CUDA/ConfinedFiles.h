// A view of the machine's files in which only some folders exist.
#ifndef EVO_LIB_FRONTEND_CUDA_CONFINEDFILES_H
#define EVO_LIB_FRONTEND_CUDA_CONFINEDFILES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <string>
#include <vector>

namespace evo {

/// Real files, as far as they lie below one of `folders` after all links are
/// followed. Any other path answers as if there were nothing, so that not even
/// the existence of a file can be asked for.
class ConfinedFiles : public llvm::vfs::ProxyFileSystem {
public:
  explicit ConfinedFiles(llvm::ArrayRef<std::string> folders);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
  openFileForRead(const llvm::Twine &path) override;
  llvm::vfs::directory_iterator dir_begin(const llvm::Twine &path,
                                          std::error_code &error) override;
  bool exists(const llvm::Twine &path) override;
  std::error_code getRealPath(const llvm::Twine &path,
                              llvm::SmallVectorImpl<char> &output) override;

private:
  std::vector<std::string> folders; // real paths, without a separator behind

  bool allows(const llvm::Twine &path);
};

} // namespace evo

#endif
