// Requests and answers as files. The other side writes while the client waits,
// well and badly: renamed into place, in pieces, empty, too large, never. The
// clock is a number, so no test depends on how busy the machine is.
#include "evo/LLM/ExchangeClient.h"
#include "TestSupport.h"

using namespace evo::llm;
using namespace evo::llm::test;
using std::chrono::milliseconds;
using Kind = ModelError::Kind;

namespace {

ExchangeOptions optionsFor(const TempFolder &folder,
                           std::shared_ptr<FakeClock> clock = nullptr) {
  ExchangeOptions options;
  options.folder = folder.file("exchange");
  options.pollInterval = milliseconds(5);
  options.settleTime = milliseconds(120);
  options.timeout = milliseconds(3000);
  options.clock = clock ? std::move(clock) : std::make_shared<FakeClock>();
  return options;
}

std::string answerPath(const ExchangeOptions &options,
                       const ModelRequest &request, unsigned number = 0) {
  return options.folder + "/" + requestHash(request) + "-" +
         std::to_string(number) + ".answer.md";
}

TEST(ExchangeClient, WritesARequestThatStandsAlone) {
  ModelRequest request = ask("make it fast");
  request.schema = llvm::json::Object{{"type", "object"}};
  std::string text = exchangeRequestText(request, "abc-0");
  EXPECT_CONTAINS(text, "<!-- request abc-0 -->");
  EXPECT_CONTAINS(text, "rename that to 'abc-0.answer.md'");
  EXPECT_CONTAINS(text, "<!-- system -->\n\nbe brief\n");
  EXPECT_CONTAINS(text, "<!-- user -->\n\nmake it fast\n");
  EXPECT_CONTAINS(text, "up to 100 tokens");
  EXPECT_CONTAINS(text, "\"type\": \"object\"");
  EXPECT_LACKS(exchangeRequestText(ask("x"), "abc-0"), "schema");
}

TEST(ExchangeClient, TakesARenamedAnswer) {
  TempFolder folder;
  auto clock = std::make_shared<FakeClock>();
  ExchangeOptions options = optionsFor(folder, clock);
  ModelRequest request = ask("q");
  std::string path = answerPath(options, request);
  clock->onSleep = [&] {
    if (clock->elapsed != milliseconds(500))
      return;
    EXPECT_TRUE(llvm::sys::fs::exists(options.folder + "/" +
                                      requestHash(request) + "-0.request.md"));
    writeFile(path + ".part", "<!-- model: human -->\nthe answer\n");
    EXPECT_FALSE(llvm::sys::fs::rename(path + ".part", path));
  };
  ExchangeClient client(options);
  EVO_TAKE(answer, client.complete(request));
  EXPECT_EQ(answer.text, "the answer\n");
  EXPECT_EQ(answer.model, "human");
  EXPECT_EQ(answer.origin, "exchange");
  EXPECT_FALSE(answer.cutOff());
  EXPECT_GE(answer.seconds, 0.62);
  EXPECT_LE(clock->elapsed, milliseconds(640));
}

/// What the client makes of eight pieces that are written `pause` apart.
std::string writtenInPieces(milliseconds pause) {
  TempFolder folder;
  auto clock = std::make_shared<FakeClock>();
  ExchangeOptions options = optionsFor(folder, clock);
  ModelRequest request = ask("q");
  EXPECT_FALSE(llvm::sys::fs::create_directories(options.folder));
  std::error_code code;
  llvm::raw_fd_ostream os(answerPath(options, request), code);
  EXPECT_FALSE(code) << code.message();
  int piece = 0;
  clock->onSleep = [&] {
    for (; piece < 8 && clock->elapsed >= pause * (piece + 1); ++piece) {
      os << "piece " << piece << "\n";
      os.flush();
    }
  };
  auto answer = ExchangeClient(options).complete(request);
  if (answer)
    return answer->text;
  ADD_FAILURE() << llvm::toString(answer.takeError());
  return "";
}

TEST(ExchangeClient, WaitsUntilAnAnswerWrittenInPiecesIsWhole) {
  EXPECT_CONTAINS(writtenInPieces(milliseconds(40)), "piece 7");
  // Who rests for longer than the settle time has to rename.
  EXPECT_EQ(writtenInPieces(milliseconds(200)), "piece 0\n");
}

TEST(ExchangeClient, EqualRequestsAreNumberedAndARestartFindsTheirAnswers) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.settleTime = milliseconds(10);
  ModelRequest request = ask("q");
  ASSERT_FALSE(llvm::sys::fs::create_directories(options.folder));
  writeFile(answerPath(options, request, 0), "first");
  writeFile(answerPath(options, request, 1), "second");
  for (int start = 0; start < 2; ++start) {
    ExchangeClient client(options);
    EVO_TAKE(first, client.complete(request));
    EVO_TAKE(second, client.complete(request));
    EXPECT_EQ(first.text, "first");
    EXPECT_EQ(second.text, "second");
  }
}

TEST(ExchangeClient, NumbersGoOnWhereAnEarlierProcessOfTheRunEnded) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.settleTime = milliseconds(10);
  ModelRequest request = ask("q");
  options.earlierAnswers = [&](llvm::StringRef hash) {
    return hash == requestHash(request) ? 1u : 0u;
  };
  ASSERT_FALSE(llvm::sys::fs::create_directories(options.folder));
  writeFile(answerPath(options, request, 0), "used");
  writeFile(answerPath(options, request, 1), "second");
  writeFile(answerPath(options, request, 2), "third");
  writeFile(answerPath(options, ask("other"), 0), "of another");
  ExchangeClient client(options);
  EVO_TAKE(second, client.complete(request));
  EVO_TAKE(third, client.complete(request));
  EVO_TAKE(other, client.complete(ask("other")));
  EXPECT_EQ(second.text, "second");
  EXPECT_EQ(third.text, "third");
  EXPECT_EQ(other.text, "of another");
}

