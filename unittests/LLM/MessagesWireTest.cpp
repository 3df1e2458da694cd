// What only the messages form has. The marks for the provider's cache, the
// system text apart, a bound that must be there, an answer that comes as a
// tool's input.
#include "TestServer.h"
#include "TestSupport.h"
#include "evo/LLM/HttpModelClient.h"

using namespace evo::llm;
using namespace evo::llm::test;

namespace {

class MessagesTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_TRUE(server.isRunning()); }
  HttpModelOptions optionsFor(const std::string &mode) {
    HttpModelOptions options;
    options.form = WireForm::Messages;
    options.baseUrl = server.url(mode);
    options.model = "m";
    return options;
  }
  /// The body of the only request of a mode.
  llvm::json::Object bodyOf(const std::string &mode) {
    auto line = llvm::json::parse(server.received(mode));
    if (!line) {
      ADD_FAILURE() << llvm::toString(line.takeError());
      return {};
    }
    auto body = llvm::json::parse(*line->getAsObject()->getString("body"));
    if (!body) {
      ADD_FAILURE() << llvm::toString(body.takeError());
      return {};
    }
    return *body->getAsObject();
  }
  TestServer server;
};

size_t marksIn(const llvm::json::Value &value) {
  if (const llvm::json::Array *list = value.getAsArray()) {
    size_t count = 0;
    for (const llvm::json::Value &item : *list)
      count += marksIn(item);
    return count;
  }
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return 0;
  size_t count = object->getObject("cache_control") != nullptr;
  if (const llvm::json::Value *content = object->get("content"))
    count += marksIn(*content);
  return count;
}

TEST_F(MessagesTest, StablePartsAreMarkedForTheCache) {
  ModelRequest request;
  request.messages = {{Role::System, "rules of the game", 17},
                      {Role::User, "the task. what is wanted", 9},
                      {Role::Assistant, "an answer"},
                      {Role::User, "a complaint"}};
  EVO_TAKE(client, HttpModelClient::create(optionsFor("good")));
  EVO_TAKE(answer, client->complete(request));
  EXPECT_EQ(answer.usage.inputTokens, 12u);
  EXPECT_EQ(answer.usage.cachedTokens, 8u);
  EXPECT_EQ(answer.usage.cacheWriteTokens, 1u);
  llvm::json::Object body = bodyOf("good");
  const llvm::json::Array *system = body.getArray("system");
  ASSERT_TRUE(system && system->size() == 1);
  EXPECT_EQ(marksIn(llvm::json::Array(*system)), 1u);
  const llvm::json::Array *turns = body.getArray("messages");
  ASSERT_TRUE(turns && turns->size() == 3);
  const llvm::json::Array *first =
      (*turns)[0].getAsObject()->getArray("content");
  ASSERT_TRUE(first && first->size() == 2);
  EXPECT_EQ(*(*first)[0].getAsObject()->getString("text"), "the task.");
  EXPECT_EQ(*(*first)[1].getAsObject()->getString("text"), " what is wanted");
  EXPECT_EQ(marksIn(llvm::json::Array(*turns)), 1u);
  EXPECT_EQ(*body.getInteger("max_tokens"), 16384);
}

TEST_F(MessagesTest, NoMoreThanFourMarks) {
  ModelRequest request;
  for (int i = 0; i < 7; ++i)
    request.messages.push_back(
        {i % 2 ? Role::Assistant : Role::User, "turn", 4});
  EVO_TAKE(client, HttpModelClient::create(optionsFor("good")));
  EVO_TAKE(answer, client->complete(request));
  EXPECT_EQ(answer.text, "hello");
  EXPECT_EQ(marksIn(*bodyOf("good").get("messages")), 4u);
}

TEST_F(MessagesTest, ASchemaIsAToolWhoseInputIsTheAnswer) {
  ModelRequest request = ask("hi");
  request.schema = llvm::json::Object{{"type", "object"}};
  EVO_TAKE(client, HttpModelClient::create(optionsFor("structured")));
  EVO_TAKE(answer, client->complete(request));
  EXPECT_EQ(answer.text, R"({"score":7})");
  EXPECT_EQ(answer.finishReason, FinishReason::Stop);
  llvm::json::Object body = bodyOf("structured");
  EXPECT_EQ(*body.getObject("tool_choice")->getString("name"), "answer");
  EXPECT_CONTAINS(server.received("structured"), "2023-06-01");
}

} // namespace
