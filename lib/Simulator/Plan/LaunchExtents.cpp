// Extents of a launch at given sizes.
#include "LaunchExtents.h"

using namespace evo;

llvm::Expected<sim::Dim3> evo::evaluateExtents(llvm::ArrayRef<IntExpr> extents,
                                               const Bindings &sizes) {
  uint64_t values[3];
  for (unsigned i = 0; i < 3; ++i) {
    llvm::Expected<int64_t> value = extents[i].evaluate(sizes);
    if (!value)
      return value.takeError();
    if (*value < 0)
      return llvm::createStringError("launch extent '" + extents[i].str() +
                                     "' is negative");
    values[i] = *value;
  }
  return sim::Dim3{values[0], values[1], values[2]};
}
