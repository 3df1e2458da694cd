// Contracts that a file's own launches suggest.
#ifndef EVO_LIB_FRONTEND_CUDA_DRAFTCONTRACTS_H
#define EVO_LIB_FRONTEND_CUDA_DRAFTCONTRACTS_H

#include "evo/Frontend/CUDA.h"
#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace evo {

/// Adds to `drafts`, for each kernel or instantiation of one that a body of
/// host code launches, header lines as far as the host code tells them; a
/// question mark stands for what it does not tell. `symbols` are those that the
/// host sets, all of them known once the file is parsed.
std::unique_ptr<clang::ASTConsumer>
draftContracts(clang::CompilerInstance &compiler,
               const std::vector<CUDAHostSymbol> &symbols,
               std::vector<CUDADraft> &drafts,
               std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
