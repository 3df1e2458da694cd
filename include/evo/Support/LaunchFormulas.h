// What a launch of a plan binds the leaves of its kernel to.
#ifndef EVO_SUPPORT_LAUNCHFORMULAS_H
#define EVO_SUPPORT_LAUNCHFORMULAS_H

#include "evo/Support/IntExpr.h"
#include <vector>

namespace evo {

/// Formulas over names of sizes. An argument has one, or is a buffer, scratch
/// or float scalar of that name.
struct LaunchFormulas {
  std::string kernel;
  std::vector<IntExpr> grid, block; ///< up to three each
  std::vector<std::string> names;   ///< of arguments
  std::vector<std::optional<IntExpr>> arguments;
};

} // namespace evo

#endif
