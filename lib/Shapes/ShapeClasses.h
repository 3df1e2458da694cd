// Which axes of a function's tensors have the same extent for all sizes, and
// how the extents of the others follow from them. Axes are nodes; those that
// some op holds equal are one class. A class is then a number, a free name, or
// a formula of the names, which a relation gives.
#ifndef EVO_LIB_SHAPES_SHAPECLASSES_H
#define EVO_LIB_SHAPES_SHAPECLASSES_H

#include "evo/Shapes/Extent.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>
#include <set>

namespace evo {

class ShapeClasses {
public:
  using Node = unsigned;

  /// A node of the extent `size` in the file.
  Node create(int64_t size);
  int64_t getSize(Node node) const { return sizes[node]; }
  Node getClass(Node node) const;
  /// Both nodes have the same size.
  void unite(Node a, Node b);
  /// The extent of `node` stays the number that it is; the first reason counts.
  void pin(Node node, std::string reason);
  /// `node` is an axis of an argument: its extent may become a name. Earlier
  /// ones are asked first.
  void anchor(Node node) { anchors.push_back(node); }

  struct Relation {
    Node target;
    std::vector<Node> sources;
    std::function<Extent(llvm::ArrayRef<Extent>)> formula;
    std::string what; // for the reason, where it does not hold
  };
  /// The extent of the target is a formula of those of the sources.
  void relate(Relation relation);
  /// The extent of `whole` is the product of those of `parts`.
  void relateProduct(Node whole, llvm::ArrayRef<Node> parts);
  /// Sizes at which this is negative are no sizes of the function.
  void
  requireNotNegative(std::vector<Node> sources,
                     std::function<Extent(llvm::ArrayRef<Extent>)> formula);

  /// Decides all classes.
  void solve();
  /// After solve(): the extent, in names of the form #class.
  Extent getExtent(Node node) const;
  /// Extents that must not be negative, in such names.
  std::vector<Extent> getRequired() const;
  /// Why the node's class is a number; empty for one that is none.
  std::string getReason(Node node) const;
  static std::string nameOf(Node node) { return "#" + std::to_string(node); }

  /// How the value of a free name is found from an anchor: (extent of the
  /// anchor - offset) / (factor * the product of known names).
  struct Recovery {
    Node anchor;
    int64_t offset, factor;
    std::vector<std::string> known;
  };
  /// After solve(), for each name, in an order in which known ones come first.
  const std::vector<std::pair<std::string, Recovery>> &getRecoveries() const {
    return recoveries;
  }

private:
  struct Product {
    Node whole;
    std::vector<Node> parts;
  };
  struct Required {
    std::vector<Node> sources;
    std::function<Extent(llvm::ArrayRef<Extent>)> formula;
  };
  void refineProducts();
  Node splitOff(Node whole, Node part);
  bool refine(Product a, Product b);
  bool trySolve();
  bool isNumber(Node node) const;
  void pinNames(const Extent &extent, const std::string &reason);
  bool recoverNames(const std::set<std::string> &used);
  std::optional<std::vector<Extent>> gather(llvm::ArrayRef<Node> sources) const;

  mutable std::vector<Node> parent;
  std::vector<int64_t> sizes;
  llvm::DenseMap<Node, std::string> pinned; // by class
  std::vector<Node> anchors;
  std::vector<Relation> relations;
  std::vector<Product> products;
  std::vector<Required> required;
  llvm::DenseMap<Node, Extent> extents; // by class
  std::vector<std::pair<std::string, Recovery>> recoveries;
};

} // namespace evo

#endif
