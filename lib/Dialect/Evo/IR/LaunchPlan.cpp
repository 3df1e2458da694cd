// What reference and variant share as launch plans.
#include "evo/Dialect/Evo/IR/Evo.h"

using namespace mlir;
using namespace evo;

#include "evo/Dialect/Evo/IR/EvoInterfaces.cpp.inc"

/// A discardable attribute: only a code generator that starts from the source
/// needs it.
static constexpr StringLiteral spellingsAttrName = "evo.kernel_names";

KernelOp LaunchPlanOpInterface::getKernel() {
  return getOperation()->getParentOfType<KernelOp>();
}

iterator_range<Region::op_iterator<LaunchOp>>
LaunchPlanOpInterface::getLaunches() {
  return getBody().getOps<LaunchOp>();
}

iterator_range<Region::op_iterator<ScratchOp>>
LaunchPlanOpInterface::getScratches() {
  return getBody().getOps<ScratchOp>();
}

ScratchOp LaunchPlanOpInterface::lookupScratch(StringRef name) {
  for (ScratchOp scratch : getScratches())
    if (scratch.getName() == name)
      return scratch;
  return {};
}

iterator_range<Region::op_iterator<gpu::GPUModuleOp>>
LaunchPlanOpInterface::getDeviceModules() {
  return getBody().getOps<gpu::GPUModuleOp>();
}

ArrayAttr LaunchPlanOpInterface::getKernelSpellings() {
  return getOperation()->getAttrOfType<ArrayAttr>(spellingsAttrName);
}

void LaunchPlanOpInterface::setKernelSpellings(ArrayAttr spellings) {
  getOperation()->setAttr(spellingsAttrName, spellings);
}
