// The generated launcher: that it compiles without CUDA headers and without
// warnings, that its geometry is that of the library, and that it refuses what
// it must. It is compiled as a shared library and called in this process.
#include "SampleDescription.h"
#include "evo/Runtime/LaunchDescription.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace evo;
using namespace llvm;

namespace {
using Geometry = int (*)(int, int64_t, int64_t, int64_t, int64_t *, int);
using Launch = int (*)(void *, const uint16_t *, float *, uint8_t *, float,
                       uint8_t, int64_t, int64_t, int64_t);

class LauncherTest : public ::testing::Test {
protected:
  static SmallString<128> folder;
  static sys::DynamicLibrary library;
  static std::string problem;

  static int compile(ArrayRef<StringRef> extra, std::string &messages) {
    std::string compiler;
    for (const char *name : {"clang++-22", "clang++", "c++"})
      if (auto path = sys::findProgramByName(name)) {
        compiler = *path;
        break;
      }
    if (compiler.empty())
      return -1;
    std::string source = (folder + "/launcher.cpp").str(),
                log = (folder + "/log").str();
    std::vector<StringRef> arguments = {compiler, "-std=c++17", "-Wall",
                                        "-Wextra", "-Werror"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    arguments.push_back(source);
    std::optional<StringRef> redirects[] = {std::nullopt, log, log};
    int exit =
        sys::ExecuteAndWait(compiler, arguments, std::nullopt, redirects);
    if (auto buffer = MemoryBuffer::getFile(log))
      messages = (*buffer)->getBuffer().str();
    return exit;
  }

  static void SetUpTestSuite() {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("evo-launcher", folder));
    auto source = generateLauncher(makeSampleDescription());
    ASSERT_TRUE(bool(source)) << toString(source.takeError());
    std::error_code ec;
    raw_fd_ostream os((folder + "/launcher.cpp").str(), ec);
    os << *source;
    os.close();
    std::string object = (folder + "/liblauncher.so").str(), messages;
    int exit =
        compile({"-shared", "-fPIC", "-O1", "-o", object, "-ldl"}, messages);
    if (exit == -1) {
      problem = "no C++ compiler";
      return;
    }
    ASSERT_EQ(exit, 0) << messages;
    library = sys::DynamicLibrary::getLibrary(object.c_str(), &messages);
    ASSERT_TRUE(library.isValid()) << messages;
  }
  static void TearDownTestSuite() { sys::fs::remove_directories(folder); }
  void SetUp() override {
    if (!problem.empty())
      GTEST_SKIP() << problem;
    ASSERT_TRUE(library.isValid());
  }

  template <typename Function> Function get(const char *name) {
    return reinterpret_cast<Function>(library.getAddressOfSymbol(name));
  }
  std::string lastError() {
    return get<const char *(*)()>("evo_error_row_norm")();
  }
};
SmallString<128> LauncherTest::folder;
sys::DynamicLibrary LauncherTest::library;
std::string LauncherTest::problem;
} // namespace

TEST_F(LauncherTest, SyntaxOnlyWithoutWarnings) {
  std::string messages;
  EXPECT_EQ(compile({"-fsyntax-only", "-pedantic"}, messages), 0) << messages;
}

