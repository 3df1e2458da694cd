// Input values at the literals of the code.
#ifndef EVO_LIB_VERIFICATION_SAMPLING_LITERALVALUES_H
#define EVO_LIB_VERIFICATION_SAMPLING_LITERALVALUES_H

#include "evo/Analysis/Literals.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include "evo/Support/Random.h"
#include <set>

namespace evo {

/// How literals lie in the data of a sample; each way finds other triggers.
enum class LiteralLayout {
  Scattered,    ///< an element here and there: `x[i] == c`
  FirstAndLast, ///< of each row: `x[row * N] == c`
  OnePerRow,    ///< of one buffer, zeros besides, ones in all others: sums,
                ///< maxima, products of a row are c
  Constant,     ///< everywhere: means, and whatever looks at several elements
  Rows,         ///< each row has one of its own, everywhere or at half of its
                ///< places: what marks a free place and is a value, too, has to
                ///< come twice
};
constexpr unsigned numLiteralLayouts = 5;

/// A literal of the code as a number of an integer type: LLVM's text has signs,
/// whatever numbers are to the kernel.
int64_t readLiteral(mlir::IntegerType type, int64_t literal);

/// Which literals data could have held, and which they did.
struct LiteralUse {
  std::set<double> floats, usedFloats;
  std::set<int64_t> integers, usedIntegers;
  size_t countLeftOut() const {
    return floats.size() - usedFloats.size() + integers.size() -
           usedIntegers.size();
  }
};

/// Draws one sample; each argument is handed to it once.
class LiteralSampler {
public:
  /// Sample `number` of a candidate: layouts take turns, and so do literals and
  /// the kernel's buffers that are read.
  LiteralSampler(const Literals &literals, unsigned number, unsigned buffers,
                 LiteralUse &use)
      : literals(literals), use(use),
        layout(static_cast<LiteralLayout>(number % numLiteralLayouts)),
        number(number), buffers(std::max(1u, buffers)) {}

  llvm::StringRef getName() const;
  /// As sampleValues. `ordinal` counts the buffers that are read.
  llvm::Expected<std::vector<char>> sample(ArgumentAttr arg, uint64_t elements,
                                           uint64_t rowLength,
                                           const Bindings &sizes,
                                           unsigned ordinal, Random &random);
  /// A literal for a float scalar, if there is one in its domain.
  std::optional<double> scalar(ArgumentAttr arg, Random &random);
  /// The same for an integer scalar.
  std::optional<int64_t> integer(ArgumentAttr arg, const Bindings &sizes,
                                 Random &random);

  /// Whether integers beyond the small range were drawn that silence about a
  /// domain promises: a reference that fails on them is not to blame.
  bool isBeyondSilence() const { return beyondSilence; }

private:
  const Literals &literals;
  LiteralUse &use;
  LiteralLayout layout;
  unsigned number, buffers;
  bool beyondSilence = false;

  std::vector<int64_t> integersOf(ArgumentAttr arg, const Bindings &sizes,
                                  size_t &exact);
};

} // namespace evo

#endif
