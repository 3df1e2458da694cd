// What instructions make of what is known. Rules by which distances between
// lanes pass through operations. They hold modulo the width of the result;
// where a number is widened, the translator looks whether any lane wraps.
#include "Analysis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

static int64_t wrap(int64_t value, bool wide) {
  return wide ? value : static_cast<int32_t>(value);
}

const Shape *Analysis::intern(const Shape &shape, bool wide) {
  Shape own;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    own[lane] = wrap(shape[lane], wide);
  return &*shapes.insert(own).first;
}

const Shape *
Analysis::combine(const Fact &a, const Fact &b, bool wide,
                  function_ref<int64_t(int64_t, int64_t)> f) const {
  if (!a.shape || !b.shape)
    return nullptr;
  Shape r;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    r[lane] = f((*a.shape)[lane], (*b.shape)[lane]);
  return const_cast<Analysis *>(this)->intern(r, wide);
}

static int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
static int64_t subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(b));
}
static int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

/// The power of two below which all distances lie, if lane 0 is a multiple of
/// it: then bits of lane 0 and of distances do not meet. -1: it is not so.
static int offsetBits(const Fact &fact) {
  if (!fact.shape)
    return -1;
  int64_t max = 0;
  for (int64_t distance : *fact.shape) {
    if (distance < 0)
      return -1;
    max = std::max(max, distance);
  }
  const int bits = 64 - countl_zero(static_cast<uint64_t>(max));
  return bits <= fact.zeros0 ? bits : -1;
}

Fact Analysis::evaluateBits(const Inst &inst, GetFact get, bool wide) const {
  const Fact a = get(inst.a);
  const unsigned width = wide ? 64 : 32;
  std::optional<uint64_t> value;
  Fact b;
  if (inst.b != noOperand) {
    value = constantOf(inst.b);
    b = get(inst.b);
  }
  Op op = inst.op;
  if (op == Op::MASK_I || op == Op::MASK_L) {
    op = Op::AND_I;
    value = maskTrailingOnes<uint64_t>(inst.imm);
    b.shape = uniform;
    b.bits = inst.imm;
    b.zeros = b.zeros0 = 0;
  }
  Fact r;
  r.bits = width;
  const bool same = isUniform(a) && isUniform(b);
  if (same)
    r.shape = uniform;
  const int offset = offsetBits(a);
  auto distances = [&](auto f) {
    Shape shape;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      shape[lane] = f(static_cast<uint64_t>((*a.shape)[lane]));
    r.shape = const_cast<Analysis *>(this)->intern(shape, wide);
  };
  switch (op) {
  case Op::AND_I:
  case Op::AND_L:
    r.bits = std::min(a.bits, b.bits);
    r.zeros = std::max(a.zeros, b.zeros);
    r.zeros0 = std::max(a.zeros0, b.zeros0);
    if (!same && offset >= 0 && value)
      distances([&](uint64_t d) { return d & *value; });
    if (value && maskTrailingOnes<uint64_t>(a.bits) ==
                     (*value & maskTrailingOnes<uint64_t>(a.bits)))
      r.shape = a.shape; // nothing is masked
    break;
  case Op::OR_I:
  case Op::OR_L:
  case Op::XOR_I:
  case Op::XOR_L:
    r.bits = std::max(a.bits, b.bits);
    r.zeros = std::min(a.zeros, b.zeros);
    r.zeros0 = std::min(a.zeros0, b.zeros0);
    if (a.zeros >= b.bits || b.zeros >= a.bits)
      r.shape = combine(a, b, wide, add);
    else if (!same && offset >= 0 && value) {
      const uint64_t low = *value & maskTrailingOnes<uint64_t>(offset);
      const bool isOr = op == Op::OR_I || op == Op::OR_L;
      distances([&](uint64_t d) { return (isOr ? d | low : d ^ low) - low; });
    }
    break;
  case Op::SHL_I:
  case Op::SHL_L:
    if (!value || *value >= width)
      break;
    if (a.shape)
      distances([&](uint64_t d) { return d << *value; });
    r.zeros = std::min<uint64_t>(63, a.zeros + *value);
    r.zeros0 = std::min<uint64_t>(63, a.zeros0 + *value);
    r.bits = std::min<uint64_t>(width, a.bits + *value);
    break;
  case Op::LSHR_I:
  case Op::LSHR_L:
  case Op::ASHR_I:
  case Op::ASHR_L:
    if (!value || *value >= width)
      break;
    if (offset >= 0)
      distances([&](uint64_t d) { return d >> *value; });
    r.zeros = a.zeros > *value ? a.zeros - *value : 0;
    r.zeros0 = a.zeros0 > *value ? a.zeros0 - *value : 0;
    if (op == Op::LSHR_I || op == Op::LSHR_L || a.bits < width)
      r.bits = a.bits > *value ? a.bits - *value : 0;
    if (r.bits == 0)
      r.shape = uniform;
    break;
  default:
    break;
  }
  return r;
}

