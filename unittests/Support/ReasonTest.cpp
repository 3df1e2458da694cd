// Each reason of a verdict has a word of its own, which it is read back from.
#include "evo/Support/Reason.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {
TEST(Reason, IsReadFromItsWord) {
#define EVO_REASON(REASON, NAME)                                               \
  EXPECT_EQ(reasonName(Reason::REASON).str(), NAME);                           \
  EXPECT_TRUE(reasonFromName(NAME) == Reason::REASON) << NAME;
#include "evo/Support/Reasons.def"
}

TEST(Reason, IsNoOtherWord) {
  EXPECT_FALSE(reasonFromName("out-of-luck"));
  EXPECT_FALSE(reasonFromName(""));
}
} // namespace
