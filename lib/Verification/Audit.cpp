// The audit: the reference on a few samples, and again with one input changed.
#include "evo/Verification/Audit.h"
#include "Reference.h"
#include "Trial.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Support/OwnDiagnostics.h"
#include "llvm/IR/LLVMContext.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

namespace {

/// Results closer to zero than this everywhere pass many a check as zeros.
constexpr double nearZero = 0.01;
/// An input is as good as a constant where the results differ by less.
constexpr double sameEnough = 1e-3;

/// An output of one run.
struct Output {
  ArgumentAttr arg;
  std::vector<int64_t> extents;
  std::vector<char> bytes;
  double at(uint64_t i) const {
    unsigned size = getElementBytes(arg.getElementType());
    const char *p = bytes.data() + i * size;
    return isa<FloatType>(arg.getElementType())
               ? decodeFloat(arg.getElementType(), p)
               : double(decodeInteger(arg.getElementType(), p));
  }
  uint64_t count() const {
    return bytes.size() / getElementBytes(arg.getElementType());
  }
};

/// What holds of one output in all samples so far.
struct OutputFacts {
  ArgumentAttr arg;
  bool isNearZero = true, ignoresSeed = true;
  SmallVector<bool> constantAlong;
  /// Axes that were ever longer than 1.
  SmallVector<bool> seen;
};

/// What holds of one input: whether results stay, all or nearly, when it is
/// drawn anew, or replaced by a constant.
struct InputFacts {
  ArgumentAttr arg;
  bool ignored = true, likeZeros = true, likeOnes = true, likeIdentity = true;
  bool square = false;
};

class Auditor {
public:
  Auditor(KernelOp kernel, const ExecutablePlan &reference, Random random)
      : kernel(kernel), reference(reference), random(random) {
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (arg.isWritten())
        outputs.push_back({arg, true, true, {}, {}});
      if (!arg.isBuffer() || arg.isRead())
        inputs.push_back({arg});
    }
  }
  /// False where the sample cannot be judged.
  LogicalResult trySizes(const Bindings &sizes);
  std::vector<std::string> report() const;
  unsigned samples = 0;
  std::optional<std::string> undecided; ///< why a sample could not be run
  std::string dropped; ///< why there are no values at some sizes

private:
  KernelOp kernel;
  const ExecutablePlan &reference;
  Random random;
  std::vector<OutputFacts> outputs;
  std::vector<InputFacts> inputs;

  FailureOr<std::vector<Output>> run(const TrialInputs &trial);
  void look(ArrayRef<Output> results, ArrayRef<Output> others);
  void change(InputFacts &facts, const TrialInputs &trial,
              ArrayRef<Output> results);
};

} // namespace

/// Fails where the reference does not run clean on these values: silently, with
/// `undecided` set, where it may be the engine's fault.
FailureOr<std::vector<Output>> Auditor::run(const TrialInputs &trial) {
  sim::Options options;
  options.limits.laneInstructions = 100'000'000;
  llvm::Expected<TrialRun> result = runTrial(reference, trial, options, 0);
  if (!result) {
    undecided = "the reference cannot be run at " + printBindings(trial.sizes) +
                ": " + llvm::toString(result.takeError());
    return failure();
  }
  if (!result->result.clean() &&
      sim::isNoFault(result->result.findings.front().kind)) {
    undecided = result->result.findings.front().str();
    return failure();
  }
  if (!result->result.clean())
    return referenceFault(kernel.emitError())
           << " at " << printBindings(trial.sizes) << ": "
           << result->result.findings.front().str();
  std::vector<Output> found;
  for (const TrialInputs::Buffer &buffer : trial.buffers) {
    if (!buffer.arg.isWritten())
      continue;
    Output output{buffer.arg, {}, {}};
    for (const IntExpr &dim : buffer.arg.getExtents())
      output.extents.push_back(llvm::cantFail(dim.evaluate(trial.sizes)));
    sim::BufferId id =
        result->values.buffers.lookup(buffer.arg.getName().getValue());
    const char *bytes = result->memory->bytes(id);
    output.bytes.assign(bytes, bytes + result->memory->spec(id).bytes);
    // What was not written is poison, and as good as zero here.
    unsigned size = getElementBytes(buffer.arg.getElementType());
    for (uint64_t i = 0; i < output.count(); ++i)
      if (!result->memory->isInitialized(id, i * size))
        std::memset(output.bytes.data() + i * size, 0, size);
    found.push_back(std::move(output));
  }
  return found;
}

