// evo-opt answer: the half of an exchange that has a network. A search
// elsewhere leaves request files in a folder; this answers those that have no
// answer, under the same caps as any other asking, and ends.
#include "ModelSetup.h"
#include "Spending.h"
#include "Verbs.h"
#include "evo/LLM/ExchangeClient.h"
#include "llvm/Support/FileSystem.h"

using namespace evo;

/// A client as the proposer llm has one, entered in the ledger.
static llvm::Expected<std::unique_ptr<llm::ModelClient>>
makeClient(const VerbOptions &options, std::shared_ptr<llm::Ledger> ledger) {
  BackendOptions backends = backendOptions(options);
  backends.ledger = std::move(ledger);
  return createModelClient("llm", modelMeans(backends));
}

int evo::runAnswer(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'answer' takes one folder"), WrongInput;
  const std::string &folder = options.inputs[0];
  auto fail = [&](llvm::Error error, ExitCode code) {
    reportError(options, llvm::toString(std::move(error)));
    return code;
  };
  if (!llvm::sys::fs::is_directory(folder))
    return reportError(options, "there is no folder '" + folder + "'"),
           WrongInput;
  llvm::Expected<std::shared_ptr<llm::Ledger>> ledger = makeLedger(options);
  if (!ledger)
    return fail(ledger.takeError(), WrongInput);
  auto open = llm::openRequests(folder);
  if (!open)
    return fail(open.takeError(), WrongInput);
  auto client = makeClient(options, *ledger);
  if (!client)
    return fail(client.takeError(), WrongInput);
  if (llvm::Error error = checkPrices(options, **ledger))
    return fail(std::move(error), WrongInput);
  std::vector<llm::ModelRequest> requests;
  bool isCapped = options.maxTokens > 0 || options.maxMoney > 0;
  for (llm::OpenRequest &entry : *open) {
    // The side that pays may bound the answer, or has to.
    if (options.answerTokens > 0)
      entry.request.maxTokens = options.answerTokens;
    else if (isCapped && entry.request.maxTokens == 0)
      entry.request.maxTokens = 16384;
    if (options.temperature >= 0)
      entry.request.temperature = options.temperature;
    requests.push_back(entry.request);
  }
  unsigned written = 0;
  ExitCode code = Done;
  // Each is written as it comes: it is paid for, and the next may take long.
  auto take = [&](size_t i, llvm::Expected<llm::ModelAnswer> answer) {
    const std::string &id = (*open)[i].id;
    if (!answer) {
      code = fail(llvm::createStringError("no answer to '" + id + "': " +
                                          llvm::toString(answer.takeError())),
                  Infrastructure);
      return;
    }
    if (llvm::Error error = llm::writeAnswer(folder, id, *answer)) {
      code = fail(std::move(error), Infrastructure);
      return;
    }
    ++written;
  };
  llm::completeEach(**client, requests, take);
  llvm::outs() << written << " of " << requests.size()
               << " open requests answered\n";
  printSpending(llvm::outs(), SearchSummary(), **ledger);
  return code;
}
