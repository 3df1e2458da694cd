// A position in the text of one header line that can report errors where it
// stands. Nested brackets are respected when a list is split.
#ifndef EVO_LIB_FRONTEND_CONTRACT_CURSOR_H
#define EVO_LIB_FRONTEND_CONTRACT_CURSOR_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

namespace evo {

class Cursor {
public:
  Cursor(mlir::MLIRContext *context, llvm::StringRef file, unsigned line,
         unsigned column, llvm::StringRef text)
      : context(context), file(file), line(line), column(column), text(text) {}

  mlir::Location getLoc(size_t ahead = 0) const {
    return mlir::FileLineColLoc::get(context, file, line, column + ahead);
  }
  /// At the offset `ahead` of what is left, or at its first character that is
  /// no space.
  mlir::InFlightDiagnostic error(size_t ahead) const {
    return mlir::emitError(getLoc(ahead));
  }
  mlir::InFlightDiagnostic error() const {
    return error(text.size() - text.ltrim().size());
  }

  llvm::StringRef rest() const { return text; }
  mlir::MLIRContext *getContext() const { return context; }
  void skip(size_t count) {
    text = text.drop_front(count);
    column += count;
  }
  void skipSpace() { skip(text.size() - text.ltrim().size()); }
  bool atEnd() {
    skipSpace();
    return text.empty();
  }
  bool consume(llvm::StringRef token) {
    skipSpace();
    if (!text.starts_with(token))
      return false;
    skip(token.size());
    return true;
  }
  /// Consumes a whole word, so that "in" is not taken out of "inout".
  bool consumeWord(llvm::StringRef word) {
    skipSpace();
    if (peekWord() != word)
      return false;
    skip(word.size());
    return true;
  }
  llvm::StringRef peekWord() {
    skipSpace();
    return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  }
  llvm::StringRef takeWord() {
    llvm::StringRef word = peekWord();
    skip(word.size());
    return word;
  }
  /// A cursor over the next `count` characters, which are skipped here.
  Cursor take(size_t count) {
    Cursor result(context, file, line, column, text.take_front(count));
    skip(count);
    return result;
  }
  /// Offset of `token` outside any bracket, or npos.
  size_t findOutside(llvm::StringRef token) const {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (depth == 0 && text.substr(i).starts_with(token))
        return i;
      if (llvm::StringRef("([{").contains(text[i]))
        ++depth;
      else if (llvm::StringRef(")]}").contains(text[i]))
        --depth;
    }
    return llvm::StringRef::npos;
  }
  /// The text between an opening bracket here and its partner, if there is one.
  std::optional<Cursor> takeBracketed(char open, char close);
  /// Splits what is left at commas outside brackets.
  std::vector<Cursor> splitList();

private:
  mlir::MLIRContext *context;
  llvm::StringRef file;
  unsigned line, column;
  llvm::StringRef text;
};

inline std::vector<Cursor> Cursor::splitList() {
  std::vector<Cursor> items;
  while (true) {
    skipSpace();
    size_t comma = findOutside(",");
    items.push_back(take(std::min(comma, text.size())));
    if (comma == llvm::StringRef::npos)
      return items;
    skip(1);
  }
}

inline std::optional<Cursor> Cursor::takeBracketed(char open, char close) {
  skipSpace();
  if (!text.starts_with(llvm::StringRef(&open, 1)))
    return std::nullopt;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == open;
    depth -= text[i] == close;
    if (depth == 0) {
      skip(1);
      Cursor inner = take(i - 1);
      skip(1);
      return inner;
    }
  }
  return std::nullopt;
}

} // namespace evo

#endif
