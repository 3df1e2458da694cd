// Puts code and launch descriptions into named files.
#include "evo/Emit/Artifacts.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

std::string evo::printLaunchJSON(const LaunchDescription &description) {
  return llvm::formatv("{0:2}\n", description.toJSON()).str();
}

SmallVector<VariantOp> evo::findShippedVariants(KernelOp kernel) {
  SmallVector<VariantOp> variants;
  for (auto name : {kernel->getAttrOfType<FlatSymbolRefAttr>("evo.specialized"),
                    kernel.getBestAttr()})
    if (name)
      if (auto variant = dyn_cast_or_null<VariantOp>(
              SymbolTable::lookupSymbolIn(kernel, name.getAttr())))
        variants.push_back(variant);
  return variants;
}

llvm::Expected<std::vector<Artifact>>
evo::emitArtifacts(KernelOp kernel, ArrayRef<VariantOp> variants) {
  llvm::Expected<LaunchDescription> description =
      describeLaunch(kernel, variants);
  if (!description)
    return description.takeError();
  llvm::Expected<std::string> launcher = generateLauncher(*description);
  if (!launcher)
    return launcher.takeError();
  std::vector<Artifact> files;
  for (auto [variant, described] :
       llvm::zip_equal(variants, description->variants)) {
    llvm::Expected<VariantCode> code = findCode(variant);
    if (!code)
      return code.takeError();
    if (!described.ptxFile.empty())
      files.push_back({described.ptxFile, code->ptx.str()});
    if (!described.cubinFile.empty())
      files.push_back({described.cubinFile, code->cubin.str()});
  }
  files.push_back({"launch.json", printLaunchJSON(*description)});
  files.push_back({"launcher.cpp", std::move(*launcher)});
  return files;
}
