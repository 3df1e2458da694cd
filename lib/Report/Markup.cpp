// Escaping, in one place.
#include "Markup.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace evo::report;

/// Characters that no reader sees, but that change what is seen: marks of the
/// direction of writing, which can show code in another order, and blanks of no
/// width.
static bool isInvisible(uint32_t code) {
  return (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0xFEFF ||
         (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F);
}

/// The code point at the front of valid UTF-8, which is taken off.
static uint32_t takeCode(StringRef &text, StringRef &bytes) {
  const auto *begin = reinterpret_cast<const UTF8 *>(text.data());
  const UTF8 *next = begin;
  UTF32 code = 0;
  if (convertUTF8Sequence(&next, begin + text.size(), &code,
                          strictConversion) != conversionOK) {
    // unreachable: fixUTF8 leaves nothing else
    code = 0xFFFD;
    next = begin + 1;
  }
  bytes = text.take_front(next - begin);
  text = text.drop_front(next - begin);
  return code;
}

static void escape(std::string &out, StringRef raw) {
  std::string valid = json::fixUTF8(raw);
  StringRef text = valid, bytes;
  while (!text.empty()) {
    uint32_t code = takeCode(text, bytes);
    switch (code) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    case '\t':
    case '\n':
      out += static_cast<char>(code);
      break;
    default:
      if (code < 0x20 || isInvisible(code))
        out += "[U+" + utohexstr(code, /*LowerCase=*/false, 4) + "]";
      else
        out += bytes;
    }
  }
}

void Markup::begin(StringRef tag, Attributes attributes) {
  bytes += "<";
  bytes += tag;
  for (const MarkupAttribute &attribute : attributes) {
    if (attribute.value.empty())
      continue;
    bytes += " ";
    bytes += attribute.name;
    bytes += "=\"";
    escape(bytes, attribute.value);
    bytes += "\"";
  }
}

Markup &Markup::open(StringLiteral tag, Attributes attributes) {
  begin(tag, attributes);
  bytes += ">";
  return *this;
}

Markup &Markup::close(StringLiteral tag) {
  bytes += "</";
  bytes += tag;
  bytes += ">";
  // Not within a line, where a break is a blank.
  for (StringRef block : {"tr", "p", "li", "div", "table", "section", "svg",
                          "details", "header", "html", "head"})
    if (tag == block)
      bytes += '\n';
  return *this;
}

Markup &Markup::empty(StringLiteral tag, Attributes attributes) {
  begin(tag, attributes);
  bytes += "/>";
  return *this;
}

Markup &Markup::text(StringRef text) {
  escape(bytes, text);
  return *this;
}

Markup &Markup::element(StringLiteral tag, Attributes attributes,
                        StringRef content) {
  return open(tag, attributes).text(content).close(tag);
}

Markup &Markup::verbatim(StringLiteral text) {
  bytes += text;
  return *this;
}
