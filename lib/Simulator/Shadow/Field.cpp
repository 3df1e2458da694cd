// Arithmetic of the third value. Montgomery multiplication (Montgomery 1985)
// takes three multiplications and no division. Powers of the one base that exp
// needs come from a table.
#include "evo/Simulator/Field.h"
#include "evo/Support/Random.h"
#include <cmath>

namespace evo::sim {

ModularRing::ModularRing(uint64_t modulus) : m(modulus) {
  uint64_t inverse = 1; // of m mod 2^64, by Newton
  for (int i = 0; i < 6; ++i)
    inverse *= 2 - m * inverse;
  negativeInverse = 0 - inverse;
  oneForm = (~0ull % m + 1) % m; // 2^64 mod m
  square = static_cast<uint64_t>(static_cast<unsigned __int128>(oneForm) *
                                 oneForm % m);
}

uint64_t ModularRing::pow(uint64_t a, uint64_t exponent) const {
  uint64_t r = oneForm;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      r = mul(r, a);
    a = mul(a, a);
  }
  return r;
}

std::string FieldNote::str() const {
  return location.line ? message + " at " + location.str() : message;
}

const std::vector<uint64_t> &Field::primes() {
  static const std::vector<uint64_t> q = {
      2305843009213650479, 2305843009213641239, 2305843009213497599,
      2305843009213369919, 2305843009213358159, 2305843009213303559};
  return q;
}

uint64_t Field::mix(uint64_t a, uint64_t b) {
  return mixBits(spreadBits(a) + (b ^ 0xd1b54a32d192ed03ull));
}

static uint64_t choosePrime(uint64_t seed) {
  const std::vector<uint64_t> &all = Field::primes();
  return all[Field::mix(seed, 1) % all.size()];
}

Field::Field(uint64_t seed)
    : key(mix(seed, 2)), P(2 * choosePrime(seed) + 1), Q(choosePrime(seed)),
      rootExponentP((P.modulus() + 1) / 4),
      rootExponentQ((Q.modulus() + 1) / 4) {
  // Any square but 1 generates the subgroup of order q.
  uint64_t h = P.encode(mix(key, 3) % (P.modulus() - 3) + 2);
  uint64_t base = P.mul(h, h);
  for (unsigned digit = 0; digit < 16; ++digit) {
    uint64_t v = P.one();
    for (unsigned d = 0; d < 16; ++d) {
      powers.push_back(v);
      v = P.mul(v, base);
    }
    base = v;
  }
  for (unsigned s = 0; s < 4; s += 2) {
    symbols[s] = random(mix(4, s));
    symbols[s].constant = true;
    symbols[s + 1] = inverse(symbols[s]);
  }
  // Handles without a value read as lost, should they ever be looked at.
  FieldValue none =
      // unreachable: nobody looks
      lost(FieldNote::Lost, "bits that no float operation made", SourceLoc());
  for (Handle h = 0; h <= insideHandle; ++h)
    store(none);
  seen.pop_back();
}

FieldValue Field::random(uint64_t what) const {
  FieldValue v;
  v.p = mix(key, mix(what, 5)) % P.modulus();
  v.q = mix(key, mix(what, 6)) % Q.modulus();
  v.expression = mix(what, 7);
  return v;
}
FieldValue Field::input(uint64_t name, uint64_t index) const {
  return random(mix(mix(8, name), index));
}
FieldValue Field::scalar(double value) const {
  uint64_t bits;
  static_assert(sizeof bits == sizeof value, "doubles have 64 bits");
  __builtin_memcpy(&bits, &value, 8);
  return random(mix(9, bits));
}

FieldValue Field::unsignedInteger(uint64_t value) const {
  FieldValue v;
  v.p = P.encode(value);
  v.q = Q.encode(value);
  v.expression = mix(10, value);
  v.constant = true;
  return v;
}
FieldValue Field::integer(int64_t value) const {
  if (value >= 0)
    return unsignedInteger(value);
  FieldValue v = unsignedInteger(0 - static_cast<uint64_t>(value));
  v.p = P.neg(v.p);
  v.q = Q.neg(v.q);
  v.expression = mix(11, v.expression);
  return v;
}

/// Times a power of two, and a sign.
FieldValue Field::scaled(FieldValue v, int exponent, bool negative) const {
  const uint64_t n = exponent < 0 ? -exponent : exponent;
  uint64_t p = P.pow(P.encode(2), n), q = Q.pow(Q.encode(2), n);
  if (exponent < 0) {
    p = P.inverse(p);
    q = Q.inverse(q);
  }
  v.p = P.mul(v.p, negative ? P.neg(p) : p);
  v.q = Q.mul(v.q, negative ? Q.neg(q) : q);
  return v;
}

FieldValue Field::dyadic(double value) const {
  int exponent;
  double fraction = std::frexp(value, &exponent);
  return scaled(unsignedInteger(
                    static_cast<uint64_t>(std::ldexp(std::fabs(fraction), 53))),
                exponent - 53, value < 0);
}

FieldValue Field::literal(double value, ElementKind type) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, 8);
  auto [it, isNew] =
      literals.try_emplace({bits, static_cast<unsigned>(type)}, FieldValue());
  FieldValue &v = it->second;
  if (!isNew)
    return v;
  if (std::isnan(value))
    v.kind = FieldValue::Lost;
  else if (std::isinf(value))
    v.kind = value > 0 ? FieldValue::PlusInfinity : FieldValue::MinusInfinity;
  else if (value != 0 && !snap(value, type, v))
    v = dyadic(value);
  v.constant = true;
  v.expression = mix(12, bits);
  return v;
}

