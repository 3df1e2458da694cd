// The contexts of the templates in prompts/, made from the IR. Their shapes are
// written down in prompts/README.md.
#ifndef EVO_LIB_PROPOSERS_MODEL_PROMPTCONTEXT_H
#define EVO_LIB_PROPOSERS_MODEL_PROMPTCONTEXT_H

#include "History.h"
#include "evo/LLM/AnswerParser.h"
#include "evo/Proposers/Model/Strategy.h"
#include "llvm/Support/JSON.h"

namespace evo {

class PromptContext {
public:
  PromptContext(KernelOp kernel, const History &history,
                const PromptSections &sections,
                const ModelProposerOptions &options);

  llvm::json::Value system() const;
  /// What all requests about the kernel have in common.
  llvm::json::Object task() const;
  /// What a request for new candidates shows; null and empty are left out.
  struct Shown {
    const Attempt *best = nullptr;
    std::vector<const Attempt *> parents;    ///< in full beside the best
    std::vector<const Attempt *> recalled;   ///< by their rationale only
    std::vector<ElsewhereProgram> elsewhere; ///< of other kernels, in full
    std::vector<std::string> rewrites;       ///< of other kernels, in words
    /// Options alone would be for the reference's own plan.
    bool isReferencePlan = false;
    /// Of so many requests that are sent at once it is this one, from 1.
    unsigned number = 1, total = 1;
  };
  llvm::json::Value propose(llvm::StringRef instruction, unsigned candidates,
                            const Shown &shown) const;
  llvm::json::Value
  repairCandidates(llvm::ArrayRef<const Attempt *> failed) const;
  static llvm::json::Value repairAnswer(llvm::StringRef problems);
  /// What was tried after generation `since`, for notes of at most `lines`.
  llvm::json::Value distill(int64_t since, unsigned lines) const;
  /// `proposal` under one aspect.
  llvm::json::Value judge(ProposalOp proposal, llvm::StringRef aspect) const;
  /// The best in full, and what else was tried in a line each.
  llvm::json::Value explain(const Attempt &best) const;

  /// What an answer may be written in.
  const std::vector<llm::GenomeLanguage> &languages() const { return offered; }
  /// The schedule whose knobs are offered; may be null.
  const PromptSchedule *schedule() const { return offer ? &*offer : nullptr; }

private:
  KernelOp kernel;
  const History &history;
  const PromptSections &sections;
  const ModelProposerOptions &options;
  TargetAttrInterface target;
  std::vector<llm::GenomeLanguage> offered;
  std::optional<PromptSchedule> offer;

  std::string describeOutcome(const Attempt &attempt) const;
  llvm::json::Array attempts(int64_t since, const Attempt *without) const;
  llvm::json::Object program(const Attempt &attempt) const;
  llvm::json::Array costs(const Attempt &attempt) const;
  llvm::json::Object failure(const Attempt &attempt, bool withCode,
                             size_t maxCode) const;
  llvm::json::Array failures() const;
  llvm::json::Array insights(llvm::ArrayRef<const Attempt *> recalled) const;
};

} // namespace evo

#endif
