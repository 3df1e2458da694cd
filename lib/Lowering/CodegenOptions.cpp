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
    auto number = dyn_cast<IntegerAttr>(option.getValue());
    auto text = dyn_cast<StringAttr>(option.getValue());
    if (key == "opt" && number && number.getInt() >= 0 && number.getInt() <= 3)
      result.optLevel = number.getInt();
    else if (key == "maxnreg" && number && number.getInt() >= 16 &&
             number.getInt() <= 255)
      result.maxRegisters = number.getInt();
    else if (key == "codegen" && text &&
             (text.getValue() == "llvm" || text.getValue() == "nvrtc"))
      result.generator = text.getValue().str();
    else if (key == "knobs" && isa<DictionaryAttr>(option.getValue()))
      continue; // values that were bound in the schedule
    else
      return emitError(loc)
                 << "option '" << key << "' has no value " << option.getValue()
                 << ": known are opt (0 to 3), maxnreg (16 to 255), "
                    "codegen (\"llvm\" or \"nvrtc\")",
             failure();
  }
  return result;
}
