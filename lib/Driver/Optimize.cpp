// evo-opt optimize: the whole way.
#include "Verbs.h"

int evo::runOptimize(const VerbOptions &options) {
  return reportError(options, "optimize"), Infrastructure;
}
