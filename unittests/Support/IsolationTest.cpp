// What the process of a candidate can reach: no environment, no descriptors but
// its own, no other process, no network, files of a size, time that ends.
#include "evo/Support/Isolation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace evo;

extern char **environ;

namespace {

/// What the body says in a process of its own.
std::string isolated(llvm::function_ref<std::string()> body,
                     IsolationLimits limits = {}) {
  auto result = runIsolated(
      [&](int descriptor) { return writeAll(descriptor, body()) ? 0 : 1; },
      limits);
  if (!result)
    return llvm::toString(result.takeError());
  return result->output + result->describe();
}

std::string outcome(long status) {
  return status == -1 ? "errno " + std::to_string(errno) : "done";
}

const std::string refused = "errno " + std::to_string(EPERM);

TEST(Isolation, EndsAreDescribed) {
  auto describe = [](llvm::function_ref<int(int)> body) {
    auto result = runIsolated(body, IsolationLimits());
    return result ? result->describe() : llvm::toString(result.takeError());
  };
  EXPECT_EQ(describe([](int) { return 0; }), "");
  EXPECT_EQ(describe([](int) { return 3; }), "exited with status 3");
  EXPECT_EQ(describe([](int) { return raise(SIGTERM); }),
            "killed by signal 15 (Terminated)");
}

TEST(Isolation, EnvironmentIsEmpty) {
  ASSERT_EQ(setenv("EVO_ISOLATION_TEST", "1", 1), 0);
  unsetenv("TMPDIR");
  std::string all = isolated([] {
    std::string lines;
    for (char **variable = environ; variable && *variable; ++variable)
      lines += std::string(*variable) + "\n";
    return lines;
  });
  EXPECT_EQ(all.find("TMPDIR=/tmp/evo-candidate-"), 0u) << all;
  EXPECT_EQ(all.find('\n'), all.size() - 1) << all;
  unsetenv("EVO_ISOLATION_TEST");
}

TEST(Isolation, TemporaryFilesGoWhereTheUserSays) {
  ASSERT_EQ(setenv("TMPDIR", "/some/where", 1), 0);
  EXPECT_EQ(isolated([] {
              return std::string(environ[0]) + (environ[1] ? " and more" : "");
            }),
            "TMPDIR=/some/where");
  unsetenv("TMPDIR");
}

/// What is tried outside of the folder for temporary files, a line each.
std::string changeFiles(const std::string &file) {
  std::string beside = file + ".beside";
  std::string lines;
  auto note = [&](const char *what, long status) {
    lines += std::string(what) + ": " + outcome(status) + "\n";
  };
  note("open", ::open(file.c_str(), O_WRONLY));
  note("make", ::open(beside.c_str(), O_WRONLY | O_CREAT, 0600));
  note("folder", mkdir(beside.c_str(), 0700));
  note("link", symlink("/", beside.c_str()));
  note("pipe", mkfifo(beside.c_str(), 0600));
  note("rename", rename(file.c_str(), beside.c_str()));
  note("remove", unlink(file.c_str()));
  return lines;
}

TEST(Isolation, FilesOutsideStayAsTheyAre) {
  if (syscall(__NR_landlock_create_ruleset, nullptr, size_t(0), 1u) < 1)
    GTEST_SKIP() << "needs Landlock";
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("outside", folder));
  std::string file = (folder + "/file").str();
  close(::open(file.c_str(), O_WRONLY | O_CREAT, 0600));
  std::string end = isolated([&] { return changeFiles(file); });
  std::string denied = ": errno " + std::to_string(EACCES) + "\n";
  std::string all;
  for (const char *what :
       {"open", "make", "folder", "link", "pipe", "rename", "remove"})
    all += what + denied;
  EXPECT_EQ(end, all);
  // Its own folder is for files, and goes with it.
  std::string own = isolated([] {
    std::string mine = std::string(getenv("TMPDIR")) + "/mine";
    int made = ::open(mine.c_str(), O_WRONLY | O_CREAT, 0600);
    return made >= 0 && write(made, "x", 1) == 1 ? mine : std::string("none");
  });
  ASSERT_NE(own.find("/evo-candidate-"), std::string::npos) << own;
  EXPECT_FALSE(llvm::sys::fs::exists(llvm::sys::path::parent_path(own)));
  // The twin: a child that is not isolated does what it likes.
  pid_t child = fork();
  if (child == 0)
    _exit(changeFiles(file).find("open: done\nmake: done") != 0);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  llvm::sys::fs::remove_directories(folder);
}

