// LLVM's printer has changed how it writes float literals that are no short
// decimals: bits of the type itself behind "f0x", and names for infinities and
// NaNs. Compilers that carry their own LLVM print those already, while this
// LLVM reads bits of a double behind "0x", for any type.
#include "ReadLLVMIR.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace evo;

static std::string spellDouble(APFloat value) {
  bool lossy;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return "0x" + utohexstr(value.bitcastToAPInt().getZExtValue(),
                          /*LowerCase=*/false, /*Width=*/16);
}

/// Whether the last float type named before `end` is bfloat: both types of 16
/// bits have literals of four digits.
static bool isBFloatBefore(StringRef line) {
  size_t half = line.rfind("half"), bfloat = line.rfind("bfloat");
  return bfloat != StringRef::npos &&
         (half == StringRef::npos || bfloat > half);
}

/// The literal at the start of `rest` as this LLVM writes it; empty if there is
/// none. `length` is that of the original.
static std::string rewrite(StringRef rest, StringRef before, size_t &length) {
  if (rest.starts_with("f0x")) {
    StringRef digits = rest.drop_front(3).take_while(isHexDigit);
    uint64_t bits;
    if (digits.getAsInteger(16, bits))
      return "";
    length = 3 + digits.size();
    const fltSemantics *semantics =
        digits.size() == 16      ? &APFloat::IEEEdouble()
        : digits.size() == 8     ? &APFloat::IEEEsingle()
        : digits.size() != 4     ? nullptr
        : isBFloatBefore(before) ? &APFloat::BFloat()
                                 : &APFloat::IEEEhalf();
    if (!semantics)
      return "";
    return spellDouble(APFloat(*semantics, APInt(digits.size() * 4, bits)));
  }
  for (StringRef name : {"inf", "qnan"})
    if (rest.drop_front().starts_with(name) &&
        !isAlnum(rest.drop_front(1 + name.size()).str()[0])) {
      bool negative = rest.front() == '-';
      length = 1 + name.size();
      const fltSemantics &semantics = APFloat::IEEEdouble();
      return spellDouble(name == "inf" ? APFloat::getInf(semantics, negative)
                                       : APFloat::getQNaN(semantics, negative));
    }
  return "";
}

FloatLiterals::FloatLiterals(StringRef source) {
  // Characters a literal may follow; within a name it follows others.
  constexpr StringLiteral separators = " ,(<[\t";
  unsigned lineNumber = 0;
  while (!source.empty()) {
    StringRef line;
    size_t end = source.find('\n');
    line = source.take_front(end == StringRef::npos ? source.size() : end + 1);
    source = source.drop_front(line.size());
    ++lineNumber;
    size_t start = text.size();
    bool quoted = false;
    for (size_t i = 0; i < line.size();) {
      if (!quoted && line[i] == ';') {
        text += line.substr(i);
        break;
      }
      quoted ^= line[i] == '"';
      bool mayStart = !quoted && i > 0 && separators.contains(line[i - 1]) &&
                      StringRef("f+-").contains(line[i]);
      size_t length = 0;
      std::string literal =
          mayStart ? rewrite(line.substr(i), line.take_front(i), length) : "";
      if (literal.empty()) {
        text += line[i++];
        continue;
      }
      text += literal;
      i += length;
      edits.push_back({lineNumber, unsigned(text.size() - start),
                       int(literal.size()) - int(length)});
    }
  }
}

unsigned FloatLiterals::getOriginalColumn(unsigned line,
                                          unsigned column) const {
  int shift = 0;
  for (const Edit &edit : edits)
    if (edit.line == line && edit.column < column)
      shift += edit.grown;
  return column - shift;
}
