// The proposer itself: it remembers nothing but its client, and what it was
// made of. Both are there from the first question on, and may be used by
// several threads.
#include "evo/Proposers/Model/ModelProposer.h"
#include "Generation.h"
#include "evo/Interfaces/Interrupt.h"
#include <mutex>

using namespace mlir;
using namespace evo;
using llm::ModelError;

namespace {

class ModelProposer : public Proposer {
public:
  ModelProposer(std::string name, ModelClientFactory factory,
                ModelProposerOptions options)
      : name(std::move(name)), factory(std::move(factory)),
        options(std::move(options)) {}

  StringRef getName() const override { return name; }
  LogicalResult propose(KernelOp kernel, unsigned count, uint64_t seed,
                        const SearchSession &session) override;
  bool readsCounters() const override { return true; }

private:
  std::string name;
  ModelClientFactory factory;
  ModelProposerOptions options;
  std::mutex preparing;
  std::unique_ptr<llm::ModelClient> client;
  std::optional<llm::PromptLibrary> prompts;
  std::optional<Strategy> strategy;

  llvm::Error prepare();
};

} // namespace

llvm::Error ModelProposer::prepare() {
  std::lock_guard<std::mutex> lock(preparing);
  if (!prompts) {
    llvm::Expected<llm::PromptLibrary> library =
        options.promptDirectory.empty()
            ? llm::PromptLibrary::builtin()
            : llm::PromptLibrary::withFolder(options.promptDirectory);
    if (!library)
      return library.takeError();
    prompts = std::move(*library);
  }
  if (!strategy) {
    llvm::Expected<Strategy> loaded = Strategy::load(options.strategy);
    if (!loaded)
      return loaded.takeError();
    strategy = std::move(*loaded);
  }
  if (!client) {
    llvm::Expected<std::unique_ptr<llm::ModelClient>> made = factory();
    if (!made)
      return made.takeError();
    client = std::move(*made);
  }
  return llvm::Error::success();
}

LogicalResult ModelProposer::propose(KernelOp kernel, unsigned count,
                                     uint64_t seed,
                                     const SearchSession &session) {
  if (count == 0)
    return success();
  // What a model does wrong has no place in the user's kernel.
  Location nowhere = UnknownLoc::get(kernel.getContext());
  if (llvm::Error error = prepare())
    return emitError(nowhere)
           << "proposer '" << name << "': " << llvm::toString(std::move(error));
  Generation generation(kernel, count, name, *client, *prompts, *strategy,
                        options, session);
  llvm::Error error = generation.run(seed);
  if (!error)
    return success();
  bool cancelled = false, exhausted = false, timedOut = false;
  error = llvm::handleErrors(
      std::move(error), [&](std::unique_ptr<ModelError> model) -> llvm::Error {
        cancelled = model->getKind() == ModelError::Kind::Cancelled;
        exhausted = model->getKind() == ModelError::Kind::Exhausted;
        timedOut = model->getKind() == ModelError::Kind::TimedOut;
        return llvm::Error(std::move(model));
      });
  std::string text = client->redact(llvm::toString(std::move(error)));
  if (cancelled && isInterrupted())
    return success(); // the search ends with what it has
  bool isOver = timedOut && session.deadline &&
                std::chrono::steady_clock::now() >= *session.deadline;
  if (exhausted || isOver)
    return emitRemark(nowhere) << "proposer '" << name << "': " << text,
           success();
  if (generation.hasAdded()) {
    emitWarning(nowhere) << "proposer '" << name << "': " << text
                         << "; going on with the candidates so far";
    return success();
  }
  return emitError(nowhere) << "proposer '" << name << "': " << text;
}

std::unique_ptr<Proposer>
evo::createModelProposer(std::string name, ModelClientFactory factory,
                         ModelProposerOptions options) {
  return std::make_unique<ModelProposer>(std::move(name), std::move(factory),
                                         std::move(options));
}
