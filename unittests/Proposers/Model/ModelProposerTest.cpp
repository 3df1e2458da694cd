// What a model is asked, and what becomes of its answers.
#include "Led.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/Proposers/Model/Floor.h"
#include <atomic>
#include <future>

using namespace evo;
using namespace evo::test;
using Kind = ModelError::Kind;

namespace {

TEST(ModelProposer, FirstRequestHoldsTaskAndTarget) {
  Session s;
  s.script->say(candidate("warp-rows"));
  ASSERT_TRUE(s.propose(1));
  ASSERT_EQ(s.script->requests.size(), 1u);
  std::string asked = s.script->asked(0), system = s.script->system(0);
  EXPECT_CONTAINS(asked,
                  "// evo.kernel row_sum(x: in f32[M, N], y: out f32[M])");
  EXPECT_CONTAINS(asked, "// evo.workload M = 4096, N = 1024");
  EXPECT_CONTAINS(asked, "```cuda\n// evo.launch rows<<<M, 32>>>");
  EXPECT_CONTAINS(asked, "the_reference();");
  EXPECT_CONTAINS(asked, "Give 1 candidate(s)");
  EXPECT_CONTAINS(asked, "Write a new version from scratch");
  EXPECT_LACKS(asked, "best so far:");
  EXPECT_LACKS(asked, "What failed before");
  EXPECT_CONTAINS(system, "h200 (sm_90)");
  EXPECT_CONTAINS(system, "multiprocessors: 132");
  EXPECT_CONTAINS(system, "4.80 TB/s");
  EXPECT_CONTAINS(system, "`maxnreg`: 16 to 255");
  EXPECT_CONTAINS(system, "# CUDA candidates");
  EXPECT_LACKS(system, "# Schedule candidates");
  EXPECT_LACKS(asked + system, "{{");
}

TEST(ModelProposer, CandidatesBecomeProposals) {
  Session s;
  s.script->say(candidate("one", "",
                          "maxnreg = 64\nopt = 2\ntile = 8\n"
                          "codegen = nvrtc") +
                candidate("two", "", "maxnreg = 4\ncodegen = gcc"));
  ASSERT_TRUE(s.propose(2));
  auto all = s.kernel.proposals();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].getSymName(), "m0");
  EXPECT_EQ(all[1].getSymName(), "m1");
  EXPECT_EQ(all[0].getGenome(), Genome::CUDA);
  EXPECT_EQ(all[0].getProposer(), "llm");
  EXPECT_FALSE(all[0].getParent());
  EXPECT_FALSE(all[0].getFailure());
  EXPECT_CONTAINS(all[0].getText().str(), "/* one */");
  mlir::DictionaryAttr options = all[0].getOptionsAttr();
  ASSERT_TRUE(options);
  EXPECT_EQ(options.getAs<mlir::IntegerAttr>("maxnreg").getInt(), 64);
  EXPECT_EQ(options.getAs<mlir::IntegerAttr>("opt").getInt(), 2);
  EXPECT_EQ(options.getAs<mlir::StringAttr>("codegen").getValue(), "nvrtc");
  EXPECT_FALSE(options.contains("tile"));
  EXPECT_CONTAINS(all[0].getRationale()->str(), "one: Because of one.");
  EXPECT_CONTAINS(all[0].getRationale()->str(), "not taken: tile = 8");
  // A value that code generation refuses is none either.
  EXPECT_FALSE(all[1].getOptionsAttr());
  EXPECT_CONTAINS(all[1].getRationale()->str(),
                  "not taken: codegen = gcc, maxnreg = 4");
}

TEST(ModelProposer, MoreThanAskedForIsNotTaken) {
  Session s;
  s.script->say(candidate("one") + candidate("two") + candidate("three"));
  ASSERT_TRUE(s.propose(2));
  EXPECT_EQ(s.kernel.proposals().size(), 2u);
  auto notes =
      s.kernel.proposals()[1]->getAttrOfType<mlir::StringAttr>("evo.notes");
  ASSERT_TRUE(notes);
  EXPECT_CONTAINS(notes.str(), "more than 2 candidates");
}

