// Names of architectures, what runs where, and the PTX that each is generated
// in.
#include "evo/Target/Arch.h"
#include "evo/Target/TargetInfo.h"
#include <gtest/gtest.h>

using namespace evo::target;

TEST(Arch, NamesRoundTrip) {
  for (const char *name : {"sm_80", "sm_90", "sm_90a", "sm_103f", "sm_121a"}) {
    std::optional<Arch> arch = Arch::parse(name);
    ASSERT_TRUE(arch) << name;
    EXPECT_EQ(arch->str(), name);
  }
  EXPECT_EQ(Arch::parse("sm_103f")->capability, 103u);
  EXPECT_EQ(Arch::parse("sm_103f")->suffix, 'f');
  EXPECT_EQ(Arch::parse("sm_90")->suffix, 0);
  EXPECT_EQ(Arch::parse("sm_90a")->virtualName(), "compute_90a");
}

TEST(Arch, OtherNamesAreNone) {
  for (const char *name : {"", "sm_", "sm_a", "sm_90x", "sm_90aa", "sm_-90",
                           "sm_9.0", "90", "compute_90", "gfx90a", "h200"})
    EXPECT_FALSE(Arch::parse(name)) << name;
}

TEST(Arch, RunsOn) {
  EXPECT_TRUE(Arch::parse("sm_90a")->runsOn(90));
  EXPECT_FALSE(Arch::parse("sm_90a")->runsOn(100));
  EXPECT_TRUE(Arch::parse("sm_80")->runsOn(90));
  EXPECT_FALSE(Arch::parse("sm_90")->runsOn(89));
  // Machine code stays within a major version.
  EXPECT_TRUE(Arch::parse("sm_80")->machineCodeRunsOn(89));
  EXPECT_FALSE(Arch::parse("sm_80")->machineCodeRunsOn(90));
  EXPECT_FALSE(Arch::parse("sm_89")->machineCodeRunsOn(80));
}

TEST(Arch, PTXVersions) {
  auto version = [](const char *name) {
    return getPTXVersion(*Arch::parse(name));
  };
  for (const char *name :
       {"sm_20", "sm_75", "sm_80", "sm_86", "sm_87", "sm_90", "sm_90a"})
    EXPECT_EQ(version(name), 80u) << name;
  EXPECT_EQ(version("sm_89"), 81u);
  EXPECT_EQ(version("sm_88"), 90u);
  for (const char *name : {"sm_100", "sm_100a", "sm_101", "sm_120", "sm_120a"})
    EXPECT_EQ(version(name), 87u) << name;
  for (const char *name : {"sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_120f",
                           "sm_121", "sm_121f"})
    EXPECT_EQ(version(name), 88u) << name;
  for (const char *name : {"sm_110", "sm_110a", "sm_110f"})
    EXPECT_EQ(version(name), 90u) << name;
}

TEST(Arch, TheDefaultIsInTheTable) {
  EXPECT_TRUE(Arch::parse(getDefaultArch()));
  EXPECT_EQ(&getDefaultTarget(), findTarget(getDefaultArch()));
}
