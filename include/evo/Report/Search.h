// What is known of one search, wherever it was read: plain data, of which the
// page is made. All texts come from users and models and are shown, never
// interpreted. Times of kernels are microseconds, other times seconds.
#ifndef EVO_REPORT_SEARCH_H
#define EVO_REPORT_SEARCH_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace evo::report {

/// A name and what it is, for tables.
struct Entry {
  std::string name, value;
};

/// What a kernel takes on the device.
struct Resources {
  int64_t registers = 0, spillBytes = 0, sharedBytes = 0;
};

struct Candidate {
  std::string name; ///< of the proposal
  std::string parent, proposer, options, rationale, code, model;
  std::optional<Genome> genome;       ///< none: nobody knows
  std::optional<Stage> stage;         ///< where it failed; none: it did not
  std::optional<std::string> failure; ///< and why
  /// Kind of the failure (evo/Support/FaultKind.h), where that is known.
  std::string fault;
  std::string grade; ///< empty: it was not judged
  std::vector<Entry> evidence;
  std::vector<std::string> requirements; ///< it is for these sizes only
  std::optional<Resources> resources;
  std::vector<Entry> estimate; ///< what the estimate says beside the time
  std::vector<Entry> counters; ///< what was counted on a device, by metric
  std::optional<double> estimated, measured;
  /// Of the estimate: the time of its arithmetic alone at the target's peak.
  std::optional<double> arithmetic;
  std::optional<double> elapsed; ///< from the run's start to its outcome
  std::optional<double> seconds; ///< that its evaluation took

  bool isAccepted() const;
  bool isTried() const; ///< it has an outcome
  /// Why it is not accepted, in a few words that others share: the reason of a
  /// refutation, else the stage. Empty where it is accepted or not tried yet.
  std::string cause() const;
  std::optional<double> time(bool isMeasured) const {
    return isMeasured ? measured : estimated;
  }
};

/// Requests to models, of one stage and model, or of one stage (`model` empty).
struct Spending {
  std::string stage, model;
  int64_t requests = 0, withoutBill = 0, inputTokens = 0, outputTokens = 0,
          cachedTokens = 0;
  double money = 0;
  std::optional<double> seconds;
};

struct Search {
  std::string kernel, tool, settings, seed;
  std::string started; ///< UTC
  std::string machine; ///< that estimates, or measured times, are for
  std::optional<std::string> stopped; ///< why it ended before its budget
  std::string best; ///< name of a candidate; empty: none was selected
  std::vector<std::string> specialized;
  /// Those tried, in the order of their outcomes as far as that is known.
  std::vector<Candidate> candidates;
  /// Minimum time for the data alone, and for data and arithmetic.
  std::optional<double> bytesFloor, floor;
  std::vector<std::string> workloads;
  std::string input;         ///< the kernel as it was given
  std::string winner;        ///< as a whole file
  bool areBothPlans = false; ///< in MLIR, for want of the winner's source
  std::vector<Spending> spending;
  std::string currency, pricesOf;
  std::vector<Entry> times; ///< where the search's seconds went
  bool isFromFolder = false, isFromJournal = false;
  /// What could not be shown, and why.
  std::vector<std::string> missing;

  Candidate *find(llvm::StringRef name);
  const Candidate *find(llvm::StringRef name) const;
  /// That with the name, which is added where there is none.
  Candidate &get(llvm::StringRef name);
  /// Whether times are compared as measured.
  bool isMeasured() const;
  const Candidate *baseline() const { return find(baselineName); }
  /// The one selected, else the fastest that was accepted for all sizes; null
  /// where there is none.
  const Candidate *findBest() const;
  /// How many times as fast as the baseline; nothing where either lacks a time.
  std::optional<double> speedup(const Candidate &candidate) const;
  bool hasTimes() const; ///< whether each candidate that was tried has one
};

} // namespace evo::report

#endif
