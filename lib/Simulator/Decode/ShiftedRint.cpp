// Floats rounded to whole numbers by a sum. 1.5 times the power of two above
// which a type has whole numbers alone is added and subtracted again, and the
// last bits of the sum are the number as an integer (CUDA's own hsin, software
// exponentials). The rounding is what the sum is for: to its shadow value it
// happens, too, and what is off is off by whole numbers.
#include "Decoder.h"
#include "Simulator/Interp/Math.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;

namespace evo::sim {

/// The literal that is added, by a sum or by what is fused with one.
static const ConstantFP *findAddend(const Instruction &sum) {
  if (auto *call = dyn_cast<CallBase>(&sum))
    return call->arg_size() == 3 ? dyn_cast<ConstantFP>(call->getArgOperand(2))
                                 : nullptr;
  return sum.getOpcode() == Instruction::FAdd
             ? dyn_cast<ConstantFP>(sum.getOperand(1))
             : nullptr;
}

std::optional<MathFn> findShiftedRint(const Instruction &sum) {
  const ConstantFP *shift = findAddend(sum);
  const bool isWide = sum.getType()->isDoubleTy();
  if (!shift || (!isWide && !sum.getType()->isFloatTy()) ||
      !shift->getValue().isExactlyValue(isWide ? 0x1.8p52 : 0x1.8p23))
    return std::nullopt;
  // As instructions, or as calls of the device's own.
  const APFloat back = neg(shift->getValue());
  auto takesBack = [&](const User *user) {
    if (isa<BitCastInst>(user))
      return true;
    if (auto *call = dyn_cast<CallBase>(user))
      return call->arg_size() == 1
                 ? call->getType()->isIntegerTy()
                 : call->arg_size() == 2 && call->getArgOperand(1) == shift;
    auto *other = dyn_cast<BinaryOperator>(user);
    if (!other)
      return false;
    auto *by = dyn_cast<ConstantFP>(other->getOperand(1));
    return by && ((other->getOpcode() == Instruction::FAdd &&
                   by->getValue().bitwiseIsEqual(back)) ||
                  (other->getOpcode() == Instruction::FSub && by == shift));
  };
  if (!all_of(sum.users(), takesBack))
    return std::nullopt;
  return isWide ? MathFn::ShiftedRintWide : MathFn::ShiftedRint;
}

/// Of the product of both.
int32_t Decoder::shiftedRint(const Leaf &leaf, MathFn fn, int32_t a,
                             int32_t b) {
  const int32_t r = emitTo(leaf, forFloat(Op::MATH2_S, leaf.floatType), a, b);
  k.code.back().sub = static_cast<uint8_t>(fn);
  return r;
}

} // namespace evo::sim
