// Where a kernel may count in fewer bits than its integers have.
#include "evo/Analysis/NarrowCounts.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace evo::sim {

/// A float that does not hold all integers of `bits` bits.
static bool isShortFloat(const Type *type, unsigned bits = 32) {
  type = type->getScalarType();
  return type->isFloatingPointTy() &&
         (type->getPrimitiveSizeInBits() <= 32 || bits > 32);
}

/// A literal that counts: a whole number but zero, or a choice of such, which
/// a loop may begin with.
static bool isWhole(const Value *v, unsigned depth = 4) {
  auto next = [&](const Value *of) { return depth && isWhole(of, depth - 1); };
  if (auto *choice = dyn_cast<SelectInst>(v))
    return next(choice->getTrueValue()) || next(choice->getFalseValue());
  if (auto *choice = dyn_cast<PHINode>(v))
    return any_of(choice->incoming_values(),
                  [&](const Use &in) { return next(in.get()); });
  auto *literal = dyn_cast<ConstantFP>(v);
  return literal && literal->getValueAPF().isInteger() &&
         !literal->getValueAPF().isZero();
}

/// Whether an integer becomes a float there, or one is added up in it.
static bool makesFloat(const Instruction &inst) {
  if (inst.getType()->getScalarType()->isDoubleTy())
    return isa<SIToFPInst, UIToFPInst>(inst);
  if (!isShortFloat(inst.getType()))
    return false;
  if (isa<SIToFPInst, UIToFPInst>(inst))
    return true;
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
    return atomic->getOperation() == AtomicRMWInst::FAdd &&
           isWhole(atomic->getValOperand());
  if (inst.getOpcode() == Instruction::FAdd)
    return isWhole(inst.getOperand(0)) || isWhole(inst.getOperand(1));
  // Intrinsics that convert.
  auto *call = dyn_cast<CallBase>(&inst);
  return call && call->arg_size() == 1 &&
         call->getArgOperand(0)->getType()->isIntegerTy();
}

/// Whether ones, or other whole numbers, are added up in a short float there:
/// by an atomic, or in what a loop carries.
static bool addsUpWhole(const Instruction &inst) {
  if (!isShortFloat(inst.getType()))
    return false;
  if (isa<AtomicRMWInst>(inst))
    return makesFloat(inst);
  if (inst.getOpcode() != Instruction::FAdd)
    return false;
  for (unsigned i : {0, 1}) {
    auto *carried = dyn_cast<PHINode>(inst.getOperand(i));
    if (carried && isWhole(inst.getOperand(1 - i)) &&
        is_contained(carried->incoming_values(), &inst))
      return true;
  }
  return false;
}

/// Whether an operation has what a loop carries, and is carried itself.
static bool isCarried(const Instruction &inst) {
  return any_of(inst.operands(), [&](const Use &use) {
    const Value *operand = use.get();
    if (auto *cast = dyn_cast<BitCastInst>(operand))
      operand = cast->getOperand(0);
    auto *carried = dyn_cast<PHINode>(operand);
    return carried && any_of(carried->incoming_values(), [&](const Use &in) {
             const Value *next = in.get();
             if (auto *cast = dyn_cast<BitCastInst>(next))
               next = cast->getOperand(0);
             return next == &inst;
           });
  });
}

/// Floats of so many bits hold few integers.
constexpr unsigned shortBits = 16;

/// Whether a loop carries floats of 16 bits on there, be it in inline PTX.
static bool addsUpShort(const Instruction &inst) {
  if (inst.getOpcode() == Instruction::FAdd)
    return inst.getType()->getScalarSizeInBits() <= shortBits &&
           isCarried(inst);
  auto *call = dyn_cast<CallInst>(&inst);
  if (!call || !isa<InlineAsm>(call->getCalledOperand()) || !isCarried(inst))
    return false;
  bool isShort = false;
  device::forEachOperation(*call, [&](const device::Operation &operation) {
    const auto types = device::typesOf(operation.name);
    isShort |= !types.empty() && types.back().isFloat() &&
               types.back().bits == shortBits;
  });
  return isShort;
}

