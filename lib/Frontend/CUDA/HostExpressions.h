// Expressions of host code as those of a contract.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTEXPRESSIONS_H
#define EVO_LIB_FRONTEND_CUDA_HOSTEXPRESSIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class BinaryOperator;
class CallExpr;
class Expr;
class FunctionDecl;
class MemberExpr;
class Stmt;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace evo {

/// Of one host function. What a variable was initialised with stands for it; a
/// parameter, or a size of a tensor, goes by its name, and so does a variable
/// that is found to be a size.
class HostExpressions {
public:
  using Decls = std::set<const clang::ValueDecl *>;
  /// Variables in `changing` are worth what they were last assigned.
  HostExpressions(clang::ASTContext &context, Decls changing)
      : context(context), changing(std::move(changing)) {}

  /// An integer, or the extents of a dim3; nothing where it is not known.
  struct Value {
    std::optional<std::vector<std::string>> texts;
    /// Under which it is that: what led to one of several values.
    std::vector<std::string> requirements;
  };
  /// Of the variables that change.
  using State = std::map<const clang::ValueDecl *, Value>;
  State state;
  /// Under which the expressions since it was cleared are what was answered.
  std::vector<std::string> assumed;

  /// An integer; nothing where the contract's language has no word for it.
  /// A size of a type counts as `sizeOfType` where that is given.
  std::optional<std::string>
  integer(const clang::Expr *expr,
          std::optional<int64_t> sizeOfType = std::nullopt);
  /// Up to three extents, in brackets where they are several.
  std::optional<std::string> extents(const clang::Expr *expr);
  /// The variable that a pointer comes from: a tensor, or the pointer itself.
  static const clang::ValueDecl *buffer(const clang::Expr *expr);

  /// An integer that is compared; nothing where it is of another type.
  std::optional<std::string> operand(const clang::Expr *expr);

  /// The variable is there: what it is initialised with may name a size.
  void declare(const clang::VarDecl *variable);
  /// The place is assigned; `value` may be the compound assignment itself.
  void assign(const clang::Expr *place, const clang::Expr *value);
  /// What the variable is worth from now on is not known.
  void forget(const clang::ValueDecl *decl) { state[decl] = {}; }
  /// After a branch: `state` is what it is where `condition` does not hold. Of
  /// two values the one counts that large sizes lead to.
  void merge(const clang::Expr *condition, const State &before,
             const State &ifHolds);
  /// The tensor that has a size of this name, and which of its sizes.
  std::optional<std::pair<const clang::ValueDecl *, int64_t>>
  sizeNamed(llvm::StringRef name) const;
  /// The name of a tensor's size, where it has one by now.
  std::optional<std::string> nameOfSize(const clang::ValueDecl *tensor,
                                        int64_t place) const;
  /// Whether a variable in it changes.
  bool mayChange(const clang::Expr *expr);

  /// Without what changes no value, casts that are written out included.
  static const clang::Expr *strip(const clang::Expr *expr);
  /// The branch of a conditional operator that is always taken.
  const clang::Expr *takenOf(const clang::Expr *expr);
  /// What a variable of type bool is initialised with, if it never changes.
  const clang::Expr *initOfFlag(const clang::Expr *expr);
  /// The variable that an assignment to `place` changes, and which of the
  /// extents of a dim3, or -1.
  static std::pair<const clang::ValueDecl *, int>
  assignedBy(const clang::Expr *place);

  /// If a buffer's allocation is as long as this local variable says, which
  /// begins as a number, it goes by its name from now on: that, and the number.
  std::optional<std::pair<std::string, int64_t>>
  nameSize(const clang::Expr *expr);
  /// An allocation of `bytes` for `buffer`.
  void allocate(const clang::ValueDecl *buffer, const clang::Expr *bytes) {
    allocations[buffer] = bytes;
  }
  /// The extents of a buffer of elements of `size` bytes, as far as they are
  /// known by now; `?` where they are not.
  std::string dims(const clang::ValueDecl *buffer, unsigned size);
  /// Whether the buffer was allocated with zeros.
  static bool isZeroed(const clang::ValueDecl *buffer);

private:
  clang::ASTContext &context;
  Decls changing;
  std::map<const clang::ValueDecl *, const clang::Expr *> allocations;
  std::map<const clang::ValueDecl *, std::map<int64_t, std::string>> sizes;
  std::map<const clang::ValueDecl *, std::string> counts;
  /// Of tensors that are so many rows of so many elements.
  std::map<const clang::ValueDecl *, std::pair<std::string, std::string>> rows;
  Decls named;
  Decls quotients; ///< that became sizes
  unsigned depth = 0;

  static constexpr unsigned maxDepth = 16; ///< of expressions

  static const clang::ValueDecl *referee(const clang::Expr *expr);
  static const clang::Expr *initOf(const clang::ValueDecl *decl);
  /// The call by which a tensor was made.
  static const clang::CallExpr *maker(const clang::ValueDecl *decl);
  static llvm::StringRef nameOf(const clang::FunctionDecl *function);
  /// The arguments that are written, not those by default.
  static unsigned countWritten(const clang::CallExpr *call);
  static bool mentions(const clang::Stmt *stmt,
                       llvm::function_ref<bool(const clang::ValueDecl *)> is,
                       unsigned depth = 0);
  /// A number, as far as nothing in it goes by a name.
  std::optional<std::string> number(const clang::Expr *expr);

  Value evaluate(const clang::Expr *expr, bool isExtents);
  /// What it is worth where both branches meet again.
  Value choose(const clang::Expr *condition, const Value &ifHolds,
               const Value &ifNot);
  /// The smaller or the larger of two, where that is what it comes to.
  std::optional<std::string> bound(const clang::Expr *condition,
                                   const std::string &ifHolds,
                                   const std::string &ifNot);
  std::optional<std::string> choice(const clang::Expr *expr,
                                    std::optional<int64_t> sizeOfType);
  /// What a changing variable is worth; assumes what led to it.
  std::optional<std::vector<std::string>> valueOf(const clang::ValueDecl *decl);
  std::optional<std::vector<std::string>> extentList(const clang::Expr *expr);
  std::optional<std::string> binary(const clang::BinaryOperator *op,
                                    std::optional<int64_t> sizeOfType);
  /// One of a dim3.
  std::optional<std::string> extent(const clang::MemberExpr *member);
  std::optional<std::string> tensorSize(const clang::CallExpr *call,
                                        const std::string &as);
  std::optional<std::string> roundedUp(const clang::Expr *expr,
                                       std::optional<int64_t> sizeOfType);

  static const clang::ValueDecl *countedBy(const clang::Expr *expr);
  std::optional<std::string> quotientOf(const clang::ValueDecl *decl,
                                        const clang::Expr *init);
  /// A size of a tensor, which is to go by that name unless it has one.
  std::optional<std::string> sizeAt(const clang::ValueDecl *tensor,
                                    const clang::Expr *place,
                                    const std::string &as);
  std::optional<std::string> variable(const clang::ValueDecl *decl,
                                      std::optional<int64_t> sizeOfType);
  std::optional<std::string> call(const clang::Expr *expr,
                                  const std::string &name,
                                  std::optional<int64_t> sizeOfType);
};

} // namespace evo

#endif
