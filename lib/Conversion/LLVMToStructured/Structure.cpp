// Branches become scf ops. Upstream's algorithm takes any control flow and
// gives loops that test at their end; Loops.cpp makes them what they were.
#include "Raise.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace evo::raise;

LogicalResult evo::raise::structure(func::FuncOp function) {
  ControlFlowToSCFTransformation transformation;
  DominanceInfo dominance(function);
  if (failed(transformCFGToSCF(function.getBody(), transformation, dominance)))
    // unreachable: what gets here ends in branches that have one
    return refuse(function) << "control flow that has no structured form";
  if (!function.getBody().hasOneBlock())
    return refuse(function) << "control flow that does not end in one place";
  return success();
}
