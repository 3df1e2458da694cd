// The hash evidence is bound to.
#include "evo/Device/DeviceModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace mlir;
using namespace evo;

std::string evo::hashPlan(Operation *plan, ArrayRef<DeviceModule> modules,
                          const CodegenOptions &options) {
  llvm::BLAKE3 hasher;
  auto add = [&](StringRef text) {
    // Lengths keep neighbouring fields apart.
    hasher.update(std::to_string(text.size()) + ":");
    hasher.update(text);
  };
  auto print = [](auto value) {
    std::string text;
    llvm::raw_string_ostream os(text);
    value.print(os);
    return text;
  };
  add("evo-opt " EVO_VERSION);
  add(options.target);
  add(options.generator);
  add(std::to_string(options.maxRegisters));
  auto kernel = plan->getParentOfType<KernelOp>();
  for (Attribute part :
       {Attribute(kernel.getArgsAttr()),
        Attribute(kernel.getRequirementsAttr()),
        Attribute(kernel.getAccuracyAttr()), plan->getAttr("requirements")})
    add(part ? print(part) : "");
  for (Operation &op : plan->getRegion(0).front())
    if (isa<LaunchOp, ScratchOp>(op))
      add(print(op.getAttrDictionary()));
  if (options.generator == "nvrtc")
    if (auto source = plan->getAttrOfType<StringAttr>("source"))
      add(source.getValue());
  for (const DeviceModule &module : modules) {
    add(module.name);
    add(module.digest);
  }
  auto digest = hasher.final<16>();
  return llvm::toHex(ArrayRef<uint8_t>(digest), /*LowerCase=*/true);
}
