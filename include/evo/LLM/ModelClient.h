// One question to a language model, one answer. The only thing the rest of the
// program knows about a language model: a list of messages goes in, a text with
// its bill comes out. Live providers, the exchange of files and the replay of a
// recording are all this one interface, so that a search neither knows nor
// cares which of them it talks to. A request has a canonical form and a hash of
// it, because replay, exchange and the journal all name a request by its
// content and never by when it was sent.
#ifndef EVO_LLM_MODELCLIENT_H
#define EVO_LLM_MODELCLIENT_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace evo::llm {

enum class Role { System, User, Assistant };

/// "system", "user" or "assistant".
llvm::StringRef roleName(Role role);

struct Message {
  Role role = Role::User;
  std::string text; // UTF-8; other bytes are replaced before anything is sent
  /// How many bytes at the beginning of `text` later requests are likely to
  /// repeat: where a provider's prompt cache may cut. No content.
  size_t stableBytes = 0;
};

/// What becomes of a request while it is under way.
struct AttemptNews {
  unsigned attempt = 1, attempts = 1; ///< the one that is made or comes next
  /// When it is made, where one before it failed; absent: now.
  std::optional<std::chrono::steady_clock::time_point> retry;
  std::optional<std::string> failure; ///< of the one before, if any
  std::string file; ///< that the answer comes in; empty: it is no file
};

/// ModelRequest::stage of what judges one candidate, and is charged to it.
inline constexpr llvm::StringLiteral judgeStage = "judge";

/// One question. Everything but `id`, `task`, `stage`, `mayRepeat`, `deadline`
/// and `onAttempt` is content and part of the hash.
struct ModelRequest {
  std::vector<Message> messages;
  /// Empty: the client's own.
  std::string model;
  /// Absent: the provider's default (some models refuse the field).
  std::optional<double> temperature;
  /// Upper bound of generated tokens; 0 leaves it to the provider.
  unsigned maxTokens = 0;
  /// A JSON schema that the answer should obey, where the provider takes one.
  std::optional<llvm::json::Value> schema;
  /// The caller's own name for this request (a proposal's name); only used in
  /// records and messages.
  std::string id;
  /// Names what the question is about, however it is worded: equal for requests
  /// about one kernel. Only used in records, and by a replay by task.
  std::string task;
  /// What the request is for ("propose", judgeStage); only used in accounts.
  std::string stage;
  /// Asked before the request is sent again after an attempt that broke off and
  /// may have been billed; null allows it.
  std::function<bool()> mayRepeat;
  /// When whoever asks has no more use for an answer: all attempts and waits
  /// end by then. Absent: the client's own bounds hold.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Called before each attempt, and before each wait for the next; may be
  /// null.
  std::function<void(const AttemptNews &)> onAttempt;
};

/// What a request cost. `cachedTokens` is the part of `inputTokens` that the
/// provider billed as read from its prompt cache, `cacheWriteTokens` the part
/// that it billed for writing to it. All zero where unknown.
struct Usage {
  uint64_t inputTokens = 0;
  uint64_t outputTokens = 0;
  uint64_t cachedTokens = 0;
  uint64_t cacheWriteTokens = 0;

  Usage &operator+=(const Usage &other) {
    inputTokens += other.inputTokens;
    outputTokens += other.outputTokens;
    cachedTokens += other.cachedTokens;
    cacheWriteTokens += other.cacheWriteTokens;
    return *this;
  }
};

/// Why the text of an answer ends, of which providers have many words.
enum class FinishReason { Unknown, Stop, Length, Other };

/// The word a record uses ("stop"); empty for Unknown.
llvm::StringRef finishReasonName(FinishReason reason);
/// The inverse; Other for words that are not its own.
FinishReason finishReasonFromName(llvm::StringRef name);

