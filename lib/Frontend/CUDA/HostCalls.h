// Which conditions of its callers a host function runs under.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTCALLS_H
#define EVO_LIB_FRONTEND_CUDA_HOSTCALLS_H

#include "HostExpressions.h"
#include <map>
#include <string>
#include <vector>

namespace clang {
class FunctionDecl;
} // namespace clang

namespace evo {

/// Of the functions of a file that call each other.
class HostCalls {
public:
  /// Reads the calls in the body of `caller`. Callers come before what they
  /// call, as far as they are to count for that.
  void read(clang::ASTContext &context, clang::FunctionDecl *caller);
  /// What holds at all calls of the function, in names of its own parameters; a
  /// size of a tensor goes by the name that `expressions`, of the function's
  /// body, has for it.
  std::vector<std::string>
  conditionsOf(const clang::FunctionDecl *function,
               const HostExpressions &expressions) const;

private:
  std::map<const clang::FunctionDecl *, std::vector<std::string>> conditions;
};

} // namespace evo

#endif
