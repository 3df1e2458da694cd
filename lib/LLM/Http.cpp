// One bounded HTTP POST on libcurl. A fresh handle per request: an answer of a
// model takes seconds, so a reused connection saves nothing worth its state.
// curl's own low-speed limit is not used, since it counts the silence while a
// model thinks; the stall rule here starts with the first byte of the body.
// Redirects are not followed, because the key would travel with them.
#include "Http.h"
#include <curl/curl.h>
#include <memory>

namespace evo::llm {

using Steady = std::chrono::steady_clock;
using Failure = HttpOutcome::Failure;

namespace {

constexpr size_t maxHeaderBytes = 256u << 10;

/// State shared with curl's callbacks during one transfer.
struct Transfer {
  const HttpPost &post;
  HttpOutcome &outcome;
  size_t headerBytes = 0;
  size_t windowBytes = 0;
  std::optional<Steady::time_point> windowStart = std::nullopt; // 1st body byte
  Failure abortedBy = Failure::None;

  /// Ends the transfer from within a callback.
  void abort(Failure why, std::string detail) {
    abortedBy = why;
    outcome.detail = std::move(detail);
  }
};

size_t onBody(char *data, size_t size, size_t count, void *user) {
  auto &transfer = *static_cast<Transfer *>(user);
  size_t bytes = size * count;
  if (!transfer.windowStart)
    transfer.windowStart = Steady::now();
  transfer.windowBytes += bytes;
  if (transfer.outcome.body.size() + bytes > transfer.post.maxBodyBytes) {
    transfer.abort(Failure::TooLarge,
                   "the answer exceeds " +
                       std::to_string(transfer.post.maxBodyBytes) + " bytes");
    return 0; // fewer than given: curl stops
  }
  transfer.outcome.body.append(data, bytes);
  return bytes;
}

size_t onHeader(char *, size_t size, size_t count, void *user) {
  auto &transfer = *static_cast<Transfer *>(user);
  transfer.headerBytes += size * count;
  if (transfer.headerBytes > maxHeaderBytes) {
    transfer.abort(Failure::TooLarge, "the answer's headers exceed " +
                                          std::to_string(maxHeaderBytes) +
                                          " bytes");
    return 0;
  }
  return size * count;
}

int onProgress(void *user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto &transfer = *static_cast<Transfer *>(user);
  if (transfer.post.shouldStop && transfer.post.shouldStop()) {
    transfer.abort(Failure::Cancelled, "stopped on request");
    return 1;
  }
  if (!transfer.windowStart)
    return 0;
  Steady::time_point now = Steady::now();
  if (now - *transfer.windowStart < transfer.post.stallWindow)
    return 0;
  if (transfer.windowBytes < transfer.post.stallBytes) {
    transfer.abort(Failure::Stalled,
                   "only " + std::to_string(transfer.windowBytes) +
                       " bytes of the answer arrived in " +
                       std::to_string(transfer.post.stallWindow.count()) +
                       " ms");
    return 1;
  }
  transfer.windowStart = now;
  transfer.windowBytes = 0;
  return 0;
}

struct EasyDeleter {
  void operator()(CURL *handle) const { curl_easy_cleanup(handle); }
};
struct ListDeleter {
  void operator()(curl_slist *list) const { curl_slist_free_all(list); }
};

Failure classify(CURLcode code, CURL *handle) {
  switch (code) {
  case CURLE_OK:
    return Failure::None;
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_CONNECT:
  case CURLE_SSL_CONNECT_ERROR: // nothing was sent yet
    return Failure::CouldNotConnect;
  case CURLE_OPERATION_TIMEDOUT: {
    curl_off_t connected = 0;
    curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &connected);
    return connected == 0 ? Failure::CouldNotConnect : Failure::TimedOut;
  }
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_PARTIAL_FILE:
  case CURLE_GOT_NOTHING:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
    return Failure::ConnectionLost;
  default:
    return Failure::Setup;
  }
}

void readInfo(CURL *handle, HttpOutcome &outcome) {
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &outcome.status);
  const char *type = nullptr;
  curl_easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type);
  if (type)
    outcome.contentType = type;
  curl_off_t seconds = 0; // curl reads both forms, seconds and a date
  curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
  // A number of seconds beyond a week is as good as "never".
  constexpr curl_off_t week = 7 * 24 * 3600;
  if (seconds > 0)
    outcome.retryAfter = std::chrono::seconds(seconds < week ? seconds : week);
}

bool initialiseCurlOnce() {
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return ready;
}

} // namespace

HttpOutcome httpPost(const HttpPost &post) {
  HttpOutcome outcome;
  std::unique_ptr<CURL, EasyDeleter> handle(
      initialiseCurlOnce() ? curl_easy_init() : nullptr);
  if (!handle) {
    outcome.failure = Failure::Setup;
    // unreachable: unless it is not installed
    outcome.detail = "libcurl could not be initialised";
    return outcome;
  }
  std::unique_ptr<curl_slist, ListDeleter> headers;
  auto addHeader = [&](const std::string &line) {
    curl_slist *longer = curl_slist_append(headers.get(), line.c_str());
    (void)headers.release(); // the list's head is owned by `longer` now
    headers.reset(longer);
  };
  for (const std::string &line : post.headers)
    addHeader(line);
  addHeader("Expect:"); // no pause for "100 Continue" before a long prompt

  Transfer transfer{post, outcome};
  char reason[CURL_ERROR_SIZE] = "";
  CURL *curl = handle.get();
  curl_easy_setopt(curl, CURLOPT_URL, post.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  if (post.direct)
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post.body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(post.body.size()));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(post.connectTimeout.count()));
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(post.totalTimeout.count()));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, onBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, onHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, onProgress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &transfer);

  CURLcode code = curl_easy_perform(curl);
  readInfo(curl, outcome);
  if (transfer.abortedBy != Failure::None) {
    outcome.failure = transfer.abortedBy;
    return outcome;
  }
  outcome.failure = classify(code, curl);
  if (outcome.failure != Failure::None)
    outcome.detail = reason[0] ? reason : curl_easy_strerror(code);
  return outcome;
}

} // namespace evo::llm
