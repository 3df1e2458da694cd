// JSON from outside: files, answers of models, messages of workers. What prints
// or destroys a value recurses, so a text that is nested without end would take
// the process with it.
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

/// Reads one JSON value, of which a later one of two equal keys counts. An
/// error says line, column and what is wrong there, or that it is nested too
/// deep. Text that is no UTF-8, surrogates without their pair and numbers that
/// no double holds are errors, too.
llvm::Expected<llvm::json::Value> parseJSON(llvm::StringRef text);

} // namespace evo

#endif
