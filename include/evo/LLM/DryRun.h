// What would be asked, without asking. A client that keeps the requests it gets
// and answers none, so that the first prompts of a run can be read, and its
// cost estimated, before anything is paid.
#ifndef EVO_LLM_DRYRUN_H
#define EVO_LLM_DRYRUN_H

#include "evo/LLM/ModelClient.h"
#include <memory>
#include <mutex>

namespace evo::llm {

struct DryRun {
  std::vector<ModelRequest> requests; ///< to be read once nobody asks any more
  std::mutex mutex;                   ///< of those who ask
};

/// Every request is kept, and ends in an error of kind Exhausted.
class DryRunClient : public ModelClient {
public:
  explicit DryRunClient(std::shared_ptr<DryRun> run) : run(std::move(run)) {}
  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override {
    std::lock_guard<std::mutex> lock(run->mutex);
    run->requests.push_back(request);
    return modelError(ModelError::Kind::Exhausted, "a dry run asks nobody");
  }

private:
  std::shared_ptr<DryRun> run;
};

} // namespace evo::llm

#endif
