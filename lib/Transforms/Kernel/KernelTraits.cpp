// Finds the traits of a kernel, and its reads of special registers.
#include "KernelTraits.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace evo;

static bool mentions(StringRef text, ArrayRef<StringRef> words) {
  return any_of(words, [&](StringRef word) { return text.contains(word); });
}

static void inspectAsm(const CallBase &call, StringRef text,
                       KernelTraits &traits) {
  auto note = [&](const Instruction *&slot, ArrayRef<StringRef> words) {
    if (!slot && mentions(text, words))
      slot = &call;
  };
  note(traits.barrier, {"bar.sync", "bar.arrive", "bar.red", "barrier.sync",
                        "barrier.arrive", "barrier.red", "barrier.cta"});
  note(traits.warpWide, {"shfl", "vote", "match.", "redux", "mma", "ldmatrix",
                         "stmatrix", "activemask", "bar.warp", "elect"});
  note(traits.shared, {".shared", "cp.async", "mbarrier"});
  note(traits.cluster, {"cluster", "griddepcontrol"});
  note(traits.exit, {"exit"});
  // Registers that a rewrite cannot replace inside the text.
  note(traits.unknown, {"%tid", "%ntid", "%ctaid", "%nctaid", "call"});
  note(traits.place, {"%lane", "%warp", "%nwarp"});
}

static void inspectIntrinsic(const CallBase &call, StringRef name,
                             KernelTraits &traits) {
  auto note = [&](const Instruction *&slot) {
    if (!slot)
      slot = &call;
  };
  if (!name.consume_front("llvm.nvvm."))
    return;
  if (name.consume_front("read.ptx.sreg.")) {
    if (name.contains("cluster"))
      note(traits.cluster);
    else if (mentions(name, {"lane", "warp"}))
      note(traits.place);
  } else if (name == "exit") {
    note(traits.exit);
  } else if (name.contains("cluster") || name.starts_with("mapa") ||
             name.starts_with("griddepcontrol")) {
    note(traits.cluster);
  } else if (name.starts_with("mbarrier") || name.starts_with("cp.async")) {
    note(traits.shared);
  } else if (name.starts_with("barrier") && !name.contains("warp")) {
    note(traits.barrier);
  } else if (call.isConvergent()) {
    note(traits.warpWide);
  }
}

static void inspect(const CallBase &call, KernelTraits &traits) {
  if (auto *text = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return inspectAsm(call, text->getAsmString(), traits);
  const Function *callee = call.getCalledFunction();
  if (callee && callee->isIntrinsic())
    return inspectIntrinsic(call, callee->getName(), traits);
  // Functions of libdevice and of the device's runtime know no places.
  bool isKnown =
      callee && callee->isDeclaration() &&
      (callee->getName().starts_with("__nv_") ||
       StringSwitch<bool>(callee->getName())
           .Cases({"vprintf", "malloc", "free", "__assertfail"}, true)
           .Default(false));
  if (!isKnown && !traits.unknown)
    traits.unknown = &call;
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

static Intrinsic::ID getIntrinsic(Register kind, unsigned dim) {
  static constexpr Intrinsic::ID ids[4][3] = {
      {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
       Intrinsic::nvvm_read_ptx_sreg_tid_z},
      {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
       Intrinsic::nvvm_read_ptx_sreg_ntid_y,
       Intrinsic::nvvm_read_ptx_sreg_ntid_z},
      {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
       Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_ctaid_z},
      {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
       Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
       Intrinsic::nvvm_read_ptx_sreg_nctaid_z}};
  return ids[static_cast<unsigned>(kind)][dim];
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
        attribute.getKindAsString().starts_with("nvvm."))
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