static bool isConstantAlong(const Output &output, size_t axis) {
  uint64_t inner = 1;
  for (size_t i = axis + 1; i < output.extents.size(); ++i)
    inner *= output.extents[i];
  uint64_t extent = output.extents[axis];
  for (uint64_t i = 0; i < output.count(); ++i)
    if (i / inner % extent &&
        output.at(i) != output.at(i - inner * (i / inner % extent)))
      return false;
  return true;
}

static bool areEqual(ArrayRef<Output> a, ArrayRef<Output> b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
    return std::get<0>(pair).bytes == std::get<1>(pair).bytes;
  });
}

static bool areClose(ArrayRef<Output> a, ArrayRef<Output> b) {
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    double distance = 0, norm = 0;
    for (uint64_t i = 0; i < x.count(); ++i) {
      double difference = x.at(i) - y.at(i);
      if (!std::isfinite(difference))
        return false;
      distance += difference * difference;
      norm += x.at(i) * x.at(i);
    }
    if (distance > sameEnough * sameEnough * norm)
      return false;
  }
  return true;
}

void Auditor::look(ArrayRef<Output> results, ArrayRef<Output> others) {
  for (auto [facts, output, other] :
       llvm::zip_equal(outputs, results, others)) {
    for (uint64_t i = 0; i < output.count(); ++i)
      facts.isNearZero &= std::fabs(output.at(i)) < nearZero;
    facts.ignoresSeed &= output.bytes == other.bytes;
    facts.constantAlong.resize(output.extents.size(), true);
    facts.seen.resize(output.extents.size(), false);
    for (size_t axis = 0; axis < output.extents.size(); ++axis)
      if (output.extents[axis] > 1) {
        facts.seen[axis] = true;
        facts.constantAlong[axis] &= isConstantAlong(output, axis);
      }
  }
}

/// Fills with ones on the diagonal of the last two axes and zeros elsewhere, or
/// with `value` everywhere.
static void fill(TrialInputs::Buffer &buffer, std::optional<double> value,
                 uint64_t rowLength) {
  Type type = buffer.arg.getElementType();
  unsigned size = getElementBytes(type);
  for (uint64_t i = 0; i < buffer.elements; ++i) {
    uint64_t within = i % (rowLength * rowLength);
    double v = value ? *value : within / rowLength == within % rowLength;
    encodeFloat(type, v, buffer.contents.data() + i * size);
  }
}

void Auditor::change(InputFacts &facts, const TrialInputs &trial,
                     ArrayRef<Output> results) {
  StringRef name = facts.arg.getName().getValue();
  Type type = facts.arg.getElementType();
  // A change after which the reference fails shows that the input matters.
  auto attempt = [&](const TrialInputs &changed, auto same) {
    OwnDiagnosticHandler quiet(kernel.getContext(),
                               [](Diagnostic &) { return success(); });
    FailureOr<std::vector<Output>> other = run(changed);
    return succeeded(other) && same(results, *other);
  };
  TrialInputs changed = trial;
  if (!facts.arg.isBuffer()) {
    if (!isa<FloatType>(type)) {
      facts.ignored = false; // sizes are not values
      return;
    }
    changed.floats[name] =
        fitDomain(trial.floats.lookup(name) + 0.75, facts.arg.getDomain());
    facts.ignored &= changed.floats[name] == trial.floats.lookup(name) ||
                     attempt(changed, areEqual);
    return;
  }
  auto find = [&](TrialInputs &inputs) -> TrialInputs::Buffer & {
    return *llvm::find_if(inputs.buffers, [&](const auto &buffer) {
      return buffer.arg == facts.arg;
    });
  };
  TrialInputs::Buffer &buffer = find(changed);
  uint64_t rowLength = 1, rows = 1;
  for (const IntExpr &dim : facts.arg.getExtents()) {
    rows = rowLength;
    rowLength = llvm::cantFail(dim.evaluate(trial.sizes));
  }
  llvm::Expected<std::vector<char>> drawn =
      sampleValues(facts.arg, buffer.elements, rowLength, trial.sizes,
                   Distribution::Uniform, random);
  if (!drawn)
    return llvm::consumeError(drawn.takeError());
  // A domain of one value gives the same again; zeros are another.
  bool isSame = buffer.contents == *drawn;
  buffer.contents = std::move(*drawn);
  if (isSame && isa<FloatType>(type))
    fill(buffer, 0, 1);
  facts.ignored &= attempt(changed, areEqual);
  if (!isa<FloatType>(type)) {
    facts.likeZeros = facts.likeOnes = facts.likeIdentity = false;
    return;
  }
  fill(buffer, 0, 1);
  facts.likeZeros = facts.likeZeros && attempt(changed, areClose);
  fill(buffer, 1, 1);
  facts.likeOnes = facts.likeOnes && attempt(changed, areClose);
  bool square = facts.arg.getDimStrings().size() >= 2 && rows == rowLength &&
                rowLength > 1;
  facts.square |= square;
  if (square) {
    fill(buffer, std::nullopt, rowLength);
    facts.likeIdentity = facts.likeIdentity && attempt(changed, areClose);
  }
}

