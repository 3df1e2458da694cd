// Where the low bits of addresses may decide, each position of each buffer
// within the alignment that code asks about is run: from what the contract
// promises to 128 bytes. Any two buffers meet in every pair of positions.
#include "Verification/Checks/Registry.h"
#include "Verification/SampleRunner.h"
#include "evo/Analysis/AddressControl.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace evo;

/// The product of two polynomials over the field of two elements modulo
/// x^3 + x + 1: the field of eight elements.
static unsigned multiply(unsigned a, unsigned b) {
  unsigned product = 0;
  for (unsigned bit = 0; bit < 3; ++bit)
    if (b >> bit & 1)
      product ^= a << bit;
  for (unsigned bit = 4; bit >= 3; --bit)
    if (product >> bit & 1)
      product ^= 0b1011u << (bit - 3);
  return product;
}

/// Which of `positions` buffer `column` is at in run `row`. Of eight or fewer
/// the rows 0 to 63 have every pair of positions of any two of nine buffers (an
/// orthogonal array); of more, every position of each buffer comes up.
static unsigned positionOf(unsigned row, unsigned column, unsigned positions) {
  if (positions > 8)
    return (row * (2 * column + 1) + row / positions) % positions;
  const unsigned high = row / 8 % 8, low = row % 8;
  column %= 9;
  return (column == 0 ? low : high ^ multiply(column - 1, low)) % positions;
}

/// Whether code makes numbers of addresses.
static bool looksAtAddresses(LaunchPlanOpInterface plan) {
  return plan
      ->walk([](Operation *op) {
        return isa<LLVM::PtrToIntOp, memref::ExtractAlignedPointerAsIndexOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// All positions, with data of one kind.
static LogicalResult tryPositions(VerificationState &state,
                                  const Bindings &sizes,
                                  Distribution distribution, Random &random) {
  llvm::Expected<TrialInputs> inputs =
      drawInputs(state.kernel, sizes, distribution, {}, random.split());
  if (!inputs)
    return llvm::consumeError(inputs.takeError()), success();
  SampleKind kind;
  kind.values = getDistributionName(distribution);
  kind.mayFail = true;
  SampleRunner runner(state);
  FailureOr<std::unique_ptr<TrialRun>> wanted =
      runner.runReference(*inputs, kind);
  if (failed(wanted))
    return failure();
  if (!*wanted)
    return success();
  unsigned max = 1;
  for (const TrialInputs::Buffer &buffer : inputs->buffers)
    max = std::max<unsigned>(max,
                             sim::maxAskedAlignment /
                                 std::max<uint64_t>(1, buffer.arg.getAlign()));
  const unsigned rows = max == 1 ? 0 : std::max(64u, max);
  for (unsigned row = 0; row < rows && !state.isDecided(); ++row) {
    for (auto [column, buffer] : llvm::enumerate(inputs->buffers)) {
      const uint64_t align = std::max<uint64_t>(1, buffer.arg.getAlign());
      const unsigned positions =
          std::max<uint64_t>(1, sim::maxAskedAlignment / align);
      buffer.alignmentOffset = align * positionOf(row, column, positions);
    }
    std::optional<TrialRun> got =
        runner.runCandidate(*state.postOptimised, *inputs,
                            state.engineOptions(), Accidents::draw(random));
    if (got)
      runner.compare(*inputs, **wanted, *got);
    if (state.refutation)
      runner.locateRefutation(*inputs, kind.values);
  }
  return success();
}

static LogicalResult run(VerificationState &state, Budget) {
  Random random(state.drawSeed());
  if (!looksAtAddresses(state.plan) || state.tried.isEmpty())
    return success();
  const Bindings sizes = state.tried.takeCheap();
  // A formula of another way may be near enough on usual data alone.
  for (Distribution distribution :
       {Distribution::Normal, Distribution::Tiny, Distribution::Large})
    if (failed(tryPositions(state, sizes, distribution, random)))
      return failure();
  return success();
}

constexpr Check evo::checks::alignments = {
    "alignments",
    "other results where a buffer begins at another place within 128 bytes, "
    "for code that makes numbers of its addresses",
    "three times 64 runs of one cheap shape or more, where addresses are "
    "looked at",
    Effort::Quick,
    /*isEssential=*/false,
    {},
    run};
