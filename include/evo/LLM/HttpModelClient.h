// A model behind an HTTP server. One client for the two forms that servers
// speak: chat completions (hosted models, vLLM, llama.cpp's server, Ollama,
// most gateways) and Anthropic's messages. What differs between servers of one
// form is configuration, not code. The key is read from an environment
// variable, or a file, when the client is made, and lives in this object only.
#ifndef EVO_LLM_HTTPMODELCLIENT_H
#define EVO_LLM_HTTPMODELCLIENT_H

#include "evo/LLM/Clock.h"
#include "evo/LLM/ModelClient.h"
#include "evo/LLM/RetryPolicy.h"
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace evo::llm {

/// A header sent with every request: its value as given, or, where
/// `fromEnvironment` names a variable, that variable's value (then a secret).
struct ExtraHeader {
  std::string name;
  std::string value;
  std::string fromEnvironment;
};

enum class WireForm {
  ChatCompletions, ///< POST <base>/chat/completions
  Messages         ///< POST <base>/messages
};

struct HttpModelOptions {
  WireForm form = WireForm::ChatCompletions;
  /// Up to and without "/chat/completions" or "/messages"; a query
  /// ("?api-version=...") is kept. User and password in the URL are refused.
  std::string baseUrl;
  /// Of requests that name none themselves.
  std::string model;
  /// The environment variable with the key, sent as "Authorization: Bearer" or
  /// "x-api-key"; empty for a server without one.
  std::string keyVariable;
  /// The file with the key, in place of a variable; empty: none.
  std::string keyFile;
  std::vector<ExtraHeader> headers;
  /// A key, or another secret header, over plain http is refused for hosts
  /// other than this machine, unless this is set.
  bool allowKeyOverHttp = false;
  /// The field that carries ModelRequest::maxTokens; some servers want
  /// "max_completion_tokens".
  std::string maxTokensField = "max_tokens";
  /// What the messages form, which wants a bound, gets where a request has
  /// none.
  unsigned defaultMaxTokens = 16384;

  std::chrono::milliseconds connectTimeout{10000};
  /// For one attempt, to the end of the answer. An attempt that ends this way
  /// is not repeated: it would only be billed twice.
  std::chrono::milliseconds attemptTimeout{600000};
  /// For all attempts and waits together.
  std::chrono::milliseconds overallTimeout{1200000};
  /// Once the answer's body has begun, each such window must bring
  /// `stallBytes`, else the attempt counts as a lost connection.
  std::chrono::milliseconds stallWindow{60000};
  size_t stallBytes = 64;
  size_t maxAnswerBytes = 8u << 20;
  RetryPolicy retry;
  /// Seed of the jitter; 0 draws one.
  uint64_t jitterSeed = 0;

  /// Polled about once a second while waiting; true ends the call with
  /// ModelError::Cancelled.
  std::function<bool()> shouldStop;

  /// Counts the overall time and the waits between attempts. The bounds of one
  /// transfer (connect, attempt, stall) are libcurl's, in real time.
  std::shared_ptr<Clock> clock = Clock::real();
};

class HttpModelClient : public ModelClient {
public:
  /// Checks the options and reads the environment. No network is touched.
  static llvm::Expected<std::unique_ptr<HttpModelClient>>
  create(HttpModelOptions options);
  ~HttpModelClient() override;

  /// Retries connection loss, 408, 425, 429 and 5xx within the policy; where
  /// the attempt that broke off may have been billed, only if the request's
  /// `mayRepeat` says so. A server that refuses the JSON schema is asked once
  /// more without it, and not sent one again.
  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override;

  std::string redact(llvm::StringRef text) const override;

private:
  struct State;
  explicit HttpModelClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace evo::llm

#endif
