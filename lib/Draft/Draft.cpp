// The search for a contract that a draft leaves open: launches are proposed,
// run at a few sizes, and extents are fitted to what was touched.
#include "evo/Draft/Draft.h"
#include "FitExtents.h"
#include "LaunchForms.h"
#include "Probe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;
using namespace evo;

namespace {
/// One launch with its extents, and what was found out about it.
class Attempt {
public:
  Attempt(const CUDADraft &draft, const LaunchForm &form) : form(form) {
    for (const CUDADraft::Argument &argument : draft.arguments)
      if (argument.isBuffer)
        buffers.push_back(argument);
      else
        scalars.push_back(argument);
  }

  bool prepare(const LiftWithHeader &lift, TargetAttrInterface target,
               DeviceBuilder &builder);
  /// Finds sizes at which it runs clean, and extents for all buffers.
  bool fit();
  /// How many sizes the extents of what is written are made of.
  unsigned score() const;
  /// The lines; fills `guesses`.
  std::string header(const CUDADraft &draft);

  std::string why; ///< it came to nothing
  std::vector<std::string> guesses;

private:
  const LaunchForm &form;
  std::vector<CUDADraft::Argument> buffers, scalars;
  std::optional<Probe> probe;
  OwningOpRef<ModuleOp> module;
  llvm::LLVMContext context;
  bool takesBounds = false; ///< extents may be larger than what is touched
  std::vector<Bindings> trials;
  std::map<std::string, int64_t> multiples; // of names, where not 1
  std::map<std::string, FittedExtent> extents;
  std::map<std::string, std::string> domains; // of integer buffers
  std::set<std::string> usedNames;

  /// Whether host code tells all extents.
  bool isKnown() const {
    return llvm::all_of(buffers, [](const CUDADraft::Argument &buffer) {
      return buffer.dims.find('?') == std::string::npos;
    });
  }
  void setTrials();
  std::vector<std::string> findIndices();
  bool tryIndices(ArrayRef<std::string> indices);
  bool tryBounds(ArrayRef<std::string> indices, ArrayRef<std::string> bounds);
  bool reachesFarther(const Bindings &sizes,
                      const llvm::StringMap<int64_t> &values,
                      const BufferUses &uses);
  bool attempt();
  bool fitAtMultiples(std::string &firstWhy);
  std::string probeHeader() const;
  void addGuesses(const CUDADraft &draft);
  void noteUsedNames();
  std::string roleOf(const CUDADraft::Argument &buffer) const {
    return !buffer.isWritten ? "in" : buffer.isRead ? "inout" : "out";
  }
};
} // namespace

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

void Attempt::setTrials() {
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
}

/// The integer buffers whose values decide what is touched of others.
std::vector<std::string> Attempt::findIndices() {
  std::vector<std::string> found;
  llvm::Expected<BufferUses> base = probe->run(trials[0], {});
  if (!base) {
    why = llvm::toString(base.takeError());
    return found;
  }
  for (const CUDADraft::Argument &buffer : buffers) {
    if (!isIntegerType(buffer.element))
      continue;
    llvm::Expected<BufferUses> other =
        probe->run(trials[0], {{buffer.name, 1}});
    bool differs = !other;
    if (!other)
      llvm::consumeError(other.takeError());
    else
      for (const CUDADraft::Argument &touched : buffers)
        differs |=
            base->lookup(touched.name).end != other->lookup(touched.name).end;
    if (differs)
      found.push_back(buffer.name);
  }
  return found;
}

/// Whether more is touched with these values than where one of them is zero;
/// a kernel may pass over indices that are too large.
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
    if (llvm::none_of(buffers, [&](const CUDADraft::Argument &buffer) {
          return uses.lookup(buffer.name).end > near->lookup(buffer.name).end;
        }))
      return false;
  }
  return true;
}

