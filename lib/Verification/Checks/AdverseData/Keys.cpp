// Integers that a table takes for one another or for marks, that floats round
// to a power of two, or that lie outside of what is searched.
#include "Trials.h"
#include "Verification/Sampling/IndexOverflow.h"
#include "llvm/Support/MathExtras.h"
#include <set>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// Integers that a table of a size by the extents takes for one, each several
/// times.
LogicalResult adverse::tryCollisions(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({64, 48});
  if (!sizes)
    return success();
  std::set<int64_t> moduli = {1024, 4096, 65536};
  for (StringRef dim : trials.state.kernel.getDimensionNames()) {
    const int64_t extent = sizes->lookup(dim);
    const auto power = static_cast<int64_t>(llvm::NextPowerOf2(extent - 1));
    moduli.insert({extent, 2 * extent, 2 * power, 4 * power});
  }
  uint64_t samplesLeft = 2 * trials.budget[maxSamples];
  for (int64_t modulus : moduli) {
    if (modulus < 8)
      continue;
    if (samplesLeft-- == 0)
      break;
    // In all buffers: what is kept of one is looked for by another.
    const auto first = static_cast<int64_t>(trials.random.below(modulus));
    const LogicalResult tried =
        trials.tryFilled(*sizes, "collisions", [&](Rows &rows) {
          constexpr int64_t fewest = 12, distinct = 28;
          if (rows.isFloat() || isOrdered(rows.buffer.arg))
            return false;
          const int64_t all = (rows.upper - 1 - rows.lower) / modulus;
          if (all < fewest)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i)
            rows.set(i, rows.lower + first +
                            modulus * static_cast<int64_t>(trials.random.below(
                                          std::min(all, distinct))));
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Dimensions that declared ranges of integers end with: of tables, of lists.
static std::set<std::string> listRangeEnds(KernelOp kernel) {
  std::set<std::string> dims;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && declaresRange(arg) && !isOrdered(arg) &&
        isa<IntegerType>(arg.getElementType()) &&
        isa_and_nonnull<ExprAttr>(arg.getDomain().getUpper()))
      arg.getDomain().getUpperExpr().forEachName(
          [&](StringRef name) { dims.insert(name.str()); });
  return dims;
}

/// A table of so many rows, of which little is read: with a few elements along
/// other dimensions, or one where it would be too large; nothing where it is.
static std::optional<Bindings>
withLongTable(const Trials &trials, const std::string &dim, int64_t rows) {
  constexpr int64_t others = 24;
  KernelOp kernel = trials.state.kernel;
  for (int64_t columns : {3, 1}) {
    Bindings sizes = trials.base;
    for (StringRef other : kernel.getDimensionNames())
      sizes[other] = other == dim ? rows : others;
    double elements = 0;
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
      if (!arg.isBuffer())
        continue;
      std::set<std::string> names;
      for (const IntExpr &extent : arg.getExtents())
        extent.forEachName([&](StringRef name) { names.insert(name.str()); });
      if (names.count(dim))
        for (const std::string &name : names)
          if (name != dim)
            sizes[name] = columns;
    }
    for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
      if (arg.isBuffer())
        elements = std::max(elements, countElements(arg, sizes));
    // Estimates have all of it.
    Bindings shortTable = sizes;
    shortTable[dim] = trials.base.lookup(dim);
    if (elements <= static_cast<double>(trials.budget[maxOfTable]) &&
        trials.isAffordable(shortTable) &&
        trials.state.meetsRequirements(sizes) &&
        areLaunched(trials.state, sizes))
      return sizes;
  }
  return std::nullopt;
}

/// Indices into a long table, every second of which is a power of two further:
/// what is kept of an index to know it again may have room for less, and so may
/// what another number is shifted by to make room for it.
LogicalResult adverse::tryFarIndices(Trials &trials) {
  const sim::NarrowCounts &narrow =
      trials.state.preOptimised->getNarrowCounts();
  if (!narrow.shortensLoaded && !narrow.packsLoaded)
    return success();
  for (const std::string &dim : listRangeEnds(trials.state.kernel))
    for (int64_t apart : {1 << 21, 1 << 16}) {
      const auto sizes = withLongTable(trials, dim, 2 * apart + 1);
      if (!sizes)
        continue;
      const LogicalResult tried =
          trials.tryFilled(*sizes, "far-indices", [&](Rows &rows) {
            constexpr int64_t few = 2;
            if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
                !declaresRange(rows.buffer.arg) ||
                rows.upper - rows.lower < few + apart)
              return false;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i)
              rows.set(i, rows.lower + (trials.random.below(2) ? apart : 0) +
                              static_cast<int64_t>(trials.random.below(few)));
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}

/// Integers around zero, of which code has marks for what is not there: in all
/// buffers, or in each second one, where others have none of these.
LogicalResult adverse::trySmall(Trials &trials) {
  constexpr int64_t few = 3, many = 1000;
  for (unsigned turn : {0, 1, 2}) {
    unsigned number = 0;
    const LogicalResult tried =
        trials.tryFilled(trials.base, "around-zero", [&](Rows &rows) {
          if (rows.isFloat() || isOrdered(rows.buffer.arg) || rows.lower > -1 ||
              rows.upper - rows.lower < many)
            return false;
          const bool areMarks = turn == 0 || number++ % 2 == turn % 2;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const auto drawn = static_cast<int64_t>(trials.random.below(few));
            const int64_t value = !areMarks ? drawn + 1
                                  : turn    ? -1 - drawn
                                            : 2 * drawn - few;
            rows.set(i, std::max(rows.lower, value));
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Zeros but for one element of each row, which is just below a power of two,
/// or is one, or just above: another one in each row. Floats take the first for
/// the second from some bits on.
LogicalResult adverse::tryPowers(Trials &trials) {
  const std::optional<Bindings> sizes = trials.withAll({128, 64, 40});
  if (!sizes)
    return success();
  for (int64_t more : {-1, 0, 1}) {
    const LogicalResult tried =
        trials.tryFilled(*sizes, "powers", [&](Rows &rows) {
          constexpr int64_t fewest = 256;
          if (rows.isFloat() || isOrdered(rows.buffer.arg) ||
              rows.upper < fewest || rows.lower > 0)
            return false;
          const auto all = static_cast<uint64_t>(rows.upper);
          const unsigned bits = llvm::Log2_64(all - 1) + 1;
          const uint64_t length = std::max<uint64_t>(rows.rowLength, 2);
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            // The longest first: a buffer may have one row alone.
            const uint64_t bit = bits - 1 - i / length % bits;
            const int64_t value = (int64_t(1) << bit) + more;
            rows.set(i, i % length == length / 2
                            ? std::min(value, rows.upper - 1)
                            : 0);
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}

/// Ordered numbers in the middle of their range, as many as a power of two:
/// what is looked for among them lies outside, too.
LogicalResult adverse::tryOutside(Trials &trials) {
  SmallVector<Bindings> shapes;
  for (int64_t extent : {64, 32})
    if (std::optional<Bindings> sizes = trials.withAll({extent}))
      shapes.push_back(std::move(*sizes));
  // More than the steps that the code has reach: twice the longest of them.
  constexpr int64_t shortest = 256, longest = 1 << 20;
  int64_t step = 0; // which a comparison may name less one
  std::vector<int64_t> literals = trials.state.getConstants();
  llvm::append_range(literals, trials.state.literals.sizes);
  llvm::append_range(literals, trials.state.literals.integers);
  for (int64_t literal : literals)
    for (int64_t power : {literal, literal + 1})
      if (power >= shortest && power <= longest &&
          llvm::isPowerOf2_64(static_cast<uint64_t>(power)))
        step = std::max(step, power);
  for (StringRef dim : trials.state.kernel.getDimensionNames()) {
    Bindings sizes = trials.base;
    sizes[dim] = 2 * step + 1;
    if (step && trials.isAffordable(sizes, /*times=*/40))
      shapes.push_back(std::move(sizes));
  }
  bool any = true;
  for (const Bindings &sizes : shapes) {
    if (!any)
      break;
    any = false;
    unsigned number = 0;
    const LogicalResult tried =
        trials.tryFilled(sizes, "outside", [&](Rows &rows) {
          const auto all = static_cast<int64_t>(rows.buffer.elements);
          const int64_t third = (rows.upper - rows.lower) / 3;
          if (rows.isFloat())
            return false;
          if (!isOrdered(rows.buffer.arg)) {
            // One end of the range, and what is there by chance.
            if (number++ == 0 && all > 1)
              rows.set(0, rows.upper - 1);
            return false;
          }
          if (!rows.domain || third < 1 ||
              rows.domain.getKind() != DomainKind::Monotone)
            return false;
          for (int64_t i = 0; i < all; ++i)
            rows.set(static_cast<uint64_t>(i),
                     rows.lower + third +
                         static_cast<int64_t>(static_cast<double>(third) /
                                              static_cast<double>(all) *
                                              static_cast<double>(i)));
          return any = true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
