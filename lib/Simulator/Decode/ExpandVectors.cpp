// LLVM's own pass for this tests masks through integers of odd widths; here
// each lane tests its own bit, which keeps the engine's types simple.
#include "evo/Simulator/ExpandVectors.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

/// The lane's bit; null where it is known to be set.
static Value *laneBit(IRBuilder<> &b, Value *mask, unsigned lane) {
  Value *bit = b.CreateExtractElement(mask, lane);
  auto *known = dyn_cast<ConstantInt>(bit);
  return known && known->isOne() ? nullptr : bit;
}

static void expandLoad(IntrinsicInst *call) {
  auto *type = cast<FixedVectorType>(call->getType());
  Value *pointer = call->getArgOperand(0);
  Value *mask = call->getArgOperand(1);
  Value *result = call->getArgOperand(2);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    IRBuilder<> b(call);
    Value *bit = laneBit(b, mask, lane);
    Value *before = result;
    BasicBlock *head = call->getParent();
    if (bit)
      b.SetInsertPoint(SplitBlockAndInsertIfThen(bit, call, false));
    Value *address =
        b.CreateConstGEP1_32(type->getElementType(), pointer, lane);
    Value *element = b.CreateLoad(type->getElementType(), address);
    result = b.CreateInsertElement(result, element, lane);
    if (!bit)
      continue;
    BasicBlock *then = b.GetInsertBlock();
    b.SetInsertPoint(call);
    PHINode *phi = b.CreatePHI(type, 2);
    phi->addIncoming(before, head);
    phi->addIncoming(result, then);
    // A phi stands first in its block.
    phi->moveBefore(call->getParent()->begin());
    result = phi;
  }
  call->replaceAllUsesWith(result);
  call->eraseFromParent();
}

static void expandStore(IntrinsicInst *call) {
  Value *value = call->getArgOperand(0);
  auto *type = cast<FixedVectorType>(value->getType());
  Value *pointer = call->getArgOperand(1);
  Value *mask = call->getArgOperand(2);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    IRBuilder<> b(call);
    if (Value *bit = laneBit(b, mask, lane))
      b.SetInsertPoint(SplitBlockAndInsertIfThen(bit, call, false));
    Value *element = b.CreateExtractElement(value, lane);
    b.CreateStore(element,
                  b.CreateConstGEP1_32(type->getElementType(), pointer, lane));
  }
  call->eraseFromParent();
}

/// The scalar function that a minimum or maximum reduction repeats.
static Intrinsic::ID getReducedFunction(Intrinsic::ID reduction) {
  switch (reduction) {
  case Intrinsic::vector_reduce_fmax:
    return Intrinsic::maxnum;
  case Intrinsic::vector_reduce_fmin:
    return Intrinsic::minnum;
  case Intrinsic::vector_reduce_fmaximum:
    return Intrinsic::maximum;
  case Intrinsic::vector_reduce_fminimum:
    return Intrinsic::minimum;
  case Intrinsic::vector_reduce_smax:
    return Intrinsic::smax;
  case Intrinsic::vector_reduce_smin:
    return Intrinsic::smin;
  default:
    return Intrinsic::not_intrinsic;
  }
}

static void expandReduction(IntrinsicInst *call) {
  Intrinsic::ID function = getReducedFunction(call->getIntrinsicID());
  Value *vector = call->getArgOperand(0);
  IRBuilder<> b(call);
  Value *result = b.CreateExtractElement(vector, uint64_t(0));
  unsigned lanes = cast<FixedVectorType>(vector->getType())->getNumElements();
  for (unsigned lane = 1; lane < lanes; ++lane)
    result = b.CreateBinaryIntrinsic(function, result,
                                     b.CreateExtractElement(vector, lane));
  call->replaceAllUsesWith(result);
  call->eraseFromParent();
}

/// Addresses by a vector of indices, lane by lane.
static void expandAddresses(GetElementPtrInst *gep) {
  auto *type = cast<FixedVectorType>(gep->getType());
  IRBuilder<> b(gep);
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto ofLane = [&](Value *operand) {
      return operand->getType()->isVectorTy()
                 ? b.CreateExtractElement(operand, lane)
                 : operand;
    };
    Value *base = ofLane(gep->getPointerOperand());
    SmallVector<Value *> indices;
    for (Value *index : gep->indices())
      indices.push_back(ofLane(index));
    result =
        b.CreateInsertElement(result,
                              b.CreateGEP(gep->getSourceElementType(), base,
                                          indices, "", gep->getNoWrapFlags()),
                              lane);
  }
  gep->replaceAllUsesWith(result);
  gep->eraseFromParent();
}

/// Instructions of a kind, listed before any of them is expanded.
template <typename Inst>
static SmallVector<Inst *> list(Module &module,
                                function_ref<bool(const Inst &)> isWanted) {
  SmallVector<Inst *> listed;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (auto *one = dyn_cast<Inst>(&inst); one && isWanted(*one))
        listed.push_back(one);
  return listed;
}

void evo::expandVectorIntrinsics(Module &module) {
  for (IntrinsicInst *call :
       list<IntrinsicInst>(module, [](const IntrinsicInst &call) {
         return getReducedFunction(call.getIntrinsicID()) !=
                Intrinsic::not_intrinsic;
       }))
    expandReduction(call);
  for (GetElementPtrInst *gep :
       list<GetElementPtrInst>(module, [](const GetElementPtrInst &gep) {
         return isa<FixedVectorType>(gep.getType());
       }))
    expandAddresses(gep);
  for (IntrinsicInst *call :
       list<IntrinsicInst>(module, [](const IntrinsicInst &call) {
         return call.getIntrinsicID() == Intrinsic::masked_load ||
                call.getIntrinsicID() == Intrinsic::masked_store;
       })) {
    Type *type = call->getIntrinsicID() == Intrinsic::masked_load
                     ? call->getType()
                     : call->getArgOperand(0)->getType();
    if (!isa<FixedVectorType>(type))
      continue; // the engine names it as unsupported
    call->getIntrinsicID() == Intrinsic::masked_load ? expandLoad(call)
                                                     : expandStore(call);
  }
}
