// Medians and bootstrap intervals.
#include "evo/Runtime/CUDA/Statistics.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace evo::cuda;

TEST(Statistics, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2);
}

TEST(Statistics, IntervalOfConstantsIsAPoint) {
  std::vector<double> samples(30, 7.0);
  Interval interval = bootstrapMedian(samples);
  EXPECT_EQ(interval.low, 7);
  EXPECT_EQ(interval.high, 7);
  EXPECT_EQ(interval.getRelativeError(), 0);
  EXPECT_EQ(bootstrapMedian({}).getRelativeError(), 1);
}

TEST(Statistics, IntervalCoversTheTruth) {
  // Skewed samples with median 1 + ln 2; 95 % of the intervals should hold it.
  std::mt19937_64 random(7);
  std::exponential_distribution<double> draw(1);
  unsigned covered = 0, runs = 200;
  for (unsigned run = 0; run < runs; ++run) {
    std::vector<double> samples(60);
    for (double &sample : samples)
      sample = 1 + draw(random);
    Interval interval = bootstrapMedian(samples, run + 1, 400);
    EXPECT_LE(interval.low, interval.median);
    EXPECT_GE(interval.high, interval.median);
    double truth = 1 + std::log(2.0);
    covered += interval.low <= truth && truth <= interval.high;
  }
  EXPECT_GT(covered, runs * 89 / 100);
  EXPECT_LT(covered, runs);
}

TEST(Statistics, MoreSamplesNarrow) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> draw(100, 5);
  std::vector<double> samples;
  while (samples.size() < 1000)
    samples.push_back(draw(random));
  double few = bootstrapMedian(llvm::ArrayRef(samples).take_front(40))
                   .getRelativeError();
  double many = bootstrapMedian(samples).getRelativeError();
  EXPECT_LT(many, few / 2);
  EXPECT_EQ(bootstrapMedian(samples, 5).low, bootstrapMedian(samples, 5).low);
}

TEST(Statistics, RatioOfPairs) {
  // Both drift together: the ratio is certain although neither time is.
  std::vector<double> slow, fast;
  for (unsigned i = 0; i < 50; ++i) {
    slow.push_back(200 + i);
    fast.push_back((200 + i) / 2.0);
  }
  Interval ratio = bootstrapRatio(slow, fast);
  EXPECT_DOUBLE_EQ(ratio.median, 2);
  EXPECT_DOUBLE_EQ(ratio.low, 2);
  EXPECT_DOUBLE_EQ(ratio.high, 2);
  EXPECT_GT(bootstrapMedian(slow).high - bootstrapMedian(slow).low, 5);
  Interval none = bootstrapRatio({}, {});
  EXPECT_EQ(none.median, 0);
}
