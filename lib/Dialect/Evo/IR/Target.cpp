// NVIDIA GPUs as targets: what include/evo/Target knows, as an attribute.
#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace evo;

#include "evo/Dialect/Evo/IR/TargetInterface.cpp.inc"
#include "evo/Target/Triple.h"

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name) {
  if (target::Arch::parse(name) || target::findTarget(name))
    return success();
  return emitError() << "unknown target '" << name << "', expected one such as "
                     << target::getDefaultArch();
}

TargetAttrInterface evo::parseTarget(MLIRContext *context, StringRef name) {
  return TargetAttr::getChecked(
      [&] { return emitError(UnknownLoc::get(context)); }, context, name);
}

const target::TargetInfo *TargetAttr::getInfo() const {
  return target::findTarget(getName());
}

StringRef TargetAttr::getArch() const { return target::getArchOf(getName()); }

unsigned TargetAttr::getPTXVersion() const {
  return target::getPTXVersion(*target::Arch::parse(getArch()));
}

unsigned TargetAttr::getWarpSize() const { return target::warpSize; }

unsigned TargetAttr::getLaneMaskBits() const {
  return 8 * sizeof(target::LaneMask);
}

unsigned TargetAttr::getAddressSpace(target::Memory memory) const {
  switch (memory) {
  case target::Memory::Generic:
    return target::Generic;
  case target::Memory::Global:
    return target::Global;
  case target::Memory::Shared:
    return target::Shared;
  case target::Memory::Constant:
    return target::Constant;
  case target::Memory::Local:
    return target::Local;
  }
  llvm_unreachable("all memories are named");
}

Attribute TargetAttr::getObjectTarget() const {
  constexpr int optLevel = 3;
  return NVVM::NVVMTargetAttr::get(getContext(), optLevel, target::triple,
                                   getArch());
}
