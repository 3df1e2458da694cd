// Which files a candidate's text may ask for.
#ifndef EVO_LIB_FRONTEND_CUDA_INCLUDECHECK_H
#define EVO_LIB_FRONTEND_CUDA_INCLUDECHECK_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

namespace evo {

/// Whether each header that `source` asks for is named literally and below the
/// folders of headers. Otherwise a diagnostic at its place in `fileName`.
mlir::LogicalResult checkIncludes(mlir::MLIRContext *context,
                                  llvm::StringRef source,
                                  llvm::StringRef fileName);

} // namespace evo

#endif