TEST_F(LauncherTest, GeometryIsTheLibrarys) {
  LaunchDescription d = makeSampleDescription();
  auto geometry = get<Geometry>("evo_geometry_row_norm");
  ASSERT_TRUE(geometry);
  unsigned evaluated = 0, refused = 0;
  for (int capability : {75, 80, 90, 100})
    for (int64_t m : {int64_t(0), int64_t(1), int64_t(5), int64_t(1001),
                      int64_t(1) << 20, int64_t(1) << 40})
      for (int64_t n : {0, 4, 6, 252, 1024, 3000, 65536, 65540})
        for (int64_t status : {0, 1, 7}) {
          Bindings dims;
          dims["M"] = m;
          dims["N"] = n;
          dims["status"] = status;
          // The library's answer, as the launcher should give it.
          std::vector<int64_t> expected;
          Expected<unsigned> index = d.select(dims, capability);
          bool valid = bool(index);
          if (index) {
            const LaunchVariant &variant = d.variants[*index];
            expected = {*index, int64_t(variant.launches.size())};
            for (const KernelLaunch &launch : variant.launches) {
              auto extents = d.evaluate(launch, dims);
              if (!extents) {
                consumeError(extents.takeError());
                valid = false;
                break;
              }
              expected.insert(expected.end(), extents->grid.begin(),
                              extents->grid.end());
              expected.insert(expected.end(), extents->block.begin(),
                              extents->block.end());
              expected.push_back(extents->sharedBytes);
              // The launcher also holds the driver's bounds.
              if (extents->grid[0] > INT32_MAX || extents->grid[1] > 65535)
                valid = false;
            }
          } else {
            consumeError(index.takeError());
          }
          int64_t out[16];
          int code = geometry(capability, m, n, status, out, 16);
          EXPECT_EQ(code == 0, valid) << capability << ' ' << m << ' ' << n
                                      << ' ' << status << ": " << lastError();
          if (code == 0 && valid) {
            ++evaluated;
            EXPECT_EQ(std::vector<int64_t>(out, out + expected.size()),
                      expected);
          } else {
            ++refused;
          }
        }
  EXPECT_GT(evaluated, 40u);
  EXPECT_GT(refused, 40u);
}

TEST_F(LauncherTest, RefusalsSayWhy) {
  auto geometry = get<Geometry>("evo_geometry_row_norm");
  int64_t out[16];
  EXPECT_EQ(geometry(90, 4, 6, 0, out, 16), -1);
  EXPECT_EQ(lastError(), "requirement 'N % 4 == 0' does not hold");
  EXPECT_EQ(geometry(75, 4, 8, 0, out, 16), -1);
  EXPECT_EQ(lastError(), "no variant can be used: the code for sm_80 does not "
                         "run on this device");
  EXPECT_EQ(geometry(90, int64_t(1) << 40, 8, 0, out, 16), -2);
  EXPECT_EQ(lastError(),
            "'M * M * M * M / (M * M)' overflows or divides by zero");
  EXPECT_EQ(geometry(90, 300, 8, 0, out, 16), -2);
  EXPECT_EQ(lastError(), "'M * M * M * M / (M * M)' is 90000, out of range");
  EXPECT_EQ(geometry(90, -1, 8, 0, out, 16), -5);
  EXPECT_EQ(lastError(), "M is negative");
  EXPECT_EQ(geometry(90, 4, 8, 0, out, 8), -6);
  EXPECT_EQ(geometry(90, 4, 8, 0, out, 9), 0);
}

TEST_F(LauncherTest, PointersAreChecked) {
  auto launch = get<Launch>("evo_launch_row_norm");
  ASSERT_TRUE(launch);
  alignas(16) uint16_t x[64];
  alignas(16) float out[64];
  uint8_t bytes[4];
  EXPECT_EQ(launch(nullptr, x + 1, out, bytes, 0.5f, 1, 4, 8, 1), -5);
  EXPECT_EQ(lastError(), "x is not aligned to 16 bytes");
  EXPECT_EQ(launch(nullptr, x, nullptr, bytes, 0.5f, 1, 4, 8, 1), -5);
  EXPECT_EQ(lastError(), "out is null");
  // A buffer of no elements may be null; what fails then is the device.
  int code = launch(nullptr, x, out, nullptr, 0.5f, 1, 4, 8, 0);
  EXPECT_NE(code, -5) << lastError();
  if (!sys::DynamicLibrary::getLibrary("libcuda.so.1").isValid()) {
    EXPECT_EQ(code, -3);
    EXPECT_EQ(lastError(), "no CUDA driver");
  }
}

TEST(LauncherGenerator, InvalidDescriptionIsRefused) {
  LaunchDescription d = makeSampleDescription();
  d.variants[0].launches[0].grid = {"K"_f};
  auto source = generateLauncher(d);
  ASSERT_FALSE(bool(source));
  EXPECT_NE(toString(source.takeError()).find("no dimension"),
            std::string::npos);
}
