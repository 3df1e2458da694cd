//===- ChatWire.cpp - The JSON of the chat-completions form ---------------===//
//
// Servers differ in what they add and in what they leave out, so reading asks
// for nothing but choices[0].message.content and takes the rest where it is of
// the expected type. Every access is guarded by a type check: without
// exceptions nlohmann/json ends the process on a wrong one.
//
//===----------------------------------------------------------------------===//
#include "ChatWire.h"
#include "Redaction.h"
#include "llvm/Support/FormatVariadic.h"
#include <nlohmann/json.hpp>

namespace evo::llm {

using json = nlohmann::json;
using ordered_json = nlohmann::ordered_json;
using Kind = ModelError::Kind;

std::string chatRequestBody(const ModelRequest &request, llvm::StringRef model,
                            llvm::StringRef maxTokensField, bool withSchema) {
  ordered_json body;
  body["model"] = model.str();
  body["messages"] = ordered_json::array();
  for (const Message &message : request.messages)
    body["messages"].push_back(
        {{"role", roleName(message.role).str()},
         {"content", llvm::json::fixUTF8(message.text)}});
  if (request.temperature)
    body["temperature"] = *request.temperature;
  if (request.maxTokens)
    body[maxTokensField.str()] = request.maxTokens;
  if (withSchema && request.schema) {
    std::string text = llvm::formatv("{0}", *request.schema).str();
    body["response_format"] = {
        {"type", "json_schema"},
        {"json_schema",
         {{"name", "answer"},
          {"schema", ordered_json::parse(text, nullptr, false)}}}};
  }
  return body.dump(-1, ' ', false, json::error_handler_t::replace);
}

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
  return message;
}

} // namespace

ProviderMessage parseErrorBody(llvm::StringRef body) {
  json root = json::parse(body.begin(), body.end(), nullptr, false);
  ProviderMessage message;
  if (!root.is_discarded())
    message = readError(root);
  if (message.text.empty())
    message.text = body.trim().empty() ? "no message" : excerpt(body);
  return message;
}

llvm::Expected<ModelAnswer> parseChatAnswer(llvm::StringRef contentType,
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
  json root = json::parse(body.begin(), body.end(), nullptr, false);
  if (root.is_discarded())
    return modelError(Kind::BadAnswer,
                      "the answer (" + llvm::Twine(body.size()) +
                          " bytes) is not complete, valid JSON; it ends: " +
                          excerpt(body.take_back(80)));
  if (member(&root, "error") && !member(&root, "error")->is_null())
    return modelError(Kind::BadAnswer, "the provider answered with an error: " +
                                           readError(root).text);

  const json *choices = member(&root, "choices");
  if (!choices || !choices->is_array() || choices->empty())
    return modelError(Kind::BadAnswer,
                      "the answer has no 'choices[0].message.content'");
  const json *message = member(&choices->front(), "message");
  ModelAnswer answer;
  answer.finishReason = stringMember(&choices->front(), "finish_reason");
  std::optional<std::string> text = contentText(member(message, "content"));
  if (!text || llvm::StringRef(*text).trim().empty()) {
    std::string why = "the answer has no text in 'choices[0].message.content'";
    if (!answer.finishReason.empty())
      why += " (finish reason '" + excerpt(answer.finishReason, 40) + "')";
    std::string refusal = stringMember(message, "refusal");
    if (!refusal.empty())
      why += "; the model refused: " + excerpt(refusal);
    return modelError(Kind::BadAnswer, why);
  }
  answer.text = std::move(*text);
  answer.model = stringMember(&root, "model");
  const json *usage = member(&root, "usage");
  answer.usage.inputTokens = countMember(usage, "prompt_tokens");
  answer.usage.outputTokens = countMember(usage, "completion_tokens");
  answer.usage.cachedTokens =
      countMember(member(usage, "prompt_tokens_details"), "cached_tokens");
  return answer;
}

} // namespace evo::llm