/// A strategy that sends two requests before it waits for what comes of them.
static std::string twoRequests(const evo::llm::test::TempFolder &folder) {
  std::string path = folder.file("two.json");
  evo::llm::test::writeFile(path, R"({"name": "two", "requests": 2,
    "operators": [{"name": "propose"}]})");
  return path;
}

TEST(ModelProposer, AsksAgainOnlyWhenTheLastCandidatesWereTried) {
  ModelProposerOptions options;
  options.perRequest = 1;
  Session s(options);
  s.script->say(candidate("one"));
  ASSERT_TRUE(s.propose(8));
  ASSERT_EQ(s.script->requests.size(), 1u);
  s.kernel.accept("m0", "7.0");
  s.script->say(candidate("two"));
  ASSERT_TRUE(s.propose(7));
  ASSERT_EQ(s.script->requests.size(), 2u);
  EXPECT_CONTAINS(s.script->asked(1), "# The best so far: m0");
}

TEST(ModelProposer, AsksAsOftenAsTheCountAndTheStrategySay) {
  evo::llm::test::TempFolder folder;
  ModelProposerOptions options;
  options.perRequest = 2;
  options.strategy = twoRequests(folder);
  Session s(options);
  s.script->byName = {{"row_sum/m0", candidate("one") + candidate("two")},
                      {"row_sum/r2-m0", candidate("three")}};
  // Both are under way at the same time, or this would not end well.
  std::promise<void> second;
  std::shared_future<void> both = second.get_future();
  std::atomic<unsigned> arrived{0};
  s.script->onAsked = [&] {
    if (++arrived == 2)
      second.set_value();
    EXPECT_EQ(both.wait_for(std::chrono::seconds(60)),
              std::future_status::ready);
  };
  ASSERT_TRUE(s.propose(3));
  ASSERT_EQ(s.script->requests.size(), 2u);
  bool isFirst = s.script->requests[0].id == "row_sum/m0";
  std::string one = s.script->asked(isFirst ? 0 : 1),
              two = s.script->asked(isFirst ? 1 : 0);
  EXPECT_CONTAINS(one, "Give 2 candidate(s)");
  EXPECT_CONTAINS(two, "Give 1 candidate(s)");
  EXPECT_CONTAINS(one, "request 1 of 2 that are sent at once");
  EXPECT_CONTAINS(two, "request 2 of 2 that are sent at once");
  EXPECT_LACKS(two, "being tried");
  // In the order of the requests, whichever was answered first.
  ASSERT_EQ(s.kernel.proposals().size(), 3u);
  for (auto [name, text] :
       {std::pair("m0", "one"), {"m1", "two"}, {"m2", "three"}})
    EXPECT_CONTAINS(s.kernel.proposal(name).getText().str(), text);
  EXPECT_EQ(
      s.kernel.proposal("m2")->getAttrOfType<mlir::StringAttr>("evo.request"),
      "row_sum/r2-m0");
}

TEST(ModelProposer, ALoneRequestHasNoWordOfOthers) {
  Session s;
  s.script->say(candidate("one"));
  ASSERT_TRUE(s.propose(4));
  EXPECT_LACKS(s.script->asked(0), "at once");
}

TEST(ModelProposer, BestIsShownAndIsTheParent) {
  Session s;
  s.script->say(candidate("slow") + candidate("fast") + candidate("special"));
  ASSERT_TRUE(s.propose(3));
  s.kernel.accept("m0", "50.0");
  s.kernel.accept("m1", "12.345678",
                  "resources [#evo.resources<kernel = \"rows\", registers = "
                  "40, spillStores = 0, spillLoads = 0, stack = 0, shared = "
                  "128>]");
  s.kernel.accept("m2", "1.0");
  s.kernel.op().lookupSymbol<VariantOp>("m2.v").setRequirementsAttr(
      RequirementAttr::getArray(&s.kernel.context, {"N == 4096"}));
  s.script->say(candidate("next"));
  ASSERT_TRUE(s.propose(1));
  std::string asked = s.script->asked(1);
  EXPECT_CONTAINS(asked, "# The best so far: m1");
  EXPECT_CONTAINS(asked, "/* fast */");
  EXPECT_CONTAINS(asked, "Checked: numeric");
  EXPECT_CONTAINS(asked, "| M = 4096, N = 1024 | 12.35 us (estimated) |");
  EXPECT_CONTAINS(asked, "registers per thread of rows: 40");
  // 16 MiB in and 16 KiB out over 4.8 TB/s are 3.50 us.
  EXPECT_CONTAINS(asked, "28.3 % of 3.50 us (bytes) |");
  EXPECT_CONTAINS(asked, "m0 was accepted: numeric, 50.00 us (estimated)");
  // Neither counts that depend on time nor hashes bound to a version.
  EXPECT_LACKS(asked, "samples");
  EXPECT_LACKS(asked, "def");
  EXPECT_EQ(s.kernel.proposal("m3").getParent(), "m1.v");
}

