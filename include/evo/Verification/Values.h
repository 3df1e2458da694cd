// Which values a candidate is tried on.
#ifndef EVO_VERIFICATION_VALUES_H
#define EVO_VERIFICATION_VALUES_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include "evo/Support/Random.h"

namespace evo {

/// Shapes of float data that find different mistakes. Names are part of the
/// evidence.
enum class Distribution {
  Normal,
  Uniform,
  Large,        // beyond 88, where exp overflows in f32
  Cancellation, // large terms that nearly cancel
  Constant,
  Zeros,
  Tiny, // down to denormals
  Sorted,
  Reversed,
  Ties,
  OneHot,
  Special,   // NaN and infinities; only in the domain `any`
  Ones,      // around literals of the code
  Wide,      // integers of the whole type, floats to 1e30; zeros of both signs
  Subnormal, // floats below the normal ones, and zeros of both signs
  Halves,    // multiples of 1/2; the largest of each row is 2^b - 1 for some b
  Fifteens,  // fifteen sixteenths of that
  Spread,   // floats of all magnitudes alike, ties of narrower types with them;
            // integers near the ends of their range
  Negative, // as Wide, with one sign
  Positive, //
  Offset,   // a mean that is large against the deviation from it
  Sparse,   // zeros but for one in 64
  Runs,     // stretches of equal values, half of them zeros
  Above,    // some units above zero
  Below,    // and below it
  First,    // the first of each row is a million times what others are
  Strided,  // every 16th, 32nd or 64th of a row stands out, and all of these
            // alike
  BlockStrided, // every 128th to 1024th stands out, and no two of these alike
  Huge,         // half of the largest number, where fast division gives 0
  Chain,        // integers: the place before, as in a list
  Inside,       // sorted integers of the middle half of their range
  Lowest,       // floats almost as low as their type has them
  Late,         // zeros in the first half of each row
  Rotated,      // the upper half in order, then the lower
  Ends, // the ends of a declared range, 0, 1 and all magnitudes between;
        // integers of 64 bits that differ in the lower half
  NegativeZeros, // none above zero, and one in 16 of them -0.0
  Infinite,      // half of them zeros, one of each row infinite; only in `any`
  Bottom,        // the lowest that the type or the declared range has; in every
                 // other row numbers near to it, too, but for a float's range
  Top,           // the highest
  FewBits,       // floats of four bits, and of all magnitudes from 2^-20 to 32
  LoneHuge, // one of each row is beyond a quarter of the largest number, and
            // all of these of one sign, so that their sum is finite in any
            // order
};
/// That samples take in turn: all up to Special.
constexpr unsigned numDistributions = 12;
llvm::StringRef getDistributionName(Distribution distribution);

/// Raw little-endian bytes of `elements` values for `arg`, within its domain.
/// `rowLength` is the innermost extent; `floatConstants` are literals of the
/// code, mixed in with their neighbours. Fails where the domain is empty.
llvm::Expected<std::vector<char>>
sampleValues(ArgumentAttr arg, uint64_t elements, uint64_t rowLength,
             const Bindings &sizes, Distribution distribution, Random &random,
             llvm::ArrayRef<double> floatConstants = {});

/// What floats of a type may be in a domain, which may be absent. Reads the
/// domain's text once, for values that are drawn by the million.
class FloatDomain {
public:
  FloatDomain(mlir::Type type, DomainAttr domain);

  /// Brings a drawn value into the domain.
  double fit(double value) const;
  /// Encodes a value that is to stay in the domain when it is rounded: finite,
  /// inside a range, not zero.
  void encode(double value, char *bytes) const;
  /// The ends of a declared range, which both belong to it.
  std::optional<std::pair<double, double>> getEnds() const { return ends; }

private:
  mlir::Type type;
  bool isF32;
  std::optional<DomainKind> kind;
  std::optional<std::pair<double, double>> ends;
};

/// The same for one value.
double fitDomain(double value, DomainAttr domain);
/// The half open range of values of an integer argument that declares none, or
/// of which the domain names bounds. Fails where it is empty.
llvm::Expected<std::pair<int64_t, int64_t>>
getIntegerRange(ArgumentAttr arg, const Bindings &sizes);

/// Whether NaN and infinities are among an argument's values.
bool mayBeAny(ArgumentAttr arg);
/// Whether an integer argument's domain says which values it has.
bool declaresRange(ArgumentAttr arg);
/// The half open range of an integer argument's type, of what its domain
/// allows; of 64 bits the last number is left out.
std::pair<int64_t, int64_t> getWholeRange(ArgumentAttr arg);

/// The range that an integer argument declares, else that of its type; nothing
/// where the domain says more than a range does.
std::optional<std::pair<int64_t, int64_t>>
getIntegerEnds(ArgumentAttr arg, const Bindings &sizes);

/// The neighbour of `value` in a float type.
double nextFloat(mlir::Type type, double value, bool up);

/// Converts between an element's bits and a double; floats only.
double decodeFloat(mlir::Type type, const char *bytes);
void encodeFloat(mlir::Type type, double value, char *bytes);
/// The same of a value that is to stay in the domain when it is rounded.
void encodeWithin(mlir::Type type, double value, DomainAttr domain,
                  char *bytes);
/// Element `index` of integer data, sign- or zero-extended by its type.
int64_t decodeInteger(mlir::Type type, const char *bytes);

} // namespace evo

#endif
