// Squares that front ends write as powers. The square of a float, rounded once,
// is its product with itself, and costs one instruction where a function for
// any exponent costs many.
#include "ReadMLIR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

/// Whether an exponent, a number or all numbers of a vector, is 2.
static bool isTwo(Value exponent) {
  llvm::APFloat real(0.0);
  llvm::APInt integer;
  if (matchPattern(exponent, m_ConstantFloat(&real)))
    return real.isExactlyValue(2.0);
  return matchPattern(exponent, m_ConstantInt(&integer)) && integer == 2;
}

void evo::squarePowers(ModuleOp module) {
  module.walk([](linalg::GenericOp op) {
    op.walk([](Operation *inner) {
      if (!isa<math::PowFOp, math::FPowIOp>(inner) ||
          !isTwo(inner->getOperand(1)))
        return;
      OpBuilder b(inner);
      Value base = inner->getOperand(0);
      inner->replaceAllUsesWith(
          arith::MulFOp::create(b, inner->getLoc(), base, base));
      inner->erase();
    });
  });
}
