// Constants that fit: others are left, and named as unsupported.
#include "evo/Lowering/NarrowExponents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

void evo::narrowExponents(Operation *root) {
  root->walk([](math::FPowIOp power) {
    llvm::APInt exponent;
    const Type type = power.getRhs().getType();
    if (getElementTypeOrSelf(type).isInteger(32) ||
        !matchPattern(power.getRhs(), m_ConstantInt(&exponent)) ||
        !exponent.isSignedIntN(32))
      return;
    OpBuilder builder(power);
    TypedAttr narrow = builder.getI32IntegerAttr(
        static_cast<int32_t>(exponent.getSExtValue()));
    if (auto vector = dyn_cast<ShapedType>(type))
      narrow = DenseElementsAttr::get(vector.clone(builder.getI32Type()),
                                      Attribute(narrow));
    power.getRhsMutable().assign(
        arith::ConstantOp::create(builder, power.getLoc(), narrow));
  });
}
