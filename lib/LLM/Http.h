// One bounded HTTP POST. The boundary to libcurl: nothing above this header
// sees curl. One call sends one request and gives up within known bounds of
// time and size; whether to try again is somebody else's decision, for which
// the outcome says what happened.
#ifndef EVO_LIB_LLM_HTTP_H
#define EVO_LIB_LLM_HTTP_H

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace evo::llm {

struct HttpPost {
  std::string url;
  std::vector<std::string> headers; // "Name: value", no line ends
  std::string body;
  /// No proxy, whatever the environment says: for servers on this machine.
  bool direct = false;

  std::chrono::milliseconds connectTimeout{10000};
  std::chrono::milliseconds totalTimeout{600000};
  /// A body that has begun to arrive must bring `stallBytes` in every window
  /// of this length. Silence before the first byte is not a stall: that is how
  /// a model thinks.
  std::chrono::milliseconds stallWindow{60000};
  size_t stallBytes = 64;
  size_t maxBodyBytes = 8u << 20;
  std::function<bool()> shouldStop;
};

struct HttpOutcome {
  enum class Failure {
    None,
    Setup,           ///< bad URL, TLS trust, no such protocol: no use to repeat
    CouldNotConnect, ///< refused, unresolved, or connect timeout
    ConnectionLost,  ///< reset, or the body ended before its announced length
    TimedOut,
    Stalled,
    TooLarge,
    Cancelled,
  };
  Failure failure = Failure::None;
  std::string detail; ///< for people; may quote the URL's host

  long status = 0;
  std::string contentType;
  std::string body;
  std::optional<std::chrono::milliseconds> retryAfter;
};

HttpOutcome httpPost(const HttpPost &post);

} // namespace evo::llm

#endif
