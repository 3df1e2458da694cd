// Candidates of an answer as proposals of a kernel.
#ifndef EVO_LIB_PROPOSERS_MODEL_ANSWERS_H
#define EVO_LIB_PROPOSERS_MODEL_ANSWERS_H

#include "History.h"
#include "evo/LLM/AnswerParser.h"

namespace evo {

/// Adds proposals at the end of a kernel, all of one generation.
class ProposalWriter {
public:
  ProposalWriter(KernelOp kernel, llvm::StringRef proposer, int64_t generation)
      : kernel(kernel), proposer(proposer), generation(generation) {}

  /// Where the next proposals belong, for a strategy that has islands.
  void setIsland(unsigned number) { island = number; }

  /// Of the request whose candidates come next: its id, its model (may be
  /// empty), the tokens that each candidate cost (0: unknown) and their price.
  void setRequest(llvm::StringRef id, llvm::StringRef model, uint64_t tokens,
                  std::optional<double> money = std::nullopt);
  /// Notes that the next proposal carries.
  void setNotes(std::vector<std::string> lines) { insights = std::move(lines); }

  /// `parent` may be empty; `best` (may be null) is what options alone are
  /// meant for, and `schedule` (may be null) what knob values alone are for.
  /// True where the proposal can be tried.
  bool add(const llm::ParsedCandidate &candidate, llvm::StringRef parent,
           const Attempt *best, llvm::StringRef operation,
           const PromptSchedule *schedule);
  /// The record of an answer without any candidate. `text` is kept up to 64
  /// KiB.
  void addUnusable(llvm::StringRef text, llvm::StringRef problems,
                   llvm::StringRef parent, llvm::StringRef operation,
                   FaultKind fault);
  /// Problems of an answer of which something could be used.
  void note(const std::vector<std::string> &problems);
  /// A candidate that nobody was asked for.
  void addUnasked(Genome genome, llvm::StringRef text,
                  mlir::DictionaryAttr options, llvm::StringRef parent,
                  llvm::StringRef rationale, llvm::StringRef operation);
  ProposalOp newest() const { return last; }
  /// The symbol that the next proposal will have.
  std::string nextSymbol();

private:
  KernelOp kernel;
  llvm::StringRef proposer;
  int64_t generation;
  std::optional<unsigned> island;
  std::string request, model;
  uint64_t tokens = 0;
  std::optional<double> money;
  std::vector<std::string> insights;
  ProposalOp last;

  ProposalOp create(Genome genome, llvm::StringRef text,
                    mlir::DictionaryAttr options, llvm::StringRef parent,
                    llvm::StringRef rationale, llvm::StringRef operation);
};

/// Whether options alone that are meant for `base` (may be null) are for the
/// plan of the kernel's reference, whose launches can be rewritten.
bool isReferencePlan(KernelOp kernel, const Attempt *base);

/// The text without claims that only measuring passes may make: `// evo.`
/// lines and attributes of evidence, resources and cost.
std::string withoutClaims(llvm::StringRef text);

/// Takes a failure that concerns an answer which can be done without, or that
/// was not recorded, as if nobody had been asked; hands on all others.
llvm::Error unlessOptional(llvm::Error error);

} // namespace evo

#endif
