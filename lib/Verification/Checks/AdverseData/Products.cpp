// Integers whose products are near a number of the code.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Numbers too large for others to meet them by chance.
static std::vector<uint64_t> listLarge(const VerificationState &state) {
  constexpr uint64_t smallest = uint64_t(1) << 20;
  std::vector<uint64_t> large;
  auto add = [&](uint64_t number) {
    if (number >= smallest && !llvm::is_contained(large, number))
      large.push_back(number);
  };
  std::vector<int64_t> literals = state.getConstants();
  llvm::append_range(literals, state.literals.integers);
  llvm::append_range(literals, state.literals.divisors);
  for (int64_t literal : literals) {
    add(static_cast<uint64_t>(literal));
    add(uint64_t(0) - static_cast<uint64_t>(literal)); // what is taken away
  }
  return large;
}

/// Of two buffers, factors of what is just below, at or just above a number of
/// the code: of a modulus, where residues begin again.
LogicalResult adverse::tryProducts(Trials &trials) {
  SmallVector<ArgumentAttr> factors;
  for (auto arg : trials.state.kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && isa<IntegerType>(arg.getElementType()) &&
        !isOrdered(arg))
      factors.push_back(arg);
  if (factors.size() != 2)
    return success();
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (uint64_t number : listLarge(trials.state)) {
    if (samplesLeft == 0)
      break;
    std::vector<uint64_t> firsts; // as the first buffer has them
    bool any = false;
    const LogicalResult tried =
        trials.tryFilled(trials.base, "products", [&](Rows &rows) {
          constexpr unsigned maxBits = 17;
          const bool isFirst = rows.buffer.arg == factors.front();
          if (!llvm::is_contained(factors, rows.buffer.arg) || rows.upper <= 1)
            return false;
          const auto end = static_cast<uint64_t>(rows.upper);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            // The other one is to be within its range: as long as this one. The
            // smaller they are the nearer products come.
            if (isFirst)
              firsts.push_back(std::min(
                  end - 1,
                  number / end + 1 +
                      trials.random.below(uint64_t(1)
                                          << trials.random.below(maxBits))));
            const uint64_t first =
                firsts.empty() ? 1 : firsts[i % firsts.size()];
            const uint64_t quotient =
                number / first + (number % first != 0) + i % 3 - i % 2;
            const uint64_t value = isFirst ? first : quotient;
            if (value < end && static_cast<int64_t>(value) >= rows.lower) {
              rows.set(i, static_cast<int64_t>(value));
              any |= !isFirst;
            }
          }
          return any;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
    samplesLeft -= any;
  }
  return success();
}
