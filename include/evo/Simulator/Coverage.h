// Which ways the branches of a kernel went. A run says nothing of code that it
// did not reach. A magic value in the input hides behind a branch that always
// went one way, so the branches that did are part of what a verdict rests on.
// Counted on pre-optimisation code: an optimiser turns branches into selects,
// and selects into nothing.
#ifndef EVO_SIMULATOR_COVERAGE_H
#define EVO_SIMULATOR_COVERAGE_H

#include "evo/Simulator/Finding.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evo::sim {

class Program;

/// What a branch hangs on.
enum class BranchInput {
  Launch, ///< sizes, positions in grid and block, literals
  Data,   ///< what memory, atomics or float arguments hold
};

/// A branch that did not go all its ways.
struct OneWayBranch {
  SourceLoc location;
  BranchInput input = BranchInput::Launch;
  bool onInput = false;      ///< data that surely come of arguments
  bool guardsStores = false; ///< of code that nobody ran
  bool skipsStores = false;  ///< of code that ran, and that others see
  /// Of a loop that data may end earlier: the number of rounds after which it
  /// ends here, or would.
  std::optional<int64_t> roundLimit;
  std::string what; ///< "never true", "never reached", ...
  /// "f.cu:12:7 never true".
  std::string str() const;
};

/// A loop whose threads wait for each other, and how it was seen.
struct WaitingLoop {
  SourceLoc location;           ///< of the branch back to its beginning
  uint32_t edge = 0;            ///< that branch's way
  uint32_t first = 0, last = 0; ///< its code
  std::vector<uint32_t> inner;  ///< edges of those within
};
/// Loops with a barrier or a warp's synchronisation, in the order of the code.
std::vector<WaitingLoop> findWaitingLoops(const Program &program,
                                          const std::string &kernel);

/// The edges that were taken, over any number of launches of any programs.
class Coverage {
public:
  /// One flag per edge of the kernel, to be set by whoever takes it.
  std::vector<unsigned char> &edges(const Program &program,
                                    const std::string &kernel);
  /// For each edge of the kernel how often it was taken back to the beginning
  /// of a loop that waits, without leaving the loop, while races were watched;
  /// no more than `manyRounds`.
  std::vector<unsigned char> &rounds(const Program &program,
                                     const std::string &kernel);
  static constexpr unsigned char manyRounds = 2;
  /// Loops that wait of kernels that ran while races were watched, and were
  /// not seen to run three times: what is left of one round, and read in the
  /// next but one, shows in a third.
  std::vector<WaitingLoop> fewRounds(const Program &program) const;
  /// Branches of the program's kernels that ran, in the order of the code.
  /// Left out are branches on literals alone, and ways that lead to nothing but
  /// a trap: whoever takes one of those is found for it.
  std::vector<OneWayBranch> oneWay(const Program &program) const;

private:
  std::map<std::pair<const void *, std::string>, std::vector<unsigned char>>
      taken, again;
};

} // namespace evo::sim

#endif
