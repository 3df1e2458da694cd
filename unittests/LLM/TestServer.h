// Starts the misbehaving server. One server process for a test program's HTTP
// tests. Its standard input is a pipe that we hold: it ends when we do, however
// we end.
#ifndef EVO_UNITTESTS_LLM_TESTSERVER_H
#define EVO_UNITTESTS_LLM_TESTSERVER_H

#include <string>
#include <sys/types.h>

namespace evo::llm::test {

class TestServer {
public:
  TestServer();
  ~TestServer();
  TestServer(const TestServer &) = delete;

  bool isRunning() const { return port != 0; }
  /// "http://127.0.0.1:<port>/<mode>"
  std::string url(const std::string &mode) const;
  /// The same over TLS, with a certificate that nobody trusts.
  std::string untrustedUrl(const std::string &mode) const;
  /// What was received in this mode, as the server's JSON, one request a line.
  std::string received(const std::string &mode) const;
  unsigned count(const std::string &mode) const;
  /// Starts the counts again, so that tests do not depend on their order.
  void forget() const;

private:
  pid_t child = -1;
  int input = -1;
  int port = 0, tlsPort = 0;
};

} // namespace evo::llm::test

#endif
