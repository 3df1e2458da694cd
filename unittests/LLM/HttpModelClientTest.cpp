// Against a server that misbehaves. Every way in which a provider can fail is
// served by a real local server, so what is tested is the client with libcurl,
// not a model of it. The waits between attempts are on a clock that only they
// move, and what is bounded is counted in attempts and waits: how long the
// machine takes decides nothing.
#include "evo/LLM/HttpModelClient.h"
#include "TestServer.h"
#include "TestSupport.h"
#include <arpa/inet.h>
#include <atomic>
#include <cstdlib>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace evo::llm;
using namespace evo::llm::test;
using std::chrono::milliseconds;
using Kind = ModelError::Kind;

namespace {

constexpr const char *key = "sk-very/secret+key-0123456789";

class HttpModelTest : public ::testing::TestWithParam<WireForm> {
protected:
  static void SetUpTestSuite() { server = new TestServer(); }
  static void TearDownTestSuite() {
    delete server;
    server = nullptr;
  }
  void SetUp() override {
    ASSERT_TRUE(server->isRunning());
    server->forget();
    setenv("EVO_TEST_KEY", key, 1);
  }

  HttpModelOptions optionsFor(const std::string &mode) {
    HttpModelOptions options;
    options.form = GetParam();
    options.baseUrl = server->url(mode);
    options.model = "asked-model";
    options.keyVariable = "EVO_TEST_KEY";
    options.attemptTimeout = milliseconds(60000);
    options.overallTimeout = milliseconds(80000);
    options.retry.maxAttempts = 3;
    options.retry.firstWait = milliseconds(20);
    options.retry.longestWait = milliseconds(50);
    options.retry.longestRetryAfter = milliseconds(3000);
    options.clock = clock;
    return options;
  }
  llvm::Expected<ModelAnswer> run(const HttpModelOptions &options,
                                  const ModelRequest &request = ask("hi")) {
    auto client = HttpModelClient::create(options);
    if (!client)
      return client.takeError();
    return (*client)->complete(request);
  }
  llvm::Expected<ModelAnswer> run(const std::string &mode) {
    return run(optionsFor(mode));
  }

  bool isChat() const { return GetParam() == WireForm::ChatCompletions; }

