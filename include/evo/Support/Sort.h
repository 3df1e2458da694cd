// Sorting by a key that is computed once an element.
#ifndef EVO_SUPPORT_SORT_H
#define EVO_SUPPORT_SORT_H

#include "llvm/ADT/STLExtras.h"
#include <utility>
#include <vector>

namespace evo {

/// Sorts by `key(element)`, smallest first; equal ones keep their order.
/// (std::stable_sort of libstdc++ uses what C++17 deprecates.)
template <typename Range, typename Key>
void stableSortBy(Range &range, Key key) {
  using Element = typename Range::value_type;
  using KeyType = decltype(key(std::declval<const Element &>()));
  std::vector<std::pair<KeyType, size_t>> order;
  for (const Element &element : range)
    order.emplace_back(key(element), order.size());
  llvm::sort(order);
  std::vector<Element> sorted;
  sorted.reserve(order.size());
  for (const auto &[unused, index] : order)
    sorted.push_back(std::move(range[index]));
  std::move(sorted.begin(), sorted.end(), range.begin());
}

} // namespace evo

#endif
