// Costs and resources of variants as prompts state them. They depend on the
// machine (its GPU, its assembler), so a recorded run keeps them beside the
// model's answers; see ModelProposer.h.
#ifndef EVO_LIB_PROPOSERS_MODEL_FACTS_H
#define EVO_LIB_PROPOSERS_MODEL_FACTS_H

#include "evo/Proposers/Model/ModelProposer.h"

namespace evo {

struct VariantFacts {
  /// Microseconds by workload; empty where unknown.
  std::vector<double> estimated, measured;
  /// Microseconds by workload that its arithmetic alone takes at the target's
  /// peak; empty where unknown.
  std::vector<double> arithmetic;
  /// What the assembler and the estimate say: metric and value.
  std::vector<std::pair<std::string, std::string>> profile;

  bool empty() const {
    return estimated.empty() && measured.empty() && profile.empty();
  }
  const std::vector<double> &best() const {
    return measured.empty() ? estimated : measured;
  }
};

class FactStore {
public:
  FactStore(FactSource source, std::string folder)
      : source(source), folder(std::move(folder)) {}

  /// Fails where the folder cannot be read or written.
  llvm::Expected<VariantFacts> lookup(KernelOp kernel, VariantOp variant) const;

  /// What an archive gives for the request `id`, now or when it was recorded.
  llvm::Expected<std::vector<ElsewhereProgram>>
  elsewhere(KernelOp kernel, llvm::StringRef id, unsigned count,
            const ModelProposerOptions &options) const;

private:
  FactSource source;
  std::string folder;
};

} // namespace evo

#endif
