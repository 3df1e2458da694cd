// The search for extents that a draft leaves open: the launch is run at a few
// sizes, and extents are fitted to what was touched.
#include "Attempt.h"
#include "Relations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

static bool isIntegerType(StringRef element) {
  return element.starts_with("i") || element.starts_with("u");
}

/// The name of a size that only values of `buffer` reach.
static std::string boundName(StringRef buffer) {
  return buffer.str() + "_bound";
}

std::string Attempt::probeHeader() const {
  std::vector<std::string> names = form.names;
  for (const CUDADraft::Argument &buffer : buffers)
    if (isIntegerType(buffer.element))
      names.push_back(boundName(buffer.name));
  // Sizes are known by the extents that name them; how large these are is no
  // matter to a probe.
  std::string extent = names.empty() ? "1" : llvm::join(names, " * ");
  std::vector<std::string> arguments;
  for (const CUDADraft::Argument &buffer : buffers)
    arguments.push_back(buffer.name + ": inout " + buffer.element + "[" +
                        extent + "]");
  for (const CUDADraft::Argument &scalar : scalars)
    arguments.push_back(scalar.name + ": " + scalar.element);
  return "// evo.kernel probe(" + llvm::join(arguments, ", ") + ")\n" +
         form.lines;
}

bool Attempt::prepare(const LiftWithHeader &lift, TargetAttrInterface target,
                      DeviceBuilder &builder) {
  FailureOr<OwningOpRef<ModuleOp>> lifted = lift(probeHeader(), why);
  if (failed(lifted))
    return false;
  module = std::move(*lifted);
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  llvm::Expected<Probe> made = Probe::create(kernel, target, builder, context);
  if (!made) {
    why = llvm::toString(made.takeError());
    return false;
  }
  probe = std::move(*made);
  return true;
}

SizeLimits Attempt::limits() const {
  SizeLimits limits;
  for (const std::string &text : form.requirements)
    limits.requirements.push_back(llvm::cantFail(Requirement::parse(text)));
  for (const std::string &text : form.atTrials)
    limits.requirements.push_back(llvm::cantFail(Requirement::parse(text)));
  limits.multiples = multiples;
  return limits;
}

bool Attempt::setTrials() {
  // No product of some of them is one of others; one trial for each name in
  // which it is beyond a block.
  static constexpr int64_t primes[] = {5, 3, 7, 2, 11, 13};
  static constexpr int64_t small[] = {2, 3};
  constexpr int64_t large = 521;
  trials.clear();
  auto multiple = [&](const std::string &name) {
    auto it = multiples.find(name);
    return it == multiples.end() ? 1 : it->second;
  };
  const size_t count = form.names.size();
  for (size_t shift = 0; shift < 2; ++shift) {
    Bindings sizes;
    for (auto [i, name] : llvm::enumerate(form.names))
      sizes[name] = primes[(i + shift) % std::size(primes)] * multiple(name);
    trials.push_back(std::move(sizes));
  }
  for (size_t is = 0; is < count; ++is) {
    Bindings sizes;
    for (auto [i, name] : llvm::enumerate(form.names)) {
      int64_t factor = multiple(name);
      sizes[name] = i != is        ? small[i % 2] * factor
                    : factor < 128 ? large / factor * factor + factor
                                   : 17 * factor;
    }
    trials.push_back(std::move(sizes));
  }
  SizeLimits within = limits();
  within.cost = [&](const Bindings &sizes) {
    return probe->countThreads(sizes);
  };
  within.maxCost = Probe::maxThreads;
  llvm::erase_if(trials,
                 [&](Bindings &sizes) { return !fulfil(sizes, within); });
  if (!trials.empty())
    return true;
  why = form.requirements.empty()
            ? "its launches have too many threads to be tried"
            : "no small sizes were found with " +
                  llvm::join(form.requirements, ", ");
  return false;
}

bool Attempt::isIndex(const CUDADraft::Argument &buffer,
                      const BufferUses &base) {
  llvm::Expected<BufferUses> other = probe->run(trials[0], {{buffer.name, 1}});
  if (!other)
    return llvm::consumeError(other.takeError()), true;
  for (const CUDADraft::Argument &touched : buffers)
    if (base.lookup(touched.name).end != other->lookup(touched.name).end)
      return true;
  // Of what is no argument one sees only that it is not as long as that.
  constexpr int64_t far = 1 << 20;
  llvm::Expected<BufferUses> last = probe->run(trials[0], {{buffer.name, far}});
  return !last ? (llvm::consumeError(last.takeError()), true) : false;
}

