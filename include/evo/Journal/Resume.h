// Which run of a journal a command goes on with. A run is the search of one
// kernel by one seed; a command that names no seed means the run that an
// earlier one has left unfinished, if there is one of the same kernel and the
// same settings.
#ifndef EVO_JOURNAL_RESUME_H
#define EVO_JOURNAL_RESUME_H

#include "evo/Support/FileLock.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>

namespace evo {

/// What a command asks for, as a run of the journal keeps it.
struct RunRequest {
  std::string kernel;   ///< its symbol
  std::string source;   ///< a digest of it as it was given
  std::string settings; ///< what decides what is tried, but the seed: words
  std::string bounds;   ///< what decides when the search ends: words
  int64_t budget = 0;   ///< candidates; one of the bounds
  uint64_t seed = 0;
};

struct EarlierRun {
  int64_t id = 0;
  uint64_t seed = 0;
  int64_t candidates = 0; ///< evaluated
  double money = 0;       ///< charged for it, with what may be billed yet
};

/// Either the first or the second is there where the journal holds runs.
struct RunChoice {
  std::optional<EarlierRun> resumed;
  /// Another process is at that run: what to tell the user; empty: none is.
  std::string underWay;
  std::string whyNew; ///< why none is: which run differs, and in what
};

/// Looks through the journal at `path`, which need not exist. `anySeed`: the
/// seed of `request` is not known yet, and any will do. With a seed a finished
/// run is resumed, too: it has its result already.
llvm::Expected<RunChoice> chooseRun(llvm::StringRef path,
                                    const RunRequest &request, bool anySeed);

/// Takes a run for this process. Nothing where another one is at it, of which
/// `underWay` tells.
llvm::Expected<std::optional<FileLock>>
lockRun(llvm::StringRef path, int64_t run, std::string &underWay);

/// The result of the run is written, and nobody need go on with it: `why` it
/// ended. Nothing happens where the journal has no such run.
llvm::Error finishRun(llvm::StringRef path, const RunRequest &request,
                      llvm::StringRef why);

} // namespace evo

#endif
