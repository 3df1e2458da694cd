// Record, then replay without the model. A scripted client stands for the
// model, with a secret that must not reach the records.
#include "evo/LLM/Recording.h"
#include "TestSupport.h"

using namespace evo::llm;
using namespace evo::llm::test;
using Kind = ModelError::Kind;

namespace {

/// Answers with a count; fails where the text says so.
class ScriptedClient : public ModelClient {
public:
  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override {
    llvm::StringRef text = request.messages.back().text;
    if (text == "bad")
      return modelError(Kind::BadAnswer, "no text, but hunter22");
    if (text == "down")
      return modelError(Kind::Unreachable, "nobody there");
    ModelAnswer answer;
    answer.text = "answer " + std::to_string(++count) + " to " + text.str();
    answer.model = "scripted";
    answer.usage = {10, 20, 5};
    answer.seconds = 1.25;
    answer.attempts = 2;
    answer.finishReason = FinishReason::Length;
    answer.origin = "exchange";
    return answer;
  }
  std::string redact(llvm::StringRef text) const override {
    std::string result = text.str();
    for (size_t at; (at = result.find("hunter22")) != std::string::npos;)
      result.replace(at, 8, "[redacted]");
    return result;
  }

private:
  unsigned count = 0;
};

RecordingClient recordInto(const TempFolder &folder) {
  return RecordingClient(std::make_unique<ScriptedClient>(),
                         folder.file("records"));
}

TEST(Recording, ReplaysTheSameAnswersInOrder) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  std::vector<std::string> live;
  for (const char *text : {"a", "b", "a"}) {
    EVO_TAKE(answer, recording.complete(ask(text)));
    EXPECT_FALSE(answer.replayed);
    live.push_back(answer.text);
  }
  ReplayClient replay(folder.file("records"));
  std::vector<std::string> replayed;
  // In another order between different requests: matched by content.
  for (const char *text : {"b", "a", "a"}) {
    EVO_TAKE(answer, replay.complete(ask(text)));
    EXPECT_TRUE(answer.replayed);
    replayed.push_back(answer.text);
  }
  EXPECT_EQ(replayed, (std::vector<std::string>{live[1], live[0], live[2]}));
}

TEST(Replay, GoesOnWhereAnEarlierProcessOfTheRunEnded) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  for (int i = 0; i < 2; ++i)
    (void)llvm::cantFail(recording.complete(ask("a")));
  ReplayClient replay(folder.file("records"), ReplayMatch::Exact,
                      [](llvm::StringRef) { return 1u; });
  EVO_TAKE(answer, replay.complete(ask("a")));
  EXPECT_EQ(answer.text, "answer 2 to a");
  EXPECT_EQ(failed(replay.complete(ask("a"))).kind, Kind::MissingRecord);
}

TEST(Recording, KeepsWhatBelongsToAnAnswer) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  ModelRequest request = ask("a");
  request.id = "p7";
  EVO_TAKE(live, recording.complete(request));
  (void)live;
  std::string path =
      folder.file("records") + "/" + requestHash(request) + "-0.json";
  std::string record = readFile(path);
  EXPECT_CONTAINS(record, "\"origin\": \"exchange\"");
  EXPECT_CONTAINS(record, "\"requestHash\": \"" + requestHash(request) + "\"");
  EXPECT_CONTAINS(record, "\"id\": \"p7\"");
  EXPECT_CONTAINS(record, "be brief");
  ReplayClient replay(folder.file("records"));
  EVO_TAKE(answer, replay.complete(request));
  EXPECT_EQ(answer.model, "scripted");
  EXPECT_EQ(answer.origin, "exchange");
  EXPECT_EQ(answer.usage.inputTokens, 10u);
  EXPECT_EQ(answer.usage.outputTokens, 20u);
  EXPECT_EQ(answer.usage.cachedTokens, 5u);
  EXPECT_EQ(answer.seconds, 1.25);
  EXPECT_EQ(answer.attempts, 2u);
  EXPECT_TRUE(answer.cutOff());
}

