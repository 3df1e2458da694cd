// Who stays, and who becomes a parent: grids, fronts, islands and the draws by
// rank, tournament and softmax. Each would show, were the draw an even one.
#include "Led.h"
#include "evo/Proposers/Model/Strategy.h"
#include <map>
#include <set>

using namespace evo;
using namespace evo::test;

namespace {

struct StrategyFile {
  explicit StrategyFile(const std::string &text)
      : path(folder.file("strategy.json")) {
    evo::llm::test::writeFile(path, text);
  }
  evo::llm::test::TempFolder folder;
  std::string path;
};

/// A search that changes one member, drawn by `choice`; `more` is keys of the
/// strategy besides.
class LedBy : private StrategyFile, public Led {
public:
  LedBy(const std::string &more, const std::string &choice)
      : StrategyFile(R"({"name": "s", "perRequest": 1, "repairs": 0, )" + more +
                     R"("operators": [{"name": "modify", "parents": [)" +
                     choice + "]}]}"),
        Led(path) {}
};

/// How often each candidate was a parent in so many more requests.
std::map<std::string, unsigned> parentsOf(Led &led, unsigned requests) {
  std::map<std::string, unsigned> shown;
  size_t known = led.asked;
  for (unsigned i = 0; i < requests; ++i) {
    std::string text = led.refute(100 + i);
    size_t at = text.find("# Parents");
    if (at == std::string::npos)
      continue;
    llvm::StringRef parents = llvm::StringRef(text).drop_front(at);
    parents = parents.take_front(parents.find("\n# "));
    for (size_t c = 0; c < known; ++c) {
      std::string name = "c" + std::to_string(c);
      if (parents.contains("/* " + name + " */"))
        ++shown[name];
    }
  }
  return shown;
}

std::set<std::string> namesIn(const std::map<std::string, unsigned> &shown) {
  std::set<std::string> names;
  for (const auto &entry : shown)
    names.insert(entry.first);
  return names;
}

TEST(Population, RankSelectionPrefersTheFast) {
  Led led("evoengineer-full");
  for (unsigned i = 0; i < 5; ++i)
    led.accept(10 * (i + 1), i);
  auto shown = parentsOf(led, 40);
  // 1/5 against 1/9 for each draw of one parent.
  EXPECT_GT(shown["c0"], shown["c4"]);
  EXPECT_GT(shown["c4"], 0u);
}

TEST(Population, SoftmaxPrefersTheFastAsItsTemperatureSays) {
  for (bool isHot : {false, true}) {
    LedBy led("", R"({"by": "softmax", "temperature": )" +
                      std::string(isHot ? "10}" : "0.1}"));
    for (double micros : {10, 12, 20, 40})
      led.accept(micros, 1);
    auto shown = parentsOf(led, 40);
    // Cold: 1, e^-2, e^-10, e^-30; drawn evenly each would come ten times.
    if (isHot) {
      EXPECT_LT(shown["c0"], 20u);
      EXPECT_GT(shown["c3"], 4u);
    } else {
      EXPECT_GT(shown["c0"], 28u);
      EXPECT_GT(shown["c1"], 0u);
      EXPECT_EQ(shown["c2"] + shown["c3"], 0u);
    }
  }
}

TEST(Population, SoftmaxDrawsAmongTimesAndNotAmongTheirCopies) {
  LedBy led("", R"({"by": "softmax", "temperature": 1})");
  for (unsigned i = 0; i < 6; ++i)
    led.accept(10, i);
  led.accept(11, 6);
  // 1 / (1 + e^0.1) of the draws, not a seventh of them.
  EXPECT_GT(parentsOf(led, 40)["c6"], 12u);
}

TEST(Population, TournamentsPreferTheFastByTheirPool) {
  for (unsigned pool : {1, 4}) {
    LedBy led("",
              R"({"by": "tournament", "pool": )" + std::to_string(pool) + "}");
    for (unsigned i = 0; i < 5; ++i)
      led.accept(10 * (i + 1), i);
    auto shown = parentsOf(led, 40);
    // The fastest wins 1 - (4/5)^pool of them, the slowest (1/5)^pool.
    if (pool == 1) {
      EXPECT_LT(shown["c0"], 16u);
      EXPECT_GT(shown["c4"], 3u);
    } else {
      EXPECT_GT(shown["c0"], 17u);
      EXPECT_LT(shown["c4"], 3u);
    }
  }
}

TEST(Population, IslandsDoNotSeeEachOther) {
  Led led("funsearch");
  std::set<int64_t> islands;
  std::map<std::string, int64_t> homes;
  for (unsigned i = 0; i < 15; ++i) {
    std::string text = led.accept(50 + i, i);
    ProposalOp proposal = led.session->kernel.proposal(led.last());
    auto island = proposal->getAttrOfType<mlir::IntegerAttr>("evo.island");
    ASSERT_TRUE(island);
    for (const auto &[name, home] : homes)
      if (home != island.getInt())
        EXPECT_LACKS(text, "/* " + name + " */");
    homes["c" + std::to_string(i)] = island.getInt();
    islands.insert(island.getInt());
  }
  EXPECT_GE(islands.size(), 3u);
}

TEST(Population, SlowIslandsStartAgainFromAFasterOnesBest) {
  Led led("funsearch");
  // Twenty generations, then the slower half is gone.
  for (unsigned i = 0; i < 20; ++i)
    led.accept(100 - i, i);
  std::map<int64_t, std::pair<double, std::string>> best;
  for (unsigned i = 0; i < 20; ++i) {
    auto island = led.session->kernel.proposal("m" + std::to_string(i))
                      ->getAttrOfType<mlir::IntegerAttr>("evo.island")
                      .getInt();
    best[island] = {100.0 - i, "/* c" + std::to_string(i) + " */"};
  }
  std::vector<std::pair<double, std::string>> order;
  for (const auto &entry : best)
    order.push_back(entry.second);
  llvm::sort(order);
  ASSERT_EQ(order.size(), 5u);
  for (unsigned i = 0; i < 30; ++i) {
    std::string text = led.refute(200 + i);
    EXPECT_LACKS(text, order[3].second);
    EXPECT_LACKS(text, order[4].second);
  }
}

std::string resources(int registers, int shared) {
  return "resources [#evo.resources<kernel = \"rows\", registers = " +
         std::to_string(registers) +
         ", spillStores = 0, spillLoads = 0, stack = 0, shared = " +
         std::to_string(shared) + ">]";
}

TEST(Population, GridKeepsTheFastestOfEachCell) {
  Led led("map-elites");
  led.accept(50, 1, resources(40, 0));
  led.accept(60, 2, resources(44, 128));   // the same cell, slower
  led.accept(90, 3, resources(200, 0));    // slower, in a cell of its own
  led.accept(95, 4, resources(40, 65536)); // another one
  EXPECT_EQ(namesIn(parentsOf(led, 40)),
            (std::set<std::string>{"c0", "c2", "c3"}));
}

/// Keys of a strategy that keeps a front of `size`.
std::string frontOf(unsigned size, llvm::ArrayRef<std::string> metrics) {
  std::string axes;
  for (const std::string &metric : metrics)
    axes += (axes.empty() ? "" : ", ") + (R"({"metric": ")" + metric + "\"}");
  return R"("population": {"keep": "front", "size": )" + std::to_string(size) +
         R"(, "axes": [)" + axes + "]}, ";
}

