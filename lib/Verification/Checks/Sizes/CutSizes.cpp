// What is left of the sizes of workloads where the whole takes too much.
#include "CutSizes.h"
#include "Verification/Sampling/Shapes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;

Bindings evo::shorten(KernelOp kernel, Bindings sizes,
                      llvm::function_ref<bool(const Bindings &)> fits) {
  constexpr int64_t minExtent = 8;
  while (!fits(sizes)) {
    StringRef longest;
    for (StringRef dim : kernel.getDimensionNames())
      if (longest.empty() || sizes.lookup(dim) > sizes.lookup(longest))
        longest = dim;
    if (longest.empty() || sizes.lookup(longest) / 2 < minExtent)
      break;
    sizes[longest] = sizes.lookup(longest) / 2;
  }
  return sizes;
}

void evo::addCut(KernelOp kernel, const Bindings &full,
                 llvm::function_ref<bool(const Bindings &)> fits,
                 llvm::function_ref<bool(const Bindings &)> isAllowed,
                 uint64_t max, std::vector<Bindings> &all) {
  constexpr int64_t longExtent = 8;
  constexpr int64_t maxBelow = 256;
  uint64_t added = 0;
  auto add = [&](const Bindings &sizes) {
    if (!fits(sizes) || !isAllowed(sizes))
      return;
    all.push_back(sizes);
    ++added;
  };
  add(full);
  if (added)
    return;
  SmallVector<StringRef> dims(kernel.getDimensionNames());
  llvm::stable_sort(dims, [&](StringRef a, StringRef b) {
    return full.lookup(a) < full.lookup(b);
  });
  for (StringRef dim : dims) {
    Bindings sizes = full;
    if (sizes.lookup(dim) <= longExtent || added == max)
      continue;
    // Of one element nobody knows how far the next one is.
    while (!fits(sizes) && sizes.lookup(dim) > 1)
      sizes[dim] = sizes.lookup(dim) == 3 ? 2 : sizes.lookup(dim) / 2;
    // Requirements are about multiples more often than about anything else.
    for (int64_t below = 0;
         !isAllowed(sizes) && below < maxBelow && sizes.lookup(dim) > 1;
         ++below)
      sizes[dim] = sizes.lookup(dim) - 1;
    add(sizes);
  }
  // Several of the shortest, so that the longest ones stay what they are.
  constexpr int64_t few = 2;
  Bindings sizes = full;
  for (StringRef dim : dims)
    if (!added && sizes.lookup(dim) > few && !fits(sizes))
      sizes[dim] = few;
  if (!added)
    add(sizes);
  if (!added)
    add(shorten(kernel, full, fits));
}

void evo::noteCompared(Tally &tally, const Bindings &sizes) {
  if (tally.forFullGrid.empty())
    return;
  const std::string text = printBindings(sizes);
  llvm::erase_if(tally.forFullGrid, [&](const Bindings &other) {
    return printBindings(other) == text;
  });
  if (tally.forFullGrid.empty())
    tally.notCompared.clear();
}
