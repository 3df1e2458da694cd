// A scan for brackets outside of strings.
#include "evo/Support/JSON.h"

using namespace llvm;

size_t evo::findBracket(StringRef text, function_ref<bool(char)> stops) {
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && StringRef("[]{}").contains(c) && stops(c))
      return i;
  }
  return StringRef::npos;
}

bool evo::isNestedTooDeep(StringRef text) {
  unsigned depth = 0;
  size_t tooDeep = findBracket(text, [&](char c) {
    if (c == '[' || c == '{')
      ++depth;
    else if (depth > 0)
      --depth;
    return depth > maxJSONNesting;
  });
  return tooDeep != StringRef::npos;
}

Expected<json::Value> evo::parseJSON(StringRef text) {
  if (isNestedTooDeep(text))
    return createStringError("nested deeper than %u", maxJSONNesting);
  return json::parse(text);
}