struct ModelAnswer {
  std::string text;
  /// The model that the provider says answered; empty where unknown.
  std::string model;
  Usage usage;
  /// Wall-clock time from the call to the answer, waits and retries included.
  double seconds = 0;
  /// How many times the request was sent.
  unsigned attempts = 1;
  FinishReason finishReason = FinishReason::Unknown;
  /// "live" for a provider, "exchange" for an answer that came as a file. A
  /// replayed answer keeps the origin of its recording.
  std::string origin = "live";
  bool replayed = false;
  /// Replayed from a record of the same task that was worded otherwise.
  bool reworded = false;

  /// The provider stopped at the token limit, the text has no proper end.
  bool cutOff() const { return finishReason == FinishReason::Length; }
};

/// Why there is no answer. The kind decides what a run does: a failure of the
/// model's own answer is data of the search, the rest ends the run.
class ModelError : public llvm::ErrorInfo<ModelError> {
public:
  enum class Kind {
    Configuration, ///< no key, no model, a URL that cannot be used
    Unreachable,   ///< every attempt ended in connection loss
    Unconnected,   ///< the last attempt never came through: nothing was sent
    Overloaded,    ///< every attempt was answered 429 or 5xx, or a long wait
    TimedOut,      ///< no complete answer within the time given
    Rejected,      ///< the provider refused the request (other 4xx)
    BadAnswer,     ///< an answer arrived but is not what was promised
    TooLarge,      ///< an answer exceeded the size cap
    Cancelled,     ///< the caller asked to stop
    MissingRecord, ///< replay has no answer to this request
    Files,         ///< a folder or file could not be read or written
    Exhausted,     ///< the request might cost more than is left of a budget, or
                   ///< a recording has come to its end
  };

  static char ID;
  ModelError(Kind kind, std::string message)
      : kind(kind), text(std::move(message)) {}

  Kind getKind() const { return kind; }
  /// True where another answer of the same provider may be fine, so that the
  /// run goes on: BadAnswer, TooLarge.
  bool concernsAnswerOnly() const {
    return kind == Kind::BadAnswer || kind == Kind::TooLarge;
  }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  Kind kind;
  std::string text;
};

/// The word a record uses for a kind ("bad-answer").
llvm::StringRef kindName(ModelError::Kind kind);
/// The inverse; nothing for an unknown word.
std::optional<ModelError::Kind> kindFromName(llvm::StringRef name);

llvm::Error modelError(ModelError::Kind kind, const llvm::Twine &message);

/// Answers requests. Implementations may be called from several threads at
/// once; `complete` blocks until there is an answer or a ModelError.
class ModelClient {
public:
  virtual ~ModelClient();

  virtual llvm::Expected<ModelAnswer> complete(const ModelRequest &request) = 0;

  /// The text with every secret that this client knows (keys) replaced by
  /// "[redacted]". Whoever writes text near a client to a file passes it
  /// through here; the secrets themselves are never handed out.
  virtual std::string redact(llvm::StringRef text) const;
};

/// How many requests with this hash an earlier process of the same run has had
/// answered. Where equal requests are numbered, the numbers go on from there.
using EarlierAnswers = std::function<unsigned(llvm::StringRef hash)>;

/// The answers to `requests`, in their order; up to `max` are under way at
/// once.
std::vector<llvm::Expected<ModelAnswer>>
completeAll(ModelClient &client, llvm::ArrayRef<ModelRequest> requests,
            unsigned max = 8);

/// The same, but hands each answer over as it comes, one at a time.
void completeEach(
    ModelClient &client, llvm::ArrayRef<ModelRequest> requests,
    llvm::function_ref<void(size_t request, llvm::Expected<ModelAnswer>)> done,
    unsigned max = 8);

/// The request's content as one line of JSON with sorted keys: equal content,
/// equal bytes, on every machine.
std::string canonicalForm(const ModelRequest &request);

/// The first 128 bits of SHA-256 of the canonical form, as 32 lower-case hex
/// digits.
std::string requestHash(const ModelRequest &request);

} // namespace evo::llm

#endif
