// LLVM's own pass that does the like combines address arithmetic as well, which
// is not wanted here.
#include "SplitAggregates.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// Calls f(path, type) for the scalars, vectors and pointers of a type.
template <class F>
static void forEachMember(Type *type, SmallVectorImpl<unsigned> &path, F f) {
  const bool isArray = type->isArrayTy();
  if (!isArray && !type->isStructTy())
    return f(ArrayRef<unsigned>(path), type);
  const unsigned count = isArray ? type->getArrayNumElements()
                                 : cast<StructType>(type)->getNumElements();
  for (unsigned n = 0; n < count; ++n) {
    path.push_back(n);
    forEachMember(isArray ? type->getArrayElementType()
                          : type->getStructElementType(n),
                  path, f);
    path.pop_back();
  }
}

/// An array as large as this is no object that a function returns.
static bool isSmall(Type *type) {
  constexpr unsigned max = 64;
  unsigned count = 0;
  SmallVector<unsigned, 8> path;
  forEachMember(type, path, [&](ArrayRef<unsigned>, Type *) { ++count; });
  return count <= max;
}

/// One value for each member in place of `whole`, which `make(path, type)`
/// gives, put together anew at `where`.
template <class F>
static void rebuild(Instruction &whole, BasicBlock::iterator where, F make) {
  IRBuilder<> builder(whole.getParent(), where);
  Value *result = PoisonValue::get(whole.getType());
  SmallVector<unsigned, 8> path;
  forEachMember(whole.getType(), path, [&](ArrayRef<unsigned> at, Type *type) {
    result = builder.CreateInsertValue(result, make(at, type), at);
  });
  whole.replaceAllUsesWith(result);
}

static void splitPhi(PHINode &phi) {
  SmallVector<PHINode *> members;
  rebuild(
      phi, phi.getParent()->getFirstInsertionPt(),
      [&](ArrayRef<unsigned> at, Type *type) {
        IRBuilder<> builder(&phi);
        PHINode *member = builder.CreatePHI(type, phi.getNumIncomingValues());
        for (unsigned n = 0; n < phi.getNumIncomingValues(); ++n) {
          BasicBlock *from = phi.getIncomingBlock(n);
          builder.SetInsertPoint(from->getTerminator());
          // A value of its own is found by itself once it stands split.
          member->addIncoming(
              builder.CreateExtractValue(phi.getIncomingValue(n), at), from);
        }
        return member;
      });
  phi.eraseFromParent();
}

static void splitSelect(SelectInst &choice) {
  IRBuilder<> builder(&choice);
  rebuild(choice, choice.getIterator(), [&](ArrayRef<unsigned> at, Type *) {
    return builder.CreateSelect(
        choice.getCondition(),
        builder.CreateExtractValue(choice.getTrueValue(), at),
        builder.CreateExtractValue(choice.getFalseValue(), at));
  });
  choice.eraseFromParent();
}

PreservedAnalyses
evo::raise::SplitAggregatesPass::run(Function &function,
                                     FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function)
    for (Instruction &i : make_early_inc_range(block)) {
      if (!i.getType()->isAggregateType() || !isSmall(i.getType()))
        continue;
      auto *phi = dyn_cast<PHINode>(&i);
      auto *choice = dyn_cast<SelectInst>(&i);
      if (phi)
        splitPhi(*phi);
      else if (choice)
        splitSelect(*choice);
      changed |= phi || choice;
    }
  for (Instruction &i : make_early_inc_range(instructions(function))) {
    auto *member = dyn_cast<ExtractValueInst>(&i);
    if (!member)
      continue;
    Value *value =
        FindInsertedValue(member->getAggregateOperand(), member->getIndices());
    if (!value || value == member)
      continue;
    member->replaceAllUsesWith(value);
    member->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