  static TestServer *server;
  std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
};
TestServer *HttpModelTest::server = nullptr;

TEST_P(HttpModelTest, Answers) {
  EVO_TAKE(answer, run("good"));
  EXPECT_EQ(answer.text, "hello");
  EXPECT_EQ(answer.model, "test-model-1");
  EXPECT_EQ(answer.usage.inputTokens, 12u);
  EXPECT_EQ(answer.usage.outputTokens, 3u);
  EXPECT_EQ(answer.usage.cachedTokens, 8u);
  EXPECT_EQ(answer.finishReason, FinishReason::Stop);
  EXPECT_EQ(answer.origin, "live");
  EXPECT_EQ(answer.attempts, 1u);
  EXPECT_FALSE(answer.cutOff());
  std::string sent = server->received("good");
  EXPECT_CONTAINS(sent, isChat()
                            ? std::string("\"Authorization\":\"Bearer ") + key
                            : std::string("\"x-api-key\":\"") + key);
  EXPECT_CONTAINS(sent, "\\\"model\\\":\\\"asked-model\\\"");
  EXPECT_CONTAINS(sent, "\\\"temperature\\\":0.5");
  EXPECT_CONTAINS(sent, "\\\"max_tokens\\\":100");
}

TEST_P(HttpModelTest, TakesListsOfPartsAndNoContentType) {
  EVO_TAKE(parts, run("parts"));
  EXPECT_EQ(parts.text, "hello");
  EVO_TAKE(untyped, run("no-type"));
  EXPECT_EQ(untyped.text, "hello");
}

TEST_P(HttpModelTest, HonoursRetryAfter) {
  EVO_TAKE(answer, run("busy"));
  EXPECT_EQ(answer.attempts, 2u);
  // A second, and up to a tenth more; the back-off alone is 20 ms.
  EXPECT_GE(clock->elapsed, milliseconds(1000));
  EXPECT_LE(clock->elapsed, milliseconds(1100));
  EXPECT_DOUBLE_EQ(answer.seconds, clock->elapsed.count() / 1e3);
}

TEST_P(HttpModelTest, DoesNotWaitLongerThanAllowed) {
  Failed failure = failed(run("busy-long"));
  EXPECT_EQ(failure.kind, Kind::Overloaded);
  EXPECT_CONTAINS(failure.text,
                  "; the server asks to wait 86400 s, longer than allowed");
  EXPECT_EQ(server->count("busy-long"), 1u);
  EXPECT_EQ(clock->elapsed, milliseconds(0));
}

TEST_P(HttpModelTest, AnEmptyAccountIsNotRetried) {
  Failed failure = failed(run("quota"));
  EXPECT_EQ(failure.kind, Kind::Rejected);
  EXPECT_CONTAINS(failure.text, "no money");
  EXPECT_EQ(server->count("quota"), 1u);
}

TEST_P(HttpModelTest, GivesUpAfterBoundedAttempts) {
  Failed failure = failed(run("broken"));
  EXPECT_EQ(failure.kind, Kind::Overloaded);
  EXPECT_CONTAINS(failure.text, "status 500: <html>internal error</html>");
  EXPECT_CONTAINS(failure.text, "gave up after 3 attempts");
  EXPECT_EQ(server->count("broken"), 3u);
}

TEST_P(HttpModelTest, OverallTimeBoundsTheAttempts) {
  HttpModelOptions options = optionsFor("broken");
  options.retry.maxAttempts = 1000000;
  options.retry.firstWait = options.retry.longestWait = milliseconds(100000);
  options.overallTimeout = milliseconds(500000);
  options.jitterSeed = 1;
  Failed failure = failed(run(options));
  EXPECT_EQ(failure.kind, Kind::Overloaded);
  EXPECT_CONTAINS(failure.text, "no time left for another attempt");
  // Each wait is half to all of 100 s, and the last one would not have fitted.
  EXPECT_LT(clock->elapsed, options.overallTimeout);
  EXPECT_GE(clock->elapsed, milliseconds(400000));
  EXPECT_GE(server->count("broken"), 5u);
  EXPECT_LE(server->count("broken"), 10u);
}

TEST_P(HttpModelTest, TheDeadlineOfARequestBoundsItsAttempts) {
  HttpModelOptions options = optionsFor("broken");
  options.retry.maxAttempts = 1000000;
  options.retry.firstWait = options.retry.longestWait = milliseconds(100000);
  options.jitterSeed = 1;
  options.overallTimeout = milliseconds(10000000);
  EVO_TAKE(client, HttpModelClient::create(options));
  ModelRequest request = ask("q");
  request.deadline = clock->now() + milliseconds(500000);
  Failed failure = failed(client->complete(request));
  EXPECT_CONTAINS(failure.text, "no time left for another attempt");
  EXPECT_LT(clock->elapsed, milliseconds(500000));
  EXPECT_LE(server->count("broken"), 10u);
  // One that has passed: nobody is asked.
  unsigned asked = server->count("broken");
  request.deadline = clock->now();
  failure = failed(client->complete(request));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  EXPECT_CONTAINS(failure.text, ": the overall time is used up");
  EXPECT_EQ(server->count("broken"), asked);
}

TEST_P(HttpModelTest, RetriesResetsThenSucceeds) {
  EVO_TAKE(answer, run("reset"));
  EXPECT_EQ(answer.text, "after resets");
  EXPECT_EQ(answer.attempts, 3u);
}

TEST_P(HttpModelTest, GivesUpOnEndlessResets) {
  Failed failure = failed(run("reset-forever"));
  EXPECT_EQ(failure.kind, Kind::Unreachable);
  EXPECT_CONTAINS(failure.text, "the connection was lost");
  EXPECT_EQ(server->count("reset-forever"), 3u);
}

TEST_P(HttpModelTest, ATruncatedBodyIsALostConnection) {
  Failed failure = failed(run("truncated"));
  EXPECT_EQ(failure.kind, Kind::Unreachable);
  EXPECT_EQ(server->count("truncated"), 3u);
}

TEST_P(HttpModelTest, RefusesBadAnswersOnce) {
  const struct {
    const char *mode, *expected;
  } cases[] = {
      {"malformed", "not complete, valid JSON"},
      {"html", "content type is 'text/html', expected 'application/json'"},
      {"no-choices", isChat() ? "no 'choices[0].message.content'"
                              : "the answer has no 'content'"},
      {"null-content",
       isChat() ? "finish reason 'content_filter')"
                  "; the model refused: I would rather not"
                : "the answer has no text in 'content' (finish reason "
                  "'refusal')"},
      {"wrong-types", isChat() ? "no text in 'choices[0].message.content'"
                               : "no text in 'content'"},
      {"error-in-200", "the provider answered with an error: upstream is down"},
      {"empty", "the answer is empty"},
  };
  for (auto &[mode, expected] : cases) {
    Failed failure = failed(run(mode));
    EXPECT_EQ(failure.kind, Kind::BadAnswer) << mode;
    EXPECT_CONTAINS(failure.text, expected);
    EXPECT_EQ(server->count(mode), 1u) << mode;
  }
}

TEST_P(HttpModelTest, ToleratesOddUsage) {
  EVO_TAKE(answer, run("odd-usage"));
  EXPECT_EQ(answer.usage.inputTokens, 0u);
  EXPECT_EQ(answer.usage.outputTokens, 0u);
  EXPECT_EQ(answer.model, "asked-model");
}

TEST_P(HttpModelTest, SaysWhenTheAnswerWasCutOff) {
  EVO_TAKE(answer, run("cut-off"));
  EXPECT_TRUE(answer.cutOff());
}

TEST_P(HttpModelTest, CapsTheSizeOfAnswers) {
  HttpModelOptions options = optionsFor("huge");
  EVO_TAKE(fits, run(options)); // 4 MiB below the default cap
  EXPECT_EQ(fits.text.size(), size_t(4) << 20);
  const std::pair<const char *, const char *> cases[] = {
      {"huge", "the answer exceeds 1048576 bytes"},
      {"endless", "the answer exceeds 1048576 bytes"},
      {"header-flood", "the answer's headers exceed "}};
  for (auto &[mode, expected] : cases) {
    options = optionsFor(mode);
    options.maxAnswerBytes = 1 << 20;
    Failed failure = failed(run(options));
    EXPECT_EQ(failure.kind, Kind::TooLarge) << mode << failure.text;
    EXPECT_CONTAINS(failure.text, expected);
  }
}

TEST_P(HttpModelTest, ATrickleIsAStall) {
  HttpModelOptions options = optionsFor("trickle");
  options.stallWindow = milliseconds(600);
  options.retry.maxAttempts = 1;
  Failed failure = failed(run(options));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  // The server would trickle on for longer than the attempt's own time, of
  // which another text speaks.
  EXPECT_CONTAINS(failure.text, "the answer stalled");
  EXPECT_CONTAINS(failure.text, " bytes of the answer arrived in 600 ms");
}

TEST_P(HttpModelTest, SilenceBeforeTheAnswerIsNoStall) {
  HttpModelOptions options = optionsFor("thinks");
  options.stallWindow = milliseconds(300);
  EVO_TAKE(answer, run(options));
  EXPECT_EQ(answer.text, "thought");
}

TEST_P(HttpModelTest, AnAttemptThatTimesOutIsNotRepeated) {
  HttpModelOptions options = optionsFor("silent");
  options.attemptTimeout = milliseconds(500);
  Failed failure = failed(run(options));
  EXPECT_EQ(failure.kind, Kind::TimedOut);
  EXPECT_CONTAINS(failure.text, "no complete answer in time");
  // A repetition would have been waited for.
  EXPECT_EQ(clock->elapsed, milliseconds(0));
}

TEST_P(HttpModelTest, StopsOnRequest) {
  HttpModelOptions options = optionsFor("silent");
  options.shouldStop = [] { return true; };
  EXPECT_EQ(failed(run(options)).kind, Kind::Cancelled);
}

TEST_P(HttpModelTest, StopsBetweenAttempts) {
  HttpModelOptions options = optionsFor("busy");
  options.shouldStop = [&] { return clock->elapsed >= milliseconds(500); };
  Failed failure = failed(run(options));
  EXPECT_EQ(failure.kind, Kind::Cancelled);
  EXPECT_EQ(failure.text, "stopped on request");
  EXPECT_EQ(clock->elapsed, milliseconds(500)); // of the 1000 to wait
  EXPECT_EQ(server->count("busy"), 1u);
}

TEST_P(HttpModelTest, ARefusedConnectionIsRetriedThenReported) {
  // Bound, so that nobody else gets the port, but not listening.
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr *>(&address), length), 0);
  getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length);
  HttpModelOptions options = optionsFor("good");
  options.baseUrl =
      "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/v1";
  Failed failure = failed(run(options));
  close(fd);
  EXPECT_EQ(failure.kind, Kind::Unconnected);
  EXPECT_CONTAINS(failure.text, "could not connect");
  EXPECT_CONTAINS(failure.text, "gave up after 3 attempts");
}

