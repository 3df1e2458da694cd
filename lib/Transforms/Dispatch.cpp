// Choices are added one by one, the most useful first.
#include "Dispatch.h"
#include "evo/Interfaces/Fitness.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace evo {

/// Each one more is code to load and to keep.
static constexpr size_t maxChoices = 4;
/// So much of the weighted time where a variant was made for no such sizes:
/// less is noise.
static constexpr double minGain = 0.01;

namespace {
/// Workloads in the order of their size, which is the product of those sizes
/// that differ between them, and conditions that tell neighbours apart.
class SizeRanges {
public:
  SizeRanges(ArrayRef<WorkloadAttr> workloads, MLIRContext *context);
  /// Positions in that order.
  size_t size() const { return order.size(); }
  /// The workload at a position.
  unsigned at(size_t position) const { return order[position].second; }
  /// Conditions that hold from one position to another, and at no other
  /// workload; null where no such conditions are known.
  ArrayAttr between(size_t first, size_t last) const;

private:
  RequirementAttr condition(StringRef left, StringRef relation,
                            int64_t right) const;

  ArrayRef<WorkloadAttr> workloads;
  MLIRContext *context;
  SmallVector<StringRef> names; ///< of the sizes that differ
  SmallVector<std::pair<double, unsigned>> order;
};

class Dispatch {
public:
  Dispatch(KernelOp kernel, VariantOp best, TargetAttrInterface target,
           bool measured)
      : kernel(kernel), best(best), target(target), measured(measured) {
    if (ArrayAttr all = kernel.getWorkloadsAttr())
      llvm::append_range(workloads, all.getAsRange<WorkloadAttr>());
  }

  SmallVector<DispatchChoice> choose(ArrayRef<VariantOp> candidates);

private:
  /// A choice, and the workloads at which it would be used if it came first.
  struct Option {
    DispatchChoice choice;
    SmallVector<bool> used;
  };

  SmallVector<Option> listOptions(ArrayRef<VariantOp> candidates);
  /// Over the workloads at these positions; null where none has all times.
  VariantOp findFastestOf(ArrayRef<VariantOp> variants,
                          const SizeRanges &ranges, size_t first,
                          size_t last) const;
  /// Weight of the workloads that nothing serves, and time of the others.
  std::pair<double, double> cost(ArrayRef<const Option *> chosen) const;

  KernelOp kernel;
  VariantOp best;
  TargetAttrInterface target;
  bool measured;
  SmallVector<WorkloadAttr> workloads;
};
} // namespace

static std::optional<int64_t> sizeOf(WorkloadAttr workload, StringRef name) {
  auto size = workload.getSizes().getAs<IntegerAttr>(name);
  return size ? std::optional(size.getInt()) : std::nullopt;
}

SizeRanges::SizeRanges(ArrayRef<WorkloadAttr> workloads, MLIRContext *context)
    : workloads(workloads), context(context) {
  if (workloads.empty())
    return;
  for (NamedAttribute size : workloads.front().getSizes()) {
    StringRef name = size.getName().getValue();
    bool isEverywhere = llvm::all_of(workloads, [&](WorkloadAttr workload) {
      return sizeOf(workload, name).has_value();
    });
    if (isEverywhere && llvm::any_of(workloads, [&](WorkloadAttr workload) {
          return sizeOf(workload, name) != sizeOf(workloads.front(), name);
        }))
      names.push_back(name);
  }
  for (auto [index, workload] : llvm::enumerate(workloads)) {
    double product = 1;
    for (StringRef name : names)
      product *= *sizeOf(workload, name);
    order.emplace_back(product, index);
  }
  llvm::sort(order);
}

RequirementAttr SizeRanges::condition(StringRef left, StringRef relation,
                                      int64_t right) const {
  std::string text = (left + " " + relation + " " + Twine(right)).str();
  return RequirementAttr::get(context, text);
}

