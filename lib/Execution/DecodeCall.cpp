//===- DecodeCall.cpp - Calls, by the name of the callee --------*- C++ -*-===//
//
// A callee that Functions.def does not list is an error with its name, whether
// it has a body (then it should have been inlined, so it is recursive or not
// prepared) or not.
//
//===----------------------------------------------------------------------===//

#include "CallDecoder.h"
#include "Math.h"
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
#include "Functions.def"
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
  if (tensorCall(inst, name) || knownCall(inst, name) || !error.empty())
    return;
  if (!callee->isDeclaration())
    return fail("call of '" + name + "' that is not inlined (recursion?)");
  fail("call of '" + name + "'");
}

bool Decoder::knownCall(const CallBase &inst, StringRef name) {
  bool flush = false;
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
  const CallEntry *entry = find(plain);
  if (!entry && plain.size() > 2 && plain[plain.size() - 2] == '.' &&
      (plain.back() == 'f' || plain.back() == 'd'))
    entry = find(plain.substr(0, plain.size() - 2));
  if (!entry && plain.size() > 1 && plain.back() == 'f')
    entry = find(plain.substr(0, plain.size() - 1));
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
