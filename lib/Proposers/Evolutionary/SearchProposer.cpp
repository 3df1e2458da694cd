// An evolutionary search over all spaces of a kernel at once. Its memory is the
// IR: points tried are read from the proposals, their worth from the variants.
#include "evo/Proposers/Evolutionary/SearchProposer.h"
#include "Space.h"
#include "evo/Interfaces/SearchTime.h"
#include "evo/Support/Sort.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace evo;

namespace {
/// A point that was tried.
struct Tried {
  Point point;
  std::optional<double> time; // none where it failed
  bool wasRefused = false;    // by the rewrites themselves
  std::string symbol;
};

/// The search in one space.
class Explorer {
public:
  Explorer(KernelOp kernel, std::unique_ptr<Space> space);

  struct Next {
    Point point;
    std::string parent; // symbol of the proposal it was made from, or empty
  };
  /// A point that was not tried: first the starts of the space and the usual
  /// one, then alternately each knob by itself, around the best of these,
  /// and offspring of the best, at last the remaining points. None if every
  /// sensible point was tried.
  std::optional<Next> next(Random &random);

  const Space &getSpace() const { return *space; }
  size_t getNumKnown() const { return known.size(); }

private:
  std::unique_ptr<Space> space;
  std::vector<Tried> history;
  std::vector<const Tried *> ranked; // accepted, the fastest first
  llvm::StringSet<> known;
  /// Pairs of knob and value that the rewrites refused by themselves; they are
  /// refused together with others, too.
  llvm::StringSet<> refused;
  /// Where the enumeration of all points began, and its progress.
  std::optional<uint64_t> firstLeft;
  uint64_t numLeftSeen = 0;

  void readHistory(KernelOp kernel);
  bool isFresh(const Point &point);
  std::optional<Next> nextFactor();
  std::optional<Next> nextOffspring(Random &random);
  std::optional<Next> nextLeft(Random &random);
  const Tried &pick(Random &random) const;
  /// The fastest of the points at which the search began.
  Point base() const;
};

class SearchProposer : public Proposer {
public:
  StringRef getName() const override { return "search"; }
  LogicalResult propose(KernelOp kernel, unsigned count, uint64_t seed,
                        const SearchSession &session) override;
};
} // namespace

static std::string printPoint(const Point &point) {
  std::string text;
  for (const auto &[name, value] : point)
    text += name + "=" + value + ";";
  return text;
}

Explorer::Explorer(KernelOp kernel, std::unique_ptr<Space> given)
    : space(std::move(given)) {
  readHistory(kernel);
  for (const Tried &tried : history) {
    known.insert(printPoint(tried.point));
    if (tried.time)
      ranked.push_back(&tried);
    if (!tried.wasRefused)
      continue;
    std::string changed;
    unsigned numChanged = 0;
    for (const auto &[knob, value] : space->usual()) {
      auto it = tried.point.find(knob);
      if (it == tried.point.end() || it->second == value)
        continue;
      changed = knob + "=" + it->second;
      ++numChanged;
    }
    if (numChanged == 1)
      refused.insert(changed);
  }
  stableSortBy(ranked, [](const Tried *tried) { return *tried->time; });
}

void Explorer::readHistory(KernelOp kernel) {
  std::string proposer = "search:" + space->name;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    DictionaryAttr options = proposal.getOptionsAttr();
    auto knobs = options ? options.getAs<DictionaryAttr>("knobs") : nullptr;
    if (proposal.getProposer() != proposer || !knobs)
      continue;
    Tried tried;
    tried.symbol = proposal.getSymName().str();
    tried.wasRefused = proposal.getStage() == Stage::Materialize;
    for (NamedAttribute knob : knobs)
      if (auto value = dyn_cast<StringAttr>(knob.getValue()))
        tried.point[knob.getName().str()] = value.str();
    // Points of other spaces, or of older versions of this one, are ignored.
    if (!space->contains(tried.point))
      continue;
    if (VariantOp variant = proposal.lookupVariant())
      if (EvidenceAttr evidence = variant.getEvidenceAttr())
        if (evidence.isAccepted())
          tried.time = expectedTime(variant);
    history.push_back(std::move(tried));
  }
}

bool Explorer::isFresh(const Point &point) {
  for (const auto &[knob, value] : point)
    if (refused.contains(knob + "=" + value))
      return false;
  return space->isSensible(point) && known.insert(printPoint(point)).second;
}

Point Explorer::base() const {
  std::vector<Point> starts = space->getStarts();
  starts.push_back(space->usual());
  for (const Tried *tried : ranked)
    if (llvm::is_contained(starts, tried->point))
      return tried->point;
  return space->usual();
}

