// Calls that the device itself answers. Special registers, barriers, exchange
// within a warp, memory, and calls that have no effect on values.
#include "CallDecoder.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace evo::sim {

/// An exchange within the warp, whose second result, where it is asked for, is
/// a predicate.
Inst &CallDecoder::exchange(int32_t d, int32_t a, int32_t b, int32_t mask) {
  int32_t p = ls.size() > 1 ? dec.slot(false, FT_None) : noOperand;
  Inst &i = dec.emit(opcode(), d, a, b, mask);
  i.sub = entry.what;
  i.dst2 = p;
  out = {d};
  if (p != noOperand)
    out.push_back(p);
  return i;
}

CallDecoder::Outcome CallDecoder::threads() {
  switch (entry.kind) {
  case Kind::SregRead: {
    int32_t d = dec.slot(false, FT_None);
    dec.emit(opcode(), d).sub = entry.what;
    out = {fit(d, false, ls[0].wide())};
    return Outcome::Values;
  }
  case Kind::Barrier: {
    int32_t id = in.empty() ? noOperand : operand(0),
            threads = in.size() < 2 ? noOperand : operand(1);
    dec.emit(opcode(), noOperand, noOperand, id, threads).sub = entry.what;
    return Outcome::Done;
  }
  case Kind::BarrierRed: {
    // ([number, [threads,]] predicate)
    int32_t id = in.size() < 2 ? noOperand : operand(0),
            threads = in.size() < 3 ? noOperand : operand(1),
            p = operand(in.size() - 1), d = dec.slot(false, FT_None);
    dec.emit(opcode(), d, p, id, threads).sub = entry.what;
    out = {d};
    return Outcome::Values;
  }
  case Kind::WarpSync:
    dec.emit(opcode(), noOperand, noOperand, noOperand, operand(0));
    return Outcome::Done;
  case Kind::Shuffle: {
    // (mask, value, lane, clamp): the mask is operand c as in all such ops.
    int32_t mask = operand(0), value = operand(1), lane = operand(2),
            clamp = operand(3);
    exchange(dec.slotLike(ls[0]), value, lane, mask).e = clamp;
    return Outcome::Values;
  }
  case Kind::Vote: {
    int32_t d = dec.slot(false, FT_None), m = operand(0), p = operand(1);
    dec.emit(opcode(), d, p, noOperand, m).sub = entry.what;
    out = {d};
    return Outcome::Values;
  }
  case Kind::Match: {
    int32_t d = dec.slot(false, FT_None), m = operand(0), v = operand(1);
    exchange(d, v, noOperand, m);
    return Outcome::Values;
  }
  case Kind::Redux: {
    int32_t d = dec.slot(false, FT_None), v = operand(0), m = operand(1);
    dec.emit(opcode(), d, v, noOperand, m).sub = entry.what;
    out = {d};
    return Outcome::Values;
  }
  case Kind::ActiveMask: {
    int32_t d = dec.slot(false, FT_None);
    dec.emit(opcode(), d);
    out = {d};
    return Outcome::Values;
  }
  default:
    return Outcome::NotMine;
  }
}

/// A number of bytes, as 64 bits.
int32_t CallDecoder::size(unsigned argument) {
  int32_t bytes = dec.scalar(arg(argument));
  return fit(bytes, dec.leafOf(arg(argument)->getType()).wide(), true);
}

CallDecoder::Outcome CallDecoder::memory() {
  switch (entry.kind) {
  case Kind::MemCopy:
  case Kind::MemFill: {
    int32_t to = dec.scalar(arg(0)), from = dec.scalar(arg(1)), bytes = size(2);
    const bool copies = entry.kind == Kind::MemCopy;
    Inst &copy = dec.emit(opcode(), noOperand, to, from, bytes);
    // What is promised code generation makes use of, as of any access.
    auto promised = [&](unsigned argument) {
      return std::min(4u, Log2(inst->getParamAlign(argument).valueOrOne()));
    };
    copy.sub = promised(0) | (copies ? promised(1) << 4 : 0);
    copy.flags = placeFlag(Decoder::placeOf(arg(0)));
    if (copies)
      copy.aux = static_cast<uint32_t>(Decoder::placeOf(arg(1)));
    // The library's forms return the destination.
    out = {to};
    return Outcome::Values;
  }
  case Kind::Malloc: {
    if (in.size() != 1 || !inst->getType()->isPointerTy() ||
        !arg(0)->getType()->isIntegerTy())
      return Outcome::Unknown;
    int32_t bytes = size(0), pointer = dec.slot(true, FT_None);
    dec.emit(opcode(), pointer, bytes);
    out = {pointer};
    return Outcome::Values;
  }
  case Kind::Free:
    if (in.size() != 1 || !arg(0)->getType()->isPointerTy())
      return Outcome::Unknown;
    dec.emit(opcode(), noOperand, dec.scalar(arg(0)));
    return Outcome::Done;
  case Kind::LoadGlobal: {
    auto *a = dyn_cast<ConstantInt>(arg(1));
    dec.load(inst, arg(0), a ? a->getZExtValue() : 1,
             flagReadOnlyPath | placeFlag(MemoryPlace::Global));
    return Outcome::Done;
  }
  case Kind::AtomicCall:
    dec.atomic(inst, arg(0), arg(1), static_cast<AtomicOp>(entry.what),
               StringRef(plain).ends_with(".cta"));
    return Outcome::Done;
  case Kind::IsSpace: {
    int32_t d = dec.slot(false, FT_None), p = dec.scalar(arg(0));
    dec.emit(opcode(), d, p).sub = entry.what;
    out = {d};
    return Outcome::Values;
  }
  case Kind::Fence:
    dec.emit(opcode()).sub = entry.what;
    return Outcome::Done;
  case Kind::Ignore:
    return Outcome::Done;
  case Kind::Forward: {
    Slots s = dec.get(arg(0));
    dec.values[inst] = s;
    return Outcome::Done;
  }
  case Kind::ConstantResult:
    out = {dec.constant(isa<llvm::Constant>(arg(0)), false)};
    return Outcome::Values;
  case Kind::Reflect:
    // Every query ("__CUDA_FTZ", "__CUDA_PREC_SQRT", ...) but the precise
    // forms answers no.
    out = {dec.constant(0, false)};
    return Outcome::Values;
  case Kind::Note: {
    if (!inst->use_empty())
      return Outcome::Unknown; // how much was printed is the device's business
    const SourceLoc &l = dec.k.locations[dec.currentLoc];
    dec.ctx.program.notes.push_back("printf ignored in " + dec.k.name +
                                    (l.line ? " at " + l.str() : ""));
    for (const Leaf &l : ls)
      out.push_back(dec.constant(0, l.wide()));
    return Outcome::Values;
  }
  case Kind::TrapCall:
    dec.trap(entry.what ? "assertion failed" : "trap executed");
    return Outcome::Done;
  default:
    return Outcome::NotMine;
  }
}

} // namespace evo::sim
