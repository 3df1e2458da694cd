// The space of a lifted launch plan: block shape, coarsening, unrolling and
// options of the code generators.
#include "Space.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Lowering/DeviceOperations.h"
#include "evo/Lowering/ForNVRTC.h"
#include "evo/Target/AddressSpace.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

bool evo::communicates(ReferenceOp reference) {
  WalkResult result = reference.walk([](Operation *op) {
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    bool found = global && global.getAddrSpace() == target::Shared;
    forEachDeviceOperation(op, [&](const device::Operation &operation) {
      const device::DeviceOp *known = operation.op;
      found |=
          known && (known->scope == device::Scope::Warp ||
                    known->scope == device::Scope::Block || known->isAsync);
    });
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Innermost extents of the contract's matrices that are plain names: if they
/// are divisible by four, rows are aligned for vector accesses.
static std::vector<std::string> getRowLengths(KernelOp kernel) {
  std::vector<std::string> names;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    SmallVector<IntExpr> dims = arg.getExtents();
    if (dims.size() < 2)
      continue;
    std::string name = dims.back().getAsName().str();
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return names;
}

/// `N == n` for each dimension N that is passed to the plan's kernels, n being
/// that of the first workload. Each is a value by itself, so that it can be
/// tested at small sizes of the others; only sizes that a loop may run through.
static std::vector<std::string> getKnownSizes(KernelOp kernel,
                                              ReferenceOp reference) {
  constexpr int64_t maxSize = 1 << 16;
  std::vector<std::string> conditions;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return conditions;
  auto sizes = cast<WorkloadAttr>(workloads[0]).getSizes();
  for (StringRef name : kernel.getDimensionNames()) {
    auto value = dyn_cast_or_null<IntegerAttr>(sizes.get(name));
    bool isPassed = llvm::any_of(
        reference.getBody().getOps<LaunchOp>(), [&](LaunchOp launch) {
          return llvm::any_of(
              launch.getArgs().getAsRange<ExprAttr>(),
              [&](ExprAttr arg) { return arg.getValue().getAsName() == name; });
        });
    if (value && isPassed && value.getInt() <= maxSize)
      conditions.push_back(name.str() +
                           " == " + std::to_string(value.getInt()));
  }
  // The innermost extents first: loops usually run through these.
  std::reverse(conditions.begin(), conditions.end());
  return conditions;
}

/// Whether threads of the plan use atomics of the kind that can be privatised:
/// neither exchanges that compare nor those of inline PTX are.
static bool hasAtomics(ReferenceOp reference) {
  return reference
      .walk([](LLVM::AtomicRMWOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The extents of the block of `launch`; none if they are no literals.
static std::optional<SmallVector<int64_t>> getBlock(LaunchOp launch) {
  SmallVector<int64_t> block;
  for (auto expr : launch.getBlock().getAsRange<ExprAttr>()) {
    std::optional<int64_t> extent = expr.getValue().getAsConstant();
    if (!extent)
      return std::nullopt;
    block.push_back(*extent);
  }
  return block;
}

/// The launch with the most threads at the first workload of those with a
/// literal block, the first of equals; null if none has one.
static LaunchOp findMain(KernelOp kernel, ReferenceOp reference) {
  Bindings sizes;
  if (ArrayAttr workloads = kernel.getWorkloadsAttr();
      workloads && !workloads.empty())
    sizes = evo::getWorkloadSizes(kernel, cast<WorkloadAttr>(workloads[0]));
  LaunchOp main;
  double maxThreads = 0;
  for (auto launch : reference.getBody().getOps<LaunchOp>()) {
    auto block = getBlock(launch);
    if (!block)
      continue;
    double threads = double((*block)[0]) * (*block)[1] * (*block)[2];
    for (auto expr : launch.getGrid().getAsRange<ExprAttr>()) {
      llvm::Expected<int64_t> extent = expr.getValue().evaluate(sizes);
      if (extent)
        threads *= double(*extent);
      else
        llvm::consumeError(extent.takeError());
    }
    if (!main || threads > maxThreads) {
      main = launch;
      maxThreads = threads;
    }
  }
  return main;
}

namespace {
class LaunchSpace : public Space {
public:
  /// Of the plan's kernel `only`, or of its one kernel.
  LaunchSpace(ArrayRef<int64_t> block, StringRef only, bool communicates,
              bool hasAtomics, bool canMerge, bool hasLoops, bool isForNVRTC,
              std::vector<std::string> rows,
              const std::vector<std::string> &sizes)
      : only(only), rowLengths(std::move(rows)), hasLoops(hasLoops),
        is2D(block[1] > 1) {
    name = "launch";
    // Threads that communicate cannot be coarsened, only their blocks.
    if (!communicates)
      knobs.push_back({"threads", is2D ? factors2D() : factors1D()});
    knobs.push_back({"block", blockShapes(block)});
    // Blocks with one thread along z are merged, one thread doing so many.
    if (canMerge && !communicates)
      knobs.push_back({"merge", {"1", "4", "2", "8"}});
    if (hasAtomics && !communicates)
      knobs.push_back({"privatize", {"no", "yes"}});
    if (!rowLengths.empty())
      knobs.push_back({"rows", {"any", "4"}});
    knobs.push_back({"unroll", {"default", "1", "2", "4", "8", "16"}});
    knobs.push_back({"blocks", {noFactors, "2 1 1", "4 1 1"}});
    if (is2D)
      knobs.back().values.push_back("1 2 1");
    if (hasAtomics && !communicates)
      llvm::append_range(knobs.back().values, ArrayRef(manyBlocks));
    knobs.push_back({"maxnreg", {"none", "32", "48", "64", "96", "128"}});
    knobs.push_back({"spread", {"near", "strided"}});
    knobs.push_back({"bounds", {"no", "yes"}});
    knobs.push_back({"codegen", {llvmGenerator.str()}});
    if (isForNVRTC)
      knobs.back().values.push_back(nvrtcGenerator.str());
    // A known size helps only loops.
    if (hasLoops && !sizes.empty()) {
      knobs.push_back({"size", {"any"}});
      llvm::append_range(knobs.back().values, sizes);
    }
  }

  /// Without loops and 2-D blocks, aligned rows help only threads that have
  /// several neighbouring elements.
  Point vary(const Point &from, const Knob &knob,
             const std::string &value) const override {
    Point point = Space::vary(from, knob, value);
    if (knob.name == "rows" && !hasLoops && !is2D && point.count("threads"))
      point["threads"] = knobs.front().values[1];
    // Private copies pay only for blocks that do much work.
    if (knob.name == "privatize") {
      point["blocks"] = manyBlocks[0];
      if (!is2D)
        point["block"] = "1024 1 1";
      point["threads"] = knobs.front().values[1];
    }
    return point;
  }

  bool isSensible(const Point &point) const override {
    bool isCoarser = get(point, "threads") != noFactors;
    int64_t merged = parse(get(point, "merge")).front();
    bool isFewer = get(point, "blocks") != noFactors;
    // Only coarsening can be strided.
    if (get(point, "spread") == "strided" && !isCoarser && !isFewer)
      return false;
    SmallVector<int64_t> block = parse(get(point, "block"));
    SmallVector<int64_t> factors = parse(get(point, "threads"));
    int64_t threads = 1;
    for (auto [extent, factor] : llvm::zip_equal(block, factors)) {
      if (extent % factor)
        return false;
      threads *= extent / factor;
    }
    constexpr int64_t maxCopies = 64;
    if (threads < target::warpSize ||
        threads > target::TargetInfo::maxThreadsPerBlock ||
        llvm::product_of(factors) * merged > maxCopies)
      return false;
    // NVRTC compiles the unchanged source.
    return get(point, "codegen") == llvmGenerator ||
           (!isCoarser && !isFewer && merged == 1 &&
            get(point, "rows") == "any" && get(point, "size") == "any" &&
            get(point, "unroll") == "default" && get(point, "bounds") == "no" &&
            get(point, "privatize") == "no");
  }

  ProposalOp propose(OpBuilder &b, KernelOp kernel, StringRef symbol,
                     const Point &point, StringRef parent) const override {
    std::string text = only.empty() ? "" : "only " + only + "\n";
    text += "block " + get(point, "block") + "\n";
    if (get(point, "rows") != "any")
      for (const std::string &length : rowLengths)
        text += "require " + length + " % " + get(point, "rows") + " == 0\n";
    if (get(point, "size") != "any")
      text += "require " + get(point, "size") + "\n";
    std::string spread =
        get(point, "spread") == "strided" ? " strided\n" : "\n";
    std::string threads = get(point, "threads"),
                merged = parse(get(point, "merge")).front() == 1
                             ? ""
                             : get(point, "merge");
    if (!merged.empty()) {
      text += "merge-blocks 1 1 " + merged + "\n";
      threads.back() = merged.front();
    }
    if (threads != noFactors)
      text += "coarsen-threads " + threads + spread;
    if (!merged.empty())
      text += "eliminate-loads\n";
    if (get(point, "blocks") != noFactors)
      text += "coarsen-blocks " + get(point, "blocks") + spread;
    if (get(point, "privatize") == "yes")
      text += "privatize\n";
    if (get(point, "unroll") != "default")
      text += "unroll " + get(point, "unroll") + "\n";
    if (get(point, "bounds") == "yes")
      text += "bounds\n";
    NamedAttrList options;
    if (get(point, "maxnreg") != "none")
      options.append("maxnreg",
                     b.getI64IntegerAttr(std::stoll(get(point, "maxnreg"))));
    // Said of a kernel that has it otherwise, too.
    DictionaryAttr own = kernel.getReference().getOptionsAttr();
    if (get(point, "codegen") != llvmGenerator || (own && own.get("codegen")))
      options.append("codegen", b.getStringAttr(get(point, "codegen")));
    return createProposal(b, kernel, symbol, Genome::Options, text, options,
                          point, parent);
  }

private:
  static constexpr const char *noFactors = "1 1 1"; // nothing is coarsened
  static constexpr const char *manyBlocks[] = {"64 1 1", "16 1 1"};
  std::string only;
  std::vector<std::string> rowLengths;
  bool hasLoops, is2D;

  /// The value of a knob; of one that this kernel lacks, the default.
  static std::string get(const Point &point, const std::string &knob) {
    auto it = point.find(knob);
    if (it != point.end())
      return it->second;
    return knob == "rows" || knob == "size" ? "any"
           : knob == "privatize"            ? "no"
           : knob == "merge"                ? "1"
                                            : noFactors;
  }

  static SmallVector<int64_t> parse(StringRef text) {
    SmallVector<int64_t> numbers;
    SmallVector<StringRef> words;
    text.split(words, ' ');
    for (StringRef word : words) {
      numbers.push_back(1);
      word.getAsInteger(10, numbers.back());
    }
    return numbers;
  }

  static std::vector<std::string> factors1D() {
    return {noFactors, "4 1 1", "2 1 1", "8 1 1", "16 1 1"};
  }
  static std::vector<std::string> factors2D() {
    return {noFactors, "4 4 1", "1 4 1", "4 1 1", "2 2 1",
            "4 2 1",   "1 8 1", "4 8 1", "2 8 1", "8 8 1"};
  }

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
      for (int64_t x : {128, 256, 512, 64, 1024, 32})
        add(x, 1);
    else
      // Narrow ones suit transpositions; the larger ones are for coarsened
      // threads.
      for (auto [x, y] : {std::pair(8, 32),
                          {32, 4},
                          {32, 8},
                          {64, 32},
                          {32, 32},
                          {64, 64},
                          {64, 16},
                          {16, 8},
                          {16, 16},
                          {32, 16},
                          {64, 4},
                          {128, 2},
                          {128, 32}})
        add(x, y);
    return shapes;
  }
};
} // namespace

std::unique_ptr<Space> evo::createLaunchSpace(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!reference || !reference.isLaunchPlan())
    return nullptr;
  LaunchOp main = findMain(kernel, reference);
  if (!main)
    return nullptr;
  bool isOnly = llvm::hasSingleElement(reference.getBody().getOps<LaunchOp>());
  SmallVector<int64_t> block = *getBlock(main);
  bool canMerge =
      block[1] > 1 && block[2] == 1 &&
      cast<ExprAttr>(main.getGrid()[2]).getValue().getAsConstant() != 1;
  return std::make_unique<LaunchSpace>(
      block,
      isOnly ? StringRef() : main.getCallee().getLeafReference().getValue(),
      communicates(reference), hasAtomics(reference), canMerge,
      getLoopDepth(reference) > 0,
      reference.getSourceAttr() && !getWhyNotNVRTC(reference),
      getRowLengths(kernel), getKnownSizes(kernel, reference));
}
