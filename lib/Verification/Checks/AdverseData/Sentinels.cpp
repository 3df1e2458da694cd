// Numbers of the code that stand for what is not there, as data.
#include "Trials.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using namespace evo::adverse;

/// All elements of a row are a float that code puts in the place of others, or
/// that a loop begins with, but for one, in another place in each row: what is
/// left out and what is there are the same then.
LogicalResult adverse::trySentinels(Trials &trials) {
  std::vector<double> marks;
  for (double choice : trials.state.literals.choices)
    if (choice != 0 && !llvm::is_contained(marks, choice))
      marks.push_back(choice);
  // The furthest from what data usually are first.
  llvm::stable_sort(
      marks, [](double a, double b) { return std::fabs(a) > std::fabs(b); });
  uint64_t samplesLeft = trials.budget[maxSamples];
  for (double mark : marks) {
    if (samplesLeft-- == 0)
      break;
    const LogicalResult tried =
        trials.tryFilled(trials.base, "sentinels", [&](Rows &rows) {
          if (!rows.isFloat() || rows.rowLength < 2 ||
              rows.floats.fit(mark) != mark)
            return false;
          for (uint64_t i = 0; i < rows.buffer.elements; ++i) {
            const uint64_t row = i / rows.rowLength,
                           column = i % rows.rowLength;
            // The first place comes up more often than others.
            const uint64_t place = row % 2 ? row / 2 % rows.rowLength : 0;
            rows.setFloat(i, column == place ? trials.random.normal() : mark);
          }
          return true;
        });
    if (failed(tried) || trials.state.isDecided())
      return tried;
  }
  return success();
}
