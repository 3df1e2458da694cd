// Attributes that ops and attributes of the dialect print as bare strings.
#ifndef EVO_LIB_DIALECT_EVO_IR_PARSEQUOTED_H
#define EVO_LIB_DIALECT_EVO_IR_PARSEQUOTED_H

#include "mlir/IR/OpImplementation.h"

namespace evo {

/// An #evo.expr or #evo.requirement out of a quoted text; null after an error.
template <typename Attr> Attr parseQuoted(mlir::AsmParser &parser) {
  std::string text;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return {};
  return Attr::getChecked([&] { return parser.emitError(place); },
                          parser.getContext(), text);
}

} // namespace evo

#endif
