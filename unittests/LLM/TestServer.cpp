// Starts the misbehaving server. fork and exec with two pipes: the child's
// output gives the port, our end of its input keeps it alive.
#include "TestServer.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace evo::llm::test {

TestServer::TestServer() {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
    return;
  child = fork();
  if (child == 0) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    execl(EVO_TEST_PYTHON, EVO_TEST_PYTHON, EVO_TEST_SERVER,
          static_cast<char *>(nullptr));
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  input = in[1];
  std::string line;
  char c;
  while (read(out[0], &c, 1) == 1 && c != '\n')
    line += c;
  close(out[0]);
  auto [plain, encrypted] = llvm::StringRef(line).split(' ');
  if (plain.getAsInteger(10, port) || encrypted.getAsInteger(10, tlsPort))
    port = 0;
}

TestServer::~TestServer() {
  if (input >= 0)
    close(input);
  if (child > 0)
    waitpid(child, nullptr, 0);
}

std::string TestServer::url(const std::string &mode) const {
  return "http://127.0.0.1:" + std::to_string(port) + "/" + mode;
}

std::string TestServer::untrustedUrl(const std::string &mode) const {
  return "https://127.0.0.1:" + std::to_string(tlsPort) + "/" + mode;
}

/// A GET without any client library, so that what is tested does not test
/// itself.
static std::string get(int port, llvm::StringRef path) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string reply;
  if (!connect(fd, reinterpret_cast<sockaddr *>(&address), sizeof(address))) {
    std::string text = ("GET " + path + " HTTP/1.0\r\n\r\n").str();
    if (write(fd, text.data(), text.size()) == ssize_t(text.size())) {
      char buffer[4096];
      for (ssize_t n; (n = read(fd, buffer, sizeof(buffer))) > 0;)
        reply.append(buffer, n);
    }
  }
  close(fd);
  return llvm::StringRef(reply).split("\r\n\r\n").second.str();
}

static llvm::json::Array requests(int port, const std::string &mode) {
  llvm::json::Array result;
  llvm::Expected<llvm::json::Value> all = llvm::json::parse(get(port, "/log"));
  if (!all) {
    llvm::consumeError(all.takeError());
    return result;
  }
  for (const llvm::json::Value &entry : *all->getAsArray())
    if (entry.getAsObject()->getString("path")->starts_with("/" + mode + "/"))
      result.push_back(entry);
  return result;
}

std::string TestServer::received(const std::string &mode) const {
  std::string lines;
  for (const llvm::json::Value &entry : requests(port, mode))
    lines += llvm::formatv("{0}\n", entry).str();
  return lines;
}

unsigned TestServer::count(const std::string &mode) const {
  return requests(port, mode).size();
}

void TestServer::forget() const { get(port, "/forget"); }

} // namespace evo::llm::test
