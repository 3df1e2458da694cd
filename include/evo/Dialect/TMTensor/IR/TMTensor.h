// What PyTorch's way to linalg leaves for prefix sums and products.
#ifndef EVO_DIALECT_TMTENSOR_IR_TMTENSOR_H
#define EVO_DIALECT_TMTENSOR_IR_TMTENSOR_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "evo/Dialect/TMTensor/IR/TMTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "evo/Dialect/TMTensor/IR/TMTensor.h.inc"

#endif
