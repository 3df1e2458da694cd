// How a model is led through a search, as data: which operators ask for what,
// whom they are shown, what a prompt holds, and which candidates stay in the
// population. The files in strategies/ are built in; strategies/README.md has
// their form. A strategy has no state of its own: all that it decides follows
// from the candidates in the IR and the seed, so a search that was stopped goes
// on as if it had not been.
#ifndef EVO_PROPOSERS_MODEL_STRATEGY_H
#define EVO_PROPOSERS_MODEL_STRATEGY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <climits>
#include <string>
#include <vector>

namespace evo {

/// Inclusive bounds of a count.
struct CountRange {
  unsigned min = 0, max = UINT_MAX;
  bool contains(size_t count) const { return count >= min && count <= max; }
};

/// How members of the population become parents in a prompt.
struct ParentChoice {
  enum class By {
    Best,       ///< the fastest not yet chosen
    Rank,       ///< p proportional to 1 / (r + n), r counted from the fastest
    Tournament, ///< the first in order of `pool` members drawn evenly
    Softmax, ///< by groups of equal time, p proportional to exp(-t/(t_best T))
    Uniform, ///< evenly
    Newest   ///< the member made last
  };
  By by = By::Best;
  unsigned count = 1;
  unsigned pool = 2;        ///< of a tournament
  double temperature = 0.1; ///< of softmax
  bool written = false;     ///< only what the model wrote
};

struct StrategyOperator {
  std::string name; ///< of the template "operator-<name>"
  unsigned weight = 1;
  /// When it may be drawn: accepted candidates of the model on the island,
  /// candidates tried anywhere, members of the population at hand, and accepted
  /// candidates of the newest generation.
  CountRange own, tried, members, newest;
  std::vector<ParentChoice> parents;
  /// Parents are shown slowest first, so that the prompt ends with the best.
  bool slowFirst = false;
  /// The best programs of so many similar kernels are shown, out of an archive.
  unsigned elsewhere = 0;
  /// Asks nobody: the child of two schedules, each knob from either of them.
  bool mixesKnobs = false;
  /// Asks nobody: the child of two launch plans, the first launches of one and
  /// the last of the other.
  bool mixesPlans = false;
  bool asksNobody() const { return mixesKnobs || mixesPlans; }
};

/// What a prompt holds besides contract, reference and instruction.
struct PromptSections {
  bool best = true;
  bool schedule = false; ///< its text, and not the table of its knobs alone
  // Of each program that is shown:
  bool evidence = true, costs = true, profile = true, rationale = true;
  /// Summary: what was accepted and what is being tried. Rationales: at most
  /// `rationales` of earlier candidates, drawn at random. Notes: what the model
  /// wrote down when it was asked to (Strategy::notesEvery).
  enum class Insights { None, Summary, Rationales, Notes };
  Insights insights = Insights::Summary;
  unsigned rationales = 3;
  unsigned failures = UINT_MAX; ///< at most
  /// Ideas that made other kernels faster, out of an archive, at most.
  unsigned rewrites = 0;
};

/// Which candidates stay, beside the reference's own variant.
struct PopulationRule {
  enum class Keep {
    All,
    Elite, ///< the `size` fastest
    Grid,  ///< the fastest of each cell of the axes
    Front  ///< the `size` first by non-dominated sorting, then by crowding
  };
  /// A number of the profile, by the beginning of its name; "time" is the time.
  struct Axis {
    std::string metric;
    double step = 1; ///< width of a cell; of no use to a front
  };
  Keep keep = Keep::All;
  unsigned size = UINT_MAX;
  std::vector<Axis> axes;
  unsigned islands = 1;
  /// Generations between copies of each island's best to the next one, and
  /// between restarts of the slower half from the best of a faster island; 0:
  /// never.
  unsigned migrateEvery = 0, reseedEvery = 0;
};

struct Strategy {
  std::string name, from, summary;
  /// Candidates per request; 0: the proposer's default.
  unsigned perRequest = 0;
  /// Requests before their first candidate is evaluated, all at once, so that
  /// none has word of the others.
  unsigned requests = 1;
  unsigned repairs = 1; ///< corrections in a row that are asked for
  /// Generations after which the search ends, those in which nothing was
  /// accepted not counted; 0: it goes on.
  unsigned depth = 0;
  /// How often a model looks over its own answer before anything is built.
  unsigned reflections = 0;
  PopulationRule population;
  std::vector<StrategyOperator> operators;
  PromptSections prompt;
  /// One is drawn for each request; empty: the provider's default.
  std::vector<double> temperatures;
  /// How an operator (and a model, where there are several) is chosen: by
  /// weight, or by what it brought for what it cost (Bandit.h).
  enum class Choose { Weight, UCB, Thompson };
  Choose choose = Choose::Weight;
  double exploration = 0.5;
  /// Generations between two requests for notes; 0: never.
  unsigned notesEvery = 0;
  unsigned notes = 8; ///< lines at most
  /// Templates "judge-<name>" by which a model marks each candidate, 0 to 10,
  /// before it is built; one whose mean mark is below `minMark` is not built.
  std::vector<std::string> judges;
  double minMark = 5;
  /// Answers are asked for by the JSON schema.
  bool structured = false;

  /// Parses the form of strategies/README.md. An error names the key.
  static llvm::Expected<Strategy> parse(llvm::StringRef json);
  /// The built-in one of that name, else the file of that name. An error of an
  /// unknown name lists those that there are.
  static llvm::Expected<Strategy> load(llvm::StringRef nameOrPath);
  static std::vector<std::string> builtinNames();
};

} // namespace evo

#endif
