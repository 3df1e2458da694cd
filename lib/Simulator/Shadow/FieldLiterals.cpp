// What a literal means. Literals are the dyadic rationals that their bits say,
// but for a few: 1/N, 1/sqrt d, log2 e and the like are written in kernels as
// rounded values and meant exactly. Only the correctly rounded value of such a
// constant, times a power of two, is taken for it, and each one is listed for
// the evidence.
#include "evo/Simulator/Field.h"
#include <cfloat>
#include <cmath>
#include <cstdio>

namespace evo::sim {

/// Significant bits, the hidden one included. Bytes: none.
static int precision(ElementKind type) {
  switch (type) {
  case ElementKind::F16:
    return 11;
  case ElementKind::BF16:
    return 8;
  case ElementKind::F32:
    return 24;
  case ElementKind::F64:
    return 53;
  default:
    return 0;
  }
}

/// `m` in [1, 2) is `exact` rounded to `bits` significant bits.
static bool isRounded(double m, long double exact, int bits) {
  while (exact >= 2)
    exact /= 2;
  while (exact < 1)
    exact *= 2;
  const long double scale = std::ldexp(1.0L, bits - 1);
  return static_cast<long double>(m) * scale == std::nearbyint(exact * scale);
}

bool Field::snap(double value, ElementKind type, FieldValue &out) {
  const int own = precision(type);
  int exponent;
  // In [1, 2), so that powers of two do not matter.
  const double m = 2 * std::frexp(std::fabs(value), &exponent);
  --exponent;
  // Few bits: meant as they stand.
  if (own == 0 || std::ldexp(m, 7) == std::floor(std::ldexp(m, 7)))
    return false;
  char text[96];
  auto take = [&](const FieldValue &meant, long double exact,
                  const std::string &name) {
    int shift;
    std::frexp(static_cast<double>(exact), &shift);
    out = scaled(meant, exponent - (shift - 1), value < 0);
    std::string line =
        std::string(text) + " as " + (value < 0 ? "-" : "") + name;
    if (exponent != shift - 1)
      line += " * 2^" + std::to_string(exponent - (shift - 1));
    snaps.push_back(line);
    return true;
  };
  std::snprintf(text, sizeof text, own > 24 ? "%.17g" : "%.9g", value);

  // A float literal in double arithmetic has the precision of a float.
  for (int bits : {own, 24}) {
    if (bits > own ||
        (bits < own && static_cast<double>(static_cast<float>(m)) != m))
      continue;
    // One in 2^(bits - 1) literals looks like a given constant by chance, so
    // the narrow types get few.
    const struct {
      long double value;
      FieldValue meant;
      const char *name;
    } constants[] = {
        {1.44269504088896340735992468100189214L, log2e(), "log2 e"},
        {0.693147180559945309417232121458176568L, ln2(), "ln 2"},
        {2.30258509299404568401799145468436421L, ln10(), "ln 10"},
        {0.434294481903251827651128918916605082L, log10e(), "log10 e"},
        {3.32192809488736234787031942948939018L, mul(ln10(), log2e()),
         "log2 10"},
        {0.301029995663981195213738894724493027L, mul(ln2(), log10e()),
         "log10 2"}};
    if (bits >= 11)
      for (auto &c : constants)
        if (isRounded(m, c.value, bits))
          return take(c.meant, c.value, c.name);
    // 1/N: m N = 2^j for some j, N odd.
    const int maxExponent = bits >= 24 ? 14 : bits / 2;
    for (int j = 2; j <= maxExponent; ++j) {
      const uint64_t n = std::llround(std::ldexp(1.0, j) / m);
      if (n % 2 && n > 1 && isRounded(m, 1.0L / n, bits))
        return take(inverse(unsignedInteger(n)), 1.0L / n,
                    "1/" + std::to_string(n));
    }
    // sqrt d and 1/sqrt d: m^2 is d or 1/d but for a power of two. With d odd
    // or twice odd, no square.
    for (int j = 1; j <= (bits >= 24 ? 12 : 4); ++j)
      for (bool reciprocal : {true, false}) {
        const double scale = std::ldexp(1.0, j);
        const uint64_t d =
            std::llround(reciprocal ? scale / (m * m) : m * m * scale);
        const uint64_t root = std::llround(std::sqrt(double(d)));
        if (d < 2 || d % 4 == 0 || root * root == d)
          continue;
        const long double exact = reciprocal ? 1 / sqrtl(d) : sqrtl(d);
        if (!isRounded(m, exact, bits))
          continue;
        FieldValue meant = sqrt(unsignedInteger(d));
        return take(reciprocal ? inverse(meant) : meant, exact,
                    (reciprocal ? "1/sqrt " : "sqrt ") + std::to_string(d));
      }
  }
  return false;
}

} // namespace evo::sim
