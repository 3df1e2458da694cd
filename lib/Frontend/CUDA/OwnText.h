// What a text that is not the user's own says beside its code: names for the
// assembler, which make a function another one, and what no device runs of it.
#ifndef EVO_LIB_FRONTEND_CUDA_OWNTEXT_H
#define EVO_LIB_FRONTEND_CUDA_OWNTEXT_H

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace evo {

/// Of the main file; headers are not looked at. Places are offsets in it.
struct OwnText {
  struct Refusal {
    unsigned line, column;
    std::string text;
  };
  /// Declarations that name what is not theirs.
  std::vector<Refusal> refusals;
  /// From the first to the last character of bodies that the host alone runs.
  std::vector<std::pair<unsigned, unsigned>> hostBodies;
  /// Where string literals stand that are only printed, and how many of them:
  /// in the file, and where the macro that became them is named, the same where
  /// it is no macro.
  std::map<std::pair<unsigned, unsigned>, unsigned> printed;

  bool isInHostBody(unsigned offset) const {
    for (auto [first, last] : hostBodies)
      if (offset >= first && offset <= last)
        return true;
    return false;
  }
};

/// Fills `found` once the file is parsed.
std::unique_ptr<clang::ASTConsumer>
readOwnText(clang::CompilerInstance &compiler, OwnText &found,
            std::unique_ptr<clang::ASTConsumer> rest);

} // namespace evo

#endif
