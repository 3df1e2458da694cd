// Hashes are in recordings, journals and evidence: their values are fixed, and
// those of other implementations.
#include "evo/Support/Digest.h"
#include <gtest/gtest.h>

using namespace evo;

namespace {

TEST(Digest, IsSHA256) {
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223");
  EXPECT_EQ(digest("abc", 32),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("", 4), "e3b0c442");
  EXPECT_EQ(sha256("abc")[31], 0xad);
}

TEST(Digest, FingerprintsAreXXH3) {
  EXPECT_EQ(fingerprint(""), 0x2d06800538d394c2u);
  EXPECT_EQ(fingerprint("abc"), 0x78af5f94892f3950u);
}

TEST(Digest, OfCodeIsBLAKE3) {
  EXPECT_EQ(codeDigest(""), "af1349b9f5f9a1a6a0404dea36dcc949");
  EXPECT_EQ(codeDigest("abc"), "6437b3ac38465133ffb63b75273a8db5");
  EXPECT_EQ(codeKey("abc")[0], 0x64);
  EXPECT_EQ(codeKey("abc")[31], 0x85);
  EXPECT_NE(codeKey("abc"), codeKey("abd"));
}

} // namespace
