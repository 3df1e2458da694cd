// Numbers that are next to nothing are not shown as nothing, and what a
// terminal gets fits it and does not command it.
#include "Driver/Optimize/Wording.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {

TEST(Wording, NothingIsShownAsNothingButNothing) {
  EXPECT_EQ(showTenths(12.34), "12.3");
  EXPECT_EQ(showTenths(0.05), "0.1");
  EXPECT_EQ(showTenths(0.049), "<0.1");
  EXPECT_EQ(showTenths(0.049, "< "), "< 0.1");
  EXPECT_EQ(showTenths(0), "0.0");
  EXPECT_EQ(showShare(0.05), "5 %");
  EXPECT_EQ(showShare(0.0051), "1 %");
  EXPECT_EQ(showShare(0.005), "< 1 %");
  EXPECT_EQ(showShare(0.0049), "< 1 %");
  EXPECT_EQ(showShare(0.0049, 1), "0.5 %");
  EXPECT_EQ(showShare(0.0004, 1), "< 0.1 %");
  EXPECT_EQ(showFactor(1.44), "1.4x");
  EXPECT_EQ(showFactor(23.4), "23x");
  EXPECT_EQ(showFactor(0.001), "<0.1x");
  EXPECT_EQ(showMoney(0.123), "0.12");
  EXPECT_EQ(showMoney(0.0123), "0.0123");
  EXPECT_EQ(showMoney(0.00001), "< 0.0001");
  EXPECT_EQ(showDuration(12.4), "12 s");
  EXPECT_EQ(showDuration(100), "2 min");
  EXPECT_EQ(showDuration(7200), "2 h");
}

TEST(Wording, ALineFitsItsTerminal) {
  EXPECT_EQ(fit("", 0), "");
  EXPECT_EQ(fit("abc", 0), "");
  EXPECT_EQ(fit("abc", 3), "abc");
  EXPECT_EQ(fit("abcd", 3), "...");
  EXPECT_EQ(fit("abcdef", 5), "ab...");
  // Two bytes each, and one column.
  EXPECT_EQ(fit("äöü", 3), "äöü");
  EXPECT_EQ(fit("äöüäöü", 5), "äö...");
  // Three bytes, and two columns.
  EXPECT_EQ(fit("漢字漢字", 8), "漢字漢字");
  EXPECT_EQ(fit("漢字漢字", 6), "漢...");
}

TEST(Wording, NoByteCommandsATerminal) {
  EXPECT_EQ(fit("a\x1b[2Jb\nc\x7f", 80), "a?[2Jb?c?");
  EXPECT_EQ(fit("a\xff\xfe", 80), "a??");
  // The same commands in their two-byte form.
  EXPECT_EQ(fit("a\xc2\x9b"
                "2Jb",
                80),
            "a??2Jb");
}

} // namespace
