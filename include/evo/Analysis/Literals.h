// Literals of device code that its behaviour may hang on: a dictionary, as a
// fuzzer keeps one. A value or size that is chosen so that no test meets it is
// met by the literal that the code compares it with.
#ifndef EVO_ANALYSIS_LITERALS_H
#define EVO_ANALYSIS_LITERALS_H

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace evo {

/// Most telling first, each once.
struct Literals {
  /// What integer arguments, or what is computed of them alone, are compared
  /// with or divided by.
  std::vector<int64_t> sizes;
  /// Of those, the ones that a single argument of a kernel is compared with, by
  /// its number.
  struct OfArgument {
    std::string kernel;
    unsigned argument;
    int64_t value;
    bool operator==(const OfArgument &other) const {
      return kernel == other.kernel && argument == other.argument &&
             value == other.value;
    }
  };
  std::vector<OfArgument> ofArguments;
  /// The same by what the launches hand over for it: a dimension or a scalar.
  std::vector<std::pair<std::string, int64_t>> ofNames;
  /// Those of which more is not known.
  std::vector<int64_t> ofAnySize;
  /// What the number of a block, or what is computed of it, is compared with.
  std::vector<int64_t> blocks;
  /// What other integers are compared with.
  std::vector<int64_t> integers;
  /// What floats, or their bits, are compared with. All finite.
  std::vector<double> floats;
  /// What is added to floats, perhaps before they are compared.
  std::vector<double> addends;
  /// What floats are multiplied with or divided by.
  std::vector<double> factors;
  /// Floats that stand for others where a condition says so, or that a loop
  /// begins with.
  std::vector<double> choices;
  /// What integers are multiplied with where it is odd, and more than one.
  std::vector<int64_t> multipliers;
  /// What integers are divided by, but for sizes and the numbers of blocks.
  std::vector<int64_t> divisors;
  /// What loops begin with where it has more than 16 bits.
  std::vector<int64_t> beginnings;
  /// What is added to integers where it is positive: the lengths of pieces that
  /// loops take at a time, among others.
  std::vector<int64_t> steps;
  /// What the number of a block is multiplied with.
  std::vector<int64_t> blockFactors;

  /// How many of `sizes` and so on are kept; what code has beyond is not met.
  static constexpr unsigned max = 4096;

  bool isEmpty() const {
    return sizes.empty() && blocks.empty() && integers.empty() &&
           floats.empty() && addends.empty() && divisors.empty();
  }
  /// Adds those of `other` behind the own ones.
  void append(const Literals &other);
};

/// Literals of all functions of `module`, and of small variables in global or
/// constant memory.
Literals collectLiterals(const llvm::Module &module);

} // namespace evo

#endif
