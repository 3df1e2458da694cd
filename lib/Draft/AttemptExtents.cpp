// Extents of buffers, from what was touched of them in all trials: those that
// host code tells, else what fits.
#include "Attempt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

static void addParts(const IntExpr &expr, std::vector<std::string> &parts) {
  if (expr.getAsConstant() || !expr.getAsName().empty())
    return;
  if (std::string text = expr.str(); !llvm::is_contained(parts, text))
    parts.push_back(std::move(text));
  addParts(expr.getLhs(), parts);
  addParts(expr.getRhs(), parts);
}

/// An extent, and what it is made of: blocks are counted from sizes that may
/// be those of a buffer.
static std::vector<std::string> partsOf(const std::string &extent) {
  std::vector<std::string> parts{extent};
  if (llvm::Expected<IntExpr> expr = IntExpr::parse(extent))
    addParts(*expr, parts);
  else
    llvm::consumeError(expr.takeError());
  return parts;
}

/// The elements that host code tells of; none: it does not.
static std::optional<uint64_t> countElements(const DraftExtents &dims,
                                             const Bindings &sizes) {
  uint64_t count = 1;
  for (const std::optional<IntExpr> &dim : dims.getValues()) {
    if (!dim)
      return std::nullopt;
    llvm::Expected<int64_t> value = dim->evaluate(sizes);
    if (!value)
      return llvm::consumeError(value.takeError()), std::nullopt;
    count *= std::max<int64_t>(0, *value);
  }
  return count;
}

bool LaunchAttempt::exceedsAt(const Bindings &sizes) {
  llvm::Expected<BufferUses> uses = probe->run(sizes, {});
  if (!uses) // for others to say
    return llvm::consumeError(uses.takeError()), false;
  return llvm::any_of(buffers, [&](const CUDADraft::Argument &buffer) {
    const bool isOpen =
        llvm::any_of(buffer.dims.getParts(), [&](const std::string &dim) {
          return llvm::is_contained(form.names, dim) && !isNeeded(dim);
        });
    std::optional<uint64_t> count = countElements(buffer.dims, sizes);
    return !isOpen && count && *count < uses->lookup(buffer.name).end;
  });
}

/// The extents as host code tells them, with other sizes for those that only
/// the draft has a name for, and perhaps one more at the end, which host code
/// need not mention; none: there are none of these, or nothing fits.
std::optional<DraftExtents>
LaunchAttempt::completeDims(const CUDADraft::Argument &buffer,
                            ArrayRef<Bindings> sizes,
                            ArrayRef<uint64_t> ends) const {
  if (!buffer.dims.isKnown())
    return std::nullopt;
  std::vector<std::string> dims = buffer.dims.getParts(), choices;
  SmallVector<size_t> open;
  for (const std::string &name : form.names)
    if (isNeeded(name))
      choices.push_back(name);
  for (const auto &[place, dim] : llvm::enumerate(dims))
    if (llvm::is_contained(form.names, dim) && !isNeeded(dim))
      open.push_back(place);
    else if (llvm::isDigit(dim[0]) && !llvm::is_contained(choices, dim))
      choices.push_back(dim);
  // A window at a rim leaves out some at some sizes, but not at most.
  bool isExact = true;
  auto fits = [&] {
    const DraftExtents filled(llvm::join(dims, ", "));
    size_t numEqual = 0;
    for (auto [bindings, end] : llvm::zip_equal(sizes, ends)) {
      const uint64_t count = countElements(filled, bindings).value_or(0);
      if (count < end)
        return false;
      numEqual += count == end;
    }
    return isExact ? numEqual == sizes.size() : 2 * numEqual > sizes.size();
  };
  const bool isShort =
      llvm::any_of(llvm::zip_equal(sizes, ends), [&](const auto &trial) {
        const auto &[bindings, end] = trial;
        return countElements(buffer.dims, bindings).value_or(0) < end;
      });
  constexpr size_t maxOpen = 2;
  auto fill = [&](auto &self, size_t next) -> bool {
    if (next == open.size())
      return fits();
    return llvm::any_of(choices, [&](const std::string &choice) {
      dims[open[next]] = choice;
      return self(self, next + 1);
    });
  };
  for (bool exactly : {true, false}) {
    isExact = exactly;
    if (open.size() <= maxOpen && !open.empty() && fill(fill, 0))
      return llvm::join(dims, ", ");
    open.push_back(dims.size());
    dims.emplace_back();
    if (isShort && open.size() <= maxOpen && dims.size() > 2 && fill(fill, 0))
      return llvm::join(dims, ", ");
    open.pop_back();
    dims.pop_back();
  }
  return std::nullopt;
}

/// The extents of a buffer with just as many elements, as host code tells.
std::optional<DraftExtents>
LaunchAttempt::dimsOfOther(ArrayRef<Bindings> sizes,
                           ArrayRef<uint64_t> ends) const {
  for (const CUDADraft::Argument &other : buffers)
    if (other.dims.getParts().size() > 1 &&
        llvm::all_of(llvm::zip_equal(sizes, ends), [&](const auto &trial) {
          const auto &[bindings, end] = trial;
          return countElements(other.dims, bindings) == end;
        }))
      return other.dims;
  return std::nullopt;
}

