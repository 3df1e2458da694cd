// Places in sources, as messages name them.
#include "evo/Analysis/SourceLoc.h"

namespace evo::sim {

std::string SourceLoc::str() const {
  if (!line)
    return "unknown location";
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

} // namespace evo::sim
