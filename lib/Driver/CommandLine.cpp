// The option table and its parser.
#include "CommandLine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>

using namespace llvm;
using namespace evo;

// no diagnostics: help
static constexpr OptionSpec specs[] = {
    {"o", "PATH", "output file, or directory for optimize",
     "optimize lift lower"},
    {"target", "ARCH", "GPU architecture (default sm_90)",
     "optimize verify lower lift reward audit worker"},
    {"budget", "N", "candidates to evaluate (default 32)", "optimize"},
    {"measure-top", "N",
     "variants to time where a GPU is present, best estimate first (default 8, "
     "0: all)",
     "optimize"},
    {"proposer", "NAME", "search, replay, exchange or llm (default search)",
     "optimize"},
    {"seed", "S", "seed of all random choices (default: drawn and reported)",
     "optimize verify lower reward audit"},
    {"effort", "LEVEL", "quick, default or thorough", "verify lower reward"},
    {"seconds", "T", "time for one verification", "verify reward"},
    {"require", "GRADE", "accept only exact, algebraic or numeric evidence",
     "verify"},
    {"exchange-dir", "DIR", "folder of request and answer files", "optimize"},
    {"record", "DIR", "keep the model's answers in this folder", "optimize"},
    {"replay-dir", "DIR", "folder of recorded answers", "optimize"},
    {"replay-match", "HOW",
     "exact: only answers to this very prompt (default); task: also those to "
     "another wording of it",
     "optimize"},
    {"model", "NAME[,NAME]",
     "model to ask; of several, one is chosen for each request",
     "optimize answer"},
    {"api", "FORM",
     "what the server speaks: chat (chat completions, default) or messages "
     "(Anthropic's)",
     "optimize answer"},
    {"base-url", "URL",
     "the server, up to and without /chat/completions or /messages",
     "optimize answer"},
    {"api-key-env", "NAME",
     "variable with the model's key (default EVO_API_KEY, then OPENAI_API_KEY "
     "or ANTHROPIC_API_KEY)",
     "optimize answer"},
    {"api-key-file", "PATH",
     "file with the model's key, in place of a variable", "optimize answer"},
    {"header", "NAME=VARIABLE",
     "header for the model's server, its value out of that variable of the "
     "environment; may be given several times",
     "optimize answer"},
    {"attempts", "N", "how often a request is sent in all (default 5)",
     "optimize answer"},
    {"answer-seconds", "T",
     "how long one answer may take (default 600); one that has begun must "
     "bring "
     "something in each tenth of it",
     "optimize answer"},
    {"answer-tokens", "N",
     "tokens that one answer may have (default: the server's, or 16384 under a "
     "cap)",
     "optimize answer"},
    {"max-tokens", "N", "cap on the tokens of all requests and answers",
     "optimize answer"},
    {"max-money", "X",
     "cap on the cost of all requests, in the price table's currency",
     "optimize answer"},
    {"max-seconds", "T",
     "end the search after so many seconds, a model's answer or not",
     "optimize"},
    {"max-gpu-seconds", "T",
     "measure no further variant once the GPU was used so long", "optimize"},
    {"prices", "FILE", "what tokens cost (default: the table of the build)",
     "optimize answer"},
    {"dry-run", "",
     "print the first request and an estimate of the cost, and ask nobody",
     "optimize"},
    {"stop-at", "MICROS", "stop once a candidate's estimate is this fast",
     "optimize"},
    {"stop-at-floor", "SHARE",
     "stop once a candidate's estimate is this close to its floor: the time to "
     "move the data once, or the least arithmetic seen at peak (0 to 1)",
     "optimize"},
    {"patience", "N", "stop after so many candidates without progress",
     "optimize"},
    {"jobs", "N", "candidates to evaluate at a time (default: one a core)",
     "optimize reward"},
    {"temperature", "T", "sampling temperature of the model",
     "optimize answer"},
    {"exchange-timeout", "T", "seconds to wait for an answer file", "optimize"},
    {"strategy", "NAME",
     "how a model is led: a name of strategies/, or a file (default: default)",
     "optimize"},
    {"structured", "",
     "have answers follow a JSON schema, where the server takes one",
     "optimize"},
    {"journal", "FILE",
     "keep each step in this file, and go on where an earlier run was stopped",
     "optimize"},
    {"archive", "FILE",
     "journal of other searches, for strategies that show what worked there "
     "(default: --journal)",
     "optimize"},
    {"explain", "",
     "have the model explain the winner and what to doubt about it "
     "(explanation.md)",
     "optimize"},
    {"prompts", "DIR", "templates that replace built-in prompts", "optimize"},
    {"cuda-path", "DIR", "CUDA toolkit (default: discovered)",
     "optimize verify lower lift reward audit worker"},
    {"std", "STANDARD", "C++ standard of CUDA files (default c++17)",
     "optimize verify lower lift reward audit worker"},
    {"I", "DIR", "include directory of CUDA files",
     "optimize verify lower lift reward audit worker"},
    {"D", "NAME[=VALUE]", "macro of CUDA files",
     "optimize verify lower lift reward audit worker"},
    {"level", "LEVEL",
     "l0, the LLVM dialect (default), or l1, loops on memrefs where the kernel "
     "has such a form",
     "lift"},
    {"json", "", "one JSON object a line instead of text",
     "optimize verify lower lift audit"},
    {"show-pipeline", "", "print the pass pipeline and do nothing else",
     "optimize verify lower reward audit"},
    {"list-checks", "",
     "print what the verifier tries, what each check catches and costs, and do "
     "nothing else",
     "verify"},
    {"allow-unverified", "", "lower without valid evidence", "lower"},
    {"no-gpu", "", "rank by the static estimate even where a GPU is present",
     "optimize"},
    {"trajectories", "",
     "print prompts, answers and rewards instead, for training", "journal"},
    {"help", "", "what this verb does",
     "optimize verify lower lift reward audit journal answer"},
};

