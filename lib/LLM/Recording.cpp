// Record an exchange with a model, replay it. Records are written by LLVM's
// JSON writer (sorted keys, so that they diff well) and read by nlohmann/json,
// whose parser does not recurse on the stack: a record may come from anywhere.
#include "evo/LLM/Recording.h"
#include "Redaction.h"
#include "TextFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <nlohmann/json.hpp>

namespace evo::llm {

using json = nlohmann::json;
using Kind = ModelError::Kind;
using llvm::json::fixUTF8;
using llvm::json::Object;

static constexpr int recordFormat = 1;
static constexpr uint64_t maxRecordBytes = 64u << 20;

static std::string recordPath(llvm::StringRef folder, llvm::StringRef hash,
                              unsigned number) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, hash + "-" + llvm::Twine(number) + ".json");
  return path.str().str();
}

// Recording.

RecordingClient::RecordingClient(std::unique_ptr<ModelClient> inner,
                                 std::string folder)
    : inner(std::move(inner)), folder(std::move(folder)) {}

std::string RecordingClient::redact(llvm::StringRef text) const {
  return inner->redact(text);
}

llvm::Error RecordingClient::write(llvm::StringRef hash,
                                   llvm::StringRef outcomeKey,
                                   llvm::json::Value outcome,
                                   const ModelRequest &request) {
  if (llvm::Error error = makeFolder(folder))
    return error;
  llvm::json::Array messages;
  for (const Message &message : request.messages)
    messages.push_back(Object{{"role", roleName(message.role)},
                              {"text", redact(fixUTF8(message.text))}});
  Object content{{"id", redact(fixUTF8(request.id))},
                 {"maxTokens", request.maxTokens},
                 {"messages", std::move(messages)}};
  if (!request.task.empty())
    content["task"] = redact(fixUTF8(request.task));
  if (!request.stage.empty())
    content["stage"] = redact(fixUTF8(request.stage));
  if (request.temperature)
    content["temperature"] = *request.temperature;
  if (!request.model.empty())
    content["model"] = redact(fixUTF8(request.model));
  if (request.schema)
    content["schema"] = *request.schema;
  for (unsigned number = 0;; ++number) {
    std::string path = recordPath(folder, hash, number);
    if (llvm::sys::fs::exists(path))
      continue;
    llvm::json::Value record = Object{{"format", recordFormat},
                                      {"requestHash", hash},
                                      {"number", number},
                                      {"request", Object(content)},
                                      {outcomeKey, outcome}};
    llvm::Expected<bool> written =
        writeNewFileAtomically(path, llvm::formatv("{0:2}\n", record).str());
    if (!written)
      return written.takeError();
    if (*written) // else another process was faster: the next number
      return llvm::Error::success();
  }
}

llvm::Expected<ModelAnswer>
RecordingClient::complete(const ModelRequest &request) {
  std::string hash = requestHash(request);
  llvm::Expected<ModelAnswer> answer = inner->complete(request);
  if (answer) {
    // The same text goes on as is recorded, or the replay would differ.
    answer->text = redact(fixUTF8(answer->text));
    Object usage{{"inputTokens", answer->usage.inputTokens},
                 {"outputTokens", answer->usage.outputTokens},
                 {"cachedTokens", answer->usage.cachedTokens}};
    if (answer->usage.cacheWriteTokens)
      usage["cacheWriteTokens"] = answer->usage.cacheWriteTokens;
    llvm::json::Value outcome =
        Object{{"text", answer->text},
               {"model", redact(fixUTF8(answer->model))},
               {"origin", answer->origin},
               {"finishReason", finishReasonName(answer->finishReason)},
               {"attempts", answer->attempts},
               {"seconds", answer->seconds},
               {"usage", std::move(usage)}};
    if (llvm::Error error = write(hash, "answer", std::move(outcome), request))
      return std::move(error);
    return answer;
  }
  return llvm::handleErrors(
      answer.takeError(), [&](const ModelError &error) -> llvm::Error {
        std::string text = redact(fixUTF8(error.message()));
        llvm::StringRef kind = kindName(error.getKind());
        if (error.concernsAnswerOnly())
          if (llvm::Error unwritten =
                  write(hash, "failure",
                        Object{{"kind", kind}, {"message", text}}, request))
            return unwritten;
        return modelError(error.getKind(), text);
      });
}

