// Prompts as templates, built in or from a folder. What the model is told is
// source text in prompts/, rendered by LLVM's Mustache engine over a JSON
// value. The built-in texts can be overridden file by file from a folder,
// without a rebuild. Templates are checked when they are loaded, because the
// engine itself renders a mistake as silence: a missing partial as nothing, and
// `{{x}}` as HTML, in which no code survives.
#ifndef EVO_LLM_PROMPTLIBRARY_H
#define EVO_LLM_PROMPTLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace evo::llm {

/// Templates by name ("system" is system.mustache). What a context holds for
/// each template is written down in prompts/README.md.
class PromptLibrary {
public:
  /// The texts of the build.
  static llvm::Expected<PromptLibrary> builtin();

  /// The texts of the build, with each `*.mustache` and `*.json` of `folder`
  /// in the place of the one with that name, or added. Files larger than 1 MiB
  /// and templates that fail the check are errors (ModelError: Files or
  /// Configuration) that name the file.
  static llvm::Expected<PromptLibrary> withFolder(llvm::StringRef folder);

  /// The names of all templates, sorted.
  std::vector<std::string> names() const;

  /// Renders a template; every other template is a partial of it. Strings with
  /// bytes that are no UTF-8 have those replaced.
  llvm::Expected<std::string> render(llvm::StringRef name,
                                     const llvm::json::Value &context) const;

  /// The JSON schema of structured answers ("answer" is answer.json).
  llvm::Expected<llvm::json::Value> schema(llvm::StringRef name) const;

private:
  llvm::Error add(llvm::StringRef fileName, llvm::StringRef text);
  llvm::Error check() const;

  std::map<std::string, std::string> templates;
  std::map<std::string, std::string> schemas;
};

} // namespace evo::llm

#endif
