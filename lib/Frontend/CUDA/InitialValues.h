// Bounds what a file states as initial values: all later stages hold them
// element by element, and code generation writes them out.
#ifndef EVO_LIB_FRONTEND_CUDA_INITIALVALUES_H
#define EVO_LIB_FRONTEND_CUDA_INITIALVALUES_H

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace evo {

/// What refuses a variable at file scope with more than 64 MiB of initial
/// values, where it stands, before `rest` sees it.
std::unique_ptr<clang::ASTConsumer>
boundInitialValues(clang::CompilerInstance &compiler,
                   std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