const std::string evenly = R"({"by": "uniform"})";

TEST(Population, FrontPrefersWhatNothingDominates) {
  LedBy led(frontOf(2, {"time", "registers per thread"}), evenly);
  led.accept(50, 1, resources(64, 0));
  led.accept(60, 2, resources(80, 0)); // worse in both
  led.accept(90, 3, resources(32, 0)); // slower with fewer registers
  EXPECT_EQ(namesIn(parentsOf(led, 20)), (std::set<std::string>{"c0", "c2"}));
}

TEST(Population, FrontKeepsItsEndsAndWhatIsLeastCrowded) {
  // Four that nothing dominates, one in the middle close to an end.
  struct Point {
    double micros;
    int registers;
  };
  const std::pair<std::vector<Point>, std::set<std::string>> cases[] = {
      {{{10, 100}, {11, 90}, {20, 50}, {40, 20}}, {"c0", "c2", "c3"}},
      {{{10, 100}, {30, 40}, {38, 25}, {40, 20}}, {"c0", "c1", "c3"}}};
  for (const auto &[points, kept] : cases) {
    LedBy led(frontOf(3, {"time", "registers per thread"}), evenly);
    for (auto [i, point] : llvm::enumerate(points))
      led.accept(point.micros, i, resources(point.registers, 0));
    EXPECT_EQ(namesIn(parentsOf(led, 40)), kept);
  }
}

TEST(Population, Nsga2WeighsTimeEnergyAndRegisters) {
  llvm::Expected<Strategy> strategy = Strategy::load("nsga2");
  ASSERT_TRUE(bool(strategy));
  std::vector<std::string> metrics;
  for (const PopulationRule::Axis &axis : strategy->population.axes)
    metrics.push_back(axis.metric);
  EXPECT_EQ(metrics, (std::vector<std::string>{"time", "energy",
                                               "registers per thread"}));
  // Slower, of as many registers, and yet a parent: it takes less energy.
  LedBy led(frontOf(2, metrics), evenly);
  auto accept = [&](const std::string &micros, const std::string &energy) {
    led.ask(1);
    led.session->kernel.accept(led.last(), micros, resources(64, 0),
                               "energy_microjoules = " + energy + " : f64");
  };
  accept("50.0", "900.0");
  accept("60.0", "950.0"); // worse in both
  accept("90.0", "300.0");
  EXPECT_CONTAINS(led.refute(9), "- energy_microjoules (estimated): ");
  EXPECT_EQ(namesIn(parentsOf(led, 20)), (std::set<std::string>{"c0", "c2"}));
}

TEST(Population, TheBestOfAnIslandMovesToTheNext) {
  // On which island each of the first candidates is shown as the best, without
  // migration and with it after two generations.
  for (unsigned every : {0, 2}) {
    evo::llm::test::TempFolder folder;
    std::string path = folder.file("islands.json");
    evo::llm::test::writeFile(path,
                              R"({"name": "i", "perRequest": 1, "repairs": 0,
        "population": {"keep": "all", "islands": 2, "migrateEvery": )" +
                                  std::to_string(every) + R"(},
        "operators": [{"name": "modify", "parents": [{"by": "best"}]}]})");
    Led led(path);
    // The first is the fastest of all; the second generation only has to be.
    led.accept(10, 1);
    led.refute(2);
    auto home = led.session->kernel.proposal("m0")
                    ->getAttrOfType<mlir::IntegerAttr>("evo.island")
                    .getInt();
    std::set<int64_t> seen;
    for (unsigned i = 0; i < 16; ++i) {
      std::string text = led.refute(10 + i);
      auto island = led.session->kernel.proposal(led.last())
                        ->getAttrOfType<mlir::IntegerAttr>("evo.island")
                        .getInt();
      if (text.find("/* c0 */") != std::string::npos)
        seen.insert(island);
    }
    EXPECT_TRUE(seen.count(home));
    EXPECT_EQ(seen.size(), every ? 2u : 1u);
  }
}

} // namespace
