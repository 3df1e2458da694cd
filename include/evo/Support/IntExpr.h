// Integer expressions over names: the dimensions, launch extents and
// requirements of a contract. One small language serves comment headers, MLIR
// attributes, models' answers and generated host code, so that what is checked
// is what is shipped.
//
//   expression  = names, decimal literals, + - * / %, ceildiv(a, b),
//                 min(a, b, ...), max(a, b, ...), parentheses
//   requirement = expression (== | != | < | <= | > | >=) expression
//               | "target" == name
//
// Values are signed 64-bit; / and % round towards minus infinity; overflow and
// division by zero are errors.
#ifndef EVO_SUPPORT_INTEXPR_H
#define EVO_SUPPORT_INTEXPR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>

namespace evo {

/// Values of names while an expression is evaluated.
using Bindings = llvm::StringMap<int64_t>;

/// An error at a character offset of the text that was parsed.
class ExprError : public llvm::ErrorInfo<ExprError> {
public:
  static char ID;
  ExprError(std::string message, size_t offset)
      : message(std::move(message)), offset(offset) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  llvm::StringRef getMessage() const { return message; }
  size_t getOffset() const { return offset; }

private:
  std::string message;
  size_t offset;
};

/// An immutable parsed expression; copies share it.
class IntExpr {
public:
  enum class Kind {
    Constant,
    Name,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    CeilDiv,
    Min,
    Max
  };
  struct Node;

  static llvm::Expected<IntExpr> parse(llvm::StringRef text);
  static IntExpr constant(int64_t value);
  static IntExpr name(llvm::StringRef name);
  /// Of a kind that is neither a constant nor a name.
  static IntExpr binary(Kind kind, const IntExpr &lhs, const IntExpr &rhs);

  llvm::Expected<int64_t> evaluate(const Bindings &bindings) const;
  /// Canonical text: parses to the same expression.
  std::string str() const;
  /// C++ source of the expression over int64_t variables, with the helpers
  /// floordiv, floormod and ceildiv.
  std::string cxx() const;
  void forEachName(llvm::function_ref<void(llvm::StringRef)> callback) const;
  /// The expression with every name replaced for which `replace` answers one.
  IntExpr substitute(llvm::function_ref<std::optional<IntExpr>(llvm::StringRef)>
                         replace) const;
  /// The expression with every quotient by `old` that is rounded up divided by
  /// `wanted` instead: ceildiv(e, old), (e + old - 1) / old, (e - 1) / old + 1.
  IntExpr retile(int64_t old, int64_t wanted) const;
  Kind getKind() const;
  /// The operands; only where it is neither a constant nor a name.
  IntExpr getLhs() const;
  IntExpr getRhs() const;
  /// The name, where the expression is nothing but a name; else empty.
  llvm::StringRef getAsName() const;
  /// The number, where the expression is nothing but a literal.
  std::optional<int64_t> getAsConstant() const;
  /// E and n, where the expression is `E % n` with a literal n.
  std::optional<std::pair<IntExpr, int64_t>> getAsRemainder() const;

private:
  explicit IntExpr(std::shared_ptr<const Node> root) : root(std::move(root)) {}
  friend class ExprParser;
  static std::shared_ptr<const Node> substituteNode(
      const std::shared_ptr<const Node> &node,
      llvm::function_ref<std::optional<IntExpr>(llvm::StringRef)> replace);
  static std::shared_ptr<const Node>
  retileNode(const std::shared_ptr<const Node> &node, int64_t old,
             int64_t wanted);
  std::shared_ptr<const Node> root;
};

/// A condition on sizes, or on the target architecture.
class Requirement {
public:
  enum class Comparison { EQ, NE, LT, LE, GT, GE };

  Requirement(IntExpr lhs, Comparison comparison, IntExpr rhs)
      : lhs(std::move(lhs)), comparison(comparison), rhs(std::move(rhs)) {}
  static llvm::Expected<Requirement> parse(llvm::StringRef text);

  /// `target` is the name of the architecture in use.
  llvm::Expected<bool> holds(const Bindings &bindings,
                             llvm::StringRef target) const;
  std::string str() const;
  std::string cxx() const;
  Requirement substitute(
      llvm::function_ref<std::optional<IntExpr>(llvm::StringRef)> replace)
      const;
  bool isOnTarget() const { return !targetName.empty(); }
  /// The target, where the condition is on it; else empty.
  llvm::StringRef getTargetName() const { return targetName; }
  /// What is compared, where the condition is on sizes.
  const IntExpr &getLhs() const { return lhs; }
  const IntExpr &getRhs() const { return rhs; }
  Comparison getComparison() const { return comparison; }
  /// N and n, where the condition is `N == n`, a name and a number.
  std::optional<std::pair<llvm::StringRef, int64_t>> getFixedSize() const;
  void forEachName(llvm::function_ref<void(llvm::StringRef)> callback) const;
  /// The text of E, and n, where the condition is `E % n == 0`.
  std::optional<std::pair<std::string, int64_t>> getDivisor() const;

private:
  IntExpr lhs;
  Comparison comparison;
  IntExpr rhs;
  std::string targetName;
};

} // namespace evo

#endif