FieldValue Field::lost(FieldNote::Kind kind, const std::string &message,
                       const SourceLoc &location) {
  FieldValue v;
  v.kind = FieldValue::Lost;
  note(kind, message, location);
  for (size_t i = 0; i < seen.size(); ++i)
    if (seen[i].kind == kind && seen[i].location.line == location.line &&
        seen[i].message == message)
      v.note = i + 1;
  v.expression = mix(13, v.note);
  return v;
}

/// What every result inherits from its operands.
FieldValue Field::combine(const FieldValue &a, const FieldValue &b) const {
  FieldValue r;
  if (a.kind != FieldValue::Number || b.kind != FieldValue::Number) {
    r.kind = FieldValue::Lost;
    r.note = a.kind == FieldValue::Lost && a.note ? a.note : b.note;
  }
  r.hasQ = a.hasQ && b.hasQ;
  r.constant = a.constant && b.constant;
  r.uncounted = a.uncounted || b.uncounted;
  return r;
}

FieldValue Field::add(const FieldValue &a, const FieldValue &b) const {
  FieldValue r = combine(a, b);
  r.p = P.add(a.p, b.p);
  r.q = r.hasQ ? Q.add(a.q, b.q) : 0;
  return r;
}
FieldValue Field::sub(const FieldValue &a, const FieldValue &b) const {
  FieldValue r = combine(a, b);
  r.p = P.sub(a.p, b.p);
  r.q = r.hasQ ? Q.sub(a.q, b.q) : 0;
  return r;
}
FieldValue Field::mul(const FieldValue &a, const FieldValue &b) const {
  FieldValue r = combine(a, b);
  r.p = P.mul(a.p, b.p);
  r.q = r.hasQ ? Q.mul(a.q, b.q) : 0;
  return r;
}
FieldValue Field::neg(const FieldValue &a) const {
  FieldValue r = a;
  r.p = P.neg(a.p);
  r.q = a.hasQ ? Q.neg(a.q) : 0;
  if (a.kind == FieldValue::PlusInfinity)
    r.kind = FieldValue::MinusInfinity;
  if (a.kind == FieldValue::MinusInfinity)
    r.kind = FieldValue::PlusInfinity;
  return r;
}
FieldValue Field::inverse(const FieldValue &a) const {
  FieldValue r = combine(a, a);
  r.p = inversesP.find(P, a.p);
  r.hasQ = a.hasQ && a.q != 0;
  r.q = r.hasQ ? inversesQ.find(Q, a.q) : 0;
  return r;
}
FieldValue Field::power(const FieldValue &a, int64_t n) const {
  const uint64_t magnitude = n < 0 ? 0 - static_cast<uint64_t>(n) : n;
  FieldValue r = combine(a, a);
  r.p = P.pow(a.p, magnitude);
  r.q = r.hasQ ? Q.pow(a.q, magnitude) : 0;
  return n < 0 ? inverse(r) : r;
}

FieldValue Field::exp(const FieldValue &a) const {
  if (!a.hasQ)
    return uninterpreted(14, a);
  FieldValue r = combine(a, a);
  uint64_t e = Q.decode(a.q), v = P.one();
  for (unsigned i = 0; e; ++i, e >>= 4)
    if (e & 15)
      v = P.mul(v, powers[16 * i + (e & 15)]);
  r.p = v;
  r.q = 0;
  r.hasQ = false;
  return r;
}

FieldValue Field::sqrt(const FieldValue &a) const {
  FieldValue r = combine(a, a);
  r.p = P.pow(a.p, rootExponentP);
  r.uncounted |= P.mul(r.p, r.p) != a.p;
  if (r.hasQ) {
    r.q = Q.pow(a.q, rootExponentQ);
    // The residue mod q matters only to a later exp.
    r.hasQ = Q.mul(r.q, r.q) == a.q;
    if (!r.hasQ)
      r.q = 0;
  }
  return r;
}

FieldValue Field::uninterpreted(uint64_t function, const FieldValue &a,
                                int symmetry) const {
  FieldValue r = combine(a, a);
  const uint64_t other = P.neg(a.p);
  const bool flip = symmetry && other < a.p;
  FieldValue v = random(mix(mix(15, function), flip ? other : a.p));
  if (symmetry < 0 && (flip || a.p == 0))
    v = a.p == 0 ? unsignedInteger(0) : neg(v);
  r.p = v.p;
  r.q = v.q;
  r.hasQ = true;
  return r;
}

FieldValue Field::uninterpreted2(uint64_t function, const FieldValue &a,
                                 const FieldValue &b) const {
  FieldValue r = combine(a, b);
  FieldValue v = random(mix(mix(mix(16, function), a.p), b.p));
  r.p = v.p;
  r.q = v.q;
  r.hasQ = true;
  return r;
}

bool Field::equal(const FieldValue &a, const FieldValue &b) const {
  if (a.kind == FieldValue::Lost || b.kind == FieldValue::Lost)
    return false;
  if (a.kind != b.kind)
    return false;
  return a.kind != FieldValue::Number ||
         (a.p == b.p && (!a.hasQ || !b.hasQ || a.q == b.q));
}

Field::Handle Field::store(const FieldValue &v) {
  if (count >= maxValues) {
    note(FieldNote::TooLarge, "more field values than one run may have",
         SourceLoc());
    return opaqueHandle;
  }
  if (count % chunkSize == 0)
    chunks.push_back(std::make_unique<FieldValue[]>(chunkSize));
  chunks.back()[count % chunkSize] = v;
  return count++;
}

void Field::note(FieldNote::Kind kind, const std::string &message,
                 const SourceLoc &location) {
  for (const FieldNote &n : seen)
    if (n.kind == kind && n.location.line == location.line &&
        n.message == message)
      return;
  if (seen.size() < 64)
    seen.push_back({kind, message, location});
}

} // namespace evo::sim