TEST(ModelProposer, TheFloorIsTheGreaterOfBytesAndMinArithmetic) {
  Session s;
  s.script->say(candidate("one") + candidate("two"));
  ASSERT_TRUE(s.propose(2));
  s.kernel.accept("m0", "20.0", "", "arithmetic_micros = array<f64: 12.0>");
  s.kernel.accept("m1", "40.0", "", "arithmetic_micros = array<f64: 8.0>");
  s.script->say(candidate("next"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(1), "40.0 % of 8.00 us (arithmetic) |");
  // The search stops by the same.
  EXPECT_EQ(floorMicros(s.kernel.op(), parseTarget(&s.kernel.context, "sm_90")),
            8.0);
}

TEST(ModelProposer, TheFloorIsThatOfBytesWhileNoArithmeticIsKnown) {
  Session s;
  std::optional<double> bytes =
      floorMicros(s.kernel.op(), parseTarget(&s.kernel.context, "sm_90"));
  ASSERT_TRUE(bytes.has_value());
  EXPECT_NEAR(*bytes, 3.5, 0.01);
  s.script->say(candidate("one"));
  ASSERT_TRUE(s.propose(1));
  s.kernel.accept("m0", "20.0", "", "arithmetic_micros = array<f64: 2.0>");
  EXPECT_EQ(floorMicros(s.kernel.op(), parseTarget(&s.kernel.context, "sm_90")),
            bytes);
  EXPECT_FALSE(
      floorMicros(s.kernel.op(), parseTarget(&s.kernel.context, "sm_0"))
          .has_value());
}

TEST(ModelProposer, NamesAndSharedMemoryAreTold) {
  Session s;
  s.script->say(candidate("one"));
  ASSERT_TRUE(s.propose(1));
  s.kernel.accept(
      "m0", "20.0",
      "resources [#evo.resources<kernel = \"_Z4rowsILi8EEvPKfPfii\", "
      "registers = 40, spillStores = 0, spillLoads = 0, stack = 0, "
      "shared = 128>]",
      "bottleneck = \"pipes (f32 arithmetic)\", dynamic_shared_bytes"
      " = {_Z4rowsILi8EEvPKfPfii = 65536 : i64}");
  s.script->say(candidate("next"));
  ASSERT_TRUE(s.propose(1));
  std::string asked = s.script->asked(1);
  EXPECT_CONTAINS(asked, "bytes of shared memory per block of rows<8>: 65664");
  EXPECT_CONTAINS(asked, "bottleneck (estimated): pipes (f32 arithmetic)");
  EXPECT_LACKS(asked, "_Z4rows");
}

TEST(ModelProposer, SpeedupIsAgainstTheBaseline) {
  Session s;
  mlir::OpBuilder b =
      mlir::OpBuilder::atBlockEnd(&s.kernel.op().getBody().front());
  ProposalOp::create(
      b, s.kernel.op().getLoc(), b.getStringAttr("baseline"),
      GenomeAttr::get(b.getContext(), Genome::Options), b.getStringAttr(""),
      mlir::DictionaryAttr(), mlir::StringAttr(), mlir::StringAttr(),
      b.getStringAttr("reference"), StageAttr(), mlir::StringAttr());
  s.kernel.accept("baseline", "30.0");
  s.script->say(candidate("fast"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(0), "# The best so far: baseline");
  EXPECT_CONTAINS(s.script->asked(0), "| 1.00x |");
  EXPECT_EQ(s.kernel.proposal("m0").getParent(), "baseline.v");
  s.kernel.accept("m0", "10.0");
  s.script->say(candidate("faster"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(1), "| 3.00x |");
}

TEST(ModelProposer, FailuresAreSentBackOnceAndThenListed) {
  Session s;
  s.script->say(candidate("broken") + candidate("racy"));
  ASSERT_TRUE(s.propose(2));
  s.kernel.fail("m0", Stage::Materialize,
                "/opt/some/folder/cuda_fp16.h:12:3: unknown type name 'half8'");
  s.kernel.refute("m1", "write and read of shared memory without a barrier");
  s.script->say(candidate("racy-fixed") + candidate("broken-fixed"));
  s.script->say(candidate("new"));
  ASSERT_TRUE(s.propose(3));
  ASSERT_EQ(s.script->requests.size(), 3u);
  std::string repair = s.script->asked(1), propose = s.script->asked(2);
  for (const std::string &text : {repair, propose}) {
    EXPECT_CONTAINS(text, "failed at materialize");
    EXPECT_CONTAINS(text, "cuda_fp16.h:12:3: unknown type name 'half8'");
    EXPECT_LACKS(text, "/opt/some");
    EXPECT_CONTAINS(text, "refuted: race");
    EXPECT_CONTAINS(text, "without a barrier");
    EXPECT_CONTAINS(text, "at: M = 7, N = 33");
    EXPECT_CONTAINS(text, "values: ties");
    EXPECT_CONTAINS(text, "/* broken */");
    EXPECT_LACKS(text, "samples");
  }
  EXPECT_CONTAINS(repair, "These candidates failed");
  EXPECT_CONTAINS(repair, "// evo.kernel row_sum");
  // Newest first.
  EXPECT_LT(propose.find("## m1"), propose.find("## m0"));
  ASSERT_TRUE(s.kernel.proposal("m4"));
  EXPECT_EQ(s.kernel.proposal("m2").getParent(), "m0"); // by place
  EXPECT_EQ(s.kernel.proposal("m3").getParent(), "m1");
  EXPECT_FALSE(s.kernel.proposal("m4").getParent());
  // A correction that fails, and an old failure, are not sent back again.
  s.kernel.fail("m2", Stage::Materialize, "still wrong");
  s.kernel.accept("m3", "5.0");
  s.kernel.accept("m4", "6.0");
  s.script->say(candidate("newer"));
  ASSERT_TRUE(s.propose(1));
  ASSERT_EQ(s.script->requests.size(), 4u);
  EXPECT_LACKS(s.script->asked(3), "These candidates failed");
  EXPECT_CONTAINS(s.script->asked(3), "still wrong");
}

TEST(ModelProposer, ACorrectionThatNobodyRecordedIsLeftOut) {
  Session s;
  s.script->say(candidate("one"));
  ASSERT_TRUE(s.propose(1));
  s.kernel.fail("m0", Stage::Materialize, "no such name");
  s.script->fail(ModelError::Kind::MissingRecord);
  s.script->say(candidate("two"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.kernel.diagnostics, "going on without the correction");
  EXPECT_EQ(s.kernel.proposals().size(), 2u);
  // A recording that has ended ends the search, which is no error.
  s.kernel.fail("m1", Stage::Materialize, "no such name");
  s.script->fail(ModelError::Kind::Exhausted);
  ASSERT_TRUE(s.propose(1));
  EXPECT_EQ(s.kernel.proposals().size(), 2u);
}

TEST(ModelProposer, CorrectionsAreMatchedByName) {
  Session s;
  s.script->say(candidate("left") + candidate("right"));
  ASSERT_TRUE(s.propose(2));
  s.kernel.fail("m0", Stage::Materialize, "a");
  s.kernel.fail("m1", Stage::Materialize, "b");
  s.script->say(candidate("right") + candidate("left", "// again\n"));
  ASSERT_TRUE(s.propose(2));
  ASSERT_EQ(s.script->requests.size(), 2u); // the count is used up
  EXPECT_EQ(s.kernel.proposal("m2").getParent(), "m1");
  EXPECT_EQ(s.kernel.proposal("m3").getParent(), "m0");
}

TEST(ModelProposer, DuplicatesAreNotSentBack) {
  Session s;
  s.script->say(candidate("same"));
  ASSERT_TRUE(s.propose(1));
  s.kernel.fail("m0", Stage::Duplicate, "the same code as baseline.v");
  s.script->say(candidate("other"));
  ASSERT_TRUE(s.propose(1));
  ASSERT_EQ(s.script->requests.size(), 2u);
  EXPECT_LACKS(s.script->asked(1), "These candidates failed");
  EXPECT_CONTAINS(s.script->asked(1), "the same code as baseline.v");
}

TEST(ModelProposer, RepetitionsAreCountedAndTold) {
  Session s;
  s.script->say(candidate("one") + candidate("two") + candidate("three") +
                candidate("four"));
  ASSERT_TRUE(s.propose(4));
  EXPECT_LACKS(s.script->asked(0), "given twice");
  s.kernel.accept("m0", "5.0");
  for (const char *name : {"m1", "m2"})
    s.kernel.fail(name, Stage::Duplicate, "the same code as m0");
  s.kernel.accept("m3", "6.0");
  s.kernel.proposal("m3")->setAttr(
      "evo.like", mlir::StringAttr::get(&s.kernel.context, "m0"));
  s.script->say(candidate("five"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(1), "# What was given twice");
  EXPECT_CONTAINS(s.script->asked(1),
                  "2 candidates were the same code as an earlier one (the "
                  "last: m2: the same code as m0)");
  EXPECT_CONTAINS(s.script->asked(1),
                  "1 candidate had the structure of an earlier one with other "
                  "constants (the last: m3 of m0)");
}

TEST(ModelProposer, UnusableAnswerIsRecordedAndComplainedAboutOnce) {
  Session s;
  s.script->say("I would rather not.");
  s.script->say(candidate("after-all"));
  ASSERT_TRUE(s.propose(1));
  ASSERT_EQ(s.script->requests.size(), 2u);
  const auto &messages = s.script->requests[1].messages;
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[2].role, llm::Role::Assistant);
  EXPECT_EQ(messages[2].text, "I would rather not.");
  EXPECT_CONTAINS(messages[3].text, "Your answer could not be used");
  auto all = s.kernel.proposals();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].getStage(), Stage::Answer);
  EXPECT_EQ(all[0].getText(), "I would rather not.");
  EXPECT_FALSE(all[1].getFailure());
}

TEST(ModelProposer, SecondUnusableAnswerEndsTheRequest) {
  Session s;
  s.script->say("No.");
  s.script->say("Still no.");
  s.script->say(candidate("never-asked-for"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_EQ(s.script->requests.size(), 2u);
  ASSERT_EQ(s.kernel.proposals().size(), 2u);
  EXPECT_EQ(s.kernel.proposals()[1].getStage(), Stage::Answer);
  // The next call goes on, and tells of it; such an answer is not repaired as
  // a candidate would be.
  ASSERT_TRUE(s.propose(1));
  ASSERT_EQ(s.script->requests.size(), 3u);
  EXPECT_CONTAINS(s.script->asked(2), "the answer could not be used");
  EXPECT_LACKS(s.script->asked(2), "These candidates failed");
}

TEST(ModelProposer, FailuresOfTheAnswerAreData) {
  Session s;
  s.script->fail(Kind::TooLarge);
  s.script->say(candidate("short"));
  ASSERT_TRUE(s.propose(1));
  // A model that was not heard is not asked for a correction.
  ASSERT_EQ(s.script->requests.size(), 1u);
  ASSERT_EQ(s.kernel.proposals().size(), 1u);
  EXPECT_EQ(s.kernel.proposals()[0].getStage(), Stage::Answer);
  EXPECT_CONTAINS(s.kernel.proposals()[0].getFailure()->str(), "scripted");
  // The next question is.
  ASSERT_TRUE(s.propose(1));
  ASSERT_EQ(s.script->requests.size(), 2u);
  EXPECT_EQ(s.kernel.proposals().size(), 2u);
  EXPECT_FALSE(s.kernel.proposals()[1].getFailure());
}

TEST(ModelProposer, CutOffAnswerSaysSo) {
  Session s;
  s.script->answers.push_back(
      {"## a\n```cuda\n// evo.laun", {}, llm::FinishReason::Length});
  s.script->say(candidate("whole"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(1), "limit of tokens");
}

TEST(ModelProposer, MissingMeansAreAnError) {
  for (Kind kind : {Kind::Configuration, Kind::Unreachable, Kind::Overloaded,
                    Kind::TimedOut, Kind::Rejected, Kind::MissingRecord,
                    Kind::Files, Kind::Cancelled}) {
    Session s;
    s.script->fail(kind);
    EXPECT_FALSE(s.propose(1));
    EXPECT_CONTAINS(s.kernel.diagnostics, "proposer 'llm': scripted");
    EXPECT_EQ(s.script->requests.size(), 1u);
    EXPECT_TRUE(s.kernel.proposals().empty());
  }
}

TEST(ModelProposer, WhatWasAddedBeforeAnErrorIsKept) {
  evo::llm::test::TempFolder folder;
  ModelProposerOptions options;
  options.perRequest = 1;
  options.strategy = twoRequests(folder);
  Session s(options);
  s.script->say(candidate("kept"));
  s.script->fail(Kind::Unreachable);
  EXPECT_TRUE(s.propose(2));
  EXPECT_EQ(s.kernel.proposals().size(), 1u);
  EXPECT_CONTAINS(s.kernel.diagnostics, "going on with the candidates so far");
  EXPECT_FALSE(s.propose(1)); // the script has ended
}

TEST(ModelProposer, ClaimsAreRemoved) {
  Session s;
  s.script->say(candidate("braggart", "// evo.evidence exact\n"
                                      "// evo.cost 1 us\n"
                                      "// evo.require N % 4 == 0\n"));
  ASSERT_TRUE(s.propose(1));
  std::string text = s.kernel.proposal("m0").getText().str();
  EXPECT_LACKS(text, "evidence");
  EXPECT_LACKS(text, "evo.cost");
  EXPECT_CONTAINS(text, "// evo.require N % 4 == 0");
  EXPECT_CONTAINS(s.kernel.proposal("m0").getRationale()->str(),
                  "claims of evidence or cost were removed");
}

TEST(ModelProposer, OnlyLanguagesWithAMaterializerAreTaken) {
  Session s({}, /*tensorLevel=*/true);
  s.script->say("## ir\n```mlir\ngpu.module @device {}\n```\n");
  s.script->say("no");
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.kernel.proposals()[0].getFailure()->str(),
                  "'mlir' is not among those asked for");
  EXPECT_LACKS(s.script->system(0), "# MLIR candidates");
}

TEST(ModelProposer, ClaimsAreRemovedFromIR) {
  Session s({}, /*tensorLevel=*/true);
  s.kernel.attachMaterializer(Genome::MLIR);
  s.script->say(
      "## ir\n```mlir\nevidence #evo.evidence<exact hash = \"a>\" details = "
      "{m = \"x\"}> resources [#evo.resources<kernel = \"k\", registers = 1>]"
      " measured #evo.cost<measured us = [1.0] machine = \"m\">\n"
      "gpu.module @measured_evidence {}\n```\n");
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->system(0), "# MLIR candidates");
  EXPECT_LACKS(s.script->system(0), "# CUDA candidates");
  ProposalOp proposal = s.kernel.proposals()[0];
  EXPECT_FALSE(proposal.getFailure());
  EXPECT_EQ(proposal.getGenome(), Genome::MLIR);
  EXPECT_EQ(proposal.getText().trim(), "gpu.module @measured_evidence {}");
  EXPECT_CONTAINS(proposal.getRationale()->str(), "claims of evidence");
}

TEST(ModelProposer, InterruptIsNoError) {
  // In a process of its own: an interrupt cannot be taken back.
  EXPECT_EXIT(
      {
        Session s;
        s.script->fail(Kind::Cancelled);
        requestInterrupt();
        std::_Exit(s.propose(1) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(ModelProposer, TensorReferenceIsShownAsIR) {
  Session s({}, /*tensorLevel=*/true);
  s.script->say(candidate("rows"));
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(0), "```mlir\nfunc.func @rows(");
}

TEST(ModelProposer, OptionsOfTheReferencesPlanMayShapeItsLaunches) {
  Led led("evoengineer-free");
  led.addBaseline("100.0");
  auto propose = [&](const std::string &lines) {
    led.session->script->say("## shape\nOther blocks.\n```options\n" + lines +
                             "\n```\n");
    EXPECT_TRUE(led.session->propose(1)) << led.session->kernel.diagnostics;
    ++led.asked;
    return led.session->kernel.proposal(led.last());
  };
  auto prompt = [&] { return led.session->script->asked(led.asked - 1); };
  ProposalOp first = propose("bounds = yes\nblock = 32x8\nmaxnreg = 64");
  EXPECT_CONTAINS(prompt(), "# Options of the launch");
  EXPECT_EQ(first.getGenome(), Genome::Options);
  EXPECT_EQ(first.getText(), "block 32 8 1\nbounds\n");
  EXPECT_TRUE(first.getOptionsAttr().get("maxnreg"));
  EXPECT_FALSE(first.getFailure());
  // Of one that is such a plan itself, with its other settings.
  led.session->kernel.accept("m0", "50.0");
  ProposalOp second = propose("Block = 64");
  EXPECT_EQ(second.getText(), "block 64 1 1\nbounds\n");
  EXPECT_TRUE(second.getOptionsAttr().get("maxnreg"));
  // What is no block.
  for (const char *wrong : {"block = 2048", "block = 64 64", "block = 0",
                            "block = 2 2 2 2", "block = wide", "bounds = no"}) {
    ProposalOp none = propose(wrong);
    EXPECT_EQ(none.getStage(), Stage::Answer) << wrong;
    EXPECT_CONTAINS(none.getFailure()->str(), wrong);
  }
}

TEST(ModelProposer, OptionsOfCudaTextShapeNoLaunches) {
  Led led("evoengineer-free");
  led.addBaseline("100.0");
  led.accept(50, 1); // CUDA text, the best now
  led.session->script->say(
      "## shape\nS.\n```options\nblock = 64\nopt = 1\n```\n");
  ASSERT_TRUE(led.session->propose(1));
  EXPECT_LACKS(led.session->script->asked(1), "# Options of the launch");
  ProposalOp proposal = led.session->kernel.proposal("m1");
  EXPECT_EQ(proposal.getGenome(), Genome::CUDA);
  EXPECT_LACKS(proposal.getText().str(), "block 64");
  EXPECT_CONTAINS(proposal.getRationale()->str(),
                  "options not taken: block = 64");
}

TEST(ModelProposer, OptionsAloneAreForTheBest) {
  Session s;
  s.script->say(candidate("base", "", "maxnreg = 64"));
  ASSERT_TRUE(s.propose(1));
  s.kernel.accept("m0", "5.0");
  s.script->say("## fewer\nLess.\n```options\nopt = 1\nwarps = 3\n```\n");
  ASSERT_TRUE(s.propose(1));
  ProposalOp fewer = s.kernel.proposal("m1");
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer.getGenome(), Genome::CUDA);
  EXPECT_EQ(fewer.getText(), s.kernel.proposal("m0").getText());
  EXPECT_EQ(fewer.getOptionsAttr().getAs<mlir::IntegerAttr>("opt").getInt(), 1);
  EXPECT_EQ(fewer.getOptionsAttr().getAs<mlir::IntegerAttr>("maxnreg").getInt(),
            64);
  EXPECT_EQ(fewer.getParent(), "m0.v");
  // With no option left there is nothing to try.
  s.script->say("## odd\nOdd.\n```options\nwarps = 3\n```\n");
  ASSERT_TRUE(s.propose(1));
  EXPECT_EQ(s.kernel.proposal("m2").getStage(), Stage::Answer);
  EXPECT_CONTAINS(s.kernel.proposal("m2").getFailure()->str(), "warps = 3");
}

ModelProposerOptions withSchedule() {
  ModelProposerOptions options;
  options.schedules = [](KernelOp) {
    return std::vector<PromptSchedule>{
        {"row-schedule",
         "the schedule text",
         {{"rows", {"4", "8"}, "of a block"}, {"width", {"1", "2"}}},
         {"rows * width <= 8"}}};
  };
  return options;
}

TEST(ModelProposer, KnobsOfAScheduleAreOffered) {
  Session s(withSchedule(), /*tensorLevel=*/true);
  s.script->say("## knobs\nBetter.\n```options\nrows = 8\ncols = 2\n"
                "maxnreg = 32\n```\n");
  ASSERT_TRUE(s.propose(1));
  EXPECT_CONTAINS(s.script->asked(0), "# Knobs of the schedule `row-schedule`");
  EXPECT_CONTAINS(s.script->asked(0), "| rows | 4, 8 | 4 | of a block |");
  EXPECT_CONTAINS(s.script->asked(0), "has to hold: rows * width <= 8.");
  // The text comes where a strategy asks for it.
  EXPECT_EQ(s.script->asked(0).find("the schedule text"), std::string::npos);
  EXPECT_CONTAINS(s.script->system(0), "# Schedule candidates");
  ProposalOp first = s.kernel.proposal("m0");
  EXPECT_FALSE(first.getFailure());
  EXPECT_EQ(first.getGenome(), Genome::Schedule);
  EXPECT_EQ(first.getText(), "row-schedule");
  auto knobs = first.getOptionsAttr().getAs<mlir::DictionaryAttr>("knobs");
  ASSERT_TRUE(knobs);
  EXPECT_EQ(knobs.getAs<mlir::StringAttr>("rows").getValue(), "8");
  EXPECT_FALSE(knobs.contains("cols"));
  EXPECT_EQ(first.getOptionsAttr().getAs<mlir::IntegerAttr>("maxnreg").getInt(),
            32);
  EXPECT_CONTAINS(first.getRationale()->str(), "not taken: cols = 2");
  // What the next one does not set stays as the best has it.
  s.kernel.accept("m0", "5.0");
  s.script->say("## wide\nWider.\n```options\nwidth = 2\n```\n" +
                std::string("## odd\nOdd.\n```options\nwidth = 3\n```\n"));
  ASSERT_TRUE(s.propose(2));
  EXPECT_CONTAINS(s.script->asked(1), "| rows | 4, 8 | 8 |");
  ProposalOp second = s.kernel.proposal("m1");
  knobs = second.getOptionsAttr().getAs<mlir::DictionaryAttr>("knobs");
  ASSERT_TRUE(knobs);
  EXPECT_EQ(knobs.getAs<mlir::StringAttr>("rows").getValue(), "8");
  EXPECT_EQ(knobs.getAs<mlir::StringAttr>("width").getValue(), "2");
  // A value that is not on offer is none.
  EXPECT_EQ(s.kernel.proposal("m2").getStage(), Stage::Answer);
  EXPECT_CONTAINS(s.kernel.proposal("m2").getFailure()->str(), "width = 3");
}

TEST(ModelProposer, HistoryInPromptsIsBounded) {
  ModelProposerOptions options;
  options.maxFailures = 2;
  options.maxFailuresWithCode = 1;
  options.maxDiagnosticBytes = 100;
  Session s(options);
  s.script->say(candidate("a") + candidate("b") + candidate("c"));
  ASSERT_TRUE(s.propose(3));
  for (const char *name : {"m0", "m1", "m2"})
    s.kernel.fail(name, Stage::Duplicate, std::string(5000, 'z'));
  s.script->say(candidate("d"));
  ASSERT_TRUE(s.propose(1));
  std::string asked = s.script->asked(1);
  EXPECT_CONTAINS(asked, "## m2");
  EXPECT_CONTAINS(asked, "## m1");
  EXPECT_LACKS(asked, "## m0");
  EXPECT_CONTAINS(asked, "/* c */");
  EXPECT_LACKS(asked, "/* b */");
  EXPECT_LACKS(asked, std::string(101, 'z'));
  EXPECT_CONTAINS(asked, "more bytes]");
}

TEST(ModelProposer, SymbolsAvoidThoseInUse) {
  Session s;
  s.kernel.addVariant("m0.v", "");
  s.kernel.addVariant("m1", "");
  s.script->say(candidate("a") + candidate("b"));
  ASSERT_TRUE(s.propose(2));
  EXPECT_TRUE(s.kernel.proposal("m2"));
  EXPECT_TRUE(s.kernel.proposal("m3"));
}

} // namespace