/// Whether a number is computed of where a thread is, of sizes, and of how
/// often a loop has been taken.
static bool isOfPlace(const Value *v, unsigned depth = 8) {
  if (isa<Argument, ConstantInt>(v))
    return v->getType()->isIntegerTy();
  if (auto *carried = dyn_cast<PHINode>(v))
    return depth && any_of(carried->incoming_values(), [&](const Use &in) {
             return isOfPlace(in.get(), depth - 1);
           });
  if (auto *call = dyn_cast<IntrinsicInst>(v))
    return call->arg_empty();
  auto *inst = dyn_cast<Instruction>(v);
  return inst && depth && isa<CastInst, BinaryOperator>(inst) &&
         all_of(inst->operands(), [&](const Use &use) {
           return isOfPlace(use.get(), depth - 1);
         });
}

/// Whether such a number becomes a float of 16 bits there.
static bool makesShortFloatOfPlace(const Instruction &inst) {
  if (isa<SIToFPInst, UIToFPInst>(inst))
    return inst.getType()->getScalarSizeInBits() <= shortBits &&
           isOfPlace(inst.getOperand(0));
  auto *call = dyn_cast<CallInst>(&inst);
  if (!call || !isa<InlineAsm>(call->getCalledOperand()) ||
      call->arg_size() != 1 || !isOfPlace(call->getArgOperand(0)))
    return false;
  bool isShort = false;
  device::forEachOperation(*call, [&](const device::Operation &operation) {
    const auto types = device::typesOf(operation.name);
    if (types.size() < 2)
      return;
    const device::NumberType &to = types[types.size() - 2];
    isShort |= types.back().isInteger() && to.isFloat() && !to.isPair &&
               to.bits == shortBits;
  });
  return isShort;
}

static bool makesInteger(const Instruction &inst) {
  if (!inst.getType()->isIntOrIntVectorTy() ||
      inst.getType()->getScalarSizeInBits() < 16)
    return false;
  if (isa<FPToSIInst, FPToUIInst>(inst))
    return isShortFloat(inst.getOperand(0)->getType(),
                        inst.getType()->getScalarSizeInBits());
  auto *call = dyn_cast<CallBase>(&inst);
  return call && call->arg_size() == 1 &&
         isShortFloat(call->getArgOperand(0)->getType());
}

/// What a kernel made itself, rather than read: of registers that loops carry,
/// of variables, of shuffles.
static bool isOwn(const Value *v) {
  if (auto *cast = dyn_cast<CastInst>(v))
    return isOwn(cast->getOperand(0));
  if (auto *shift = dyn_cast<BinaryOperator>(v); shift && shift->isShift())
    return isOwn(shift->getOperand(0));
  if (isa<PHINode>(v) || isa<CallBase>(v) || isa<AtomicRMWInst>(v))
    return true;
  auto *load = dyn_cast<LoadInst>(v);
  if (!load)
    return false;
  if (load->isVolatile())
    return true;
  const Value *object = getUnderlyingObject(load->getPointerOperand(), 12);
  auto *variable = dyn_cast<GlobalVariable>(object);
  return isa<AllocaInst>(object) ||
         (variable && variable->getAddressSpace() == target::Shared);
}

/// Whether a part of such a value is taken, of less than 32 bits, or it is
/// added to and kept in as few.
static bool takesPart(const Instruction &inst) {
  constexpr unsigned enough = 32, few = 4;
  const APInt *bits = nullptr;
  const Value *whole = nullptr, *a = nullptr, *b = nullptr;
  if (match(&inst, m_LShr(m_Value(whole), m_APInt(bits))) ||
      match(&inst, m_AShr(m_Value(whole), m_APInt(bits))))
    return bits->uge(few) && bits->ult(bits->getBitWidth()) &&
           bits->getBitWidth() - bits->getZExtValue() < enough && isOwn(whole);
  // Behind a shift by any number.
  const unsigned kept = inst.getType()->getScalarSizeInBits();
  if (match(&inst, m_Trunc(m_LShr(m_Value(whole), m_Value()))) && kept >= 8 &&
      kept < enough && isOwn(whole))
    return true;
  if (match(&inst, m_And(m_Value(whole), m_APInt(bits))))
    return bits->isMask() && bits->countr_one() >= few &&
           bits->countr_one() < enough && isOwn(whole);
  const unsigned width = inst.getType()->getScalarSizeInBits();
  if (width < 8 || width >= enough)
    return false;
  return (match(&inst, m_Trunc(m_Add(m_Value(a), m_Value(b)))) ||
          match(&inst, m_Add(m_Value(a), m_Value(b)))) &&
         (isOwn(a) || isOwn(b));
}

