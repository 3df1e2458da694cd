// The hash evidence is bound to.
#include "evo/Lowering/DeviceModule.h"
#include "evo/Support/Digest.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace evo;

/// An op as text, without where it comes from: loops say so in attributes. The
/// copy has no parent, where some ops of the LLVM dialect look up a data layout
/// when they are verified.
static std::string printOp(Operation &op) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LocationAttr location) -> Attribute {
    return UnknownLoc::get(location.getContext());
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  Operation *copy = op.clone();
  replacer.recursivelyReplaceElementsIn(copy, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/true);
  copy->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  copy->destroy();
  return text;
}

std::string evo::hashPlan(LaunchPlanOpInterface plan,
                          ArrayRef<DeviceModule> modules,
                          const CodegenOptions &options) {
  std::string fields;
  auto add = [&](StringRef text) {
    // Lengths keep neighbouring fields apart.
    fields += std::to_string(text.size()) + ":";
    fields += text;
  };
  auto print = [](auto value) {
    std::string text;
    llvm::raw_string_ostream os(text);
    value.print(os);
    return text;
  };
  add("evo-opt " EVO_VERSION);
  add(options.target.getArch());
  add(options.generator);
  add(std::to_string(options.maxRegisters));
  KernelOp kernel = plan.getKernel();
  for (Attribute part : {Attribute(kernel.getArgsAttr()),
                         Attribute(kernel.getRequirementsAttr()),
                         Attribute(kernel.getAccuracyAttr()),
                         Attribute(plan.getRequirementsAttr())})
    add(part ? print(spellTexts(part)) : "");
  for (Operation &op : plan.getBody().front())
    if (isa<LaunchOp, ScratchOp>(op))
      add(print(spellTexts(op.getAttrDictionary())));
  if (options.generator == nvrtcGenerator)
    for (Attribute part : {Attribute(plan.getSourceAttr()),
                           Attribute(plan.getKernelSpellings())})
      add(part ? print(part) : "");
  // What it is judged against, not where that was written.
  if (ReferenceOp reference = kernel.getReference())
    for (Operation &op : reference.getBody().front())
      add(printOp(op));
  for (const DeviceModule &module : modules) {
    add(module.name);
    add(module.digest);
  }
  return codeDigest(fields);
}
