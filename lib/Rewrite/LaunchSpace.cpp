// The space of a lifted launch plan: what can be changed without knowing what
// the kernel computes.
#include "Space.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

namespace {
class LaunchSpace : public Space {
public:
  LaunchSpace(ArrayRef<int64_t> block) {
    name = "launch";
    knobs.push_back({"block", blockShapes(block)});
    knobs.push_back({"unroll", {"default", "1", "2", "4", "8", "16"}});
    knobs.push_back({"bounds", {"no", "yes"}});
    knobs.push_back({"maxnreg", {"none", "32", "48", "64", "96", "128"}});
    knobs.push_back({"codegen", {"llvm", "nvrtc"}});
  }

  bool isSensible(const Point &point) const override {
    // NVRTC compiles the source as it stands.
    return point.at("codegen") == "llvm" ||
           (point.at("unroll") == "default" && point.at("bounds") == "no");
  }

  ProposalOp propose(OpBuilder &b, KernelOp kernel, StringRef symbol,
                     const Point &point, StringRef parent) const override {
    std::string text = "block " + point.at("block") + "\n";
    if (point.at("unroll") != "default")
      text += "unroll " + point.at("unroll") + "\n";
    if (point.at("bounds") == "yes")
      text += "bounds\n";
    NamedAttrList options, chosen;
    if (point.at("maxnreg") != "none")
      options.append("maxnreg",
                     b.getI64IntegerAttr(std::stoll(point.at("maxnreg"))));
    if (point.at("codegen") != "llvm")
      options.append("codegen", b.getStringAttr(point.at("codegen")));
    for (const auto &[knob, value] : point)
      chosen.append(knob, b.getStringAttr(value));
    options.append("knobs", chosen.getDictionary(b.getContext()));
    return ProposalOp::create(
        b, kernel.getLoc(), b.getStringAttr(symbol), b.getStringAttr("options"),
        b.getStringAttr(text), options.getDictionary(b.getContext()),
        parent.empty() ? StringAttr() : b.getStringAttr(parent), StringAttr(),
        b.getStringAttr("search:" + name), StringAttr(), StringAttr());
  }

private:
  static std::string print(int64_t x, int64_t y, int64_t z) {
    return std::to_string(x) + " " + std::to_string(y) + " " +
           std::to_string(z);
  }

  static std::vector<std::string> blockShapes(ArrayRef<int64_t> block) {
    std::vector<std::string> shapes = {print(block[0], block[1], block[2])};
    auto add = [&](int64_t x, int64_t y) {
      std::string shape = print(x, y, block[2]);
      if (!llvm::is_contained(shapes, shape))
        shapes.push_back(shape);
    };
    if (block[1] == 1)
      for (int64_t x : {32, 64, 128, 256, 512, 1024})
        add(x, 1);
    else
      for (auto [x, y] : {std::pair(32, 4),
                          {32, 8},
                          {16, 8},
                          {16, 16},
                          {32, 16},
                          {64, 4},
                          {32, 32},
                          {128, 2},
                          {8, 32}})
        add(x, y);
    return shapes;
  }
};
} // namespace

std::unique_ptr<Space> evo::createLaunchSpace(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!reference || !reference.isLaunchPlan())
    return nullptr;
  auto launches = reference.getBody().getOps<LaunchOp>();
  if (llvm::range_size(launches) != 1)
    return nullptr;
  SmallVector<int64_t> block;
  for (auto text : (*launches.begin()).getBlock().getAsRange<StringAttr>()) {
    int64_t extent;
    if (text.getValue().getAsInteger(10, extent))
      return nullptr;
    block.push_back(extent);
  }
  return std::make_unique<LaunchSpace>(block);
}
