// The JSON of the two forms that servers speak. Servers differ in what they add
// and in what they leave out, so reading asks for nothing but the text and
// takes the rest where it is of the expected type. Every access is guarded by a
// type check: without exceptions nlohmann/json ends the process on a wrong one.
//
// Chat completions: OpenAI's, and that of vLLM, llama.cpp, Ollama and gateways.
// Messages: Anthropic's. It wants a bound on the answer, the system text apart
// from the turns, and marks of where its prompt cache may cut (at most four).
#include "Wire.h"
#include "Redaction.h"
#include "evo/Support/JSON.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

namespace evo::llm {

using json = nlohmann::json;
using ordered_json = nlohmann::ordered_json;
using Kind = ModelError::Kind;

Wire::~Wire() = default;

namespace {

/// The member of an object, or null where there is no such object or member.
const json *member(const json *value, const char *key) {
  if (!value || !value->is_object())
    return nullptr;
  auto found = value->find(key);
  return found == value->end() ? nullptr : &*found;
}

std::string stringMember(const json *value, const char *key) {
  const json *found = member(value, key);
  return found && found->is_string() ? found->get<std::string>() : "";
}

uint64_t countMember(const json *value, const char *key) {
  const json *found = member(value, key);
  return found && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}

ordered_json schemaOf(const ModelRequest &request) {
  std::string text = llvm::formatv("{0}", *request.schema).str();
  return ordered_json::parse(text, nullptr, false);
}

std::string modelOf(const ModelRequest &request,
                    const HttpModelOptions &options) {
  return request.model.empty() ? options.model : request.model;
}

std::string dump(const ordered_json &body) {
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

ProviderMessage readError(const json &root) {
  const json *error = member(&root, "error");
  ProviderMessage message;
  if (error && error->is_string()) {
    message.text = excerpt(error->get<std::string>());
    return message;
  }
  const json *holder = error ? error : &root;
  message.text = excerpt(stringMember(holder, "message"));
  message.code = stringMember(holder, "code");
  if (message.code.empty())
    message.code = stringMember(holder, "type");
  message.param = stringMember(holder, "param");
  return message;
}

/// What both forms ask of an answer before its members are looked at.
llvm::Expected<json> readRoot(llvm::StringRef contentType,
                              llvm::StringRef body) {
  llvm::StringRef type = contentType.split(';').first.trim();
  // No content type at all is a sloppy server; another one is a proxy's page.
  if (!type.empty() && !type.equals_insensitive("application/json"))
    return modelError(
        Kind::BadAnswer,
        "the answer's content type is '" + excerpt(type, 80) +
            "', expected 'application/json'; it begins: " + excerpt(body, 120));
  if (body.trim().empty())
    return modelError(Kind::BadAnswer, "the answer is empty");
  if (isNestedTooDeep(body))
    return modelError(Kind::BadAnswer, "the answer is nested deeper than " +
                                           llvm::Twine(maxJSONNesting));
  json root = json::parse(body.begin(), body.end(), nullptr, false);
  if (root.is_discarded())
    return modelError(Kind::BadAnswer,
                      "the answer (" + llvm::Twine(body.size()) +
                          " bytes) is not complete, valid JSON; it ends: " +
                          excerpt(body.take_back(80)));
  if (member(&root, "error") && !member(&root, "error")->is_null())
    return modelError(Kind::BadAnswer, "the provider answered with an error: " +
                                           readError(root).text);
  return root;
}

/// Why there is no text where it should be.
llvm::Error noText(llvm::StringRef where, llvm::StringRef finishReason,
                   llvm::StringRef refusal) {
  std::string why = ("the answer has no text in '" + where + "'").str();
  if (!finishReason.empty())
    why += " (finish reason '" + excerpt(finishReason, 40) + "')";
  if (!refusal.empty())
    why += "; the model refused: " + excerpt(refusal);
  return modelError(Kind::BadAnswer, why);
}

// Chat completions.

/// The text of a message: a string, or a list of parts as some gateways send.
std::optional<std::string> contentText(const json *content) {
  if (!content)
    return std::nullopt;
  if (content->is_string())
    return content->get<std::string>();
  if (!content->is_array())
    return std::nullopt;
  std::string joined;
  for (const json &part : *content)
    joined += stringMember(&part, "text");
  return joined;
}

class ChatWire : public Wire {
public:
  llvm::StringRef path() const override { return "/chat/completions"; }
  ExtraHeader keyHeader(llvm::StringRef key) const override {
    return {"Authorization", ("Bearer " + key).str(), ""};
  }
  std::string body(const ModelRequest &request, const HttpModelOptions &options,
                   bool withSchema) const override;
  llvm::Expected<ModelAnswer> parse(llvm::StringRef contentType,
                                    llvm::StringRef body) const override;
};

std::string ChatWire::body(const ModelRequest &request,
                           const HttpModelOptions &options,
                           bool withSchema) const {
  ordered_json body;
  body["model"] = modelOf(request, options);
  body["messages"] = ordered_json::array();
  for (const Message &message : request.messages)
    body["messages"].push_back(
        {{"role", roleName(message.role).str()},
         {"content", llvm::json::fixUTF8(message.text)}});
  if (request.temperature)
    body["temperature"] = *request.temperature;
  if (request.maxTokens)
    body[options.maxTokensField] = request.maxTokens;
  if (withSchema && request.schema)
    body["response_format"] = {
        {"type", "json_schema"},
        {"json_schema", {{"name", "answer"}, {"schema", schemaOf(request)}}}};
  return dump(body);
}

llvm::Expected<ModelAnswer> ChatWire::parse(llvm::StringRef contentType,
                                            llvm::StringRef body) const {
  llvm::Expected<json> root = readRoot(contentType, body);
  if (!root)
    return root.takeError();
  const json *choices = member(&*root, "choices");
  if (!choices || !choices->is_array() || choices->empty())
    return modelError(Kind::BadAnswer,
                      "the answer has no 'choices[0].message.content'");
  const json *message = member(&choices->front(), "message");
  ModelAnswer answer;
  std::string finish = stringMember(&choices->front(), "finish_reason");
  answer.finishReason = finishReasonFromName(finish);
  std::optional<std::string> text = contentText(member(message, "content"));
  if (!text || llvm::StringRef(*text).trim().empty())
    return noText("choices[0].message.content", finish,
                  stringMember(message, "refusal"));
  answer.text = std::move(*text);
  answer.model = stringMember(&*root, "model");
  const json *usage = member(&*root, "usage");
  answer.usage.inputTokens = countMember(usage, "prompt_tokens");
  answer.usage.outputTokens = countMember(usage, "completion_tokens");
  answer.usage.cachedTokens =
      countMember(member(usage, "prompt_tokens_details"), "cached_tokens");
  return answer;
}

// Messages.

class MessagesWire : public Wire {
public:
  llvm::StringRef path() const override { return "/messages"; }
  ExtraHeader keyHeader(llvm::StringRef key) const override {
    return {"x-api-key", key.str(), ""};
  }
  std::vector<ExtraHeader> fixedHeaders() const override {
    return {{"anthropic-version", "2023-06-01", ""}};
  }
  std::string body(const ModelRequest &request, const HttpModelOptions &options,
                   bool withSchema) const override;
  llvm::Expected<ModelAnswer> parse(llvm::StringRef contentType,
                                    llvm::StringRef body) const override;
};

/// Cuts a message's text where it stops being the same in the next requests,
/// and marks the cut while `breakpoints` are left.
ordered_json blocksOf(const Message &message, unsigned &breakpoints) {
  llvm::StringRef text = message.text;
  size_t stable = std::min(message.stableBytes, text.size());
  ordered_json blocks = ordered_json::array();
  auto add = [&](llvm::StringRef part, bool isStable) {
    // An empty block is refused by the server.
    if (part.trim().empty())
      return;
    ordered_json block = {{"type", "text"},
                          {"text", llvm::json::fixUTF8(part)}};
    if (isStable && breakpoints > 0) {
      block["cache_control"] = {{"type", "ephemeral"}};
      --breakpoints;
    }
    blocks.push_back(std::move(block));
  };
  add(text.take_front(stable), true);
  add(text.drop_front(stable), false);
  return blocks;
}

std::string MessagesWire::body(const ModelRequest &request,
                               const HttpModelOptions &options,
                               bool withSchema) const {
  ordered_json body, system = ordered_json::array(),
                     turns = ordered_json::array();
  unsigned breakpoints = 4;
  for (const Message &message : request.messages) {
    ordered_json blocks = blocksOf(message, breakpoints);
    if (message.role == Role::System)
      for (ordered_json &block : blocks)
        system.push_back(std::move(block));
    else if (!blocks.empty())
      turns.push_back({{"role", roleName(message.role).str()},
                       {"content", std::move(blocks)}});
  }
  body["model"] = modelOf(request, options);
  body["max_tokens"] =
      request.maxTokens ? request.maxTokens : options.defaultMaxTokens;
  if (request.temperature)
    body["temperature"] = *request.temperature;
  // The form that all of its models take: a tool that must be called, whose
  // input is the answer.
  if (withSchema && request.schema) {
    body["tools"] =
        ordered_json::array({{{"name", "answer"},
                              // no diagnostic: of a tool
                              {"description", "Gives the answer."},
                              {"input_schema", schemaOf(request)}}});
    body["tool_choice"] = {{"type", "tool"}, {"name", "answer"}};
  }
  if (!system.empty())
    body["system"] = std::move(system);
  body["messages"] = std::move(turns);
  return dump(body);
}

llvm::Expected<ModelAnswer> MessagesWire::parse(llvm::StringRef contentType,
                                                llvm::StringRef body) const {
  llvm::Expected<json> root = readRoot(contentType, body);
  if (!root)
    return root.takeError();
  const json *content = member(&*root, "content");
  if (!content || !content->is_array())
    return modelError(Kind::BadAnswer, "the answer has no 'content'");
  ModelAnswer answer;
  std::string stop = stringMember(&*root, "stop_reason");
  answer.finishReason = llvm::StringSwitch<FinishReason>(stop)
                            .Cases({"end_turn", "tool_use"}, FinishReason::Stop)
                            .Case("max_tokens", FinishReason::Length)
                            .Default(finishReasonFromName(stop));
  for (const json &block : *content) {
    std::string type = stringMember(&block, "type");
    const json *input = member(&block, "input");
    if (type == "text")
      answer.text += stringMember(&block, "text");
    else if (type == "tool_use" && input && input->is_object())
      answer.text +=
          input->dump(-1, ' ', false, json::error_handler_t::replace);
  }
  if (llvm::StringRef(answer.text).trim().empty())
    return noText("content", stop, "");
  answer.model = stringMember(&*root, "model");
  const json *usage = member(&*root, "usage");
  // Its input counts only what was neither read from the cache nor written.
  answer.usage.cachedTokens = countMember(usage, "cache_read_input_tokens");
  answer.usage.cacheWriteTokens =
      countMember(usage, "cache_creation_input_tokens");
  answer.usage.inputTokens = countMember(usage, "input_tokens") +
                             answer.usage.cachedTokens +
                             answer.usage.cacheWriteTokens;
  answer.usage.outputTokens = countMember(usage, "output_tokens");
  return answer;
}

} // namespace

const Wire &Wire::of(WireForm form) {
  static const ChatWire chat;
  static const MessagesWire messages;
  if (form == WireForm::Messages)
    return messages;
  return chat;
}

ProviderMessage parseErrorBody(llvm::StringRef body) {
  json root = json::parse(body.begin(), body.end(), nullptr, false);
  ProviderMessage message;
  if (!root.is_discarded())
    message = readError(root);
  if (message.text.empty())
    message.text = body.trim().empty() ? "no message" : excerpt(body);
  return message;
}

} // namespace evo::llm
