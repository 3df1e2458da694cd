// Pooling halves each size of an image, convolutions take a little of it: a
// relation that one size has to another, its neighbours have as well.
#include "Relations.h"
#include "llvm/ADT/STLExtras.h"

using namespace evo;

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// The text before a size, between two, and behind them.
static constexpr const char *forms[][3] = {{"", " <= ", ""},
                                           {"2 * ", " <= ", ""},
                                           {"ceildiv(", ", 2) <= ", ""},
                                           {"", " == ", ""},
                                           {"", " == ", " / 2"}};

/// Different sizes at the same places.
static Pairs pairsOf(const std::vector<std::string> &shape,
                     const std::vector<std::string> &other,
                     llvm::ArrayRef<std::string> sizes) {
  Pairs pairs;
  for (const auto &[a, b] : llvm::zip_equal(shape, other))
    if (a != b && llvm::is_contained(sizes, a) &&
        llvm::is_contained(sizes, b) &&
        !llvm::is_contained(pairs, std::pair(a, b)))
      pairs.emplace_back(a, b);
  return pairs;
}

static void addAll(llvm::ArrayRef<Pairs> choices,
                   std::vector<std::vector<std::string>> &found) {
  for (const auto &[before, between, behind] : forms)
    for (const Pairs &pairs : choices) {
      std::vector<std::string> texts;
      for (const auto &[a, b] : pairs)
        texts.push_back(before + a + between + b + behind);
      if (!llvm::is_contained(found, texts))
        found.push_back(std::move(texts));
    }
}

std::vector<std::vector<std::string>>
evo::proposeRelations(llvm::ArrayRef<std::vector<std::string>> shapes,
                      llvm::ArrayRef<std::string> sizes) {
  std::vector<Pairs> atPlaces, any;
  for (const std::vector<std::string> &shape : shapes)
    for (const std::vector<std::string> &other : shapes)
      if (shape.size() == other.size())
        if (Pairs pairs = pairsOf(shape, other, sizes); !pairs.empty())
          atPlaces.push_back(std::move(pairs));
  for (const std::string &a : sizes)
    for (const std::string &b : sizes)
      if (a != b)
        any.push_back({{a, b}});
  std::vector<std::vector<std::string>> found;
  addAll(atPlaces, found);
  addAll(any, found);
  // Each is a few runs.
  constexpr size_t enough = 64;
  if (found.size() > enough)
    found.resize(enough);
  return found;
}