/// Whether 8 to 16 bits are kept there of an integer of 32 or more that was
/// loaded, perhaps without its lowest ones.
static bool shortensLoaded(const Instruction &inst) {
  constexpr unsigned narrowest = 8, widest = 16, enough = 32;
  const unsigned kept = inst.getType()->getScalarSizeInBits();
  if (!isa<TruncInst>(inst) || kept < narrowest || kept > widest)
    return false;
  const Value *whole = inst.getOperand(0);
  while (isa<BinaryOperator, CastInst>(whole))
    whole = cast<Instruction>(whole)->getOperand(0);
  return isa<LoadInst>(whole) &&
         whole->getType()->getScalarSizeInBits() >= enough;
}

/// Whether a number as it was loaded is put below another there, which was
/// shifted to make room for it.
static bool packsLoaded(const Instruction &inst) {
  constexpr uint64_t min = 8, max = 24;
  const Value *shifted = nullptr, *low = nullptr;
  uint64_t by = 0;
  if (!match(&inst, m_c_Or(m_Shl(m_Value(shifted), m_ConstantInt(by)),
                           m_Value(low))) ||
      by < min || by > max)
    return false;
  while (isa<CastInst>(low))
    low = cast<CastInst>(low)->getOperand(0);
  return isa<LoadInst>(low) && low->getType()->getScalarSizeInBits() > by;
}

/// Whether loads, and arithmetic with them, make a number.
static bool isOfLoads(const Value *v, unsigned depth = 5) {
  if (isa<LoadInst>(v))
    return true;
  auto *inst = dyn_cast<Instruction>(v);
  return inst && depth && isa<BinaryOperator, CastInst>(inst) &&
         any_of(inst->operands(),
                [&](const Use &use) { return isOfLoads(use, depth - 1); });
}

/// Whether a loop adds up what it loads there, in 32 bits.
static bool addsUpLoaded(const PHINode &carried) {
  return any_of(carried.incoming_values(), [&](const Use &in) {
    auto *sum = dyn_cast<BinaryOperator>(in.get());
    return sum && sum->getOpcode() == Instruction::Add &&
           is_contained(sum->operands(), &carried) &&
           any_of(sum->operands(), [&](const Use &use) {
             return use.get() != &carried && isOfLoads(use);
           });
  });
}

/// Whether such a sum, or one of several, has 64 bits from there on.
static bool widensSum(const Instruction &inst) {
  if (!isa<SExtInst, ZExtInst>(inst) || !inst.getType()->isIntegerTy(64) ||
      !inst.getOperand(0)->getType()->isIntegerTy(32))
    return false;
  SmallVector<const Value *> work = {inst.getOperand(0)};
  SmallPtrSet<const Value *, 16> seen;
  constexpr unsigned max = 16;
  while (!work.empty() && seen.size() < max) {
    const Value *v = work.pop_back_val();
    if (!seen.insert(v).second)
      continue;
    auto *carried = dyn_cast<PHINode>(v);
    if (carried && addsUpLoaded(*carried))
      return true;
    if (auto *made = dyn_cast<Instruction>(v);
        made && (carried || made->getOpcode() == Instruction::Add))
      append_range(work, made->operand_values());
  }
  return false;
}

/// Whether two signed numbers are multiplied there neither of which is known
/// before the launch.
static bool multipliesCounts(const Instruction &inst) {
  constexpr unsigned word = 32;
  auto *product = dyn_cast<OverflowingBinaryOperator>(&inst);
  return inst.getOpcode() == Instruction::Mul && product &&
         product->hasNoSignedWrap() &&
         inst.getType()->getScalarSizeInBits() == word &&
         isOwn(inst.getOperand(0)) && isOwn(inst.getOperand(1)) &&
         !(isOfPlace(inst.getOperand(0)) && isOfPlace(inst.getOperand(1)));
}

