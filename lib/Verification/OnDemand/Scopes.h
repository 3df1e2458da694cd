// Where operations are emitted that depend on the variables of some of the
// loops around them: before the innermost loop whose variable they do not use,
// and once. So the sum of a row is computed before the loop that asks for it in
// each step, which else would make a square of linear work.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_SCOPES_H
#define EVO_LIB_VERIFICATION_ONDEMAND_SCOPES_H

#include "mlir/IR/Builders.h"
#include <map>

namespace evo {

/// A stack of nested blocks that are still open, outermost first.
class Scopes {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  /// What names a value: the operation or kind it comes from, and the values
  /// that it is computed of.
  using Key = std::vector<uintptr_t>;

  explicit Scopes(mlir::OpBuilder &builder) : builder(builder) {}

  /// Opens a block; operations go before `end`, or to its end where that is
  /// null. The builder is left there. Lanes may be `divergent` in it.
  void push(mlir::Block *block, mlir::Operation *end = nullptr,
            bool divergent = false) {
    stack.push_back({block, end, {}, divergent});
    rewind();
  }
  /// Closes the innermost one.
  void pop() {
    stack.pop_back();
    if (!stack.empty())
      rewind();
  }

  /// Computes `make` in the outermost scope that all of `operands` allow, or
  /// takes what an earlier call with this key computed.
  mlir::FailureOr<Values>
  once(const Key &key, mlir::ValueRange operands,
       llvm::function_ref<mlir::FailureOr<Values>()> make) {
    for (const Scope &scope : stack)
      if (auto known = scope.known.find(key); known != scope.known.end())
        return known->second;
    size_t depth = 0;
    for (mlir::Value operand : operands)
      depth = std::max(depth, depthOf(operand));
    std::vector<Scope> inner(std::make_move_iterator(stack.begin() + depth + 1),
                             std::make_move_iterator(stack.end()));
    stack.resize(depth + 1);
    mlir::Operation *end = stack.back().end;
    if (!inner.empty())
      stack.back().end = inner.front().block->getParentOp();
    rewind();
    mlir::FailureOr<Values> values = make();
    if (mlir::succeeded(values))
      stack.back().known[key] = *values;
    stack.back().end = end;
    stack.insert(stack.end(), std::make_move_iterator(inner.begin()),
                 std::make_move_iterator(inner.end()));
    rewind();
    return values;
  }

  /// Whether lanes may be at different places in one of the blocks.
  bool isDivergent() const {
    return llvm::any_of(stack, [](const Scope &s) { return s.isDivergent; });
  }

private:
  struct Scope {
    mlir::Block *block = nullptr;
    mlir::Operation *end = nullptr;
    std::map<Key, Values> known;
    bool isDivergent = false;
  };
  mlir::OpBuilder &builder;
  std::vector<Scope> stack;

  size_t depthOf(mlir::Value value) const {
    for (size_t depth = stack.size(); depth-- > 1;)
      if (stack[depth].block == value.getParentBlock())
        return depth;
    return 0; // of the function itself
  }
  void rewind() {
    const Scope &scope = stack.back();
    if (scope.end)
      builder.setInsertionPoint(scope.end);
    else
      builder.setInsertionPointToEnd(scope.block);
  }
};

} // namespace evo

#endif
