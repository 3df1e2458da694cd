// The generated launcher's way to the driver: linked into a program of its own
// with a made-up driver library that writes down every call. What is compared
// is that text: which file is loaded, what is launched with which parameters,
// and that scratch is allocated before and freed after.
#include "SampleDescription.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace evo;
using namespace llvm;

namespace {
constexpr const char fakeDriver[] = R"cpp(
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cstdlib>
extern "C" {
int cuInit(unsigned) { return 0; }
int cuDeviceGet(int *device, int) { *device = 0; return 0; }
int cuCtxGetCurrent(void **context) { *context = nullptr; return 0; }
int cuCtxSetCurrent(void *) { return 0; }
int cuCtxGetDevice(int *device) { *device = 0; return 0; }
int cuDevicePrimaryCtxRetain(void **context, int) {
  *context = (void *)1;
  return getenv("FAKE_NO_CONTEXT") ? 2 : 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;
  return 0;
}
int cuModuleLoad(void **module, const char *path) {
  printf("load %s\n", path);
  *module = (void *)2;
  bool fails = strstr(path, "cubin") && getenv("FAKE_NO_CUBIN");
  return fails || getenv("FAKE_NO_CODE") ? 209 : 0;
}
int cuModuleGetFunction(void **function, void *, const char *name) {
  *function = (void *)name;
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  printf("attribute %s %d %d\n", (char *)function, attribute, value);
  return 0;
}
int cuLaunchKernel(void *function, unsigned a, unsigned b, unsigned c, unsigned d,
                   unsigned e, unsigned f, unsigned shared, void *stream,
                   void **p, void **) {
  printf("launch %s %u %u %u %u %u %u %u %p:", (char *)function, a, b, c, d, e,
         f, shared, stream);
  if (!strcmp((char *)function, "stage1"))
    printf(" %llx %llx %d %g", *(unsigned long long *)p[0],
           *(unsigned long long *)p[1], *(int *)p[2], *(float *)p[3]);
  if (!strcmp((char *)function, "stage2"))
    printf(" %llx %llx %llx %d %lld %d", *(unsigned long long *)p[0],
           *(unsigned long long *)p[1], *(unsigned long long *)p[2],
           *(unsigned char *)p[3], *(long long *)p[4], *(unsigned char *)p[5]);
  printf("\n");
  return getenv("FAKE_LAUNCH_FAILS") ? 719 : 0;
}
int cuMemAllocAsync(uint64_t *address, size_t bytes, void *) {
  printf("alloc %zu\n", bytes);
  *address = 0xabc0;
  return 0;
}
int cuMemFreeAsync(uint64_t address, void *) {
  printf("free %llx\n", (unsigned long long)address);
  return 0;
}
int cuGetErrorString(int, const char **text) { *text = "made up"; return 0; }
}
)cpp";

constexpr const char program[] = R"cpp(
#include <cstdint>
#include <cstdio>
#include <cstdlib>
extern "C" {
int evo_load_row_norm(const char *);
int evo_prepare_row_norm(void);
int evo_allocator_row_norm(int (*)(void *, uint64_t *, uint64_t, void *),
                           int (*)(void *, uint64_t, void *), void *);
const char *evo_error_row_norm(void);
int evo_launch_row_norm(void *, const uint16_t *, float *, uint8_t *, float,
                        uint8_t, int64_t, int64_t, int64_t);
}
static int own(void *state, uint64_t *address, uint64_t bytes, void *stream) {
  printf("own alloc %llu %p\n", (unsigned long long)bytes, stream);
  *address = *(uint64_t *)state;
  return getenv("OWN_FAILS") ? 12 : 0;
}
static int ownRelease(void *, uint64_t address, void *stream) {
  printf("own free %llx %p\n", (unsigned long long)address, stream);
  return 0;
}
int main() {
  evo_load_row_norm("folder");
  uint64_t memory = getenv("OWN_ODD") ? 0x7010 : 0x7000;
  if (getenv("OWN_HALF"))
    printf("half %d\n", evo_allocator_row_norm(own, nullptr, &memory));
  if (getenv("OWN") || getenv("OWN_FAILS") || getenv("OWN_ODD"))
    evo_allocator_row_norm(own, ownRelease, &memory);
  if (getenv("PREPARE"))
    printf("prepared %d\n", evo_prepare_row_norm());
  for (int i = 0; i < 2; ++i) {
    int status = evo_launch_row_norm(
        (void *)0x77, (const uint16_t *)0x1000, (float *)0x2000,
        (uint8_t *)0x3000, 0.5f, 1, 6, 2048, 9);
    printf("status %d\n", status);
    if (status)
      printf("%s\n", evo_error_row_norm());
  }
}
)cpp";

class LauncherRunTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"clang++-22", "clang++", "c++"})
      if (auto path = sys::findProgramByName(name)) {
        compiler = *path;
        break;
      }
    if (compiler.empty())
      GTEST_SKIP() << "no C++ compiler";
    ASSERT_FALSE(sys::fs::createUniqueDirectory("evo-launch", folder));
    auto launcher = generateLauncher(makeSampleDescription());
    ASSERT_TRUE(bool(launcher)) << toString(launcher.takeError());
    write("driver.cpp", fakeDriver);
    write("main.cpp", program);
    write("launcher.cpp", *launcher);
    compile({"-shared", "-fPIC", "-w", "-Wl,-soname,libcuda.so.1", "-o",
             at("libcuda.so.1"), at("driver.cpp")});
    compile({"-o", at("main"), at("main.cpp"), at("launcher.cpp"), "-ldl"});
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  std::string at(StringRef name) { return (folder + "/" + name).str(); }
  void write(StringRef name, StringRef text) {
    std::error_code ec;
    raw_fd_ostream os(at(name), ec);
    os << text;
  }
  void compile(std::vector<std::string> words) {
    std::vector<StringRef> arguments = {compiler, "-std=c++17"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    ASSERT_EQ(sys::ExecuteAndWait(compiler, arguments), 0);
  }
  std::string run(StringRef variable = "") {
    std::string library = "LD_LIBRARY_PATH=" + folder.str().str(),
                log = at("log");
    std::vector<StringRef> environment = {library};
    if (!variable.empty())
      environment.push_back(variable);
    std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log),
                                            StringRef(log)};
    std::string path = at("main");
    sys::fs::remove(log); // an earlier one may be longer
    EXPECT_EQ(sys::ExecuteAndWait(path, {path}, environment, redirects), 0);
    auto buffer = MemoryBuffer::getFile(log);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  std::string compiler;
  SmallString<128> folder;
};

const char *const launches =
    "alloc 48\n"
    "attribute stage1 8 8201\n"
    "launch stage1 6 2 1 128 1 1 8201 0x77: 1000 abc0 2048 0.5\n"
    "launch stage2 2 1 1 32 4 1 0 0x77: abc0 2000 3000 1 5 9\n"
    "free abc0\n"
    "status 0\n";
} // namespace

TEST_F(LauncherRunTest, CallsInOrder) {
  EXPECT_EQ(run(),
            std::string("load folder/wide.cubin\n") + launches + launches);
}

TEST_F(LauncherRunTest, FallsBackToPtx) {
  EXPECT_EQ(run("FAKE_NO_CUBIN=1"),
            std::string("load folder/wide.cubin\nload folder/wide.ptx\n") +
                launches + launches);
}

TEST_F(LauncherRunTest, FailureFreesScratchAndIsTold) {
  std::string text = run("FAKE_LAUNCH_FAILS=1");
  EXPECT_NE(text.find("free abc0\nstatus 719\ncuLaunchKernel failed with 719: "
                      "made up\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("stage2"), std::string::npos) << text;
}

TEST_F(LauncherRunTest, SaysWhatDoesNotWork) {
  std::string text = run("FAKE_NO_CODE=1");
  EXPECT_NE(text.find("no code file loads: folder/wide.cubin (209) "
                      "folder/wide.ptx (209)\n"),
            std::string::npos)
      << text;
  text = run("FAKE_NO_CONTEXT=1");
  EXPECT_NE(text.find("opening a context failed with 2: made up\n"),
            std::string::npos)
      << text;
}

// Nothing is loaded by a call any more, so that it can be captured.
TEST_F(LauncherRunTest, PreparesAllThatRunsHere) {
  std::string text = run("PREPARE=1");
  EXPECT_EQ(text, std::string("load folder/wide.cubin\n"
                              "load folder/best.ptx\nprepared 0\n") +
                      launches + launches);
  EXPECT_EQ(StringRef(run("FAKE_NO_CODE=1")).count("load "), 4u);
}

TEST_F(LauncherRunTest, TakesScratchOfTheCaller) {
  std::string text = run("OWN=1");
  EXPECT_NE(text.find("own alloc 48 0x77\n"), std::string::npos) << text;
  EXPECT_NE(text.find("0x77: 1000 7000 2048 0.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("own free 7000 0x77\nstatus 0\n"), std::string::npos)
      << text;
  EXPECT_EQ(StringRef(text).count("own free"), 2u);
  EXPECT_EQ(text.find("\nalloc"), std::string::npos) << text;
  // Without memory nothing is launched, and nothing given back.
  text = run("OWN_FAILS=1");
  EXPECT_NE(text.find("status -7\nthe allocator failed with 12\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("launch"), std::string::npos) << text;
  EXPECT_EQ(text.find("own free"), std::string::npos) << text;
  // What is not aligned goes back.
  text = run("OWN_ODD=1");
  EXPECT_NE(
      text.find("own free 7010 0x77\nstatus -7\nthe allocator's memory is "
                "not aligned to 256 bytes\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("launch"), std::string::npos) << text;
  text = run("OWN_HALF=1");
  EXPECT_NE(text.find("half -5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nalloc 48\n"), std::string::npos) << text;
}
