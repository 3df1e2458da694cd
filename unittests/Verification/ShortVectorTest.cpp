// What a polynomial hash takes for zeros.
#include "Verification/Sampling/ShortVector.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstdlib>

using namespace evo;

namespace {

uint64_t hash(const std::vector<int64_t> &numbers, uint64_t base,
              unsigned bits) {
  uint64_t sum = 0;
  for (int64_t number : numbers)
    sum = sum * base + static_cast<uint64_t>(number);
  return bits == 64 ? sum : sum & ((uint64_t(1) << bits) - 1);
}

TEST(ShortVectorTest, IsNothingToTheHashAndShort) {
  constexpr uint64_t bases[] = {31, 1000003, 16777619, 1099511628211,
                                0x9e3779b97f4a7c15};
  constexpr double allowed = 8; // times the size that one of them has
  for (uint64_t base : bases)
    for (unsigned bits : {32, 64})
      for (unsigned count = 2; count <= 6; ++count) {
        const std::vector<int64_t> found = findShortVector(base, bits, count);
        ASSERT_EQ(found.size(), count);
        EXPECT_EQ(hash(found, base, bits), 0u);
        double largest = 0;
        for (int64_t number : found)
          largest = std::max(largest, std::fabs(static_cast<double>(number)));
        EXPECT_GT(largest, 0) << base << ", " << bits << ", " << count;
        EXPECT_LT(largest, allowed * std::exp2(double(bits) / count))
            << base << ", " << bits << ", " << count;
      }
}

TEST(ShortVectorTest, OneMoreIsSomethingToIt) {
  std::vector<int64_t> found = findShortVector(1000003, 32, 3);
  ++found.back();
  EXPECT_NE(hash(found, 1000003, 32), 0u);
}

} // namespace
