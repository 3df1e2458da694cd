// Which run of a journal a search goes on with, and what it says of that.
#include "Driver/Optimize/Resume.h"
#include "Driver/ModelSetup.h"
#include "Driver/Optimize/Wording.h"
#include "Driver/Verbs.h"
#include "evo/Support/Counted.h"
#include "evo/Support/Digest.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

static std::string describeBounds(const VerbOptions &options) {
  std::string text = "budget=" + std::to_string(options.budget);
  auto add = [&](StringRef name, double value) {
    if (value > 0)
      llvm::raw_string_ostream(text)
          << ' ' << name << '=' << llvm::format("%.10g", value);
  };
  add("patience", options.patience);
  add("stop-at", options.stopAt);
  add("stop-at-floor", options.stopAtFloor);
  add("max-seconds", options.maxSeconds);
  add("max-tokens", options.maxTokens);
  add("max-money", options.maxMoney);
  return text;
}

RunRequest evo::describeRequest(KernelOp kernel, const VerbOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.print(os, OpPrintingFlags().useLocalScope());
  RunRequest request;
  request.kernel = kernel.getSymName().str();
  request.source = digest(text, 16);
  request.settings = "proposer=" + options.proposer +
                     " target=" + options.target + " " +
                     describeMeans(backendOptions(options));
  request.bounds = describeBounds(options);
  request.budget = options.budget;
  return request;
}

static void announce(const RunChoice &choice, const RunRequest &request,
                     const VerbOptions &options) {
  if (options.json) {
    llvm::json::Object object{{"event", "run"},
                              {"resumed", choice.resumed.has_value()},
                              {"seed", int64_t(request.seed)},
                              {"budget", request.budget}};
    if (choice.resumed) {
      object["run"] = choice.resumed->id;
      object["candidates"] = choice.resumed->candidates;
      object["money"] = choice.resumed->money;
    } else {
      object["why_new"] = choice.whyNew;
    }
    llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
    llvm::outs().flush();
    return;
  }
  if (!choice.resumed) {
    llvm::errs() << "beginning a new run: " << choice.whyNew << '\n';
    return;
  }
  const EarlierRun &run = *choice.resumed;
  llvm::errs() << "resuming run " << run.id << ": " << run.candidates << " of "
               << counted(request.budget, "candidate");
  if (run.money > 0)
    llvm::errs() << ", " << showMoney(run.money) << " spent";
  llvm::errs() << " (seed " << run.seed << ")\n";
}

llvm::Error evo::chooseSeed(RunRequest &request, const VerbOptions &options,
                            std::string &underWay) {
  request.seed = chooseSeed(options);
  if (options.journal.empty() || options.dryRun)
    return llvm::Error::success();
  llvm::Expected<RunChoice> choice =
      chooseRun(options.journal, request, /*anySeed=*/options.seed < 0);
  if (!choice)
    return choice.takeError();
  underWay = choice->underWay;
  if (!underWay.empty())
    return llvm::Error::success();
  if (choice->resumed)
    request.seed = choice->resumed->seed;
  if (choice->resumed || !choice->whyNew.empty())
    announce(*choice, request, options);
  return llvm::Error::success();
}