// Replay.

ReplayClient::ReplayClient(std::string folder, ReplayMatch match,
                           EarlierAnswers earlierAnswers)
    : folder(std::move(folder)), match(match),
      earlierAnswers(std::move(earlierAnswers)) {}

static const json *member(const json &value, const char *key) {
  if (!value.is_object())
    return nullptr;
  auto found = value.find(key);
  return found == value.end() ? nullptr : &*found;
}
static std::string text(const json &value, const char *key) {
  const json *found = member(value, key);
  return found && found->is_string() ? found->get<std::string>() : "";
}
static uint64_t count(const json &value, const char *key) {
  const json *found = member(value, key);
  return found && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

/// The start of the last message, to tell people which request is meant.
static std::string nameRequest(const ModelRequest &request) {
  std::string shown =
      request.messages.empty() ? "" : request.messages.back().text;
  return (request.id.empty() ? "" : "'" + request.id + "' ") + "(\"" +
         excerpt(shown, 60) + "\")";
}

/// `hash` may be empty: any request's.
static llvm::Expected<ModelAnswer>
readRecord(const json &record, llvm::StringRef hash, llvm::StringRef path) {
  auto bad = [&](const llvm::Twine &what) {
    return modelError(Kind::Files, "record '" + path + "' " + what);
  };
  if (record.is_discarded() || !record.is_object())
    return bad("is not a complete JSON object");
  if (count(record, "format") != recordFormat)
    return bad("has no known format, expected " + llvm::Twine(recordFormat));
  if (!hash.empty() && text(record, "requestHash") != hash)
    return bad("is of another request, '" +
               excerpt(text(record, "requestHash"), 40) + "'");
  if (const json *failure = member(record, "failure")) {
    std::optional<Kind> kind = kindFromName(text(*failure, "kind"));
    if (!kind)
      return bad("has a failure of unknown kind '" +
                 excerpt(text(*failure, "kind"), 40) + "'");
    return modelError(*kind, text(*failure, "message"));
  }
  const json *recorded = member(record, "answer");
  const json *recordedText = recorded ? member(*recorded, "text") : nullptr;
  if (!recordedText || !recordedText->is_string())
    return bad("has no 'answer.text'");
  ModelAnswer answer;
  answer.text = recordedText->get<std::string>();
  answer.model = text(*recorded, "model");
  answer.finishReason = finishReasonFromName(text(*recorded, "finishReason"));
  answer.origin = text(*recorded, "origin");
  answer.attempts = static_cast<unsigned>(count(*recorded, "attempts"));
  if (const json *seconds = member(*recorded, "seconds");
      seconds && seconds->is_number())
    answer.seconds = seconds->get<double>();
  if (const json *usage = member(*recorded, "usage"))
    answer.usage = {count(*usage, "inputTokens"), count(*usage, "outputTokens"),
                    count(*usage, "cachedTokens"),
                    count(*usage, "cacheWriteTokens")};
  answer.replayed = true;
  return answer;
}

static llvm::Expected<json> readJSON(llvm::StringRef path) {
  llvm::Expected<std::string> content = readTextFile(path, maxRecordBytes);
  if (!content)
    return content.takeError();
  return json::parse(*content, nullptr, false);
}

/// Records that do not say what stage they are of are of candidates: a
/// correction that is asked for today must not take what was said to something
/// else.
static std::string taskKey(llvm::StringRef task, llvm::StringRef stage,
                           llvm::StringRef id) {
  return (task + "\n" + (stage.empty() ? "propose" : stage) + "\n" + id).str();
}

/// The number that ends the name of a request, "k/m12"; nothing where none
/// does.
static std::optional<uint64_t> serialOf(llvm::StringRef id) {
  llvm::StringRef digits = id.substr(id.find_last_not_of("0123456789") + 1);
  uint64_t number;
  if (digits.empty() || digits.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

llvm::Error ReplayClient::index() {
  if (byTask)
    return llvm::Error::success();
  std::vector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator at(folder, code), end;
       at != end && !code; at.increment(code))
    if (llvm::StringRef(at->path()).ends_with(".json"))
      paths.push_back(at->path());
  if (code)
    return modelError(Kind::Files,
                      "cannot list '" + folder + "': " + code.message());
  llvm::sort(paths);
  byTask.emplace();
  for (const std::string &path : paths) {
    llvm::Expected<json> record = readJSON(path);
    if (!record)
      return record.takeError();
    const json *recorded = member(*record, "request");
    std::string task = recorded ? text(*recorded, "task") : "";
    if (task.empty())
      continue;
    std::string id = text(*recorded, "id");
    (*byTask)[taskKey(task, text(*recorded, "stage"), id)].push_back(path);
    if (std::optional<uint64_t> serial = serialOf(id))
      lastSerial[task] = std::max(lastSerial.lookup(task), *serial);
  }
  return llvm::Error::success();
}

/// Whether the recorded search had come to its end before `request`: all that
/// was asked about the task has a lower number.
bool ReplayClient::isBeyondRecording(const ModelRequest &request) const {
  auto last = lastSerial.find(request.task);
  std::optional<uint64_t> serial = serialOf(request.id);
  return !request.task.empty() && last != lastSerial.end() && serial &&
         *serial > last->second;
}

llvm::Expected<std::string>
ReplayClient::findByTask(const ModelRequest &request) {
  std::string key = taskKey(request.task, request.stage, request.id);
  auto found = byTask->find(key);
  // A hash is one line, so its counter is another than that of a task.
  unsigned number = asked[key]++;
  if (found == byTask->end() || number >= found->second.size())
    return std::string();
  return found->second[number];
}

llvm::Expected<ModelAnswer>
ReplayClient::complete(const ModelRequest &request) {
  std::string hash = requestHash(request), path;
  unsigned number;
  bool isReworded = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    number = (earlierAnswers ? earlierAnswers(hash) : 0) + asked[hash]++;
    path = recordPath(folder, hash, number);
    bool isMissing = !llvm::sys::fs::exists(path);
    if (isMissing)
      if (llvm::Error error = index())
        return std::move(error);
    if (match == ReplayMatch::Task && isMissing) {
      llvm::Expected<std::string> other = findByTask(request);
      if (!other)
        return other.takeError();
      isReworded = !other->empty();
      if (isReworded)
        path = *other;
    }
  }
  if (!isReworded && !llvm::sys::fs::exists(path)) {
    if (number == 0 && isBeyondRecording(request))
      return modelError(Kind::Exhausted, "the recording in '" + folder +
                                             "' ends before request " +
                                             nameRequest(request));
    std::string message = "no record of request " + nameRequest(request) +
                          ": '" + path + "' does not exist";
    if (number > 0)
      message += "; the recording answers this request only " +
                 std::to_string(number) + " times";
    else if (match == ReplayMatch::Task)
      message += ", nor does a record of the same task and name";
    else
      message += "; the prompt, the temperature or the token limit differs "
                 "from the recorded run";
    return modelError(Kind::MissingRecord, message);
  }
  llvm::Expected<json> record = readJSON(path);
  if (!record)
    return record.takeError();
  llvm::Expected<ModelAnswer> answer =
      readRecord(*record, isReworded ? "" : hash, path);
  if (answer)
    answer->reworded = isReworded;
  return answer;
}

} // namespace evo::llm