Fact Analysis::evaluateInteger(const Inst &inst, GetFact get, bool wide) const {
  const unsigned width = wide ? 64 : 32;
  const Fact a = get(inst.a);
  const Fact b = inst.b == noOperand ? Fact() : get(inst.b);
  Fact r;
  r.bits = width;
  auto sum = [&] {
    r.zeros = std::min(a.zeros, b.zeros);
    r.zeros0 = std::min(a.zeros0, b.zeros0);
  };
  switch (inst.op) {
  case Op::ADD_I:
  case Op::ADD_L:
    r.shape = combine(a, b, wide, add);
    sum();
    r.bits = std::min<unsigned>(width, std::max(a.bits, b.bits) + 1);
    r.root = a.root >= 0 ? a.root : b.root;
    break;
  case Op::SUB_I:
  case Op::SUB_L:
    r.shape = combine(a, b, wide, subtract);
    sum();
    r.root = a.root;
    break;
  case Op::MUL_I:
  case Op::MUL_L: {
    std::optional<uint64_t> left = constantOf(inst.a),
                            right = constantOf(inst.b);
    auto scaled = [&](const Fact &f, uint64_t by) {
      Fact factor;
      factor.shape = uniform;
      return combine(f, factor, wide, [&](int64_t d, int64_t) {
        return multiply(d, static_cast<int64_t>(by));
      });
    };
    if (right)
      r.shape = scaled(a, *right);
    else if (left)
      r.shape = scaled(b, *left);
    else if (isUniform(a) && isUniform(b))
      r.shape = uniform;
    r.zeros = std::min(63, a.zeros + b.zeros);
    r.zeros0 = std::min(63, a.zeros0 + b.zeros0);
    r.bits = std::min<unsigned>(width, a.bits + b.bits);
    break;
  }
  case Op::GEP_I:
  case Op::GEP_L:
    r.shape = combine(a, b, wide, [&](int64_t base, int64_t index) {
      return add(base, multiply(index, inst.imm));
    });
    r.zeros = std::min<int>(
        a.zeros, std::min(63, b.zeros + countr_zero(uint32_t(inst.imm))));
    r.zeros0 = std::min<int>(
        a.zeros0, std::min(63, b.zeros0 + countr_zero(uint32_t(inst.imm))));
    r.root = a.root;
    break;
  case Op::TRUNC_LI:
    r.shape = combine(a, a, false, [](int64_t d, int64_t) { return d; });
    r.zeros = std::min<uint8_t>(a.zeros, 31);
    r.zeros0 = std::min<uint8_t>(a.zeros0, 31);
    r.bits = std::min<uint8_t>(a.bits, 32);
    break;
  case Op::ZEXT_IL:
    r = a;
    r.bits = std::min<uint8_t>(a.bits, 32);
    break;
  case Op::SEXT_IL:
    r = a;
    r.bits = a.bits < 32 ? a.bits : 64;
    break;
  case Op::SEXTIN_I:
  case Op::SEXTIN_L:
    if (a.bits < inst.imm)
      r = a;
    else if (isUniform(a))
      r.shape = uniform;
    break;
  default:
    break;
  }
  return r;
}

/// The number of a thread along an axis, where it grows alike in all warps.
Fact Analysis::threadNumber(unsigned axis) const {
  const uint32_t threads = block[0] * block[1] * block[2];
  auto number = [&](uint32_t thread) -> int64_t {
    return axis == 0   ? thread % block[0]
           : axis == 1 ? thread / block[0] % block[1]
                       : thread / block[0] / block[1];
  };
  Fact fact;
  fact.bits = 32 - countl_zero(block[axis] - 1);
  Shape shape{};
  fact.zeros0 = 31;
  bool isAlike = true;
  for (uint32_t first = 0; first + warpSize <= threads; first += warpSize) {
    if (number(first))
      fact.zeros0 = std::min<int>(
          fact.zeros0, countr_zero(static_cast<uint64_t>(number(first))));
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const int64_t distance = number(first + lane) - number(first);
      isAlike &= first == 0 || shape[lane] == distance;
      shape[lane] = distance;
    }
  }
  if (isAlike)
    fact.shape = const_cast<Analysis *>(this)->intern(shape, false);
  return fact;
}

/// Whether the first result has 64 bits.
static bool isWide(const Inst &inst) {
  switch (inst.op) {
  case Op::FPCVT:
    return inst.sub >> 4 == FT_D;
  case Op::FPTOI:
    return inst.sub & 32;
  case Op::ITOFP:
    return (inst.sub & 15) == FT_D;
  case Op::LOAD:
  case Op::ATOMIC:
  case Op::CMPXCHG:
    return (inst.sub & 15) == 3;
  default:
    return has(inst.op, fact::isWide);
  }
}

