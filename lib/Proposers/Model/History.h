// What was tried before on a kernel, read from its IR: each proposal with what
// became of it, and the order of those that were accepted.
#ifndef EVO_LIB_PROPOSERS_MODEL_HISTORY_H
#define EVO_LIB_PROPOSERS_MODEL_HISTORY_H

#include "Facts.h"
#include "evo/Interfaces/Backends.h"

namespace evo {

/// Discardable attributes of proposals by a model, beside requestAttr and
/// modelAttr.
inline constexpr llvm::StringLiteral generationAttr = "evo.generation";
inline constexpr llvm::StringLiteral operatorAttr = "evo.operator";
inline constexpr llvm::StringLiteral notesAttr = "evo.notes";
/// The island on which a proposal was made, for a strategy that has islands.
inline constexpr llvm::StringLiteral islandAttr = "evo.island";
/// The tokens that a proposal cost, with their price where that is known.
inline constexpr llvm::StringLiteral tokensAttr = "evo.tokens";
inline constexpr llvm::StringLiteral moneyAttr = "evo.money";
/// Notes on the search, as of the proposal that carries them.
inline constexpr llvm::StringLiteral insightsAttr = "evo.insights";

enum class AttemptOutcome { Pending, Failed, Refuted, Undecided, Accepted };

struct Attempt {
  ProposalOp proposal; ///< null for a variant that nobody proposed
  VariantOp variant;   ///< null where none was made
  AttemptOutcome outcome = AttemptOutcome::Pending;
  VariantFacts facts;
  /// Weighted: measured, else estimated and corrected by what was measured.
  std::optional<double> time;

  std::string name() const;
  std::string rationale() const;
  /// One line, and what the stage said.
  std::string verdict() const, diagnostics() const;
  /// The verdict of an accepted one with its weighted time, and whether that
  /// was measured; of others the verdict alone.
  std::string describeOutcome() const;
  bool isSpecialized() const {
    return variant && VariantOp(variant).getRequirementsAttr();
  }
  /// The generation of a model's proposal, -1 for others.
  int64_t generation() const;
};

struct History {
  std::vector<Attempt> attempts; ///< oldest first
  /// Accepted ones, fastest first, those for all sizes before specialised ones.
  std::vector<const Attempt *> ranked;
  bool measured = false; ///< whether all times are that can be
  int64_t newestGeneration = -1;
  /// Notes that no proposal carries yet.
  std::vector<std::string> freshNotes;

  static llvm::Expected<History> read(KernelOp kernel, const FactStore &store);
  const Attempt *best() const { return ranked.empty() ? nullptr : ranked[0]; }
  /// How many of the model's newest generation were accepted.
  size_t acceptedInNewest() const;
  /// The minimum time that the arithmetic of an accepted one takes at peak, at
  /// the workload `index`; 0 where that is not known.
  double minArithmetic(size_t index) const;
  /// How many of the model's candidates were earlier ones again, or differed
  /// from one in constants only; empty where none did.
  std::string repetitions() const;
  /// The newest notes, and the generation that they were written before.
  std::vector<std::string> notes() const;
  int64_t notesGeneration() const;
  /// Failed ones of the newest generation that are not yet the `repairs`-th
  /// correction in a row, oldest first.
  std::vector<const Attempt *> toRepair(KernelOp kernel,
                                        unsigned repairs) const;
};

/// A program as a prompt shows it.
struct ProgramText {
  std::string language, code;
  /// What is not in the code: rewrites and options of code generation.
  std::vector<std::pair<std::string, std::string>> settings;
};

ProgramText referenceProgram(KernelOp kernel);
ProgramText programOf(KernelOp kernel, const Attempt &attempt);

} // namespace evo

#endif
