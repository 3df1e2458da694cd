// A model behind an HTTP server. The loop of attempts. Each attempt ends in an
// answer, in a failure that ends the call, or in one that is worth repeating;
// the retry policy and the overall deadline bound the repetition. Every message
// that leaves this file goes through `fail`, which redacts it: a server may
// echo the key it was sent.
#include "evo/LLM/HttpModelClient.h"
#include "Http.h"
#include "Redaction.h"
#include "TextFiles.h"
#include "Wire.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>

namespace evo::llm {

using Failure = HttpOutcome::Failure;
using Kind = ModelError::Kind;
using std::chrono::milliseconds;

struct HttpModelClient::State {
  HttpModelOptions options;
  std::string endpoint;
  std::string shownEndpoint; // without query
  bool onThisMachine = false;
  /// Whether a secret may travel to the server.
  bool isPrivate = false;
  std::vector<std::string> headerLines;
  SecretSet secrets;
  std::atomic<bool> schemaRefused{false};
  std::mutex randomMutex;
  Random random{0};

  llvm::Error fail(Kind kind, const llvm::Twine &message) const {
    return modelError(kind, secrets.redact(message.str()));
  }
  const Wire &wire() const { return Wire::of(options.form); }
  llvm::Error configure();
  llvm::Error addHeader(const ExtraHeader &header);
  llvm::Error addKey(llvm::StringRef host);
};

// Configuration.

/// A value from the environment, without the line end that `export K=$(cat f)`
/// or a secret store may leave.
static llvm::Expected<std::string> readVariable(llvm::StringRef name) {
  const char *value = std::getenv(name.str().c_str());
  llvm::StringRef trimmed = value ? llvm::StringRef(value).trim() : "";
  if (trimmed.empty())
    return modelError(Kind::Configuration, "environment variable '" + name +
                                               "' is not set or empty");
  return trimmed.str();
}

/// The key that `path` holds, without blanks around it. What the file says is
/// never quoted.
static llvm::Expected<std::string> readKeyFile(llvm::StringRef path) {
  constexpr uint64_t maxBytes = 64 << 10;
  llvm::Expected<std::string> text = readTextFile(path, maxBytes);
  if (!text)
    return modelError(Kind::Configuration,
                      "the file of the key: " +
                          llvm::toString(text.takeError()));
  std::string key = llvm::StringRef(*text).trim().str();
  if (key.empty())
    return modelError(Kind::Configuration,
                      "the file of the key, '" + path + "', is empty");
  return key;
}

static bool isSecretHeader(llvm::StringRef name) {
  std::string lower = name.lower();
  for (llvm::StringRef part : {"auth", "key", "token", "secret", "cookie"})
    if (llvm::StringRef(lower).contains(part))
      return true;
  return false;
}

static bool isThisMachine(llvm::StringRef host) {
  return host == "localhost" || host == "[::1]" || host == "127.0.0.1";
}

llvm::Error HttpModelClient::State::addHeader(const ExtraHeader &header) {
  std::string value = header.value;
  if (!header.fromEnvironment.empty()) {
    llvm::Expected<std::string> read = readVariable(header.fromEnvironment);
    if (!read)
      return read.takeError();
    value = *read;
  }
  bool isSecret =
      !header.fromEnvironment.empty() || isSecretHeader(header.name);
  if (isSecret)
    secrets.add(value);
  auto isNameChar = [](char c) {
    return llvm::isAlnum(c) || c == '-' || c == '_';
  };
  if (header.name.empty() || !llvm::all_of(header.name, isNameChar))
    return fail(Kind::Configuration,
                "'" + excerpt(header.name, 80) + "' is no header name");
  if (llvm::StringRef(value).find_first_of("\r\n") != llvm::StringRef::npos ||
      value.find('\0') != std::string::npos)
    return fail(Kind::Configuration, "the value of header '" + header.name +
                                         "' contains a line end");
  if (isSecret && !isPrivate)
    return fail(Kind::Configuration, "refusing to send header '" + header.name +
                                         "', which is secret, over plain http; "
                                         "use https");
  headerLines.push_back(header.name + ": " + value);
  return llvm::Error::success();
}

llvm::Error HttpModelClient::State::addKey(llvm::StringRef host) {
  const std::string &place =
      options.keyFile.empty() ? options.keyVariable : options.keyFile;
  if (place.empty())
    return llvm::Error::success();
  llvm::Expected<std::string> key =
      options.keyFile.empty() ? readVariable(place) : readKeyFile(place);
  if (!key)
    return key.takeError();
  secrets.add(*key);
  if (!isPrivate)
    return fail(Kind::Configuration, "refusing to send the key in '" + place +
                                         "' to '" + host +
                                         "' over plain http; use https");
  return addHeader(wire().keyHeader(*key));
}

llvm::Error HttpModelClient::State::configure() {
  if (options.model.empty())
    return fail(Kind::Configuration, "no model is named");
  auto [path, query] = llvm::StringRef(options.baseUrl).split('?');
  llvm::StringRef rest = path;
  bool encrypted = rest.consume_front_insensitive("https://");
  if (!encrypted && !rest.consume_front_insensitive("http://"))
    return fail(Kind::Configuration,
                "the base URL must begin with 'http://' or 'https://'");
  llvm::StringRef authority = rest.split('/').first;
  // Anywhere, since a password with a slash in it ends the authority early.
  if (path.contains('@'))
    return fail(Kind::Configuration,
                "the base URL carries a user or password; name an environment "
                "variable with the key instead");
  llvm::StringRef host = authority;
  if (size_t port = host.rfind(':');
      port != llvm::StringRef::npos && !host.ends_with("]"))
    host = host.take_front(port);
  if (host.empty())
    return fail(Kind::Configuration, "the base URL names no host");
  onThisMachine = isThisMachine(host);
  isPrivate = encrypted || onThisMachine || options.allowKeyOverHttp;
  shownEndpoint = (path.rtrim('/') + wire().path()).str();
  endpoint = shownEndpoint;
  if (!query.empty()) {
    endpoint += "?" + query.str();
    // Some gateways take a key as a parameter; treat every value as one.
    llvm::SmallVector<llvm::StringRef> parameters;
    query.split(parameters, '&');
    for (llvm::StringRef parameter : parameters)
      if (isSecretHeader(parameter.split('=').first))
        secrets.add(parameter.split('=').second);
  }

  if (llvm::Error error = addKey(host))
    return error;
  for (const auto &headers : {wire().fixedHeaders(), options.headers})
    for (const ExtraHeader &header : headers)
      if (llvm::Error error = addHeader(header))
        return error;
  headerLines.push_back("Content-Type: application/json");
  headerLines.push_back("Accept: application/json");
  options.retry.maxAttempts = std::max(1u, options.retry.maxAttempts);
  random =
      Random(options.jitterSeed ? options.jitterSeed : std::random_device()());
  return llvm::Error::success();
}

HttpModelClient::HttpModelClient(std::unique_ptr<State> state)
    : state(std::move(state)) {}
HttpModelClient::~HttpModelClient() = default;

llvm::Expected<std::unique_ptr<HttpModelClient>>
HttpModelClient::create(HttpModelOptions options) {
  auto state = std::make_unique<State>();
  state->options = std::move(options);
  if (llvm::Error error = state->configure())
    return std::move(error);
  return std::unique_ptr<HttpModelClient>(
      new HttpModelClient(std::move(state)));
}

std::string HttpModelClient::redact(llvm::StringRef text) const {
  return state->secrets.redact(text);
}

// Attempts.

namespace {
/// What one attempt came to.
struct Verdict {
  enum class Next { Done, Stop, Retry, WithoutSchema } next;
  Kind kind = Kind::BadAnswer; // of the failure
  std::string why = "";        // of the failure
  /// The server may have done, and billed, the work.
  bool mayBeBilled = false;
};
} // namespace

static bool isTransient(long status) {
  return status == 408 || status == 425 || status == 429 ||
         (status >= 500 && status != 501 && status != 505);
}

static Verdict judgeFailure(const HttpOutcome &outcome) {
  using Next = Verdict::Next;
  switch (outcome.failure) {
  case Failure::None:
    break;
  case Failure::Setup:
    return {Next::Stop, Kind::Configuration, outcome.detail};
  case Failure::CouldNotConnect:
    return {Next::Retry, Kind::Unconnected,
            "could not connect: " + outcome.detail};
  case Failure::ConnectionLost:
    return {Next::Retry, Kind::Unreachable,
            "the connection was lost: " + outcome.detail, true};
  case Failure::Stalled:
    return {Next::Retry, Kind::TimedOut,
            "the answer stalled: " + outcome.detail, true};
  case Failure::TimedOut:
    return {Next::Stop, Kind::TimedOut,
            "no complete answer in time: " + outcome.detail};
  case Failure::TooLarge:
    return {Next::Stop, Kind::TooLarge, outcome.detail};
  case Failure::Cancelled:
    return {Next::Stop, Kind::Cancelled, outcome.detail};
  }
  return {Next::Done};
}

/// Whether a request was refused perhaps for its schema: it was, by the member
/// that the server names, or the server names none. Then only the same request
/// without a schema tells.
static bool mayBeOverSchema(const ProviderMessage &message) {
  llvm::StringRef param = message.param;
  param = param.take_until([](char c) { return c == '.' || c == '['; });
  return param.empty() || param == "response_format" || param == "tools" ||
         param == "tool_choice";
}

static Verdict judgeStatus(const HttpOutcome &outcome, bool sentSchema) {
  using Next = Verdict::Next;
  if (outcome.status == 200)
    return {Next::Done};
  ProviderMessage message = parseErrorBody(outcome.body);
  std::string why =
      "status " + std::to_string(outcome.status) + ": " + message.text;
  if (outcome.status >= 300 && outcome.status < 400)
    return {Next::Stop, Kind::Rejected,
            "status " + std::to_string(outcome.status) +
                ": the server redirects, which is not followed; correct the "
                "base URL"};
  // Waiting does not fill an account.
  if (message.code == "insufficient_quota")
    return {Next::Stop, Kind::Rejected, why};
  if (isTransient(outcome.status))
    return {Next::Retry, Kind::Overloaded, why};
  if (sentSchema && (outcome.status == 400 || outcome.status == 422) &&
      mayBeOverSchema(message))
    return {Next::WithoutSchema, Kind::Rejected, why};
  return {Next::Stop, Kind::Rejected, why};
}

/// Sleeps in steps, so that a stop is heard. False when stopped.
static bool sleepUnlessStopped(Clock &clock, milliseconds wait,
                               const std::function<bool()> &shouldStop) {
  Clock::Instant end = clock.now() + wait;
  while (true) {
    if (shouldStop && shouldStop())
      return false;
    Clock::Instant now = clock.now();
    if (now >= end)
      return true;
    auto left = std::chrono::ceil<milliseconds>(end - now);
    clock.sleep(std::min(left, milliseconds(250)));
  }
}

llvm::Expected<ModelAnswer>
HttpModelClient::complete(const ModelRequest &request) {
  const HttpModelOptions &options = state->options;
  Clock &clock = *options.clock;
  Clock::Instant start = clock.now();
  Clock::Instant deadline = start + options.overallTimeout;
  if (request.deadline)
    deadline = std::min(deadline, *request.deadline);

  ModelRequest outgoing = request;
  for (Message &message : outgoing.messages)
    message.text = state->secrets.redact(message.text);

  HttpPost post;
  post.url = state->endpoint;
  post.headers = state->headerLines;
  // A key for a server here must not pass through a proxy elsewhere.
  post.direct = state->onThisMachine;
  post.connectTimeout = options.connectTimeout;
  post.stallWindow = options.stallWindow;
  post.stallBytes = options.stallBytes;
  post.maxBodyBytes = options.maxAnswerBytes;
  post.shouldStop = options.shouldStop;
  bool withSchema = outgoing.schema && !state->schemaRefused;
  bool wasRefused = false; // with the schema, and sent again without

  for (unsigned attempt = 1;; ++attempt) {
    // Never before the deadline, or who asked would think that there is time.
    auto left = std::chrono::ceil<milliseconds>(deadline - clock.now());
    if (left <= milliseconds(0)) // curl reads 0 as "for ever"
      return state->fail(Kind::TimedOut, state->shownEndpoint +
                                             ": the overall time is used up");
    post.totalTimeout = std::min(options.attemptTimeout, left);
    post.body = state->wire().body(outgoing, options, withSchema);
    AttemptNews news;
    news.attempt = attempt;
    news.attempts = options.retry.maxAttempts;
    if (request.onAttempt)
      request.onAttempt(news);
    HttpOutcome outcome = httpPost(post);
    // Before anything is cut to an excerpt, which could leave half a key.
    outcome.body = state->secrets.redact(outcome.body);

    Verdict verdict = judgeFailure(outcome);
    if (verdict.next == Verdict::Next::Done)
      verdict = judgeStatus(outcome, withSchema);
    if (verdict.next == Verdict::Next::Done) {
      llvm::Expected<ModelAnswer> answer =
          state->wire().parse(outcome.contentType, outcome.body);
      if (!answer)
        return state->fail(Kind::BadAnswer,
                           state->shownEndpoint + ": " +
                               llvm::toString(answer.takeError()));
      if (answer->model.empty())
        answer->model = request.model.empty() ? options.model : request.model;
      if (wasRefused) // and taken without: it was the schema
        state->schemaRefused = true;
      answer->attempts = attempt;
      answer->seconds =
          std::chrono::duration<double>(clock.now() - start).count();
      return answer;
    }
    std::string message = state->shownEndpoint + ": " + verdict.why;
    if (verdict.next == Verdict::Next::Stop)
      return state->fail(verdict.kind, message);
    if (verdict.next == Verdict::Next::WithoutSchema) {
      wasRefused = true;
      withSchema = false; // cannot come here twice
      continue;
    }
    std::optional<milliseconds> wait;
    {
      std::lock_guard<std::mutex> lock(state->randomMutex);
      wait =
          options.retry.waitAfter(attempt, outcome.retryAfter, state->random);
    }
    if (!wait && attempt < options.retry.maxAttempts)
      return state->fail(verdict.kind,
                         message + "; the server asks to wait " +
                             llvm::Twine(outcome.retryAfter->count() / 1000) +
                             " s, longer than allowed");
    if (!wait)
      return state->fail(verdict.kind, message + "; gave up after " +
                                           llvm::Twine(attempt) + " attempts");
    if (verdict.mayBeBilled && request.mayRepeat && !request.mayRepeat())
      return state->fail(verdict.kind,
                         message + "; to ask again might cost more than is "
                                   "allowed");
    if (clock.now() + *wait >= deadline)
      return state->fail(verdict.kind,
                         message + "; no time left for another attempt");
    ++news.attempt;
    news.retry = clock.now() + *wait;
    news.failure = state->secrets.redact(verdict.why);
    if (request.onAttempt)
      request.onAttempt(news);
    if (!sleepUnlessStopped(clock, *wait, options.shouldStop))
      return state->fail(Kind::Cancelled, "stopped on request");
  }
}

} // namespace evo::llm
