// Finds mistakes in a Mustache template. The Mustache engine accepts everything
// and leaves out what it does not understand. A prompt with a hole in it costs
// money and looks like a poor model, so templates are held to a stricter form
// when they are loaded.
#ifndef EVO_LIB_LLM_TEMPLATECHECK_H
#define EVO_LIB_LLM_TEMPLATECHECK_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace evo::llm {

struct TemplateFacts {
  /// "line 3: ..." ; empty for a good template.
  std::vector<std::string> problems;
  std::vector<std::string> partials; ///< names used
};

/// Sections must nest and close, tags must end, variables must be unescaped
/// (`{{{x}}}` or `{{&x}}`), and delimiters may not change.
TemplateFacts checkTemplate(llvm::StringRef text);

} // namespace evo::llm

#endif
