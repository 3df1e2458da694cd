// A place in the source that device code was compiled from.
#ifndef EVO_ANALYSIS_SOURCELOC_H
#define EVO_ANALYSIS_SOURCELOC_H

#include <string>

namespace evo::sim {

/// Where an instruction came from; line 0 means that no debug location exists.
struct SourceLoc {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// "file:line:column", or "unknown location".
  std::string str() const;
};

} // namespace evo::sim

#endif
