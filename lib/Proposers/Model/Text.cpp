// Bounding and cleaning of text for prompts.
#include "Text.h"
#include "evo/Support/Demangle.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// At most `maxBytes` bytes, without a character cut in its middle.
static StringRef takeWhole(StringRef text, size_t maxBytes) {
  StringRef head = text.take_front(maxBytes);
  while (!head.empty() && head.size() < text.size() &&
         (static_cast<unsigned char>(text[head.size()]) & 0xc0) == 0x80)
    head = head.drop_back();
  return head;
}

std::string evo::firstLine(StringRef text, size_t maxBytes) {
  StringRef line = text.split('\n').first.rtrim();
  if (line.size() <= maxBytes)
    return line.str();
  return takeWhole(line, maxBytes).str() + "...";
}

std::string evo::bounded(StringRef text, size_t maxBytes) {
  if (text.size() <= maxBytes)
    return text.str();
  StringRef head = takeWhole(text, maxBytes);
  if (size_t end = head.rfind('\n'); end != StringRef::npos && end > 0)
    head = head.take_front(end);
  return (head + "\n[" + Twine(text.size() - head.size()) + " more bytes]")
      .str();
}

static bool isPathCharacter(char c) {
  return isAlnum(c) || StringRef("_.+-@~").contains(c);
}

std::string evo::withoutFolders(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    // "//" begins a comment and "a/b" is a quotient: a path starts after a
    // space or a quote and has a folder.
    bool mayStart = i == 0 || StringRef(" \t\n'\"(<=:,").contains(text[i - 1]);
    if (text[i] == '/' && mayStart) {
      size_t end = i, last = StringRef::npos;
      while (end < text.size() && text[end] == '/' && end + 1 < text.size() &&
             isPathCharacter(text[end + 1])) {
        if (end != i)
          last = end + 1;
        for (++end; end < text.size() && isPathCharacter(text[end]);)
          ++end;
      }
      if (last != StringRef::npos) {
        result += text.slice(last, end);
        i = end;
        continue;
      }
    }
    result += text[i++];
  }
  return result;
}

std::string evo::demangled(StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    bool mayStart = i == 0 || !(isAlnum(text[i - 1]) || text[i - 1] == '_');
    StringRef word;
    if (mayStart && text.drop_front(i).starts_with("_Z"))
      word = text.drop_front(i).take_while(
          [](char c) { return isAlnum(c) || c == '_'; });
    if (std::optional<std::string> name = demangleFunction(word)) {
      result += *name;
      i += word.size();
    } else {
      result += text[i++];
    }
  }
  return result;
}
