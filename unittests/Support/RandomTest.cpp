// A seed means the same draws everywhere and always.
#include "evo/Support/Random.h"
#include <gtest/gtest.h>

using namespace evo;

namespace {

TEST(Random, IsSplitMix64) {
  Random random(1234567);
  for (uint64_t wanted :
       {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull})
    EXPECT_EQ(random.next(), wanted);
}

TEST(Random, DrawsLieWithinTheirBounds) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(3), 3u);
    int64_t number = random.between(-2, 2);
    EXPECT_TRUE(number >= -2 && number <= 2);
    double unit = random.uniform();
    EXPECT_TRUE(unit >= 0 && unit < 1);
  }
  EXPECT_EQ(random.between(INT64_MIN, INT64_MIN), INT64_MIN);
}

TEST(Random, MixingIsOneToOne) {
  EXPECT_EQ(mixBits(0), 0u);
  EXPECT_NE(mixBits(1), mixBits(2));
}

} // namespace