ArrayAttr SizeRanges::between(size_t first, size_t last) const {
  if (names.empty())
    return nullptr;
  auto isTie = [&](size_t upper) {
    return order[upper - 1].first == order[upper].first;
  };
  bool isApart = (first == 0 || !isTie(first)) &&
                 (last + 1 == order.size() || !isTie(last + 1));
  SmallVector<Attribute> conditions;
  if (!isApart) {
    // As large as another: by its very sizes, unless those are another's, too.
    WorkloadAttr own = workloads[at(first)];
    if (first != last || llvm::count_if(workloads, [&](WorkloadAttr other) {
                           return other.getSizes() == own.getSizes();
                         }) > 1)
      return nullptr;
    for (StringRef name : names)
      conditions.push_back(condition(name, "==", *sizeOf(own, name)));
    return ArrayAttr::get(context, conditions);
  }
  // Halfway to a neighbour, by the ratio.
  std::string product = llvm::join(names, " * ");
  auto halfway = [&](size_t upper) {
    return int64_t(std::sqrt(order[upper - 1].first) *
                   std::sqrt(order[upper].first));
  };
  auto cut = [&](size_t upper, StringRef relation) {
    // Further on doubles do not tell neighbours apart.
    if (order[upper].first >= 0x1p53)
      return false;
    conditions.push_back(condition(product, relation, halfway(upper)));
    return true;
  };
  if ((first > 0 && !cut(first, ">")) ||
      (last + 1 < order.size() && !cut(last + 1, "<=")))
    return nullptr;
  return ArrayAttr::get(context, conditions);
}

VariantOp Dispatch::findFastestOf(ArrayRef<VariantOp> variants,
                                  const SizeRanges &ranges, size_t first,
                                  size_t last) const {
  VariantOp fastest;
  double shortest = HUGE_VAL;
  for (VariantOp variant : variants) {
    double total = 0;
    for (size_t position = first; position <= last; ++position) {
      unsigned index = ranges.at(position);
      total += workloads[index].getWeight() *
               timeAt(variant, index, measured).value_or(HUGE_VAL);
    }
    if (total < shortest) {
      shortest = total;
      fastest = variant;
    }
  }
  return fastest;
}

SmallVector<Dispatch::Option>
Dispatch::listOptions(ArrayRef<VariantOp> candidates) {
  SizeRanges ranges(workloads, kernel.getContext());
  SmallVector<Option> options;
  SmallVector<VariantOp> general;
  for (VariantOp variant : candidates) {
    if (!variant.getRequirements()) {
      general.push_back(variant);
      continue;
    }
    Option option = {{variant, nullptr}, {}};
    for (WorkloadAttr workload : workloads)
      option.used.push_back(servesWorkload(variant, workload, target));
    options.push_back(std::move(option));
  }
  for (size_t first = 0; first < ranges.size(); ++first)
    for (size_t last = first; last < ranges.size(); ++last) {
      ArrayAttr when = ranges.between(first, last);
      if (!when || when.empty())
        continue; // everywhere: that would be the best
      Option option = {{findFastestOf(general, ranges, first, last), when},
                       SmallVector<bool>(workloads.size(), false)};
      for (size_t position = first; position <= last; ++position)
        option.used[ranges.at(position)] = true;
      if (option.choice.variant)
        options.push_back(std::move(option));
    }
  return options;
}

std::pair<double, double>
Dispatch::cost(ArrayRef<const Option *> chosen) const {
  double unserved = 0, total = 0;
  for (auto [index, workload] : llvm::enumerate(workloads)) {
    VariantOp used = best;
    for (const Option *option : llvm::reverse(chosen))
      if (option->used[index])
        used = option->choice.variant;
    std::optional<double> time;
    if (used)
      time = timeAt(used, index, measured);
    if (time)
      total += workload.getWeight() * *time;
    else
      unserved += workload.getWeight();
  }
  return {unserved, total};
}

SmallVector<DispatchChoice> Dispatch::choose(ArrayRef<VariantOp> candidates) {
  SmallVector<Option> options = listOptions(candidates);
  SmallVector<const Option *> chosen;
  while (chosen.size() < maxChoices) {
    SmallVector<const Option *> improved = chosen;
    std::pair<double, double> lowest = cost(chosen);
    for (const Option &option : options) {
      // A launcher has the code of a variant once.
      if (llvm::any_of(chosen, [&](const Option *other) {
            return other->choice.variant == option.choice.variant;
          }))
        continue;
      for (size_t place = 0; place <= chosen.size(); ++place) {
        SmallVector<const Option *> order = chosen;
        order.insert(order.begin() + place, &option);
        std::pair<double, double> bound = lowest;
        if (option.choice.when)
          bound.second *= 1 - minGain;
        if (cost(order) < bound) {
          lowest = cost(order);
          improved = order;
        }
      }
    }
    if (improved.size() == chosen.size())
      break;
    chosen = improved;
  }
  return llvm::map_to_vector(
      chosen, [](const Option *option) { return option->choice; });
}

SmallVector<DispatchChoice> chooseDispatch(KernelOp kernel, VariantOp best,
                                           ArrayRef<VariantOp> candidates,
                                           TargetAttrInterface target,
                                           bool measured) {
  return Dispatch(kernel, best, target, measured).choose(candidates);
}

} // namespace evo