TEST(Isolation, WhatAKilledParentLeftIsRemoved) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("swept", folder));
  ASSERT_EQ(setenv("TMPDIR", folder.c_str(), 1), 0);
  std::string abandoned = (folder + "/evo-candidate-abcdef").str();
  std::string other = (folder + "/evo-other").str();
  ASSERT_EQ(mkdir(abandoned.c_str(), 0700), 0);
  ASSERT_EQ(mkdir(other.c_str(), 0700), 0);
  // One that is in use stays: its owner sweeps from within.
  auto result = runIsolated(
      [&](int descriptor) {
        std::string mine = getenv("TMPDIR");
        setenv("TMPDIR", folder.c_str(), 1);
        removeAbandonedScratch();
        return writeAll(descriptor, llvm::sys::fs::exists(mine) ? "there" : "")
                   ? 0
                   : 1;
      },
      IsolationLimits());
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->output, "there");
  removeAbandonedScratch();
  unsetenv("TMPDIR");
  EXPECT_FALSE(llvm::sys::fs::exists(abandoned));
  EXPECT_TRUE(llvm::sys::fs::exists(other));
  llvm::sys::fs::remove_directories(folder);
}

TEST(Isolation, DescriptorsAreItsOwn) {
  int open = ::open("/dev/null", O_RDWR);
  ASSERT_GE(open, 0);
  int high = fcntl(open, F_DUPFD, 200);
  EXPECT_EQ(isolated([] {
              std::string list;
              for (int fd = 0; fd < 256; ++fd)
                if (fcntl(fd, F_GETFD) != -1)
                  list += std::to_string(fd) + " ";
              return list;
            }),
            "0 1 2 3 ");
  // Nothing of the parent's is behind the three standard ones.
  EXPECT_EQ(isolated([] {
              char byte;
              return std::to_string(read(0, &byte, 1)) +
                     std::to_string(isatty(1) + isatty(2));
            }),
            "00");
  close(open);
  close(high);
}