TEST(Recording, ByTaskAnswersAnotherWording) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  auto about = [](const char *text, const char *id, const char *task) {
    ModelRequest request = ask(text);
    request.id = id;
    request.task = task;
    return request;
  };
  EVO_TAKE(first, recording.complete(about("a", "k/m0", "k-hash")));
  EVO_TAKE(other, recording.complete(about("b", "k/m1", "k-hash")));
  std::string records = folder.file("records");
  ModelRequest reworded = about("a, please", "k/m0", "k-hash");
  ReplayClient exact(records);
  EXPECT_EQ(failed(exact.complete(reworded)).kind, Kind::MissingRecord);
  ReplayClient byTask(records, ReplayMatch::Task);
  EVO_TAKE(answer, byTask.complete(reworded));
  EXPECT_EQ(answer.text, first.text);
  EXPECT_TRUE(answer.reworded);
  // The same words are no rewording.
  EVO_TAKE(same, byTask.complete(about("b", "k/m1", "k-hash")));
  EXPECT_EQ(same.text, other.text);
  EXPECT_FALSE(same.reworded);
  // Once recorded is once answered, and neither name nor task may differ.
  for (const ModelRequest &request :
       {reworded, about("c", "k/m1", "x-hash"), about("c", "k/m1", "")})
    EXPECT_EQ(failed(byTask.complete(request)).kind, Kind::MissingRecord);
}

TEST(Recording, StagesAreNotMistakenForEachOther) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  auto about = [](const char *text, const char *id, const char *stage) {
    ModelRequest request = ask(text);
    request.id = id;
    request.task = "k-hash";
    request.stage = stage;
    return request;
  };
  EVO_TAKE(first, recording.complete(about("a", "k/m0", "propose")));
  EVO_TAKE(second, recording.complete(about("b", "k/m4", "propose")));
  EVO_TAKE(third, recording.complete(about("c", "k/m6", "repair")));
  ReplayClient replay(folder.file("records"), ReplayMatch::Task);
  // What was never asked for is not answered by what was.
  EXPECT_EQ(failed(replay.complete(about("d", "k/m4", "repair"))).kind,
            Kind::MissingRecord);
  EVO_TAKE(proposed, replay.complete(about("e", "k/m4", "propose")));
  EXPECT_EQ(proposed.text, second.text);
  EVO_TAKE(repaired, replay.complete(about("f", "k/m6", "repair")));
  EXPECT_EQ(repaired.text, third.text);
}

TEST(Replay, ARecordingThatHasRunOutSaysSo) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  auto about = [](const char *id, const char *task) {
    ModelRequest request = ask(id);
    request.id = id;
    request.task = task;
    return request;
  };
  EVO_TAKE(first, recording.complete(about("k/m0", "k-hash")));
  EVO_TAKE(last, recording.complete(about("k/m9", "k-hash")));
  (void)first, (void)last;
  for (ReplayMatch match : {ReplayMatch::Exact, ReplayMatch::Task}) {
    ReplayClient replay(folder.file("records"), match);
    Failed failure = failed(replay.complete(about("k/m10", "k-hash")));
    EXPECT_EQ(failure.kind, Kind::Exhausted);
    EXPECT_CONTAINS(failure.text, "ends before request 'k/m10'");
    // Between two that were recorded, and of what nobody recorded.
    EXPECT_EQ(failed(replay.complete(about("k/m8", "k-hash"))).kind,
              Kind::MissingRecord);
    EXPECT_EQ(failed(replay.complete(about("k/m10", "x-hash"))).kind,
              Kind::MissingRecord);
  }
}

TEST(Recording, SecretsAreInNoRecord) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  EVO_TAKE(answer, recording.complete(ask("tell hunter22")));
  EXPECT_LACKS(answer.text, "hunter22");
  Failed failure = failed(recording.complete(ask("bad")));
  EXPECT_LACKS(failure.text, "hunter22");
  std::error_code code;
  unsigned files = 0;
  for (llvm::sys::fs::directory_iterator entry(folder.file("records"), code),
       end;
       !code && entry != end; entry.increment(code), ++files) {
    std::string record = readFile(entry->path());
    EXPECT_LACKS(record, "hunter22");
    EXPECT_CONTAINS(record, "[redacted]");
  }
  EXPECT_EQ(files, 2u);
  // Still found by the content as it was asked.
  ReplayClient replay(folder.file("records"));
  EVO_TAKE(replayed, replay.complete(ask("tell hunter22")));
  EXPECT_EQ(replayed.text, answer.text);
}

