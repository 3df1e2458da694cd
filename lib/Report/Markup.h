// HTML and SVG. What is put in as text or as a value of an attribute is
// escaped; names of elements and attributes are literals of this library. So no
// text of a search can become markup.
#ifndef EVO_LIB_REPORT_MARKUP_H
#define EVO_LIB_REPORT_MARKUP_H

#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <string>

namespace evo::report {

struct MarkupAttribute {
  llvm::StringLiteral name;
  std::string value;
};
using Attributes = std::initializer_list<MarkupAttribute>;

class Markup {
public:
  Markup &open(llvm::StringLiteral tag, Attributes attributes = {});
  Markup &close(llvm::StringLiteral tag);
  /// An element without content: `<col>`, `<path/>`.
  Markup &empty(llvm::StringLiteral tag, Attributes attributes);
  /// Bytes that are no UTF-8, and characters that control the display, are
  /// shown as what they are.
  Markup &text(llvm::StringRef text);
  Markup &element(llvm::StringLiteral tag, Attributes attributes,
                  llvm::StringRef text);
  Markup &element(llvm::StringLiteral tag, llvm::StringRef text) {
    return element(tag, {}, text);
  }
  /// A text of this library, as it is.
  Markup &verbatim(llvm::StringLiteral text);
  const std::string &str() const { return bytes; }

private:
  std::string bytes;
  void begin(llvm::StringRef tag, Attributes attributes);
};

} // namespace evo::report

#endif
