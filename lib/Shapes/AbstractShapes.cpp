// From static shapes to named ones: classes of axes, names for those of
// arguments, types and sizes that follow, and the check that nothing was lost.
#include "evo/Shapes/AbstractShapes.h"
#include "BodyNumbers.h"
#include "IndexUses.h"
#include "OpenShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace evo;
using Node = ShapeClasses::Node;

/// Ties what `like` spells alike, and pins its literals.
static void tieLike(func::FuncOp function, ShapeRules &rules,
                    ArrayRef<SmallVector<StringRef>> like) {
  llvm::StringMap<Node> byText;
  for (auto [argument, texts] : llvm::zip(function.getArguments(), like))
    for (auto [i, text] : llvm::enumerate(texts)) {
      if (!rules.hasAxes(argument) ||
          i >= size_t(cast<RankedTensorType>(argument.getType()).getRank()))
        continue;
      Node axis = rules.getAxis(argument, i);
      int64_t literal;
      if (!text.getAsInteger(10, literal)) {
        rules.classes.pin(axis, "the contract has it as a number");
        continue;
      }
      auto [known, isNew] = byText.try_emplace(text, axis);
      if (!isNew &&
          rules.classes.getSize(axis) == rules.classes.getSize(known->second))
        rules.classes.unite(axis, known->second);
    }
}

/// A name for the n-th dimension that no argument has.
static std::string chooseName(unsigned n) {
  static constexpr StringLiteral letters = "MNKPQRSTUVWXYZ";
  std::string name(1, letters[n % letters.size()]);
  return n < letters.size() ? name : name + std::to_string(n / letters.size());
}

namespace {
/// Names in the place of classes, in the order of the arguments.
class Naming {
public:
  Naming(func::FuncOp function, const ShapeRules &rules) {
    for (BlockArgument argument : function.getArguments()) {
      result.extents.emplace_back();
      if (!rules.hasAxes(argument))
        continue;
      auto type = cast<RankedTensorType>(argument.getType());
      for (int64_t i = 0; i < type.getRank(); ++i) {
        Extent extent = rules.getExtent(argument, i);
        extent.forEachName([&](StringRef name) { add(name, rules); });
        result.extents.back().push_back(rename(extent).str());
        if (!extent.getAsConstant() || type.getDimSize(i) <= 1)
          continue;
        std::string reason =
            rules.classes.getReason(rules.getAxis(argument, i));
        result.fixed.push_back(
            "argument " + std::to_string(argument.getArgNumber()) + ", axis " +
            std::to_string(i) + ", is " + std::to_string(type.getDimSize(i)) +
            ": " + (reason.empty() ? "it follows from others" : reason));
      }
    }
    for (const Extent &extent : rules.classes.getRequired())
      require(rename(extent));
    for (const std::optional<Extent> &extent : findIndexed(function, rules))
      result.indexed.push_back(extent ? rename(*extent).str() : "");
  }
  ShapeNames result;
  Bindings sizes; // of the classes

private:
  void add(StringRef name, const ShapeRules &rules) {
    if (names.contains(name))
      return;
    Node node = 0;
    (void)name.drop_front().getAsInteger(10, node);
    names[name] = chooseName(names.size());
    sizes[name] = rules.classes.getSize(node);
    result.sizes.emplace_back(names[name], rules.classes.getSize(node));
  }
  Extent rename(const Extent &extent) {
    return extent.substitute(
        [&](StringRef name) { return Extent::name(names.lookup(name)); });
  }
  /// Extents are not negative anyway, and where one is 0 there is nothing to
  /// compute; conditions are for differences.
  void require(const Extent &extent) {
    bool canBeNegative = llvm::any_of(
        extent.getTerms(), [](const auto &term) { return term.second < 0; });
    std::string text = extent.str() + " >= 0";
    if (canBeNegative && !extent.getAsConstant() &&
        !llvm::is_contained(result.requirements, text))
      result.requirements.push_back(text);
  }
  llvm::StringMap<std::string> names;
};
} // namespace

FailureOr<ShapeNames> evo::abstractShapes(func::FuncOp function,
                                          ArrayRef<unsigned> destinations,
                                          ArrayRef<SmallVector<StringRef>> like,
                                          std::string &why) {
  why.clear();
  if (!function.getBody().hasOneBlock()) {
    why = "the function has no body of one block";
    return failure();
  }
  OwningOpRef<func::FuncOp> original(function.clone());
  // Front ends leave casts and sizes that only folding makes static.
  PassManager passes(function.getContext(), func::FuncOp::getOperationName());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  auto canonicalize = [&](func::FuncOp what) {
    if (succeeded(passes.run(what)))
      return success();
    // unreachable: only the verifier could fail
    why = "it cannot be canonicalised";
    return failure();
  };
  if (failed(canonicalize(*original)))
    return failure();
  fillConstants(*original);
  OwningOpRef<func::FuncOp> opened(original->clone());
  separateUses(*opened);
  ShapeRules rules(*opened);
  rules.collect(destinations);
  tieLike(*opened, rules, like);
  rules.classes.solve();
  Naming naming(*opened, rules);
  if (naming.sizes.empty()) {
    why = "no extent of an argument can change";
    return failure();
  }
  std::vector<BodyNumber> numbers =
      findBodyNumbers(*opened, rules, naming.sizes, naming.result.fixed);
  SmallVector<Type> types(opened->getArgumentTypes());
  SizeValues sizes(*opened, rules);
  openShapes(*opened, rules, sizes);
  replaceBodyNumbers(numbers, sizes);
  if (failed(canonicalize(*opened)))
    return failure();
  OwningOpRef<func::FuncOp> bound(opened->clone());
  // What is wrong is no fault of the file.
  ScopedDiagnosticHandler silence(function.getContext(), [&](Diagnostic &diag) {
    if (why.empty())
      why = diag.str();
    return success();
  });
  if (failed(bindShapes(*bound, types))) {
    why = "the sizes do not follow from those of arguments (" + why + ")";
    return failure();
  }
  if (!areSameFunctions(*original, *bound)) {
    why = "with the sizes put back it is another function";
    return failure();
  }
  function.getBody().takeBody(opened->getBody());
  function.setFunctionType(opened->getFunctionType());
  return naming.result;
}
