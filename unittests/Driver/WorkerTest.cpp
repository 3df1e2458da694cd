// A worker that is none, ends at once or speaks otherwise: the evaluation
// fails, after a second one was tried, and says what both did.
#include "evo/Driver/Worker.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;
using testing::HasSubstr;

namespace {
/// What an evaluation with this command as its worker says.
std::string problemOf(std::vector<std::string> command, size_t size = 1) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  // More than a pipe holds, so that it is written as far as it is read.
  module->getOperation()->setAttr(
      "evo.text", StringAttr::get(&context, std::string(size, 'x')));
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    said += diag.str();
    return success();
  });
  auto evaluator =
      createWorkerEvaluator(std::move(command), IsolationLimits(), 1);
  EXPECT_TRUE(failed(evaluator->evaluate(*module, "builtin.module()")));
  return said;
}

/// A shell that takes the request and answers with `text`.
std::vector<std::string> answering(const std::string &text) {
  return {"/bin/sh", "-c", "read line; printf '" + text + "'"};
}

TEST(Worker, IsNoProgram) {
  EXPECT_THAT(problemOf({"/nowhere/worker"}),
              HasSubstr("the worker failed twice: cannot start the worker "
                        "'/nowhere/worker': No such file or directory; cannot "
                        "start the worker"));
}

TEST(Worker, Ends) {
  EXPECT_THAT(problemOf(answering("")),
              HasSubstr("the worker failed twice: the other side has closed "
                        "the connection; "));
}

TEST(Worker, SpeaksOtherwise) {
  EXPECT_THAT(problemOf(answering("What do you want?\n")),
              HasSubstr("malformed message header"));
  // Longer than any message.
  EXPECT_THAT(problemOf(answering("ffffffffffffffff\n")),
              HasSubstr("malformed message header"));
}

/// An answer whole, with a failure of the kind that is called `fault`.
std::vector<std::string> failingBy(const std::string &fault) {
  std::string text =
      R"({"module": "", "stage": "evo-verify", "failure": "f", "fault": ")" +
      fault + "\"}";
  return answering(llvm::formatv("{0:x-16}\\n{1}", text.size(), text).str());
}

TEST(Worker, SaysWhatKindOfFailureItWas) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto evaluator =
      createWorkerEvaluator(failingBy("out-of-time"), IsolationLimits(), 1);
  FailureOr<Outcome> outcome = evaluator->evaluate(*module, "builtin.module()");
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_EQ(outcome->fault, FaultKind::OutOfTime);
  EXPECT_EQ(outcome->stage, Stage::VerifyPass);
  EXPECT_EQ(outcome->failure, "f");
  EXPECT_THAT(problemOf(failingBy("killed by signal 9 ")),
              HasSubstr("unknown kind"));
}

TEST(Worker, EndsWithinItsAnswer) {
  EXPECT_THAT(problemOf(answering("0000000000000010\n{")),
              HasSubstr("the other side closed within a message"));
}

TEST(Worker, DoesNotListen) {
  // The signal of a broken pipe would end this very test.
  EXPECT_EQ(problemOf({"/bin/sh", "-c", "exec <&-"}, 1 << 20),
            "the worker failed twice: the worker does not listen; the worker "
            "does not listen");
}
} // namespace
