// The JSON of the two forms that servers speak. What is written to and read
// from the wire, apart from how it travels. Pure functions of texts, so that
// every malformed answer can be tested without a server.
#ifndef EVO_LIB_LLM_WIRE_H
#define EVO_LIB_LLM_WIRE_H

#include "evo/LLM/HttpModelClient.h"

namespace evo::llm {

/// One form. Both are stateless.
class Wire {
public:
  virtual ~Wire();
  /// What is appended to the base URL.
  virtual llvm::StringRef path() const = 0;
  /// The header that carries the key, and others that the form wants.
  virtual ExtraHeader keyHeader(llvm::StringRef key) const = 0;
  virtual std::vector<ExtraHeader> fixedHeaders() const { return {}; }
  /// The request's body; `model` is the one to ask where the request names
  /// none. `withSchema` false leaves the request's schema out.
  virtual std::string body(const ModelRequest &request,
                           const HttpModelOptions &options,
                           bool withSchema) const = 0;
  /// Reads a 200 answer: text, model, usage, finish reason. Errors are
  /// BadAnswer and say what is missing.
  virtual llvm::Expected<ModelAnswer> parse(llvm::StringRef contentType,
                                            llvm::StringRef body) const = 0;

  static const Wire &of(WireForm form);
};

/// What an error body says, in either form.
struct ProviderMessage {
  std::string text; ///< on one line, bounded; the body itself if not JSON
  std::string code; ///< "insufficient_quota", ...; empty where absent
  /// The member of the request that the error is about; empty where absent.
  std::string param;
};
ProviderMessage parseErrorBody(llvm::StringRef body);

} // namespace evo::llm

#endif
