// Requests and answers as files. The waiting side cannot know how the other
// side writes: an editor saves in place, a script renames. So an answer is
// taken when it is not empty and has stayed the same over the settle time;
// writers are asked to rename, which makes that wait the only cost of the rule.
#include "evo/LLM/ExchangeClient.h"
#include "TextFiles.h"
#include "evo/Support/JSON.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace evo::llm {

namespace fs = llvm::sys::fs;
using Kind = ModelError::Kind;

static std::string pathOf(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

std::string exchangeRequestText(const ModelRequest &request,
                                llvm::StringRef id) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<!-- request " << id << " -->\n"
     << "<!-- What to do: read all of this file, then write the answer, in the "
        "form that it asks for, to '"
     << id << ".answer.md.part' in this folder, and rename that to '" << id
     << ".answer.md' when it is complete. The first line of the answer may be "
        "'<!-- model: NAME --"
        ">'. -->\n";
  if (request.maxTokens)
    os << "<!-- up to " << request.maxTokens << " tokens -->\n";
  for (const Message &message : request.messages)
    os << "\n<!-- " << roleName(message.role) << " -->\n\n"
       << llvm::json::fixUTF8(message.text) << "\n";
  if (request.schema)
    os << "\n<!-- A JSON answer obeys this schema:\n"
       << llvm::formatv("{0:2}", *request.schema) << "\n-->\n";
  return text;
}

/// The same for programs; nothing is lost.
static std::string exchangeRequestJSON(const ModelRequest &request) {
  llvm::json::Array messages;
  for (const Message &message : request.messages)
    messages.push_back(
        llvm::json::Object{{"role", roleName(message.role)},
                           {"text", llvm::json::fixUTF8(message.text)},
                           {"stableBytes", int64_t(message.stableBytes)}});
  llvm::json::Object object{{"format", 1},
                            {"id", llvm::json::fixUTF8(request.id)},
                            {"stage", request.stage},
                            {"maxTokens", request.maxTokens},
                            {"messages", std::move(messages)}};
  if (!request.model.empty())
    object["model"] = request.model;
  if (request.temperature)
    object["temperature"] = *request.temperature;
  if (request.schema)
    object["schema"] = *request.schema;
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object))).str();
}

static llvm::Expected<ModelRequest> readRequest(llvm::StringRef path) {
  llvm::Expected<std::string> text = readTextFile(path, 64u << 20);
  if (!text)
    return text.takeError();
  auto bad = [&] {
    return modelError(Kind::Files, "'" + path + "' is no request");
  };
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return bad();
  }
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Array *messages =
      object ? object->getArray("messages") : nullptr;
  if (!messages || object->getInteger("format") != 1)
    return bad();
  ModelRequest request;
  for (const llvm::json::Value &entry : *messages) {
    const llvm::json::Object *message = entry.getAsObject();
    auto words = message ? message->getString("text") : std::nullopt;
    auto role = message ? message->getString("role") : std::nullopt;
    if (!words || !role)
      return bad();
    Message &added = request.messages.emplace_back();
    for (Role known : {Role::System, Role::User, Role::Assistant})
      if (roleName(known) == *role)
        added.role = known;
    added.text = words->str();
    added.stableBytes = message->getInteger("stableBytes").value_or(0);
  }
  request.id = object->getString("id").value_or("").str();
  request.stage = object->getString("stage").value_or("").str();
  request.model = object->getString("model").value_or("").str();
  request.maxTokens = object->getInteger("maxTokens").value_or(0);
  request.temperature = object->getNumber("temperature");
  if (const llvm::json::Value *schema = object->get("schema"))
    request.schema = *schema;
  return request;
}

llvm::Expected<std::vector<OpenRequest>> openRequests(llvm::StringRef folder) {
  std::vector<std::string> paths;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; at != end && !code;
       at.increment(code))
    if (llvm::StringRef(at->path()).ends_with(".request.json"))
      paths.push_back(at->path());
  if (code)
    return modelError(Kind::Files,
                      "cannot list '" + folder + "': " + code.message());
  llvm::sort(paths);
  std::vector<OpenRequest> open;
  for (llvm::StringRef path : paths) {
    llvm::StringRef id =
        llvm::sys::path::filename(path).drop_back(sizeof(".request.json") - 1);
    if (fs::exists(pathOf(folder, id + ".answer.md")))
      continue;
    llvm::Expected<ModelRequest> request = readRequest(path);
    if (!request)
      return request.takeError();
    open.push_back({id.str(), std::move(*request)});
  }
  return open;
}

