// What the branches of a kernel hang on. Taint from data to branches, through
// registers, through variables (one mark for each, wherever in it the store
// goes), and through control: what a branch on data chooses between is data
// itself. It errs on the side of data. A second taint follows what surely comes
// of an input: through registers and variables, and not through control.
#include "evo/Analysis/Branches.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace evo::sim {

namespace {

class Taint {
public:
  /// `origin`: of what is followed, Data or Input.
  Taint(const Function &function, BranchNature origin)
      : function(function), origin(origin) {}
  /// Raises the nature of those branches to which the taint leads.
  void run(DenseMap<const Instruction *, BranchNature> &natures);
  DenseMap<const Instruction *, BranchNature> findConditional();

private:
  const Function &function;
  BranchNature origin;
  PostDominatorTree ways;
  SmallPtrSet<const Value *, 32> tainted, variables;
  SmallVector<const Value *, 32> work;
  DenseMap<const Value *, SmallVector<const Instruction *>> readers;
  DenseMap<const Value *, llvm::Constant *> folded;

  void taint(const Value *v) {
    if (tainted.insert(v).second)
      work.push_back(v);
  }
  void taintVariable(const Value *pointer);
  bool isOrigin(const Value *pointer) const;
  void seed(const Instruction &inst);
  void use(const Instruction &user);
  void choose(const Instruction &branch);
  llvm::Constant *fold(const Value *v, unsigned depth = 0);
};

/// A variable of a block or thread; null for memory that others reach.
const Value *ownVariable(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 12);
  if (isa<AllocaInst>(object))
    return object;
  auto *global = dyn_cast<GlobalVariable>(object);
  return global && global->getAddressSpace() == target::Shared ? object
                                                               : nullptr;
}

/// Whether an address is one of a buffer that the launch handed in.
bool isOfArgument(const Value *pointer) {
  auto *argument = dyn_cast<llvm::Argument>(getUnderlyingObject(pointer, 12));
  return argument && !argument->hasByValAttr();
}

/// Memory that holds the same in every launch: parameters and constants.
bool isFixed(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, 12);
  if (auto *argument = dyn_cast<llvm::Argument>(object))
    return argument->hasByValAttr();
  auto *global = dyn_cast<GlobalVariable>(object);
  return global && (global->isConstant() ||
                    global->getAddressSpace() == target::Constant);
}

} // namespace

void Taint::taintVariable(const Value *pointer) {
  if (const Value *variable = ownVariable(pointer))
    if (variables.insert(variable).second)
      for (const Instruction *reader : readers[variable])
        taint(reader);
}

/// Whether inline PTX has a statement whose result comes from memory.
static bool readsMemory(const CallBase &assembly) {
  bool reads = false;
  device::forEachOperation(assembly, [&](const device::Operation &operation) {
    const device::DeviceOp *op = operation.op;
    reads |= op && op->memory.reads() && op->hasDestination;
  });
  return reads;
}

/// Whether what is read at an address is of what is followed.
bool Taint::isOrigin(const Value *pointer) const {
  return origin == BranchNature::Data ? !isFixed(pointer)
                                      : isOfArgument(pointer);
}

void Taint::seed(const Instruction &inst) {
  const bool followsData = origin == BranchNature::Data;
  if (auto *load = dyn_cast<LoadInst>(&inst)) {
    if (const Value *variable = ownVariable(load->getPointerOperand()))
      readers[variable].push_back(load);
    else if (isOrigin(load->getPointerOperand()))
      taint(load);
  } else if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst)) {
    if (isOrigin(atomic->getPointerOperand()))
      taint(atomic);
  } else if (isa<AtomicCmpXchgInst>(inst)) {
    if (followsData)
      taint(&inst);
  } else if (auto *call = dyn_cast<CallBase>(&inst)) {
    auto isPointedTo = [&](const Use &u) {
      return u->getType()->isPointerTy() && isOrigin(u);
    };
    // Inline PTX may read memory that it is given as a number; intrinsics that
    // do get a pointer.
    const bool reads = followsData && call->isInlineAsm()
                           ? readsMemory(*call)
                           : (followsData || call->mayReadFromMemory()) &&
                                 any_of(call->args(), isPointedTo);
    if (reads && !call->getType()->isVoidTy() &&
        !call->getType()->isPointerTy())
      taint(call);
    // Whatever it writes may be anything.
    if (followsData && call->mayWriteToMemory() &&
        !call->isLifetimeStartOrEnd())
      for (const Use &u : call->args())
        if (u->getType()->isPointerTy() && ownVariable(u))
          variables.insert(ownVariable(u));
  }
}

