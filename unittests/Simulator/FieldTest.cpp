// The third value of a float.
#include "evo/Simulator/Field.h"
#include "Harness.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

uint64_t mulmod(uint64_t a, uint64_t b, uint64_t m) {
  return static_cast<unsigned __int128>(a) * b % m;
}
uint64_t powmod(uint64_t a, uint64_t e, uint64_t m) {
  uint64_t r = 1;
  for (a %= m; e; e >>= 1, a = mulmod(a, a, m))
    if (e & 1)
      r = mulmod(r, a, m);
  return r;
}
/// Miller and Rabin with bases that decide all 64-bit integers.
bool isPrime(uint64_t n) {
  const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (n < 2)
    return false;
  for (uint64_t b : bases)
    if (n % b == 0)
      return n == b;
  uint64_t d = n - 1;
  unsigned s = 0;
  for (; d % 2 == 0; d /= 2)
    ++s;
  for (uint64_t b : bases) {
    uint64_t x = powmod(b, d, n);
    bool witness = x != 1 && x != n - 1;
    for (unsigned r = 1; r < s && witness; ++r) {
      x = mulmod(x, x, n);
      witness = x != n - 1;
    }
    if (witness)
      return false;
  }
  return true;
}

TEST(Field, PrimesAreWhatTheyMustBe) {
  EXPECT_TRUE(isPrime(2305843009213693951));  // 2^61 - 1
  EXPECT_FALSE(isPrime(2305843009213693949)); // the test can fail
  for (uint64_t q : Field::primes()) {
    const uint64_t p = 2 * q + 1;
    EXPECT_TRUE(isPrime(q)) << q;
    EXPECT_TRUE(isPrime(p)) << p;
    EXPECT_EQ(q % 4, 3u);
    for (uint64_t d : {2, 3, 5, 7})
      for (uint64_t m : {p, q})
        EXPECT_EQ(powmod(d, (m - 1) / 2, m), 1u) << d << " mod " << m;
  }
}

TEST(Field, RingMatchesDivision) {
  for (uint64_t m :
       {2 * Field::primes()[0] + 1, Field::primes()[1], 1000003ul}) {
    ModularRing ring(m);
    uint64_t a = 1, b = 2;
    for (int i = 0; i < 200; ++i) {
      a = Field::mix(a, i) % m;
      b = Field::mix(b, a) % m;
      const uint64_t x = ring.encode(a), y = ring.encode(b);
      ASSERT_EQ(ring.decode(x), a);
      ASSERT_EQ(ring.decode(ring.mul(x, y)), mulmod(a, b, m));
      ASSERT_EQ(ring.decode(ring.add(x, y)), (a + b) % m);
      ASSERT_EQ(ring.decode(ring.sub(x, y)), (a + m - b) % m);
      ASSERT_EQ(ring.add(x, ring.neg(x)), 0u);
      ASSERT_EQ(ring.mul(x, ring.inverse(x)), a ? ring.one() : 0u);
      ASSERT_EQ(ring.decode(ring.pow(x, 5)), powmod(a, 5, m));
    }
  }
}

struct Identities : testing::TestWithParam<uint64_t> {
  Field f{GetParam()};
  FieldValue x = f.input(0, 0), y = f.input(0, 1), z = f.input(1, 0);
  FieldValue one = f.unsignedInteger(1), two = f.unsignedInteger(2);
  void same(const FieldValue &a, const FieldValue &b) {
    EXPECT_TRUE(f.equal(a, b));
  }
  void differ(const FieldValue &a, const FieldValue &b) {
    EXPECT_FALSE(f.equal(a, b));
  }
};

TEST_P(Identities, Arithmetic) {
  differ(x, y);
  same(f.add(f.add(x, y), z), f.add(x, f.add(y, z)));
  same(f.mul(x, f.add(y, z)), f.add(f.mul(x, y), f.mul(x, z)));
  same(f.mul(x, f.inverse(x)), one);
  same(f.sub(x, y), f.neg(f.sub(y, x)));
  same(f.power(x, 3), f.mul(x, f.mul(x, x)));
  same(f.power(x, -2), f.inverse(f.mul(x, x)));
  differ(f.mul(x, y), f.add(x, y));
  differ(f.sub(x, y), f.sub(y, x));
}

TEST_P(Identities, Exponential) {
  same(f.exp(f.add(x, y)), f.mul(f.exp(x), f.exp(y)));
  same(f.exp(f.neg(x)), f.inverse(f.exp(x)));
  same(f.exp(f.unsignedInteger(0)), one);
  // Online softmax: rescaling cancels.
  same(f.mul(f.exp(f.sub(x, y)), f.exp(f.sub(y, z))), f.exp(f.sub(x, z)));
  differ(f.exp(f.sub(x, y)), f.exp(f.sub(x, z)));
  same(f.exp(f.mul(f.mul(x, f.log2e()), f.ln2())), f.exp(x));
  EXPECT_FALSE(f.exp(x).hasQ);
  // One exponential per path; the second is not interpreted, yet is a function.
  same(f.exp(f.exp(x)), f.exp(f.exp(x)));
  differ(f.exp(f.exp(x)), f.exp(f.exp(y)));
}

