// What of a kernel an evaluation is given.
#include "Isolate.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Interfaces/Structure.h"

using namespace mlir;
using namespace evo;

OwningOpRef<ModuleOp> evo::isolateCandidate(KernelOp kernel,
                                            ArrayRef<Operation *> candidate) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto copy = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  copy.removeBestAttr();
  copy->removeAttr(specializedAttr);
  copy->setAttr(candidateOnlyAttr, b.getUnitAttr());
  b.createBlock(&copy.getBody());
  for (Operation &op : kernel.getBody().front())
    if (isa<ReferenceOp, RaisedOp>(op))
      b.clone(op);
  for (Operation *op : candidate)
    b.clone(*op);
  return module;
}
