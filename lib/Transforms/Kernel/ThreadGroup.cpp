// Within a warp by shuffles, across warps through shared memory.
#include "ThreadGroup.h"
#include "KernelTraits.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/Target/AddressSpace.h"
#include "evo/Target/Warp.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace evo;

using target::warpSize;

/// The thread of the old block with a number becomes the group with it.
ThreadGroup::ThreadGroup(Function &kernel, unsigned size, int64_t count)
    : kernel(kernel), size(size) {
  SmallVector<CallInst *> reads = readsOf(kernel, Register::ThreadId, 0);
  IRBuilder<> b(&*kernel.getEntryBlock().getFirstInsertionPt());
  thread = readRegister(b, Register::ThreadId, 0);
  rank = b.CreateAnd(thread, b.getInt32(size - 1), "rank");
  first = b.CreateICmpEQ(rank, b.getInt32(0), "is.first");
  Value *old = count == 1 ? b.getInt32(0) : b.CreateLShr(thread, Log2_32(size));
  if (size >= warpSize) {
    members = b.getInt32(~0u);
  } else {
    constexpr unsigned lanes = warpSize - 1;
    Value *start = b.CreateAnd(thread, b.getInt32(lanes & ~(size - 1)));
    members = b.CreateShl(b.getInt32((1u << size) - 1), start);
  }
  for (CallInst *read : reads) {
    read->replaceAllUsesWith(old);
    read->eraseFromParent();
  }
  replaceReads(kernel, Register::BlockDim, 0, b.getInt32(count));
}

void ThreadGroup::createBarrier(IRBuilderBase &b) const {
  if (size > warpSize)
    b.CreateIntrinsic(device::getBlockBarrier(), {b.getInt32(0)});
  else
    b.CreateIntrinsic(device::getWarpBarrier(), {members});
}

Value *ThreadGroup::shuffle(IRBuilderBase &b, Value *value, From from,
                            Value *which) const {
  IRBuilderBase::FastMathFlagGuard guard(b); // a shuffle is no arithmetic
  b.clearFastMathFlags();
  // Groups smaller than a warp shuffle in segments of their own.
  constexpr unsigned segmentShift = 8;
  unsigned segment = (warpSize - std::min(size, warpSize)) << segmentShift;
  Value *bounds = b.getInt32(segment | (from == From::Up ? 0 : warpSize - 1));
  const device::ShuffleFrom source = from == From::Up ? device::ShuffleFrom::Up
                                     : from == From::Index
                                         ? device::ShuffleFrom::Index
                                         : device::ShuffleFrom::Xor;
  auto create = [&](bool isFloat, Value *word) -> Value * {
    return b.CreateIntrinsic(device::getShuffle(source, isFloat),
                             {members, word, which, bounds});
  };
  Type *type = value->getType();
  if (type->isFloatTy())
    return create(true, value);
  unsigned bits = kernel.getDataLayout().getTypeSizeInBits(type);
  Type *whole = b.getIntNTy(bits);
  Value *rest = b.CreateBitCast(value, whole), *result = nullptr;
  for (unsigned at = 0; at < bits; at += 32) {
    Value *word = b.CreateZExtOrTrunc(b.CreateLShr(rest, at), b.getInt32Ty());
    word = b.CreateShl(b.CreateZExtOrTrunc(create(false, word), whole), at);
    result = result ? b.CreateOr(result, word) : word;
  }
  return b.CreateBitCast(result, type);
}

ThreadGroup::Values ThreadGroup::shuffle(IRBuilderBase &b,
                                         ArrayRef<Value *> values, From from,
                                         Value *which) const {
  Values result;
  for (Value *value : values)
    result.push_back(shuffle(b, value, from, which));
  return result;
}

Value *ThreadGroup::ballot(IRBuilderBase &b, Value *condition) const {
  assert(size <= warpSize && "no ballot across warps");
  return b.CreateIntrinsic(device::getBallot(), {members, condition});
}

ThreadGroup::Values ThreadGroup::broadcast(IRBuilderBase &b,
                                           ArrayRef<Value *> values,
                                           Value *member) const {
  assert(size <= warpSize && "no shuffle across warps");
  return shuffle(b, values, From::Index, member);
}

ThreadGroup::Values ThreadGroup::reduceLanes(IRBuilderBase &b, Values values,
                                             Combine combine,
                                             unsigned lanes) const {
  for (unsigned distance = lanes / 2; distance; distance /= 2)
    values = combine(b, values, shuffle(b, values, From::Butterfly, distance));
  return values;
}

