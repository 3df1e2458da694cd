// Calls, by the name of the callee. A callee that the table of operations lacks
// is an error with its name. So is one with a body, whatever its name: it
// should have been inlined, so it is recursive or not prepared, and what it
// does is not what a library would do.
#include "CallDecoder.h"
#include "Simulator/Interp/Math.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace evo::sim {
namespace call_kind {
#define GET_CallEntryTable_IMPL
#include "evo/DeviceOps/DeviceOps.inc"
} // namespace call_kind

const CallEntry &entryOf(const device::DeviceOp &op) {
  const CallEntry &entry = call_kind::CallEntryTable[device::indexOf(op)];
  assert(entry.names == op.names && entry.words == op.words &&
         "the two tables are ordered alike");
  return entry;
}

/// Whether neither an effect nor a branch is made of a value.
static bool isDead(const Value &value) {
  constexpr size_t max = 64;
  SmallPtrSet<const User *, 16> seen;
  SmallVector<const Value *, 16> open{&value};
  while (!open.empty())
    for (const User *user : open.pop_back_val()->users()) {
      if (!isa<BinaryOperator, CastInst, CmpInst, SelectInst, PHINode>(user) ||
          seen.size() > max)
        return false;
      if (seen.insert(user).second)
        open.push_back(user);
    }
  return true;
}

void Decoder::call(const CallBase &inst) {
  if (auto *assembly = dyn_cast<InlineAsm>(inst.getCalledOperand())) {
    StringRef text = assembly->getAsmString();
    if (text.empty() && inst.getType()->isVoidTy())
      return; // a compiler barrier
    return inlineAsm(inst, *assembly);
  }
  const Function *callee = inst.getCalledFunction();
  if (!callee)
    return fail("indirect call");
  StringRef name = callee->getName();
  if (auto *ii = dyn_cast<IntrinsicInst>(&inst))
    name = Intrinsic::getBaseName(ii->getIntrinsicID());
  if (!callee->isDeclaration())
    return fail("call of '" + name + "' that is not inlined (recursion?)");
  if (!device::hasLibdeviceTypes(*callee))
    return fail("call of '" + name + "' with other types than libdevice has, " +
                device::prototypeOf(name));
  const device::Callee known = device::lookupCallee(inst);
  if (known.op && CallDecoder(*this, inst, entryOf(*known.op), known).run())
    return;
  // A number that the device chooses decides nothing where nothing is made of
  // it: any will do.
  if (known.op && known.op->tells != device::Tells::Nothing && error.empty() &&
      isDead(inst)) {
    values[&inst] = {undefined(leafOf(inst.getType()))};
    return;
  }
  if (error.empty())
    fail("call of '" + name + "'");
}

bool CallDecoder::operands(unsigned count) {
  for (unsigned i = 0; i < count && i < in.size(); ++i)
    in[i] = inst ? dec.get(arg(i)) : given[i].slots;
  return dec.error.empty();
}

int32_t CallDecoder::flushed(int32_t v, const Leaf &leaf) {
  if (!flush || leaf.floatType == FT_None || leaf.floatType == FT_D)
    return v;
  int32_t r = dec.slotLike(leaf);
  dec.emit(forFloat(Op::MATH1_S, leaf.floatType), r, v).sub =
      uint8_t(MathFn::FlushDenormal);
  return r;
}

bool CallDecoder::requireFloat(const Leaf &leaf) {
  if (leaf.floatType == FT_None)
    dec.fail("'" + Twine(plain) + "' on this type");
  return leaf.floatType != FT_None;
}

int32_t CallDecoder::fit(int32_t v, bool from, bool to) {
  if (from == to)
    return v;
  int32_t r = dec.slot(to, FT_None);
  dec.emit(from ? Op::TRUNC_LI : Op::ZEXT_IL, r, v);
  return r;
}

bool CallDecoder::run() {
  // What a warp holds of a matrix has slots of its own.
  if (Outcome r = tensors(); r != Outcome::NotMine)
    return r == Outcome::Done;
  if (!dec.leaves(inst->getType(), ls))
    return true;
  Outcome r = floats();
  if (r == Outcome::NotMine)
    r = conversions();
  if (r == Outcome::NotMine)
    r = integers();
  if (r == Outcome::NotMine)
    r = threads();
  if (r == Outcome::NotMine)
    r = memory();
  if (r == Outcome::Values && dec.error.empty() && !inst->getType()->isVoidTy())
    dec.values[inst] = out;
  return r == Outcome::Done || r == Outcome::Values;
}

std::optional<Slots> CallDecoder::runStatement() {
  Outcome r = floats();
  if (r == Outcome::NotMine)
    r = integers();
  if (r == Outcome::NotMine)
    r = threads();
  if ((r != Outcome::Values && r != Outcome::Done) || !dec.error.empty())
    return std::nullopt;
  return out;
}

} // namespace evo::sim
