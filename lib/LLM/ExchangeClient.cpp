//===- ExchangeClient.cpp - Requests and answers as files -----------------===//
//
// The waiting side cannot know how the other side writes: an editor saves in
// place, a script renames. So an answer is taken when it is not empty and has
// stayed the same over the settle time; writers are asked to rename, which
// makes that wait the only cost of the rule.
//
//===----------------------------------------------------------------------===//
#include "evo/LLM/ExchangeClient.h"
#include "TextFiles.h"
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
    os << "<!-- at most " << request.maxTokens << " tokens -->\n";
  for (const Message &message : request.messages)
    os << "\n<!-- " << roleName(message.role) << " -->\n\n"
       << llvm::json::fixUTF8(message.text) << "\n";
  if (request.schema)
    os << "\n<!-- A JSON answer obeys this schema:\n"
       << llvm::formatv("{0:2}", *request.schema) << "\n-->\n";
  return text;
}

ExchangeClient::ExchangeClient(ExchangeOptions options)
    : options(std::move(options)) {}

std::string ExchangeClient::nextId(const ModelRequest &request) {
  std::string hash = requestHash(request);
  std::lock_guard<std::mutex> lock(mutex);
  return hash + "-" + std::to_string(asked[hash]++);
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

llvm::Expected<std::string> ExchangeClient::waitFor(llvm::StringRef id) {
  std::string path = pathOf(options.folder, id + ".answer.md");
  Clock &clock = *options.clock;
  Clock::Instant end = clock.now() + options.timeout;
  fs::file_status seen;
  Clock::Instant unchangedSince = clock.now();
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
          llvm::formatv("no answer to '{0}.request.md' within {1} s: '{2}' {3}",
                        id, options.timeout.count() / 1000, path,
                        there ? "was still changing" : "does not exist"));
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

  llvm::Expected<std::string> text = waitFor(id);
  if (!text)
    return text.takeError();
  ModelAnswer answer;
  answer.text = llvm::json::fixUTF8(*text);
  answer.model = takeModelLine(answer.text);
  answer.origin = "exchange";
  answer.finishReason = "stop";
  answer.seconds =
      std::chrono::duration<double>(options.clock->now() - start).count();
  if (llvm::StringRef(answer.text).trim().empty())
    return modelError(Kind::BadAnswer,
                      "the answer in '" + id + ".answer.md' is blank");
  return answer;
}

} // namespace evo::llm
