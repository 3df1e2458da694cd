// Requests and answers as files. For a machine without network: each request
// becomes a file that a person or any program can read as a whole, and the
// answer is another file beside it. The names are made of the request's
// content, so a run that was stopped and started again finds the answers that
// arrived in the meantime and asks nothing twice.
#ifndef EVO_LLM_EXCHANGECLIENT_H
#define EVO_LLM_EXCHANGECLIENT_H

#include "evo/LLM/Clock.h"
#include "evo/LLM/ModelClient.h"
#include "llvm/ADT/StringMap.h"
#include <chrono>
#include <functional>
#include <mutex>

namespace evo::llm {

struct ExchangeOptions {
  /// Created where it does not exist.
  std::string folder;
  std::chrono::milliseconds pollInterval{500};
  /// An answer counts as complete when its size and time of change have not
  /// moved for this long; one that was renamed into place is taken as it is.
  std::chrono::milliseconds settleTime{1000};
  /// How long to wait for one answer.
  std::chrono::milliseconds timeout{24 * 3600 * 1000};
  uint64_t maxAnswerBytes = 8u << 20;
  /// Polled while waiting; true ends the call with ModelError::Cancelled.
  std::function<bool()> shouldStop;
  EarlierAnswers earlierAnswers;
  std::shared_ptr<Clock> clock = Clock::real();
};

/// Writes `<folder>/<id>.request.md` for people and the same as
/// `<folder>/<id>.request.json` for programs, waits for
/// `<folder>/<id>.answer.md`. The id is the request's hash and the number, from
/// 0, of earlier equal requests to this client and of those that were answered
/// before. An answer's first line may name
/// who wrote it:
/// `<!-- model: NAME -->`.
class ExchangeClient : public ModelClient {
public:
  explicit ExchangeClient(ExchangeOptions options);

  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override;

private:
  std::string nextId(const ModelRequest &request);
  llvm::Expected<std::string> waitFor(llvm::StringRef id, Clock::Instant end);

  ExchangeOptions options;
  std::mutex mutex;
  llvm::StringMap<unsigned> asked;
};

/// A request of an exchange folder that has no answer yet.
struct OpenRequest {
  std::string id;
  ModelRequest request;
};

/// The requests in `folder` that wait for an answer, in the order of their
/// names.
llvm::Expected<std::vector<OpenRequest>> openRequests(llvm::StringRef folder);

/// Puts an answer in place, at once and whole.
llvm::Error writeAnswer(llvm::StringRef folder, llvm::StringRef id,
                        const ModelAnswer &answer);

/// The text of a request file.
std::string exchangeRequestText(const ModelRequest &request,
                                llvm::StringRef id);

} // namespace evo::llm

#endif
