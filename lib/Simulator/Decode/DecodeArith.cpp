// Arithmetic, comparisons, conversions. Narrow integers are masked and
// sign-extended here, so no opcode knows about odd widths.
#include "Decoder.h"
#include "Promises.h"
#include "Simulator/Interp/Math.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace evo::sim {

int32_t Decoder::binaryLeaf(unsigned opcode, const Leaf &leaf, int32_t a,
                            int32_t b) {
  bool w = leaf.wide();
  FloatType ft = leaf.floatType;
  switch (opcode) {
  case Instruction::FAdd:
    return emitTo(leaf, forFloat(Op::FADD_S, ft), a, b);
  case Instruction::FSub:
    return emitTo(leaf, forFloat(Op::FSUB_S, ft), a, b);
  case Instruction::FMul:
    return emitTo(leaf, forFloat(Op::FMUL_S, ft), a, b);
  case Instruction::FDiv:
    return emitTo(leaf, forFloat(Op::FDIV_S, ft), a, b);
  case Instruction::FRem:
    return emitTo(leaf, forFloat(Op::FREM_S, ft), a, b);
  case Instruction::Add:
    return masked(emitTo(leaf, forWidth(Op::ADD_I, w), a, b), leaf);
  case Instruction::Sub:
    return masked(emitTo(leaf, forWidth(Op::SUB_I, w), a, b), leaf);
  case Instruction::Mul:
    return masked(emitTo(leaf, forWidth(Op::MUL_I, w), a, b), leaf);
  case Instruction::UDiv:
    return emitTo(leaf, forWidth(Op::UDIV_I, w), a, b);
  case Instruction::URem:
    return emitTo(leaf, forWidth(Op::UREM_I, w), a, b);
  case Instruction::SDiv:
  case Instruction::SRem: {
    int32_t x = signExtended(a, leaf), y = signExtended(b, leaf);
    Op op = opcode == Instruction::SDiv ? Op::SDIV_I : Op::SREM_I;
    return masked(emitTo(leaf, forWidth(op, w), x, y), leaf);
  }
  case Instruction::And:
    return emitTo(leaf, forWidth(Op::AND_I, w), a, b);
  case Instruction::Or:
    return emitTo(leaf, forWidth(Op::OR_I, w), a, b);
  case Instruction::Xor:
    return emitTo(leaf, forWidth(Op::XOR_I, w), a, b);
  case Instruction::Shl:
    return masked(emitTo(leaf, forWidth(Op::SHL_I, w), a, b), leaf);
  case Instruction::LShr:
    return emitTo(leaf, forWidth(Op::LSHR_I, w), a, b);
  case Instruction::AShr:
    return masked(
        emitTo(leaf, forWidth(Op::ASHR_I, w), signExtended(a, leaf), b), leaf);
  default:
    fail(Instruction::getOpcodeName(opcode));
    return a;
  }
}

int32_t Decoder::withSignOf(const Leaf &leaf, int32_t size, int32_t a,
                            int32_t b) {
  const Leaf bits{nullptr, 0, leaf.bits, FT_None};
  const bool wide = leaf.wide();
  auto asBits = [&](int32_t v) {
    return emitTo(bits, forWidth(Op::MOV_I, wide), v);
  };
  const int32_t sign =
      emitTo(bits, forWidth(Op::XOR_I, wide), asBits(a), asBits(b));
  return emitTo(leaf, forFloat(Op::COPYSIGN_S, leaf.floatType), size,
                emitTo(leaf, forWidth(Op::MOV_I, wide), sign));
}

/// A back end fuses a product into the addition that alone uses it, in one
/// block; what it does with any other is its business.
static Contraction contractionOf(const BinaryOperator &inst) {
  if ((inst.getOpcode() != Instruction::FAdd &&
       inst.getOpcode() != Instruction::FSub) ||
      !inst.hasAllowContract())
    return Contraction::No;
  unsigned products = 0, certain = 0;
  for (const Value *operand : inst.operands()) {
    auto *product = dyn_cast<BinaryOperator>(operand);
    if (!product || product->getOpcode() != Instruction::FMul ||
        !product->hasAllowContract())
      continue;
    ++products;
    certain += product->hasOneUse() && product->getParent() == inst.getParent();
  }
  if (products == 0)
    return Contraction::No;
  return products == 1 && certain == 1 ? Contraction::Yes : Contraction::Open;
}

