//===- ChatWire.h - The JSON of the chat-completions form -----------------===//
//
// What is written to and read from the wire, apart from how it travels. Pure
// functions of texts, so that every malformed answer can be tested without a
// server.
//
//===----------------------------------------------------------------------===//
#ifndef EVO_LIB_LLM_CHATWIRE_H
#define EVO_LIB_LLM_CHATWIRE_H

#include "evo/LLM/ModelClient.h"

namespace evo::llm {

/// The request's body. `withSchema` false leaves `response_format` out.
std::string chatRequestBody(const ModelRequest &request, llvm::StringRef model,
                            llvm::StringRef maxTokensField, bool withSchema);

/// Reads a 200 answer: text, model, usage, finish reason. Errors are BadAnswer
/// and say what is missing.
llvm::Expected<ModelAnswer> parseChatAnswer(llvm::StringRef contentType,
                                            llvm::StringRef body);

/// What an error body says.
struct ProviderMessage {
  std::string text; ///< on one line, bounded; the body itself if not JSON
  std::string code; ///< "insufficient_quota", ...; empty where absent
};
ProviderMessage parseErrorBody(llvm::StringRef body);

} // namespace evo::llm

#endif // EVO_LIB_LLM_CHATWIRE_H
