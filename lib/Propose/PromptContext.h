// The contexts of the templates in prompts/, made from the IR. Their shapes are
// written down in prompts/README.md.
#ifndef EVO_LIB_PROPOSE_PROMPTCONTEXT_H
#define EVO_LIB_PROPOSE_PROMPTCONTEXT_H

#include "History.h"
#include "evo/LLM/AnswerParser.h"
#include "evo/Propose/Strategy.h"
#include "llvm/Support/JSON.h"

namespace evo {

class PromptContext {
public:
  PromptContext(KernelOp kernel, const History &history,
                const PromptSections &sections,
                const ModelProposerOptions &options);

  llvm::json::Value system() const;
  /// What a request for new candidates shows; null and empty are left out.
  struct Shown {
    const Attempt *best = nullptr;
    std::vector<const Attempt *> parents;  ///< in full beside the best
    std::vector<const Attempt *> recalled; ///< by their rationale only
  };
  llvm::json::Value propose(llvm::StringRef instruction, unsigned candidates,
                            const Shown &shown) const;
  llvm::json::Value
  repairCandidates(llvm::ArrayRef<const Attempt *> failed) const;
  static llvm::json::Value repairAnswer(llvm::StringRef problems);

  /// What an answer may be written in.
  const std::vector<llm::GenomeLanguage> &languages() const { return offered; }
  /// The schedule whose knobs are offered; may be null.
  const PromptSchedule *schedule() const { return offer ? &*offer : nullptr; }

private:
  KernelOp kernel;
  const History &history;
  const PromptSections &sections;
  const ModelProposerOptions &options;
  std::vector<llm::GenomeLanguage> offered;
  std::optional<PromptSchedule> offer;

  llvm::json::Object program(const Attempt &attempt) const;
  llvm::json::Array costs(const Attempt &attempt) const;
  llvm::json::Object failure(const Attempt &attempt, bool withCode,
                             size_t maxCode) const;
  llvm::json::Array failures() const;
  llvm::json::Array insights(llvm::ArrayRef<const Attempt *> recalled) const;
};

} // namespace evo

#endif
