// Which ways the branches of a kernel went. A run says nothing of code that it
// did not reach. A magic value in the input hides behind a branch that always
// went one way, so the branches that did are part of what a verdict rests on.
// Counted on pre-optimisation code: an optimiser turns branches into selects,
// and selects into nothing.
#ifndef EVO_SIMULATOR_COVERAGE_H
#define EVO_SIMULATOR_COVERAGE_H

#include "evo/Simulator/Finding.h"
#include <map>
#include <string>
#include <vector>

namespace evo::exec {

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
  std::string what; ///< "never true", "never reached", ...
  /// "f.cu:12:7 never true".
  std::string str() const;
};

/// The edges that were taken, over any number of launches of any programs.
class Coverage {
public:
  /// One flag per edge of the kernel, to be set by whoever takes it.
  std::vector<unsigned char> &edges(const Program &program,
                                    const std::string &kernel);
  /// Branches of the program's kernels that ran, in the order of the code.
  /// Left out are branches on literals alone, and ways that lead to nothing but
  /// a trap: whoever takes one of those is found for it.
  std::vector<OneWayBranch> oneWay(const Program &program) const;

private:
  std::map<std::pair<const void *, std::string>, std::vector<unsigned char>>
      taken;
};

} // namespace evo::exec

#endif