/// The integer buffers whose values decide what is touched of others.
std::vector<std::string> Attempt::findIndices() {
  std::vector<std::string> found;
  llvm::Expected<BufferUses> base = probe->run(trials[0], {});
  if (!base) {
    why = llvm::toString(base.takeError());
    return found;
  }
  for (const CUDADraft::Argument &buffer : buffers)
    if (isIntegerType(buffer.element) && isIndex(buffer, *base))
      found.push_back(buffer.name);
  return found;
}

/// Whether more is touched with these values than where one of them is zero,
/// or larger ones are wrong; a kernel may pass over indices that are too large.
bool Attempt::reachesFarther(const Bindings &sizes,
                             const llvm::StringMap<int64_t> &values,
                             const BufferUses &uses) {
  for (const auto &[index, value] : values) {
    llvm::StringMap<int64_t> others = values;
    others[index] = 0;
    llvm::Expected<BufferUses> near = probe->run(sizes, others);
    if (!near) {
      llvm::consumeError(near.takeError());
      continue;
    }
    if (llvm::any_of(buffers, [&](const CUDADraft::Argument &buffer) {
          return uses.lookup(buffer.name).end > near->lookup(buffer.name).end;
        }))
      continue;
    others[index] = value + 1;
    llvm::Expected<BufferUses> beyond = probe->run(sizes, others);
    if (beyond)
      return false;
    llvm::consumeError(beyond.takeError());
  }
  return true;
}

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
static std::optional<uint64_t> countElements(const CUDADraft::Argument &buffer,
                                             const Bindings &sizes) {
  uint64_t count = 1;
  if (StringRef(buffer.dims).contains('?'))
    return std::nullopt;
  for (const std::string &dim : splitExtents(buffer.dims)) {
    llvm::Expected<IntExpr> expr = IntExpr::parse(dim);
    llvm::Expected<int64_t> value =
        expr ? expr->evaluate(sizes)
             : llvm::Expected<int64_t>(expr.takeError());
    if (!value)
      return llvm::consumeError(value.takeError()), std::nullopt;
    count *= std::max<int64_t>(0, *value);
  }
  return count;
}

/// The extents as host code tells them, with other sizes for those that only
/// the draft has a name for, and perhaps one more at the end, which host code
/// need not mention; none: there are none of these, or nothing fits.
std::optional<std::string>
Attempt::completeDims(const CUDADraft::Argument &buffer,
                      ArrayRef<Bindings> sizes, ArrayRef<uint64_t> ends) const {
  if (StringRef(buffer.dims).contains('?'))
    return std::nullopt;
  std::vector<std::string> dims = splitExtents(buffer.dims), choices;
  SmallVector<size_t> open;
  for (const std::string &name : form.names)
    if (isNeeded(name))
      choices.push_back(name);
  for (const auto &[place, dim] : llvm::enumerate(dims))
    if (llvm::is_contained(form.names, dim) && !isNeeded(dim))
      open.push_back(place);
    else if (llvm::isDigit(dim[0]) && !llvm::is_contained(choices, dim))
      choices.push_back(dim);
  auto fits = [&] {
    CUDADraft::Argument filled = buffer;
    filled.dims = llvm::join(dims, ", ");
    return llvm::all_of(llvm::zip_equal(sizes, ends), [&](const auto &trial) {
      const auto &[bindings, end] = trial;
      return countElements(filled, bindings) == end;
    });
  };
  constexpr size_t maxOpen = 2;
  auto fill = [&](auto &self, size_t next) -> bool {
    if (next == open.size())
      return fits();
    return llvm::any_of(choices, [&](const std::string &choice) {
      dims[open[next]] = choice;
      return self(self, next + 1);
    });
  };
  if (open.size() <= maxOpen && !open.empty() && fill(fill, 0))
    return llvm::join(dims, ", ");
  open.push_back(dims.size());
  dims.emplace_back();
  if (open.size() <= maxOpen && dims.size() > 2 && fill(fill, 0))
    return llvm::join(dims, ", ");
  return std::nullopt;
}

/// The extents of a buffer with just as many elements, as host code tells.
std::optional<std::string> Attempt::dimsOfOther(ArrayRef<Bindings> sizes,
                                                ArrayRef<uint64_t> ends) const {
  for (const CUDADraft::Argument &other : buffers)
    if (splitExtents(other.dims).size() > 1 &&
        llvm::all_of(llvm::zip_equal(sizes, ends), [&](const auto &trial) {
          const auto &[bindings, end] = trial;
          return countElements(other, bindings) == end;
        }))
      return other.dims;
  return std::nullopt;
}