SmallVector<GlobalVariable *>
ThreadGroup::createTables(ArrayRef<Value *> values, unsigned count) const {
  SmallVector<GlobalVariable *> tables;
  for (Value *value : values) {
    auto *type = ArrayType::get(value->getType(), count);
    tables.push_back(
        new GlobalVariable(*kernel.getParent(), type, /*isConstant=*/false,
                           GlobalValue::InternalLinkage, UndefValue::get(type),
                           kernel.getName() + ".group", nullptr,
                           GlobalValue::NotThreadLocal, target::Shared));
    tables.back()->setAlignment(kernel.getDataLayout().getABITypeAlign(type));
  }
  return tables;
}

static Value *entry(IRBuilderBase &b, GlobalVariable *table, Value *at) {
  return b.CreateInBoundsGEP(table->getValueType(), table, {b.getInt32(0), at});
}

static Value *load(IRBuilderBase &b, GlobalVariable *table, Value *at) {
  return b.CreateLoad(table->getValueType()->getArrayElementType(),
                      entry(b, table, at));
}

ThreadGroup::Values ThreadGroup::reduceAll(IRBuilder<> &b, Values values,
                                           Combine combine,
                                           bool mayRepeat) const {
  values = reduceLanes(b, values, combine, std::min(size, warpSize));
  if (size <= warpSize)
    return values;
  // Each warp stores its partial result; then all warps reduce all of them.
  unsigned warps = size / warpSize;
  Value *lane = b.CreateAnd(thread, b.getInt32(warpSize - 1));
  Value *warp = b.CreateLShr(thread, Log2_32(warpSize));
  Value *other = b.CreateAnd(lane, b.getInt32(warps - 1));
  SmallVector<GlobalVariable *> tables = createTables(values, warps);
  Instruction *afterStores = SplitBlockAndInsertIfThen(
      b.CreateICmpEQ(lane, b.getInt32(0)), b.GetInsertPoint(),
      /*Unreachable=*/false);
  BasicBlock *rest = afterStores->getSuccessor(0);
  b.SetInsertPoint(afterStores);
  for (auto [value, table] : zip_equal(values, tables))
    b.CreateStore(value, entry(b, table, warp));
  b.SetInsertPoint(&*rest->getFirstInsertionPt());
  createBarrier(b);
  for (auto [value, table] : zip_equal(values, tables))
    value = load(b, table, other);
  values = reduceLanes(b, values, combine, warps);
  if (mayRepeat)
    createBarrier(b);
  return values;
}

/// `yes` where `condition` holds, else `no`.
static void choose(IRBuilderBase &b, Value *condition, ArrayRef<Value *> yes,
                   MutableArrayRef<Value *> no) {
  for (auto [value, other] : zip_equal(yes, no))
    other = b.CreateSelect(condition, value, other);
}

std::pair<ThreadGroup::Values, ThreadGroup::Values>
ThreadGroup::scanInclusive(IRBuilder<> &b, Values values,
                           Combine combine) const {
  unsigned lanes = std::min(size, warpSize);
  Value *lane = b.CreateAnd(thread, b.getInt32(lanes - 1));
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    Values combined =
        combine(b, shuffle(b, values, From::Up, distance), values);
    choose(b, b.CreateICmpUGE(lane, b.getInt32(distance)), combined, values);
  }
  // The last lane has the total.
  if (size <= warpSize)
    return {values, shuffle(b, values, From::Index, lanes - 1)};
  SmallVector<GlobalVariable *> tables = createTables(values, size);
  for (auto [value, table] : zip_equal(values, tables))
    b.CreateStore(value, entry(b, table, thread));
  createBarrier(b);
  Value *warp = b.CreateLShr(thread, Log2_32(warpSize));
  Values before, totals;
  for (unsigned i = 0; i < size / warpSize; ++i) {
    Values part;
    for (GlobalVariable *table : tables)
      part.push_back(load(b, table, b.getInt32((i + 1) * warpSize - 1)));
    if (i == 0) {
      totals = before = part;
      continue;
    }
    totals = combine(b, totals, part);
    // The total of all warps before each; the first has none before it.
    if (i + 1 < size / warpSize)
      choose(b, b.CreateICmpUGT(warp, b.getInt32(i)), totals, before);
  }
  Values combined = combine(b, before, values);
  choose(b, b.CreateICmpNE(warp, b.getInt32(0)), combined, values);
  createBarrier(b);
  return {values, totals};
}
