// The kind of a failure travels beside its text, and whatever the text says.
#include "evo/Interfaces/Faults.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {
class Faults : public ::testing::Test {
protected:
  Faults() { context.loadDialect<EvoDialect>(); }

  mlir::InFlightDiagnostic error() {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string text;
  FaultKind kind = FaultKind::Crashed;
  mlir::ScopedDiagnosticHandler handler{&context,
                                        [this](mlir::Diagnostic &diag) {
                                          text = diag.str();
                                          kind = faultOf(diag);
                                          return mlir::success();
                                        }};
};

TEST_F(Faults, ADiagnosticSaysWhatItIsOf) {
  machineFault(error()) << "there is no disk";
  EXPECT_EQ(kind, FaultKind::Machine);
  EXPECT_EQ(text, "not on this machine: there is no disk");
  referenceFault(error()) << " at N = 3";
  EXPECT_EQ(kind, FaultKind::Reference);
  EXPECT_EQ(text, "the reference is itself faulty at N = 3");
  markFault(error(), FaultKind::OutOfTime) << "over";
  EXPECT_EQ(kind, FaultKind::OutOfTime);
  EXPECT_EQ(text, "over");
}

TEST_F(Faults, WordsOfACandidateAreNoKind) {
  error() << "not on this machine: the reference is itself faulty";
  EXPECT_EQ(kind, FaultKind::Candidate);
  // Nor is what others attach.
  mlir::InFlightDiagnostic marked = error() << "marked by somebody else";
  mlir::Builder b(&context);
  marked.getUnderlyingDiagnostic()->getMetadata().push_back(
      mlir::DiagnosticArgument(b.getDictionaryAttr(
          b.getNamedAttr("other", b.getStringAttr("machine")))));
  marked.report();
  EXPECT_EQ(kind, FaultKind::Candidate);
}

TEST_F(Faults, AProposalKeepsTheKindInText) {
  auto parse = [&](const std::string &text) {
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  };
  auto find = [](mlir::ModuleOp module) {
    ProposalOp found;
    module.walk([&](ProposalOp proposal) { found = proposal; });
    return found;
  };
  auto module =
      parse("evo.kernel @k { evo.proposal @p \"cuda\" \"\" by \"me\" }");
  ASSERT_TRUE(module);
  EXPECT_EQ(faultOf(find(*module)), std::nullopt);
  for (FaultKind kind :
       {FaultKind::Machine, FaultKind::Candidate, FaultKind::Crashed}) {
    setFailure(find(*module), Stage::Materialize, "it is so", kind);
    std::string printed;
    llvm::raw_string_ostream(printed) << *module;
    auto again = parse(printed);
    ASSERT_TRUE(again) << printed;
    EXPECT_EQ(faultOf(find(*again)), kind) << printed;
    EXPECT_EQ(find(*again).getFailure(), llvm::StringRef("it is so"));
  }
}
} // namespace