ArrayRef<OptionSpec> evo::getOptionSpecs() { return specs; }

static bool takes(const OptionSpec &spec, StringRef verb) {
  SmallVector<StringRef> verbs;
  spec.verbs.split(verbs, ' ');
  return is_contained(verbs, verb);
}

static Error store(VerbOptions &options, StringRef name, StringRef value) {
  auto number = [&](auto &slot) -> Error {
    if (value.getAsInteger(10, slot) || slot < 0)
      return createStringError("'--" + name.str() +
                               "' needs a non-negative integer, found '" +
                               value.str() + "'");
    return Error::success();
  };
  auto real = [&](double &slot) -> Error {
    if (value.getAsDouble(slot) || !(slot >= 0) || !std::isfinite(slot))
      return createStringError("'--" + name.str() +
                               "' needs a non-negative number, found '" +
                               value.str() + "'");
    return Error::success();
  };
  const std::pair<StringLiteral, int64_t *> counts[] = {
      {"budget", &options.budget},
      {"measure-top", &options.measureTop},
      {"seed", &options.seed},
      {"max-tokens", &options.maxTokens},
      {"answer-tokens", &options.answerTokens},
      {"attempts", &options.attempts},
      {"patience", &options.patience},
      {"jobs", &options.jobs}};
  for (const auto &[known, slot] : counts)
    if (name == known)
      return number(*slot);
  const std::pair<StringLiteral, double *> reals[] = {
      {"temperature", &options.temperature},
      {"exchange-timeout", &options.exchangeTimeout},
      {"max-money", &options.maxMoney},
      {"max-seconds", &options.maxSeconds},
      {"answer-seconds", &options.answerSeconds},
      {"max-gpu-seconds", &options.maxGPUSeconds},
      {"stop-at", &options.stopAt},
      {"stop-at-floor", &options.stopAtFloor}};
  for (const auto &[known, slot] : reals)
    if (name == known)
      return real(*slot);
  std::string *text = nullptr;
  if (name == "seconds") {
    if (value.getAsDouble(options.seconds) || !(options.seconds >= 0) ||
        !std::isfinite(options.seconds))
      return createStringError("'--seconds' needs a number, found '" +
                               value.str() + "'");
  } else if (name == "I")
    options.includes.push_back(value.str());
  else if (name == "D")
    options.defines.push_back(value.str());
  else if (name == "header") {
    auto [header, variable] = value.split('=');
    if (header.empty() || variable.empty())
      return createStringError("'--header' is NAME=VARIABLE, the value being "
                               "that of the variable");
    options.headers.emplace_back(header.str(), variable.str());
  } else if (name == "replay-match") {
    if (value != "exact" && value != "task")
      return createStringError("'--replay-match' is exact or task, found '" +
                               value.str() + "'");
    options.replayByTask = value == "task";
  } else if (name == "api") {
    if (value != "chat" && value != "messages")
      return createStringError("'--api' is chat or messages, found '" +
                               value.str() + "'");
    options.messagesForm = value == "messages";
  } else if (name == "dry-run")
    options.dryRun = true;
  else if (name == "explain")
    options.explain = true;
  else if (name == "structured")
    options.structured = true;
  else if (name == "trajectories")
    options.trajectories = true;
  else if (name == "json")
    options.json = true;
  else if (name == "show-pipeline")
    options.showPipeline = true;
  else if (name == "list-checks")
    options.listChecks = true;
  else if (name == "allow-unverified")
    options.allowUnverified = true;
  else if (name == "no-gpu")
    options.noGPU = true;
  else if (name == "help")
    options.help = true;
  else if (name == "o")
    text = &options.output;
  else if (name == "level")
    text = &options.level;
  else if (name == "target")
    text = &options.target;
  else if (name == "proposer")
    text = &options.proposer;
  else if (name == "journal")
    text = &options.journal;
  else if (name == "strategy")
    text = &options.strategy;
  else if (name == "effort")
    text = &options.effort;
  else if (name == "require")
    text = &options.requireGrade;
  else if (name == "exchange-dir")
    text = &options.exchangeDirectory;
  else if (name == "record")
    text = &options.recordDirectory;
  else if (name == "replay-dir")
    text = &options.replayDirectory;
  else if (name == "model")
    text = &options.model;
  else if (name == "base-url")
    text = &options.baseURL;
  else if (name == "api-key-env")
    text = &options.keyVariable;
  else if (name == "api-key-file")
    text = &options.keyFile;
  else if (name == "archive")
    text = &options.archive;
  else if (name == "prices")
    text = &options.prices;
  else if (name == "prompts")
    text = &options.promptDirectory;
  else if (name == "cuda-path")
    text = &options.cudaPath;
  else if (name == "std")
    text = &options.standard;
  if (text)
    *text = value.str();
  return Error::success();
}