TEST_P(HttpModelTest, RedirectsAreNotFollowed) {
  Failed failure = failed(run("redirect"));
  EXPECT_EQ(failure.kind, Kind::Rejected);
  EXPECT_CONTAINS(failure.text,
                  ": the server redirects, which is not followed; correct the "
                  "base URL");
  EXPECT_EQ(server->count("redirect"), 1u);
}

TEST_P(HttpModelTest, DropsARefusedSchemaForGood) {
  ModelRequest request = ask("hi");
  request.schema = llvm::json::Object{{"type", "object"}};
  EVO_TAKE(client, HttpModelClient::create(optionsFor("no-schema")));
  EVO_TAKE(first, client->complete(request));
  EXPECT_EQ(first.text, "plain");
  EXPECT_EQ(server->count("no-schema"), 2u);
  EVO_TAKE(second, client->complete(request));
  EXPECT_EQ(second.attempts, 1u);
  EXPECT_EQ(server->count("no-schema"), 3u);
  EXPECT_CONTAINS(server->received("no-schema"),
                  isChat() ? "json_schema" : "input_schema");
}

TEST_P(HttpModelTest, DropsASchemaThatIsRefusedByName) {
  ModelRequest request = ask("hi");
  request.schema = llvm::json::Object{{"type", "object"}};
  EVO_TAKE(client, HttpModelClient::create(optionsFor("schema-by-name")));
  EVO_TAKE(first, client->complete(request));
  EXPECT_EQ(first.text, "plain");
  EXPECT_EQ(server->count("schema-by-name"), 2u);
}

