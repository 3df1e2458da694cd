// Which bytes of its buffers a candidate reads and writes, whatever they hold.
#ifndef EVO_LIB_VERIFICATION_TOUCHED_H
#define EVO_LIB_VERIFICATION_TOUCHED_H

#include "Verification/Trial.h"
#include <map>

namespace evo {

/// Bytes of a buffer that a run passed by, or one launch of it that reads or
/// writes others of the same buffer.
struct Gap {
  enum class Kind {
    NeverWritten, ///< a result
    NeverRead,    ///< an input
    NeverUsed,    ///< scratch that was written
    LeftAlone,    ///< what earlier launches wrote
  };
  Kind kind;
  std::string buffer;
  std::string kernel;          ///< of that launch; empty: of all launches
  std::vector<uint64_t> bytes; ///< where they begin; the first ones

  using Key = std::tuple<Kind, std::string, std::string>;
  Key getKey() const { return {kind, buffer, kernel}; }
};

/// One run of one form, without shadows.
struct TouchedRun {
  std::vector<Gap> gaps;
  std::optional<sim::Finding> finding;
  uint64_t warpInstructions = 0;
};

/// Runs `plan` and says what it passed by. Fails where it cannot be run. Of
/// `CodePart::Stores` nothing is said of what is read; for one launch alone.
llvm::Expected<TouchedRun>
runTouched(const ExecutablePlan &plan, const TrialInputs &inputs,
           sim::Options options,
           ExecutablePlan::CodePart part = ExecutablePlan::CodePart::All);

} // namespace evo

#endif
