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
class Expr;
class Stmt;
class ValueDecl;
} // namespace clang

namespace evo {

/// Of one host function. What a variable was initialised with stands for it; a
/// parameter, or a size of a tensor, goes by its name, and so does a variable
/// that is found to be a size.
class HostExpressions {
public:
  explicit HostExpressions(clang::ASTContext &context) : context(context) {}

  /// An integer; nothing where the contract's language has no word for it.
  /// A size of a type counts as `sizeOfType` where that is given.
  std::optional<std::string>
  integer(const clang::Expr *expr,
          std::optional<int64_t> sizeOfType = std::nullopt);
  /// Up to three extents, in brackets where they are several.
  std::optional<std::string> extents(const clang::Expr *expr);
  /// The variable that a pointer comes from: a tensor, or the pointer itself.
  static const clang::ValueDecl *buffer(const clang::Expr *expr);

  /// The variable is there: what it is initialised with may name a size.
  void declare(const clang::ValueDecl *decl) {
    (void)variable(decl, std::nullopt);
  }
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
  std::map<const clang::ValueDecl *, const clang::Expr *> allocations;
  std::map<const clang::ValueDecl *, std::map<int64_t, std::string>> sizes;
  std::map<const clang::ValueDecl *, std::string> counts;
  std::set<const clang::ValueDecl *> named;
  unsigned depth = 0;

  static bool mentions(const clang::Stmt *stmt,
                       llvm::function_ref<bool(const clang::ValueDecl *)> is,
                       unsigned depth = 0);
  /// A number, as far as nothing in it goes by a name.
  std::optional<std::string> number(const clang::Expr *expr);

  std::optional<std::string> variable(const clang::ValueDecl *decl,
                                      std::optional<int64_t> sizeOfType);
  std::optional<std::string> call(const clang::Expr *expr,
                                  const std::string &name,
                                  std::optional<int64_t> sizeOfType);
};

} // namespace evo

#endif
