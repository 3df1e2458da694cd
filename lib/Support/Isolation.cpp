// fork, limits, a Landlock domain and a system call filter. The filter is
// written out rather than built with a library: a handful of calls that no
// compiler needs are refused.
#include "evo/Support/Isolation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace evo;

/// Writes as it says; a reader that is gone leaves a signal.
static bool writeSignaled(int descriptor, StringRef data) {
  while (!data.empty()) {
    ssize_t count = ::write(descriptor, data.data(), data.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    data = data.drop_front(count);
  }
  return true;
}

bool evo::writeAll(int descriptor, StringRef data) {
  // A reader that is gone is an answer here, not a reason to die. What becomes
  // of that signal elsewhere is for whoever links the library to say, so only
  // this thread is deaf to it.
  sigset_t brokenPipe, before;
  sigemptyset(&brokenPipe);
  sigaddset(&brokenPipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &brokenPipe, &before);
  bool written = writeSignaled(descriptor, data);
  timespec now = {};
  if (!written)
    while (sigtimedwait(&brokenPipe, nullptr, &now) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return written;
}

static double secondsOf(const rusage &usage) {
  auto seconds = [](const timeval &time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double evo::getCPUSeconds() {
  double total = 0;
  for (auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    total += secondsOf(usage);
  }
  return total;
}

/// Lines of a dying process as one, which a message can carry.
static std::string joinLines(StringRef text) {
  constexpr size_t maxLength = 400;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string joined;
  for (StringRef line : lines) {
    line = line.trim();
    joined += (joined.empty() || line.empty() ? "" : "; ") + line.str();
  }
  return joined.size() > maxLength
             ? "..." + joined.substr(joined.size() - maxLength)
             : joined;
}

std::string IsolatedResult::describe() const {
  std::string text;
  switch (end) {
  case End::TimedOut:
    return "ran out of time";
  case End::Signalled:
    text = "killed by signal " + std::to_string(code) + " (" + strsignal(code) +
           ")";
    break;
  case End::Exited:
    if (code == 0)
      return "";
    text = "exited with status " + std::to_string(code);
  }
  std::string said = joinLines(lastWords);
  return said.empty() ? text : text + ": " + said;
}

std::optional<FaultKind> IsolatedResult::fault() const {
  switch (end) {
  case End::TimedOut:
    return FaultKind::OutOfTime;
  case End::Exited:
    return code == 0 ? std::nullopt : std::optional(FaultKind::Crashed);
  case End::Signalled:
    break;
  }
  // Of no other cause is the signal that nobody can catch, which the system
  // sends for memory (and for a processor's time where threads use more of it
  // than passes by the clock).
  switch (code) {
  case SIGXCPU:
    return FaultKind::OutOfTime;
  case SIGKILL:
    return FaultKind::OutOfMemory;
  default:
    return FaultKind::Crashed;
  }
}

static void setLimit(__rlimit_resource resource, uint64_t value) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0)
    return;
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, value);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(resource, &limit);
}

/// Refuses, with EPERM, what neither a compiler nor an interpreter needs:
/// sockets, looking into other processes, and leaving the group of processes
/// that is ended as a whole.
static void installFilter() {
#ifdef __x86_64__
  // Numbers of other tables, of 32 bits and of x32, are refused as a whole.
  constexpr uint32_t x32 = 0x40000000;
  static const unsigned refused[] = {__NR_socket,
                                     __NR_socketpair,
                                     __NR_connect,
                                     __NR_bind,
                                     __NR_ptrace,
                                     __NR_process_vm_readv,
                                     __NR_process_vm_writev,
                                     __NR_io_uring_setup,
                                     __NR_kill,
                                     __NR_setsid,
                                     __NR_setpgid,
                                     __NR_bpf,
                                     __NR_mount};
  constexpr size_t count = std::size(refused);
  sock_filter program[count + 6];
  size_t length = 0;
  auto statement = [&](uint16_t code, uint32_t k) {
    program[length++] = sock_filter{code, 0, 0, k};
  };
  auto jump = [&](uint16_t test, uint32_t k, size_t ifTrue, size_t ifFalse) {
    program[length++] = sock_filter{
        static_cast<uint16_t>(BPF_JMP | test | BPF_K),
        static_cast<uint8_t>(ifTrue), static_cast<uint8_t>(ifFalse), k};
  };
  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch));
  jump(BPF_JEQ, AUDIT_ARCH_X86_64, 0, count + 3);
  statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  jump(BPF_JGE, x32, count + 1, 0);
  for (size_t i = 0; i < count; ++i)
    jump(BPF_JEQ, refused[i], count - i, 0);
  statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  sock_fprog filter{static_cast<unsigned short>(length), program};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#endif
}

