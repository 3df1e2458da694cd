// Strategies from JSON. Every key is known or refused: a misspelt key that is
// silently ignored would be a search that silently does something else.
#include "evo/Proposers/Model/Strategy.h"
#include "evo/Support/Files.h"
#include "evo/Support/JSON.h"
#include "evoStrategies.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <functional>

using namespace llvm;
using namespace evo;
using json::Array;
using json::Object;
using By = ParentChoice::By;
using Keep = PopulationRule::Keep;
using Insights = PromptSections::Insights;
using Choose = Strategy::Choose;

namespace {

/// Reads one object. The first problem is kept, later calls do nothing, so that
/// readers need no check after every key.
class Reader {
public:
  Reader(const json::Value &value, std::string where, std::string &problem)
      : object(value.getAsObject()), where(std::move(where)), problem(problem) {
    if (!object)
      fail("", "is an object");
  }

  void text(StringRef key, std::string &slot) {
    if (const json::Value *value = take(key)) {
      if (auto found = value->getAsString())
        slot = found->str();
      else
        fail(key, "is a string");
    }
  }
  void flag(StringRef key, bool &slot) {
    if (const json::Value *value = take(key)) {
      if (auto found = value->getAsBoolean())
        slot = *found;
      else
        fail(key, "is true or false");
    }
  }
  void count(StringRef key, unsigned &slot, unsigned min = 0) {
    if (const json::Value *value = take(key)) {
      auto found = value->getAsInteger();
      if (found && *found >= min && *found <= 1000000)
        slot = static_cast<unsigned>(*found);
      else
        fail(key, ("is an integer of " + Twine(min) + " or more").str());
    }
  }
  void positive(StringRef key, double &slot) {
    if (const json::Value *value = take(key))
      slot = positive(key, *value);
  }
  double positive(StringRef key, const json::Value &value) {
    auto found = value.getAsNumber();
    if (found && *found > 0 && std::isfinite(*found))
      return *found;
    fail(key, "is a positive number");
    return 1;
  }
  void range(StringRef key, CountRange &slot) {
    const json::Value *value = take(key);
    if (!value)
      return;
    const Array *pair = value->getAsArray();
    auto bound = [&](size_t i) -> std::optional<int64_t> {
      return pair && i < pair->size() ? (*pair)[i].getAsInteger()
                                      : std::nullopt;
    };
    if (!pair || pair->empty() || pair->size() > 2 || !bound(0) ||
        *bound(0) < 0 || (pair->size() == 2 && (!bound(1) || *bound(1) < 0)))
      return fail(key, "is [min] or [min, max]");
    slot.min = static_cast<unsigned>(*bound(0));
    if (pair->size() == 2)
      slot.max = static_cast<unsigned>(*bound(1));
    if (slot.min > slot.max)
      fail(key, "has its bounds in the wrong order");
  }
  template <class E>
  void word(StringRef key, E &slot,
            ArrayRef<std::pair<StringLiteral, E>> words) {
    const json::Value *value = take(key);
    if (!value)
      return;
    auto found = value->getAsString();
    std::string known;
    for (const auto &[name, meaning] : words) {
      if (found && *found == name) {
        slot = meaning;
        return;
      }
      known += (known.empty() ? "" : ", ") + name.str();
    }
    fail(key, "is one of " + known);
  }
  void section(StringRef key, function_ref<void(Reader &)> read) {
    if (const json::Value *value = take(key))
      nested(key, *value, read);
  }
  void list(StringRef key,
            function_ref<void(StringRef, const json::Value &)> read) {
    const json::Value *value = take(key);
    if (!value)
      return;
    const Array *array = value->getAsArray();
    if (!array)
      return fail(key, "is a list");
    for (size_t i = 0; i < array->size(); ++i)
      read((key + "[" + Twine(i) + "]").str(), (*array)[i]);
  }
  void nested(StringRef key, const json::Value &value,
              function_ref<void(Reader &)> read) {
    Reader inner(value, path(key) + ".", problem);
    if (problem.empty())
      read(inner);
    inner.finish();
  }
  /// Call last.
  void finish() {
    if (object && problem.empty())
      for (const auto &entry : *object)
        if (!taken.count(entry.first))
          return fail(entry.first, "is no key of a strategy");
  }
  void fail(StringRef key, const Twine &what) {
    if (problem.empty())
      problem = "'" + path(key) + "' " + what.str();
  }

private:
  const Object *object;
  std::string where;
  std::string &problem;
  std::set<StringRef> taken;

  std::string path(StringRef key) const {
    std::string result = where + key.str();
    if (StringRef(result).ends_with("."))
      result.pop_back();
    return result.empty() ? "the strategy" : result;
  }
  const json::Value *take(StringRef key) {
    taken.insert(key);
    return object && problem.empty() ? object->get(key) : nullptr;
  }
};

} // namespace

static void readParent(Reader &reader, ParentChoice &parent) {
  reader.word<By>("by", parent.by,
                  {{"best", By::Best},
                   {"rank", By::Rank},
                   {"tournament", By::Tournament},
                   {"softmax", By::Softmax},
                   {"uniform", By::Uniform},
                   {"newest", By::Newest}});
  reader.count("count", parent.count, 1);
  reader.count("pool", parent.pool, 1);
  reader.positive("temperature", parent.temperature);
  reader.flag("written", parent.written);
}

