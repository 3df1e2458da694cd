// The clients behind llm, exchange and replay.
#include "Clients.h"
#include "evo/Interfaces/Interrupt.h"
#include "evo/LLM/ExchangeClient.h"
#include "evo/LLM/HttpModelClient.h"
#include "evo/LLM/Recording.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

using namespace evo;
using llm::ModelError;

using Client = std::unique_ptr<llm::ModelClient>;

/// Milliseconds of at most some years, which every clock can count.
static std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(
      static_cast<int64_t>(std::clamp(seconds, 0.0, 1e8) * 1000));
}

static llm::EarlierAnswers earlierAnswers(const ModelMeans &means) {
  if (!means.ledger)
    return nullptr;
  return [ledger = means.ledger](llvm::StringRef hash) {
    return ledger->answeredBefore(hash);
  };
}

static Client metered(Client client, const ModelMeans &means, bool isBilled) {
  if (!means.ledger)
    return client;
  return std::make_unique<llm::MeteredClient>(std::move(client), means.ledger,
                                              means.model, isBilled);
}

/// What is entered is what was recorded, with its secrets taken out.
static Client recorded(Client client, const ModelMeans &means, bool isBilled) {
  if (!means.recordDirectory.empty())
    client = std::make_unique<llm::RecordingClient>(std::move(client),
                                                    means.recordDirectory);
  return metered(std::move(client), means, isBilled);
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

static llvm::Expected<Client> makeLiveClient(const ModelMeans &means) {
  auto missing = [](const llvm::Twine &what) {
    return llm::modelError(ModelError::Kind::Configuration, what);
  };
  bool isChat = means.form == llm::WireForm::ChatCompletions;
  if (means.baseURL.empty())
    return missing(llvm::Twine("needs the address of a ") +
                   (isChat ? "chat-completions" : "messages") +
                   " server (--base-url)");
  if (means.model.empty())
    return missing("needs the name of a model (--model)");
  llm::HttpModelOptions options;
  options.form = means.form;
  options.baseUrl = means.baseURL;
  options.model = means.model;
  options.shouldStop = isInterrupted;
  options.retry.maxAttempts = means.attempts;
  options.clock = means.clock;
  if (means.answerSeconds > 0) {
    options.attemptTimeout = milliseconds(means.answerSeconds);
    options.stallWindow = options.attemptTimeout / 10;
    options.connectTimeout =
        std::min(options.connectTimeout, options.attemptTimeout);
    options.overallTimeout =
        milliseconds(2 * means.answerSeconds * means.attempts);
  }
  options.keyVariable = means.keyVariable;
  options.keyFile = means.keyFile;
  for (const auto &[name, variable] : means.headers)
    options.headers.push_back({name, "", variable});
  const char *usual = isChat ? "OPENAI_API_KEY" : "ANTHROPIC_API_KEY";
  if (options.keyVariable.empty() && options.keyFile.empty())
    for (const char *variable : {"EVO_API_KEY", usual})
      if (options.keyVariable.empty() && isSet(variable))
        options.keyVariable = variable;
  bool hasSecret = !options.keyVariable.empty() || !options.keyFile.empty() ||
                   !options.headers.empty();
  if (!hasSecret && !isLocal(means.baseURL))
    return missing(llvm::Twine("needs a key in EVO_API_KEY or ") + usual +
                   " (or --api-key-env, --api-key-file or --header)");
  auto client = llm::HttpModelClient::create(std::move(options));
  if (!client)
    return client.takeError();
  return recorded(std::move(*client), means, /*isBilled=*/true);
}

static llvm::Expected<Client> makeExchangeClient(const ModelMeans &means) {
  if (means.exchangeDirectory.empty())
    return llm::modelError(ModelError::Kind::Configuration,
                           "needs a folder of requests and answers "
                           "(--exchange-dir)");
  llm::ExchangeOptions options;
  options.folder = means.exchangeDirectory;
  options.timeout = milliseconds(means.exchangeTimeout);
  options.shouldStop = isInterrupted;
  options.earlierAnswers = earlierAnswers(means);
  return recorded(std::make_unique<llm::ExchangeClient>(std::move(options)),
                  means, /*isBilled=*/false);
}

static llvm::Expected<Client> makeReplayClient(const ModelMeans &means) {
  if (means.replayDirectory.empty())
    return llm::modelError(ModelError::Kind::Configuration,
                           "needs a folder of recorded answers (--replay-dir)");
  if (!llvm::sys::fs::is_directory(means.replayDirectory))
    return llm::modelError(ModelError::Kind::Files, "there is no folder '" +
                                                        means.replayDirectory +
                                                        "'");
  return metered(
      std::make_unique<llm::ReplayClient>(
          means.replayDirectory,
          means.replayByTask ? llm::ReplayMatch::Task : llm::ReplayMatch::Exact,
          earlierAnswers(means)),
      means, /*isBilled=*/false);
}

llvm::Expected<Client> evo::createModelClient(llvm::StringRef name,
                                              const ModelMeans &means) {
  if (means.dryRun)
    return std::make_unique<llm::DryRunClient>(means.dryRun);
  if (name == "llm")
    return makeLiveClient(means);
  if (name == "exchange")
    return makeExchangeClient(means);
  if (name == "replay")
    return makeReplayClient(means);
  return llm::modelError(ModelError::Kind::Configuration,
                         // unreachable: these are all that are registered
                         "the proposer '" + name + "' asks no model");
}

std::pair<FactSource, std::string> evo::factsOf(llvm::StringRef name,
                                                const ModelMeans &means) {
  if (name == "replay")
    return {FactSource::Replay, means.replayDirectory};
  if (means.recordDirectory.empty())
    return {FactSource::IR, ""};
  return {FactSource::Record, means.recordDirectory};
}

std::vector<std::unique_ptr<Proposer>>
evo::createModelProposers(const ModelMeans &means,
                          ModelProposerOptions options) {
  std::vector<std::unique_ptr<Proposer>> proposers;
  for (const char *name : {"llm", "exchange", "replay"}) {
    std::tie(options.facts, options.factDirectory) = factsOf(name, means);
    proposers.push_back(createModelProposer(
        name, [name, means] { return createModelClient(name, means); },
        options));
  }
  return proposers;
}