bool Attempt::tryBounds(ArrayRef<std::string> indices,
                        ArrayRef<std::string> bounds) {
  constexpr int64_t freshValues[] = {17, 19, 23, 29, 31, 37};
  std::vector<BufferUses> seen;
  std::vector<Bindings> sizes = trials;
  bool reaches = indices.empty();
  const bool isOfNumbers = llvm::all_of(
      bounds, [](StringRef bound) { return llvm::isDigit(bound[0]); });
  for (auto [trial, bindings] : llvm::enumerate(sizes)) {
    llvm::StringMap<int64_t> values;
    for (auto [index, bound] : llvm::zip_equal(indices, bounds)) {
      int64_t number = 0;
      if (!StringRef(bound).getAsInteger(10, number)) {
        values[index] = number - 1;
        continue;
      }
      if (!bindings.contains(bound))
        bindings[bound] = freshValues[trial % std::size(freshValues)];
      values[index] = bindings[bound] - 1;
    }
    llvm::Expected<BufferUses> uses = probe->run(bindings, values);
    if (!uses) {
      why = llvm::toString(uses.takeError());
      return false;
    }
    // A number may bound what is only seen to be too short at large sizes.
    if (!reaches && (trial == 0 || isOfNumbers))
      reaches = reachesFarther(bindings, values, *uses);
    seen.push_back(std::move(*uses));
    if (!reaches && !isOfNumbers)
      break;
  }
  if (!reaches) {
    why = "no values of an index buffer were found that reach farther";
    return false;
  }
  std::vector<ExtentTerm> terms;
  auto addTerm = [&](const std::string &text) {
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
  };
  for (const std::string &bound : bounds)
    if (!llvm::is_contained(form.names, bound))
      addTerm(bound);
  const size_t numBounds = terms.size();
  for (const std::string &name : form.names)
    addTerm(name);
  const size_t numNames = terms.size();
  for (const std::string &extent : form.gridExtents)
    if (wanted == Terms::Parts)
      for (const std::string &part : partsOf(extent))
        addTerm(part);
    else
      addTerm(extent);
  // What leaves out a rim has one of the sizes that there are.
  ArrayRef<ExtentTerm> sizeTerms = ArrayRef(terms).slice(numBounds);
  extents.clear();
  exceeded.clear();
  for (CUDADraft::Argument &buffer : buffers) {
    std::vector<uint64_t> ends;
    bool isRead = false, isWritten = false;
    for (const BufferUses &uses : seen) {
      const BufferUse use = uses.lookup(buffer.name);
      ends.push_back(use.end);
      isRead |= use.isRead;
      isWritten |= use.isWritten;
    }
    // Host code that allocates it says more than a few trials.
    bool isKnown = true;
    for (auto [bindings, end] : llvm::zip_equal(sizes, ends))
      isKnown &= countElements(buffer, bindings).value_or(0) >= end;
    const bool isTold = !StringRef(buffer.dims).contains('?');
    const std::optional<std::string> completed =
        completeDims(buffer, sizes, ends);
    if (isTold && !isKnown && !completed)
      exceeded.push_back(buffer.name);
    if (completed) {
      extents[buffer.name] = {*completed, {}};
    } else if (isKnown && isTold) {
      extents[buffer.name] = {buffer.dims, {}};
    } else if (llvm::all_of(ends, [](uint64_t end) { return end == 0; })) {
      extents[buffer.name] = {"1", {}};
    } else if (std::optional<std::string> dims = dimsOfOther(sizes, ends)) {
      extents[buffer.name] = {*dims, {}};
    } else if (std::optional<FittedExtent> fitted =
                   fitExtent(terms, numNames, ends)) {
      extents[buffer.name] = std::move(*fitted);
    } else if (std::optional<FittedExtent> bound =
                   wanted == Terms::Bounds && !isTold
                       ? boundExtent(sizeTerms, ends)
                       : std::nullopt) {
      extents[buffer.name] = std::move(*bound);
    } else {
      why = isTold ? "more of '" + buffer.name + "' is touched than the [" +
                         buffer.dims + "] of host code: elements up to"
                   : "the extent of '" + buffer.name +
                         "' is no simple formula of the sizes: elements up to";
      for (auto [bindings, end] : llvm::zip_equal(sizes, ends))
        why += " " + std::to_string(end);
      why += " are touched where";
      for (const std::string &name : form.names) {
        why += " " + name + " is";
        for (const Bindings &bindings : sizes)
          why += " " + std::to_string(bindings.lookup(name));
        why += ",";
      }
      why.pop_back();
      return false;
    }
    if (isWritten || isRead) {
      buffer.isRead = isRead;
      buffer.isWritten = isWritten;
    }
  }
  // A bound of its own that nothing is as long as bounds nothing.
  noteUsedNames();
  for (const std::string &bound : bounds)
    if (!llvm::is_contained(form.names, bound) && !llvm::isDigit(bound[0]) &&
        !usedNames.count(bound)) {
      why = "nothing is as long as the values of an index buffer let expect";
      return false;
    }
  domains.clear();
  for (auto [index, bound] : llvm::zip_equal(indices, bounds))
    domains[index] = "range(0, " + bound + ")";
  return true;
}

