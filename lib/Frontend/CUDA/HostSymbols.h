// Device variables whose values come from the host. A kernel that reads one is
// another function for each value, so a file may not leave it open.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTSYMBOLS_H
#define EVO_LIB_FRONTEND_CUDA_HOSTSYMBOLS_H

#include "evo/Frontend/CUDA.h"
#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace evo {

/// Notes in `found` each variable that code of the host copies to, or takes the
/// address of, each __managed__ one, and each __constant__ one without an
/// initializer. Bodies that
/// the front end passes over are not seen.
std::unique_ptr<clang::ASTConsumer>
collectHostSymbols(clang::CompilerInstance &compiler,
                   std::vector<CUDAHostSymbol> &found,
                   std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
