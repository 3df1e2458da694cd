// Where addresses steer a kernel. A forward data flow over SSA from pointers
// that become integers. Each such integer knows the object it points into,
// where there is one: two positions in one object may be compared. What leaves
// SSA as an integer is reported where it does; a pointer that is stored makes
// the integers loaded from there suspect.
#include "evo/Analysis/AddressControl.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace evo::sim {

namespace {

constexpr size_t maxReports = 4;
/// Nobody is promised more than that much alignment.
constexpr uint64_t maxAlignment = 4096;

/// What is known of an integer that was made of an address.
struct Made {
  const Value *object = nullptr; ///< it is a position in; null: not known
  unsigned shift = 0;            ///< by how much it was shifted to the right
  bool operator==(const Made &o) const {
    return object == o.object && shift == o.shift;
  }
};
constexpr Made unknownValue = {nullptr, 64};

class Flow {
public:
  Flow(const Function &function, std::vector<CodeNote> &out)
      : function(function), out(out) {}
  void run();

private:
  const Function &function;
  std::vector<CodeNote> &out;
  DenseMap<const Value *, Made> made;
  SmallVector<const Value *, 32> work;
  /// Bytes of an object: from, to; all of it where that is not known.
  using Extent = std::pair<int64_t, int64_t>;
  /// Where in objects pointers lie.
  DenseMap<const Value *, SmallVector<Extent, 2>> holdPointers;

  /// The one object that a pointer points into, or null.
  const Value *objectOf(const Value *pointer) const;
  void mark(const Value *value, Made what);
  void report(const Instruction &inst, const Twine &what);
  void seed(const Instruction &inst);
  void seedConstants(const Instruction &inst);
  void spread(const Instruction &user, const Value &value);
  void check(const Instruction &user, const Value &value);
  Made combine(const Instruction &inst) const;
  bool isAddress(const Value *value) const {
    return value->getType()->isPtrOrPtrVectorTy() || made.count(value);
  }
  Extent extentOf(const Value *pointer, Type *type) const;
  bool mayHoldPointer(const LoadInst &load) const;
  bool accesses(const CallBase &call) const;
  bool isNumber(const Value *pointer) const;
  void comparePointers(const ICmpInst &inst);
};

/// Whether an operation leaves of an integer so few bits that they only tell
/// alignment.
bool keepsLowBits(const Instruction &inst, const Made &of) {
  // Shared memory lies the same each time; of buffers the bits below are run.
  const uint64_t asked = isa_and_nonnull<GlobalVariable>(of.object)
                             ? maxAlignment
                             : maxAskedAlignment;
  const uint64_t max = of.shift < 12 ? asked >> of.shift : 0;
  if (max < 2)
    return false;
  auto *constant = inst.getNumOperands() == 2
                       ? dyn_cast<ConstantInt>(inst.getOperand(1))
                       : nullptr;
  if (inst.getOpcode() == Instruction::And && constant)
    return constant->getValue().ult(max);
  // The remainder of a shifted address is no mask of its low bits unless it is
  // one of a power of two.
  if (inst.getOpcode() == Instruction::URem && constant)
    return constant->getValue().ule(max) && constant->getValue().isPowerOf2();
  return isa<TruncInst>(inst) && inst.getType()->getScalarSizeInBits() <= 8 &&
         (1ull << inst.getType()->getScalarSizeInBits()) <= max;
}

} // namespace

/// Whether inline PTX takes so many addresses only to access what is there. A
/// result is then what was read, so that it has to be of one instruction.
static bool onlyAccesses(const CallBase &call, unsigned addresses) {
  const bool hasResult = !call.getType()->isVoidTy();
  unsigned statements = 0, operands = 0;
  device::forEachOperation(call, [&](const device::Operation &operation) {
    ++statements;
    if (operation.op)
      operands = std::max<unsigned>(operands, operation.op->addressOperands);
  });
  if (hasResult)
    return addresses <= 1 && statements == 1 && operands > 0;
  return addresses <= 1 || operands > 1; // copies name two places, stores one
}

/// Whether a call takes an address only to access what is there.
bool Flow::accesses(const CallBase &call) const {
  if (call.isInlineAsm())
    return onlyAccesses(call, count_if(call.args(), [&](const Use &u) {
                          return isAddress(u.get());
                        }));
  const device::DeviceOp *op = device::lookup(call);
  return op && op->addressOperands > 0 &&
         none_of(drop_begin(call.args(), std::min<size_t>(op->addressOperands,
                                                          call.arg_size())),
                 [&](const Use &u) { return isAddress(u.get()); });
}