bool Attempt::tryIndices(ArrayRef<std::string> indices) {
  constexpr size_t maxIndices = 3;
  if (indices.size() > maxIndices) {
    why = "the values of more than three buffers decide what is touched";
    return false;
  }
  // A bound is one of its own, unless nothing fits then: a size that there is.
  std::vector<std::string> known = form.names;
  for (const CUDADraft::Argument &buffer : buffers)
    for (const std::string &dim : splitExtents(buffer.dims))
      if (unsigned number = 0; !StringRef(dim).getAsInteger(10, number) &&
                               number > 1 && !llvm::is_contained(known, dim))
        known.push_back(dim);
  std::vector<size_t> places(indices.size(), 0);
  while (true) {
    std::vector<std::string> bounds;
    for (auto [index, place] : llvm::zip_equal(indices, places))
      bounds.push_back(place ? known[place - 1] : boundName(index));
    if (tryBounds(indices, bounds))
      return true;
    size_t digit = 0;
    while (digit < places.size() && ++places[digit] > known.size())
      places[digit++] = 0;
    if (digit == places.size())
      return false;
  }
}

bool Attempt::attempt() {
  if (!setTrials())
    return false;
  why.clear();
  std::vector<std::string> indices = findIndices();
  return why.empty() && tryIndices(indices);
}

bool Attempt::fit() {
  if (form.names.empty() && isKnown()) {
    for (const CUDADraft::Argument &buffer : buffers)
      extents[buffer.name] = {buffer.dims, {}};
    return true;
  }
  std::string firstWhy;
  for (Terms terms : {Terms::Sizes, Terms::Parts, Terms::Bounds}) {
    wanted = terms;
    if (fitAtMultiples(firstWhy))
      return true;
    if (terms == Terms::Sizes && !exceeded.empty() && fitByRelations())
      return true;
  }
  why = firstWhy;
  return false;
}

/// Host code makes buffers shorter than what is touched of them: its sizes are
/// related in a way that it does not say.
bool Attempt::fitByRelations() {
  std::vector<std::vector<std::string>> shapes;
  for (const CUDADraft::Argument &buffer : buffers)
    if (!StringRef(buffer.dims).contains('?'))
      shapes.push_back(splitExtents(buffer.dims));
  std::vector<std::string> sizes;
  for (const std::string &name : form.names)
    if (isNeeded(name))
      sizes.push_back(name);
  const LaunchForm without = form;
  multiples.clear();
  for (const std::vector<std::string> &related :
       proposeRelations(shapes, sizes)) {
    form = without;
    for (const std::string &text : related) {
      form.requirements.push_back(text);
      form.guesses.push_back(text + ": else accesses are out of bounds");
    }
    if (attempt() && exceeded.empty())
      return true;
  }
  form = without;
  return false;
}

/// The same at sizes of which more and more divides; `firstWhy` is filled where
/// it is empty.
bool Attempt::fitAtMultiples(std::string &firstWhy) {
  for (int64_t multiple : {1, 4, 8, 32, 128, 256, 1024}) {
    for (const std::string &name : form.names)
      multiples[name] = multiple;
    if (!attempt()) {
      if (firstWhy.empty())
        firstWhy = why;
      if (form.names.empty())
        break;
      continue;
    }
    // Which of the names have to be multiples?
    if (multiple > 1)
      for (const std::string &name : form.names) {
        multiples[name] = 1;
        if (!attempt()) {
          multiples[name] = multiple;
          // Of what was found, the last success counts.
          if (!attempt())
            return false; // unreachable: it was one
        }
      }
    return true;
  }
  return false;
}
