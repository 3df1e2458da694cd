// `h = {}` for the pairs of 16-bit floats, which nvcc takes.
#ifndef EVO_LIB_FRONTEND_CUDA_EMPTYBRACES_H
#define EVO_LIB_FRONTEND_CUDA_EMPTYBRACES_H

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace evo {

/// Prefers the move assignment of __half2 and __nv_bfloat162 where it would be
/// as good as others: for Clang, empty braces might stand for the type itself
/// or for its raw form just as well, for nvcc they are the type itself.
std::unique_ptr<clang::ASTConsumer>
preferMoveOfPairs(std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
