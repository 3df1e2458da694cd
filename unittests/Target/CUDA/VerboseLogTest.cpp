// The log reader on texts as ptxas and nvJitLink print them.
#include "evo/Target/CUDA/Assembler.h"
#include <gtest/gtest.h>

using namespace evo::cuda;

TEST(VerboseLog, KernelsAndDeviceFunctions) {
  VerboseLog log = parseVerboseLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f' for 'sm_80'\n"
      "ptxas info    : Function properties for f\n"
      "    1432 bytes stack frame, 1260 bytes spill stores, 2672 bytes spill "
      "loads\n"
      "ptxas info    : Used 32 registers, used 2 barriers, 1432 bytes "
      "cumulative stack size, 512 bytes smem, 372 bytes cmem[0]\n"
      "ptxas info    : Function properties for helper\n"
      "    8 bytes stack frame, 9 bytes spill stores, 10 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'g' for 'sm_80'\n"
      "ptxas info    : Function properties for g\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 17 registers\n");
  ASSERT_EQ(log.kernels.size(), 2u);
  const KernelResources &f = log.kernels[0], &g = log.kernels[1];
  EXPECT_EQ(f.kernel, "f");
  EXPECT_EQ(f.registers, 32u);
  EXPECT_EQ(f.stackBytes, 1432u);
  EXPECT_EQ(f.spillStoreBytes, 1260u);
  EXPECT_EQ(f.spillLoadBytes, 2672u);
  EXPECT_EQ(f.staticSharedBytes, 512u);
  EXPECT_EQ(f.constBytes, 372u);
  EXPECT_EQ(f.barriers, 2u);
  EXPECT_EQ(g.kernel, "g");
  EXPECT_EQ(g.registers, 17u);
  EXPECT_EQ(g.barriers, 0u);
  EXPECT_TRUE(log.notes.empty());
}

TEST(VerboseLog, LinkerSummaryIsNotRead) {
  VerboseLog log = parseVerboseLog(
      "ptxas info    : Compiling entry function 'f' for 'sm_90'\n"
      "ptxas info    : Used 18 registers, used 1 barriers, 512 bytes smem\n"
      "info    : 0 bytes gmem\n"
      "info    : Function properties for 'f':\n"
      "info    : used 18 registers, used 1 barriers, 0 stack, 1536 bytes smem, "
      "548 bytes cmem[0], 0 bytes lmem\n");
  ASSERT_EQ(log.kernels.size(), 1u);
  EXPECT_EQ(log.kernels[0].staticSharedBytes, 512u);
}

TEST(VerboseLog, Notes) {
  VerboseLog log = parseVerboseLog(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to insufficient register resources for "
      "the wgmma pipeline in function 'f'\n"
      "ptxas warning : Value of threads per SM for entry f is out of range. "
      ".minnctapersm will be ignored\n"
      "ptxas a.ptx, line 5; warning : (C7508) setmaxnreg ignored\n"
      "ptxas info    : (C1) too short to be a code\n");
  ASSERT_EQ(log.notes.size(), 3u);
  EXPECT_EQ(log.notes[0].kind, NoteKind::Performance);
  EXPECT_EQ(log.notes[0].code, "C7510");
  EXPECT_EQ(log.notes[0].text.rfind("Potential Performance Loss", 0), 0u);
  EXPECT_EQ(log.notes[1].kind, NoteKind::Warning);
  EXPECT_EQ(log.notes[1].code, "");
  EXPECT_EQ(log.notes[1].text.rfind("Value of threads", 0), 0u);
  EXPECT_EQ(log.notes[2].code, "C7508");
  EXPECT_EQ(log.notes[2].text, "setmaxnreg ignored");
}

TEST(VerboseLog, NothingInNothing) {
  EXPECT_TRUE(parseVerboseLog("").kernels.empty());
  EXPECT_TRUE(parseVerboseLog("Used 3 registers\n").kernels.empty());
}

TEST(CubinReader, RefusesWhatIsNoCubin) {
  auto kernels = readCubinResources("not an ELF file");
  ASSERT_FALSE(bool(kernels));
  llvm::consumeError(kernels.takeError());
}