TEST(ExchangeClient, AFolderMayHaveAnyName) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.folder = folder.file("50% of %s");
  options.settleTime = milliseconds(10);
  ModelRequest request = ask("q");
  ASSERT_FALSE(llvm::sys::fs::create_directories(options.folder));
  writeFile(answerPath(options, request), "fine");
  ExchangeClient client(options);
  EVO_TAKE(answer, client.complete(request));
  EXPECT_EQ(answer.text, "fine");
  EXPECT_TRUE(llvm::sys::fs::exists(options.folder + "/" +
                                    requestHash(request) + "-0.request.md"));
}

TEST(ExchangeClient, GivesUpInTimeAndLeavesTheRequest) {
  TempFolder folder;
  auto clock = std::make_shared<FakeClock>();
  ExchangeOptions options = optionsFor(folder, clock);
  ModelRequest request = ask("q");
  ExchangeClient client(options);
  Failed failure = failed(client.complete(request));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  EXPECT_CONTAINS(failure.text, "no answer to '" + requestHash(request));
  EXPECT_CONTAINS(failure.text, "does not exist");
  EXPECT_GE(clock->elapsed, options.timeout);
  EXPECT_LE(clock->elapsed, options.timeout + options.pollInterval);
  EXPECT_TRUE(llvm::sys::fs::exists(options.folder + "/" +
                                    requestHash(request) + "-0.request.md"));
}

TEST(ExchangeClient, WaitsNoLongerThanTheDeadlineOfTheRequest) {
  TempFolder folder;
  auto clock = std::make_shared<FakeClock>();
  ExchangeOptions options = optionsFor(folder, clock);
  options.timeout = std::chrono::hours(24);
  ModelRequest request = ask("q");
  std::string hash = requestHash(request);
  request.deadline = clock->now() + std::chrono::seconds(7);
  EXPECT_EQ(requestHash(request), hash); // no content
  Failed failure = failed(ExchangeClient(options).complete(request));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  EXPECT_CONTAINS(failure.text, "within 7 s");
  EXPECT_GE(clock->elapsed, std::chrono::seconds(7));
  EXPECT_LE(clock->elapsed, std::chrono::seconds(7) + options.pollInterval);
  // A later deadline than the client's own changes nothing.
  options.timeout = std::chrono::seconds(3);
  request.deadline = clock->now() + std::chrono::hours(1);
  EXPECT_CONTAINS(failed(ExchangeClient(options).complete(request)).text,
                  "within 3 s");
}

TEST(ExchangeClient, AnEmptyFileIsNoAnswer) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  ModelRequest request = ask("q");
  ASSERT_FALSE(llvm::sys::fs::create_directories(options.folder));
  writeFile(answerPath(options, request), "");
  ExchangeClient client(options);
  EXPECT_EQ(failed(client.complete(request)).kind, Kind::TimedOut);
}

TEST(ExchangeClient, RefusesBlankAndHugeAnswers) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.settleTime = milliseconds(10);
  options.maxAnswerBytes = 1000;
  ASSERT_FALSE(llvm::sys::fs::create_directories(options.folder));
  writeFile(answerPath(options, ask("blank")), "<!-- model: x -->\n \n");
  writeFile(answerPath(options, ask("huge")), std::string(1001, 'x'));
  ExchangeClient client(options);
  Failed blank = failed(client.complete(ask("blank")));
  EXPECT_EQ(blank.kind, Kind::BadAnswer);
  EXPECT_EQ(blank.text, "the answer in '" + requestHash(ask("blank")) +
                            "-0.answer.md' is blank");
  EXPECT_EQ(failed(client.complete(ask("huge"))).kind, Kind::TooLarge);
}

TEST(ExchangeClient, StopsOnRequest) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.shouldStop = [] { return true; };
  ExchangeClient client(options);
  Failed failure = failed(client.complete(ask("q")));
  EXPECT_EQ(failure.kind, Kind::Cancelled);
  EXPECT_EQ(failure.text, "stopped on request");
}

TEST(ExchangeClient, AFolderThatCannotBeMadeIsAnError) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  writeFile(folder.file("file"), "x");
  options.folder = folder.file("file") + "/sub";
  ExchangeClient client(options);
  Failed failure = failed(client.complete(ask("q")));
  EXPECT_EQ(failure.kind, Kind::Files);
  EXPECT_EQ(failure.text, "cannot create the folder '" + options.folder +
                              "': Not a directory");
}

TEST(ExchangeClient, AnAnswerThatChangesUntilTheEndIsNotTaken) {
  TempFolder folder;
  auto clock = std::make_shared<FakeClock>();
  ExchangeOptions options = optionsFor(folder, clock);
  std::string text = "x";
  clock->onSleep = [&] {
    writeFile(answerPath(options, ask("q")), text += "x");
  };
  ExchangeClient client(options);
  Failed failure = failed(client.complete(ask("q")));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  EXPECT_CONTAINS(failure.text, "' was still changing");
}

TEST(ExchangeClient, WhatIsNoRequestIsNamed) {
  TempFolder folder;
  std::string deep(300000, '[');
  for (const char *text : {"nothing", "{}", deep.c_str()}) {
    writeFile(folder.file("q.request.json"), text);
    Failed failure = failed(openRequests(folder.str()));
    EXPECT_EQ(failure.kind, Kind::Files);
    EXPECT_EQ(failure.text,
              "'" + folder.file("q.request.json") + "' is no request");
  }
}

} // namespace
