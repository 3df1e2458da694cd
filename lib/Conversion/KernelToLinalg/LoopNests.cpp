// The launches of a plan one after another, each op of a kernel in its order:
// loads and stores of buffers here, loops in LoopReductions.cpp and
// LoopScans.cpp.
#include "evo/Conversion/KernelToLinalg/LoopNests.h"
#include "LoopNestRaiser.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace evo;

bool LoopNestRaiser::addBuffers() {
  for (auto [argument, value] :
       llvm::zip(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                 function.getArguments())) {
    if (!argument.isBuffer())
      continue;
    auto dims = terms.convertDims(argument.getExtents());
    if (!dims)
      return false;
    buffers[argument.getName()] = {value, *dims};
  }
  for (auto scratch : structured.getBody().getOps<ScratchOp>()) {
    SmallVector<IntExpr> extents;
    for (auto dim : scratch.getDims().getAsRange<ExprAttr>())
      extents.push_back(dim.getValue());
    auto dims = terms.convertDims(extents);
    if (!dims)
      return false;
    SizedTensor tensor = terms.createEmpty(b, *dims, scratch.getElementType());
    if (!tensor.value)
      return false;
    buffers[scratch.getName()] = tensor;
  }
  return true;
}

bool LoopNestRaiser::visit(Block &block) {
  for (Operation &op : block) {
    bool isVisited = true;
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      auto position = positionOf(load.getMemRef(), load.getIndices());
      if (!position)
        return false;
      const SizedTensor &tensor = buffers[launch.getBuffer(load.getMemRef())];
      terms.elements[load.getResult()] = {
          tensor, Places::delinearize(*position, tensor.dims)};
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      isVisited = visitStore(store);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      isVisited = visitLoop(loop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      isVisited = visitBranch(branch);
    } else if (!op.hasTrait<OpTrait::IsTerminator>()) {
      isVisited = op.getNumRegions() == 0 && isMemoryEffectFree(&op);
    }
    if (!isVisited)
      return false;
  }
  return true;
}

bool LoopNestRaiser::visitBranch(scf::IfOp branch) {
  Block *other = branch.elseBlock();
  if (other)
    for (auto store : branch.thenBlock()->getOps<memref::StoreOp>())
      for (auto twin : other->getOps<memref::StoreOp>())
        if (store.getMemRef() == twin.getMemRef() &&
            positionOf(store.getMemRef(), store.getIndices()) ==
                positionOf(twin.getMemRef(), twin.getIndices())) {
          // It is done with the last of the two.
          otherwise[store] = Value();
          otherwise[twin] = store.getValueToStore();
        }
  return visit(*branch.thenBlock()) && (!other || visit(*other));
}

bool LoopNestRaiser::visitStore(memref::StoreOp store) {
  if (steps.contains(store))
    return true;
  auto merged = otherwise.find(store);
  if (merged != otherwise.end() && !merged->second)
    return true;
  SizedTensor &tensor = buffers[launch.getBuffer(store.getMemRef())];
  auto position = positionOf(store.getMemRef(), store.getIndices());
  std::vector<Sum> indices = Places::delinearize(*position, tensor.dims);
  Counters loops;
  for (auto [index, dim] : llvm::zip_equal(indices, tensor.dims)) {
    if (index == Sum() && dim == Sum::constant(1))
      index = Sum::factor(terms.places.counter(dim));
    // All of the buffer, each element once.
    std::optional<Factor> counter = index.getAsFactor();
    if (!counter || !terms.places.hasExtent(*counter, dim) ||
        !loops.insert(*counter))
      return false;
  }
  Value value = store.getValueToStore();
  if (auto it = terms.elements.find(value);
      it != terms.elements.end() && it->second.indices == indices &&
      isa_and_nonnull<scf::ForOp>(value.getDefiningOp()) &&
      merged == otherwise.end()) {
    tensor.value = it->second.tensor.value; // reduced to where it belongs
    return true;
  }
  GenericBody body(terms, b, store.getLoc(), loops, 0);
  if (!body.addOutput(tensor, indices))
    return false;
  Value result =
      merged == otherwise.end()
          ? body.get(value)
          : body.getEither(store->getParentOfType<scf::IfOp>().getCondition(),
                           merged->second, value);
  linalg::GenericOp op = result ? body.finish(result) : linalg::GenericOp();
  if (!op)
    return false;
  tensor.value = op.getResult(0);
  if (merged == otherwise.end() && value.getDefiningOp() &&
      !matchPattern(value, m_Constant()))
    terms.elements.try_emplace(value, Element{tensor, indices});
  return true;
}

bool LoopNestRaiser::visitLaunch() {
  counters.clear();
  otherwise.clear();
  terms.enter(launch);
  return countLoops() && spreadThreads() &&
         visit(launch.device.getBody().front());
}

func::FuncOp LoopNestRaiser::create() {
  bool isRaised = addBuffers();
  SmallVector<StructuredLaunch> launches = getLaunches(structured);
  isRaised &= !launches.empty();
  for (const StructuredLaunch &each : launches) {
    launch = each;
    isRaised = isRaised && each.device.getBody().hasOneBlock() && visitLaunch();
  }
  if (isRaised) {
    SmallVector<Value> results;
    for (auto argument : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
      if (argument.isWritten())
        results.push_back(buffers[argument.getName()].value);
    func::ReturnOp::create(b, kernel.getLoc(), results);
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
    if (succeeded(verify(function)))
      return function;
  }
  function.erase();
  return {};
}

func::FuncOp evo::createLoopNests(OpBuilder builder, KernelOp kernel,
                                  VariantOp structured) {
  return LoopNestRaiser(builder, kernel, structured).create();
}
