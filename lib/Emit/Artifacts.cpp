// Puts code and launch descriptions into named files.
#include "evo/Emit/Artifacts.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Emit/BindSizes.h"
#include "evo/Shapes/AbstractShapes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

std::string evo::printLaunchJSON(const LaunchDescription &description) {
  return llvm::formatv("{0:2}\n", description.toJSON()).str();
}

/// Whether both plans have the same launches.
static bool hasSameLaunches(LaunchPlanOpInterface a, LaunchPlanOpInterface b) {
  return llvm::equal(
      a.getLaunches(), b.getLaunches(), [](LaunchOp left, LaunchOp right) {
        return left->getAttrDictionary() == right->getAttrDictionary();
      });
}

static std::string join(ArrayAttr exprs) {
  return llvm::join(
      llvm::map_range(exprs.getAsRange<ExprAttr>(),
                      [](ExprAttr expr) { return expr.getText(); }),
      ", ");
}

std::optional<std::string> evo::findSource(VariantOp variant) {
  auto kernel = cast<KernelOp>(variant->getParentOp());
  ReferenceOp reference = kernel.getReference();
  if (!variant.getSource())
    return std::nullopt;
  std::string source = variant.getSource()->str();
  if (!reference || variant.getSourceAttr() != reference.getSourceAttr() ||
      hasSameLaunches(variant, reference))
    return source;
  // The code is the reference's, the launches are not.
  LaunchPlanOpInterface plan = variant;
  SmallVector<LaunchOp> launches(plan.getLaunches());
  ArrayAttr names = plan.getKernelSpellings();
  SmallVector<StringRef> lines;
  StringRef(source).split(lines, '\n');
  std::string result;
  size_t next = 0;
  for (auto [index, line] : llvm::enumerate(lines)) {
    if (index)
      result += '\n';
    StringRef comment = line.trim();
    if (!comment.consume_front("//") ||
        !comment.ltrim().starts_with("evo.launch")) {
      result += line;
      continue;
    }
    if (!names || next >= launches.size() || next >= names.size())
      return std::nullopt;
    LaunchOp launch = launches[next];
    result += "// evo.launch " + cast<StringAttr>(names[next]).str() + "<<<(" +
              join(launch.getGrid()) + "), (" + join(launch.getBlock()) + ")";
    if (launch.getShared())
      result += ", " + launch.getShared()->getText().str();
    result += ">>>(" + join(launch.getArgs()) + ")";
    ++next;
  }
  if (next != launches.size())
    return std::nullopt;
  return result;
}

llvm::Expected<std::vector<Artifact>>
evo::emitArtifacts(KernelOp kernel, ArrayRef<VariantOp> variants) {
  llvm::Expected<LaunchDescription> description =
      describeLaunch(kernel, variants);
  if (!description)
    return description.takeError();
  LaunchDescription all = *description;
  if (std::optional<Bindings> sizes = getCallerSizes(kernel))
    if (llvm::Error error = bindSizes(*description, *sizes))
      return std::move(error);
  llvm::Expected<std::string> launcher = generateLauncher(*description);
  if (!launcher)
    return launcher.takeError();
  std::vector<Artifact> files;
  for (auto [variant, described] : llvm::zip_equal(variants, all.variants)) {
    const StringRef name = described.name;
    if (llvm::none_of(description->variants, [&](const LaunchVariant &kept) {
          return kept.name == name;
        }))
      continue; // for sizes that the caller has not
    llvm::Expected<VariantCode> code = findCode(variant);
    if (!code)
      return code.takeError();
    if (!described.ptxFile.empty())
      files.push_back({described.ptxFile, code->ptx.str()});
    if (!described.cubinFile.empty())
      files.push_back({described.cubinFile, code->cubin.str()});
  }
  for (VariantOp variant : variants)
    if (kernel.getBest() == variant.getSymName())
      if (std::optional<std::string> source = findSource(variant))
        files.push_back({"best.cu", std::move(*source)});
  files.push_back({"launch.json", printLaunchJSON(*description)});
  files.push_back({"launcher.cpp", std::move(*launcher)});
  return files;
}
