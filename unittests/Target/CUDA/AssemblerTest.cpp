// Both backends on PTX whose resources are known by construction, and on what
// they must refuse.
#include "evo/Target/CUDA/Assembler.h"
#include "TestToolkit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace evo::cuda;
using namespace llvm;

namespace {
// 512 bytes of shared memory, one barrier, parameters of 8 + 8 + 4 bytes.
const char *sharedKernel = R"ptx(
.version 8.0
.target sm_80
.address_size 64
.visible .entry reverse(.param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<3>;
  .shared .align 4 .b8 tile[512];
  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.u32 %r5, [n];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f1, [%rd4];
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r4, %r3, %r2;
  st.shared.f32 [%r4], %f1;
  bar.sync 0;
  sub.u32 %r6, %r5, %r2;
  add.u32 %r7, %r3, %r6;
  ld.shared.f32 %f2, [%r7];
  add.s64 %rd5, %rd2, %rd3;
  st.global.f32 [%rd5], %f2;
  ret;
}
)ptx";

// Keeps 64 values alive across a barrier, so that 32 registers do not do.
std::string makeFatKernel() {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry fat(.param .u64 x) {\n"
                     "  .reg .f32 %f<66>; .reg .b64 %rd<3>;\n"
                     "  ld.param.u64 %rd1, [x];\n";
  for (int i = 0; i < 64; ++i)
    text += "  ld.volatile.global.f32 %f" + std::to_string(i) + ", [%rd1+" +
            std::to_string(4 * i) + "];\n";
  text += "  bar.sync 0;\n";
  for (int i = 0; i < 64; ++i)
    text += "  st.volatile.global.f32 [%rd1+" + std::to_string(4 * i) +
            "], %f" + std::to_string(i) + ";\n";
  return text + "  ret;\n}\n";
}

class AssemblerTest : public ::testing::TestWithParam<AssemblerBackend> {
protected:
  void SetUp() override {
    ToolkitPart part = GetParam() == AssemblerBackend::Ptxas
                           ? ToolkitPart::Ptxas
                           : ToolkitPart::NvJitLink;
    kit = findTestToolkit({part});
    if (!kit)
      GTEST_SKIP() << "no toolkit with " << getName(part).str();
    options.backend = GetParam();
  }
  std::optional<Toolkit> kit;
  AssemblerOptions options;
};

/// A folder for temporary files that no other process uses, while it lives.
class OwnTemporaryFolder {
public:
  OwnTemporaryFolder() {
    if (const char *before = std::getenv("TMPDIR"))
      former = before;
    EXPECT_FALSE(sys::fs::createUniqueDirectory("evo-assembler", path));
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~OwnTemporaryFolder() {
    if (former)
      ::setenv("TMPDIR", former->c_str(), 1);
    else
      ::unsetenv("TMPDIR");
    sys::fs::remove_directories(path);
  }
  bool isEmpty() const {
    std::error_code ec;
    return sys::fs::directory_iterator(path, ec) ==
               sys::fs::directory_iterator() &&
           !ec;
  }
  SmallString<128> path;

private:
  std::optional<std::string> former;
};
} // namespace

TEST_P(AssemblerTest, Resources) {
  for (const char *arch : {"sm_80", "sm_89", "sm_90", "sm_90a", "sm_100"}) {
    options.arch = arch;
    auto assembly = assemble(sharedKernel, *kit, options);
    ASSERT_TRUE(bool(assembly))
        << arch << ": " << toString(assembly.takeError());
    EXPECT_EQ(assembly->backend, GetParam());
    EXPECT_EQ(assembly->cubin.substr(0, 4), "\x7f"
                                            "ELF");
    ASSERT_EQ(assembly->kernels.size(), 1u) << arch;
    const KernelResources *kernel = assembly->find("reverse");
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->staticSharedBytes, 512u) << arch;
    EXPECT_EQ(kernel->parameterBytes, 20u) << arch;
    EXPECT_EQ(kernel->barriers, 1u) << arch;
    EXPECT_EQ(kernel->stackBytes, 0u) << arch;
    EXPECT_EQ(kernel->spillStoreBytes, 0u) << arch;
    EXPECT_GT(kernel->registers, 4u) << arch;
    EXPECT_LT(kernel->registers, 32u) << arch;
    EXPECT_GT(kernel->constBytes, kernel->parameterBytes) << arch;
    EXPECT_FALSE(assembly->find("absent"));
  }
}

