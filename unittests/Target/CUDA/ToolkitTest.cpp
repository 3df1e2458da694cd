// The toolkit search on folders made up for the test: what is found where, what
// is named as missing, and which of several places wins.
#include "evo/Target/CUDA/Toolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

using namespace evo::cuda;
using namespace llvm;

namespace {
class ToolkitTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("evo-toolkit", folder));
    // Other tests of this process are to see the user's own settings.
    for (const char *name : variables) {
      const char *value = getenv(name);
      saved.emplace_back(value ? std::optional<std::string>(value)
                               : std::nullopt);
      unsetenv(name);
    }
  }
  void TearDown() override {
    sys::fs::remove_directories(folder);
    for (size_t i = 0; i < saved.size(); ++i) {
      if (saved[i])
        setenv(variables[i], saved[i]->c_str(), 1);
      else
        unsetenv(variables[i]);
    }
  }

  std::string at(StringRef relative) {
    SmallString<128> path(folder);
    sys::path::append(path, relative);
    return std::string(path);
  }
  void touch(StringRef relative, StringRef text = "x") {
    std::string path = at(relative);
    ASSERT_FALSE(sys::fs::create_directories(sys::path::parent_path(path)));
    std::error_code ec;
    raw_fd_ostream os(path, ec);
    ASSERT_FALSE(ec);
    os << text;
  }
  void makeComplete(const std::string &root, StringRef lib) {
    touch(root + "/include/cuda_runtime.h");
    touch(root + "/include/cuda.h", "#define CUDA_VERSION 13010\n");
    touch(root + "/nvvm/libdevice/libdevice.10.bc");
    touch(root + "/bin/ptxas");
    touch(root + "/" + lib.str() + "/libnvJitLink.so.13");
    touch(root + "/" + lib.str() + "/libnvrtc.so.13");
    touch(root + "/" + lib.str() + "/libnvrtc-builtins.so.13.1");
  }

  static constexpr const char *variables[] = {"EVO_CUDA_PATH", "CUDA_HOME",
                                              "CUDA_PATH"};
  std::vector<std::optional<std::string>> saved;
  SmallString<128> folder;
};

std::string message(Error error) { return toString(std::move(error)); }
} // namespace

TEST_F(ToolkitTest, CompleteRoot) {
  makeComplete("kit", "lib64");
  Toolkit kit = Toolkit::inspect(at("kit"));
  EXPECT_TRUE(kit.getMissing().empty());
  EXPECT_EQ(kit.getRoot(), at("kit"));
  EXPECT_EQ(kit.getVersion(), "13.1");
  EXPECT_EQ(kit.getPath(ToolkitPart::Headers), at("kit/include"));
  EXPECT_EQ(kit.getPath(ToolkitPart::NvJitLink),
            at("kit/lib64/libnvJitLink.so.13"));
  EXPECT_EQ(kit.getNvrtcBuiltins(), at("kit/lib64/libnvrtc-builtins.so.13.1"));
}

TEST_F(ToolkitTest, WheelLayoutBelowSitePackages) {
  makeComplete("site/nvidia/cu12", "lib");
  makeComplete("site/nvidia/cu13", "lib");
  touch("site/nvidia/cu13/version.json",
        R"({"cuda": {"name": "CUDA SDK", "version": "13.0.88"}})");
  Toolkit kit = Toolkit::inspect(at("site"));
  EXPECT_TRUE(kit.getMissing().empty());
  EXPECT_EQ(kit.getRoot(), at("site/nvidia/cu13"));
  EXPECT_EQ(kit.getVersion(), "13.0.88");
}

TEST_F(ToolkitTest, HighestLibraryVersionWins) {
  touch("kit/lib/libnvrtc.so");
  touch("kit/lib/libnvrtc.so.12");
  touch("kit/lib/libnvrtc.so.13");
  EXPECT_EQ(Toolkit::inspect(at("kit")).getPath(ToolkitPart::Nvrtc),
            at("kit/lib/libnvrtc.so.13"));
}

TEST_F(ToolkitTest, MissingPartsAreNamed) {
  makeComplete("kit", "lib64");
  sys::fs::remove(at("kit/bin/ptxas"));
  sys::fs::remove(at("kit/lib64/libnvrtc.so.13"));
  Toolkit kit = Toolkit::inspect(at("kit"));
  EXPECT_EQ(kit.getMissing(),
            (std::vector{ToolkitPart::Ptxas, ToolkitPart::Nvrtc}));
  std::string text = message(kit.require(
      {ToolkitPart::Headers, ToolkitPart::Ptxas, ToolkitPart::Nvrtc}));
  EXPECT_NE(text.find("lacks ptxas, libnvrtc.so; set EVO_CUDA_PATH to a "
                      "complete one"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("headers"), std::string::npos) << text;
  EXPECT_EQ(message(kit.require({ToolkitPart::Headers})), "");
}

TEST_F(ToolkitTest, NamedPlaceIsNotReplaced) {
  makeComplete("other", "lib64");
  setenv("CUDA_HOME", at("other").c_str(), 1);
  ToolkitSearch search;
  search.useDefaults = false;
  // Without a named place the environment's other variables count...
  Expected<Toolkit> kit = Toolkit::discover(search);
  ASSERT_TRUE(bool(kit)) << message(kit.takeError());
  EXPECT_EQ(kit->getRoot(), at("other"));
  // ...with one they do not, even if there is nothing there.
  setenv("EVO_CUDA_PATH", at("absent").c_str(), 1);
  kit = Toolkit::discover(search);
  ASSERT_FALSE(bool(kit));
  EXPECT_NE(message(kit.takeError()).find(at("absent")), std::string::npos);
  // An incomplete one is taken as it is.
  touch("half/bin/ptxas");
  search.path = at("half");
  kit = Toolkit::discover(search);
  ASSERT_TRUE(bool(kit)) << message(kit.takeError());
  EXPECT_TRUE(kit->has(ToolkitPart::Ptxas));
  EXPECT_EQ(kit->getMissing().size(), 4u);
}

TEST_F(ToolkitTest, CompleteBeatsIncomplete) {
  touch("half/bin/ptxas");
  makeComplete("full", "lib");
  setenv("CUDA_HOME", at("half").c_str(), 1);
  setenv("CUDA_PATH", at("full").c_str(), 1);
  ToolkitSearch search;
  search.useDefaults = false;
  Expected<Toolkit> kit = Toolkit::discover(search);
  ASSERT_TRUE(bool(kit)) << message(kit.takeError());
  EXPECT_EQ(kit->getRoot(), at("full"));
}

TEST_F(ToolkitTest, NothingAnywhere) {
  setenv("CUDA_HOME", at("nowhere").c_str(), 1);
  ToolkitSearch search;
  search.useDefaults = false;
  Expected<Toolkit> kit = Toolkit::discover(search);
  ASSERT_FALSE(bool(kit));
  std::string text = message(kit.takeError());
  EXPECT_NE(text.find(at("nowhere")), std::string::npos) << text;
  search.useEnvironment = false;
  kit = Toolkit::discover(search);
  ASSERT_FALSE(bool(kit));
  EXPECT_EQ(message(kit.takeError()), "no CUDA toolkit: no place to look at");
}
