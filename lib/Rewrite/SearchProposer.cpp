// An evolutionary search over all spaces of a kernel at once. Its memory is the
// IR: points tried are read from the proposals, their worth from the variants.
#include "evo/Rewrite/SearchProposer.h"
#include "Space.h"
#include "evo/Search/Fitness.h"
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
  std::string symbol;
};

class SearchProposer : public Proposer {
public:
  StringRef getName() const override { return "search"; }
  LogicalResult propose(KernelOp kernel, unsigned count,
                        uint64_t seed) override;
};
} // namespace

static std::string printPoint(const Point &point) {
  std::string text;
  for (const auto &[name, value] : point)
    text += name + "=" + value + ";";
  return text;
}

static std::vector<Tried> readHistory(KernelOp kernel, const Space &space) {
  std::vector<Tried> history;
  std::string proposer = "search:" + space.name;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    DictionaryAttr options = proposal.getOptionsAttr();
    auto knobs = options ? options.getAs<DictionaryAttr>("knobs") : nullptr;
    if (proposal.getProposer() != proposer || !knobs)
      continue;
    Tried tried;
    tried.symbol = proposal.getSymName().str();
    for (NamedAttribute knob : knobs)
      tried.point[knob.getName().str()] =
          cast<StringAttr>(knob.getValue()).str();
    if (auto variant = kernel.lookupSymbol<VariantOp>(tried.symbol + ".v"))
      if (EvidenceAttr evidence = variant.getEvidenceAttr())
        if (evidence.isAccepted()) {
          tried.time = weightedTime(variant, /*measured=*/true);
          if (!tried.time)
            tried.time = weightedTime(variant, /*measured=*/false);
        }
    history.push_back(std::move(tried));
  }
  return history;
}

/// The next point of `space` that was not tried: the usual one, then each knob
/// by itself, then offspring. Empty when the space seems exhausted.
static std::optional<std::pair<Point, std::string>>
nextPoint(const Space &space, const std::vector<Tried> &history,
          llvm::StringSet<> &known, Random &random) {
  auto fresh = [&](const Point &point) {
    return space.isSensible(point) && known.insert(printPoint(point)).second;
  };
  Point usual = space.usual();
  if (fresh(usual))
    return std::pair(usual, std::string());
  std::vector<const Tried *> ranked;
  for (const Tried &tried : history)
    if (tried.time)
      ranked.push_back(&tried);
  stableSortBy(ranked, [](const Tried *tried) { return *tried->time; });
  // One factor at a time around the usual point: a first look at every knob.
  for (const Knob &knob : space.knobs)
    for (const std::string &value : knob.values) {
      Point point = usual;
      point[knob.name] = value;
      if (fresh(point))
        return std::pair(point, std::string());
    }
  for (unsigned attempt = 0; attempt < 200; ++attempt) {
    if (ranked.empty()) {
      Point point = space.mutate(usual, random);
      if (fresh(point))
        return std::pair(point, std::string());
      continue;
    }
    // Rank selection, p proportional to 1 / (r + n).
    auto pick = [&]() -> const Tried & {
      double total = 0;
      for (size_t r = 0; r < ranked.size(); ++r)
        total += 1.0 / (r + ranked.size());
      double draw = random.uniform() * total;
      for (size_t r = 0; r < ranked.size(); ++r)
        if ((draw -= 1.0 / (r + ranked.size())) <= 0)
          return *ranked[r];
      return *ranked.back();
    };
    const Tried &parent = attempt % 2 ? pick() : *ranked.front();
    Point point = random.below(3) == 0
                      ? space.cross(parent.point, pick().point, random)
                      : space.mutate(parent.point, random);
    if (fresh(point))
      return std::pair(point, parent.symbol);
  }
  return std::nullopt;
}

LogicalResult SearchProposer::propose(KernelOp kernel, unsigned count,
                                      uint64_t seed) {
  std::vector<std::unique_ptr<Space>> spaces = getSpaces(kernel);
  if (spaces.empty())
    return success();
  Random random(seed);
  unsigned serial = 0;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    (void)proposal;
    ++serial;
  }
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  std::vector<std::vector<Tried>> histories;
  std::vector<llvm::StringSet<>> known(spaces.size());
  for (size_t i = 0; i < spaces.size(); ++i) {
    histories.push_back(readHistory(kernel, *spaces[i]));
    for (const Tried &tried : histories.back())
      known[i].insert(printPoint(tried.point));
  }
  unsigned dry = 0;
  for (size_t turn = 0; count > 0 && dry < spaces.size(); ++turn) {
    size_t i = (turn + seed) % spaces.size();
    auto next = nextPoint(*spaces[i], histories[i], known[i], random);
    if (!next) {
      ++dry;
      continue;
    }
    dry = 0;
    std::string symbol;
    do
      symbol = "s" + std::to_string(serial++);
    while (kernel.lookupSymbol(symbol));
    spaces[i]->propose(b, kernel, symbol, next->first, next->second);
    --count;
  }
  return success();
}

std::unique_ptr<Proposer> evo::createSearchProposer() {
  return std::make_unique<SearchProposer>();
}
