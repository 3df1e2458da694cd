// Declarations of all passes of evo-opt; Passes.td documents them.
#ifndef EVO_TRANSFORMS_PASSES_H
#define EVO_TRANSFORMS_PASSES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace evo {

#define GEN_PASS_DECL
#include "evo/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "evo/Transforms/Passes.h.inc"

} // namespace evo

#endif
