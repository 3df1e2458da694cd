//===- ExchangeClientTest.cpp - Requests and answers as files -------------===//
//
// The other side is a thread that writes answers well and badly: renamed into
// place, in pieces, empty, too large, never.
//
//===----------------------------------------------------------------------===//
#include "evo/LLM/ExchangeClient.h"
#include "TestSupport.h"
#include <thread>

using namespace evo::llm;
using namespace evo::llm::test;
using std::chrono::milliseconds;
using Kind = ModelError::Kind;

namespace {

ExchangeOptions optionsFor(const TempFolder &folder) {
  ExchangeOptions options;
  options.folder = folder.file("exchange");
  options.pollInterval = milliseconds(5);
  options.settleTime = milliseconds(120);
  options.timeout = milliseconds(3000);
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
  EXPECT_CONTAINS(text, "at most 100 tokens");
  EXPECT_CONTAINS(text, "\"type\": \"object\"");
  EXPECT_LACKS(exchangeRequestText(ask("x"), "abc-0"), "schema");
}

TEST(ExchangeClient, TakesARenamedAnswer) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  ModelRequest request = ask("q");
  std::string path = answerPath(options, request);
  std::thread other([&] {
    std::string asked =
        options.folder + "/" + requestHash(request) + "-0.request.md";
    while (!llvm::sys::fs::exists(asked))
      std::this_thread::sleep_for(milliseconds(2));
    writeFile(path + ".part", "<!-- model: human -->\nthe answer\n");
    llvm::sys::fs::rename(path + ".part", path);
  });
  ExchangeClient client(options);
  auto answer = client.complete(request);
  other.join();
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(answer->text, "the answer\n");
  EXPECT_EQ(answer->model, "human");
  EXPECT_EQ(answer->origin, "exchange");
  EXPECT_FALSE(answer->cutOff());
}

TEST(ExchangeClient, WaitsUntilAnAnswerWrittenInPiecesIsWhole) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  ModelRequest request = ask("q");
  ASSERT_FALSE(llvm::sys::fs::create_directories(options.folder));
  std::thread other([&] {
    std::error_code code;
    llvm::raw_fd_ostream os(answerPath(options, request), code);
    for (int i = 0; i < 8; ++i) {
      std::this_thread::sleep_for(milliseconds(40));
      os << "piece " << i << "\n";
      os.flush();
    }
  });
  ExchangeClient client(options);
  auto answer = client.complete(request);
  other.join();
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  EXPECT_CONTAINS(answer->text, "piece 7");
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

TEST(ExchangeClient, GivesUpInTimeAndLeavesTheRequest) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.timeout = milliseconds(60);
  ModelRequest request = ask("q");
  ExchangeClient client(options);
  Failed failure = failed(client.complete(request));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  EXPECT_CONTAINS(failure.text, "no answer to '" + requestHash(request));
  EXPECT_CONTAINS(failure.text, "does not exist");
  EXPECT_TRUE(llvm::sys::fs::exists(options.folder + "/" +
                                    requestHash(request) + "-0.request.md"));
}

TEST(ExchangeClient, AnEmptyFileIsNoAnswer) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.timeout = milliseconds(300);
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
  EXPECT_EQ(failed(client.complete(ask("blank"))).kind, Kind::BadAnswer);
  EXPECT_EQ(failed(client.complete(ask("huge"))).kind, Kind::TooLarge);
}

TEST(ExchangeClient, StopsOnRequest) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  options.shouldStop = [] { return true; };
  ExchangeClient client(options);
  EXPECT_EQ(failed(client.complete(ask("q"))).kind, Kind::Cancelled);
}

TEST(ExchangeClient, AFolderThatCannotBeMadeIsAnError) {
  TempFolder folder;
  ExchangeOptions options = optionsFor(folder);
  writeFile(folder.file("file"), "x");
  options.folder = folder.file("file") + "/sub";
  ExchangeClient client(options);
  EXPECT_EQ(failed(client.complete(ask("q"))).kind, Kind::Files);
}

} // namespace
