// Elites, grids, fronts, islands; and the draw of parents.
#include "Population.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace evo;
using Members = std::vector<const Attempt *>;
using Keep = PopulationRule::Keep;
using By = ParentChoice::By;

std::optional<double> evo::metricOf(const Attempt &attempt, StringRef metric) {
  if (metric == "time")
    return attempt.time;
  std::optional<double> result;
  for (const auto &[name, value] : attempt.facts.profile) {
    double number;
    if (StringRef(name).starts_with(metric) &&
        !StringRef(value).getAsDouble(number))
      result = std::max(result.value_or(number), number);
  }
  return result;
}

/// 0 .. count - 1 by rising key, equal keys in their old order.
static std::vector<size_t> orderBy(size_t count,
                                   llvm::function_ref<double(size_t)> key) {
  std::vector<std::pair<double, size_t>> keyed;
  for (size_t i = 0; i < count; ++i)
    keyed.emplace_back(key(i), i);
  llvm::sort(keyed);
  std::vector<size_t> order;
  for (const auto &entry : keyed)
    order.push_back(entry.second);
  return order;
}

// What stays.

/// The first of each cell; `members` are sorted by time.
static Members keepGrid(const Members &members, const PopulationRule &rule) {
  std::map<std::vector<int64_t>, const Attempt *> cells;
  Members kept;
  for (const Attempt *member : members) {
    std::vector<int64_t> cell;
    for (const PopulationRule::Axis &axis : rule.axes) {
      std::optional<double> value = metricOf(*member, axis.metric);
      cell.push_back(
          value ? static_cast<int64_t>(std::floor(*value / axis.step)) : -1);
    }
    if (cells.try_emplace(std::move(cell), member).second)
      kept.push_back(member);
  }
  return kept;
}

namespace {
/// Objectives of one member, all to be small; unknown is worst.
struct Point {
  const Attempt *member;
  std::vector<double> values;
  double crowding = 0;

  bool dominates(const Point &other) const {
    bool better = false;
    for (auto [mine, theirs] : llvm::zip(values, other.values)) {
      if (mine > theirs)
        return false;
      better |= mine < theirs;
    }
    return better;
  }
};
} // namespace

/// Crowding distance: the sum over objectives of the gap between a point's
/// neighbours, as a share of the front's extent; infinite at the ends (Deb,
/// Pratap, Agarwal, Meyarivan, "A fast and elitist multiobjective genetic
/// algorithm: NSGA-II", 2002, section III.B).
static void setCrowding(MutableArrayRef<Point> front) {
  for (size_t axis = 0; axis < front.front().values.size(); ++axis) {
    std::vector<size_t> order =
        orderBy(front.size(), [&](size_t i) { return front[i].values[axis]; });
    auto value = [&](size_t rank) { return front[order[rank]].values[axis]; };
    front[order.front()].crowding = front[order.back()].crowding = INFINITY;
    double extent = value(front.size() - 1) - value(0);
    if (!(extent > 0) || !std::isfinite(extent))
      continue;
    for (size_t i = 1; i + 1 < front.size(); ++i)
      front[order[i]].crowding += (value(i + 1) - value(i - 1)) / extent;
  }
}

static Members keepFront(const Members &members, const PopulationRule &rule) {
  std::vector<Point> rest;
  for (const Attempt *member : members) {
    Point point{member, {}};
    for (const PopulationRule::Axis &axis : rule.axes)
      point.values.push_back(metricOf(*member, axis.metric).value_or(INFINITY));
    rest.push_back(std::move(point));
  }
  Members kept;
  while (!rest.empty() && kept.size() < rule.size) {
    std::vector<Point> front, behind;
    for (const Point &point : rest) {
      bool isDominated = llvm::any_of(
          rest, [&](const Point &other) { return other.dominates(point); });
      (isDominated ? behind : front).push_back(point);
    }
    setCrowding(front);
    for (size_t i :
         orderBy(front.size(), [&](size_t i) { return -front[i].crowding; }))
      if (kept.size() < rule.size)
        kept.push_back(front[i].member);
    rest = std::move(behind);
  }
  return kept;
}

/// `members` are sorted by time, the fastest first.
static Members keep(const Members &members, const PopulationRule &rule) {
  switch (rule.keep) {
  case Keep::Grid:
    return keepGrid(members, rule);
  case Keep::Front:
    return keepFront(members, rule);
  case Keep::All:
  case Keep::Elite:
    return Members(members.begin(),
                   members.begin() +
                       std::min<size_t>(members.size(), rule.size));
  }
  llvm_unreachable("unknown rule");
}

// Islands.

static unsigned islandOf(const Attempt &attempt) {
  ProposalOp proposal = attempt.proposal;
  auto number = proposal ? proposal->getAttrOfType<IntegerAttr>(islandAttr)
                         : IntegerAttr();
  return number ? static_cast<unsigned>(number.getInt()) : 0;
}

static double timeOf(const Attempt *attempt) {
  return attempt->time.value_or(INFINITY);
}

static const Attempt *fastest(const Members &members) {
  auto found = llvm::min_element(
      members, [](auto *a, auto *b) { return timeOf(a) < timeOf(b); });
  return found == members.end() ? nullptr : *found;
}

