// Calls of libdevice. Lowering turns the ops below into calls of the very
// functions they came from, so that nothing is lost on the way up and down;
// functions without an op stay calls, which hide nothing either.
#include "Raise.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace evo::raise;

namespace {
using Build = Value (*)(OpBuilder &, Location, ValueRange,
                        arith::FastMathFlagsAttr);
struct MathFunction {
  StringLiteral name; // with the suffix of f32
  Build build;
};
} // namespace

template <typename Op>
static Value build(OpBuilder &b, Location loc, ValueRange operands,
                   arith::FastMathFlagsAttr flags) {
  auto op = Op::create(b, loc, operands);
  op.setFastmathAttr(flags);
  return op;
}

/// Of doubles the same without the last letter.
static constexpr MathFunction functions[] = {
    {"__nv_expf", build<math::ExpOp>},
    {"__nv_exp2f", build<math::Exp2Op>},
    {"__nv_expm1f", build<math::ExpM1Op>},
    {"__nv_logf", build<math::LogOp>},
    {"__nv_log2f", build<math::Log2Op>},
    {"__nv_log10f", build<math::Log10Op>},
    {"__nv_log1pf", build<math::Log1pOp>},
    {"__nv_powf", build<math::PowFOp>},
    {"__nv_sqrtf", build<math::SqrtOp>},
    {"__nv_rsqrtf", build<math::RsqrtOp>},
    {"__nv_cbrtf", build<math::CbrtOp>},
    {"__nv_sinf", build<math::SinOp>},
    {"__nv_cosf", build<math::CosOp>},
    {"__nv_tanf", build<math::TanOp>},
    {"__nv_asinf", build<math::AsinOp>},
    {"__nv_acosf", build<math::AcosOp>},
    {"__nv_atanf", build<math::AtanOp>},
    {"__nv_atan2f", build<math::Atan2Op>},
    {"__nv_sinhf", build<math::SinhOp>},
    {"__nv_coshf", build<math::CoshOp>},
    {"__nv_tanhf", build<math::TanhOp>},
    {"__nv_erff", build<math::ErfOp>},
    {"__nv_erfcf", build<math::ErfcOp>},
    {"__nv_floorf", build<math::FloorOp>},
    {"__nv_ceilf", build<math::CeilOp>},
    {"__nv_roundf", build<math::RoundOp>},
    {"__nv_rintf", build<math::RoundEvenOp>},
    {"__nv_fabsf", build<math::AbsFOp>},
    {"__nv_copysignf", build<math::CopySignOp>},
    {"__nv_fmaf", build<math::FmaOp>},
    {"__nv_fmaxf", build<arith::MaxNumFOp>},
    {"__nv_fminf", build<arith::MinNumFOp>},
    {"__nv_fmodf", build<arith::RemFOp>},
};

/// Ops that are lowered to the fast function where approximation is allowed.
static constexpr MathFunction fastFunctions[] = {
    {"__nv_fast_expf", build<math::ExpOp>},
    {"__nv_fast_logf", build<math::LogOp>},
    {"__nv_fast_log2f", build<math::Log2Op>},
    {"__nv_fast_log10f", build<math::Log10Op>},
    {"__nv_fast_powf", build<math::PowFOp>},
    {"__nv_fast_sinf", build<math::SinOp>},
    {"__nv_fast_cosf", build<math::CosOp>},
    {"__nv_fast_tanf", build<math::TanOp>},
};

static const MathFunction *find(ArrayRef<MathFunction> table, StringRef name,
                                Type type) {
  const MathFunction *found = llvm::find_if(table, [&](const auto &entry) {
    return name ==
           (type.isF64() ? entry.name.drop_back() : StringRef(entry.name));
  });
  return found == table.end() ? nullptr : found;
}

LogicalResult evo::raise::translateMathCall(OpBuilder &b, LLVM::CallOp call,
                                            ValueRange operands,
                                            Value &result) {
  Location loc = plainLocation(call.getLoc());
  std::optional<StringRef> callee = call.getCallee();
  if (!callee)
    // unreachable: the pointer has no form
    return refuse(call) << "a call through a pointer";
  if (!callee->starts_with("__nv_"))
    return refuse(call) << "a call of '" << *callee
                        << "', which is neither inlined nor of libdevice";
  if (call.getNumResults() != 1)
    return refuse(call) << "a call of '" << *callee << "'";
  Type type = call.getResult().getType();
  arith::FastMathFlagsAttr flags = fastMath(call);
  auto approximate = arith::FastMathFlags::afn;
  if (isa<FloatType>(type)) {
    if (const MathFunction *function = find(functions, *callee, type)) {
      // Lowering would take the fast function instead.
      auto exact = arith::FastMathFlagsAttr::get(
          b.getContext(), flags.getValue() & ~approximate);
      result = function->build(b, loc, operands, exact);
      return success();
    }
    if (const MathFunction *function = find(fastFunctions, *callee, type)) {
      auto fast = arith::FastMathFlagsAttr::get(b.getContext(),
                                                flags.getValue() | approximate);
      result = function->build(b, loc, operands, fast);
      return success();
    }
  }
  auto module = b.getInsertionBlock()->getParent()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(*callee)) {
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
