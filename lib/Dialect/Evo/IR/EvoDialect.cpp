// Registration of the evo dialect.
#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

#include "evo/Dialect/Evo/IR/EvoDialect.cpp.inc"

void evo::EvoDialect::initialize() {
  // What a launch passes is checked against the types of lowered kernels, also
  // in a tool that has loaded nothing else.
  getContext()->loadDialect<LLVM::LLVMDialect>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "evo/Dialect/Evo/IR/EvoOps.cpp.inc"
      >();
}