bool Attempt::tryBounds(ArrayRef<std::string> indices,
                        ArrayRef<std::string> bounds) {
  constexpr int64_t freshValues[] = {17, 19, 23, 29, 31, 37};
  std::vector<BufferUses> seen;
  std::vector<Bindings> sizes = trials;
  for (auto [trial, bindings] : llvm::enumerate(sizes)) {
    llvm::StringMap<int64_t> values;
    for (auto [index, bound] : llvm::zip_equal(indices, bounds)) {
      if (!bindings.contains(bound))
        bindings[bound] = freshValues[trial % std::size(freshValues)];
      values[index] = bindings[bound] - 1;
    }
    llvm::Expected<BufferUses> uses = probe->run(bindings, values);
    if (!uses) {
      why = llvm::toString(uses.takeError());
      return false;
    }
    if (trial == 0 && !reachesFarther(bindings, values, *uses)) {
      why = "no values of an index buffer were found that reach farther";
      return false;
    }
    seen.push_back(std::move(*uses));
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
  for (const std::string &extent : form.gridExtents)
    addTerm(extent);
  // What leaves out a rim has one of the sizes that there are.
  ArrayRef<ExtentTerm> sizeTerms = ArrayRef(terms).slice(numBounds);
  extents.clear();
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
    bool isKnown = !StringRef(buffer.dims).contains('?');
    for (auto [bindings, end] : llvm::zip_equal(sizes, ends))
      if (isKnown) {
        uint64_t known = 1;
        SmallVector<StringRef> dims;
        for (const std::string &dim : splitExtents(buffer.dims)) {
          llvm::Expected<IntExpr> expr = IntExpr::parse(dim);
          llvm::Expected<int64_t> value =
              expr ? expr->evaluate(bindings)
                   : llvm::Expected<int64_t>(expr.takeError());
          if (value)
            known *= *value;
          else {
            llvm::consumeError(value.takeError());
            isKnown = false;
          }
        }
        isKnown &= known >= end;
      }
    if (isKnown) {
      extents[buffer.name] = {buffer.dims, {}};
    } else if (llvm::all_of(ends, [](uint64_t end) { return end == 0; })) {
      extents[buffer.name] = {"1", {}};
    } else if (std::optional<FittedExtent> fitted = fitExtent(terms, ends)) {
      extents[buffer.name] = std::move(*fitted);
    } else if (std::optional<FittedExtent> bound =
                   takesBounds ? boundExtent(sizeTerms, ends) : std::nullopt) {
      extents[buffer.name] = std::move(*bound);
    } else {
      why = "the extent of '" + buffer.name +
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
    if (!llvm::is_contained(form.names, bound) && !usedNames.count(bound)) {
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
  std::vector<size_t> places(indices.size(), 0);
  while (true) {
    std::vector<std::string> bounds;
    for (auto [index, place] : llvm::zip_equal(indices, places))
      bounds.push_back(place ? form.names[place - 1] : boundName(index));
    if (tryBounds(indices, bounds))
      return true;
    size_t digit = 0;
    while (digit < places.size() && ++places[digit] > form.names.size())
      places[digit++] = 0;
    if (digit == places.size())
      return false;
  }
}

bool Attempt::attempt() {
  setTrials();
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
  for (bool bounds : {false, true}) {
    takesBounds = bounds;
    if (fitAtMultiples(firstWhy))
      return true;
  }
  why = firstWhy;
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

unsigned Attempt::score() const {
  unsigned terms = 0;
  for (const CUDADraft::Argument &buffer : buffers)
    if (buffer.isWritten)
      terms += extents.at(buffer.name).terms.size();
  return terms;
}

void Attempt::noteUsedNames() {
  usedNames.clear();
  auto note = [&](StringRef text) {
    for (const std::string &dim : splitExtents(text))
      if (llvm::Expected<IntExpr> expr = IntExpr::parse(dim))
        expr->forEachName(
            [&](StringRef name) { usedNames.insert(name.str()); });
      else
        llvm::consumeError(expr.takeError());
  };
  for (const auto &[name, extent] : extents)
    note(extent.dims);
}

void Attempt::addGuesses(const CUDADraft &draft) {
  guesses = form.guesses;
  std::string fitted;
  for (const CUDADraft::Argument &argument : draft.arguments)
    if (argument.isBuffer && extents.at(argument.name).dims != argument.dims)
      fitted += (fitted.empty() ? "" : ", ") + argument.name;
  if (!fitted.empty())
    guesses.push_back("the extents of " + fitted +
                      ": from what is touched at " +
                      std::to_string(trials.size()) + " sizes");
  for (const auto &[buffer, domain] : domains)
    guesses.push_back("the values of " + buffer +
                      ": they decide what else is touched");
  for (const auto &[name, multiple] : multiples)
    if (multiple > 1)
      guesses.push_back(name + " % " + std::to_string(multiple) +
                        ": nothing is known of other sizes");
}

std::string Attempt::header(const CUDADraft &draft) {
  noteUsedNames();
  addGuesses(draft);
  std::string name;
  for (char c : draft.kernel)
    name += llvm::isAlnum(c) ? c : '_';
  std::vector<std::string> arguments, workload, requirements;
  for (const CUDADraft::Argument &given : draft.arguments) {
    if (!given.isBuffer) {
      arguments.push_back(given.name + ": " + given.element);
      continue;
    }
    const CUDADraft::Argument &buffer =
        *llvm::find_if(buffers, [&](const CUDADraft::Argument &other) {
          return other.name == given.name;
        });
    auto domain = domains.find(buffer.name);
    arguments.push_back(buffer.name + ": " + roleOf(buffer) + " " +
                        buffer.element + "[" + extents.at(buffer.name).dims +
                        "]" +
                        (domain == domains.end() ? "" : " " + domain->second));
  }
  size_t degree = 1;
  for (const auto &[buffer, extent] : extents)
    degree = std::max(degree, extent.terms.size());
  for (const std::string &size : form.names) {
    if (usedNames.count(size))
      continue;
    arguments.push_back(size + ": " + form.types.at(size) + " range(1, 8) = 4");
    guesses.push_back("the values of " + size);
  }
  // About four million elements in the largest buffer.
  const int64_t size = degree == 1   ? 1 << 22
                       : degree == 2 ? 1 << 11
                       : degree == 3 ? 1 << 7
                                     : 1 << 5;
  bool isGuess = false;
  for (const std::string &used : usedNames) {
    auto multiple = multiples.find(used);
    int64_t step = multiple == multiples.end() ? 1 : multiple->second;
    const bool isBlock =
        llvm::is_contained(form.requirements, used + " <= 1024");
    int64_t usual = isBlock ? 1024 : (size + step - 1) / step * step;
    auto told = draft.values.find(used);
    const bool isTold = told != draft.values.end() && told->second % step == 0;
    isGuess |= !isTold;
    workload.push_back(used + " = " +
                       std::to_string(isTold ? told->second : usual));
    if (step > 1)
      requirements.push_back(used + " % " + std::to_string(step) + " == 0");
  }
  llvm::append_range(requirements, form.requirements);
  std::string text = "// evo.kernel " + name + "(" +
                     llvm::join(arguments, ", ") + ")\n" + form.lines;
  if (!workload.empty()) {
    text += "// evo.workload " + llvm::join(workload, ", ") + "\n";
    if (isGuess)
      guesses.push_back("the workload");
  }
  if (!requirements.empty())
    text += "// evo.require " + llvm::join(requirements, ", ") + "\n";
  return text;
}

static DraftedContract complete(const CUDADraft &draft,
                                const LiftWithHeader &lift,
                                TargetAttrInterface target,
                                DeviceBuilder &builder) {
  DraftedContract contract;
  for (const CUDADraft::Argument &argument : draft.arguments)
    if (argument.element.find('?') != std::string::npos)
      contract.missing.push_back("the contract has no word for the type of '" +
                                 argument.name + "'");
  std::vector<LaunchForm> forms = findLaunchForms(draft, contract.missing);
  if (!contract.missing.empty())
    return contract;
  std::unique_ptr<Attempt> best;
  std::vector<std::string> reasons;
  for (const LaunchForm &form : forms) {
    auto attempt = std::make_unique<Attempt>(draft, form);
    if (!attempt->prepare(lift, target, builder) || !attempt->fit()) {
      if (!llvm::is_contained(reasons, attempt->why))
        reasons.push_back(attempt->why);
    } else if (!best || attempt->score() > best->score()) {
      best = std::move(attempt);
    }
  }
  if (!best) {
    contract.missing = {reasons.begin(),
                        reasons.begin() + std::min<size_t>(2, reasons.size())};
    return contract;
  }
  contract.header = best->header(draft);
  contract.guesses = best->guesses;
  return contract;
}

DraftedContract evo::completeDraft(const CUDADraft &draft,
                                   const LiftWithHeader &lift,
                                   TargetAttrInterface target,
                                   DeviceBuilder &builder) {
  DraftedContract contract = complete(draft, lift, target, builder);
  // What is no formula of sizes may still be right at those of the host. Steps
  // have extents that stay as they are.
  if (!contract.header.empty() || draft.values.empty() || !draft.steps.empty())
    return contract;
  DraftedContract fixed = complete(withNumbers(draft), lift, target, builder);
  return fixed.header.empty() ? contract : fixed;
}
