// Canonical form and hash of a request. The canonical form is printed by LLVM's
// JSON writer, which sorts keys and prints numbers the same way everywhere; the
// request's id is left out, since two runs that ask the same thing should find
// each other's records.
#include "evo/LLM/ModelClient.h"
#include "evo/Support/Digest.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <mutex>
#include <thread>

namespace evo::llm {

char ModelError::ID;

ModelClient::~ModelClient() = default;

std::string ModelClient::redact(llvm::StringRef text) const {
  return text.str();
}

llvm::Error modelError(ModelError::Kind kind, const llvm::Twine &message) {
  return llvm::make_error<ModelError>(kind, message.str());
}

llvm::StringRef roleName(Role role) {
  switch (role) {
  case Role::System:
    return "system";
  case Role::User:
    return "user";
  case Role::Assistant:
    return "assistant";
  }
  llvm_unreachable("unknown role");
}

llvm::StringRef finishReasonName(FinishReason reason) {
  switch (reason) {
  case FinishReason::Unknown:
    return "";
  case FinishReason::Stop:
    return "stop";
  case FinishReason::Length:
    return "length";
  case FinishReason::Other:
    return "other";
  }
  llvm_unreachable("unknown reason to finish");
}

FinishReason finishReasonFromName(llvm::StringRef name) {
  for (FinishReason reason :
       {FinishReason::Unknown, FinishReason::Stop, FinishReason::Length})
    if (name == finishReasonName(reason))
      return reason;
  return FinishReason::Other;
}

namespace {
using Kind = ModelError::Kind;
struct NamedKind {
  Kind kind;
  llvm::StringLiteral name;
};
constexpr NamedKind kindNames[] = {
    {Kind::Configuration, "configuration"},
    {Kind::Unreachable, "unreachable"},
    {Kind::Unconnected, "unconnected"},
    {Kind::Overloaded, "overloaded"},
    {Kind::TimedOut, "timed-out"},
    {Kind::Rejected, "rejected"},
    {Kind::BadAnswer, "bad-answer"},
    {Kind::TooLarge, "too-large"},
    {Kind::Cancelled, "cancelled"},
    {Kind::MissingRecord, "missing-record"},
    {Kind::Files, "files"},
    {Kind::Exhausted, "exhausted"},
};
} // namespace

llvm::StringRef kindName(Kind kind) {
  for (const NamedKind &entry : kindNames)
    if (entry.kind == kind)
      return entry.name;
  llvm_unreachable("unknown kind of model error");
}

std::optional<Kind> kindFromName(llvm::StringRef name) {
  for (const NamedKind &entry : kindNames)
    if (entry.name == name)
      return entry.kind;
  return std::nullopt;
}

void completeEach(
    ModelClient &client, llvm::ArrayRef<ModelRequest> requests,
    llvm::function_ref<void(size_t, llvm::Expected<ModelAnswer>)> done,
    unsigned max) {
  std::atomic<size_t> next{0};
  std::mutex handingOver;
  auto work = [&] {
    for (size_t i; (i = next++) < requests.size();) {
      llvm::Expected<ModelAnswer> answer = client.complete(requests[i]);
      std::lock_guard<std::mutex> lock(handingOver);
      done(i, std::move(answer));
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(max, requests.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
}

std::vector<llvm::Expected<ModelAnswer>>
completeAll(ModelClient &client, llvm::ArrayRef<ModelRequest> requests,
            unsigned max) {
  std::vector<std::optional<llvm::Expected<ModelAnswer>>> slots(
      requests.size());
  completeEach(
      client, requests,
      [&](size_t i, llvm::Expected<ModelAnswer> answer) {
        slots[i].emplace(std::move(answer));
      },
      max);
  std::vector<llvm::Expected<ModelAnswer>> answers;
  for (auto &slot : slots)
    answers.push_back(std::move(*slot));
  return answers;
}

std::string canonicalForm(const ModelRequest &request) {
  llvm::json::Array messages;
  for (const Message &message : request.messages)
    messages.push_back(llvm::json::Object{
        {"role", roleName(message.role)},
        {"text", llvm::json::fixUTF8(message.text)},
    });
  llvm::json::Object content{
      {"format", 1},
      {"maxTokens", request.maxTokens},
      {"messages", std::move(messages)},
  };
  if (!request.model.empty())
    content["model"] = llvm::json::fixUTF8(request.model);
  if (request.temperature)
    content["temperature"] = *request.temperature;
  if (request.schema)
    content["schema"] = *request.schema;
  return llvm::formatv("{0}", llvm::json::Value(std::move(content))).str();
}

std::string requestHash(const ModelRequest &request) {
  return digest(canonicalForm(request));
}

} // namespace evo::llm
