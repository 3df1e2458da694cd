// An account of the winner, asked for once a search is over.
#include "Clients.h"
#include "Generation.h"

using namespace mlir;
using namespace evo;

llvm::Expected<std::string> evo::explainVariant(KernelOp kernel, VariantOp best,
                                                StringRef name,
                                                const ModelMeans &means,
                                                ModelProposerOptions options) {
  std::tie(options.facts, options.factDirectory) = factsOf(name, means);
  auto prompts = options.promptDirectory.empty()
                     ? llm::PromptLibrary::builtin()
                     : llm::PromptLibrary::withFolder(options.promptDirectory);
  if (!prompts)
    return prompts.takeError();
  llvm::Expected<History> history =
      History::read(kernel, FactStore(options.facts, options.factDirectory));
  if (!history)
    return history.takeError();
  const Attempt *found = nullptr;
  for (const Attempt &attempt : history->attempts)
    if (attempt.variant && attempt.variant == best)
      found = &attempt;
  if (!found)
    // unreachable: it is asked of the best, which is one of them
    return llvm::createStringError("the variant is not the kernel's");
  PromptSections sections;
  PromptContext context(kernel, *history, sections, options);
  llvm::Expected<std::string> text =
      prompts->render("explain", context.explain(*found));
  if (!text)
    return text.takeError();
  llm::ModelRequest request;
  request.maxTokens = options.maxTokens;
  request.temperature = options.temperature;
  request.task = taskOf(kernel);
  request.stage = "explain";
  request.id = (kernel.getSymName() + "/explain").str();
  request.messages = {{llm::Role::User, std::move(*text)}};
  auto client = createModelClient(name, means);
  if (!client)
    return client.takeError();
  llvm::Expected<llm::ModelAnswer> answer = (*client)->complete(request);
  if (!answer)
    return answer.takeError();
  return (*client)->redact(answer->text);
}