bool isRoundedArithmetic(Op op) {
  switch (op) {
  case Op::FADD_S:
  case Op::FADD_D:
  case Op::FSUB_S:
  case Op::FSUB_D:
  case Op::FMUL_S:
  case Op::FMUL_D:
  case Op::FDIV_S:
  case Op::FDIV_D:
  case Op::FMA_S:
  case Op::FMA_D:
    return true;
  default:
    return false;
  }
}

/// Whether it computes a float that has no other NaN than the device's.
static bool makesFloat(const Inst &inst) {
  return isRoundedArithmetic(inst.op)
             ? inst.sub == static_cast<uint8_t>(Rounding::Nearest)
             : inst.op == Op::FMINMAX_S || inst.op == Op::FMINMAX_D;
}

Fact Analysis::evaluate(const Inst &inst, GetFact get) const {
  Fact fact = evaluateOther(inst, get);
  fact.wide = isWide(inst);
  fact.isFloat = makesFloat(inst);
  if (isLone())
    fact.shape = uniform;
  return fact;
}

Fact Analysis::evaluateOther(const Inst &inst, GetFact get) const {
  auto within = [&](Op first, Op last) {
    return inst.op >= first && inst.op <= last;
  };
  const bool isBits = within(Op::AND_I, Op::ASHR_L) || inst.op == Op::MASK_I ||
                      inst.op == Op::MASK_L;
  const bool isArithmetic =
      within(Op::ADD_I, Op::MUL_L) || inst.op == Op::SEXTIN_I ||
      inst.op == Op::SEXTIN_L || inst.op == Op::TRUNC_LI ||
      inst.op == Op::ZEXT_IL || inst.op == Op::SEXT_IL ||
      inst.op == Op::GEP_I || inst.op == Op::GEP_L;
  if (isBits)
    return evaluateBits(inst, get, isWide(inst));
  if (isArithmetic)
    return evaluateInteger(inst, get, isWide(inst));

  Fact r;
  bool areUniform = true;
  for (int32_t unit : {inst.a, inst.b, inst.c, inst.e})
    areUniform &= unit == noOperand || isUniform(get(unit));
  switch (inst.op) {
  case Op::MOV_I:
  case Op::MOV_L:
    return get(inst.a);
  case Op::SELECT_I:
  case Op::SELECT_L: {
    const Fact b = get(inst.b), c = get(inst.c);
    r.bits = std::max(b.bits, c.bits);
    r.zeros = std::min(b.zeros, c.zeros);
    r.zeros0 = std::min(b.zeros0, c.zeros0);
    r.root = b.root == c.root ? b.root : -1;
    if (isUniform(get(inst.a)) && b.shape == c.shape)
      r.shape = b.shape;
    return r;
  }
  case Op::SREG: {
    const Sreg number = static_cast<Sreg>(inst.sub);
    if (number <= Sreg::TidZ)
      return threadNumber(inst.sub);
    r.shape = uniform;
    r.bits = 32;
    if (number == Sreg::LaneId) {
      Shape shape;
      for (unsigned lane = 0; lane < warpSize; ++lane)
        shape[lane] = lane;
      r.shape = const_cast<Analysis *>(this)->intern(shape, false);
      r.zeros0 = 31;
      r.bits = 5;
    } else if (number >= Sreg::NtidX && number <= Sreg::NtidZ) {
      r.bits = 11;
      r.zeros = r.zeros0 = countr_zero(block[inst.sub - unsigned(Sreg::NtidX)]);
    } else if (number >= Sreg::LaneMaskEq && number <= Sreg::LaneMaskGe) {
      r.shape = nullptr;
    }
    return r;
  }
  case Op::LOAD:
    // Of its own variables each lane has a copy at one address.
    if (areUniform && (kernel.locals.empty() || get(inst.a).root >= 0))
      r.shape = uniform;
    r.bits = 8u << (inst.sub & 15);
    return r;
  case Op::VOTE:
  case Op::REDUX:
  case Op::ACTIVEMASK: // all lanes take part
    r.shape = uniform;
    return r;
  case Op::BAR:
    r.shape = uniform;
    return r;
  default:
    break;
  }
  if (within(Op::ICMP_EQ_I, Op::ICMP_SLE_L) || within(Op::FCMP_S, Op::FCMP_B) ||
      inst.op == Op::ISSPACEP)
    r.bits = 1;
  // What computes alike from equal operands.
  if (has(inst.op, fact::isFunction))
    r.shape = areUniform ? uniform : nullptr;
  return r;
}

} // namespace evo::jit
