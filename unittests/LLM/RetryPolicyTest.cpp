// Back-off by numbers. The bounds of every wait, over many draws.
#include "evo/LLM/RetryPolicy.h"
#include "gtest/gtest.h"

using namespace evo::llm;
using std::chrono::milliseconds;

namespace {

TEST(RetryPolicy, GrowsWithinItsBounds) {
  RetryPolicy policy;
  policy.maxAttempts = 100;
  policy.firstWait = milliseconds(100);
  policy.longestWait = milliseconds(1000);
  evo::Random random(7);
  const int64_t full[] = {100, 200, 400, 800, 1000, 1000};
  for (unsigned attempt = 1; attempt <= 6; ++attempt) {
    int64_t min = INT64_MAX, max = 0;
    for (int i = 0; i < 1000; ++i) {
      auto wait = policy.waitAfter(attempt, std::nullopt, random);
      ASSERT_TRUE(wait);
      min = std::min<int64_t>(min, wait->count());
      max = std::max<int64_t>(max, wait->count());
    }
    EXPECT_GE(min, full[attempt - 1] / 2);
    EXPECT_LE(max, full[attempt - 1]);
    EXPECT_GT(max - min, full[attempt - 1] / 4); // it does jitter
  }
}

TEST(RetryPolicy, EndsAfterTheLastAttempt) {
  RetryPolicy policy;
  policy.maxAttempts = 3;
  evo::Random random(7);
  EXPECT_TRUE(policy.waitAfter(2, std::nullopt, random));
  EXPECT_FALSE(policy.waitAfter(3, std::nullopt, random));
  EXPECT_FALSE(policy.waitAfter(3, milliseconds(1), random));
}

TEST(RetryPolicy, NeverReturnsBeforeTheServersWish) {
  RetryPolicy policy;
  policy.longestRetryAfter = milliseconds(5000);
  evo::Random random(7);
  for (int i = 0; i < 1000; ++i) {
    auto wait = policy.waitAfter(1, milliseconds(5000), random);
    ASSERT_TRUE(wait);
    EXPECT_GE(wait->count(), 5000);
    EXPECT_LE(wait->count(), 5500);
  }
  EXPECT_FALSE(policy.waitAfter(1, milliseconds(5001), random));
}

TEST(RetryPolicy, LongRunsDoNotOverflow) {
  RetryPolicy policy;
  policy.maxAttempts = 1u << 31;
  evo::Random random(7);
  auto wait = policy.waitAfter(1u << 30, std::nullopt, random);
  ASSERT_TRUE(wait);
  EXPECT_LE(wait->count(), policy.longestWait.count());
}

} // namespace