LogicalResult Auditor::trySizes(const Bindings &sizes) {
  undecided.reset();
  // All results are kept, several times over.
  constexpr double maxElements = 1 << 26;
  if (largestBuffer(kernel, sizes) > maxElements) {
    undecided = "a buffer at " + printBindings(sizes) +
                " has too many elements to be looked through";
    return success();
  }
  std::optional<TrialInputs> trials[2];
  FailureOr<std::vector<Output>> results[2];
  for (unsigned i : {0, 1}) {
    llvm::Expected<TrialInputs> drawn = drawInputs(
        kernel, sizes, i ? Distribution::Uniform : Distribution::Normal, {},
        random.split(), /*generic=*/true);
    if (!drawn) {
      dropped = "at " + printBindings(sizes) + " " +
                llvm::toString(drawn.takeError());
      return success();
    }
    trials[i] = std::move(*drawn);
    results[i] = run(*trials[i]);
    if (failed(results[i]))
      return failure(/*isFailure=*/!undecided);
  }
  ++samples;
  look(*results[0], *results[1]);
  look(*results[1], *results[0]);
  for (InputFacts &input : inputs)
    change(input, *trials[0], *results[0]);
  return success();
}

std::vector<std::string> Auditor::report() const {
  std::vector<std::string> lines;
  auto quote = [](ArgumentAttr arg) {
    return "'" + arg.getName().getValue().str() + "'";
  };
  for (const OutputFacts &output : outputs) {
    std::string name = quote(output.arg);
    if (output.isNearZero)
      lines.push_back(name + " lies within (-0.01, 0.01) everywhere: zeros are "
                             "nearly right");
    if (output.ignoresSeed)
      lines.push_back(name + " is the same whatever the inputs hold");
    // A scalar in effect is constant along all axes: said once.
    for (auto [axis, dim] : llvm::enumerate(output.arg.getDimStrings()))
      if (!output.ignoresSeed && output.seen[axis] &&
          output.constantAlong[axis])
        lines.push_back(name + " is constant along '" + dim.str() +
                        "': one of its elements tells the others");
  }
  for (const InputFacts &input : inputs) {
    std::string name = quote(input.arg);
    if (input.ignored) {
      lines.push_back("nothing depends on " + name);
      continue;
    }
    if (!input.arg.isBuffer())
      continue;
    for (auto [like, what] :
         {std::pair(input.likeZeros, "zeros"),
          std::pair(input.likeOnes, "ones"),
          std::pair(input.square && input.likeIdentity, "the identity")})
      if (like)
        lines.push_back(name + " does what " + what +
                        " would do, so it can be left out");
  }
  return lines;
}

FailureOr<AuditReport> evo::auditContract(KernelOp kernel,
                                          TargetAttrInterface target,
                                          uint64_t seed,
                                          DeviceBuilder &builder) {
  llvm::LLVMContext context;
  std::optional<std::string> cannotRun;
  FailureOr<ExecutablePlan> reference =
      prepareReference(kernel, target, builder, context, cannotRun);
  if (failed(reference)) {
    if (!cannotRun)
      return failure();
    return AuditReport{{}, cannotRun};
  }
  constexpr unsigned shapes = 3;
  constexpr int64_t workLimit = 20'000;
  Random random(seed);
  auto work = [&](const Bindings &sizes) {
    double product = 1;
    for (StringRef dim : kernel.getDimensionNames())
      product *= std::max<int64_t>(1, sizes.lookup(dim));
    double threads = double(reference->countThreads(sizes));
    return static_cast<int64_t>(std::min(1e18, std::max(product, threads)));
  };
  // Those of ten that cost most: coincidences live in small shapes.
  std::vector<Bindings> sizes =
      sampleShapes(kernel, kernel.getReference(), reference->getConstants(),
                   target, 10, workLimit, work, random.split());
  Auditor auditor(kernel, *reference, random.split());
  for (const Bindings &shape : llvm::reverse(sizes)) {
    if (!reference->launchesBlocks(shape))
      continue;
    if (failed(auditor.trySizes(shape)))
      return failure();
    if (auditor.samples == shapes)
      break;
  }
  if (!auditor.samples && auditor.undecided)
    return AuditReport{{}, auditor.undecided};
  if (!auditor.samples)
    return kernel.emitError("no sizes were found that satisfy the requirements "
                            "and run clean")
           << (auditor.dropped.empty() ? "" : "; ") << auditor.dropped;
  return AuditReport{auditor.report(), std::nullopt};
}
