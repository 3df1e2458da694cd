// evo-opt report: a search as one HTML file, out of a folder that optimize
// left, a journal, or both. It only reads, so a search may go on meanwhile.
#include "Verbs.h"
#include "Worker/TrialReading.h"
#include "evo/Report/Page.h"
#include "evo/Report/Read.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include <ctime>

using namespace mlir;
using namespace evo;

/// "2026-05-31 12:00:00 UTC".
// no diagnostics: a format of time
static std::string printNow() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

/// What is wrong with the command line; empty: nothing.
static std::string findMistake(const VerbOptions &options) {
  size_t folders = 0;
  for (const std::string &path : options.inputs) {
    if (!llvm::sys::fs::exists(path))
      return "there is no file '" + path + "'";
    folders += llvm::sys::fs::is_directory(path);
  }
  if (options.inputs.empty() || folders > 1 ||
      options.inputs.size() - folders > 1)
    return "'report' takes a folder that 'optimize' left, a journal, or both";
  return "";
}

int evo::runReport(const VerbOptions &options) {
  if (std::string mistake = findMistake(options); !mistake.empty())
    return reportError(options, mistake), WrongInput;
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (const std::string &path : options.inputs) {
    if (!llvm::sys::fs::is_directory(path))
      continue; // a journal is a file of the tool's own
    auto read = [&] {
      report::Search trial;
      llvm::consumeError(report::addFolder(trial, path, &context));
    };
    if (ExitCode code = tryReading(context, path, options, read); code != Done)
      return code;
  }
  report::Search search;
  // The folder says which of the journal's runs it is of.
  for (bool isFolder : {true, false})
    for (const std::string &path : options.inputs)
      if (llvm::sys::fs::is_directory(path) == isFolder) {
        auto add = isFolder ? report::addFolder : report::addJournal;
        if (llvm::Error error = add(search, path, &context))
          return reportError(options, llvm::toString(std::move(error))),
                 WrongInput;
      }
  return writeOutput(report::makePage(search, printNow()), options);
}
