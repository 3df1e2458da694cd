// JSON from outside. The parsers at hand recurse, or what prints their values
// does, so a text that is nested without end would take the process with it.
#ifndef EVO_SUPPORT_JSON_H
#define EVO_SUPPORT_JSON_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace evo {

/// The first bracket or brace outside of strings at which `stops` answers so,
/// which is asked of each in turn; npos where there is none.
size_t findBracket(llvm::StringRef text, llvm::function_ref<bool(char)> stops);

/// How deep a text may be nested.
inline constexpr unsigned maxJSONNesting = 512;

/// Whether arrays and objects of `text` are nested deeper than that. The text
/// need not be JSON: what stands before its first mistake is what counts.
bool isNestedTooDeep(llvm::StringRef text);

/// llvm::json::parse, but of no text that is nested too deep.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace evo

#endif
