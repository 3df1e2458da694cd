// Attributes of the dialect as JSON, for reports and journals.
#ifndef EVO_INTERFACES_ASJSON_H
#define EVO_INTERFACES_ASJSON_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "llvm/Support/JSON.h"

namespace evo {

/// Numbers, text, lists and dictionaries as what JSON has for them; anything
/// else as its text.
llvm::json::Value describeAttribute(mlir::Attribute attr);

/// Source, machine, details and the microseconds of each workload in order,
/// null for one that is not served.
llvm::json::Object describeCost(CostAttr cost);

} // namespace evo

#endif