/// Whether a number is made of arguments, literals and the numbers of threads
/// and blocks alone, as indices are; what hashes data wraps on purpose.
static bool isMadeOfIndices(const Value *value,
                            SmallPtrSetImpl<const Value *> &seen) {
  constexpr unsigned max = 64;
  if (!value->getType()->isIntegerTy())
    return false;
  if (isa<Argument, llvm::Constant>(value))
    return true;
  if (!seen.insert(value).second)
    return true;
  if (seen.size() > max)
    return false;
  auto areOperands = [&](const auto &operands) {
    return all_of(operands, [&](const Use &operand) {
      return isMadeOfIndices(operand, seen);
    });
  };
  if (auto *call = dyn_cast<IntrinsicInst>(value))
    return !call->mayReadFromMemory() && areOperands(call->args());
  if (auto *choice = dyn_cast<SelectInst>(value))
    return isMadeOfIndices(choice->getTrueValue(), seen) &&
           isMadeOfIndices(choice->getFalseValue(), seen);
  return isa<BinaryOperator, CastInst, PHINode, FreezeInst>(value) &&
         areOperands(cast<Instruction>(value)->operands());
}

static bool isSumOrProduct(const User *user) {
  auto *inst = dyn_cast<BinaryOperator>(user);
  return inst && (inst->getOpcode() == Instruction::Add ||
                  inst->getOpcode() == Instruction::Sub ||
                  inst->getOpcode() == Instruction::Mul);
}

/// How a number, or a sum or product of it, becomes one of 64 bits: by its
/// sign, without one, or not at all.
enum class Extension { None, Unsigned, Signed };
static Extension findExtension(const Value *value,
                               SmallPtrSet<const Value *, 16> &seen) {
  constexpr unsigned max = 16;
  Extension found = Extension::None;
  for (const User *user : value->users()) {
    if (found == Extension::Signed || seen.size() > max)
      break;
    // What is known not to be negative has one all the same.
    if (auto *extension = dyn_cast<ZExtInst>(user))
      found = std::max(found, extension->hasNonNeg() ? Extension::Signed
                                                     : Extension::Unsigned);
    else if (isa<SExtInst>(user))
      found = Extension::Signed;
    else if (isSumOrProduct(user) && seen.insert(user).second)
      found = std::max(found, findExtension(user, seen));
  }
  return found;
}

/// What is watched when the result of 32 bits wraps.
static uint8_t getWrapping(const BinaryOperator &inst) {
  if (!isSumOrProduct(&inst))
    return 0;
  SmallPtrSet<const Value *, 16> seen, made;
  uint8_t watched = subNoSignedWrap;
  if (!inst.hasNoSignedWrap())
    switch (findExtension(&inst, seen)) {
    case Extension::Signed:
      watched = subSignedIndex;
      break;
    case Extension::Unsigned:
      // Sums without sign with -1 and the like wrap as they are meant to.
      if (inst.getOpcode() != Instruction::Mul)
        return 0;
      watched = subUnsignedIndex;
      break;
    case Extension::None:
      return 0;
    }
  if (isMadeOfIndices(&inst, made))
    return watched;
  return inst.hasNoSignedWrap() ? subSignedData : 0;
}

void Decoder::binary(const BinaryOperator &inst) {
  Slots a = get(inst.getOperand(0)), b = get(inst.getOperand(1)), out;
  SmallVector<Leaf, 8> ls;
  if (!leaves(inst.getType(), ls) || !error.empty())
    return;
  for (size_t i = 0; i < ls.size(); ++i) {
    if (inst.getOpcode() == Instruction::FDiv && inst.hasApproxFunc() &&
        ls[i].floatType == FT_S) {
      // div.approx or, of one, rcp.approx
      out.push_back(emitTo(ls[i], Op::MATH2_S, a[i], b[i]));
      k.code.back().sub = static_cast<uint8_t>(MathFn::Fdivide);
      k.code.back().aux = static_cast<uint32_t>(Precision::Approximate);
      continue;
    }
    if (const std::optional<MathFn> rint = findShiftedRint(inst)) {
      out.push_back(shiftedRint(ls[i], *rint, a[i], one(ls[i])));
      continue;
    }
    out.push_back(binaryLeaf(inst.getOpcode(), ls[i], a[i], b[i]));
    if (ls[i].floatType != FT_None)
      k.code.back().aux = static_cast<uint32_t>(contractionOf(inst));
    else if (const uint8_t wrapping = ls[i].bits == 32 ? getWrapping(inst) : 0)
      k.code.back().sub = wrapping;
  }
  values[&inst] = out;
}

