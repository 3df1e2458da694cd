// Checked loads and stores. All lanes of an access are checked against one
// region. Where their distances are known one comparison does it, and the
// access is one of a scalar or of a piece of memory whose elements are then
// shuffled into place. Whatever fails the check, rightly or not, is the
// interpreter's.
#include "Translator.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

struct Translator::Access {
  bool isStore;
  unsigned size, count;         ///< bytes per element, elements per lane
  const Shape *shape = nullptr; ///< of addresses, where it is of use
  int64_t min = 0, max = 0;
  Value *address = nullptr; ///< lane 0's, or all
  Value *delta = nullptr;
  SmallVector<Value *, 4> loaded; ///< by element, where it was one piece
  unsigned total() const { return size * count; }
};

/// The largest piece of memory that is loaded for lanes to take elements from.
static constexpr unsigned maxElements = 64;

/// Sets the way of an access; afterwards the builder is where it is allowed,
/// and the block of `out` is where it is not.
void Translator::checkAccess(const Inst &inst, Access &access) {
  const Fact fact = analysis.factOf(inst.a, facts);
  const uint64_t alignMask = (uint64_t(1) << (inst.sub >> 4)) - 1;
  Type *i64 = b.getInt64Ty();
  if (fact.shape && all_of(*fact.shape, [&](int64_t distance) {
        return (distance & alignMask) == 0 && distance % access.size == 0 &&
               distance > -(1 << 30) && distance < (1 << 30);
      })) {
    access.shape = fact.shape;
    access.min = *min_element(*fact.shape);
    access.max = *max_element(*fact.shape);
  }
  const bool scalar = access.shape;
  Value *address = operand(inst.a, true, scalar);
  address = b.CreateAdd(address,
                        ConstantInt::getSigned(address->getType(), inst.imm));
  Value *region;
  if (fact.root >= 0) {
    region = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), regions,
                                          fact.root * sizeof(NativeRegion));
  } else {
    Value *first =
        scalar ? address : b.CreateExtractElement(address, uint64_t(0));
    region = b.CreateCall(
        FunctionType::get(b.getPtrTy(), {b.getPtrTy(), i64}, false),
        fieldOf(b.getPtrTy(), offsetof(NativeFrame, find)), {frame, first});
  }
  auto field = [&](size_t offset) {
    return b.CreateLoad(
        i64, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), region, offset));
  };
  Value *base = field(offsetof(NativeRegion, address));
  Value *bytes = field(access.isStore ? offsetof(NativeRegion, storeBytes)
                                      : offsetof(NativeRegion, loadBytes));
  access.delta = field(offsetof(NativeRegion, delta));
  // Lengths are below 2^40, so the room left has a sign.
  Value *room = b.CreateSub(
      bytes, b.getInt64(access.total() + (access.max - access.min)));
  Value *wrong;
  if (scalar) {
    Value *offset = b.CreateAdd(b.CreateSub(address, base),
                                ConstantInt::getSigned(i64, access.min));
    wrong = b.CreateICmpUGT(offset, room);
    if (alignMask)
      wrong = b.CreateOr(wrong, b.CreateICmpNE(b.CreateAnd(address, alignMask),
                                               b.getInt64(0)));
  } else {
    Value *offset = b.CreateSub(address, splat(base));
    wrong = b.CreateICmpUGT(offset, splat(room));
    if (alignMask)
      wrong = b.CreateOr(wrong, b.CreateICmpNE(b.CreateAnd(address, alignMask),
                                               llvm::Constant::getNullValue(
                                                   address->getType())));
    wrong = anyLane(wrong);
  }
  wrong = b.CreateOr(b.CreateICmpSLT(room, b.getInt64(0)), wrong);
  access.address = address;
  BasicBlock *out = newBlock("checked"), *in = newBlock("access");
  branchUnlikely(wrong, out, in);
  otherWay = out;
  b.SetInsertPoint(in);
}

Value *Translator::hostAddress(const Access &access, int64_t offset) {
  Value *number = b.CreateAdd(
      access.address, access.shape ? access.delta : splat(access.delta));
  number =
      b.CreateAdd(number, ConstantInt::getSigned(number->getType(), offset));
  return b.CreateIntToPtr(number, access.shape
                                      ? static_cast<Type *>(b.getPtrTy())
                                      : lanes(b.getPtrTy()));
}