/// What lies between a branch on data and the place where its ways meet.
void Taint::choose(const Instruction &branch) {
  const BasicBlock *from = branch.getParent();
  const auto *node = ways.getNode(from);
  const BasicBlock *join =
      node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallPtrSet<const BasicBlock *, 8> region;
  SmallVector<const BasicBlock *, 8> todo(successors(from));
  while (!todo.empty()) {
    const BasicBlock *block = todo.pop_back_val();
    if (block == join || !region.insert(block).second)
      continue;
    append_range(todo, successors(block));
  }
  auto chosen = [&](const BasicBlock *block) {
    for (const PHINode &phi : block->phis())
      if (!phi.hasConstantValue())
        taint(&phi);
  };
  for (const BasicBlock *block : region) {
    // Phis of a block with one way in choose nothing.
    if (!block->getSinglePredecessor())
      chosen(block);
    for (const Instruction &inst : *block)
      if (auto *store = dyn_cast<StoreInst>(&inst))
        taintVariable(store->getPointerOperand());
      else if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
        taintVariable(atomic->getPointerOperand());
  }
  if (join)
    chosen(join);
}

void Taint::use(const Instruction &user) {
  if (auto *branch = dyn_cast<BranchInst>(&user)) {
    if (branch->isConditional() && tainted.insert(branch).second &&
        origin == BranchNature::Data)
      choose(*branch);
  } else if (isa<SwitchInst>(user)) {
    if (tainted.insert(&user).second && origin == BranchNature::Data)
      choose(user);
  } else if (auto *store = dyn_cast<StoreInst>(&user)) {
    if (tainted.contains(store->getValueOperand()) ||
        tainted.contains(store->getPointerOperand()))
      taintVariable(store->getPointerOperand());
  } else if (!user.getType()->isVoidTy()) {
    taint(&user);
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&user))
      taintVariable(atomic->getPointerOperand());
  }
}

/// The value where literals alone decide it.
llvm::Constant *Taint::fold(const Value *v, unsigned depth) {
  if (auto *c = dyn_cast<llvm::Constant>(v))
    return const_cast<llvm::Constant *>(c);
  auto *inst = dyn_cast<Instruction>(v);
  if (!inst || depth > 16 || inst->mayReadOrWriteMemory())
    return nullptr;
  auto [known, isNew] = folded.try_emplace(v, nullptr);
  if (!isNew)
    return known->second;
  llvm::Constant *result = nullptr;
  if (auto *phi = dyn_cast<PHINode>(inst)) {
    for (const Use &in : phi->incoming_values()) {
      llvm::Constant *c = fold(in, depth + 1);
      if (!c || (result && c != result))
        return nullptr;
      result = c;
    }
  } else if (!isa<CallBase>(inst)) {
    SmallVector<llvm::Constant *, 3> operands;
    for (const Use &operand : inst->operands()) {
      llvm::Constant *c = fold(operand, depth + 1);
      if (!c)
        return nullptr;
      operands.push_back(c);
    }
    result = ConstantFoldInstOperands(const_cast<Instruction *>(inst), operands,
                                      function.getParent()->getDataLayout(),
                                      nullptr);
  }
  return folded[v] = result;
}

DenseMap<const Instruction *, BranchNature> Taint::findConditional() {
  DenseMap<const Instruction *, BranchNature> result;
  for (const BasicBlock &block : function) {
    const Instruction *end = block.getTerminator();
    auto *branch = dyn_cast<BranchInst>(end);
    const Value *condition = nullptr;
    if (branch && branch->isConditional())
      condition = branch->getCondition();
    else if (auto *choice = dyn_cast<SwitchInst>(end))
      condition = choice->getCondition();
    if (condition)
      result[end] =
          fold(condition) ? BranchNature::Constant : BranchNature::Launch;
  }
  return result;
}

void Taint::run(DenseMap<const Instruction *, BranchNature> &natures) {
  for (const llvm::Argument &argument : function.args())
    if (argument.getType()->getScalarType()->isFloatingPointTy())
      taint(&argument);
  for (const Instruction &inst : instructions(function))
    seed(inst);
  for (const Value *variable : variables)
    for (const Instruction *reader : readers[variable])
      taint(reader);
  // The tree is built from the function and does not change it.
  if (origin == BranchNature::Data)
    ways.recalculate(const_cast<Function &>(function));
  while (!work.empty()) {
    const Value *value = work.pop_back_val();
    for (const User *user : value->users())
      if (auto *inst = dyn_cast<Instruction>(user))
        use(*inst);
  }
  for (auto &[branch, nature] : natures)
    if (nature != BranchNature::Constant && tainted.contains(branch))
      nature = origin;
}

DenseMap<const Instruction *, BranchNature>
classifyBranches(const Function &function) {
  Taint data(function, BranchNature::Data);
  DenseMap<const Instruction *, BranchNature> natures = data.findConditional();
  if (natures.empty())
    return natures;
  data.run(natures);
  Taint(function, BranchNature::Input).run(natures);
  return natures;
}

} // namespace evo::sim
