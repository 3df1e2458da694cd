// Floats as elements of finite fields. The third value of a float. Let q and p
// = 2 q + 1 be primes. A float input becomes a random pair (x mod p, x mod q),
// arithmetic is done modulo both, and two kernels that compute the same
// rational function agree, while two that do not agree only if a random point
// is a zero of their difference. Rounding does not exist here, so reassociated
// sums agree just as identical ones do.
//
//   exp    g^x mod p for a g of order q: exponents add, so exp(a + b) is
//          exp(a) exp(b). The result has no residue mod q: one exp per path.
//   sqrt   u^((p+1)/4), the root that is itself a square. Where u is no square
//          the value is marked, and outputs that use it do not count.
//   others an uninterpreted function: a keyed hash of the argument, after what
//          is exact has been rewritten (tanh by exp, log2 by log, ...).
//
// Values are handles into an arena that one run of one plan fills: 8 bytes that
// travel exactly as error bounds do in the mode "shadow value and error". Two
// runs with the same seed draw the same inputs, so their values can be
// compared. Each value also carries a hash of the IEEE operations that made it.
//
// After Mirage (Wu et al., OSDI 2025), which evaluates over Z_227 x Z_113; here
// the primes are near 2^62, drawn values are carried through real control flow,
// and the shadow values decide where the field may speak at all; see
// docs/VerificationDesign.md.
#ifndef EVO_SIMULATOR_FIELD_H
#define EVO_SIMULATOR_FIELD_H

#include "evo/Simulator/Finding.h"
#include "evo/Simulator/Memory.h"
#include "evo/Support/Random.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace evo::sim {

/// Arithmetic modulo an odd m < 2^63 on residues in Montgomery form.
class ModularRing {
public:
  explicit ModularRing(uint64_t modulus);
  uint64_t modulus() const { return m; }
  uint64_t one() const { return oneForm; }
  /// To and from Montgomery form; `encode` takes any 64-bit integer.
  uint64_t encode(uint64_t v) const { return mul(v % m, square); }
  uint64_t decode(uint64_t v) const { return reduce(v); }
  uint64_t add(uint64_t a, uint64_t b) const {
    uint64_t s = a + b;
    return s >= m ? s - m : s;
  }
  uint64_t sub(uint64_t a, uint64_t b) const {
    return a >= b ? a - b : a + m - b;
  }
  uint64_t neg(uint64_t a) const { return a ? m - a : 0; }
  uint64_t mul(uint64_t a, uint64_t b) const {
    return reduce(static_cast<unsigned __int128>(a) * b);
  }
  uint64_t pow(uint64_t a, uint64_t exponent) const;
  /// The inverse for a prime modulus; of 0: 0.
  uint64_t inverse(uint64_t a) const { return pow(a, m - 2); }

private:
  uint64_t m, negativeInverse, square, oneForm;
  uint64_t reduce(unsigned __int128 t) const {
    uint64_t k = static_cast<uint64_t>(t) * negativeInverse;
    uint64_t r = (t + static_cast<unsigned __int128>(k) * m) >> 64;
    return r >= m ? r - m : r;
  }
};

/// One value. Plain data, 32 bytes.
struct FieldValue {
  enum Kind : uint8_t { Number, PlusInfinity, MinusInfinity, Lost };
  uint64_t p = 0, q = 0; ///< residues, Montgomery form
  uint64_t expression = 0;
  uint16_t note = 0; ///< of a lost value: 1 + the note that says why, or 0
  Kind kind = Number;
  /// Of the bits beside it: a double's half is not a float with its value.
  ElementKind type = ElementKind::Bytes;
  bool hasQ = true;       ///< false after an exponential
  bool constant = false;  ///< made of literals and integers alone
  bool uncounted = false; ///< a root of what is no square went in
};
static_assert(sizeof(FieldValue) == 32, "arenas hold millions");

/// What the field saw on its way that limits what it may claim.
struct FieldNote {
  enum Kind {
    Decision,    ///< bits and shadow values decide differently: not the path of
                 ///< reals
    Tie,         ///< equal as numbers, unequal as functions: a border
    ZeroDivide,  ///< a denominator that is zero in the field
    Lost,        ///< an operation that has no meaning in the field
    ToInteger,   ///< float data became an integer, whose uses are not followed
    TooLarge,    ///< more values than a run may have
    Contraction, ///< which multiply-adds fuse is left to the code generator
  };
  Kind kind;
  std::string message; ///< without the place
  SourceLoc location;
  std::string str() const;
  /// Whether the sample must not be counted at all (another may be).
  bool forfeits() const {
    return kind == Decision || kind == Tie || kind == ZeroDivide ||
           kind == TooLarge;
  }
};

/// How often a comparison of varying numbers went each way: bit 0 false, bit 1
/// true.
struct FieldDecision {
  unsigned ways = 0;
  SourceLoc location;
};

