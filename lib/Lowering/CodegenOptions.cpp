// Options of code generation as they stand in a variant's `options` attribute.
// A proposal may set them, so every key and type is checked.
#include "evo/Lowering/DeviceModule.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

FailureOr<CodegenOptions> CodegenOptions::parse(DictionaryAttr options,
                                                TargetAttrInterface target,
                                                Location loc) {
  CodegenOptions result(target);
  if (!options)
    return result;
  for (NamedAttribute option : options) {
    StringRef key = option.getName().getValue();
    if (key == "knobs" && isa<DictionaryAttr>(option.getValue()))
      continue; // values that were bound in the schedule
    if (!isCodegenOption(option))
      return emitError(loc)
                 << "option '" << key << "' has no value " << option.getValue()
                 << ": known are " << codegenOptionsKnown,
             failure();
    if (key == "opt")
      result.optLevel = cast<IntegerAttr>(option.getValue()).getInt();
    else if (key == "maxnreg")
      result.maxRegisters = cast<IntegerAttr>(option.getValue()).getInt();
    else
      result.generator = cast<StringAttr>(option.getValue()).str();
  }
  return result;
}
