// LLVM's value numbering knows that (a + 1) + 1 is a + 2, but not that
// (k + 1) * n is k * n + n, by which the stencils of neighbouring layers
// overlap. As polynomials both are the same.
#include "RedundantLoads.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include <map>

using namespace llvm;
using namespace evo;

namespace {
/// The coefficient, modulo 2^64, of each product of values; a product is given
/// by the numbers of its values in rising order.
using Polynomial = std::map<std::vector<unsigned>, uint64_t>;

class Addresses {
public:
  explicit Addresses(const DataLayout &layout) : layout(layout) {}
  /// An address in bytes.
  Polynomial of(Value *value, unsigned depth = 0);

private:
  const DataLayout &layout;
  std::map<std::pair<Value *, bool>, unsigned> numbers;

  Polynomial leaf(Value *value, bool isSigned = false);
  /// A narrower integer, sign- or zero-extended.
  Polynomial widened(Value *value, bool isSigned, unsigned depth);
  template <class Part>
  std::optional<Polynomial> ofBinary(BinaryOperator &inst, Part part);
  Polynomial ofOffset(GEPOperator &offset, unsigned depth);
};
} // namespace

static void add(Polynomial &sum, const Polynomial &other, uint64_t times = 1) {
  for (const auto &[factors, count] : other)
    if ((sum[factors] += count * times) == 0)
      sum.erase(factors);
}

static Polynomial number(uint64_t value) {
  Polynomial result;
  if (value)
    result[{}] = value;
  return result;
}

static Polynomial multiply(const Polynomial &left, const Polynomial &right) {
  Polynomial product;
  for (const auto &[some, times] : left)
    for (const auto &[others, count] : right) {
      std::vector<unsigned> factors(some.size() + others.size());
      std::merge(some.begin(), some.end(), others.begin(), others.end(),
                 factors.begin());
      Polynomial term;
      term[factors] = times * count;
      add(product, term);
    }
  return product;
}

Polynomial Addresses::leaf(Value *value, bool isSigned) {
  Polynomial result;
  unsigned next = numbers.size();
  result[{numbers.try_emplace({value, isSigned}, next).first->second}] = 1;
  return result;
}

/// The polynomial of a sum or product; `part` gives those of the operands.
template <class Part>
std::optional<Polynomial> Addresses::ofBinary(BinaryOperator &inst, Part part) {
  Value *left = inst.getOperand(0), *right = inst.getOperand(1);
  auto *disjoint = dyn_cast<PossiblyDisjointInst>(&inst);
  Polynomial result;
  switch (inst.getOpcode()) {
  case Instruction::Or:
    if (!disjoint || !disjoint->isDisjoint())
      return std::nullopt;
    [[fallthrough]];
  case Instruction::Add:
  case Instruction::Sub:
    add(result, part(left));
    add(result, part(right),
        inst.getOpcode() == Instruction::Sub ? ~uint64_t(0) : 1);
    return result;
  case Instruction::Mul:
    result = multiply(part(left), part(right));
    break;
  case Instruction::Shl:
    if (auto *bits = dyn_cast<ConstantInt>(right);
        bits && bits->getValue().ult(64))
      add(result, part(left), uint64_t(1) << bits->getZExtValue());
    else
      return std::nullopt;
    break;
  default:
    return std::nullopt;
  }
  return result;
}

static constexpr unsigned maxDepth = 24;

Polynomial Addresses::widened(Value *value, bool isSigned, unsigned depth) {
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return number(isSigned ? static_cast<uint64_t>(constant->getSExtValue())
                           : constant->getZExtValue());
  if (isa<SExtInst>(value) && isSigned)
    return widened(cast<SExtInst>(value)->getOperand(0), true, depth + 1);
  if (auto *cast = dyn_cast<ZExtInst>(value))
    return widened(cast->getOperand(0), cast->hasNonNeg(), depth + 1);
  auto *inst = dyn_cast<BinaryOperator>(value);
  if (inst && depth < maxDepth) {
    auto *wraps = dyn_cast<OverflowingBinaryOperator>(inst);
    bool isExact = !wraps || (isSigned ? wraps->hasNoSignedWrap()
                                       : wraps->hasNoUnsignedWrap());
    if (isExact)
      if (auto known = ofBinary(*inst, [&](Value *part) {
            return widened(part, isSigned, depth + 1);
          }))
        return *known;
  }
  // Both extensions of a value that is not negative are the same.
  return leaf(value, isSigned && !isKnownNonNegative(value, layout));
}

