//===- DecodeCall.cpp - Calls, by the name of the callee --------*- C++ -*-===//
//
// A callee that Functions.def does not list is an error with its name. So is
// one with a body, whatever its name: it should have been inlined, so it is
// recursive or not prepared, and what it does is not what a library would do.
//
//===----------------------------------------------------------------------===//

#include "CallDecoder.h"
#include "Simulator/Interp/Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace evo::exec {
namespace {

const StringMap<CallEntry> &table() {
  static const StringMap<CallEntry> t = [] {
    StringMap<CallEntry> m;
#define EVO_FN(NAME, KIND, WHAT)                                               \
  m[NAME] = CallEntry{CallKind::KIND, static_cast<int>(WHAT)};
#include "Simulator/IR/Functions.def"
#undef EVO_FN
    return m;
  }();
  return t;
}

const CallEntry *find(StringRef name) {
  auto &t = table();
  auto it = t.find(name);
  return it == t.end() ? nullptr : &it->second;
}

/// As find, but that the letters which name an element type may be left out.
const CallEntry *findForType(const std::string &name) {
  const CallEntry *entry = find(name);
  const bool isFloat = name.size() > 2 && name.back() == 'f';
  const bool isTyped = (isFloat || (name.size() > 2 && name.back() == 'd')) &&
                       name[name.size() - 2] == '.';
  if (!entry && isTyped)
    entry = find(StringRef(name).drop_back(2));
  if (!entry && isFloat)
    entry = find(StringRef(name).drop_back(1));
  return entry;
}

} // namespace

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
  if (tensorCall(inst, name) || knownCall(inst, name) || !error.empty())
    return;
  fail("call of '" + name + "'");
}

bool Decoder::knownCall(const CallBase &inst, StringRef name) {
  bool flush = false;
  const bool isInstruction = name.starts_with("llvm.nvvm.");
  std::string plain = name.str();
  for (StringRef prefix : {"llvm.nvvm.", "llvm.", "__nv_fast_", "__nv_"})
    if (name.consume_front(prefix)) {
      plain = name.str();
      break;
    }
  size_t ftz = plain.find(".ftz");
  if (ftz != std::string::npos) {
    plain.erase(ftz, 4);
    flush = true;
  }
  // An instruction of the device may share its name with a function.
  const CallEntry *entry = nullptr;
  if (isInstruction)
    entry = findForType("nvvm." + plain);
  if (!entry)
    entry = findForType(plain);
  if (!entry)
    return false;

  return CallDecoder(*this, inst, *entry, plain, flush).run();
}

bool CallDecoder::operands(unsigned count) {
  for (unsigned i = 0; i < count && i < in.size(); ++i)
    in[i] = dec.get(arg(i));
  return dec.error.empty();
}

int32_t CallDecoder::flushed(int32_t v, const Leaf &leaf) {
  if (!flush || leaf.floatType != FT_S)
    return v;
  int32_t r = dec.slotLike(leaf);
  dec.emit(Op::MATH1_S, r, v).sub = uint8_t(MathFn::FlushDenormal);
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
  if (!dec.leaves(inst.getType(), ls))
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
  if (r == Outcome::Values && dec.error.empty() && !inst.getType()->isVoidTy())
    dec.values[&inst] = out;
  return r == Outcome::Done || r == Outcome::Values;
}

} // namespace evo::exec
