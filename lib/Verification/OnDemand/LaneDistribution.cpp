// Parallel loops over the lanes of a warp.
#include "LaneDistribution.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace evo;

namespace {
/// What becomes of an operation that all lanes arrive at.
enum class Handling {
  Everybody,   ///< each lane executes it: it only computes, or reads
  Distributed, ///< a parallel loop
  Opened,      ///< control flow around some: all lanes take the same way
  First,       ///< lane 0 alone
  Impossible
};
} // namespace

/// Whether it holds for the operation or any within it.
static bool anyWithin(Operation *op,
                      llvm::function_ref<bool(Operation *)> holds) {
  return op
      ->walk([&](Operation *inner) {
        return holds(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isParallelLoop(Operation *op) { return isa<scf::ParallelOp>(op); }

static bool allocates(Operation *op) {
  return isa<memref::AllocOp, memref::AllocaOp>(op);
}

/// Whether the loop counts from 0 in steps of 1, and hands nothing on.
static bool isPlain(scf::ParallelOp loop) {
  return loop.getInitVals().empty() &&
         llvm::all_of(loop.getLowerBound(),
                      [](Value v) { return matchPattern(v, m_Zero()); }) &&
         llvm::all_of(loop.getStep(),
                      [](Value v) { return matchPattern(v, m_One()); });
}

/// Whether two steps of a loop may store to one place: unless each of its
/// variables is an index of each store.
static bool mayOverwrite(scf::ParallelOp loop) {
  return anyWithin(loop, [&](Operation *op) {
    auto store = dyn_cast<memref::StoreOp>(op);
    return store && !llvm::all_of(loop.getInductionVars(), [&](Value variable) {
             return llvm::is_contained(store.getIndices(), variable);
           });
  });
}

/// A lane's own memory.
static bool storesToOwn(Operation *op) {
  auto store = dyn_cast<memref::StoreOp>(op);
  return store && store.getMemRef().getDefiningOp<memref::AllocaOp>();
}

static Handling handlingOf(Operation *op) {
  if (auto loop = dyn_cast<scf::ParallelOp>(op))
    return isPlain(loop) && !anyWithin(loop, allocates) && !mayOverwrite(loop)
               ? Handling::Distributed
               : Handling::Impossible;
  if (anyWithin(op, isParallelLoop))
    return isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op) ? Handling::Opened
                                                        : Handling::Impossible;
  if (allocates(op) || storesToOwn(op) || op->hasTrait<OpTrait::IsTerminator>())
    return Handling::Everybody;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return Handling::Impossible;
  bool writes = false;
  for (const MemoryEffects::EffectInstance &effect : *effects) {
    if (isa<MemoryEffects::Allocate, MemoryEffects::Free>(effect.getEffect()))
      return Handling::Impossible;
    writes |= isa<MemoryEffects::Write>(effect.getEffect());
  }
  if (!writes)
    return Handling::Everybody;
  return op->getNumResults() == 0 ? Handling::First : Handling::Impossible;
}

/// How deep loops are nested in an operation.
static unsigned getDepth(Operation *op) {
  unsigned inner = 0;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      inner = std::max(inner, getDepth(&nested));
  if (auto loop = dyn_cast<scf::ParallelOp>(op))
    return inner + loop.getNumLoops();
  return inner + isa<scf::ForOp, scf::WhileOp>(op);
}

namespace {
/// Of what lanes share, and of what one of them does alone.
struct Depths {
  unsigned shared = 0, alone = 0;
};
} // namespace

/// Whether each operation of a block has a role, and of those that it opens.
static bool canDistribute(Block &block, Depths &depths) {
  for (Operation &op : block)
    switch (handlingOf(&op)) {
    case Handling::Impossible:
      return false;
    case Handling::Distributed:
      depths.shared = std::max(depths.shared, getDepth(&op));
      break;
    case Handling::Opened:
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (!canDistribute(inner, depths))
            return false;
      break;
    case Handling::Everybody:
    case Handling::First:
      depths.alone = std::max(depths.alone, getDepth(&op));
      break;
    }
  return true;
}

namespace {
/// Who shares the loops.
struct Lanes {
  unsigned count;
  Value number, isFirst; ///< of each one
};
} // namespace

/// One loop over all its steps, from a lane's number on.
static void distribute(scf::ParallelOp loop, const Lanes &lanes) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value all;
  for (Value extent : loop.getUpperBound())
    all = all ? arith::MulIOp::create(b, loc, all, extent).getResult() : extent;
  Value step = arith::ConstantIndexOp::create(b, loc, lanes.count);
  NVVM::BarrierOp::create(b, loc);
  auto own = scf::ForOp::create(b, loc, lanes.number, all, step);
  NVVM::BarrierOp::create(b, loc);
  b.setInsertionPointToStart(own.getBody());
  SmallVector<Value> places(loop.getNumLoops());
  Value rest = own.getInductionVar();
  for (unsigned d = loop.getNumLoops(); d-- > 1;) {
    Value extent = loop.getUpperBound()[d];
    places[d] = arith::RemUIOp::create(b, loc, rest, extent);
    rest = arith::DivUIOp::create(b, loc, rest, extent);
  }
  places[0] = rest;
  Block *body = loop.getBody();
  body->getTerminator()->erase(); // it reduces nothing
  own.getBody()->getOperations().splice(std::prev(own.getBody()->end()),
                                        body->getOperations());
  for (auto [variable, place] : llvm::zip(loop.getInductionVars(), places))
    variable.replaceAllUsesWith(place);
  loop.erase();
}

/// Lane 0 alone, and nobody goes on before it has.
static void guard(Operation *op, Value isFirst) {
  OpBuilder b(op);
  NVVM::BarrierOp::create(b, op->getLoc());
  auto only = scf::IfOp::create(b, op->getLoc(), isFirst, /*withElse=*/false);
  NVVM::BarrierOp::create(b, op->getLoc());
  op->moveBefore(only.thenYield());
}

static void distributeBlock(Block &block, const Lanes &lanes) {
  for (Operation &op : llvm::make_early_inc_range(block))
    switch (handlingOf(&op)) {
    case Handling::Distributed:
      distribute(cast<scf::ParallelOp>(op), lanes);
      break;
    case Handling::Opened:
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          distributeBlock(inner, lanes);
      break;
    case Handling::First:
      guard(&op, lanes.isFirst);
      break;
    default:
      break;
    }
}

/// Whether lanes may find different things in memory of their own: what is not
/// the shape of a result, or is put there in a loop.
static bool mayOwnMemoryDiffer(func::FuncOp function) {
  return anyWithin(function, [](Operation *op) {
    auto own = dyn_cast<memref::AllocaOp>(op);
    return own && !llvm::all_of(own->getUsers(), [&](Operation *user) {
             if (auto reshape = dyn_cast<memref::ReshapeOp>(user))
               return reshape.getShape() == own.getResult();
             return isa<memref::LoadOp>(user) ||
                    (isa<memref::StoreOp>(user) &&
                     user->getBlock() == own->getBlock());
           });
  });
}

bool evo::distributeOverLanes(func::FuncOp function,
                              TargetAttrInterface target) {
  Depths depths;
  if (!function.getBody().hasOneBlock() ||
      !anyWithin(function, isParallelLoop) || mayOwnMemoryDiffer(function) ||
      !canDistribute(function.front(), depths) || depths.alone >= depths.shared)
    return false;
  OpBuilder b = OpBuilder::atBlockBegin(&function.front());
  Location loc = function.getLoc();
  Value threadId = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  Value zero = arith::ConstantIntOp::create(b, loc, 0, 32);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId, zero);
  Value lane = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), threadId);
  distributeBlock(function.front(), {target.getWarpSize(), lane, isFirst});
  return true;
}

