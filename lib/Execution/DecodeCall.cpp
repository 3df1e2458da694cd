//===- DecodeCall.cpp - Calls: libdevice, LLVM and NVVM intrinsics -*- C++
//-*-===//
//
// Every callee is looked up by name in Functions.def; types come from the call.
// A callee that the table does not list is an error with its name, whether it
// has a body (then it should have been inlined, so it is recursive or not
// prepared) or not.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Math.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace evo::exec {
namespace {

enum class Kind {
  Math1,
  Math2,
  MathInt,
  SinCos,
  Fma,
  FloatBinary,
  FloatAbs,
  CopySign,
  FloatMinMax,
  IsNan,
  IsInf,
  IsFinite,
  IsClass,
  Bitcast,
  FloatToHalf,
  HalfToFloat,
  FloatCast,
  FloatToInt,
  IntToFloat,
  IntBinary,
  Mul24,
  IntAbs,
  IntPop,
  IntClz,
  IntCtz,
  IntFfs,
  IntBswap,
  IntBrev,
  Funnel,
  FunnelClamp,
  Prmt,
  Overflow,
  Reduce,
  ReduceFloat,
  SregRead,
  Barrier,
  BarrierRed,
  Barrier0Red,
  WarpSync,
  Shuffle,
  Vote,
  Match,
  Redux,
  ActiveMask,
  MemCopy,
  MemFill,
  LoadGlobal,
  AtomicCall,
  IsSpace,
  Fence,
  Ignore,
  Forward,
  ConstantResult,
  Reflect,
  Note,
  TrapCall,
};
enum class FloatBin { Add, Sub, Mul, Div };
constexpr int kSigned = 16;

struct Entry {
  Kind kind;
  int what;
};

const StringMap<Entry> &table() {
  static const StringMap<Entry> t = [] {
    StringMap<Entry> m;
#define EVO_FN(NAME, KIND, WHAT)                                               \
  m[NAME] = Entry{Kind::KIND, static_cast<int>(WHAT)};
#include "Functions.def"
#undef EVO_FN
    return m;
  }();
  return t;
}

const Entry *find(StringRef name) {
  auto &t = table();
  auto it = t.find(name);
  return it == t.end() ? nullptr : &it->second;
}

Op wide(Op narrow, bool w) {
  return static_cast<Op>(static_cast<unsigned>(narrow) + (w ? 1 : 0));
}
Op ofFloat(Op s, FloatType ft) {
  static const unsigned index[] = {2, 3, 0, 1};
  return static_cast<Op>(static_cast<unsigned>(s) + index[ft]);
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
  if (knownCall(inst, name) || !error.empty())
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
  const Entry *entry = find(plain);
  if (!entry && plain.size() > 2 && plain[plain.size() - 2] == '.' &&
      (plain.back() == 'f' || plain.back() == 'd'))
    entry = find(plain.substr(0, plain.size() - 2));
  if (!entry && plain.size() > 1 && plain.back() == 'f')
    entry = find(plain.substr(0, plain.size() - 1));
  if (!entry)
    return false;

  unsigned n = inst.arg_size();
  auto arg = [&](unsigned i) { return inst.getArgOperand(i); };
  Type *type = inst.getType();
  SmallVector<Leaf, 8> ls;
  if (!leaves(type, ls))
    return true;
  // Operands by argument, for the elementwise kinds.
  std::vector<Slots> in(n);
  auto operands = [&](unsigned count) {
    for (unsigned i = 0; i < count && i < n; ++i)
      in[i] = get(arg(i));
    return error.empty();
  };
  auto flushed = [&](int32_t v, const Leaf &l) {
    if (!flush || l.floatType != FT_S)
      return v;
    int32_t d = slotLike(l);
    emit(Op::MATH1_S, d, v).sub = uint8_t(MathFn::FlushDenormal);
    return d;
  };
  Slots out;
  // Emits `make` for each element with (flushed) operands.
  auto elementwise = [&](unsigned count, auto make) {
    if (!operands(count))
      return;
    for (size_t i = 0; i < ls.size(); ++i) {
      int32_t v[3] = {kNone, kNone, kNone};
      for (unsigned j = 0; j < count; ++j) {
        v[j] = in[j][in[j].size() == 1 ? 0 : i];
        if (v[j] >= 0 && slots[v[j]].floatType != FT_None)
          v[j] = flushed(v[j], ls[i]);
      }
      out.push_back(flushed(make(ls[i], v), ls[i]));
    }
  };
  auto requireFloat = [&](const Leaf &l) {
    if (l.floatType == FT_None)
      fail("'" + Twine(plain) + "' on this type");
    return l.floatType != FT_None;
  };
  Leaf i32{nullptr, 0, 32, FT_None};
  auto classTest = [&](unsigned mask) {
    // Bit tests on the representation; classes as in llvm.is.fpclass.
    if (!operands(1))
      return;
    SmallVector<Leaf, 8> fl;
    if (!leaves(arg(0)->getType(), fl))
      return;
    for (size_t i = 0; i < fl.size(); ++i) {
      const Leaf &f = fl[i];
      if (!requireFloat(f))
        return;
      bool w = f.wide();
      Leaf il{nullptr, 0, f.bits, FT_None};
      unsigned mant = f.floatType == FT_S   ? 23
                      : f.floatType == FT_D ? 52
                      : f.floatType == FT_H ? 10
                                            : 7;
      uint64_t sign = 1ull << (f.bits - 1),
               inf = (sign - 1) & ~((1ull << mant) - 1);
      int32_t bits = emitTo(il, wide(Op::MOV_I, w), in[0][i]);
      int32_t mag = emitTo(il, wide(Op::AND_I, w), bits, constant(sign - 1, w));
      auto range = [&](int32_t v, uint64_t lo, uint64_t hi) { // lo <= v <= hi
        int32_t d = emitTo(il, wide(Op::SUB_I, w), v, constant(lo, w));
        if (f.bits == 16)
          d = masked(d, il);
        return emitTo(i32, wide(Op::ICMP_ULE_I, w), d, constant(hi - lo, w));
      };
      int32_t r = constant(0, false);
      auto add = [&](int32_t c) { r = emitTo(i32, Op::OR_I, r, c); };
      uint64_t quiet = 1ull << (mant - 1), tiny = 1ull << mant;
      if (mask & 1)
        add(range(mag, inf + 1, inf + quiet - 1));
      if (mask & 2)
        add(range(mag, inf + quiet, sign - 1));
      const struct {
        unsigned neg, pos;
        uint64_t lo, hi;
      } classes[] = {{4, 512, inf, inf},
                     {8, 256, tiny, inf - 1},
                     {16, 128, 1, tiny - 1},
                     {32, 64, 0, 0}};
      for (auto &c : classes) {
        if (mask & c.neg)
          add(range(bits, sign | c.lo, sign | c.hi));
        if (mask & c.pos)
          add(range(bits, c.lo, c.hi));
      }
      out.push_back(r);
    }
  };
  auto intOp = [&](const Leaf &l, Op narrow, int32_t a, int32_t b = kNone) {
    return emitTo(l, wide(narrow, l.wide()), a, b);
  };
  // Results of counting functions may be narrower than their operand.
  auto fit = [&](int32_t v, bool from, bool to) {
    if (from == to)
      return v;
    int32_t d = slot(to, FT_None);
    emit(from ? Op::TRUNC_LI : Op::ZEXT_IL, d, v);
    return d;
  };

  switch (entry->kind) {
  case Kind::Math1:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      int32_t d = slotLike(l);
      emit(ofFloat(Op::MATH1_S, l.floatType), d, v[0]).sub = entry->what;
      return d;
    });
    break;
  case Kind::Math2:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      int32_t d = slotLike(l);
      emit(ofFloat(Op::MATH2_S, l.floatType), d, v[0], v[1]).sub = entry->what;
      return d;
    });
    break;
  case Kind::MathInt:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      Leaf il = leafOf(arg(1)->getType()->getScalarType());
      int32_t d = slotLike(l), e = signExtended(v[1], il);
      if (il.wide()) {
        int32_t t = slot(false, FT_None);
        emit(Op::TRUNC_LI, t, e);
        e = t;
      }
      emit(ofFloat(Op::MATHI_S, l.floatType), d, v[0], e).sub = entry->what;
      return d;
    });
    break;
  case Kind::SinCos: {
    Leaf l = leafOf(arg(0)->getType());
    int32_t x = scalar(arg(0));
    if (!requireFloat(l))
      return true;
    for (unsigned i : {0u, 1u}) {
      auto [base, disp] = pointer(arg(1 + i));
      int32_t d = slotLike(l);
      emit(ofFloat(Op::MATH1_S, l.floatType), d, x).sub =
          uint8_t(i ? MathFn::Cos : MathFn::Sin);
      Inst &s = emit(Op::STORE, kNone, base, d);
      s.sub = l.wide() ? 3 | 3 << 4 : 2 | 2 << 4;
      s.imm = disp;
    }
    return true;
  }
  case Kind::Fma:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      return emitTo(l, ofFloat(Op::FMA_S, l.floatType), v[0], v[1], v[2]);
    });
    break;
  case Kind::FloatBinary:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      static const Op ops[] = {Op::FADD_S, Op::FSUB_S, Op::FMUL_S, Op::FDIV_S};
      return emitTo(l, ofFloat(ops[entry->what], l.floatType), v[0], v[1]);
    });
    break;
  case Kind::FloatAbs:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      if (!requireFloat(l))
        return v[0];
      return emitTo(l, ofFloat(Op::FABS_S, l.floatType), v[0]);
    });
    break;
  case Kind::CopySign:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      return emitTo(l, ofFloat(Op::COPYSIGN_S, l.floatType), v[0], v[1]);
    });
    break;
  case Kind::FloatMinMax:
    if (ls.empty() || ls[0].floatType == FT_None)
      return false;
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t d = slotLike(l);
      emit(ofFloat(Op::FMINMAX_S, l.floatType), d, v[0], v[1]).sub =
          entry->what;
      return d;
    });
    break;
  case Kind::IsNan:
    classTest(3);
    break;
  case Kind::IsInf:
    classTest(4 | 512);
    break;
  case Kind::IsFinite:
    classTest(0x1f8);
    break;
  case Kind::IsClass:
    classTest(cast<ConstantInt>(arg(1))->getZExtValue());
    break;
  case Kind::Bitcast:
    bitcast(arg(0), &inst);
    return true;
  case Kind::FloatToHalf: { // the result is the pattern in an i16
    Leaf f = leafOf(arg(0)->getType());
    int32_t v = scalar(arg(0)), h = slot(false, FT_H);
    if (f.floatType == FT_None || ls.size() != 1)
      return false;
    emit(Op::FPCVT, h, v).sub = f.floatType | FT_H << 4;
    if (ls[0].floatType == FT_H)
      out = {h};
    else
      out = {emitTo(ls[0], Op::MOV_I, h)};
    break;
  }
  case Kind::HalfToFloat: {
    Leaf f = leafOf(arg(0)->getType());
    int32_t v = scalar(arg(0));
    if (f.bits != 16 || !requireFloat(ls[0]))
      return false;
    if (f.floatType != FT_H) {
      int32_t h = slot(false, FT_H);
      emit(Op::MOV_I, h, v);
      v = h;
    }
    int32_t d = slotLike(ls[0]);
    emit(Op::FPCVT, d, v).sub = FT_H | ls[0].floatType << 4;
    out = {d};
    break;
  }
  case Kind::FloatCast: {
    Leaf f = leafOf(arg(0)->getType());
    int32_t v = scalar(arg(0)), d = slotLike(ls[0]);
    if (!requireFloat(f) || !requireFloat(ls[0]))
      return true;
    emit(Op::FPCVT, d, v).sub = f.floatType | ls[0].floatType << 4;
    out = {d};
    break;
  }
  case Kind::FloatToInt: {
    if (!operands(1))
      return true;
    SmallVector<Leaf, 8> fl;
    if (!leaves(arg(0)->getType(), fl))
      return true;
    for (size_t i = 0; i < ls.size(); ++i) {
      if (!requireFloat(fl[i]))
        return true;
      int32_t d = slot(ls[i].wide(), FT_None);
      Inst &c = emit(Op::FPTOI, d, in[0][i]);
      c.sub = fl[i].floatType | (entry->what & kSigned) | ls[i].wide() << 5;
      c.imm = (entry->what & 15) | ls[i].bits << 8;
      out.push_back(d);
    }
    break;
  }
  case Kind::IntToFloat: {
    Leaf f = leafOf(arg(0)->getType());
    int32_t v = scalar(arg(0)), d = slotLike(ls[0]);
    if (!requireFloat(ls[0]))
      return true;
    emit(Op::ITOFP, d, v).sub =
        ls[0].floatType | (entry->what & kSigned) | f.wide() << 5;
    out = {d};
    break;
  }
  case Kind::IntBinary: {
    Op op = static_cast<Op>(entry->what);
    if (ls.empty() || ls[0].floatType != FT_None)
      return false;
    bool isSigned = op == Op::SMIN_I || op == Op::SMAX_I ||
                    op == Op::MULHIS_I || op == Op::ADDSATS_I ||
                    op == Op::SUBSATS_I;
    bool widthBound = op == Op::MULHIS_I || op == Op::MULHIU_I ||
                      op == Op::ADDSATS_I || op == Op::ADDSATU_I ||
                      op == Op::SUBSATS_I;
    if (widthBound && ls[0].bits != 32 && ls[0].bits != 64)
      return fail("'" + Twine(plain) + "' on " + Twine(ls[0].bits) + " bits"),
             true;
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t a = v[0], b = v[1];
      if (isSigned) {
        a = signExtended(a, l);
        b = signExtended(b, l);
      }
      return masked(intOp(l, op, a, b), l);
    });
    break;
  }
  case Kind::Mul24:
    elementwise(2, [&](const Leaf &l, int32_t *v) {
      int32_t x[2];
      for (int i : {0, 1}) {
        x[i] = slot(false, FT_None);
        emit(entry->what ? Op::SEXTIN_I : Op::MASK_I, x[i], v[i]).imm = 24;
      }
      return intOp(l, Op::MUL_I, x[0], x[1]);
    });
    break;
  case Kind::IntAbs:
    if (ls.empty() || ls[0].floatType != FT_None)
      return false;
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      return masked(intOp(l, Op::ABS_I, signExtended(v[0], l)), l);
    });
    break;
  case Kind::IntPop:
  case Kind::IntClz:
  case Kind::IntCtz:
  case Kind::IntFfs:
    elementwise(1, [&](const Leaf &to, int32_t *v) {
      Leaf l = leafOf(arg(0)->getType()->getScalarType());
      bool w = l.wide();
      Leaf il{nullptr, 0, w ? 64u : 32u, FT_None};
      int32_t r;
      if (entry->kind == Kind::IntPop) {
        r = intOp(il, Op::CTPOP_I, v[0]);
      } else if (entry->kind == Kind::IntClz) {
        r = intOp(il, Op::CTLZ_I, v[0]);
        if (l.bits != il.bits)
          r = intOp(il, Op::SUB_I, r, constant(il.bits - l.bits, w));
      } else {
        int32_t x = v[0];
        if (l.bits != il.bits)
          x = intOp(il, Op::OR_I, x, constant(1ull << l.bits, w));
        r = intOp(il, Op::CTTZ_I, x);
        if (entry->kind == Kind::IntFfs) { // 1 + position, 0 for zero
          r = intOp(il, Op::ADD_I, r, constant(1, w));
          int32_t z = emitTo(i32, wide(Op::ICMP_EQ_I, w), x, constant(0, w));
          r = emitTo(il, wide(Op::SELECT_I, w), z, constant(0, w), r);
        }
      }
      return fit(r, w, to.wide());
    });
    break;
  case Kind::IntBswap:
  case Kind::IntBrev:
    elementwise(1, [&](const Leaf &l, int32_t *v) {
      Op op = entry->kind == Kind::IntBswap ? Op::BSWAP_I : Op::BITREV_I;
      int32_t r = intOp(l, op, v[0]);
      unsigned full = l.wide() ? 64 : 32;
      if (l.bits != full)
        r = intOp(l, Op::LSHR_I, r, constant(full - l.bits, l.wide()));
      return r;
    });
    break;
  case Kind::Funnel:
  case Kind::FunnelClamp:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      if (l.bits != 32 && l.bits != 64) {
        fail("funnel shift of " + Twine(l.bits) + " bits");
        return v[0];
      }
      int32_t d = emitTo(l, wide(static_cast<Op>(entry->what), l.wide()), v[0],
                         v[1], v[2]);
      k.code.back().sub = entry->kind == Kind::FunnelClamp;
      return d;
    });
    break;
  case Kind::Prmt:
    elementwise(3, [&](const Leaf &l, int32_t *v) {
      return emitTo(l, Op::PRMT, v[0], v[1], v[2]);
    });
    break;
  case Kind::Overflow: {
    if (!operands(2) || ls.size() != 2)
      return true;
    const Leaf &l = ls[0];
    Op op = static_cast<Op>(entry->what);
    int32_t r = masked(intOp(l, op, in[0][0], in[1][0]), l);
    int32_t o =
        op == Op::ADD_I
            ? emitTo(i32, wide(Op::ICMP_ULT_I, l.wide()), r, in[0][0])
            : emitTo(i32, wide(Op::ICMP_ULT_I, l.wide()), in[0][0], in[1][0]);
    out = {r, o};
    break;
  }
  case Kind::Reduce: {
    if (!operands(1))
      return true;
    int32_t r = in[0][0];
    for (size_t i = 1; i < in[0].size(); ++i)
      r = masked(intOp(ls[0], static_cast<Op>(entry->what), r, in[0][i]),
                 ls[0]);
    out = {r};
    break;
  }
  case Kind::ReduceFloat: {
    if (!operands(2))
      return true;
    Op op = static_cast<FloatBin>(entry->what) == FloatBin::Add ? Op::FADD_S
                                                                : Op::FMUL_S;
    int32_t r = in[0][0];
    for (int32_t v : in[1])
      r = emitTo(ls[0], ofFloat(op, ls[0].floatType), r, v);
    out = {r};
    break;
  }
  case Kind::SregRead: {
    int32_t d = slot(false, FT_None);
    emit(Op::SREG, d).sub = entry->what;
    out = {fit(d, false, ls[0].wide())};
    break;
  }
  case Kind::Barrier: {
    auto *id = n ? dyn_cast<ConstantInt>(arg(0)) : nullptr;
    if (n && !id)
      return fail("barrier whose number is not a constant"), true;
    Inst &b = emit(Op::BAR);
    b.sub = entry->what;
    b.imm = id ? id->getZExtValue() : 0;
    return true;
  }
  case Kind::BarrierRed:
  case Kind::Barrier0Red: {
    bool numbered = entry->kind == Kind::BarrierRed;
    auto *id = numbered ? dyn_cast<ConstantInt>(arg(0)) : nullptr;
    if (numbered && !id)
      return fail("barrier whose number is not a constant"), true;
    int32_t p = scalar(arg(numbered ? 1 : 0)), d = slot(false, FT_None);
    Inst &b = emit(Op::BAR, d, p);
    b.sub = entry->what;
    b.imm = id ? id->getZExtValue() : 0;
    out = {d};
    break;
  }
  case Kind::WarpSync:
    emit(Op::WARPSYNC, kNone, kNone, kNone, scalar(arg(0)));
    return true;
  case Kind::Shuffle: {
    // (mask, value, lane, clamp): the mask is operand c as in all such ops.
    int32_t mask = scalar(arg(0)), value = scalar(arg(1)),
            lane = scalar(arg(2)), clamp = scalar(arg(3));
    int32_t d = slotLike(ls[0]),
            p = ls.size() > 1 ? slot(false, FT_None) : kNone;
    Inst &i = emit(Op::SHFL, d, value, lane, mask);
    i.sub = entry->what;
    i.e = clamp;
    i.dst2 = p;
    out = {d};
    if (p != kNone)
      out.push_back(p);
    break;
  }
  case Kind::Vote: {
    int32_t d = slot(false, FT_None), m = scalar(arg(0)), p = scalar(arg(1));
    emit(Op::VOTE, d, p, kNone, m).sub = entry->what;
    out = {d};
    break;
  }
  case Kind::Match: {
    int32_t d = slot(false, FT_None), m = scalar(arg(0)), v = scalar(arg(1));
    int32_t p = ls.size() > 1 ? slot(false, FT_None) : kNone;
    Inst &i = emit(Op::MATCH, d, v, kNone, m);
    i.sub = entry->what;
    i.dst2 = p;
    out = {d};
    if (p != kNone)
      out.push_back(p);
    break;
  }
  case Kind::Redux: {
    int32_t d = slot(false, FT_None), v = scalar(arg(0)), m = scalar(arg(1));
    emit(Op::REDUX, d, v, kNone, m).sub = entry->what;
    out = {d};
    break;
  }
  case Kind::ActiveMask: {
    int32_t d = slot(false, FT_None);
    emit(Op::ACTIVEMASK, d);
    out = {d};
    break;
  }
  case Kind::MemCopy:
  case Kind::MemFill: {
    int32_t d = scalar(arg(0)), s = scalar(arg(1)), len = scalar(arg(2));
    if (!leafOf(arg(2)->getType()).wide()) {
      int32_t w = slot(true, FT_None);
      emit(Op::ZEXT_IL, w, len);
      len = w;
    }
    emit(entry->kind == Kind::MemCopy ? Op::MEMCPY : Op::MEMSET, kNone, d, s,
         len);
    return true;
  }
  case Kind::LoadGlobal: {
    auto *a = dyn_cast<ConstantInt>(arg(1));
    load(&inst, arg(0), a ? a->getZExtValue() : 1);
    return true;
  }
  case Kind::AtomicCall:
    atomic(&inst, arg(0), arg(1), static_cast<AtomicOp>(entry->what));
    return true;
  case Kind::IsSpace: {
    int32_t d = slot(false, FT_None), p = scalar(arg(0));
    emit(Op::ISSPACEP, d, p).sub = entry->what;
    out = {d};
    break;
  }
  case Kind::Fence:
    emit(Op::FENCE);
    return true;
  case Kind::Ignore:
    return true;
  case Kind::Forward: {
    Slots s = get(arg(0));
    values[&inst] = s;
    return true;
  }
  case Kind::ConstantResult:
    out = {constant(isa<llvm::Constant>(arg(0)), false)};
    break;
  case Kind::Reflect:
    // Every query ("__CUDA_FTZ", "__CUDA_PREC_SQRT", ...) but the precise
    // forms answers no.
    out = {constant(0, false)};
    break;
  case Kind::Note: {
    const SourceLoc &l = k.locations[currentLoc];
    ctx.program.notes.push_back("printf ignored in " + k.name +
                                (l.line ? " at " + l.str() : ""));
    for (const Leaf &l : ls)
      out.push_back(constant(0, l.wide()));
    break;
  }
  case Kind::TrapCall:
    trap(entry->what ? "assertion failed" : "trap executed");
    return true;
  }
  if (!error.empty())
    return true;
  if (!type->isVoidTy())
    values[&inst] = out;
  return true;
}

} // namespace evo::exec