Expected<VerbOptions> evo::parseVerbOptions(StringRef verb,
                                            ArrayRef<std::string> words) {
  VerbOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "-" || !word.starts_with("-")) {
      options.inputs.push_back(word.str());
      continue;
    }
    StringRef body = word.ltrim('-'), name = body, value;
    bool hasValue = false;
    // -Idir and -DNAME=1 are glued, as compilers have it.
    if ((body.starts_with("I") || body.starts_with("D")) && body.size() > 1 &&
        !word.starts_with("--")) {
      name = body.take_front(1);
      value = body.drop_front(1);
      hasValue = true;
    } else if (size_t equals = body.find('='); equals != StringRef::npos) {
      name = body.take_front(equals);
      value = body.drop_front(equals + 1);
      hasValue = true;
    }
    const OptionSpec *spec = llvm::find_if(
        specs, [&](const OptionSpec &spec) { return spec.name == name; });
    if (spec == std::end(specs) || !takes(*spec, verb))
      return createStringError("'" + verb.str() + "' takes no option '" +
                               word.str() + "'");
    if (spec->operand.empty() && hasValue)
      return createStringError("'" + word.str() + "' takes no value");
    if (!spec->operand.empty() && !hasValue) {
      if (++i == words.size())
        return createStringError("'" + word.str() + "' needs a value (" +
                                 spec->operand.str() + ")");
      value = words[i];
    }
    if (Error error = store(options, name, value))
      return std::move(error);
  }
  if (!options.keyVariable.empty() && !options.keyFile.empty())
    return createStringError("'--api-key-env' and '--api-key-file' are two "
                             "places for one key");
  return options;
}