void Flow::report(const Instruction &inst, const Twine &what) {
  addNote(out, inst, ("an address, as a number, " + what).str(), maxReports);
}

const Value *Flow::objectOf(const Value *pointer) const {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  const Value *only = nullptr;
  for (const Value *object : objects) {
    // An address that was rounded up points into what it was made of.
    if (Operator::getOpcode(object) == Instruction::IntToPtr)
      object = made.lookup(cast<Operator>(object)->getOperand(0)).object;
    if (!object || (only && only != object))
      return nullptr;
    only = object;
  }
  return only;
}

/// What an element of a structure is, where the structure was put together of
/// elements; else the value itself.
static const Value *elementOf(const Value *value) {
  while (auto *extract = dyn_cast<ExtractValueInst>(value)) {
    SmallVector<unsigned, 8> path(extract->getIndices());
    const Value *whole = extract->getAggregateOperand();
    for (bool found = false; !found;) {
      if (auto *insert = dyn_cast<InsertValueInst>(whole)) {
        ArrayRef<unsigned> at = insert->getIndices();
        const size_t common = std::min(at.size(), path.size());
        if (!std::equal(at.begin(), at.begin() + common, path.begin())) {
          whole = insert->getAggregateOperand();
        } else if (at.size() > path.size()) {
          return value; // a part of it is another
        } else {
          path.erase(path.begin(), path.begin() + at.size());
          whole = insert->getInsertedValueOperand();
        }
        found = path.empty();
      } else if (auto *outer = dyn_cast<ExtractValueInst>(whole)) {
        path.insert(path.begin(), outer->idx_begin(), outer->idx_end());
        whole = outer->getAggregateOperand();
      } else if (auto *constant = dyn_cast<Constant>(whole)) {
        for (unsigned index : path)
          if (!(constant = constant->getAggregateElement(index)))
            return value;
        whole = constant;
        found = true;
      } else {
        return value;
      }
    }
    value = whole;
  }
  return value;
}

/// Whether a pointer is a number in disguise, or nothing yet: what a union
/// holds of integers goes through its pointer member where it is copied, alone
/// or with the structure that it is a part of.
bool Flow::isNumber(const Value *pointer) const {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(elementOf(pointer), objects, nullptr, /*MaxLookup=*/0);
  return all_of(objects, [&](const Value *object) {
    return isa<UndefValue>(object) ||
           (Operator::getOpcode(object) == Instruction::IntToPtr &&
            !made.count(cast<Operator>(object)->getOperand(0)));
  });
}

void Flow::mark(const Value *value, Made what) {
  auto [at, isNew] = made.try_emplace(value, what);
  const Made before = at->second;
  if (!isNew) {
    if (before.object != what.object)
      at->second.object = nullptr;
    at->second.shift = std::max(before.shift, what.shift);
  }
  if (isNew || !(at->second == before))
    work.push_back(value);
}

void Flow::comparePointers(const ICmpInst &inst) {
  const Value *a = inst.getOperand(0), *b = inst.getOperand(1);
  if (!a->getType()->isPtrOrPtrVectorTy() || isa<ConstantPointerNull>(a) ||
      isa<ConstantPointerNull>(b))
    return;
  const Value *object = objectOf(a);
  if (!object || object != objectOf(b))
    report(inst, "is compared with what is no position in the same object");
}

/// Addresses of variables are constants.
void Flow::seedConstants(const Instruction &inst) {
  for (const Use &operand : inst.operands())
    if (auto *constant = dyn_cast<ConstantExpr>(operand.get()))
      if (constant->getType()->isIntOrIntVectorTy())
        mark(constant, constant->getOpcode() == Instruction::PtrToInt
                           ? Made{objectOf(constant->getOperand(0))}
                           : unknownValue);
}

void Flow::seed(const Instruction &inst) {
  seedConstants(inst);
  if (isa<PtrToIntInst>(inst) && isNumber(inst.getOperand(0)))
    return;
  if (isa<PtrToIntInst>(inst))
    return mark(&inst, {objectOf(inst.getOperand(0))});
  if (auto *load = dyn_cast<LoadInst>(&inst)) {
    if (inst.getType()->isIntOrIntVectorTy() &&
        inst.getType()->getScalarSizeInBits() > 16 && mayHoldPointer(*load))
      mark(&inst, unknownValue);
    return;
  }
  auto *call = dyn_cast<CallBase>(&inst);
  if (call && call->isInlineAsm() && !call->getType()->isVoidTy() &&
      !accesses(*call) && any_of(call->args(), [](const Use &argument) {
        return argument->getType()->isPointerTy();
      }))
    mark(&inst, unknownValue);
}

