// A device of another kind, as a target: any attribute that implements the
// interface is one.
#ifndef EVO_UNITTESTS_WIDETARGET_H
#define EVO_UNITTESTS_WIDETARGET_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace evo::test {

/// An array of two integers, as a target: the threads of a warp, and the bits
/// of a lane mask.
struct WideTarget
    : TargetAttrInterface::ExternalModel<WideTarget, mlir::DenseArrayAttr> {
  struct Widths {
    int32_t warp = 64, mask = 64;
  };
  static int32_t at(mlir::Attribute attr, unsigned i) {
    return mlir::cast<mlir::DenseI32ArrayAttr>(attr)[i];
  }
  llvm::StringRef getName(mlir::Attribute) const { return "wide"; }
  llvm::StringRef getArch(mlir::Attribute) const { return "wide"; }
  unsigned getPTXVersion(mlir::Attribute) const { return 0; }
  unsigned getWarpSize(mlir::Attribute attr) const { return at(attr, 0); }
  unsigned getLaneMaskBits(mlir::Attribute attr) const { return at(attr, 1); }
  unsigned getAddressSpace(mlir::Attribute, target::Memory memory) const {
    return memory == target::Memory::Shared ? 7 : 0;
  }
  const target::TargetInfo *getInfo(mlir::Attribute) const { return nullptr; }
  mlir::Attribute getObjectTarget(mlir::Attribute) const { return {}; }
};

inline TargetAttrInterface makeWideTarget(mlir::MLIRContext &context,
                                          WideTarget::Widths widths = {}) {
  auto attr =
      mlir::DenseI32ArrayAttr::get(&context, {widths.warp, widths.mask});
  if (!mlir::isa<TargetAttrInterface>(attr))
    mlir::DenseArrayAttr::attachInterface<WideTarget>(context);
  return mlir::cast<TargetAttrInterface>(attr);
}

} // namespace evo::test

#endif
