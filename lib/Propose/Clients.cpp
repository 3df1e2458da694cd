// The clients behind llm, exchange and replay.
#include "evo/LLM/ChatCompletionsClient.h"
#include "evo/LLM/ExchangeClient.h"
#include "evo/LLM/Recording.h"
#include "evo/Propose/ModelProposer.h"
#include "evo/Search/Interrupt.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace evo;
using llm::ModelError;

using Client = std::unique_ptr<llm::ModelClient>;

static Client recorded(Client client, const ModelMeans &means) {
  if (means.recordDirectory.empty())
    return client;
  return std::make_unique<llm::RecordingClient>(std::move(client),
                                                means.recordDirectory);
}

static bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

/// Whether `url` names this machine.
static bool isLocal(llvm::StringRef url) {
  llvm::StringRef host = url.split("://").second.split('/').first;
  if (host.starts_with("["))
    return host.starts_with("[::1]");
  host = host.split(':').first;
  return host == "localhost" || host == "127.0.0.1";
}

static llvm::Expected<Client> makeChatClient(const ModelMeans &means) {
  auto missing = [](const llvm::Twine &what) {
    return llm::modelError(ModelError::Kind::Configuration, what);
  };
  if (means.baseURL.empty())
    return missing("needs the address of a chat-completions server "
                   "(--base-url)");
  if (means.model.empty())
    return missing("needs the name of a model (--model)");
  llm::ChatCompletionsOptions options;
  options.baseUrl = means.baseURL;
  options.model = means.model;
  options.shouldStop = isInterrupted;
  options.keyVariable = means.keyVariable;
  if (options.keyVariable.empty())
    for (const char *variable : {"EVO_API_KEY", "OPENAI_API_KEY"})
      if (options.keyVariable.empty() && isSet(variable))
        options.keyVariable = variable;
  if (options.keyVariable.empty() && !isLocal(means.baseURL))
    return missing("needs a key in EVO_API_KEY or OPENAI_API_KEY "
                   "(or --api-key-env)");
  auto client = llm::ChatCompletionsClient::create(std::move(options));
  if (!client)
    return client.takeError();
  return recorded(std::move(*client), means);
}

static llvm::Expected<Client> makeExchangeClient(const ModelMeans &means) {
  if (means.exchangeDirectory.empty())
    return llm::modelError(ModelError::Kind::Configuration,
                           "needs a folder of requests and answers "
                           "(--exchange-dir)");
  llm::ExchangeOptions options;
  options.folder = means.exchangeDirectory;
  options.timeout = std::chrono::milliseconds(
      static_cast<int64_t>(means.exchangeTimeout * 1000));
  options.shouldStop = isInterrupted;
  return recorded(std::make_unique<llm::ExchangeClient>(std::move(options)),
                  means);
}

static llvm::Expected<Client> makeReplayClient(const ModelMeans &means) {
  if (means.replayDirectory.empty())
    return llm::modelError(ModelError::Kind::Configuration,
                           "needs a folder of recorded answers (--replay-dir)");
  if (!llvm::sys::fs::is_directory(means.replayDirectory))
    return llm::modelError(ModelError::Kind::Files, "there is no folder '" +
                                                        means.replayDirectory +
                                                        "'");
  return std::make_unique<llm::ReplayClient>(
      means.replayDirectory,
      means.replayByTask ? llm::ReplayMatch::Task : llm::ReplayMatch::Exact);
}

std::vector<std::unique_ptr<Proposer>>
evo::createModelProposers(const ModelMeans &means,
                          ModelProposerOptions options) {
  std::vector<std::unique_ptr<Proposer>> proposers;
  auto add = [&](std::string name,
                 llvm::Expected<Client> (*make)(const ModelMeans &),
                 FactSource facts, const std::string &folder) {
    ModelProposerOptions own = options;
    own.facts = facts;
    own.factDirectory = folder;
    proposers.push_back(createModelProposer(
        std::move(name), [make, means] { return make(means); },
        std::move(own)));
  };
  FactSource live =
      means.recordDirectory.empty() ? FactSource::IR : FactSource::Record;
  add("llm", makeChatClient, live, means.recordDirectory);
  add("exchange", makeExchangeClient, live, means.recordDirectory);
  add("replay", makeReplayClient, FactSource::Replay, means.replayDirectory);
  return proposers;
}