#ifdef __x86_64__
TEST(Isolation, NoOtherProcess) {
  pid_t parent = getpid();
  EXPECT_EQ(isolated([&] { return outcome(kill(parent, 0)); }), refused);
  EXPECT_EQ(isolated([&] {
              return outcome(ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
            }),
            refused);
  static char secret[] = "secret";
  EXPECT_EQ(isolated([&] {
              char copy[sizeof(secret)];
              iovec here{copy, sizeof(copy)}, there{secret, sizeof(secret)};
              return outcome(process_vm_readv(parent, &here, 1, &there, 1, 0));
            }),
            refused);
  EXPECT_EQ(isolated([&] {
              char byte = 0;
              iovec here{&byte, 1}, there{secret, 1};
              return outcome(process_vm_writev(parent, &here, 1, &there, 1, 0));
            }),
            refused);
  EXPECT_STREQ(secret, "secret");
}

/// What the kernel hands out of a process's first environment, or why nothing.
std::string environmentOf(pid_t process) {
  int file =
      open(("/proc/" + std::to_string(process) + "/environ").c_str(), O_RDONLY);
  if (file < 0)
    return "errno " + std::to_string(errno);
  std::string text(1 << 16, '\0');
  ssize_t count = read(file, text.data(), text.size());
  close(file);
  return count > 0 ? text.substr(0, count)
                   : "errno " + std::to_string(count < 0 ? errno : 0);
}

/// A key that this process was started with is in its memory for good, whatever
/// it does to its environment; its parent has it as well.
TEST(Isolation, NoEnvironmentOfAnAncestor) {
  pid_t self = getpid(), parent = getppid();
  // As long as there is something to read, with no isolation between.
  ASSERT_EQ(environmentOf(self).find("errno"), std::string::npos);
  std::string denied = "errno " + std::to_string(EACCES);
  for (pid_t ancestor : {self, parent}) {
    std::string end = isolated([&] { return environmentOf(ancestor); });
    EXPECT_TRUE(end == denied || end == refused) << end;
    end = isolated([&] {
      int file = open(("/proc/" + std::to_string(ancestor) + "/mem").c_str(),
                      O_RDONLY);
      return outcome(file);
    });
    EXPECT_TRUE(end == denied || end == refused) << end;
  }
  // The twin: a child that is not isolated does read it.
  pid_t child = fork();
  if (child == 0)
    _exit(environmentOf(self).find("errno") == 0);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Isolation, NoSignalBesidesKill) {
#ifdef __NR_landlock_create_ruleset
  long version = syscall(__NR_landlock_create_ruleset, nullptr, size_t(0), 1u);
#else
  long version = 0;
#endif
  if (version < 6)
    GTEST_SKIP() << "needs Landlock's sixth version";
  pid_t parent = getpid();
  EXPECT_EQ(
      isolated([&] { return outcome(syscall(SYS_tgkill, parent, parent, 0)); }),
      refused);
}

/// The same calls by the numbers of 32 bits and of x32.
TEST(Isolation, NoOtherTableOfCalls) {
  constexpr long getpid32 = 20, x32 = 0x40000000;
  std::string end = isolated([] {
    long result = getpid32;
    asm volatile("int $0x80" : "+a"(result) : : "memory");
    return std::to_string(result);
  });
  // A kernel may have none of 32 bits.
  EXPECT_TRUE(end == std::to_string(-EPERM) ||
              end.find("killed by signal 11") == 0)
      << end;
  EXPECT_EQ(isolated([] { return outcome(syscall(x32 | SYS_getpid)); }),
            refused);
  EXPECT_EQ(isolated([] {
              return std::to_string(syscall(SYS_getppid) > 0 ||
                                    syscall(SYS_getpid) > 0);
            }),
            "1");
}

TEST(Isolation, NoNetwork) {
  EXPECT_EQ(isolated([] { return outcome(socket(AF_INET, SOCK_STREAM, 0)); }),
            refused);
  int pair[2];
  EXPECT_EQ(isolated([&] {
              return outcome(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
            }),
            refused);
}
#endif

TEST(Isolation, FilesEndAtTheLimit) {
  IsolationLimits limits;
  limits.fileBytes = 1000;
  std::string end = isolated(
      [&] {
        std::string name = std::string(getenv("TMPDIR")) + "/mine";
        int mine = ::open(name.c_str(), O_WRONLY | O_CREAT, 0600);
        if (mine < 0)
          return std::string("no file");
        std::string much(5000, 'x');
        signal(SIGXFSZ, SIG_IGN);
        return std::to_string(write(mine, much.data(), much.size()));
      },
      limits);
  EXPECT_EQ(end, "1000");
}

TEST(Isolation, DeathAndTimeAreResults) {
  EXPECT_EQ(isolated([]() -> std::string { abort(); }),
            "killed by signal 6 (Aborted)");
  IsolationLimits limits;
  limits.wallSeconds = 0.1;
  EXPECT_EQ(isolated(
                []() -> std::string {
                  pause();
                  return "woken";
                },
                limits),
            "ran out of time");
}

TEST(Isolation, LastWordsAreOfStandardError) {
  auto dying = [](std::string words) {
    return isolated([&]() -> std::string {
      for (int i = 0; i < 1000; ++i)
        fprintf(stderr, "%0100d\n", i);
      fprintf(stderr, "%s", words.c_str());
      abort();
    });
  };
  std::string end = dying("terminate called\n  what():  no room\n\n");
  EXPECT_EQ(end.find("killed by signal 6 (Aborted): ..."), 0u);
  EXPECT_TRUE(llvm::StringRef(end).ends_with(
      "999; terminate called; what():  no room"));
  EXPECT_LT(end.size(), 500u);
  // What ends well has said nothing.
  EXPECT_EQ(isolated([]() -> std::string {
              fprintf(stderr, "a warning\n");
              return "done";
            }),
            "done");
}

TEST(Isolation, TimeEndsForOneThatHasNothingMoreToSay) {
  IsolationLimits limits;
  limits.wallSeconds = 0.1;
  auto result = runIsolated(
      [](int descriptor) {
        close(descriptor);
        while (true)
          pause();
        return 0;
      },
      limits);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->describe(), "ran out of time");
}

TEST(Isolation, ExhaustionIsToldFromOtherDeaths) {
  using End = IsolatedResult::End;
  auto faultOf = [](End end, int code) {
    IsolatedResult result;
    result.end = end;
    result.code = code;
    return result.fault();
  };
  EXPECT_EQ(faultOf(End::TimedOut, 0), FaultKind::OutOfTime);
  EXPECT_EQ(faultOf(End::Signalled, SIGXCPU), FaultKind::OutOfTime);
  EXPECT_EQ(faultOf(End::Signalled, SIGKILL), FaultKind::OutOfMemory);
  EXPECT_EQ(faultOf(End::Signalled, SIGABRT), FaultKind::Crashed);
  EXPECT_EQ(faultOf(End::Signalled, SIGSEGV), FaultKind::Crashed);
  EXPECT_EQ(faultOf(End::Exited, 1), FaultKind::Crashed);
  EXPECT_EQ(faultOf(End::Exited, 0), std::nullopt);
  for (FaultKind kind : {FaultKind::OutOfTime, FaultKind::OutOfMemory})
    EXPECT_TRUE(isExhaustion(kind));
  for (FaultKind kind :
       {FaultKind::Candidate, FaultKind::Reference, FaultKind::Machine,
        FaultKind::Unsupported, FaultKind::Request, FaultKind::Crashed})
    EXPECT_FALSE(isExhaustion(kind));
}

TEST(FaultKind, HasANameThatIsReadBack) {
  for (FaultKind kind :
       {FaultKind::Candidate, FaultKind::Reference, FaultKind::Machine,
        FaultKind::Unsupported, FaultKind::Request, FaultKind::OutOfTime,
        FaultKind::OutOfMemory, FaultKind::Crashed})
    EXPECT_EQ(faultFromName(faultName(kind)), kind);
  EXPECT_EQ(faultFromName("ran out of time"), std::nullopt);
}

/// Whether a process runs; one that nobody has collected does not.
bool isAlive(pid_t process) {
  auto text = llvm::MemoryBuffer::getFileAsStream(
      "/proc/" + std::to_string(process) + "/stat");
  return text && !(*text)->getBuffer().rsplit(')').second.starts_with(" Z");
}

TEST(Isolation, ChildrenDieWithTheCandidate) {
  std::string text = isolated([] {
    pid_t child = fork();
    if (child == 0) {
      setsid(); // would be out of reach
      setpgid(0, 0);
      close(3); // or its parent's answer would only end with it
      while (true)
        pause();
    }
    return std::to_string(child);
  });
  pid_t child = std::atoi(text.c_str());
  ASSERT_GT(child, 0);
  // The signal has been sent; it may take a moment to act.
  for (int i = 0; i < 500 && isAlive(child); ++i)
    usleep(10000);
  EXPECT_FALSE(isAlive(child));
}

} // namespace
