// Calls of libdevice. Lowering turns the ops below into calls of the very
// functions they came from, so that nothing is lost on the way up and down;
// functions without an op stay calls, which hide nothing either.
#include "Raise.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace evo;
using namespace evo::raise;

/// The op that is lowered to the very function that is called, or none. Of
/// floats of 32 bits the name has a letter more than of doubles.
static StringRef mathOpOf(const device::Callee &callee, Type type) {
  if (!callee.op || callee.op->mathOp.empty() || !isa<FloatType>(type))
    return "";
  StringRef name = callee.name;
  auto isListed = [&] {
    return llvm::is_contained(llvm::split(callee.op->names, ' '), name);
  };
  const bool isIt =
      isListed() || (!type.isF64() && name.consume_back("f") && isListed());
  return isIt ? StringRef(callee.op->mathOp) : "";
}

LogicalResult evo::raise::translateMathCall(OpBuilder &b, LLVM::CallOp call,
                                            ValueRange operands,
                                            Value &result) {
  Location loc = plainLocation(call.getLoc());
  std::optional<StringRef> callee = call.getCallee();
  if (call.getNumResults() != 1)
    // unreachable: those without a result are given pointers
    return refuse(call) << "a call of '" << *callee << "'";
  Type type = call.getResult().getType();
  arith::FastMathFlagsAttr flags = fastMath(call);
  const device::Callee known = device::lookupFunction(*callee);
  if (StringRef op = mathOpOf(known, type); !op.empty()) {
    // Where approximation is allowed, lowering takes the fast function.
    auto approximate = arith::FastMathFlags::afn;
    auto stated = arith::FastMathFlagsAttr::get(
        b.getContext(), known.isFast ? flags.getValue() | approximate
                                     : flags.getValue() & ~approximate);
    OperationState state(loc, op, operands, TypeRange(type),
                         {b.getNamedAttr("fastmath", stated)});
    result = b.create(state)->getResult(0);
    return success();
  }
  auto module = b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  Operation *symbol = module.lookupSymbol(*callee);
  if (isa_and_nonnull<LLVM::LLVMFuncOp>(symbol))
    return refuse(call) << "'" << *callee
                        << "', which a function calls as well, in a kernel";
  if (!symbol) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = b.getFunctionType(TypeRange(operands), call.getResultTypes());
    func::FuncOp::create(b, loc, *callee, type).setPrivate();
  }
  result =
      func::CallOp::create(b, loc, *callee, call.getResultTypes(), operands)
          .getResult(0);
  return success();
}
