// Registration of the evo dialect.
#include "evo/Dialect/Evo/IR/Evo.h"

using namespace mlir;

#include "evo/Dialect/Evo/IR/EvoDialect.cpp.inc"

void evo::EvoDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "evo/Dialect/Evo/IR/EvoOps.cpp.inc"
      >();
}