static void readOperator(Reader &reader, StrategyOperator &operation) {
  reader.text("name", operation.name);
  reader.count("weight", operation.weight, 1);
  reader.range("own", operation.own);
  reader.range("tried", operation.tried);
  reader.range("members", operation.members);
  reader.range("newest", operation.newest);
  reader.flag("slowFirst", operation.slowFirst);
  reader.count("elsewhere", operation.elsewhere);
  reader.flag("mixesKnobs", operation.mixesKnobs);
  reader.flag("mixesPlans", operation.mixesPlans);
  reader.list("parents", [&](StringRef key, const json::Value &value) {
    reader.nested(key, value, [&](Reader &inner) {
      readParent(inner, operation.parents.emplace_back());
    });
  });
  if (operation.name.empty())
    reader.fail("name", "is missing");
}

static void readPrompt(Reader &reader, PromptSections &prompt) {
  reader.flag("best", prompt.best);
  reader.flag("schedule", prompt.schedule);
  reader.flag("evidence", prompt.evidence);
  reader.flag("costs", prompt.costs);
  reader.flag("profile", prompt.profile);
  reader.flag("rationale", prompt.rationale);
  reader.word<Insights>("insights", prompt.insights,
                        {{"none", Insights::None},
                         {"summary", Insights::Summary},
                         {"rationales", Insights::Rationales},
                         {"notes", Insights::Notes}});
  reader.count("rationales", prompt.rationales);
  reader.count("failures", prompt.failures);
  reader.count("rewrites", prompt.rewrites);
}

static void readPopulation(Reader &reader, PopulationRule &population) {
  reader.word<Keep>("keep", population.keep,
                    {{"all", Keep::All},
                     {"elite", Keep::Elite},
                     {"grid", Keep::Grid},
                     {"front", Keep::Front}});
  reader.count("size", population.size, 1);
  reader.count("islands", population.islands, 1);
  reader.count("migrateEvery", population.migrateEvery);
  reader.count("reseedEvery", population.reseedEvery);
  reader.list("axes", [&](StringRef key, const json::Value &value) {
    reader.nested(key, value, [&](Reader &inner) {
      PopulationRule::Axis &axis = population.axes.emplace_back();
      inner.text("metric", axis.metric);
      inner.positive("step", axis.step);
      if (axis.metric.empty())
        inner.fail("metric", "is missing");
    });
  });
  bool needsAxes =
      population.keep == Keep::Grid || population.keep == Keep::Front;
  if (needsAxes && population.axes.empty())
    reader.fail("axes", "is missing");
}

Expected<Strategy> Strategy::parse(StringRef text) {
  Expected<json::Value> value = evo::parseJSON(text);
  if (!value)
    return createStringError("the strategy is no JSON: " +
                             toString(value.takeError()));
  Strategy strategy;
  std::string problem;
  Reader reader(*value, "", problem);
  reader.text("name", strategy.name);
  reader.text("from", strategy.from);
  reader.text("summary", strategy.summary);
  reader.count("perRequest", strategy.perRequest, 1);
  reader.count("requests", strategy.requests, 1);
  reader.count("repairs", strategy.repairs);
  reader.count("depth", strategy.depth);
  reader.count("reflections", strategy.reflections);
  reader.section("population", [&](Reader &inner) {
    readPopulation(inner, strategy.population);
  });
  reader.section("prompt",
                 [&](Reader &inner) { readPrompt(inner, strategy.prompt); });
  reader.list("operators", [&](StringRef key, const json::Value &value) {
    reader.nested(key, value, [&](Reader &inner) {
      readOperator(inner, strategy.operators.emplace_back());
    });
  });
  reader.list("temperatures", [&](StringRef key, const json::Value &value) {
    strategy.temperatures.push_back(reader.positive(key, value));
  });
  reader.word<Choose>("choose", strategy.choose,
                      {{"weight", Choose::Weight},
                       {"ucb", Choose::UCB},
                       {"thompson", Choose::Thompson}});
  reader.positive("exploration", strategy.exploration);
  reader.count("notesEvery", strategy.notesEvery);
  reader.count("notes", strategy.notes, 1);
  reader.list("judges", [&](StringRef key, const json::Value &value) {
    if (auto name = value.getAsString())
      strategy.judges.push_back(name->str());
    else
      reader.fail(key, "is a string");
  });
  reader.positive("minMark", strategy.minMark);
  reader.flag("structured", strategy.structured);
  reader.finish();
  if (problem.empty() && strategy.name.empty())
    problem = "'name' is missing";
  if (problem.empty() && strategy.operators.empty())
    problem = "'operators' is missing";
  if (!problem.empty())
    return createStringError(problem);
  return strategy;
}

static StringRef stem(const embedded::File &file) {
  return StringRef(file.name).rsplit('.').first;
}

std::vector<std::string> Strategy::builtinNames() {
  std::vector<std::string> names;
  for (const embedded::File &file :
       ArrayRef(embedded::evoStrategies, embedded::evoStrategiesCount))
    names.push_back(stem(file).str());
  llvm::sort(names);
  return names;
}

Expected<Strategy> Strategy::load(StringRef nameOrPath) {
  for (const embedded::File &file :
       ArrayRef(embedded::evoStrategies, embedded::evoStrategiesCount))
    if (stem(file) == nameOrPath)
      return parse(StringRef(file.data, file.size));
  if (!nameOrPath.contains('/') && !nameOrPath.ends_with(".json"))
    return createStringError("there is no strategy '" + nameOrPath.str() +
                             "'; there are " + join(builtinNames(), ", ") +
                             ", or the path of a file");
  Expected<std::string> text = readFile(nameOrPath);
  if (!text)
    return text.takeError();
  Expected<Strategy> strategy = parse(*text);
  if (!strategy)
    return createStringError("strategy '" + nameOrPath.str() +
                             "': " + toString(strategy.takeError()));
  return strategy;
}