Polynomial Addresses::ofOffset(GEPOperator &offset, unsigned depth) {
  unsigned width = layout.getIndexTypeSizeInBits(offset.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(width, 0);
  if (width != 64 || !offset.collectOffset(layout, width, variable, constant))
    return leaf(&offset);
  Polynomial sum = of(offset.getPointerOperand(), depth + 1);
  add(sum, number(constant.getZExtValue()));
  for (const auto &[index, scale] : variable)
    add(sum,
        index->getType()->isIntegerTy(64) ? of(index, depth + 1)
                                          : widened(index, true, depth + 1),
        scale.getZExtValue());
  return sum;
}

Polynomial Addresses::of(Value *value, unsigned depth) {
  if (depth > maxDepth)
    return leaf(value);
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return number(constant->getZExtValue());
  if (auto *offset = dyn_cast<GEPOperator>(value))
    return ofOffset(*offset, depth);
  if (auto *cast = dyn_cast<SExtInst>(value))
    return widened(cast->getOperand(0), true, depth + 1);
  if (auto *cast = dyn_cast<ZExtInst>(value))
    return widened(cast->getOperand(0), cast->hasNonNeg(), depth + 1);
  if (auto *inst = dyn_cast<BinaryOperator>(value);
      inst && inst->getType()->isIntegerTy(64))
    if (auto known =
            ofBinary(*inst, [&](Value *part) { return of(part, depth + 1); }))
      return *known;
  return leaf(value);
}

/// Whether `kernel` may write to memory that `buffer` points to.
static bool isWritten(Function &kernel, const Argument &buffer,
                      ArrayRef<Argument *> buffers) {
  return any_of(instructions(kernel), [&](Instruction &inst) {
    auto *call = dyn_cast<IntrinsicInst>(&inst);
    if (!inst.mayWriteToMemory() || (call && call->isAssumeLikeIntrinsic()))
      return false;
    Value *pointer = getPointerOperand(&inst);
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&inst))
      pointer = atomic->getPointerOperand();
    const Value *object = pointer ? getUnderlyingObject(pointer) : nullptr;
    return object == &buffer || !object ||
           (!isa<AllocaInst>(object) && !is_contained(buffers, object));
  });
}

Error evo::eliminateLoads(Function &kernel, ArrayRef<Argument *> buffers) {
  SmallVector<Argument *> constant;
  for (Argument *buffer : buffers)
    if (!isWritten(kernel, *buffer, buffers))
      constant.push_back(buffer);
  DominatorTree dominators(kernel);
  Addresses addresses(kernel.getDataLayout());
  std::map<std::pair<Type *, Polynomial>, SmallVector<LoadInst *>> known;
  SmallVector<LoadInst *> loads;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&kernel))
    for (Instruction &inst : *block)
      if (auto *load = dyn_cast<LoadInst>(&inst);
          load && load->isSimple() &&
          is_contained(constant,
                       getUnderlyingObject(load->getPointerOperand())))
        loads.push_back(load);
  bool any = false;
  for (LoadInst *load : loads) {
    auto &earlier =
        known[{load->getType(), addresses.of(load->getPointerOperand())}];
    auto *found = find_if(earlier, [&](LoadInst *other) {
      return dominators.dominates(other, load);
    });
    if (found == earlier.end()) {
      earlier.push_back(load);
      continue;
    }
    (*found)->setAAMetadata(AAMDNodes());
    load->replaceAllUsesWith(*found);
    load->eraseFromParent();
    any = true;
  }
  if (!any)
    return createStringError("there is no redundant load");
  return Error::success();
}
