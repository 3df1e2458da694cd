// The canonical form and hash of a request. Records and exchanges are named by
// this hash, so it may change with content only, and never silently from one
// version of the program to the next.
#include "TestSupport.h"
#include <condition_variable>
#include <mutex>
#include <set>

using namespace evo::llm;
using namespace evo::llm::test;

namespace {

TEST(ModelRequest, HasAFixedCanonicalForm) {
  ModelRequest request = ask("how fast?");
  request.schema = llvm::json::Object{{"type", "object"}, {"a", 1}};
  EXPECT_EQ(canonicalForm(request),
            R"({"format":1,"maxTokens":100,"messages":[)"
            R"({"role":"system","text":"be brief"},)"
            R"({"role":"user","text":"how fast?"}],)"
            R"("schema":{"a":1,"type":"object"},"temperature":0.5})");
  // Recordings outlive versions: this value may not change.
  EXPECT_EQ(requestHash(ask("how fast?")), "31fa837106699a872811d6beaccb8134");
}

TEST(ModelRequest, TheIdIsNoContent) {
  ModelRequest one = ask("x"), other = ask("x");
  other.id = "p7";
  EXPECT_EQ(requestHash(one), requestHash(other));
}

TEST(ModelRequest, AllElseIsContent) {
  std::vector<ModelRequest> requests(7, ask("x"));
  requests[1].messages.back().text = "y";
  requests[2].messages.back().role = Role::Assistant;
  requests[3].temperature.reset();
  requests[4].maxTokens = 7;
  requests[5].schema = llvm::json::Object{};
  requests[6].model = "another";
  std::set<std::string> hashes;
  for (const ModelRequest &request : requests)
    hashes.insert(requestHash(request));
  EXPECT_EQ(hashes.size(), requests.size());
}

TEST(ModelRequest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(requestHash(ask("a\xff")), requestHash(ask("a\xef\xbf\xbd")));
}

TEST(ModelRequest, WhatIsNoContentIsNotHashed) {
  ModelRequest one = ask("x"), other = ask("x");
  other.task = "t";
  other.stage = "judge";
  other.messages[0].stableBytes = 3;
  other.mayRepeat = [] { return false; };
  EXPECT_EQ(canonicalForm(one), canonicalForm(other));
}

/// Answers with the question, and counts how many are asked at once.
class EchoClient : public ModelClient {
public:
  explicit EchoClient(unsigned together) : together(together) {}
  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override {
    {
      std::unique_lock<std::mutex> lock(mutex);
      peak = std::max(peak, ++now);
      arrived.notify_all();
      // None leaves before as many are here as the test wants to see.
      arrived.wait(lock, [&] { return peak >= together; });
    }
    std::lock_guard<std::mutex> lock(mutex);
    --now;
    if (request.messages.back().text == "bad")
      return modelError(ModelError::Kind::BadAnswer, "as asked");
    ModelAnswer answer;
    answer.text = request.messages.back().text;
    return answer;
  }
  unsigned together, now = 0, peak = 0;
  std::mutex mutex;
  std::condition_variable arrived;
};

TEST(CompleteAll, AsksAtOnceAndKeepsTheOrder) {
  EchoClient client(3);
  std::vector<ModelRequest> requests;
  for (const char *text : {"a", "bad", "c", "d", "e", "f"})
    requests.push_back(ask(text));
  auto answers = completeAll(client, requests, 3);
  EXPECT_EQ(client.peak, 3u);
  ASSERT_EQ(answers.size(), 6u);
  std::string read;
  for (auto &answer : answers)
    if (answer)
      read += answer->text;
    else
      read += failed(answer.takeError()).text;
  EXPECT_EQ(read, "aas askedcdef");
  EXPECT_TRUE(completeAll(client, {}, 3).empty());
}

/// Its second answer does not come before the first one was handed over.
class WaitingClient : public ModelClient {
public:
  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override {
    std::unique_lock<std::mutex> lock(mutex);
    if (request.messages.back().text == "late")
      handedOver.wait(lock, [&] { return isHandedOver; });
    return ModelAnswer();
  }
  void note() {
    std::lock_guard<std::mutex> lock(mutex);
    isHandedOver = true;
    handedOver.notify_all();
  }
  bool isHandedOver = false;
  std::mutex mutex;
  std::condition_variable handedOver;
};

TEST(CompleteEach, HandsOverWhatHasCome) {
  WaitingClient client;
  std::vector<size_t> order;
  completeEach(
      client, {ask("late"), ask("early")},
      [&](size_t request, llvm::Expected<ModelAnswer> answer) {
        EXPECT_TRUE(bool(answer));
        order.push_back(request);
        client.note();
      },
      2);
  EXPECT_EQ(order, (std::vector<size_t>{1, 0}));
}

TEST(ModelError, KindsHaveNamesBothWays) {
  for (int i = 0; i <= static_cast<int>(ModelError::Kind::Exhausted); ++i) {
    auto kind = static_cast<ModelError::Kind>(i);
    EXPECT_EQ(kindFromName(kindName(kind)), kind);
  }
  EXPECT_EQ(kindFromName("nonsense"), std::nullopt);
}

} // namespace
