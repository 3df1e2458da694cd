// Launches that a draft leaves possible.
#ifndef EVO_LIB_DRAFT_LAUNCHFORMS_H
#define EVO_LIB_DRAFT_LAUNCHFORMS_H

#include "evo/Frontend/CUDA.h"
#include "evo/Support/IntExpr.h"
#include <map>
#include <string>
#include <vector>

namespace evo {

struct LaunchForm {
  std::vector<std::string> names; ///< of sizes, the kernel's order first
  std::map<std::string, std::string> types;
  std::string symbols;                  ///< evo.symbol lines
  std::string lines;                    ///< evo.launch lines
  std::vector<std::string> gridExtents; ///< each an expression
  std::vector<std::string> requirements;
  std::vector<std::string> atTrials; ///< required of sizes that show something
  std::vector<std::string> guesses;
};

/// The launch that the file has, with numbers for block sizes that it leaves to
/// others; of a kernel that nothing launches those that are usual. None where
/// the file says something that cannot be guessed: `missing` is told what.
std::vector<LaunchForm> findLaunchForms(const CUDADraft &draft,
                                        std::vector<std::string> &missing);

/// What stands for a size.
using SizeValues = std::map<std::string, IntExpr>;

/// With these values in the place of the sizes.
CUDADraft withSizes(CUDADraft draft, const SizeValues &values);

/// With numbers in the place of sizes that the host starts with a number.
CUDADraft withNumbers(CUDADraft draft);

} // namespace evo

#endif
