// Which files a candidate's text may ask for, judged on the text alone. Clang
// sees only the folders it may see; NVRTC opens what it likes, and takes the
// same text with other macros set. So a header must be named literally, below
// some folder of headers, in every branch of the text.
#include "IncludeCheck.h"
#include "mlir/IR/Diagnostics.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;

/// Why `text`, which follows a directive on its line, names no header that may
/// be asked for; none if it does.
static std::optional<std::string> objection(StringRef text) {
  text = text.take_until([](char c) { return c == '\n' || c == '\r'; });
  text = text.ltrim(" \t");
  bool angled = text.consume_front("<");
  if (!angled && !text.consume_front("\""))
    return "must name its file literally";
  size_t end = text.find(angled ? '>' : '"');
  if (end == StringRef::npos)
    return "must name its file on one line";
  StringRef name = text.take_front(end);
  if (name.contains('\\'))
    return "must name its file without a backslash";
  if (llvm::sys::path::is_absolute(name))
    return "names '" + name.str() +
           "' by an absolute path, which a reference may and a candidate may "
           "not: name it \"" +
           llvm::sys::path::filename(name).str() +
           "\" and give its folder with -I";
  for (StringRef part : llvm::split(name, '/'))
    if (part == "..")
      return "leaves its folder by '..' in '" + name.str() + "'";
  return std::nullopt;
}

LogicalResult evo::checkIncludes(MLIRContext *context, StringRef source,
                                 StringRef fileName) {
  auto refuse = [&](size_t offset, const Twine &why) {
    StringRef before = source.take_front(offset);
    unsigned line = before.count('\n') + 1;
    unsigned column = offset - (before.rfind('\n') + 1) + 1;
    return emitError(FileLineColLoc::get(context, fileName, line, column))
           << why;
  };
  for (StringRef trigraph : {"\?\?=", "\?\?/"})
    if (size_t at = source.find(trigraph); at != StringRef::npos)
      return refuse(at, "trigraphs are read differently by different "
                        "compilers: write '#' and '\\' as such");
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus17 = true;
  language.RawStringLiterals = language.LineComment = language.Digraphs = true;
  std::string text = source.str(); // the lexer wants a zero at the end
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(),
                     text.data(), text.data() + text.size());
  auto offsetOf = [&](const clang::Token &token) {
    return lexer.getBufferLocation() - text.data() - token.getLength();
  };
  clang::Token token;
  bool directive = false; // after a '#' that begins a line
  while (!lexer.LexFromRawLexer(token)) {
    bool begins = std::exchange(directive, token.is(clang::tok::hash) &&
                                               token.isAtStartOfLine());
    if (token.isNot(clang::tok::raw_identifier))
      continue;
    size_t offset = offsetOf(token);
    if (begins && token.needsCleaning())
      return refuse(offset, "a directive's name must stand on one line");
    StringRef name = token.getRawIdentifier();
    bool asks =
        llvm::StringSwitch<bool>(name)
            .Cases({"__has_include", "__has_include_next", "__has_embed"}, true)
            .Cases({"include", "include_next", "import", "embed"}, begins)
            .Default(false);
    if (!asks)
      continue;
    StringRef rest = StringRef(text).drop_front(offset + name.size());
    if (!begins) {
      rest = rest.ltrim(" \t");
      // Asked about by name only, as in defined(__has_include).
      if (!rest.consume_front("("))
        continue;
    }
    if (auto why = objection(rest))
      return refuse(offset, "'" + name + "' " + *why);
  }
  return success();
}
