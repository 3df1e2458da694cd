// How models are reached, and asked, by the driver's options.
#include "ModelSetup.h"
#include "PromptSchedules.h"
#include "evo/Journal/Journal.h"
#include "evo/Proposers/Model/Strategy.h"
#include "evo/Support/Digest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace evo;

static std::vector<std::string> modelsOf(const BackendOptions &options) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(options.model).split(names, ',', -1, /*KeepEmpty=*/false);
  return std::vector<std::string>(names.begin(), names.end());
}

ModelMeans evo::modelMeans(const BackendOptions &options) {
  ModelMeans means;
  means.exchangeDirectory = options.exchangeDirectory;
  means.recordDirectory = options.recordDirectory;
  means.replayDirectory = options.replayDirectory;
  means.replayByTask = options.replayByTask;
  if (options.messagesForm)
    means.form = llm::WireForm::Messages;
  if (options.attempts)
    means.attempts = options.attempts;
  means.answerSeconds = options.answerSeconds;
  means.ledger = options.ledger;
  means.dryRun = options.dryRun;
  if (std::vector<std::string> models = modelsOf(options); !models.empty())
    means.model = models.front();
  means.baseURL = options.baseURL;
  means.keyVariable = options.keyVariable;
  means.keyFile = options.keyFile;
  means.headers = options.headers;
  if (options.exchangeTimeout > 0)
    means.exchangeTimeout = options.exchangeTimeout;
  return means;
}

/// Programs out of the journal at `path`, as prompts show them.
static llvm::Expected<std::vector<ElsewhereProgram>>
readArchive(const std::string &path, KernelOp kernel, unsigned count) {
  auto found = findSimilar(path, kernel, count);
  if (!found)
    return found.takeError();
  std::vector<ElsewhereProgram> programs;
  for (ArchivedProgram &program : *found)
    programs.push_back({program.kernel, program.candidate, program.language,
                        program.code, program.rationale, program.speedup});
  return programs;
}

ModelProposerOptions evo::proposerOptions(const BackendOptions &options,
                                          mlir::MLIRContext *context) {
  ModelProposerOptions asking;
  asking.target = parseTarget(context, options.target);
  if (options.temperature >= 0)
    asking.temperature = options.temperature;
  asking.maxTokens = options.answerTokens;
  asking.promptDirectory = options.promptDirectory;
  asking.strategy = options.strategy;
  asking.structured = options.structured;
  asking.schedules = makePromptSchedules();
  asking.models = modelsOf(options);
  if (options.ledger)
    asking.prices = std::shared_ptr<const llm::PriceTable>(
        options.ledger, &options.ledger->priceTable());
  if (!options.archive.empty())
    asking.archive = [path = options.archive](KernelOp kernel, unsigned count) {
      return readArchive(path, kernel, count);
    };
  return asking;
}

/// The files of `folder`, sorted; none where there is no such folder.
static std::vector<std::string> filesIn(llvm::StringRef folder) {
  std::vector<std::string> paths;
  std::error_code error;
  if (!folder.empty())
    for (llvm::sys::fs::directory_iterator file(folder, error), end;
         !error && file != end; file.increment(error))
      paths.push_back(file->path());
  llvm::sort(paths);
  return paths;
}

/// A digest of names and contents, empty where no file can be read.
static std::string digestFiles(llvm::ArrayRef<std::string> paths) {
  std::string all;
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      continue;
    llvm::StringRef text = (*buffer)->getBuffer();
    all += (llvm::sys::path::filename(path) + ":" + llvm::Twine(text.size()) +
            ":" + text)
               .str();
  }
  return all.empty() ? all : digest(all, 8);
}

std::string evo::describeMeans(const BackendOptions &options) {
  std::string text = "std=" + options.cudaStandard;
  auto add = [&](llvm::StringRef key, llvm::StringRef value) {
    if (!value.empty())
      text += (" " + key + "=" + value).str();
  };
  for (const std::string &directory : options.includes)
    add("I", directory);
  for (const std::string &define : options.defines)
    add("D", define);
  // What stands in a file decides, whatever its name.
  add("strategy", options.strategy);
  if (!llvm::is_contained(Strategy::builtinNames(), options.strategy))
    add("strategy-digest", digestFiles({options.strategy}));
  add("model", options.model);
  add("prompts", digestFiles(filesIn(options.promptDirectory)));
  add("structured", options.structured ? "1" : "");
  add("api", options.messagesForm ? "messages" : "");
  // Not the address: a server that has moved is the same model's.
  if (options.temperature >= 0)
    add("temperature", std::to_string(options.temperature));
  if (options.answerTokens > 0)
    add("answer-tokens", std::to_string(options.answerTokens));
  add("replay", options.replayDirectory);
  add("replay-match", options.replayByTask ? "task" : "");
  return text;
}