namespace {
/// What extents may be made of, in order.
class TermList {
public:
  explicit TermList(ArrayRef<Bindings> sizes) : sizes(sizes) {}
  std::vector<ExtentTerm> terms;

  void add(const std::string &text) {
    llvm::Expected<IntExpr> expr = IntExpr::parse(text);
    if (!expr)
      return llvm::consumeError(expr.takeError());
    ExtentTerm term{text, {}};
    for (const Bindings &bindings : sizes) {
      llvm::Expected<int64_t> value = expr->evaluate(bindings);
      if (!value)
        return llvm::consumeError(value.takeError());
      term.values.push_back(*value);
    }
    // What is the same everywhere is a number.
    if (!llvm::all_equal(term.values) &&
        llvm::none_of(terms, [&](const ExtentTerm &other) {
          return other.values == term.values;
        }))
      terms.push_back(std::move(term));
  }

private:
  ArrayRef<Bindings> sizes;
};
} // namespace

/// What no formula was found for.
static std::string describeMisfit(const CUDADraft::Argument &buffer,
                                  ArrayRef<std::string> names,
                                  ArrayRef<Bindings> sizes,
                                  ArrayRef<uint64_t> ends) {
  std::string why =
      !buffer.dims.isKnown()
          ? "the extent of '" + buffer.name +
                "' is no simple formula of the sizes: elements up to"
          : "more of '" + buffer.name + "' is touched than the [" +
                buffer.dims.str() + "] of host code: elements up to";
  for (uint64_t end : ends)
    why += " " + std::to_string(end);
  why += " are touched where";
  for (const std::string &name : names) {
    why += " " + name + " is";
    for (const Bindings &bindings : sizes)
      why += " " + std::to_string(bindings.lookup(name));
    why += ",";
  }
  why.pop_back();
  return why;
}

std::optional<FittedExtent>
LaunchAttempt::chooseExtent(const CUDADraft::Argument &buffer,
                            const ExtentTerms &from, ArrayRef<Bindings> sizes,
                            ArrayRef<uint64_t> ends) {
  if (std::optional<DraftExtents> dims = completeDims(buffer, sizes, ends))
    return FittedExtent{*dims, {}};
  // Host code that allocates it says more than a few trials.
  const bool isTold = buffer.dims.isKnown();
  if (isTold && llvm::all_of(llvm::zip_equal(sizes, ends), [&](auto trial) {
        const auto &[bindings, end] = trial;
        return countElements(buffer.dims, bindings).value_or(0) >= end;
      }))
    return FittedExtent{buffer.dims, {}};
  if (isTold)
    exceeded.push_back(buffer.name);
  if (llvm::all_of(ends, [](uint64_t end) { return end == 0; }))
    return FittedExtent{std::string("1"), {}};
  if (std::optional<DraftExtents> dims = dimsOfOther(sizes, ends))
    return FittedExtent{*dims, {}};
  if (std::optional<FittedExtent> fitted =
          fitExtent(from.terms, from.numFirst, ends))
    return fitted;
  // What leaves out a rim has one of the sizes that there are.
  if (wanted == Terms::Bounds && !isTold)
    return boundExtent(ArrayRef(from.terms).slice(from.numBounds), ends);
  return std::nullopt;
}

bool LaunchAttempt::fitExtents(ArrayRef<std::string> bounds,
                               const Trials &made) {
  TermList list(made.sizes);
  for (const std::string &bound : bounds)
    if (!llvm::is_contained(form.names, bound))
      list.add(bound);
  const size_t numBounds = list.terms.size();
  for (const std::string &name : form.names)
    list.add(name);
  const size_t numFirst = list.terms.size();
  for (const std::string &extent : form.gridExtents)
    if (wanted == Terms::Parts)
      for (const std::string &part : partsOf(extent))
        list.add(part);
    else
      list.add(extent);
  const ExtentTerms from{std::move(list.terms), numBounds, numFirst};
  extents.clear();
  exceeded.clear();
  for (CUDADraft::Argument &buffer : buffers) {
    std::vector<uint64_t> ends;
    bool isRead = false, isWritten = false;
    for (const BufferUses &uses : made.seen) {
      const BufferUse use = uses.lookup(buffer.name);
      ends.push_back(use.end);
      isRead |= use.isRead;
      isWritten |= use.isWritten;
    }
    std::optional<FittedExtent> extent =
        chooseExtent(buffer, from, made.sizes, ends);
    if (!extent) {
      why = describeMisfit(buffer, form.names, made.sizes, ends);
      return false;
    }
    extents[buffer.name] = std::move(*extent);
    if (isWritten || isRead) {
      buffer.isRead = isRead;
      buffer.isWritten = isWritten;
    }
  }
  return true;
}
