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
  unsigned width = 1;  ///< evaluations at a time
  std::string stopped; ///< why it ended before its budget; empty: it did not
};

/// Something that happened during a search, for whoever watches.
struct SearchEvent {
  std::string candidate;      // name of the proposal
  Stage stage = Stage::Parse; // where it ended
  std::string result;         // grade, or why it failed
  double seconds = 0;         // of this evaluation
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
  std::string failure; ///< of that one
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