TEST_P(Identities, Roots) {
  FieldValue square = f.mul(x, x), root = f.sqrt(square);
  EXPECT_FALSE(root.uncounted);
  same(f.mul(root, root), square);
  // -1 is no square, so of x^2 y and -x^2 y exactly one has a root.
  EXPECT_NE(f.sqrt(x).uncounted, f.sqrt(f.neg(x)).uncounted);
  same(f.sqrt(f.unsignedInteger(49)), f.unsignedInteger(7));
  same(f.mul(f.sqrt(two), f.sqrt(f.unsignedInteger(3))),
       f.sqrt(f.unsignedInteger(6)));
  FieldValue half = f.mul(x, f.inverse(two));
  same(f.sqrt(f.exp(x)), f.exp(half));
}

TEST_P(Identities, Uninterpreted) {
  same(f.uninterpreted(1, f.neg(x), -1), f.neg(f.uninterpreted(1, x, -1)));
  same(f.uninterpreted(2, f.neg(x), 1), f.uninterpreted(2, x, 1));
  differ(f.uninterpreted(3, f.neg(x)), f.uninterpreted(3, x));
  differ(f.uninterpreted(1, x), f.uninterpreted(2, x));
  differ(f.uninterpreted2(1, x, y), f.uninterpreted2(1, y, x));
}

INSTANTIATE_TEST_SUITE_P(Seeds, Identities, testing::Values(1, 2, 3, 4, 5, 6));

TEST(Field, SameSeedSameValues) {
  Field a(7), b(7), c(8);
  EXPECT_TRUE(a.equal(a.input(1, 2), b.input(1, 2)));
  EXPECT_NE(a.input(1, 2).p, c.input(1, 2).p);
  EXPECT_NE(a.input(1, 2).p, a.input(2, 1).p);
}

TEST(Field, LiteralsAreExactUnlessMeant) {
  Field f(3);
  auto f32 = [&](double v) {
    return f.literal(static_cast<float>(v), ElementKind::F32);
  };
  auto n = [&](int64_t v) { return f.integer(v); };
  EXPECT_TRUE(f.equal(f.mul(f32(0.75), n(4)), n(3)));
  EXPECT_TRUE(f.equal(f32(-1e9), n(-1000000000)));
  EXPECT_TRUE(f.equal(f.mul(f32(0x1p-140), n(2)), f32(0x1p-139)));
  EXPECT_TRUE(f.equal(f32(0), n(0)));
  EXPECT_TRUE(f.snapped().empty());
  EXPECT_TRUE(f.equal(f.mul(f32(1.0 / 3), n(3)), n(1)));
  EXPECT_TRUE(f.equal(f.mul(f32(-2.0 / 7), n(7)), n(-2)));
  EXPECT_TRUE(f.equal(f32(1.4426950408889634), f.log2e()));
  EXPECT_TRUE(f.equal(f.mul(f32(M_LN2), f.log2e()), n(1)));
  EXPECT_TRUE(f.equal(f.mul(f32(0.125 * M_LOG2E), n(8)), f.log2e()));
  FieldValue r = f32(1 / std::sqrt(128.0));
  EXPECT_TRUE(f.equal(f.mul(f.mul(r, r), n(128)), n(1)));
  EXPECT_TRUE(f.equal(f32(std::sqrt(2.0)), f.sqrt(n(2))));
  EXPECT_EQ(f.snapped().size(), 7u);
  EXPECT_EQ(f.snapped()[0], "0.333333343 as 1/3");
  EXPECT_EQ(f.snapped()[1], "-0.285714298 as -1/7 * 2^1");
  EXPECT_EQ(f.snapped()[4], "0.180336878 as log2 e * 2^-3");
  // One unit in the last place off means what it says.
  FieldValue off = f32(std::nextafterf(1.0f / 3, 1));
  EXPECT_FALSE(f.equal(f.mul(off, n(3)), n(1)));
  EXPECT_FALSE(f.equal(f32(0.1), f32(0.2)));
  EXPECT_EQ(f.snapped().size(), 9u); // 1/10 and 1/5
  EXPECT_EQ(f.literal(INFINITY, ElementKind::F32).kind,
            FieldValue::PlusInfinity);
  EXPECT_EQ(f.literal(NAN, ElementKind::F32).kind, FieldValue::Lost);
}

} // namespace