class Field {
public:
  using Handle = uint64_t;
  /// Handles of no value: literal bits; bits that integers made; the middle of
  /// a float.
  static constexpr Handle literalHandle = 0, opaqueHandle = 1, insideHandle = 2;

  /// Pairs known: q and 2 q + 1 prime, q = 3 mod 4, and 2, 3, 5, 7 squares
  /// modulo both, so that roots of usual dimensions exist.
  static const std::vector<uint64_t> &primes();

  /// A trial: primes, inputs, g and hash keys all follow from the seed.
  explicit Field(uint64_t seed);

  // Values without operands.
  FieldValue input(uint64_t name, uint64_t index) const;
  /// A float argument of a kernel: equal values are one variable.
  FieldValue scalar(double value) const;
  FieldValue integer(int64_t value) const;
  FieldValue unsignedInteger(uint64_t value) const;
  /// The literal `value` of a float type; snapped where it is the correctly
  /// rounded value of a constant that kernels mean (see `snapped`).
  FieldValue literal(double value, ElementKind type);
  FieldValue lost(FieldNote::Kind kind, const std::string &message,
                  const SourceLoc &location);

  // Arithmetic. Operands that are lost give lost results; infinite operands
  // are the caller's business.
  FieldValue add(const FieldValue &a, const FieldValue &b) const;
  FieldValue sub(const FieldValue &a, const FieldValue &b) const;
  FieldValue mul(const FieldValue &a, const FieldValue &b) const;
  FieldValue neg(const FieldValue &a) const;
  /// 0 for a zero denominator, whose `p` the caller checks.
  FieldValue inverse(const FieldValue &a) const;
  FieldValue power(const FieldValue &a, int64_t n) const;
  FieldValue exp(const FieldValue &a) const;
  FieldValue sqrt(const FieldValue &a) const;
  /// An uninterpreted function. `symmetry`: 1 even, -1 odd, 0 neither.
  FieldValue uninterpreted(uint64_t function, const FieldValue &a,
                           int symmetry = 0) const;
  FieldValue uninterpreted2(uint64_t function, const FieldValue &a,
                            const FieldValue &b) const;
  /// ln 2, log2 e and their like: random, with ln 2 * log2 e = 1.
  const FieldValue &ln2() const { return symbols[0]; }
  const FieldValue &log2e() const { return symbols[1]; }
  const FieldValue &ln10() const { return symbols[2]; }
  const FieldValue &log10e() const { return symbols[3]; }
  bool equal(const FieldValue &a, const FieldValue &b) const;
  static uint64_t mix(uint64_t a, uint64_t b);

  // The arena.
  Handle store(const FieldValue &v);
  const FieldValue &at(Handle h) const {
    return chunks[h >> chunkBits][h & (chunkSize - 1)];
  }
  uint64_t size() const { return count; }
  /// No room for more; the launch that filled it stops, and says so in a note.
  bool isFull() const { return count >= maxValues; }

  // What was seen.
  void note(FieldNote::Kind kind, const std::string &message,
            const SourceLoc &location);
  const std::vector<FieldNote> &notes() const { return seen; }
  const std::vector<std::string> &snapped() const { return snaps; }
  /// By instruction; addresses are those of the decoded program.
  const std::map<const void *, FieldDecision> &decisions() const {
    return ways;
  }
  void decided(const void *instruction, unsigned way,
               const SourceLoc &location) {
    FieldDecision &d = ways[instruction];
    d.ways |= way;
    d.location = location;
  }

private:
  /// The latest inverses: a row is divided by one sum. Of 0 it is 0, so an
  /// empty slot is right.
  struct InverseCache {
    static constexpr unsigned bits = 5;
    std::pair<uint64_t, uint64_t> slots[1u << bits] = {};
    uint64_t find(const ModularRing &ring, uint64_t a) {
      auto &[of, inverse] = slots[spreadBits(a) >> (64 - bits)];
      if (of != a) {
        inverse = ring.inverse(a);
        of = a;
      }
      return inverse;
    }
  };
  mutable InverseCache inversesP, inversesQ;
  static constexpr unsigned chunkBits = 12, chunkSize = 1u << chunkBits;
  static constexpr uint64_t maxValues = 1u << 22;
  uint64_t key;
  ModularRing P, Q;
  uint64_t rootExponentP, rootExponentQ;
  /// g^(d 16^i) for the digits of an exponent.
  std::vector<uint64_t> powers;
  FieldValue symbols[4];
  std::vector<std::unique_ptr<FieldValue[]>> chunks;
  uint64_t count = 0;
  std::map<std::pair<uint64_t, unsigned>, FieldValue> literals;
  std::vector<FieldNote> seen;
  std::vector<std::string> snaps;
  std::map<const void *, FieldDecision> ways;

  FieldValue random(uint64_t what) const;
  FieldValue combine(const FieldValue &a, const FieldValue &b) const;
  FieldValue dyadic(double value) const;
  FieldValue scaled(FieldValue v, int exponent, bool negative) const;
  bool snap(double value, ElementKind type, FieldValue &out);
};

} // namespace evo::sim

#endif
