// Files of projects hold host code, too, which calls libraries that need not be
// here. Clang can pass over the bodies of functions; which, is said here.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTBODIES_H
#define EVO_LIB_FRONTEND_CUDA_HOSTBODIES_H

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace evo {

/// Where the front end may pass over bodies of functions, it does so with those
/// that only the host can run. What is constant or has a deduced type it parses
/// in any case.
std::unique_ptr<clang::ASTConsumer>
passOverHostBodies(std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
