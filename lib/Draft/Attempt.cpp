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

std::string LaunchAttempt::probeHeader() const {
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
         form.symbols + form.lines;
}

bool LaunchAttempt::prepare(const LiftWithHeader &lift,
                            TargetAttrInterface target,
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

SizeLimits LaunchAttempt::limits() const {
  SizeLimits limits;
  for (const std::string &text : form.requirements)
    limits.requirements.push_back(llvm::cantFail(Requirement::parse(text)));
  for (const std::string &text : form.atTrials)
    limits.requirements.push_back(llvm::cantFail(Requirement::parse(text)));
  limits.multiples = multiples;
  return limits;
}

bool LaunchAttempt::setTrials() {
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

bool LaunchAttempt::isIndex(const CUDADraft::Argument &buffer,
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
std::optional<std::vector<std::string>> LaunchAttempt::findIndices() {
  llvm::Expected<BufferUses> base = probe->run(trials[0], {});
  if (!base) {
    why = llvm::toString(base.takeError());
    return std::nullopt;
  }
  std::vector<std::string> found;
  for (const CUDADraft::Argument &buffer : buffers)
    if (isIntegerType(buffer.element) && isIndex(buffer, *base))
      found.push_back(buffer.name);
  return found;
}

/// Whether more is touched with these values than where one of them is zero,
/// or larger ones are wrong; a kernel may pass over indices that are too large.
bool LaunchAttempt::reachesFarther(const Bindings &sizes,
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

/// Makes sizes smaller until the kernel ends in time.
bool LaunchAttempt::shorten(Bindings &sizes) {
  SizeLimits within = limits();
  // A multiple of much cannot be made much smaller.
  const bool isOfMultiples = llvm::any_of(
      multiples, [](const auto &multiple) { return multiple.second > 1; });
  const unsigned maxHalvings = isOfMultiples ? 2 : 8;
  within.cost = [&](const Bindings &of) {
    uint64_t sum = 0;
    for (const auto &size : of)
      sum += size.getValue() / within.multipleOf(size.getKey());
    return sum;
  };
  for (unsigned i = 0; i < maxHalvings; ++i) {
    llvm::Expected<BufferUses> uses = probe->run(sizes, {});
    if (uses)
      return true;
    why = llvm::toString(uses.takeError());
    within.maxCost = within.cost(sizes) - 1;
    if (!probe->wasTooLong())
      return true; // that is for the run itself to find
    if (!fulfil(sizes, within))
      break;
  }
  isTooSlow = true;
  return false;
}

/// Runs all trials with values below these bounds in the index buffers; adds
/// bounds that are no sizes yet to the sizes of each.
bool LaunchAttempt::runTrials(ArrayRef<std::string> indices,
                              ArrayRef<std::string> bounds, Trials &trials) {
  constexpr int64_t freshValues[] = {17, 19, 23, 29, 31, 37};
  bool reaches = indices.empty();
  const bool isOfNumbers = llvm::all_of(
      bounds, [](StringRef bound) { return llvm::isDigit(bound[0]); });
  auto valuesAt = [&](size_t trial, Bindings &bindings) {
    llvm::StringMap<int64_t> values;
    for (auto [index, bound] : llvm::zip_equal(indices, bounds)) {
      int64_t number = 0;
      if (StringRef(bound).getAsInteger(10, number))
        number =
            bindings
                .try_emplace(bound, freshValues[trial % std::size(freshValues)])
                .first->second;
      values[index] = number - 1;
    }
    return values;
  };
  for (auto [trial, bindings] : llvm::enumerate(trials.sizes)) {
    llvm::StringMap<int64_t> values = valuesAt(trial, bindings);
    llvm::Expected<BufferUses> uses = probe->run(bindings, values);
    if (!uses && probe->wasTooLong() && shorten(bindings)) {
      llvm::consumeError(uses.takeError());
      values = valuesAt(trial, bindings);
      uses = probe->run(bindings, values);
    }
    if (!uses) {
      why = llvm::toString(uses.takeError());
      return false;
    }
    // A number may bound what is only seen to be too short at large sizes.
    if (!reaches && (trial == 0 || isOfNumbers))
      reaches = reachesFarther(bindings, values, *uses);
    trials.seen.push_back(std::move(*uses));
    if (!reaches && !isOfNumbers)
      break;
  }
  if (!reaches) {
    why = "no values of an index buffer were found that reach farther";
    return false;
  }
  return true;
}

bool LaunchAttempt::tryBounds(ArrayRef<std::string> indices,
                              ArrayRef<std::string> bounds) {
  Trials made{trials, {}};
  if (!runTrials(indices, bounds, made) || !fitExtents(bounds, made))
    return false;
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

bool LaunchAttempt::tryIndices(ArrayRef<std::string> indices) {
  constexpr size_t maxIndices = 3;
  if (indices.size() > maxIndices) {
    why = "the values of more than three buffers decide what is touched";
    return false;
  }
  // A bound is one of its own, unless nothing fits then: a size that there is.
  std::vector<std::string> known = form.names;
  for (const CUDADraft::Argument &buffer : buffers)
    for (const std::string &dim : buffer.dims.getParts())
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

bool LaunchAttempt::attempt() {
  if (!setTrials())
    return false;
  if (!shorten(trials[0]))
    return false;
  why.clear();
  auto indices = findIndices();
  return indices && tryIndices(*indices);
}

bool LaunchAttempt::fit() {
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
    if (isTooSlow && !multiples.empty() && multiples.begin()->second == 1)
      break;
  }
  why = firstWhy;
  return false;
}

/// Host code makes buffers shorter than what is touched of them: its sizes are
/// related in a way that it does not say.
bool LaunchAttempt::fitByRelations() {
  std::vector<std::vector<std::string>> shapes;
  for (const CUDADraft::Argument &buffer : buffers)
    if (buffer.dims.isKnown())
      shapes.push_back(buffer.dims.getParts());
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
    if (setTrials() && !exceedsAt(trials.front()) && attempt() &&
        exceeded.empty())
      return true;
    if (isTooSlow)
      break;
  }
  form = without;
  return false;
}

/// The same at sizes of which more and more divides; `firstWhy` is filled where
/// it is empty.
bool LaunchAttempt::fitAtMultiples(std::string &firstWhy) {
  isTooSlow = false;
  for (int64_t multiple : {1, 4, 8, 32, 128, 256, 1024}) {
    for (const std::string &name : form.names)
      multiples[name] = multiple;
    if (!attempt()) {
      if (firstWhy.empty())
        firstWhy = why;
      // What is known of a shape says more than what divides its sizes.
      if (multiple == 1 && wanted == Terms::Sizes && !exceeded.empty() &&
          fitByRelations())
        return true;
      for (const std::string &name : form.names)
        multiples[name] = multiple;
      // Parts fit or not whatever divides the sizes; larger ones are slower.
      if (form.names.empty() || isTooSlow || wanted == Terms::Parts)
        return false;
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