void Decoder::compare(const CmpInst &inst) {
  Slots a = get(inst.getOperand(0)), b = get(inst.getOperand(1)), out;
  SmallVector<Leaf, 8> ls;
  if (!leaves(inst.getOperand(0)->getType(), ls) || !error.empty())
    return;
  for (size_t i = 0; i < ls.size(); ++i) {
    int32_t d = slot(false, FT_None);
    out.push_back(d);
    if (isa<FCmpInst>(inst)) {
      emit(forFloat(Op::FCMP_S, ls[i].floatType), d, a[i], b[i]).sub =
          inst.getPredicate();
      continue;
    }
    static const Op ops[] = {Op::ICMP_EQ_I,  Op::ICMP_NE_I,  Op::ICMP_UGT_I,
                             Op::ICMP_UGE_I, Op::ICMP_ULT_I, Op::ICMP_ULE_I,
                             Op::ICMP_SGT_I, Op::ICMP_SGE_I, Op::ICMP_SLT_I,
                             Op::ICMP_SLE_I};
    int32_t x = a[i], y = b[i];
    if (inst.isSigned()) {
      x = signExtended(x, ls[i]);
      y = signExtended(y, ls[i]);
    }
    emit(forWidth(ops[inst.getPredicate() - CmpInst::ICMP_EQ], ls[i].wide()), d,
         x, y);
  }
  values[&inst] = out;
}

void Decoder::conversion(const CastInst &inst) {
  if (isa<BitCastInst>(inst))
    return bitcast(inst.getOperand(0), &inst);
  Slots in = get(inst.getOperand(0)), out;
  SmallVector<Leaf, 8> from, to;
  if (!leaves(inst.getOperand(0)->getType(), from) ||
      !leaves(inst.getType(), to) || !error.empty())
    return;
  for (size_t i = 0; i < to.size(); ++i) {
    const Leaf &f = from[i], &t = to[i];
    int32_t v = in[i], r = v;
    switch (inst.getOpcode()) {
    case Instruction::Trunc:
      if (f.wide() && !t.wide()) {
        r = slot(false, FT_None);
        emit(Op::TRUNC_LI, r, v);
      }
      r = masked(r, t);
      break;
    case Instruction::PtrToInt:
    case Instruction::PtrToAddr:
      if (inst.getSrcTy()->getScalarType()->getPointerAddressSpace() ==
          target::Shared) {
        r = slot(false, FT_None);
        emit(Op::WINDOW_LI, r, v);
        r = t.wide() ? emitTo(t, Op::ZEXT_IL, r) : masked(r, t);
        break;
      }
      [[fallthrough]];
    case Instruction::IntToPtr:
      if (isa<IntToPtrInst>(inst) &&
          inst.getDestTy()->getScalarType()->getPointerAddressSpace() ==
              target::Shared) {
        if (f.wide()) {
          r = slot(false, FT_None);
          emit(Op::TRUNC_LI, r, v);
        }
        r = emitTo(t, Op::UNWINDOW_IL, r);
        break;
      }
      [[fallthrough]];
    case Instruction::ZExt:
      if (f.wide() && !t.wide()) {
        r = slot(false, FT_None);
        emit(Op::TRUNC_LI, r, v);
        r = masked(r, t);
      } else if (!f.wide() && t.wide()) {
        r = emitTo(t, Op::ZEXT_IL, v);
      } else if (f.bits > t.bits) {
        r = masked(v, t);
      }
      break;
    case Instruction::SExt:
      r = signExtended(v, f);
      if (!f.wide() && t.wide())
        r = emitTo(t, Op::SEXT_IL, r);
      r = masked(r, t);
      break;
    case Instruction::FPTrunc:
    case Instruction::FPExt:
      r = slotLike(t);
      emit(Op::FPCVT, r, v).sub = f.floatType | t.floatType << 4;
      break;
    case Instruction::FPToSI:
    case Instruction::FPToUI: {
      r = slot(t.wide(), FT_None);
      bool isSigned = inst.getOpcode() == Instruction::FPToSI;
      Inst &c = emit(Op::FPTOI, r, v);
      // Code generators may make of narrow numbers what they like: of bytes
      // they convert to 16 bits, of which stores and sums see others.
      const Beyond beyond = t.bits >= 32 ? Beyond::AsCvt
                            : inst.hasMetadata(inRangeMetadata)
                                ? Beyond::Refused
                                : Beyond::Undefined;
      c.sub = f.floatType | isSigned << 4 | t.wide() << 5 |
              static_cast<unsigned>(beyond) << beyondShift;
      c.imm = int(Rounding::Zero) | t.bits << 8;
      break;
    }
    case Instruction::SIToFP:
    case Instruction::UIToFP: {
      bool isSigned = inst.getOpcode() == Instruction::SIToFP;
      int32_t x = isSigned ? signExtended(v, f) : v;
      r = slotLike(t);
      emit(Op::ITOFP, r, x).sub = t.floatType | isSigned << 4 | f.wide() << 5;
      break;
    }
    case Instruction::AddrSpaceCast:
      break;
    default:
      return fail(inst.getOpcodeName());
    }
    out.push_back(r);
  }
  values[&inst] = out;
  if (isa<AddrSpaceCastInst>(inst))
    parts[&inst] = pointer(inst.getOperand(0));
}

