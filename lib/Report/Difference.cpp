// Greedy: for each number of edits, how far each diagonal can be followed.
#include "Difference.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace llvm;
using namespace evo::report;

using Lines = SmallVector<StringRef, 0>;

/// Diagonals that are kept: memory grows with the square of it.
static constexpr int maxEdits = 3000;

/// Which lines of `before` are kept, and as which of `after`, in order; empty
/// where that takes too many edits.
static std::vector<std::pair<int, int>> findKept(ArrayRef<StringRef> before,
                                                 ArrayRef<StringRef> after) {
  int rows = static_cast<int>(before.size()),
      columns = static_cast<int>(after.size());
  // By number of edits, the furthest row on each diagonal (row minus column),
  // from the lowest on.
  std::vector<std::vector<int>> trace;
  std::vector<int> reach(2 * maxEdits + 3, 0);
  const int middle = maxEdits + 1;
  // Whether diagonal `k` is reached by a line that is added.
  auto isAddition = [](int k, int edits, auto rowAt) {
    return k == -edits || (k != edits && rowAt(k - 1) < rowAt(k + 1));
  };
  for (bool done = false; !done;) {
    int edits = static_cast<int>(trace.size());
    if (edits > maxEdits)
      return {};
    for (int k = -edits; k <= edits; k += 2) {
      auto rowAt = [&](int diagonal) { return reach[middle + diagonal]; };
      int x = isAddition(k, edits, rowAt) ? rowAt(k + 1) : rowAt(k - 1) + 1;
      if (edits == 0)
        x = 0;
      int y = x - k;
      while (x < rows && y < columns && before[x] == after[y])
        ++x, ++y;
      reach[middle + k] = x;
      done |= x >= rows && y >= columns;
    }
    trace.emplace_back(reach.begin() + middle - edits,
                       reach.begin() + middle + edits + 1);
  }
  std::vector<std::pair<int, int>> kept;
  int x = rows, y = columns;
  for (int edits = static_cast<int>(trace.size()) - 1; edits > 0; --edits) {
    const std::vector<int> &last = trace[edits - 1];
    auto rowAt = [&](int diagonal) { return last[diagonal + edits - 1]; };
    int k = x - y;
    int from = isAddition(k, edits, rowAt) ? k + 1 : k - 1;
    int fromX = rowAt(from), fromY = fromX - from;
    while (x > fromX && y > fromY)
      kept.push_back({--x, --y});
    x = fromX;
    y = fromY;
  }
  while (x > 0)
    kept.push_back({--x, --y});
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::vector<DiffLine> evo::report::compareLines(StringRef before,
                                                StringRef after) {
  Lines old, now;
  before.split(old, '\n');
  after.split(now, '\n');
  for (Lines *lines : {&old, &now})
    if (!lines->empty() && lines->back().empty())
      lines->pop_back(); // what stands behind the last line's end
  size_t front = 0, back = 0, min = std::min(old.size(), now.size());
  while (front < min && old[front] == now[front])
    ++front;
  while (back < min - front &&
         old[old.size() - 1 - back] == now[now.size() - 1 - back])
    ++back;
  std::vector<std::pair<int, int>> kept =
      findKept(ArrayRef(old).slice(front, old.size() - front - back),
               ArrayRef(now).slice(front, now.size() - front - back));
  std::vector<DiffLine> lines;
  size_t x = 0, y = 0;
  auto advance = [&](size_t toX, size_t toY) {
    for (; x < toX; ++x)
      lines.push_back({DiffLine::Kind::Removed, x + 1, 0, old[x]});
    for (; y < toY; ++y)
      lines.push_back({DiffLine::Kind::Added, 0, y + 1, now[y]});
  };
  auto same = [&] {
    lines.push_back({DiffLine::Kind::Same, x + 1, y + 1, old[x]});
    ++x, ++y;
  };
  while (x < front)
    same();
  for (const auto &[row, column] : kept) {
    advance(front + row, front + column);
    same();
  }
  advance(old.size() - back, now.size() - back);
  while (x < old.size())
    same();
  return lines;
}