/// The variable through which the address goes to all lanes.
static LLVM::GlobalOp createSlot(ModuleOp module, unsigned number,
                                 TargetAttrInterface target) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMPointerType::get(module.getContext());
  return LLVM::GlobalOp::create(
      b, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
      "shared_allocation_" + std::to_string(number), Attribute(),
      /*alignment=*/8, target.getAddressSpace(target::Memory::Shared));
}

void evo::shareAllocations(ModuleOp lowered, TargetAttrInterface target) {
  SmallVector<LLVM::CallOp> allocations;
  lowered.walk([&](LLVM::CallOp call) {
    const device::DeviceOp *op =
        device::lookupFunction(call.getCallee().value_or("")).op;
    if (op && op->allocates)
      allocations.push_back(call);
  });
  unsigned number = 0;
  for (LLVM::CallOp allocation : allocations) {
    LLVM::GlobalOp slot = createSlot(lowered, number++, target);
    Location loc = allocation.getLoc();
    Block *before = allocation->getBlock();
    Block *after = before->splitBlock(allocation);
    Block *ofFirstLane = new Block();
    after->getParent()->getBlocks().insert(after->getIterator(), ofFirstLane);
    OpBuilder b = OpBuilder::atBlockEnd(before);
    Value address = LLVM::AddressOfOp::create(b, loc, slot);
    Value threadId = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
    Value isFirst =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, threadId, zero);
    LLVM::CondBrOp::create(b, loc, isFirst, ofFirstLane, after);
    b.setInsertionPoint(allocation);
    NVVM::BarrierOp::create(b, loc);
    Value shared =
        LLVM::LoadOp::create(b, loc, allocation.getResult().getType(), address);
    NVVM::BarrierOp::create(b, loc);
    allocation.getResult().replaceAllUsesWith(shared);
    allocation->moveBefore(ofFirstLane, ofFirstLane->end());
    b.setInsertionPointToEnd(ofFirstLane);
    LLVM::StoreOp::create(b, loc, allocation.getResult(), address);
    LLVM::BrOp::create(b, loc, after);
  }
}