/// Which bytes of its object an access of `type` is to.
Flow::Extent Flow::extentOf(const Value *pointer, Type *type) const {
  constexpr Extent all = {std::numeric_limits<int64_t>::min(),
                          std::numeric_limits<int64_t>::max()};
  const DataLayout &layout = function.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value *base = pointer->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  const TypeSize size = layout.getTypeStoreSize(type);
  const int64_t from = offset.sextOrTrunc(64).getSExtValue();
  if (isa<AllocaInst, GlobalVariable>(base) && !size.isScalable())
    return {from, from + static_cast<int64_t>(size.getFixedValue())};
  // An element of an array, by an index that no one knows: what lies before
  // the array is none.
  auto *place = dyn_cast<GEPOperator>(base);
  if (place && place->isInBounds() &&
      all_of(place->indices(), [&](const Use &index) {
        return isKnownNonNegative(index, layout);
      })) {
    const Extent array = extentOf(place->getPointerOperand(), type);
    if (array.first != all.first)
      return {array.first + from, all.second};
  }
  return all;
}

/// Whether a pointer was stored to what a load reads. A structure that holds
/// one holds numbers beside it.
bool Flow::mayHoldPointer(const LoadInst &load) const {
  auto found = holdPointers.find(objectOf(load.getPointerOperand()));
  if (found == holdPointers.end())
    return false;
  const Extent read = extentOf(load.getPointerOperand(), load.getType());
  return any_of(found->second, [&](const Extent &held) {
    return held.first < read.second && read.first < held.second;
  });
}

/// What is known of a result of which at least one operand was made of an
/// address. A position plus an offset is a position.
Made Flow::combine(const Instruction &inst) const {
  const unsigned opcode = inst.getOpcode();
  if (opcode == Instruction::LShr || opcode == Instruction::AShr ||
      opcode == Instruction::UDiv) {
    auto *by = dyn_cast<ConstantInt>(inst.getOperand(1));
    auto of = made.find(inst.getOperand(0));
    const bool divides = opcode == Instruction::UDiv;
    if (!by || of == made.end() || by->getBitWidth() > 64 ||
        (divides ? !by->getValue().isPowerOf2() : by->getValue().uge(64)))
      return unknownValue;
    const uint64_t bits =
        divides ? by->getValue().logBase2() : by->getZExtValue();
    return {nullptr, std::min(64u, of->second.shift + unsigned(bits))};
  }
  if (isa<TruncInst, ZExtInst, SExtInst, FreezeInst>(inst)) {
    Made of = made.lookup(inst.getOperand(0));
    return {isa<TruncInst>(inst) ? nullptr : of.object, of.shift};
  }
  if (opcode == Instruction::And) {
    auto *mask = dyn_cast<ConstantInt>(inst.getOperand(1));
    Made of = made.lookup(inst.getOperand(0));
    bool roundsDown = mask && (~mask->getValue()).ult(maxAlignment);
    return {roundsDown ? of.object : nullptr, of.shift};
  }
  // The low bits of these are made of low bits alone.
  if (opcode == Instruction::Or || opcode == Instruction::Xor) {
    unsigned shift = 0;
    for (const Use &operand : inst.operands())
      if (auto of = made.find(operand.get()); of != made.end())
        shift = std::max(shift, of->second.shift);
    return {nullptr, shift};
  }
  const bool isSum = opcode == Instruction::Add || opcode == Instruction::Sub;
  if (!isSum && !isa<PHINode, SelectInst>(inst))
    return unknownValue;
  Made result;
  bool isFirst = true;
  unsigned addresses = 0;
  for (const Use &operand : inst.operands()) {
    if (operand->getType() != inst.getType())
      continue; // the condition of a select
    auto found = made.find(operand.get());
    if (found == made.end()) {
      // What a loop adds to may not be known yet; `run` looks again.
      if (!isSum && isa<Constant>(operand.get()))
        result.object = nullptr, isFirst = false;
      continue;
    }
    ++addresses;
    if (isFirst)
      result.object = found->second.object;
    else if (result.object != found->second.object)
      result.object = nullptr;
    result.shift = std::max(result.shift, found->second.shift);
    isFirst = false;
  }
  if (isSum && (addresses > 1 || (opcode == Instruction::Sub &&
                                  !made.count(inst.getOperand(0)))))
    result.object = nullptr;
  return result;
}