TEST_P(HttpModelTest, KeepsASchemaThatIsNotWhatWasRefused) {
  ModelRequest request = ask("hi");
  request.schema = llvm::json::Object{{"type", "object"}};
  // Whatever the message speaks of: the server names another member.
  EVO_TAKE(named, HttpModelClient::create(optionsFor("wrong-model")));
  Failed failure = failed(named->complete(request));
  EXPECT_EQ(failure.kind, Kind::Rejected);
  EXPECT_CONTAINS(failure.text, "status 400: a tool of this schema");
  EXPECT_EQ(server->count("wrong-model"), 1u);
  // It names none, and refuses the request without a schema as well.
  EVO_TAKE(mute, HttpModelClient::create(optionsFor("says-no")));
  EXPECT_EQ(failed(mute->complete(request)).kind, Kind::Rejected);
  EXPECT_EQ(server->count("says-no"), 2u);
  EXPECT_EQ(failed(mute->complete(request)).kind, Kind::Rejected);
  EXPECT_EQ(server->count("says-no"), 4u);
}

// Keys.

TEST_P(HttpModelTest, TheKeyIsInNoErrorText) {
  for (const char *mode : {"unauthorized", "edge-key", "escaped-key"}) {
    Failed failure = failed(run(mode));
    EXPECT_EQ(failure.kind, Kind::Rejected);
    EXPECT_LACKS(failure.text, key);
    EXPECT_LACKS(failure.text, "sk-very");
    EXPECT_CONTAINS(failure.text, "[redacted]");
  }
}

