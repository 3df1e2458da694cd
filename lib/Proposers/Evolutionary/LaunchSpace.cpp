// The space of a lifted launch plan: what can be changed without knowing what
// the kernel computes.
#include "Space.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

bool evo::exchanges(ReferenceOp reference) {
  WalkResult result = reference.walk([](Operation *op) {
    constexpr unsigned sharedSpace = 3;
    auto global = dyn_cast<LLVM::GlobalOp>(op);
    const device::DeviceOp *known =
        device::lookupNVVM(op->getName().getStringRef());
    bool found =
        (global && global.getAddrSpace() == sharedSpace) ||
        (known && (known->scope == device::Scope::Warp ||
                   known->scope == device::Scope::Block || known->isAsync));
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Innermost extents of the contract's matrices that are plain names: where
/// they are divisible by four, rows start where wide accesses may.
static std::vector<std::string> getRowLengths(KernelOp kernel) {
  std::vector<std::string> names;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    SmallVector<StringRef> dims = arg.getDimStrings();
    if (dims.size() < 2)
      continue;
    std::string name =
        llvm::cantFail(IntExpr::parse(dims.back())).getAsName().str();
    if (!name.empty() && !llvm::is_contained(names, name))
      names.push_back(name);
  }
  return names;
}

/// `N == n` for each dimension N that the plan's kernels are told, n being that
/// of the first workload. Each by itself, so that it can still be tried at
/// small sizes of the others; and only such as a loop may run through.
static std::vector<std::string> getKnownSizes(KernelOp kernel,
                                              ReferenceOp reference) {
  constexpr int64_t most = 1 << 16;
  std::vector<std::string> conditions;
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!workloads || workloads.empty())
    return conditions;
  auto sizes = cast<WorkloadAttr>(workloads[0]).getSizes();
  for (StringRef name : kernel.getDimensionNames()) {
    auto value = dyn_cast_or_null<IntegerAttr>(sizes.get(name));
    bool isTold = llvm::any_of(
        reference.getBody().getOps<LaunchOp>(), [&](LaunchOp launch) {
          return llvm::any_of(
              launch.getArgs().getAsRange<StringAttr>(),
              [&](StringAttr text) { return text.getValue() == name; });
        });
    if (value && isTold && value.getInt() <= most)
      conditions.push_back(name.str() +
                           " == " + std::to_string(value.getInt()));
  }
  // The innermost extents, which most loops run through, come first.
  std::reverse(conditions.begin(), conditions.end());
  return conditions;
}

/// Whether threads of the plan join values into memory.
static bool joins(ReferenceOp reference) {
  return reference
      .walk([](LLVM::AtomicRMWOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The extents of the block of `launch`; none where they are no literals.
static std::optional<SmallVector<int64_t>> getBlock(LaunchOp launch) {
  SmallVector<int64_t> block;
  for (auto text : launch.getBlock().getAsRange<StringAttr>()) {
    int64_t extent;
    if (text.getValue().getAsInteger(10, extent))
      return std::nullopt;
    block.push_back(extent);
  }
  return block;
}

/// The launch with the most threads at the first workload of those with a
/// literal block, the first of equals; null where none has one.
static LaunchOp findMain(KernelOp kernel, ReferenceOp reference) {
  Bindings sizes;
  if (ArrayAttr workloads = kernel.getWorkloadsAttr();
      workloads && !workloads.empty())
    sizes = evo::getWorkloadSizes(kernel, cast<WorkloadAttr>(workloads[0]));
  LaunchOp main;
  double most = 0;
  for (auto launch : reference.getBody().getOps<LaunchOp>()) {
    auto block = getBlock(launch);
    if (!block)
      continue;
    double threads = double((*block)[0]) * (*block)[1] * (*block)[2];
    for (auto text : launch.getGrid().getAsRange<StringAttr>()) {
      llvm::Expected<int64_t> extent =
          llvm::cantFail(IntExpr::parse(text.getValue())).evaluate(sizes);
      if (extent)
        threads *= double(*extent);
      else
        llvm::consumeError(extent.takeError());
    }
    if (!main || threads > most) {
      main = launch;
      most = threads;
    }
  }
  return main;
}

namespace {
class LaunchSpace : public Space {
public:
  /// Of the plan's kernel `only`, or of its one kernel.
  LaunchSpace(ArrayRef<int64_t> block, StringRef only, bool exchanges,
              bool joins, bool hasLayers, bool hasLoops,
              std::vector<std::string> rows,
              const std::vector<std::string> &sizes)
      : only(only), rowLengths(std::move(rows)), hasLoops(hasLoops),
        isPlane(block[1] > 1) {
    name = "launch";
    // Then only blocks are worth coarsening.
    if (!exchanges)
      knobs.push_back({"threads", isPlane ? planeFactors() : lineFactors()});
    knobs.push_back({"block", blockShapes(block)});
    // Of a grid of layers one thread thick, so many for each thread.
    if (hasLayers && !exchanges)
      knobs.push_back({"layers", {"1", "4", "2", "8"}});
    if (joins && !exchanges)
      knobs.push_back({"own", {"no", "yes"}});
    if (!rowLengths.empty())
      knobs.push_back({"rows", {"any", "4"}});
    knobs.push_back({"unroll", {"default", "1", "2", "4", "8", "16"}});
    knobs.push_back({"blocks", {"1 1 1", "2 1 1", "4 1 1"}});
    if (isPlane)
      knobs.back().values.push_back("1 2 1");
    if (joins && !exchanges)
      llvm::append_range(knobs.back().values, ArrayRef(manyBlocks));
    knobs.push_back({"maxnreg", {"none", "32", "48", "64", "96", "128"}});
    knobs.push_back({"spread", {"near", "strided"}});
    knobs.push_back({"bounds", {"no", "yes"}});
    knobs.push_back({"codegen", {"llvm", "nvrtc"}});
    // A size that is known is worth something to loops alone.
    if (hasLoops && !sizes.empty()) {
      knobs.push_back({"size", {"any"}});
      llvm::append_range(knobs.back().values, sizes);
    }
  }

  /// Where neither a loop nor a plane of threads goes along a row, rows that
  /// start where wide accesses may are worth something to threads with several
  /// neighbouring elements alone.
  Point vary(const Knob &knob, const std::string &value) const override {
    Point point = Space::vary(knob, value);
    if (knob.name == "rows" && !hasLoops && !isPlane && point.count("threads"))
      point["threads"] = knobs.front().values[1];
    // What a block has of its own is worth something where it does much.
    if (knob.name == "own") {
      point["blocks"] = manyBlocks[0];
      if (!isPlane)
        point["block"] = "1024 1 1";
      point["threads"] = knobs.front().values[1];
    }
    return point;
  }

  bool isSensible(const Point &point) const override {
    bool isCoarser = get(point, "threads") != "1 1 1";
    int64_t layers = parse(get(point, "layers")).front();
    bool isFewer = get(point, "blocks") != "1 1 1";
    // Without coarsening there is nothing to spread.
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
    if (threads < 32 || threads > 1024 ||
        llvm::product_of(factors) * layers > maxCopies)
      return false;
    // NVRTC compiles the source as it stands.
    return get(point, "codegen") == "llvm" ||
           (!isCoarser && !isFewer && layers == 1 &&
            get(point, "rows") == "any" && get(point, "size") == "any" &&
            get(point, "unroll") == "default" && get(point, "bounds") == "no" &&
            get(point, "own") == "no");
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
                layers = parse(get(point, "layers")).front() == 1
                             ? ""
                             : get(point, "layers");
    if (!layers.empty()) {
      text += "stack 1 1 " + layers + "\n";
      threads.back() = layers.front();
    }
    if (threads != "1 1 1")
      text += "coarsen-threads " + threads + spread;
    if (!layers.empty())
      text += "reuse\n";
    if (get(point, "blocks") != "1 1 1")
      text += "coarsen-blocks " + get(point, "blocks") + spread;
    if (get(point, "own") == "yes")
      text += "privatize\n";
    if (get(point, "unroll") != "default")
      text += "unroll " + get(point, "unroll") + "\n";
    if (get(point, "bounds") == "yes")
      text += "bounds\n";
    NamedAttrList options;
    if (get(point, "maxnreg") != "none")
      options.append("maxnreg",
                     b.getI64IntegerAttr(std::stoll(get(point, "maxnreg"))));
    if (get(point, "codegen") != "llvm")
      options.append("codegen", b.getStringAttr(get(point, "codegen")));
    return createProposal(b, kernel, symbol, "options", text, options, point,
                          parent);
  }

private:
  static constexpr const char *manyBlocks[] = {"64 1 1", "16 1 1"};
  std::string only;
  std::vector<std::string> rowLengths;
  bool hasLoops, isPlane;

  /// The value of a knob; of one that this kernel lacks, the usual one.
  static std::string get(const Point &point, const std::string &knob) {
    auto it = point.find(knob);
    if (it != point.end())
      return it->second;
    return knob == "rows" || knob == "size" ? "any"
           : knob == "own"                  ? "no"
           : knob == "layers"               ? "1"
                                            : "1 1 1";
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

  static std::vector<std::string> lineFactors() {
    return {"1 1 1", "4 1 1", "2 1 1", "8 1 1", "16 1 1"};
  }
  static std::vector<std::string> planeFactors() {
    return {"1 1 1", "4 4 1", "1 4 1", "4 1 1", "2 2 1",
            "4 2 1", "1 8 1", "4 8 1", "2 8 1", "8 8 1"};
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
      // Narrow ones suit what reads rows and writes columns; the larger ones
      // are for threads that do the work of several.
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
  bool hasLayers = block[1] > 1 && block[2] == 1 &&
                   cast<StringAttr>(main.getGrid()[2]).getValue() != "1";
  return std::make_unique<LaunchSpace>(
      block,
      isOnly ? StringRef() : main.getCallee().getLeafReference().getValue(),
      exchanges(reference), joins(reference), hasLayers,
      getLoopDepth(reference) > 0, getRowLengths(kernel),
      getKnownSizes(kernel, reference));
}