/// Follows an integer to what is made of it.
void Flow::spread(const Instruction &user, const Value &value) {
  const Made what = made.lookup(&value);
  if (auto *call = dyn_cast<CallBase>(&user)) {
    if (!user.getType()->isVoidTy() && !accesses(*call))
      mark(&user, unknownValue);
    return;
  }
  if (isa<ICmpInst>(user) || !user.getType()->isIntOrIntVectorTy() ||
      keepsLowBits(user, what))
    return;
  // A distance within an object.
  if (user.getOpcode() == Instruction::Sub && what.object &&
      made.lookup(user.getOperand(0)).object == what.object &&
      made.lookup(user.getOperand(1)).object == what.object)
    return;
  mark(&user, combine(user));
}

/// Reports a use of an integer that is more than a way to an access.
void Flow::check(const Instruction &user, const Value &value) {
  const Made what = made.lookup(&value);
  if (isa<IntToPtrInst>(user)) {
    if (!what.object)
      report(user, "names a place elsewhere");
    return;
  }
  if (auto *compare = dyn_cast<ICmpInst>(&user)) {
    const Value *other =
        compare->getOperand(compare->getOperand(0) == &value ? 1 : 0);
    auto *number = dyn_cast<ConstantInt>(other);
    if (number && number->isZero() && compare->isEquality() &&
        isa<PtrToIntInst>(value))
      return; // null
    if (!what.object || made.lookup(other).object != what.object)
      report(user, "is compared with what is no position in the same object");
    return;
  }
  if (isa<SwitchInst>(user))
    return report(user, "decides a switch");
  if (isa<GetElementPtrInst>(user))
    return report(user, "is an index");
  if (auto *store = dyn_cast<StoreInst>(&user)) {
    if (store->getValueOperand() == &value)
      report(user, "is stored");
    return;
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
    return report(user, "is stored by an atomic operation");
  if (auto *call = dyn_cast<CallBase>(&user)) {
    if (user.getType()->isVoidTy() && !accesses(*call))
      report(user, "is handed to a call");
    return;
  }
  if (!user.getType()->isVoidTy() && !user.getType()->isIntOrIntVectorTy())
    report(user, "becomes a value of another type");
}

void Flow::run() {
  for (const Instruction &inst : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&inst))
      if (store->getValueOperand()->getType()->isPtrOrPtrVectorTy())
        if (const Value *object = objectOf(store->getPointerOperand()))
          holdPointers[object].push_back(extentOf(
              store->getPointerOperand(), store->getValueOperand()->getType()));
  auto follow = [&] {
    while (!work.empty()) {
      const Value *value = work.pop_back_val();
      for (const User *user : value->users()) {
        auto *inst = dyn_cast<Instruction>(user);
        if (inst && inst->getFunction() == &function)
          spread(*inst, *value);
      }
    }
  };
  // A number may turn out to be made of an address.
  for (size_t known = ~size_t(0); known != made.size();) {
    known = made.size();
    for (const Instruction &inst : instructions(function))
      seed(inst);
    follow();
  }
  // What is an address on one way and something else on another is neither.
  for (const Instruction &inst : instructions(function)) {
    auto found = made.find(&inst);
    if (isa<PHINode, SelectInst>(inst) && found != made.end() &&
        found->second.object &&
        any_of(inst.operands(), [&](const Use &operand) {
          return operand->getType() == inst.getType() &&
                 !made.count(operand.get());
        })) {
      mark(&inst, unknownValue);
      follow();
    }
  }
  for (const Instruction &inst : instructions(function)) {
    for (const Use &operand : inst.operands())
      if (made.count(operand.get()))
        check(inst, *operand.get());
    if (auto *compare = dyn_cast<ICmpInst>(&inst))
      comparePointers(*compare);
    auto *call = dyn_cast<CallBase>(&inst);
    if (call && call->isInlineAsm() && call->getType()->isVoidTy() &&
        !accesses(*call))
      report(inst, "is handed to a call");
  }
}

std::vector<CodeNote> findAddressControl(const Module &module) {
  std::vector<CodeNote> out;
  for (const Function &function : module)
    if (!function.isDeclaration())
      Flow(function, out).run();
  return out;
}

} // namespace evo::sim
