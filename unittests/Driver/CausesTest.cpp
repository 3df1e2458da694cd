// What the last lines of a search without a winner say: causes told apart by
// data, counted, the most frequent first, each with what to do about it.
#include "Driver/Causes.h"
#include "evo/Interfaces/Faults.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;

namespace {
constexpr llvm::StringLiteral text = R"mlir(
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.proposal @a "cuda" "" by "me" failed at "materialize" with "a.cu:1: no\nmore"
  evo.proposal @b "cuda" "" by "me" failed at "materialize" with "b.cu:7: other words"
  evo.proposal @c "cuda" "" by "me" failed at "duplicate" with "the same code as a"
  evo.proposal @d "cuda" "" by "me" failed at "evo-verify" with "ran out of memory" {evo.fault = "out-of-memory"}
  evo.proposal @e "cuda" "" by "me" failed at "evo-verify" with "ran out of time" {evo.fault = "out-of-time"}
  evo.proposal @f "cuda" "" by "me" failed at "materialize" with "no plain mapping" {evo.fault = "unsupported"}
  evo.proposal @m "cuda" "" by "me" failed at "evo-verify" with "killed by signal 6" {evo.fault = "crashed"}
  evo.variant @g evidence <refuted hash = "1" details = {message = "y[0]", reason = "different-result"}> {}
  evo.variant @h evidence <refuted hash = "2" details = {message = "y[1]", reason = "different-result"}> {}
  evo.variant @i evidence <refuted hash = "3" details = {message = "y[2]", reason = "different-result"}> {}
  evo.variant @j evidence <refuted hash = "4" details = {message = "too long", reason = "budget-exceeded"}> {}
  evo.variant @k evidence <unsupported hash = "5" details = {message = "%pm0", reason = "unsupported"}> {}
  evo.variant @n evidence <refuted hash = "7" details = {message = "says another version", reason = "of-another-version"}> {}
  evo.variant @l evidence <exact hash = "6" details = {}> {}
}
)mlir";

constexpr llvm::StringLiteral expected = R"(no variant was accepted
     3 refuted: different-result (g: y[0])
     2 not built in materialize (a: a.cu:1: no)
     1 not tried in duplicate (c: the same code as a)
     1 undecided: out-of-memory in evo-verify (d: ran out of memory)
     1 undecided: out-of-time in evo-verify (e: ran out of time)
     1 undecided: unsupported in materialize (f: no plain mapping)
     1 undecided: crashed in evo-verify (m: killed by signal 6)
     1 refuted: budget-exceeded (j: too long)
     1 undecided: unsupported (k: %pm0)
     1 refuted: of-another-version (n: says another version)
what to do about different-result: where the kernel as it is is refuted, its contract promises more than it keeps: look at domains, evo.require and evo.accuracy
what to do about out-of-memory: use a machine with more memory, or fewer --jobs
what to do about out-of-time: judge it by itself, with 'verify --seconds'
what to do about unsupported: write what is named with other operations; docs/Limits.md has more
what to do about crashed: this is a defect of the tool, not of the kernel: please report it with the file
what to do about budget-exceeded: state smaller sizes with evo.workload
)";

std::string printed(StringRef source, std::string stopped = "") {
  MLIRContext context;
  context.loadDialect<EvoDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      source, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return "";
  SearchSummary summary;
  if (!stopped.empty())
    summary.stopped = {StopReason::Exhausted, std::move(stopped)};
  std::string text;
  llvm::raw_string_ostream os(text);
  printCauses(os, *module->getOps<KernelOp>().begin(), summary);
  return text;
}

TEST(Causes, AreCountedAndAdvisedOn) {
  EXPECT_EQ(printed(text), expected.str());
}

TEST(Causes, OfNothingTriedIsWhyItEnded) {
  EXPECT_EQ(printed("evo.kernel @k args [#evo.arg<\"y\" out f32 [\"N\"]>] {}",
                    "the proposer has no more ideas\nat all"),
            "no variant was accepted; the search ended early: the proposer has "
            "no more ideas\n");
}
} // namespace
