// A worker that is none, ends at once or speaks otherwise: the evaluation
// fails, after a second one was tried, and says what both did. Searches that
// ask at the same time share the workers.
#include "evo/Driver/Worker.h"
#include "Driver/Worker/WorkerPool.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <thread>

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

/// What printf makes a whole message of.
std::string framed(const std::string &text) {
  return llvm::formatv("{0:x-16}\\n{1}", text.size(), text);
}

/// An answer whole, with a failure of the kind that is called `fault`.
std::vector<std::string> failingBy(const std::string &fault) {
  return answering(framed(
      R"({"module": "", "stage": "evo-verify", "failure": "f", "fault": ")" +
      fault + "\"}"));
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

constexpr std::chrono::milliseconds atOnce(0);

TEST(WorkerPool, TheNextGoesToWhoHasTheFewest) {
  WorkerPool pool({"/nowhere/worker"}, 2);
  WorkerPool::Share one(pool), two(pool);
  auto first = one.take(atOnce), second = one.take(atOnce);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(one.take(atOnce));
  EXPECT_FALSE(two.take(atOnce));
  WorkerProcess *idle = first.get();
  one.giveBack(std::move(first));
  EXPECT_FALSE(one.take(atOnce));
  auto third = two.take(atOnce);
  EXPECT_EQ(third.get(), idle);
  // Where both have as many it is whoever waits longer.
  one.giveBack(std::move(second));
  two.giveBack(std::move(third));
  EXPECT_FALSE(two.take(atOnce));
  EXPECT_TRUE(one.take(atOnce));
}

TEST(WorkerPool, OneWorkerGoesRound) {
  WorkerPool pool({"/nowhere/worker"}, 1);
  WorkerPool::Share one(pool), two(pool);
  auto worker = one.take(atOnce);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(two.take(atOnce));
    one.giveBack(std::move(worker));
    EXPECT_FALSE(one.take(atOnce));
    worker = two.take(atOnce);
    ASSERT_TRUE(worker);
    EXPECT_FALSE(one.take(atOnce));
    two.giveBack(std::move(worker));
    EXPECT_FALSE(two.take(atOnce));
    worker = one.take(atOnce);
    ASSERT_TRUE(worker);
  }
}

TEST(WorkerPool, NobodyDefersToWhoDoesNotWait) {
  WorkerPool pool({"/nowhere/worker"}, 1);
  std::optional<WorkerPool::Share> other(std::in_place, pool),
      next(std::in_place, pool);
  WorkerPool::Share one(pool);
  auto worker = one.take(atOnce);
  EXPECT_FALSE(other->take(atOnce));
  EXPECT_FALSE(next->take(atOnce));
  other->leaveLine();
  one.giveBack(std::move(worker));
  EXPECT_FALSE(one.take(atOnce));
  worker = next->take(atOnce);
  ASSERT_TRUE(worker);
  EXPECT_FALSE(one.take(atOnce));
  // A worker that ends in the midst of something leaves room for another one.
  worker.reset();
  next.reset();
  EXPECT_TRUE(one.take(atOnce));
}

/// Answers all requests: each ends with the line that the next one begins with.
std::vector<std::string> answeringAll() {
  return {"/bin/sh", "-c",
          "while read line; do printf '" +
              framed(R"({"module": "", "stage": "", "failure": ""})") +
              "'; done"};
}

TEST(Worker, AnotherSearchHasADeadlineOfItsOwn) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto evaluator = createWorkerEvaluator(answeringAll(), IsolationLimits(), 1);
  auto never = [](size_t, Outcome &) {
    ADD_FAILURE() << "it is too late";
    return FailureOr<bool>(true);
  };
  unsigned numOutcomes = 0;
  // When the first outcome is handed out the worker is at the second module.
  EXPECT_TRUE(succeeded(evaluator->evaluateAll(
      {*module, *module}, "builtin.module()",
      [&](size_t, Outcome &) {
        ++numOutcomes;
        EXPECT_TRUE(succeeded(evaluator->evaluateAll(
            *module, "builtin.module()", never,
            /*busy=*/nullptr, std::chrono::steady_clock::now())));
        return FailureOr<bool>(true);
      },
      /*busy=*/nullptr, /*deadline=*/std::nullopt)));
  EXPECT_EQ(numOutcomes, 2u);
}

TEST(Worker, TwoSearchesShareOne) {
  MLIRContext context;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  auto evaluator = createWorkerEvaluator(answeringAll(), IsolationLimits(), 1);
  auto search = [&](unsigned &numOutcomes) {
    const std::vector<ModuleOp> modules(10, *module);
    return succeeded(evaluator->evaluateAll(
        modules, "builtin.module()",
        [&](size_t index, Outcome &outcome) {
          EXPECT_EQ(index, numOutcomes++);
          EXPECT_FALSE(outcome.fault);
          return FailureOr<bool>(true);
        },
        /*busy=*/nullptr, /*deadline=*/std::nullopt));
  };
  unsigned one = 0, two = 0;
  std::thread other([&] { EXPECT_TRUE(search(two)); });
  EXPECT_TRUE(search(one));
  other.join();
  EXPECT_EQ(one, 10u);
  EXPECT_EQ(two, 10u);
}
} // namespace
