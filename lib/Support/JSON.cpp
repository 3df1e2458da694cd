// A scan for brackets outside of strings.
#include "evo/Support/JSON.h"

using namespace llvm;

bool evo::isNestedTooDeep(StringRef text) {
  unsigned depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > mostJSONNesting)
        return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Expected<json::Value> evo::parseJSON(StringRef text) {
  if (isNestedTooDeep(text))
    return createStringError("nested deeper than %u", mostJSONNesting);
  return json::parse(text);
}
