// Launch formulas name what parameters are.
#include "KernelArguments.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace evo;

ExprAttr StructuredLaunch::getArgument(Value value) const {
  auto parameter = dyn_cast<BlockArgument>(value);
  // After the arguments come shared arrays.
  if (!parameter || parameter.getOwner() != &device.getBody().front() ||
      parameter.getArgNumber() >= op.getArgs().size())
    return {};
  return cast<ExprAttr>(op.getArgs()[parameter.getArgNumber()]);
}

StringRef StructuredLaunch::getBuffer(Value memref) const {
  ExprAttr argument = getArgument(memref);
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!argument || !type)
    return {};
  StringRef name = argument.getText();
  auto hasType = [&](Type element) { return element == type.getElementType(); };
  auto kernel = op->getParentOfType<KernelOp>();
  for (auto each : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (each.getName() == name && each.isBuffer())
      return hasType(each.getElementType()) ? name : StringRef();
  for (auto scratch : op->getParentRegion()->getOps<ScratchOp>())
    if (scratch.getName() == name && hasType(scratch.getElementType()))
      return name;
  return {};
}

SmallVector<StructuredLaunch> evo::getLaunches(VariantOp structured) {
  SmallVector<StructuredLaunch> result;
  for (auto launch : structured.getBody().getOps<LaunchOp>()) {
    auto device = dyn_cast_or_null<gpu::GPUFuncOp>(
        SymbolTable::lookupSymbolIn(structured, launch.getCallee()));
    if (!device)
      return {};
    result.push_back({launch, device});
  }
  return result;
}