/// Of a number that is made room for others below it: how many bits are left.
static std::optional<unsigned> getBitsLeft(const Instruction &inst,
                                           const Value *&whole) {
  const APInt *by = nullptr;
  if (!match(&inst, m_Shl(m_Value(whole), m_APInt(by))) ||
      by->uge(by->getBitWidth()))
    return std::nullopt;
  return static_cast<unsigned>(by->getBitWidth() - by->getZExtValue());
}

/// The same of what may be counted.
static std::optional<unsigned> getBitsOfCount(const Instruction &inst) {
  constexpr unsigned fewest = 12, max = 26;
  const Value *whole = nullptr;
  const std::optional<unsigned> left = getBitsLeft(inst, whole);
  if (!left || *left < fewest || *left > max ||
      !(isOwn(whole) || isa<LoadInst>(whole)))
    return std::nullopt;
  return left;
}

/// Of a word that others wrote or will read, and that is more than a number:
/// how many bits the number has.
static std::optional<unsigned> getBitsOfPart(const Instruction &inst) {
  constexpr unsigned fewest = 20, max = 31;
  const Value *whole = nullptr;
  std::optional<unsigned> bits = getBitsLeft(inst, whole);
  const APInt *mask = nullptr;
  if (match(&inst, m_And(m_Value(whole), m_APInt(mask))) && mask->isMask())
    bits = mask->countr_one();
  return bits && *bits >= fewest && *bits <= max && isOwn(whole) ? bits
                                                                 : std::nullopt;
}

/// Whether a number that was computed is stored in 16 bits or fewer.
static bool storesShort(const Instruction &inst) {
  constexpr unsigned narrowest = 8, widest = 16;
  auto *store = dyn_cast<StoreInst>(&inst);
  auto *cut = store ? dyn_cast<TruncInst>(store->getValueOperand()) : nullptr;
  if (!cut)
    return false;
  const unsigned kept = cut->getType()->getScalarSizeInBits();
  const Value *whole = cut->getOperand(0);
  return kept >= narrowest && kept <= widest &&
         (isa<SelectInst, PHINode, CallBase>(whole) ||
          match(whole, m_Add(m_Value(), m_Value())));
}

/// Whether threads may learn of each other there.
static bool isJoint(const Instruction &inst) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(inst) || inst.isVolatile())
    return true;
  auto *call = dyn_cast<CallBase>(&inst);
  return call && call->isConvergent();
}

NarrowCounts findNarrowCounts(const Module &module) {
  bool toFloat = false, toInteger = false, counts = false, ofPlace = false;
  NarrowCounts result;
  for (const Function &function : module)
    for (const Instruction &inst : instructions(function)) {
      toFloat |= makesFloat(inst);
      toInteger |= makesInteger(inst);
      counts |= addsUpWhole(inst);
      result.inShortFloats |= addsUpShort(inst);
      ofPlace |= isa<SIToFPInst, UIToFPInst>(inst) && makesFloat(inst) &&
                 inst.getType()->getScalarSizeInBits() <= 32 &&
                 isOfPlace(inst.getOperand(0));
      result.placesInShortFloats |= makesShortFloatOfPlace(inst);
      result.inParts |= takesPart(inst);
      result.shortensLoaded |= shortensLoaded(inst);
      result.packsLoaded |= packsLoaded(inst);
      result.widensSums |= widensSum(inst);
      result.multipliesCounts |= multipliesCounts(inst);
      if (std::optional<unsigned> left = getBitsOfCount(inst))
        result.bits.insert(*left);
      if (std::optional<unsigned> bits = getBitsOfPart(inst))
        result.bitsOfSums.insert(*bits);
      result.storesShort |= storesShort(inst);
      result.isJoint |= isJoint(inst);
    }
  // What many threads count is not told from what was there before.
  if (!result.isJoint) {
    result.bits.clear();
    result.bitsOfSums.clear();
  }
  result.inParts |= !result.bits.empty();
  result.placesInFloats = ofPlace && toInteger;
  result.inFloats = counts || (toFloat && toInteger);
  return result;
}

} // namespace evo::sim
