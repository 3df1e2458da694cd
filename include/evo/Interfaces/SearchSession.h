// What one search of one kernel has to itself. Backends are shared by all
// kernels of a context, which a pass manager may be at in several threads;
// whatever changes while a search runs is here instead, and is handed to whom
// it concerns.
#ifndef EVO_INTERFACES_SEARCHSESSION_H
#define EVO_INTERFACES_SEARCHSESSION_H

#include "evo/Interfaces/Backends.h"
#include "mlir/Pass/AnalysisManager.h"
#include <chrono>

namespace evo {

/// Why a search ends before its budget.
enum class StopReason {
  None,        ///< it does not
  Interrupted, ///< somebody asked for it
  Time,        ///< its seconds are over
  Patience,    ///< so many candidates brought no progress
  Reached,     ///< the time that was wanted
  Floor,       ///< the share of the roofline that was wanted
  Unjudged,    ///< no candidate can be judged
  Exhausted,   ///< the proposer has no more ideas
  Dry,         ///< question after question gave nothing to try
  Failed       ///< an error
};

/// That, and what is said of it.
struct SearchStop {
  StopReason reason = StopReason::None;
  std::string text;

  explicit operator bool() const { return reason != StopReason::None; }
};

/// How a search went, for reports.
struct SearchSummary {
  unsigned candidates = 0; ///< evaluated by this process
  unsigned spent = 0;      ///< evaluated, by earlier processes of it too
  unsigned budget = 0;     ///< candidates that it may evaluate
  double seconds = 0;      ///< by the clock
  double evaluating = 0;   ///< of these, with an evaluation under way
  double proposing = 0;    ///< of these, within the proposer
  /// Within the measurer, by the search and after it; and for how many
  /// variants.
  double measuring = 0;
  unsigned measured = 0;
  unsigned width = 1; ///< evaluations at a time
  SearchStop stopped;
};

/// Something that happened during a search, for whoever watches.
struct SearchEvent {
  std::string candidate;              // name of the proposal
  Stage stage = Stage::Parse;         // where it ended
  std::optional<std::string> failure; // why it failed there; none: it did not
  std::optional<Grade> grade;         // none: nobody judged it
  std::string message;                // of the evidence; may be empty
  double seconds = 0;                 // of this evaluation
  std::vector<std::pair<std::string, double>> timings; // as of an Outcome
  unsigned spent = 0, budget = 0;
  double bestMicros = 0; // of the best so far; 0: none yet
};

/// What a search waits for, for whoever watches: it lasts until the next one.
struct SearchWait {
  std::string what; ///< "m0", "an answer of model 'm'"
  unsigned attempt = 0,
           attempts = 0; ///< of a request, from 1; 0: there are none
  /// When the next attempt is made, where the one before failed.
  std::optional<std::chrono::steady_clock::time_point> retry;
  std::optional<std::string> failure; ///< of that one
};

/// For one thread at a time: the one that is at the kernel.
struct SearchSession {
  SearchSummary summary; ///< of the last search
  /// When the search under way ends, for whoever waits for something; none: it
  /// has no bound of time.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Called after each candidate; may be null.
  std::function<void(const SearchEvent &)> onEvent;
  /// Called by several threads, whenever it waits for something else; may be
  /// null.
  std::function<void(const SearchWait &)> onWait;
  std::unique_ptr<Journal> journal; ///< null: nothing is kept
};

/// The session of a kernel, from its search to whatever else a pass manager
/// does with it: what is measured belongs into the journal of the search. No
/// pass invalidates it; a pass that is at the whole module, and preserves
/// nothing, ends it.
class SessionAnalysis {
public:
  /// Opens the session of `kernel`, as the backends of its context say.
  explicit SessionAnalysis(mlir::Operation *kernel);
  bool isInvalidated(const mlir::AnalysisManager::PreservedAnalyses &) {
    return false;
  }
  SearchSession &get() { return *session; }

private:
  std::shared_ptr<SearchSession> session;
};

} // namespace evo

#endif
