// Which variants of a kernel ship.
#include "evo/Dialect/Evo/IR/Shipped.h"

using namespace mlir;
using namespace evo;

SmallVector<VariantOp> evo::findShippedVariants(KernelOp kernel) {
  SmallVector<Attribute> names;
  if (auto specialized = kernel->getAttrOfType<ArrayAttr>(specializedAttr))
    llvm::append_range(names, specialized);
  if (kernel.getBestAttr())
    names.push_back(kernel.getBestAttr());
  SmallVector<VariantOp> variants;
  for (Attribute name : names)
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(name))
      if (auto variant = dyn_cast_or_null<VariantOp>(
              SymbolTable::lookupSymbolIn(kernel, symbol.getAttr())))
        variants.push_back(variant);
  return variants;
}
