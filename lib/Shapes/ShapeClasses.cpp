// Decides which classes of axes are numbers, names and formulas. Whatever
// cannot be had for all sizes becomes a number and everything is decided anew,
// so that what remains holds throughout.
#include "ShapeClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace evo;

ShapeClasses::Node ShapeClasses::create(int64_t size) {
  parent.push_back(parent.size());
  sizes.push_back(size);
  return parent.back();
}

ShapeClasses::Node ShapeClasses::getClass(Node node) const {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

void ShapeClasses::unite(Node a, Node b) {
  a = getClass(a);
  b = getClass(b);
  if (a == b)
    return;
  assert(sizes[a] == sizes[b] && "what is equal has one size");
  if (b < a)
    std::swap(a, b);
  parent[b] = a;
  if (auto it = pinned.find(b); it != pinned.end()) {
    std::string reason = it->second;
    pinned.erase(it);
    pinned.try_emplace(a, std::move(reason));
  }
}

void ShapeClasses::pin(Node node, std::string reason) {
  pinned.try_emplace(getClass(node), std::move(reason));
}

void ShapeClasses::relate(Relation relation) {
  relations.push_back(std::move(relation));
}

void ShapeClasses::relateProduct(Node whole, llvm::ArrayRef<Node> parts) {
  Product product{whole, {}};
  for (Node part : parts)
    if (sizes[part] != 1)
      product.parts.push_back(part);
  if (product.parts.size() == 1)
    unite(whole, product.parts.front());
  else if (sizes[whole] != 1)
    products.push_back(std::move(product));
}

void ShapeClasses::requireNotNegative(
    std::vector<Node> sources,
    std::function<Extent(llvm::ArrayRef<Extent>)> formula) {
  required.push_back({std::move(sources), std::move(formula)});
}

bool ShapeClasses::isNumber(Node node) const {
  return sizes[node] <= 1 || pinned.contains(getClass(node));
}

/// What is left of `whole` beside the factor `part`, which divides its size: an
/// extent that no tensor has, perhaps.
ShapeClasses::Node ShapeClasses::splitOff(Node whole, Node part) {
  for (const Product &product : products)
    if (product.parts.size() == 2 &&
        getClass(product.whole) == getClass(whole) &&
        getClass(product.parts.front()) == getClass(part))
      return product.parts.back();
  Node rest = create(sizes[whole] / sizes[part]);
  products.push_back({whole, {part, rest}});
  return rest;
}

/// Two ways to cut one extent into factors are cut alike where their sizes
/// allow: what was flattened is found again when it is unflattened.
bool ShapeClasses::refine(Product a, Product b) {
  bool changed = false;
  auto &left = a.parts, &right = b.parts;
  while (!left.empty() && !right.empty()) {
    Node x = left.front(), y = right.front();
    if (sizes[x] == sizes[y]) {
      changed |= getClass(x) != getClass(y);
      unite(x, y);
      left.erase(left.begin());
      right.erase(right.begin());
    } else if (sizes[x] % sizes[y] == 0) {
      left.front() = splitOff(x, y);
      right.erase(right.begin());
    } else if (sizes[y] % sizes[x] == 0) {
      right.front() = splitOff(y, x);
      left.erase(left.begin());
    } else {
      break;
    }
  }
  return changed;
}

void ShapeClasses::refineProducts() {
  bool changed = true;
  while (changed) {
    changed = false;
    size_t before = products.size();
    for (size_t i = 0; i < products.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (getClass(products[i].whole) == getClass(products[j].whole))
          changed |= refine(products[j], products[i]);
    changed |= products.size() != before;
  }
}

std::optional<std::vector<Extent>>
ShapeClasses::gather(llvm::ArrayRef<Node> sources) const {
  std::vector<Extent> result;
  for (Node source : sources) {
    auto it = extents.find(getClass(source));
    if (it == extents.end())
      return std::nullopt;
    result.push_back(it->second);
  }
  return result;
}

/// All classes that the extent is made of become numbers.
void ShapeClasses::pinNames(const Extent &extent, const std::string &reason) {
  extent.forEachName([&](llvm::StringRef name) {
    Node node;
    if (!name.drop_front().getAsInteger(10, node))
      pin(node, reason);
  });
}

bool ShapeClasses::recoverNames(const std::set<std::string> &used) {
  recoveries.clear();
  std::set<std::string> known;
  // (constant + factor * product of names) with but one of them unknown.
  auto recover = [&](Node anchor) {
    const Extent &extent = extents[getClass(anchor)];
    Recovery recovery{anchor, 0, 0, {}};
    std::string wanted;
    for (const auto &[monomial, coefficient] : extent.getTerms()) {
      if (monomial.empty()) {
        recovery.offset = coefficient;
        continue;
      }
      if (recovery.factor != 0 || coefficient < 1)
        return false;
      recovery.factor = coefficient;
      for (const Extent::Factor &factor : monomial) {
        if (factor.dividend)
          return false;
        if (known.count(factor.text))
          recovery.known.push_back(factor.text);
        else if (wanted.empty())
          wanted = factor.text;
        else
          return false;
      }
    }
    if (wanted.empty())
      return false;
    known.insert(wanted);
    recoveries.emplace_back(wanted, recovery);
    return true;
  };
  // Where an axis is the name itself nothing has to be computed.
  for (Node anchor : anchors)
    if (extents[getClass(anchor)] == Extent::name(nameOf(getClass(anchor))))
      recover(anchor);
  bool changed = true;
  while (changed) {
    changed = false;
    for (Node anchor : anchors)
      changed |= recover(anchor);
  }
  // One factor less, and the others may be found.
  std::optional<Node> smallest;
  for (const std::string &name : used) {
    Node node;
    if (known.count(name) ||
        llvm::StringRef(name).drop_front().getAsInteger(10, node))
      continue;
    if (!smallest ||
        std::pair(sizes[node], node) < std::pair(sizes[*smallest], *smallest))
      smallest = node;
  }
  if (smallest)
    // unreachable: arguments' names are known, and only theirs are printed
    pin(*smallest, "no argument's extent tells it from other factors");
  return !smallest;
}

bool ShapeClasses::trySolve() {
  extents.clear();
  std::vector<Relation> all = relations;
  for (const Product &product : products)
    all.push_back({product.whole, product.parts,
                   [](llvm::ArrayRef<Extent> parts) {
                     Extent result(1);
                     for (const Extent &part : parts)
                       result = result * part;
                     return result;
                   },
                   "factors of a reshape"});
  std::set<Node> targets, anchored;
  for (const Relation &relation : all)
    targets.insert(getClass(relation.target));
  for (Node anchor : anchors)
    anchored.insert(getClass(anchor));
  for (Node node = 0; node < parent.size(); ++node)
    if (getClass(node) == node && isNumber(node))
      extents[node] = Extent(sizes[node]);
  auto makeFree = [&](Node node) {
    extents[node] = Extent::name(nameOf(node));
  };
  for (Node node : anchored)
    if (!targets.count(node) && !extents.contains(node))
      makeFree(node);
  // Of factors that nothing else decides all but the largest stay numbers.
  for (const Product &product : products) {
    Node largest = 0;
    bool hasOne = false;
    auto isOpen = [&](Node part) {
      Node node = getClass(part);
      return !extents.contains(node) && !targets.count(node);
    };
    for (Node part : product.parts)
      if (isOpen(part) && (!hasOne || sizes[part] >= sizes[largest])) {
        largest = part;
        hasOne = true;
      }
    bool pinnedOne = false;
    for (Node part : product.parts)
      if (isOpen(part) && getClass(part) != getClass(largest)) {
        // unreachable: reasons are printed for arguments
        pin(part, "a factor of an extent that is reshaped");
        pinnedOne = true;
      }
    if (pinnedOne)
      return false;
    if (hasOne)
      makeFree(getClass(largest));
  }
  std::vector<bool> isDone(all.size());
  while (true) {
    bool progress = false;
    for (auto [i, relation] : llvm::enumerate(all)) {
      if (isDone[i])
        continue;
      std::optional<std::vector<Extent>> sources = gather(relation.sources);
      if (!sources)
        continue;
      isDone[i] = progress = true;
      Extent value = relation.formula(*sources);
      Node target = getClass(relation.target);
      auto [it, isNew] = extents.try_emplace(target, value);
      if (isNew || it->second == value)
        continue;
      // Both sides become numbers, which agree.
      Extent before = it->second;
      size_t count = pinned.size();
      std::string reason = "two formulas for it, by " + relation.what;
      pinNames(before, reason);
      pinNames(value, reason);
      if (pinned.size() != count)
        return false;
      // unreachable: without names both are the size that the file has
      pin(target, reason);
    }
    if (progress)
      continue;
    auto open = llvm::find_if(anchors, [&](Node anchor) {
      return !extents.contains(getClass(anchor));
    });
    if (open == anchors.end())
      break;
    makeFree(getClass(*open)); // of a cycle
  }
  bool isWhole = true;
  for (Node node = 0; node < parent.size(); ++node)
    if (getClass(node) == node && !extents.contains(node)) {
      // unreachable: reasons are printed for arguments
      pin(node, "nothing ties it to an argument");
      isWhole = false;
    }
  if (!isWhole)
    return false;
  std::set<std::string> used;
  for (const auto &entry : extents)
    entry.second.forEachName(
        [&](llvm::StringRef name) { used.insert(name.str()); });
  return recoverNames(used);
}

void ShapeClasses::solve() {
  refineProducts();
  // Each failure makes a number of one class at least.
  while (!trySolve()) {
  }
}

Extent ShapeClasses::getExtent(Node node) const {
  return extents.lookup(getClass(node));
}

std::vector<Extent> ShapeClasses::getRequired() const {
  std::vector<Extent> result;
  for (const Required &entry : required)
    if (auto sources = gather(entry.sources))
      result.push_back(entry.formula(*sources));
  return result;
}

std::string ShapeClasses::getReason(Node node) const {
  return pinned.lookup(getClass(node));
}
