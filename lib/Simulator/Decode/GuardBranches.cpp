// Guards of inline PTX become branches. Compilers that emit inline PTX guard
// accesses with predicates ("@$2 ld.global ..."). Detectors and costs follow
// the branches of LLVM IR, and what is not executed is not looked at there.
#include "GuardBranches.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace evo::sim {

namespace {
/// The operands of one inline assembly, by number.
struct Operands {
  SmallVector<Value *, 4> old; ///< of each result: what it is tied to, or null
  SmallVector<Value *, 8> inputs;

  Value *input(StringRef name) const {
    unsigned number;
    if (!name.consume_front("$") || name.getAsInteger(10, number) ||
        number < old.size() || number - old.size() >= inputs.size())
      return nullptr;
    return inputs[number - old.size()];
  }
};
} // namespace

static Operands operandsOf(const CallInst &call, const InlineAsm &assembly) {
  Operands operands;
  for (const InlineAsm::ConstraintInfo &c : assembly.ParseConstraints()) {
    if (c.Type == InlineAsm::isOutput)
      operands.old.push_back(nullptr);
    if (c.Type != InlineAsm::isInput ||
        operands.inputs.size() == call.arg_size())
      continue;
    operands.inputs.push_back(call.getArgOperand(operands.inputs.size()));
    unsigned tied;
    if (c.Codes.size() == 1 && !StringRef(c.Codes[0]).getAsInteger(10, tied) &&
        tied < operands.old.size())
      operands.old[tied] = operands.inputs.back();
  }
  return operands;
}

static void branchOnGuard(CallInst *call) {
  const auto &assembly = *cast<InlineAsm>(call->getCalledOperand());
  const std::string text = device::plainText(assembly);
  std::optional<device::Statement> only = device::readOneStatement(text);
  if (!only)
    return;
  const device::Statement &statement = *only;
  const Operands operands = operandsOf(*call, assembly);
  Value *guard = operands.input(statement.guard);
  if (!guard || !guard->getType()->isIntegerTy(1))
    return;
  IRBuilder<> b(call);
  if (statement.isNegated)
    guard = b.CreateNot(guard);
  BasicBlock *head = call->getParent();
  Instruction *end = SplitBlockAndInsertIfThen(guard, call, false);
  BasicBlock *then = end->getParent(), *tail = call->getParent();
  b.SetInsertPoint(end);
  b.SetCurrentDebugLocation(call->getDebugLoc());
  CallInst *one = b.CreateCall(
      call->getFunctionType(),
      InlineAsm::get(call->getFunctionType(),
                     (statement.word + " " + statement.operands + ";").str(),
                     assembly.getConstraintString(), assembly.hasSideEffects()),
      SmallVector<Value *, 8>(call->args()));
  one->setAttributes(call->getAttributes());
  auto merge = [&](Value *taken, Value *old) -> Value * {
    PHINode *phi =
        PHINode::Create(taken->getType(), 2, "", tail->getFirstNonPHIIt());
    phi->addIncoming(old ? old : UndefValue::get(taken->getType()), head);
    phi->addIncoming(taken, then);
    return phi;
  };
  if (call->getType()->isStructTy()) {
    Value *all = PoisonValue::get(call->getType());
    for (unsigned i = 0; i < operands.old.size(); ++i) {
      Value *merged = merge(b.CreateExtractValue(one, i), operands.old[i]);
      all = IRBuilder<>(call).CreateInsertValue(all, merged, i);
    }
    call->replaceAllUsesWith(all);
  } else if (!operands.old.empty()) {
    call->replaceAllUsesWith(merge(one, operands.old[0]));
  }
  call->eraseFromParent();
}

void branchOnGuards(Module &module) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&inst))
        if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
          if (StringRef(assembly->getAsmString()).contains('@'))
            calls.push_back(call);
  for (CallInst *call : calls)
    branchOnGuard(call);
}

} // namespace evo::sim
