// Finds the traits of a kernel, and its reads of special registers.
#include "KernelTraits.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace evo;

/// Keeps the first instruction of a kind.
static void note(const Instruction *&slot, const CallBase &call) {
  if (!slot)
    slot = &call;
}

/// What a register of inline PTX tells; a rewrite cannot replace it inside the
/// text.
static void inspectRegister(const CallBase &call, StringRef name,
                            KernelTraits &traits) {
  using device::Tells;
  const device::DeviceOp *op = device::lookupRegister(name);
  if (!op)
    return;
  if (op->tells == Tells::Lane)
    note(traits.place, call);
  else if (op->tells == Tells::Cluster)
    note(traits.cluster, call);
  else if (op->tells != Tells::Other)
    note(traits.unknown, call);
}

static void inspectAsm(const CallBase &call, KernelTraits &traits) {
  device::forEachOperation(call, [&](const device::Operation &operation) {
    device::forEachRegister(operation.operands, [&](StringRef name) {
      inspectRegister(call, name, traits);
    });
    const device::Modifiers says = device::modifiersOf(operation.name);
    if (says.shared)
      note(traits.shared, call);
    if (says.cluster)
      note(traits.cluster, call);
    if (operation.isDirective)
      return;
    const device::DeviceOp *op = operation.op;
    if (!op || op->callsUnknown)
      return note(traits.unknown, call);
    if (op->scope == device::Scope::Block)
      note(traits.barrier, call);
    if (op->scope == device::Scope::Warp)
      note(traits.warpWide, call);
    if (op->scope == device::Scope::Cluster)
      note(traits.cluster, call);
    if (op->isAsync) // through shared memory
      note(traits.shared, call);
    if (op->endsThread)
      note(traits.exit, call);
  });
}

/// LLVM's own intrinsics are those of one thread.
static void inspectIntrinsic(const CallBase &call, const Function &callee,
                             KernelTraits &traits) {
  using device::Tells;
  if (callee.getIntrinsicID() == Intrinsic::not_intrinsic)
    return note(traits.unknown, call);
  if (!callee.isTargetIntrinsic())
    return;
  const device::DeviceOp *op = device::lookup(call);
  if (op && op->tells != Tells::Nothing) {
    if (op->tells == Tells::Cluster)
      note(traits.cluster, call);
    else if (op->tells == Tells::Lane)
      note(traits.place, call);
  } else if (op && op->endsThread) {
    note(traits.exit, call);
  } else if ((op && op->scope == device::Scope::Cluster) ||
             device::modifiersOf(callee.getName()).cluster) {
    note(traits.cluster, call);
  } else if (op && op->isAsync) {
    note(traits.shared, call);
  } else if (op && op->scope == device::Scope::Block) {
    note(traits.barrier, call);
  } else if (call.isConvergent()) {
    note(traits.warpWide, call);
  }
}

static void inspect(const CallBase &call, KernelTraits &traits) {
  if (call.isInlineAsm())
    return inspectAsm(call, traits);
  const Function *callee = call.getCalledFunction();
  if (callee && callee->isIntrinsic())
    return inspectIntrinsic(call, *callee, traits);
  // Functions of libdevice and of the device's runtime know no places.
  if (!callee ||
      (!device::isLibdeviceDeclaration(*callee) && !device::lookup(call)))
    note(traits.unknown, call);
}

KernelTraits KernelTraits::of(const CallBase &call) {
  KernelTraits traits;
  inspect(call, traits);
  return traits;
}

/// An instruction of `function` that uses `value`, be it through constants.
static const Instruction *findUser(const Value *value,
                                   const Function &function) {
  SmallVector<const Value *> work = {value};
  while (!work.empty())
    for (const User *user : work.pop_back_val()->users()) {
      if (auto *inst = dyn_cast<Instruction>(user)) {
        if (inst->getFunction() == &function)
          return inst;
      } else if (isa<Constant>(user)) {
        work.push_back(user);
      }
    }
  return nullptr;
}

KernelTraits KernelTraits::of(const Function &kernel) {
  KernelTraits traits;
  for (const GlobalVariable &global : kernel.getParent()->globals())
    if (global.getAddressSpace() == target::Shared && !traits.shared)
      traits.shared = findUser(&global, kernel);
  for (const Instruction &inst : instructions(kernel)) {
    if (const Value *pointer = getLoadStorePointerOperand(&inst))
      if (pointer->getType()->getPointerAddressSpace() == target::Shared &&
          !traits.shared)
        traits.shared = &inst;
    auto *call = dyn_cast<CallBase>(&inst);
    if (!call)
      continue;
    inspect(*call, traits);
  }
  return traits;
}

std::pair<const Instruction *, StringRef> KernelTraits::getObstacle() const {
  const std::pair<const Instruction *, StringRef> obstacles[] = {
      {barrier, "threads wait for each other"},
      {warpWide, "threads of a warp work together"},
      {shared, "threads share memory"},
      {place, "the kernel asks for a thread's place in its warp"},
      {cluster, "blocks know of each other"},
      {unknown, "it is not known what the call does"},
      {exit, "a thread may end there"}};
  for (const auto &obstacle : obstacles)
    if (obstacle.first)
      return obstacle;
  return {nullptr, ""};
}

