// Floats just below those whose exponential overflows.
#include "Trials.h"

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// All elements lie just below where exp, exp of twice as much, or one of 16
/// bits overflows, or above where it does so for their negatives: what is still
/// finite there is more than some functions take, such as a fast division by
/// it. Beside usual elements their results would be as good as nothing.
LogicalResult adverse::tryBrink(Trials &trials) {
  for (double brink : {88.7, 44.35, 11.05})
    for (double sign : {-1.0, 1.0}) {
      const LogicalResult tried =
          trials.tryFilled(trials.base, "brink", [&](Rows &rows) {
            if (!rows.isFloat())
              return false;
            constexpr double width = 1.2;
            for (uint64_t i = 0; i < rows.buffer.elements; ++i)
              rows.setFloat(i,
                            sign * (brink - width * trials.random.uniform()));
            return true;
          });
      if (failed(tried) || trials.state.isDecided())
        return tried;
    }
  return success();
}
