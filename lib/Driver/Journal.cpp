// evo-opt journal: the steps of searches as JSON lines.
#include "evo/Journal/Journal.h"
#include "Verbs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace evo;

int evo::runJournal(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'journal' takes one file"), WrongInput;
  const std::string &path = options.inputs[0];
  // Apart, because a database that cannot be opened does not say why.
  if (!llvm::sys::fs::exists(path))
    return reportError(options, "there is no file '" + path + "'"), WrongInput;
  if (llvm::sys::fs::is_directory(path))
    return reportError(options, "cannot read '" + path + "': is a directory"),
           WrongInput;
  auto write = options.trajectories ? exportTrajectories : exportJournal;
  if (llvm::Error error = write(path, llvm::outs()))
    return reportError(options, llvm::toString(std::move(error))), WrongInput;
  llvm::outs().flush();
  return Done;
}