std::string evo::describe(const Instruction &inst) {
  std::string text;
  raw_string_ostream os(text);
  os << '\'';
  auto *call = dyn_cast<CallBase>(&inst);
  if (call && call->getCalledFunction())
    os << call->getCalledFunction()->getName();
  else if (call && call->isInlineAsm())
    os << "asm";
  else
    os << inst.getOpcodeName();
  os << '\'';
  // The outermost place that is written in the kernel itself.
  if (const DILocation *loc = inst.getDebugLoc()) {
    while (loc->getInlinedAt())
      loc = loc->getInlinedAt();
    if (loc->getLine())
      os << " (" << loc->getFilename() << ':' << loc->getLine() << ')';
  }
  return text;
}

bool evo::prescribesBlock(const Function &kernel) {
  return kernel.hasFnAttribute(getName(device::LaunchAttribute::RequiredBlock));
}

void evo::forgetBlockPromises(Function &kernel) {
  for (auto attribute : {device::LaunchAttribute::LargestBlock,
                         device::LaunchAttribute::MinResidentBlocks})
    kernel.removeFnAttr(getName(attribute));
}

static Intrinsic::ID getIntrinsic(Register kind, unsigned dim) {
  using device::Tells;
  constexpr Tells tells[] = {Tells::ThreadId, Tells::BlockDim, Tells::BlockId,
                             Tells::GridDim};
  return device::getIntrinsic({tells[static_cast<unsigned>(kind)], dim});
}

SmallVector<CallInst *> evo::readsOf(Function &function, Register kind,
                                     unsigned dim) {
  SmallVector<CallInst *> reads;
  for (Instruction &inst : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&inst))
      if (call->getIntrinsicID() == getIntrinsic(kind, dim))
        reads.push_back(call);
  return reads;
}

Value *evo::readRegister(IRBuilderBase &builder, Register kind, unsigned dim) {
  return builder.CreateIntrinsic(getIntrinsic(kind, dim), {});
}

void evo::replaceReads(Function &function, Register kind, unsigned dim,
                       Value *value) {
  for (CallInst *read : readsOf(function, kind, dim)) {
    read->replaceAllUsesWith(value);
    read->eraseFromParent();
  }
}

Function *evo::cloneWithParameters(Function &kernel, const Twine &name,
                                   ArrayRef<Type *> further) {
  SmallVector<Type *> types(kernel.getFunctionType()->params());
  append_range(types, further);
  Function *copy =
      Function::Create(FunctionType::get(kernel.getReturnType(), types, false),
                       kernel.getLinkage(), name, kernel.getParent());
  ValueToValueMapTy values;
  for (auto [from, to] : zip(kernel.args(), copy->args())) {
    to.setName(from.getName());
    values[&from] = &to;
  }
  SmallVector<ReturnInst *> returns;
  CloneFunctionInto(copy, &kernel, values,
                    CloneFunctionChangeType::LocalChangesOnly, returns);
  copy->setComdat(nullptr);
  return copy;
}

Function *evo::startWider(Function &kernel, unsigned count) {
  SmallVector<Type *> types(kernel.getFunctionType()->params());
  types.append(count, Type::getInt32Ty(kernel.getContext()));
  Function *wider =
      Function::Create(FunctionType::get(kernel.getReturnType(), types, false),
                       kernel.getLinkage(), "", kernel.getParent());
  wider->copyAttributesFrom(&kernel);
  wider->setComdat(kernel.getComdat());
  wider->takeName(&kernel);
  wider->setSubprogram(kernel.getSubprogram());
  for (auto [from, to] : zip(kernel.args(), wider->args()))
    to.setName(from.getName());
  kernel.replaceAllUsesWith(wider);
  return wider;
}

Function &evo::widen(Function &kernel, unsigned count) {
  Function *wider = startWider(kernel, count);
  wider->splice(wider->begin(), &kernel);
  for (auto [from, to] : zip(kernel.args(), wider->args()))
    from.replaceAllUsesWith(&to);
  kernel.eraseFromParent();
  return *wider;
}

Function *evo::cloneAsBody(Function &kernel, StringRef suffix,
                           unsigned furtherParameters) {
  Type *integer = Type::getInt32Ty(kernel.getContext());
  Function *body =
      cloneWithParameters(kernel, kernel.getName() + suffix,
                          SmallVector<Type *>(furtherParameters, integer));
  body->setLinkage(GlobalValue::InternalLinkage);
  body->setVisibility(GlobalValue::DefaultVisibility);
  body->setCallingConv(CallingConv::C);
  AttributeMask launchOnly;
  for (Attribute attribute : kernel.getAttributes().getFnAttrs())
    if (attribute.isStringAttribute() &&
        device::isLaunchAttribute(attribute.getKindAsString()))
      launchOnly.addAttribute(attribute.getKindAsString());
  body->removeFnAttrs(launchOnly);
  return body;
}

void evo::inlineBody(IRBuilderBase &builder, Function &body,
                     ArrayRef<Value *> args) {
  Function *caller = builder.GetInsertBlock()->getParent();
  if (DISubprogram *place = caller->getSubprogram())
    builder.SetCurrentDebugLocation(
        DILocation::get(caller->getContext(), place->getLine(), 0, place));
  CallInst *call = builder.CreateCall(&body, args);
  InlineFunctionInfo info;
  [[maybe_unused]] InlineResult result = InlineFunction(*call, info);
  // unreachable: what could refuse it (noinline, varargs) is no kernel's
  assert(result.isSuccess() && "a body without a way to refuse inlining");
  body.eraseFromParent();
}