llvm::Error writeAnswer(llvm::StringRef folder, llvm::StringRef id,
                        const ModelAnswer &answer) {
  std::string text;
  if (!answer.model.empty())
    text = "<!-- model: " + answer.model + " -->\n";
  return writeFileAtomically(pathOf(folder, id + ".answer.md"),
                             text + answer.text);
}

ExchangeClient::ExchangeClient(ExchangeOptions options)
    : options(std::move(options)) {}

std::string ExchangeClient::nextId(const ModelRequest &request) {
  std::string hash = requestHash(request);
  std::lock_guard<std::mutex> lock(mutex);
  unsigned earlier = options.earlierAnswers ? options.earlierAnswers(hash) : 0;
  return hash + "-" + std::to_string(earlier + asked[hash]++);
}

/// Takes the line that names the model off the answer.
static std::string takeModelLine(std::string &text) {
  llvm::StringRef rest = text;
  rest.consume_front("\xef\xbb\xbf");
  auto [line, after] = rest.split('\n');
  line = line.trim();
  if (!line.consume_front("<!--") || !line.consume_back("-->"))
    return "";
  line = line.trim();
  if (!line.consume_front_insensitive("model:"))
    return "";
  std::string model = line.trim().str();
  text = after.str();
  return model;
}

llvm::Expected<std::string> ExchangeClient::waitFor(llvm::StringRef id,
                                                    Clock::Instant end) {
  std::string path = pathOf(options.folder, id + ".answer.md");
  Clock &clock = *options.clock;
  fs::file_status seen;
  Clock::Instant began = clock.now(), unchangedSince = began;
  bool present = false;
  while (true) {
    fs::file_status now;
    Clock::Instant time = clock.now();
    bool there =
        !fs::status(path, now) && fs::is_regular_file(now) && now.getSize() > 0;
    if (!there || !present || now.getSize() != seen.getSize() ||
        now.getLastModificationTime() != seen.getLastModificationTime())
      unchangedSince = time;
    else if (time - unchangedSince >= options.settleTime)
      return readTextFile(path, options.maxAnswerBytes);
    present = there;
    seen = now;
    if (options.shouldStop && options.shouldStop())
      return modelError(Kind::Cancelled, "stopped on request");
    if (time >= end)
      return modelError(
          Kind::TimedOut,
          llvm::formatv(
              "no answer to '{0}.request.md' within {1} s: '{2}' {3}", id,
              std::chrono::ceil<std::chrono::seconds>(end - began).count(),
              path, there ? "was still changing" : "does not exist"));
    clock.sleep(
        std::min(options.pollInterval,
                 std::chrono::ceil<std::chrono::milliseconds>(end - time) +
                     std::chrono::milliseconds(1)));
  }
}

llvm::Expected<ModelAnswer>
ExchangeClient::complete(const ModelRequest &request) {
  Clock::Instant start = options.clock->now();
  if (llvm::Error error = makeFolder(options.folder))
    return std::move(error);
  std::string id = nextId(request);
  auto written =
      writeNewFileAtomically(pathOf(options.folder, id + ".request.md"),
                             exchangeRequestText(request, id));
  if (!written)
    return written.takeError();
  written = writeNewFileAtomically(pathOf(options.folder, id + ".request.json"),
                                   exchangeRequestJSON(request));
  if (!written)
    return written.takeError();

  if (request.onAttempt) {
    AttemptNews news;
    news.file = pathOf(options.folder, id + ".answer.md");
    request.onAttempt(news);
  }
  Clock::Instant end = options.clock->now() + options.timeout;
  if (request.deadline)
    end = std::min(end, *request.deadline);
  llvm::Expected<std::string> text = waitFor(id, end);
  if (!text)
    return text.takeError();
  ModelAnswer answer;
  answer.text = llvm::json::fixUTF8(*text);
  answer.model = takeModelLine(answer.text);
  answer.origin = "exchange";
  answer.finishReason = FinishReason::Stop;
  answer.seconds =
      std::chrono::duration<double>(options.clock->now() - start).count();
  if (llvm::StringRef(answer.text).trim().empty())
    return modelError(Kind::BadAnswer,
                      "the answer in '" + id + ".answer.md' is blank");
  return answer;
}

} // namespace evo::llm