/// One knob by itself, around the best of the starts: the first other value of
/// every knob, then the second, ...
std::optional<Explorer::Next> Explorer::nextFactor() {
  Point from = base();
  size_t maxValues = 0;
  for (const Knob &knob : space->knobs)
    maxValues = std::max(maxValues, knob.values.size());
  for (size_t i = 0; i < maxValues; ++i)
    for (const Knob &knob : space->knobs) {
      if (i >= knob.values.size() || knob.values[i] == from.at(knob.name))
        continue;
      Point point = space->vary(from, knob, knob.values[i]);
      if (isFresh(point))
        return Next{point, ""};
    }
  return std::nullopt;
}

/// Rank selection, p proportional to 1 / (r + n).
const Tried &Explorer::pick(Random &random) const {
  double total = 0;
  for (size_t r = 0; r < ranked.size(); ++r)
    total += 1.0 / (r + ranked.size());
  double draw = random.uniform() * total;
  for (size_t r = 0; r < ranked.size(); ++r)
    if ((draw -= 1.0 / (r + ranked.size())) <= 0)
      return *ranked[r];
  return *ranked.back();
}

std::optional<Explorer::Next> Explorer::nextOffspring(Random &random) {
  if (ranked.empty())
    return std::nullopt;
  constexpr unsigned attempts = 200;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    const Tried &parent = attempt % 2 ? pick(random) : *ranked.front();
    const Tried &other = pick(random);
    Point point = random.below(3) == 0 && &other != &parent
                      ? space->cross(parent.point, other.point, random)
                      : space->mutate(parent.point, random);
    if (isFresh(point))
      return Next{point, parent.symbol};
  }
  return std::nullopt;
}

/// Enumerates all points, beginning at a random one.
std::optional<Explorer::Next> Explorer::nextLeft(Random &random) {
  constexpr uint64_t limit = 1 << 20;
  uint64_t count = space->getNumPoints(limit);
  if (!firstLeft)
    firstLeft = random.below(count);
  while (numLeftSeen < count) {
    Point point = space->getPoint((*firstLeft + numLeftSeen++) % count);
    if (isFresh(point))
      return Next{point, ""};
  }
  return std::nullopt;
}

std::optional<Explorer::Next> Explorer::next(Random &random) {
  // Of a start something speaks for it, and time may be short.
  for (const Point &start : space->getStarts())
    if (isFresh(start))
      return Next{start, ""};
  if (isFresh(space->usual()))
    return Next{space->usual(), ""};
  // Good points are exploited while the other knobs are explored.
  bool follows = ranked.size() >= 3 && known.size() % 2;
  std::optional<Next> result;
  if (follows)
    result = nextOffspring(random);
  if (!result)
    result = nextFactor();
  if (!result)
    result = nextOffspring(random);
  if (!result)
    result = nextLeft(random);
  return result;
}

LogicalResult SearchProposer::propose(KernelOp kernel, unsigned count,
                                      uint64_t seed, const SearchSession &) {
  Random random(seed);
  unsigned serial = llvm::range_size(kernel.getBody().getOps<ProposalOp>());
  llvm::StringSet<> names;
  for (Operation &op : kernel.getBody().front())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      names.insert(symbol.getName());
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  std::vector<Explorer> explorers;
  for (std::unique_ptr<Space> &space : getSpaces(kernel))
    explorers.emplace_back(kernel, std::move(space));
  size_t dry = 0;
  for (size_t turn = 0; count > 0 && dry < explorers.size(); ++turn) {
    Explorer &explorer = explorers[(turn + seed) % explorers.size()];
    std::optional<Explorer::Next> next = explorer.next(random);
    if (!next) {
      ++dry;
      continue;
    }
    dry = 0;
    std::string symbol;
    do
      symbol = "s" + std::to_string(serial++);
    while (!names.insert(symbol).second);
    explorer.getSpace().propose(b, kernel, symbol, next->point, next->parent);
    --count;
  }
  if (count == 0)
    return success();
  if (explorers.empty()) {
    emitRemark(kernel.getLoc(),
               "the proposer 'search' knows no way to change this kernel: "
               "no schedule is for its operations, and none of its "
               "launches has a literal block");
    return success();
  }
  InFlightDiagnostic remark = emitRemark(
      kernel.getLoc(),
      "the proposer 'search' has nothing left to propose; tried were");
  for (const Explorer &explorer : explorers)
    remark << (&explorer == &explorers.front() ? " " : ", ")
           << explorer.getNumKnown() << " points of '"
           << explorer.getSpace().name << "'";
  return success();
}

std::unique_ptr<Proposer> evo::createSearchProposer() {
  return std::make_unique<SearchProposer>();
}
