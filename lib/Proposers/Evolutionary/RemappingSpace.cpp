// The space of 2-D launches: for 1-D kernels that divide the linear thread
// index to find their row.
#include "Space.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Support/Sort.h"
#include "evo/Target/TargetInfo.h"
#include "evo/Target/Warp.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo;

/// Whether the plan's code divides by a value that is known only at run time.
static bool divides(ReferenceOp reference) {
  WalkResult result = reference.walk([](Operation *op) {
    return isa<LLVM::UDivOp, LLVM::SDivOp, LLVM::URemOp, LLVM::SRemOp>(op) &&
                   !matchPattern(op->getOperand(1), m_Constant())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The first output that has rows.
static ArgumentAttr getWritten(KernelOp kernel) {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer() && arg.isWritten() && arg.getDimStrings().size() > 1)
      return arg;
  return {};
}

/// Block shapes of 256 or 128 threads; first those with the fewest idle threads
/// in a row of `columns`.
static std::vector<std::string> getShapes(std::optional<int64_t> columns) {
  constexpr int64_t threads = 256;
  SmallVector<int64_t> widths = {32, 64, 128, 256};
  if (columns && *columns > 1 && *columns <= threads &&
      !llvm::is_contained(widths, *columns))
    widths.push_back(*columns);
  auto idle = [&](int64_t width) {
    int64_t launched = llvm::divideCeil(columns.value_or(width), width) * width;
    return columns ? (launched - *columns) * 16 / launched : 0;
  };
  stableSortBy(widths, idle);
  std::vector<std::string> shapes;
  for (int64_t share : {1, 2})
    for (int64_t width : widths)
      if (int64_t height = threads / share / width)
        shapes.push_back(std::to_string(width) + " " + std::to_string(height));
  return shapes;
}

namespace {
class RemappingSpace : public Space {
public:
  RemappingSpace(StringRef columns, StringRef rows,
                 std::vector<std::string> shapes, bool hasLoops)
      : columns(columns), rows(rows), hasLoops(hasLoops) {
    name = "remap-2d";
    // Columns and rows per thread.
    knobs.push_back(
        {"elements", {"1 1", "1 4", "1 2", "2 1", "4 1", "2 2", "1 8", "2 4"}});
    // Bounds checks as branches or as selects.
    knobs.push_back({"checks", {"branches", "selects"}});
    // Columns and rows of threads per block.
    knobs.push_back({"block", std::move(shapes)});
    if (!rows.empty())
      knobs.push_back({"dimensions", {"3", "2"}});
    if (hasLoops)
      knobs.push_back({"unroll", {"default", "1", "4"}});
    knobs.push_back({"maxnreg", {"none", "64", "32", "128"}});
  }

  /// Selects pay where several elements of a thread share loads.
  Point vary(const Point &from, const Knob &knob,
             const std::string &value) const override {
    Point point = Space::vary(from, knob, value);
    if (knob.name == "checks")
      point["elements"] = "1 4";
    return point;
  }

  bool isSensible(const Point &point) const override {
    auto [width, height] = parse(point.at("block"));
    auto [across, down] = parse(point.at("elements"));
    constexpr int64_t maxExtent = target::TargetInfo::maxThreadsPerBlock;
    return width * across <= maxExtent && height * down <= maxExtent &&
           width * height >= target::warpSize;
  }

  ProposalOp propose(OpBuilder &b, KernelOp kernel, StringRef symbol,
                     const Point &point, StringRef parent) const override {
    auto [width, height] = parse(point.at("block"));
    auto [across, down] = parse(point.at("elements"));
    std::string text = "remap-2d " + std::to_string(width * across) + " " +
                       std::to_string(height * down) + " " + columns;
    auto dimensions = point.find("dimensions");
    if (dimensions != point.end() && dimensions->second == "3")
      text += "; " + rows;
    text += "\n";
    // Unrolled windows overlap.
    if (point.at("checks") == "selects")
      text += hasLoops ? "full-unroll\nif-convert\n" : "if-convert\n";
    if (across * down > 1)
      text += "coarsen-threads " + point.at("elements") + " 1\n";
    if (auto unroll = point.find("unroll");
        unroll != point.end() && unroll->second != "default")
      text += "unroll " + unroll->second + "\n";
    NamedAttrList options;
    if (point.at("maxnreg") != "none")
      options.append("maxnreg",
                     b.getI64IntegerAttr(std::stoll(point.at("maxnreg"))));
    return createProposal(b, kernel, symbol, Genome::Options, text, options,
                          point, parent);
  }

private:
  std::string columns, rows; // formulas; the second may be empty
  bool hasLoops;

  static std::pair<int64_t, int64_t> parse(StringRef text) {
    auto [first, second] = text.split(' ');
    int64_t left = 1, right = 1;
    first.getAsInteger(10, left);
    second.getAsInteger(10, right);
    return {left, right};
  }
};
} // namespace

std::unique_ptr<Space> evo::createRemappingSpace(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!reference || !reference.isLaunchPlan() || communicates(reference) ||
      !divides(reference))
    return nullptr;
  auto launches = reference.getBody().getOps<LaunchOp>();
  ArgumentAttr written = getWritten(kernel);
  if (!llvm::hasSingleElement(launches) || !written)
    return nullptr;
  LaunchOp launch = *launches.begin();
  for (auto [dim, block, grid] :
       llvm::enumerate(launch.getBlock().getAsRange<ExprAttr>(),
                       launch.getGrid().getAsRange<ExprAttr>())) {
    std::optional<int64_t> extent = block.getValue().getAsConstant();
    bool isLine =
        dim == 0 || (extent == 1 && grid.getValue().getAsConstant() == 1);
    if (!extent || !isLine)
      return nullptr;
  }
  std::optional<int64_t> columns;
  if (ArrayAttr workloads = kernel.getWorkloadsAttr();
      workloads && !workloads.empty()) {
    Bindings sizes = getWorkloadSizes(kernel, cast<WorkloadAttr>(workloads[0]));
    llvm::Expected<int64_t> value = written.getExtents().back().evaluate(sizes);
    if (!value)
      llvm::consumeError(value.takeError());
    else if (*value >= 1) // rows without elements suit any block
      columns = *value;
  }
  SmallVector<StringRef> dims = written.getDimStrings();
  StringRef rows = dims.size() > 2 ? dims[dims.size() - 2] : StringRef();
  return std::make_unique<RemappingSpace>(dims.back(), rows, getShapes(columns),
                                          getLoopDepth(reference) > 0);
}
