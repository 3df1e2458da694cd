// Starts a worker with two pipes, and ends it.
#include "evo/Support/WorkerProcess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Errno.h"
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace evo;

extern char **environ;

/// Whether a worker gets the variable `name`: what says where a toolkit is, how
/// to load libraries, where to put files, and what sanitizers do. Not the rest,
/// in which keys stand: a candidate's process is a copy of its worker.
static bool isForWorkers(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "PATH",          "HOME",
      "TMPDIR",        "LANG",
      "EVO_CUDA_PATH", "EVO_CLANG_RESOURCE_DIR",
      "PYTHONPATH",    "VIRTUAL_ENV",
      "CONDA_PREFIX",  "LD_LIBRARY_PATH",
      "EVO_CACHE_DIR"};
  return llvm::is_contained(names, name) || name.starts_with("CUDA_") ||
         name.starts_with("LC_") || name.ends_with("SAN_OPTIONS");
}

/// Those variables of this process that a worker gets, and the null behind.
static std::vector<char *> workerEnvironment() {
  std::vector<char *> variables;
  for (char **variable = environ; variable && *variable; ++variable)
    if (isForWorkers(llvm::StringRef(*variable).split('=').first))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  return variables;
}

/// Starts `command`; the number of an error, or 0.
static int spawn(const std::vector<std::string> &command, int input, int output,
                 pid_t &child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  std::vector<char *> argv;
  argv.reserve(command.size() + 1);
  for (const std::string &arg : command)
    argv.push_back(const_cast<char *>(arg.c_str()));
  argv.push_back(nullptr);
  int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(),
                          workerEnvironment().data());
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

llvm::Error WorkerProcess::start() {
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0)
    return llvm::createStringError("cannot make a pipe: " +
                                   llvm::sys::StrError());
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return llvm::createStringError("cannot make a pipe: " +
                                   llvm::sys::StrError());
  }
  std::string what;
  int error = 0;
  if (auto *body = std::get_if<std::function<int(int, int)>>(&how)) {
    what = "a fork";
    child = fork();
    if (child == 0) {
      close(in[1]);
      close(out[0]);
      _exit((*body)(in[0], out[1]));
    }
    error = child < 0 ? errno : 0;
  } else {
    const auto &command = std::get<std::vector<std::string>>(how);
    what = "'" + command[0] + "'";
    error = spawn(command, in[0], out[1], child);
  }
  close(in[0]);
  close(out[1]);
  toWorker = in[1];
  fromWorker = out[0];
  if (error == 0)
    return llvm::Error::success();
  child = -1;
  stop();
  return llvm::createStringError("cannot start the worker " + what + ": " +
                                 llvm::sys::StrError(error));
}

void WorkerProcess::end(bool atOnce) {
  for (int *descriptor : {&toWorker, &fromWorker})
    if (*descriptor >= 0) {
      close(*descriptor);
      *descriptor = -1;
    }
  if (child > 0) {
    ::kill(child, atOnce ? SIGKILL : SIGTERM);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  child = -1;
}

llvm::Error WorkerProcess::send(const llvm::json::Value &request) {
  if (child < 0)
    if (llvm::Error error = start())
      return error;
  if (!sendMessage(toWorker, request))
    return llvm::createStringError("the worker does not listen");
  return llvm::Error::success();
}

llvm::Expected<llvm::json::Value> WorkerProcess::receive() {
  return receiveMessage(fromWorker);
}