TEST_P(HttpModelTest, TheKeyIsInNoAnswerAndNoPrompt) {
  setenv("EVO_TEST_TOKEN", "team-token-987654", 1);
  HttpModelOptions options = optionsFor("echo");
  options.headers = {{"X-Team-Token", "", "EVO_TEST_TOKEN"},
                     {"X-Title", "evo", ""}};
  EVO_TAKE(client, HttpModelClient::create(options));
  EVO_TAKE(answer,
           client->complete(ask(std::string("a log says ") + key + " here")));
  EXPECT_EQ(answer.text, "you sent [redacted] and [redacted]");
  std::string sent = server->received("echo");
  EXPECT_CONTAINS(sent, "a log says [redacted] here");
  EXPECT_CONTAINS(sent, "team-token-987654"); // as a header it must go
  EXPECT_CONTAINS(sent, "\"X-Title\":\"evo\"");
  EXPECT_EQ(client->redact(std::string("<") + key + ">"), "<[redacted]>");
  EXPECT_EQ(client->redact("nothing here"), "nothing here");
}

TEST_P(HttpModelTest, AServerWithoutKeyGetsNone) {
  HttpModelOptions options = optionsFor("count");
  options.keyVariable.clear();
  EVO_TAKE(answer, run(options));
  EXPECT_EQ(answer.text, "answer 1");
  EXPECT_LACKS(server->received("count"), "Authorization");
  EXPECT_LACKS(server->received("count"), "x-api-key");
}

TEST_P(HttpModelTest, NoProxyStandsBetweenUsAndThisMachine) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  auto answer = run("good");
  // A name that cannot exist needs the proxy, which is not there.
  HttpModelOptions options = optionsFor("good");
  options.baseUrl = "http://models.invalid/v1";
  options.keyVariable.clear();
  options.retry.maxAttempts = 1;
  Failed failure = failed(run(options));
  unsetenv("http_proxy");
  ASSERT_TRUE(static_cast<bool>(answer)) << llvm::toString(answer.takeError());
  EXPECT_EQ(failure.kind, Kind::Unconnected);
  EXPECT_CONTAINS(failure.text, "127.0.0.1 port 1");
}

