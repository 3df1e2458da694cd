// Collects the dictionary of a module.
#include "evo/Analysis/Literals.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace evo;

/// Tables longer than this are data.
static constexpr unsigned maxElements = 16;

template <class T> static void add(std::vector<T> &list, const T &value) {
  if (list.size() < Literals::max && !is_contained(list, value))
    list.push_back(value);
}

void Literals::append(const Literals &other) {
  for (int64_t value : other.sizes)
    add(sizes, value);
  for (const OfArgument &value : other.ofArguments)
    add(ofArguments, value);
  for (const auto &value : other.ofNames)
    add(ofNames, value);
  for (int64_t value : other.ofAnySize)
    add(ofAnySize, value);
  for (int64_t value : other.blocks)
    add(blocks, value);
  for (int64_t value : other.integers)
    add(integers, value);
  for (double value : other.floats)
    add(floats, value);
  for (double value : other.addends)
    add(addends, value);
  for (double value : other.factors)
    add(factors, value);
  for (double value : other.choices)
    add(choices, value);
  for (int64_t value : other.multipliers)
    add(multipliers, value);
  for (int64_t value : other.divisors)
    add(divisors, value);
  for (int64_t value : other.beginnings)
    add(beginnings, value);
  for (int64_t value : other.steps)
    add(steps, value);
  for (int64_t value : other.blockFactors)
    add(blockFactors, value);
}

namespace {
class Collector {
public:
  Literals run(const Module &module);

private:
  Literals found;

  void addFloat(std::vector<double> &list, APFloat value) {
    bool lossy;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    if (value.isFinite())
      add(list, value.convertToDouble());
  }
  void addFloats(std::vector<double> &list, const User &user) {
    for (const Use &use : user.operands())
      if (auto *literal = dyn_cast<ConstantFP>(use))
        addFloat(list, literal->getValueAPF());
  }
  void addInteger(const Value *compared, const ConstantInt &literal);
  void addSize(const Value *compared, int64_t literal);
  void addSize(const Value *compared, const Value *literal);
  void visit(const Instruction &inst);
  void visit(const Constant *value, unsigned &budget);
};
} // namespace

/// Whether integer arguments and literals alone make the value, by operations
/// or functions of whatever kind: what lanes exchange, floats, inline PTX.
static bool isOfSizes(const Value *v, unsigned depth = 0) {
  constexpr unsigned deepest = 12;
  if (isa<Argument>(v))
    return v->getType()->isIntegerTy();
  if (isa<ConstantInt, ConstantFP>(v))
    return depth > 0;
  auto *inst = dyn_cast<Instruction>(v);
  if (!inst || depth == deepest)
    return false;
  auto isMade = [&](const Use &use) { return isOfSizes(use, depth + 1); };
  if (auto *call = dyn_cast<CallBase>(inst))
    return !call->arg_empty() && all_of(call->args(), isMade);
  return isa<CastInst, BinaryOperator, UnaryOperator, SelectInst, CmpInst,
             FreezeInst, ExtractValueInst>(inst) &&
         all_of(inst->operands(), isMade);
}

/// The only argument that makes such a value; null where there are several.
static const Argument *findOnlyArgument(const Value *v) {
  if (auto *argument = dyn_cast<Argument>(v))
    return argument;
  const Argument *only = nullptr;
  for (const Use &use : cast<Instruction>(v)->operands()) {
    if (isa<Constant, InlineAsm>(use))
      continue;
    const Argument *own = findOnlyArgument(use);
    if (!own || (only && own != only))
      return nullptr;
    only = own;
  }
  return only;
}

/// Whether a value hangs on the number of the block, as far as arithmetic goes.
static bool isOfBlock(const Value *v, unsigned depth = 0) {
  auto *inst = dyn_cast<Instruction>(v);
  if (!inst || depth == 6)
    return false;
  if (auto *call = dyn_cast<CallBase>(inst)) {
    const device::DeviceOp *op = device::lookup(*call);
    return op && op->tells == device::Tells::BlockId;
  }
  return isa<CastInst, BinaryOperator, SelectInst>(inst) &&
         any_of(inst->operands(),
                [&](const Use &u) { return isOfBlock(u, depth + 1); });
}

/// The type of the float whose bits `v` is made of, or null.
static Type *floatOfBits(const Value *v) {
  for (unsigned depth = 0; depth < 4; ++depth) {
    auto *inst = dyn_cast<Instruction>(v);
    if (!inst)
      return nullptr;
    // A cast, or a call such as __nv_float_as_int.
    if (isa<BitCastInst>(inst) ||
        (isa<CallBase>(inst) && cast<CallBase>(inst)->arg_size() == 1)) {
      Type *type = inst->getOperand(0)->getType();
      return type->isFloatingPointTy() ? type : nullptr;
    }
    if (!isa<CastInst>(inst) && !isa<BinaryOperator>(inst))
      return nullptr;
    v = inst->getOperand(0);
  }
  return nullptr;
}

void Collector::addSize(const Value *compared, int64_t literal) {
  add(found.sizes, literal);
  if (const Argument *argument = findOnlyArgument(compared))
    add(found.ofArguments,
        Literals::OfArgument{argument->getParent()->getName().str(),
                             argument->getArgNo(), literal});
  else
    add(found.ofAnySize, literal);
}