namespace {
/// Rights to files, by the kernel's numbers: headers of older distributions
/// lack the later ones.
enum FileRights : uint64_t {
  WriteFile = 1 << 1,
  MakeDevices = (1 << 6) | (1 << 11), // character and block
  // Removing and making files and folders, links, sockets and pipes.
  ChangeFolders = (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 9) |
                  (1 << 10) | (1 << 12),
  Truncate = 1 << 14 // from version 3
};
} // namespace

#if defined(__NR_landlock_create_ruleset) &&                                   \
    defined(__NR_landlock_restrict_self) && defined(__NR_landlock_add_rule)
/// Allows `rights` to `path` and what is beneath it. Where there is no such
/// file, there is nothing to allow.
static void allow(int ruleset, const char *path, uint64_t rights) {
  struct Rule {
    uint64_t rights;
    int32_t parent;
  } __attribute__((packed));
  constexpr unsigned pathBeneath = 1;
  Rule rule{rights, open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent < 0)
    return;
  syscall(__NR_landlock_add_rule, ruleset, pathBeneath, &rule, 0u);
  close(rule.parent);
}
#endif

/// Enters a Landlock domain (Linux 5.13). From within, the kernel opens no
/// process outside, be it of the same user: /proc/PID/environ of an ancestor,
/// where the keys of whoever searches stand, stays closed. Nor is a file
/// changed, made or removed but in `scratch`. The structure is the kernel's.
static bool enterDomain(const std::string &scratch) {
#if defined(__NR_landlock_create_ruleset) &&                                   \
    defined(__NR_landlock_restrict_self) && defined(__NR_landlock_add_rule)
  struct Ruleset {
    uint64_t files, network, scoped;
  };
  constexpr uint64_t bindAndConnect = 3; // TCP
  constexpr uint64_t socketsAndSignals = 3;
  constexpr unsigned askVersion = 1;
  long version =
      syscall(__NR_landlock_create_ruleset, nullptr, size_t(0), askVersion);
  if (version < 1)
    return false;
  const uint64_t changes =
      WriteFile | ChangeFolders | (version >= 3 ? Truncate : 0);
  Ruleset ruleset{changes | MakeDevices, version >= 4 ? bindAndConnect : 0,
                  version >= 6 ? socketsAndSignals : 0};
  size_t size = version >= 6   ? sizeof(Ruleset)
                : version >= 4 ? offsetof(Ruleset, scoped)
                               : offsetof(Ruleset, network);
  long descriptor = syscall(__NR_landlock_create_ruleset, &ruleset, size, 0u);
  if (descriptor < 0)
    return false;
  allow(static_cast<int>(descriptor), scratch.c_str(), changes);
  allow(static_cast<int>(descriptor), "/dev/null",
        changes & (WriteFile | Truncate));
  bool entered = syscall(__NR_landlock_restrict_self, descriptor, 0u) == 0;
  close(static_cast<int>(descriptor));
  return entered;
#else
  return false;
#endif
}

