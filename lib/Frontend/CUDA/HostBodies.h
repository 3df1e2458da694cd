// Files of projects hold host code, too, which calls libraries that need not be
// here. Clang can pass over the bodies of functions; which, is said here.
#ifndef EVO_LIB_FRONTEND_CUDA_HOSTBODIES_H
#define EVO_LIB_FRONTEND_CUDA_HOSTBODIES_H

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class ASTConsumer;
class CompilerInstance;
class SourceLocation;
} // namespace clang

namespace evo {

/// Functions that only the host can run, by the file and the offset in it where
/// they are named, with their names.
using HostFunctions = std::map<std::pair<std::string, unsigned>, std::string>;

struct HostBodies {
  bool areAllPassedOver = false;
  HostFunctions passedOver; // these are, whatever the above says
};

/// Where the front end may pass over bodies of functions, it does so with
/// `which`. What is constant or has a deduced type it parses in any case.
std::unique_ptr<clang::ASTConsumer>
passOverHostBodies(const HostBodies &which,
                   std::unique_ptr<clang::ASTConsumer> rest);

/// Says of each of `errors`, each a list of places, once the file is parsed, in
/// which host function the first of its places lies that lies in a function.
/// An empty name: in none, or in one that a device runs.
class BrokenHostFunctions {
public:
  virtual ~BrokenHostFunctions() = default;
  virtual std::vector<std::vector<clang::SourceLocation>> getErrors() const = 0;
  virtual void isIn(unsigned error, const HostFunctions::value_type &host) = 0;
};
std::unique_ptr<clang::ASTConsumer>
findBrokenHostFunctions(clang::CompilerInstance &compiler,
                        BrokenHostFunctions &errors,
                        std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