/// Reinterprets leaf lists of equal total width: through 16-, 32- and 64-bit
/// pieces, each piece keeping the shadow values that belong to its bits.
void Decoder::bitcast(const Value *fromValue, const Value *result) {
  Slots in = get(fromValue), out;
  SmallVector<Leaf, 8> from, to;
  if (!leaves(fromValue->getType(), from) || !leaves(result->getType(), to) ||
      !error.empty())
    return;
  auto same = [&](int32_t v, const Leaf &f, const Leaf &t) {
    if (f.floatType == t.floatType)
      return v;
    return emitTo(t, forWidth(Op::MOV_I, t.wide()), v);
  };
  unsigned fb = from[0].bits, tb = to[0].bits;
  for (const Leaf &l : from)
    if (l.bits != fb)
      // unreachable: LLVM casts no aggregates
      return fail("bitcast of a mixed aggregate");
  if (fb == tb) {
    for (size_t i = 0; i < to.size(); ++i)
      out.push_back(same(in[i], from[i], to[i]));
    values[result] = out;
    return;
  }
  Leaf i16{nullptr, 0, 16, FT_None}, i32{nullptr, 0, 32, FT_None},
      i64{nullptr, 0, 64, FT_None};
  auto intLeaf = [&](unsigned bits) {
    return bits == 16 ? i16 : bits == 32 ? i32 : i64;
  };
  if (fb % 8 || tb % 8 || fb > 64 || tb > 64)
    return fail("bitcast between " + Twine(fb) + "- and " + Twine(tb) +
                "-bit elements");
  unsigned piece = std::min(fb, tb);
  if (piece == 8) {
    // Bytes carry no shadow values; shift and mask.
    Slots bytes;
    for (size_t i = 0; i < in.size(); ++i)
      for (unsigned b = 0; b < fb; b += 8) {
        bool w = fb > 32;
        int32_t s = in[i];
        if (b) {
          s = slot(w, FT_None);
          emit(forWidth(Op::LSHR_I, w), s, in[i], constant(b, w));
        }
        if (w) {
          int32_t n = slot(false, FT_None);
          emit(Op::TRUNC_LI, n, s);
          s = n;
        }
        int32_t m = slot(false, FT_None);
        emit(Op::MASK_I, m, s).imm = 8;
        bytes.push_back(m);
      }
    for (size_t i = 0, n = 0; i < to.size(); ++i) {
      bool w = tb > 32;
      int32_t r = constant(0, w);
      for (unsigned b = 0; b < tb; b += 8, ++n) {
        int32_t s = bytes[n];
        if (w) {
          int32_t e = slot(true, FT_None);
          emit(Op::ZEXT_IL, e, s);
          s = e;
        }
        int32_t h = slot(w, FT_None), o = slot(w, FT_None);
        emit(forWidth(Op::SHL_I, w), h, s, constant(b, w));
        emit(forWidth(Op::OR_I, w), o, r, h);
        r = o;
      }
      out.push_back(same(r, intLeaf(tb), to[i]));
    }
    values[result] = out;
    return;
  }
  // Split down to pieces of the smaller width, then join.
  SmallVector<std::pair<int32_t, Leaf>, 16> pieces;
  for (size_t i = 0; i < in.size(); ++i) {
    if (fb == piece) {
      pieces.emplace_back(in[i], from[i]);
      continue;
    }
    int32_t v = same(in[i], from[i], intLeaf(fb));
    for (unsigned b = 0; b < fb; b += piece) {
      if (fb == 64) {
        int32_t h = slot(false, FT_None);
        emit(Op::UNPACK32_L, h, v).imm = b & 32;
        if (piece == 16) {
          int32_t q = slot(false, FT_None);
          emit(Op::UNPACK16_I, q, h).imm = b & 16;
          h = q;
        }
        pieces.emplace_back(h, intLeaf(piece));
      } else {
        int32_t q = slot(false, FT_None);
        emit(Op::UNPACK16_I, q, v).imm = b & 16;
        pieces.emplace_back(q, i16);
      }
    }
  }
  size_t n = 0;
  for (const Leaf &t : to) {
    if (tb == piece) {
      out.push_back(same(pieces[n].first, pieces[n].second, t));
      ++n;
      continue;
    }
    auto next = [&] {
      auto &p = pieces[n++];
      return same(p.first, p.second, intLeaf(piece));
    };
    auto next32 = [&] {
      if (piece == 32)
        return next();
      int32_t lo = next(), hi = next(), r = slot(false, FT_None);
      emit(Op::PACK16_I, r, lo, hi);
      return r;
    };
    int32_t r;
    if (tb == 32) {
      r = next32();
    } else {
      int32_t lo = next32(), hi = next32();
      r = slot(true, FT_None);
      emit(Op::PACK32_L, r, lo, hi);
    }
    out.push_back(same(r, intLeaf(tb), t));
  }
  values[result] = out;
}

} // namespace evo::sim