/// Each island's best is copied to the next one.
static void migrate(std::vector<Members> &islands) {
  std::vector<const Attempt *> best;
  for (const Members &island : islands)
    best.push_back(fastest(island));
  for (size_t i = 0; i < islands.size(); ++i) {
    Members &next = islands[(i + 1) % islands.size()];
    if (best[i] && !llvm::is_contained(next, best[i]))
      next.push_back(best[i]);
  }
}

/// The slower half starts again, each from the best of an island that is drawn
/// among the faster ones.
static void reseed(std::vector<Members> &islands, uint64_t generation) {
  std::vector<size_t> order = orderBy(islands.size(), [&](size_t i) {
    const Attempt *best = fastest(islands[i]);
    return best ? timeOf(best) : INFINITY;
  });
  size_t strong = islands.size() - islands.size() / 2;
  Random random(generation);
  for (size_t weak : ArrayRef(order).drop_front(strong)) {
    const Attempt *founder = fastest(islands[order[random.below(strong)]]);
    islands[weak].clear();
    if (founder)
      islands[weak].push_back(founder);
  }
}

/// Who lives where after all generations so far.
static std::vector<Members> settle(const History &history,
                                   const PopulationRule &rule) {
  std::vector<Members> islands(rule.islands);
  for (int64_t generation = 0; generation <= history.newestGeneration;
       ++generation) {
    for (const Attempt *attempt : history.ranked)
      if (attempt->generation() == generation)
        islands[islandOf(*attempt) % rule.islands].push_back(attempt);
    if (rule.migrateEvery && (generation + 1) % rule.migrateEvery == 0)
      migrate(islands);
    if (rule.reseedEvery && (generation + 1) % rule.reseedEvery == 0)
      reseed(islands, generation);
  }
  return islands;
}

Population evo::populationOf(const History &history, const PopulationRule &rule,
                             unsigned island) {
  Members inhabitants = settle(history, rule)[island % rule.islands];
  size_t own = inhabitants.size();
  for (const Attempt *attempt : history.ranked)
    if (attempt->generation() < 0)
      inhabitants.push_back(attempt);
  // In the order of `ranked`: that of time, the general ones first.
  Members sorted;
  for (const Attempt *attempt : history.ranked)
    if (llvm::is_contained(inhabitants, attempt))
      sorted.push_back(attempt);
  return {keep(sorted, rule), own};
}

// Parents.

static size_t drawByWeight(ArrayRef<double> weights, Random &random) {
  double total = 0;
  for (double weight : weights)
    total += weight;
  double draw = random.uniform() * total;
  for (size_t i = 0; i < weights.size(); ++i)
    if ((draw -= weights[i]) <= 0)
      return i;
  return weights.size() - 1;
}

/// Members of equal time (to three digits) are one group: many copies of one
/// score must not crowd out the others.
static size_t drawSoftmax(const Members &left, double temperature,
                          Random &random) {
  std::map<std::string, std::vector<size_t>> groups;
  double best = INFINITY;
  for (size_t i = 0; i < left.size(); ++i) {
    best = std::min(best, timeOf(left[i]));
    char key[32];
    std::snprintf(key, sizeof(key), "%.2e", timeOf(left[i]));
    groups[key].push_back(i);
  }
  std::vector<double> weights;
  std::vector<const std::vector<size_t> *> bodies;
  for (const auto &entry : groups) {
    double relative = timeOf(left[entry.second.front()]) / best;
    weights.push_back(
        std::isfinite(relative) ? std::exp((1 - relative) / temperature) : 0);
    bodies.push_back(&entry.second);
  }
  if (!std::isfinite(best)) // no times at all
    return random.below(left.size());
  const std::vector<size_t> &group = *bodies[drawByWeight(weights, random)];
  return group[random.below(group.size())];
}

static size_t drawParent(const Members &left, const ParentChoice &choice,
                         Random &random) {
  switch (choice.by) {
  case By::Best:
    return 0;
  case By::Rank: {
    std::vector<double> weights;
    for (size_t r = 0; r < left.size(); ++r)
      weights.push_back(1.0 / (r + left.size()));
    return drawByWeight(weights, random);
  }
  case By::Tournament: {
    size_t first = left.size() - 1;
    for (unsigned i = 0; i < choice.pool; ++i)
      first = std::min<size_t>(first, random.below(left.size()));
    return first;
  }
  case By::Softmax:
    return drawSoftmax(left, choice.temperature, random);
  case By::Uniform:
    return random.below(left.size());
  case By::Newest: {
    auto newest = llvm::max_element(left, [](auto *a, auto *b) {
      return a->generation() < b->generation();
    });
    return newest - left.begin();
  }
  }
  llvm_unreachable("unknown choice");
}

Members evo::chooseParents(ArrayRef<const Attempt *> members,
                           const StrategyOperator &operation, Random &random) {
  Members chosen;
  for (const ParentChoice &choice : operation.parents)
    for (unsigned i = 0; i < choice.count; ++i) {
      Members left;
      for (const Attempt *member : members)
        if (!llvm::is_contained(chosen, member) &&
            (!choice.written || member->generation() >= 0))
          left.push_back(member);
      if (left.empty())
        break;
      chosen.push_back(left[drawParent(left, choice, random)]);
    }
  if (!operation.slowFirst)
    return chosen;
  Members sorted;
  for (size_t i :
       orderBy(chosen.size(), [&](size_t i) { return -timeOf(chosen[i]); }))
    sorted.push_back(chosen[i]);
  return sorted;
}