TEST(Recording, FailuresOfTheAnswerAreReplayedOthersAreNot) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  EXPECT_EQ(failed(recording.complete(ask("bad"))).kind, Kind::BadAnswer);
  EXPECT_EQ(failed(recording.complete(ask("down"))).kind, Kind::Unreachable);
  ReplayClient replay(folder.file("records"));
  Failed bad = failed(replay.complete(ask("bad")));
  EXPECT_EQ(bad.kind, Kind::BadAnswer);
  EXPECT_EQ(bad.text, "no text, but [redacted]");
  EXPECT_EQ(failed(replay.complete(ask("down"))).kind, Kind::MissingRecord);
}

TEST(Recording, NeverOverwrites) {
  TempFolder folder;
  for (int run = 0; run < 2; ++run) {
    RecordingClient recording = recordInto(folder);
    EVO_TAKE(answer, recording.complete(ask("a")));
    (void)answer;
  }
  EXPECT_TRUE(llvm::sys::fs::exists(folder.file("records") + "/" +
                                    requestHash(ask("a")) + "-1.json"));
}

TEST(Recording, AnAnswerThatCannotBeRecordedIsAnError) {
  TempFolder folder;
  writeFile(folder.file("records"), "a file is in the way");
  RecordingClient recording = recordInto(folder);
  EXPECT_EQ(failed(recording.complete(ask("a"))).kind, Kind::Files);
}

TEST(Replay, AMissingRecordNamesTheRequest) {
  TempFolder folder;
  RecordingClient recording = recordInto(folder);
  EVO_TAKE(answer, recording.complete(ask("a")));
  (void)answer;
  ReplayClient replay(folder.file("records"));
  ModelRequest changed = ask("a");
  changed.temperature = 0.6;
  changed.id = "p3";
  Failed failure = failed(replay.complete(changed));
  EXPECT_EQ(failure.kind, Kind::MissingRecord);
  EXPECT_CONTAINS(failure.text, "'p3' (\"a\")");
  EXPECT_CONTAINS(failure.text, ".json' does not exist");
  EXPECT_CONTAINS(failure.text, "differs from the recorded run");
  EVO_TAKE(first, replay.complete(ask("a")));
  (void)first;
  EXPECT_CONTAINS(failed(replay.complete(ask("a"))).text,
                  "answers this request only 1 times");
}

TEST(Replay, RefusesDamagedRecords) {
  TempFolder folder;
  std::string hash = requestHash(ask("a"));
  const std::pair<std::string, const char *> cases[] = {
      {"", "not a complete JSON object"},
      {"{\"format\": 1, \"requ", "not a complete JSON object"},
      {std::string(1 << 20, '['), "not a complete JSON object"},
      {"[]", "not a complete JSON object"},
      {"{\"format\": 2}", "no known format, expected 1"},
      {"{\"format\": 1, \"requestHash\": \"abc\"}",
       "of another request, 'abc'"},
      {"{\"format\": 1, \"requestHash\": \"" + hash + "\"}",
       "no 'answer.text'"},
      {"{\"format\": 1, \"requestHash\": \"" + hash +
           "\", \"answer\": {\"text\": 5}}",
       "no 'answer.text'"},
      {"{\"format\": 1, \"requestHash\": \"" + hash +
           "\", \"failure\": {\"kind\": \"sad\"}}",
       "failure of unknown kind 'sad'"},
  };
  for (const auto &[text, expected] : cases) {
    writeFile(folder.file(hash + "-0.json"), text);
    ReplayClient replay(folder.str());
    Failed failure = failed(replay.complete(ask("a")));
    EXPECT_EQ(failure.kind, Kind::Files);
    EXPECT_CONTAINS(failure.text, expected);
  }
}

} // namespace