TEST_P(AssemblerTest, RegisterLimitSpills) {
  std::string ptx = makeFatKernel();
  auto free = assemble(ptx, *kit, options);
  ASSERT_TRUE(bool(free)) << toString(free.takeError());
  EXPECT_GE(free->find("fat")->registers, 64u);
  EXPECT_EQ(free->find("fat")->spillStoreBytes, 0u);

  options.maxRegisters = 32;
  auto tight = assemble(ptx, *kit, options);
  ASSERT_TRUE(bool(tight)) << toString(tight.takeError());
  EXPECT_LE(tight->find("fat")->registers, 32u);
  EXPECT_GT(tight->find("fat")->spillStoreBytes, 0u);
  EXPECT_GT(tight->find("fat")->spillLoadBytes, 0u);
  EXPECT_GT(tight->find("fat")->stackBytes, 0u);
}

TEST_P(AssemblerTest, OptimizationLevels) {
  for (unsigned level : {0u, 1u, 2u, 3u}) {
    options.optLevel = level;
    auto assembly = assemble(sharedKernel, *kit, options);
    EXPECT_TRUE(bool(assembly)) << level << toString(assembly.takeError());
  }
  options.optLevel = 4;
  auto refused = assemble(sharedKernel, *kit, options);
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(toString(refused.takeError()),
            "optimization level 4 is not in 0 to 3");
}

TEST_P(AssemblerTest, Refusals) {
  OwnTemporaryFolder folder;
  std::string broken = sharedKernel;
  broken.replace(broken.find("bar.sync"), 8, "bar.sing");
  auto assembly = assemble(broken, *kit, options);
  ASSERT_FALSE(bool(assembly));
  std::string text = toString(assembly.takeError());
  EXPECT_NE(text.find("line 17"), std::string::npos) << text;
  EXPECT_EQ(text.find(folder.path.str()), std::string::npos) << text;

  std::string newer = sharedKernel;
  newer.replace(newer.find("sm_80"), 5, "sm_90");
  options.arch = "sm_80";
  assembly = assemble(newer, *kit, options);
  ASSERT_FALSE(bool(assembly));
  consumeError(assembly.takeError());

  options.arch = "ampere";
  assembly = assemble(sharedKernel, *kit, options);
  ASSERT_FALSE(bool(assembly));
  EXPECT_EQ(toString(assembly.takeError()),
            "architecture 'ampere' is not of the form sm_<N>");
  EXPECT_TRUE(folder.isEmpty());
}

TEST_P(AssemblerTest, CutInfoIsNotRead) {
  auto assembly = assemble(sharedKernel, *kit, options);
  ASSERT_TRUE(bool(assembly)) << toString(assembly.takeError());
  // A record of a value of eight bytes, made to reach beyond its section.
  const std::string record("\x04\x2f\x08\x00", 4);
  std::string cubin = assembly->cubin;
  size_t at = cubin.find(record);
  ASSERT_NE(at, std::string::npos);
  cubin[at + 2] = cubin[at + 3] = '\xff';
  auto kernels = readCubinResources(cubin);
  ASSERT_FALSE(bool(kernels));
  EXPECT_EQ(toString(kernels.takeError()),
            "malformed .nv.info section in the cubin");
}

TEST_P(AssemblerTest, MissingAssemblerIsNamed) {
  Toolkit empty = Toolkit::inspect("/nonexistent");
  auto assembly = assemble(sharedKernel, empty, options);
  ASSERT_FALSE(bool(assembly));
  std::string text = toString(assembly.takeError());
  EXPECT_NE(text.find(GetParam() == AssemblerBackend::Ptxas
                          ? "lacks ptxas"
                          : "lacks libnvJitLink.so"),
            std::string::npos)
      << text;
}

INSTANTIATE_TEST_SUITE_P(Backends, AssemblerTest,
                         ::testing::Values(AssemblerBackend::NvJitLink,
                                           AssemblerBackend::Ptxas),
                         [](const auto &info) {
                           return info.param == AssemblerBackend::Ptxas
                                      ? "Ptxas"
                                      : "NvJitLink";
                         });