/// Of a float that it is compared with, the integer part.
void Collector::addSize(const Value *compared, const Value *literal) {
  auto *number = dyn_cast<ConstantFP>(literal);
  if (!number)
    return;
  APSInt integer(64, /*isUnsigned=*/false);
  bool isExact;
  if (number->getValueAPF().convertToInteger(integer, APFloat::rmTowardZero,
                                             &isExact) != APFloat::opInvalidOp)
    addSize(compared, integer.getSExtValue());
}

void Collector::addInteger(const Value *compared, const ConstantInt &literal) {
  if (literal.getBitWidth() > 64)
    return;
  if (isOfSizes(compared))
    return addSize(compared, literal.getSExtValue());
  if (isOfBlock(compared))
    return add(found.blocks, literal.getSExtValue());
  add(found.integers, literal.getSExtValue());
  Type *type = floatOfBits(compared);
  if (!type || literal.getBitWidth() < type->getPrimitiveSizeInBits())
    return;
  addFloat(found.floats,
           APFloat(type->getFltSemantics(),
                   literal.getValue().trunc(type->getPrimitiveSizeInBits())));
}

void Collector::visit(const Instruction &inst) {
  if (auto *carried = dyn_cast<PHINode>(&inst))
    for (const Use &use : carried->incoming_values())
      if (auto *literal = dyn_cast<ConstantInt>(use.get());
          literal && literal->getBitWidth() <= 64 &&
          literal->getValue().getActiveBits() > 16)
        add(found.beginnings, static_cast<int64_t>(literal->getZExtValue()));
  if (auto *compare = dyn_cast<FCmpInst>(&inst)) {
    for (unsigned side : {0, 1})
      if (isOfSizes(compare->getOperand(1 - side)))
        addSize(compare->getOperand(1 - side), compare->getOperand(side));
    return addFloats(found.floats, inst);
  }
  if (auto *compare = dyn_cast<ICmpInst>(&inst)) {
    for (unsigned side : {0, 1})
      if (auto *literal = dyn_cast<ConstantInt>(compare->getOperand(side)))
        addInteger(compare->getOperand(1 - side), *literal);
  } else if (auto *choice = dyn_cast<SwitchInst>(&inst)) {
    for (auto &one : choice->cases())
      addInteger(choice->getCondition(), *one.getCaseValue());
  } else if (auto *binary = dyn_cast<BinaryOperator>(&inst)) {
    if (binary->getOpcode() == Instruction::FAdd ||
        binary->getOpcode() == Instruction::FSub)
      return addFloats(found.addends, inst);
    if (binary->getOpcode() == Instruction::FMul ||
        binary->getOpcode() == Instruction::FDiv)
      return addFloats(found.factors, inst);
    auto *literal = dyn_cast<ConstantInt>(binary->getOperand(1));
    if (!literal || literal->getBitWidth() > 64)
      return;
    const Value *other = binary->getOperand(0);
    const bool divides = binary->isIntDivRem();
    if (binary->getOpcode() == Instruction::Mul && literal->getValue()[0] &&
        !literal->isOne() && !literal->isMinusOne())
      add(found.multipliers, static_cast<int64_t>(literal->getZExtValue()));
    if (binary->getOpcode() == Instruction::Add &&
        literal->getValue().isStrictlyPositive())
      add(found.steps, literal->getSExtValue());
    if (binary->getOpcode() == Instruction::Mul && isOfBlock(other))
      return add(found.blockFactors, literal->getSExtValue());
    if (!divides && binary->getOpcode() != Instruction::And)
      return;
    if (isOfSizes(other))
      addSize(other, literal->getSExtValue());
    else if (divides && !isOfBlock(other))
      add(found.divisors, literal->getSExtValue());
  } else if (isa<SelectInst, PHINode>(inst)) {
    addFloats(found.choices, inst);
  } else if (auto *call = dyn_cast<CallBase>(&inst)) {
    // Minima and maxima.
    const device::DeviceOp *op = device::lookup(*call);
    if (op && device::isMinOrMax(op->algebra))
      addFloats(found.floats, inst);
  }
}

void Collector::visit(const Constant *value, unsigned &budget) {
  if (budget == 0)
    return;
  if (auto *number = dyn_cast<ConstantFP>(value)) {
    --budget;
    addFloat(found.floats, number->getValueAPF());
  } else if (auto *number = dyn_cast<ConstantInt>(value)) {
    --budget;
    if (number->getBitWidth() > 8 && number->getBitWidth() <= 64)
      add(found.integers, number->getSExtValue());
  } else if (isa<ConstantAggregate, ConstantDataSequential>(value)) {
    for (unsigned i = 0;
         const Constant *element = value->getAggregateElement(i); ++i)
      visit(element, budget);
  }
}

Literals Collector::run(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &inst : instructions(function))
      visit(inst);
  for (const GlobalVariable &global : module.globals())
    if (global.hasInitializer() && global.getAddressSpace() != target::Shared) {
      unsigned budget = maxElements;
      visit(global.getInitializer(), budget);
    }
  return std::move(found);
}

Literals evo::collectLiterals(const Module &module) {
  return Collector().run(module);
}