/// Element by element of all lanes; of lane 0 where lanes agree.
Value *Translator::loadElement(Access &access, unsigned element) {
  Type *type = b.getIntNTy(8 * access.size);
  const Align align(1);
  const int64_t at = int64_t(element) * access.size;
  if (!access.shape)
    return b.CreateMaskedGather(lanes(type), hostAddress(access, at), align);
  const Shape &shape = *access.shape;
  if (access.min == 0 && access.max == 0)
    return b.CreateAlignedLoad(type, hostAddress(access, at), align);
  // The elements from the lowest to the highest, in one piece.
  const uint64_t elements =
      uint64_t(access.max - access.min) / access.size + access.count;
  auto indexOf = [&](unsigned lane) {
    return static_cast<int>((shape[lane] - access.min) / access.size + element);
  };
  const bool isPiece = elements <= warpSize * access.count &&
                       elements <= maxElements * 2 && isPowerOf2_64(elements);
  if (isPiece) {
    if (access.loaded.empty())
      access.loaded.push_back(
          b.CreateAlignedLoad(FixedVectorType::get(type, elements),
                              hostAddress(access, access.min), align));
    SmallVector<int, warpSize> indices;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      indices.push_back(indexOf(lane));
    bool isAll = elements == warpSize;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      isAll &= indices[lane] == static_cast<int>(lane);
    return isAll ? access.loaded[0]
                 : b.CreateShuffleVector(access.loaded[0], indices);
  }
  // A few different ones.
  SmallVector<int64_t, 8> different;
  SmallVector<int, warpSize> indices;
  for (int64_t distance : shape) {
    auto known = find(different, distance);
    indices.push_back(known - different.begin());
    if (known == different.end())
      different.push_back(distance);
  }
  if (different.size() <= 8) {
    Value *few = PoisonValue::get(
        FixedVectorType::get(type, PowerOf2Ceil(different.size())));
    for (auto [n, distance] : enumerate(different))
      few = b.CreateInsertElement(
          few,
          b.CreateAlignedLoad(type, hostAddress(access, at + distance), align),
          n);
    return b.CreateShuffleVector(few, indices);
  }
  Value *all = b.CreateAdd(splat(b.CreateAdd(access.address, access.delta)),
                           distances(shape, true));
  all = b.CreateAdd(all, ConstantInt::getSigned(all->getType(), at));
  return b.CreateMaskedGather(
      lanes(type), b.CreateIntToPtr(all, lanes(b.getPtrTy())), align);
}

/// Where lanes write one place, the last one does.
void Translator::storeElement(const Access &access, unsigned element,
                              Value *value) {
  const Align align(1);
  const int64_t at = int64_t(element) * access.size;
  value = b.CreateTrunc(value, lanes(b.getIntNTy(8 * access.size)));
  if (!access.shape) {
    b.CreateMaskedScatter(value, hostAddress(access, at), align);
    return;
  }
  const Shape &shape = *access.shape;
  if (access.min == 0 && access.max == 0) {
    b.CreateAlignedStore(b.CreateExtractElement(value, warpSize - 1),
                         hostAddress(access, at), align);
    return;
  }
  bool isRow = access.count == 1;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    isRow &= shape[lane] == int64_t(lane) * access.size;
  if (isRow) {
    b.CreateAlignedStore(value, hostAddress(access, at), align);
    return;
  }
  Value *all = b.CreateAdd(splat(b.CreateAdd(access.address, access.delta)),
                           distances(shape, true));
  all = b.CreateAdd(all, ConstantInt::getSigned(all->getType(), at));
  b.CreateMaskedScatter(value, b.CreateIntToPtr(all, lanes(b.getPtrTy())),
                        align);
}

void Translator::translateAccess(const Inst &inst, bool isStore) {
  const Fact fact = analysis.evaluate(inst, getFact());
  const bool listed = inst.flags & flagList;
  const ArrayRef<int32_t> units =
      listed ? ArrayRef<int32_t>(k.lists[inst.aux])
             : ArrayRef<int32_t>(isStore ? inst.b : inst.dst);
  Access access;
  access.isStore = isStore;
  access.size = 1u << (inst.sub & 15);
  access.count = units.size();
  const bool wide = access.size == 8;
  SmallVector<Value *, 4> values;
  if (isStore)
    for (int32_t unit : units)
      values.push_back(operand(unit, wide, false));
  checkAccess(inst, access);
  const bool isOne = fact.shape;
  for (unsigned n = 0; n < access.count; ++n) {
    if (isStore) {
      storeElement(access, n, values[n]);
      continue;
    }
    Value *value = loadElement(access, n);
    if (!isOne)
      value = splat(value);
    values.push_back(
        b.CreateZExt(value, isOne ? static_cast<Type *>(intType(wide))
                                  : lanes(intType(wide))));
  }
  BasicBlock *done = b.GetInsertBlock(), *next = newBlock("accessed");
  b.CreateBr(next);
  b.SetInsertPoint(otherWay);
  SmallVector<Value *, 4> others;
  if (!isStore && isOne) {
    // Whether lanes agree elsewhere the launch will see.
    leaveHere();
  } else {
    stepOnSide(inst);
    if (!isStore)
      for (int32_t unit : units)
        others.push_back(load(unit, wide, fact).i);
    otherWay = b.GetInsertBlock();
    b.CreateBr(next);
  }
  b.SetInsertPoint(next);
  if (isStore)
    return;
  for (auto [n, unit] : enumerate(units)) {
    PHINode *value = b.CreatePHI(values[n]->getType(), 2);
    value->addIncoming(values[n], done);
    if (!others.empty())
      value->addIncoming(others[n], otherWay);
    Register r;
    r.fact = fact;
    r.wide = wide;
    r.i = value;
    define(unit, r);
  }
}

} // namespace evo::jit
