// The line is made beforehand: in a signal handler there is nothing but write.
// The handler has a stack of its own, since deep nesting of what is read may
// have used up the other.
#include "Crash.h"
#include "Driver/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <atomic>
#include <csignal>
#include <string>
#include <unistd.h>

using namespace evo;

namespace {
struct Words {
  std::string text; // to be written as it is
  int descriptor;
  bool json;
  const Words *earlier; // kept: a handler may be at them
};
} // namespace

/// For the whole process, as signals are. There are some before there is a
/// handler.
static std::atomic<const Words *> words = nullptr;
static_assert(std::atomic<const Words *>::is_always_lock_free);

static std::string asLine(llvm::StringRef message, bool json) {
  if (!json)
    return ("evo-opt: error: " + message + "\n").str();
  return llvm::formatv("{0}\n", llvm::json::Value(llvm::json::Object{
                                    {"event", "diagnostic"},
                                    {"severity", "error"},
                                    {"message", llvm::json::fixUTF8(message)}}))
      .str();
}

static void say(llvm::StringRef line, int descriptor) {
  // Nobody is left to be told of a failure.
  (void)!::write(descriptor, line.data(), line.size());
}

static void onCrash(int) {
  const Words &said = *words.load();
  say(said.text, said.descriptor);
  ::_exit(Infrastructure);
}

/// LLVM ends the process over what it cannot do, with the exit code of a
/// refutation.
static void onFatalError(void *, const char *reason, bool) {
  const Words &said = *words.load();
  std::string message = "LLVM ERROR: " + std::string(reason) +
                        // unreachable: no input of a user is known to do this
                        ": this is a defect: please report it with the file";
  say(asLine(message, said.json), said.descriptor);
  ::_exit(Infrastructure);
}

void evo::explainCrashes(llvm::StringRef doing, bool json) {
  words =
      new Words{asLine("'" + doing.str() +
                           "' died in the tool or in a compiler that it uses: "
                           "this is a defect: please report it with the file",
                       json),
                json ? STDOUT_FILENO : STDERR_FILENO, json, words};
  constexpr size_t bytes = 64 << 10;
  static char stack[bytes];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = bytes;
  ::sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    ::sigaction(signal, &action, nullptr);
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(onFatalError);
}