/// Of root's rights, only those to files: with others, which a container's root
/// may have, a process reads what a domain would close to it.
static void dropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(__NR_capget, &header, data) != 0)
    return;
  constexpr uint32_t ofFiles =
      CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH);
  data[0] = {data[0].effective & ofFiles, data[0].permitted & ofFiles, 0};
  data[1] = {};
  syscall(__NR_capset, &header, data);
}

/// Takes from this process the right to look into those outside.
static void hideOtherProcesses(const std::string &scratch) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Where there is no Landlock, a user namespace says the same of ancestors.
  if (!enterDomain(scratch))
    (void)unshare(CLONE_NEWUSER);
  dropCapabilities();
}

/// Where temporary files go by the user's word; it is no secret.
static std::string temporaryFolder() {
  const char *value = getenv("TMPDIR");
  return value && *value ? value : "/tmp";
}

static constexpr char scratchPrefix[] = "evo-candidate-";

/// What cannot be removed is left to a later sweep.
static void removeFolder(const Twine &path) {
  consumeError(errorCodeToError(sys::fs::remove_directories(path)));
}

namespace {
/// A folder for the temporary files of one process, removed with this. It is
/// locked as long as somebody has it, so that what a killed process has left is
/// known for that.
class Scratch {
public:
  Scratch() {
    for (int attempt = 0; attempt < 10 && descriptor < 0; ++attempt) {
      std::string made = temporaryFolder() + "/" + scratchPrefix + "XXXXXX";
      if (!mkdtemp(made.data()))
        return; // whoever writes there says why it cannot
      // A sweep may come before the lock.
      int opened = open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      struct stat now;
      if (opened >= 0 && flock(opened, LOCK_SH | LOCK_NB) == 0 &&
          stat(made.c_str(), &now) == 0) {
        descriptor = opened;
        path = std::move(made);
      } else if (opened >= 0) {
        close(opened);
      }
    }
  }
  ~Scratch() {
    if (descriptor < 0)
      return;
    removeFolder(path);
    close(descriptor);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  /// The user's own where none could be made.
  std::string where() const { return path.empty() ? temporaryFolder() : path; }

private:
  std::string path;
  int descriptor = -1;
};
} // namespace

void evo::removeAbandonedScratch() {
  std::error_code code;
  for (sys::fs::directory_iterator at(temporaryFolder(), code), end;
       at != end && !code; at.increment(code)) {
    if (!sys::path::filename(at->path()).starts_with(scratchPrefix))
      continue;
    int opened = open(at->path().c_str(),
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat owner;
    if (opened >= 0 && fstat(opened, &owner) == 0 &&
        owner.st_uid == geteuid() && flock(opened, LOCK_EX | LOCK_NB) == 0)
      removeFolder(at->path());
    if (opened >= 0)
      close(opened);
  }
}

/// A user's small /tmp is no verdict, so that it is not another one here.
static void clearEnvironment(const std::string &scratch) {
  clearenv();
  setenv("TMPDIR", scratch.c_str(), 1);
}

[[noreturn]] static void runChild(function_ref<int(int)> body, int descriptor,
                                  int errors, pid_t parent,
                                  const std::string &scratch,
                                  const IsolationLimits &limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) // which died before that was said
    _exit(1);
  setpgid(0, 0);
  for (int signal :
       {SIGINT, SIGTERM, SIGPIPE, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
    ::signal(signal, SIG_DFL);
  // Nothing to read, nothing to print over the parent's terminal.
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, 0);
    dup2(null, 1);
  }
  dup2(errors, 2);
  if (descriptor != 3) {
    dup2(descriptor, 3);
    descriptor = 3;
  }
  close_range(4, ~0u, 0);
  clearEnvironment(scratch);
#if !LLVM_ADDRESS_SANITIZER_BUILD // whose shadow alone is terabytes
  // Not of addresses: what is only read again and again takes no memory.
  setLimit(RLIMIT_DATA, limits.memoryBytes);
#endif
  setLimit(RLIMIT_CORE, 0);
  setLimit(RLIMIT_FSIZE, limits.fileBytes);
  setLimit(RLIMIT_NOFILE, 256);
  setLimit(RLIMIT_CPU, static_cast<uint64_t>(limits.wallSeconds) + 2);
  hideOtherProcesses(scratch);
  installFilter();
  int status = body(descriptor);
  _exit(status);
}

namespace {
/// Both ends of a pipe, closed with it.
struct Pipe {
  int ends[2] = {-1, -1};

  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void closeEnd(int which) {
    if (ends[which] >= 0)
      close(ends[which]);
    ends[which] = -1;
  }
};
} // namespace

enum class ReadResult { Some, Nothing, End };

/// Appends what can be read at once.
static ReadResult readSome(int descriptor, std::string &text) {
  char buffer[65536];
  ssize_t count = read(descriptor, buffer, sizeof(buffer));
  if (count < 0 && (errno == EINTR || errno == EAGAIN))
    return ReadResult::Nothing;
  if (count <= 0)
    return ReadResult::End;
  text.append(buffer, count);
  return ReadResult::Some;
}

/// Keeps the end of a text; who dies says why at last.
static void keepEnd(std::string &text) {
  constexpr size_t kept = 4096;
  if (text.size() > 2 * kept)
    text.erase(0, text.size() - kept);
}

Expected<IsolatedResult> evo::runIsolated(function_ref<int(int)> body,
                                          const IsolationLimits &limits) {
  Pipe answer, errors;
  if (!answer.open() || !errors.open())
    return createStringError("cannot make a pipe: " + sys::StrError());
  Scratch scratch;
  pid_t parent = getpid(), child = fork();
  if (child < 0)
    return createStringError("cannot fork: " + sys::StrError());
  if (child == 0)
    runChild(body, answer.ends[1], errors.ends[1], parent, scratch.where(),
             limits);
  setpgid(child, child);
  answer.closeEnd(1);
  errors.closeEnd(1);
  fcntl(errors.ends[0], F_SETFL, O_NONBLOCK);

  using Clock = std::chrono::steady_clock;
  auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(limits.wallSeconds));
  IsolatedResult result;
  bool timedOut = false;
  constexpr size_t outputCap = size_t(512) << 20;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
                    deadline - Clock::now())
                    .count();
    if (left <= 0 || result.output.size() > outputCap) {
      timedOut = true;
      break;
    }
    pollfd pollers[] = {{answer.ends[0], POLLIN, 0},
                        {errors.ends[0], POLLIN, 0}};
    int ready = poll(pollers, 2, static_cast<int>(std::min<long>(left, 1000)));
    if (ready < 0 && errno != EINTR)
      break;
    if (ready <= 0)
      continue;
    if (pollers[1].revents) {
      if (readSome(errors.ends[0], result.lastWords) == ReadResult::End)
        errors.closeEnd(0); // poll passes over what is closed
      keepEnd(result.lastWords);
    }
    if (pollers[0].revents &&
        readSome(answer.ends[0], result.output) == ReadResult::End)
      break;
  }
  answer.closeEnd(0);
  int status = 0;
  rusage usage{};
  // One that has closed its end may still run.
  bool ended = false;
  while (!timedOut && !ended) {
    ended = wait4(child, &status, WNOHANG, &usage) == child;
    timedOut = !ended && Clock::now() >= deadline;
    if (!ended && !timedOut)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (timedOut)
    kill(-child, SIGKILL);
  while (!ended && wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.cpuSeconds = secondsOf(usage);
  // The rest of the group: a candidate's own children die with it.
  kill(-child, SIGKILL);
  while (errors.ends[0] >= 0 &&
         readSome(errors.ends[0], result.lastWords) == ReadResult::Some)
    keepEnd(result.lastWords);
  if (timedOut) {
    result.end = IsolatedResult::End::TimedOut;
  } else if (WIFSIGNALED(status)) {
    result.end = IsolatedResult::End::Signalled;
    result.code = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}
