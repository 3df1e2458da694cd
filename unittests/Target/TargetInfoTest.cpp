// The table against published peaks, and occupancy against values of the
// vendor's calculator.
#include "evo/Target/TargetInfo.h"
#include <gtest/gtest.h>

using namespace evo::target;

TEST(TargetInfo, Lookup) {
  ASSERT_TRUE(findTarget("h200"));
  EXPECT_EQ(findTarget("sm_90"), findTarget("h200"));
  EXPECT_EQ(findTarget("sm_90a"), findTarget("h200"));
  EXPECT_EQ(findTarget("sm_80")->card, "a100");
  EXPECT_EQ(findTarget("sm_86")->card, "rtx3090");
  EXPECT_EQ(findTarget("sm_89")->card, "rtx4090");
  EXPECT_EQ(findTarget("sm_100")->card, "b200");
  EXPECT_EQ(findTarget("sm_120")->card, "rtx5090");
  EXPECT_EQ(findTarget("sm_75"), nullptr);
  EXPECT_EQ(findTarget(""), nullptr);
  EXPECT_EQ(findTarget("h100")->archs, "sm_90a sm_90");
  EXPECT_EQ(findTarget("l4")->archs, "sm_89 sm_86 sm_80");
  EXPECT_EQ(findTarget("a100")->archs, "sm_80");
}

TEST(TargetInfo, PeaksAreThePublishedOnes) {
  EXPECT_NEAR(findTarget("a100")->getPeakF32() / 1e12, 19.5, 0.1);
  EXPECT_NEAR(findTarget("a100")->getPeakF64() / 1e12, 9.7, 0.1);
  EXPECT_NEAR(findTarget("h200")->getPeakF32() / 1e12, 66.9, 0.1);
  EXPECT_NEAR(findTarget("h200")->getPeakF64() / 1e12, 33.5, 0.1);
  EXPECT_NEAR(findTarget("rtx4090")->getPeakF32() / 1e12, 82.6, 0.1);
  EXPECT_NEAR(findTarget("rtx3090")->getPeakF32() / 1e12, 35.6, 0.1);
  EXPECT_NEAR(findTarget("l4")->getPeakF32() / 1e12, 30.3, 0.1);
  EXPECT_NEAR(findTarget("rtx5090")->getPeakF32() / 1e12, 104.8, 0.1);
}

TEST(TargetInfo, RowsAreConsistent) {
  for (const TargetInfo &target : getTargets()) {
    EXPECT_EQ(target.maxWarpsPerSM * 32, target.maxThreadsPerSM);
    EXPECT_EQ(target.sharedPerBlockOptIn + 1024, target.sharedPerSM);
    EXPECT_LT(target.latencies.shared, target.latencies.l1);
    EXPECT_LT(target.latencies.l1, target.latencies.l2);
    EXPECT_LT(target.latencies.l2, target.latencies.global);
    EXPECT_EQ(findTarget(target.card), &target);
  }
}

namespace {
void expectOccupancy(const char *card, unsigned registers, uint64_t shared,
                     unsigned threads, unsigned blocks,
                     OccupancyLimiter limiter) {
  const TargetInfo &target = *findTarget(card);
  Occupancy result = occupancy(target, registers, shared, threads);
  EXPECT_EQ(result.blocksPerSM, blocks)
      << card << ' ' << registers << ' ' << shared << ' ' << threads;
  EXPECT_EQ(getName(result.limiter), getName(limiter))
      << card << ' ' << registers << ' ' << shared << ' ' << threads;
  EXPECT_EQ(result.warpsPerSM, blocks * ((threads + 31) / 32));
}
} // namespace

TEST(Occupancy, KnownValues) {
  using L = OccupancyLimiter;
  expectOccupancy("a100", 32, 0, 256, 8, L::Warps);
  expectOccupancy("a100", 32, 0, 32, 32, L::Blocks);
  expectOccupancy("rtx3090", 32, 0, 32, 16, L::Blocks);
  expectOccupancy("a100", 64, 0, 256, 4, L::Registers);
  // 33 registers cost as many as 40: 1280 per warp, 12 warps per sub-partition.
  expectOccupancy("a100", 33, 0, 256, 6, L::Registers);
  expectOccupancy("a100", 40, 0, 256, 6, L::Registers);
  expectOccupancy("a100", 41, 0, 256, 5, L::Registers);
  expectOccupancy("a100", 255, 0, 256, 1, L::Registers);
  // Shared: 48 KiB + 1 KiB of 164 KiB.
  expectOccupancy("a100", 32, 48 * 1024, 128, 3, L::SharedMemory);
  // One byte starts another 128.
  expectOccupancy("h200", 32, 113 * 1024, 128, 2, L::SharedMemory);
  expectOccupancy("h200", 32, 113 * 1024 + 1, 128, 1, L::SharedMemory);
  expectOccupancy("h200", 32, 227 * 1024, 1024, 1, L::SharedMemory);
  expectOccupancy("rtx4090", 32, 0, 512, 3, L::Warps);
}

TEST(Occupancy, RegistersOfBlock) {
  // Four warps at a time, of 32 threads with whole units of 256.
  EXPECT_EQ(registersOfBlock(1, 1), 4u * 256);
  EXPECT_EQ(registersOfBlock(128, 32), 4u * 1024);
  EXPECT_EQ(registersOfBlock(129, 32), 8u * 1024);
  EXPECT_EQ(registersOfBlock(128, 33), 4u * 1280);
  EXPECT_EQ(registersOfBlock(1024, 64), TargetInfo::maxRegistersPerBlock);
  EXPECT_EQ(registersOfBlock(0, 32), 0u);
  EXPECT_EQ(registersOfBlock(128, 0), 0u);
}

TEST(Occupancy, ImpossibleLaunches) {
  using L = OccupancyLimiter;
  expectOccupancy("h200", 32, 227 * 1024 + 1, 128, 0, L::Impossible);
  expectOccupancy("h200", 32, 0, 1025, 0, L::Impossible);
  expectOccupancy("h200", 32, 0, 0, 0, L::Impossible);
  expectOccupancy("h200", 65, 0, 1024, 0, L::Impossible);
  expectOccupancy("h200", 256, 0, 32, 0, L::Impossible);
  expectOccupancy("rtx4090", 32, 100 * 1024, 32, 0, L::Impossible);
  expectOccupancy("h200", 64, 0, 1024, 1, L::Registers);
}