TEST_P(HttpModelTest, OneClientServesSeveralThreads) {
  EVO_TAKE(client, HttpModelClient::create(optionsFor("parts")));
  std::atomic<unsigned> answered{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 4; ++j) {
        auto answer = client->complete(ask("hi"));
        if (answer && answer->text == "hello")
          ++answered;
        else if (!answer)
          llvm::consumeError(answer.takeError());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(answered, 16u);
}

TEST_P(HttpModelTest, AQueryOfTheBaseUrlIsKeptButNotShown) {
  HttpModelOptions options = optionsFor("broken");
  options.baseUrl += "/v1?api-key=abcdefgh-ijkl&version=3";
  options.retry.maxAttempts = 1;
  Failed failure = failed(run(options));
  EXPECT_LACKS(failure.text, "abcdefgh-ijkl");
  EXPECT_CONTAINS(server->received("broken"),
                  isChat() ? "/broken/v1/chat/completions?api-key=abcdefgh-ijkl"
                           : "/broken/v1/messages?api-key=abcdefgh-ijkl");
}

// Networks.

TEST_P(HttpModelTest, ACertificateThatNobodyTrustsIsRefusedAtOnce) {
  HttpModelOptions options = optionsFor("good");
  options.baseUrl = server->untrustedUrl("good");
  Failed failure = failed(run(options));
  EXPECT_EQ(failure.kind, Kind::Configuration);
  EXPECT_CONTAINS(failure.text, "certificate");
  EXPECT_EQ(server->count("good"), 0u);
  EXPECT_EQ(clock->elapsed, milliseconds(0));
}

TEST_P(HttpModelTest, AServerThatSpeaksNoTlsIsRetriedThenReported) {
  HttpModelOptions options = optionsFor("good");
  options.baseUrl.replace(0, 4, "https");
  Failed failure = failed(run(options));
  EXPECT_EQ(failure.kind, Kind::Unconnected);
  EXPECT_CONTAINS(failure.text, "gave up after 3 attempts");
  EXPECT_EQ(server->count("good"), 0u);
}

TEST_P(HttpModelTest, NoRouteAndNoNameAreNoConnection) {
  // The first address is for documentation and leads nowhere (RFC 5737), the
  // second name cannot exist (RFC 2606).
  for (const char *host : {"192.0.2.1", "models.invalid"}) {
    HttpModelOptions options = optionsFor("good");
    options.baseUrl = std::string("http://") + host + "/v1";
    options.keyVariable.clear();
    options.connectTimeout = milliseconds(200);
    Failed failure = failed(run(options));
    EXPECT_EQ(failure.kind, Kind::Unconnected) << failure.text;
    EXPECT_CONTAINS(failure.text, "could not connect");
  }
}

TEST_P(HttpModelTest, AnOverloadedServerIsAskedAgain) {
  EVO_TAKE(answer, run("overloaded"));
  EXPECT_EQ(answer.attempts, 2u);
}

// Bills.

TEST_P(HttpModelTest, WhatMayHaveBeenBilledIsRepeatedOnlyIfAllowed) {
  HttpModelOptions options = optionsFor("reset-forever");
  EVO_TAKE(client, HttpModelClient::create(options));
  ModelRequest request = ask("hi");
  unsigned asked = 0;
  request.mayRepeat = [&] { return ++asked < 2; };
  Failed failure = failed(client->complete(request));
  EXPECT_EQ(failure.kind, Kind::Unreachable);
  EXPECT_CONTAINS(failure.text, "might cost more than is allowed");
  EXPECT_EQ(asked, 2u);
  EXPECT_EQ(server->count("reset-forever"), 2u);
  // A refusal that is surely free is repeated without a question.
  server->forget();
  asked = 10;
  EVO_TAKE(busy, HttpModelClient::create(optionsFor("busy")));
  EVO_TAKE(answer, busy->complete(request));
  EXPECT_EQ(answer.attempts, 2u);
  EXPECT_EQ(asked, 10u);
}

TEST_P(HttpModelTest, ARequestMayNameItsModel) {
  EVO_TAKE(client, HttpModelClient::create(optionsFor("good")));
  ModelRequest request = ask("hi");
  request.model = "another-model";
  EVO_TAKE(answer, client->complete(request));
  EXPECT_CONTAINS(server->received("good"),
                  "\\\"model\\\":\\\"another-model\\\"");
}

INSTANTIATE_TEST_SUITE_P(Forms, HttpModelTest,
                         ::testing::Values(WireForm::ChatCompletions,
                                           WireForm::Messages),
                         [](const auto &info) {
                           return info.param == WireForm::Messages
                                      ? std::string("Messages")
                                      : std::string("Chat");
                         });

TEST(HttpModelConfiguration, RefusesWhatCannotWork) {
  unsetenv("EVO_TEST_UNSET");
  setenv("EVO_TEST_KEY", key, 1);
  setenv("EVO_TEST_BAD", "first line\r\nX-Evil: yes", 1);
  const HttpModelOptions good = [] {
    HttpModelOptions options;
    options.baseUrl = "https://models.example/v1";
    options.model = "m";
    return options;
  }();
  EXPECT_TRUE(static_cast<bool>(HttpModelClient::create(good)));

  auto expectRefusal = [](const HttpModelOptions &options,
                          const char *expected) {
    SCOPED_TRACE(expected);
    Failed failure = failed(HttpModelClient::create(options));
    EXPECT_EQ(failure.kind, Kind::Configuration);
    EXPECT_CONTAINS(failure.text, expected);
    EXPECT_LACKS(failure.text, key);
  };
  HttpModelOptions bad = good;
  bad.keyVariable = "EVO_TEST_UNSET";
  expectRefusal(bad, "'EVO_TEST_UNSET' is not set or empty");
  bad.keyVariable = "EVO_TEST_BAD";
  expectRefusal(bad, "the value of header 'Authorization' contains a line end");
  bad = good;
  bad.model = "";
  expectRefusal(bad, "no model is named");
  bad = good;
  bad.baseUrl = "ftp://models.example";
  expectRefusal(bad, "must begin with 'http://' or 'https://'");
  bad.baseUrl = std::string("https://me:") + key + "@models.example";
  expectRefusal(bad, "carries a user or password");
  bad.baseUrl = "https:///v1";
  expectRefusal(bad, "the base URL names no host");
  bad = good;
  bad.headers = {{"X Bad", "1", ""}};
  expectRefusal(bad, "is no header name");
  bad = good;
  bad.baseUrl = "http://models.example/v1";
  bad.keyVariable = "EVO_TEST_KEY";
  expectRefusal(bad, "over plain http");
  bad.allowKeyOverHttp = true;
  EXPECT_TRUE(static_cast<bool>(HttpModelClient::create(bad)));
}

} // namespace
