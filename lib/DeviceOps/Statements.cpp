// Splitting the text of inline PTX, and calls by the operations they perform.
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstrTypes.h"

using namespace llvm;
using namespace evo;

void device::forEachStatement(StringRef text,
                              function_ref<void(const Statement &)> f) {
  auto isInWord = [](char c) { return !isSpace(c) && c != ';'; };
  while (true) {
    text = text.ltrim(" \t\r\n;{}");
    if (text.empty())
      return;
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    StringRef word = text.take_while(isInWord);
    const bool isLabel = word.ends_with(":");
    if (word.starts_with("@") || isLabel) {
      text = text.drop_front(word.size());
      continue;
    }
    StringRef statement = text.take_until([](char c) { return c == ';'; });
    text = text.drop_front(statement.size());
    f({word, statement.drop_front(word.size()).trim()});
  }
}

void device::forEachOperation(const CallBase &call,
                              function_ref<void(const Operation &)> f) {
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly) {
    const Function *callee = call.getCalledFunction();
    return f({lookup(call), callee ? callee->getName() : StringRef(),
              StringRef(), /*isDirective=*/false});
  }
  forEachStatement(assembly->getAsmString(), [&](const Statement &statement) {
    f({lookupPTX(statement.word), statement.word, statement.operands,
       statement.isDirective()});
  });
}

void device::forEachRegister(StringRef operands,
                             function_ref<void(StringRef)> f) {
  auto isInName = [](char c) { return isAlnum(c) || c == '_' || c == '.'; };
  for (size_t at; (at = operands.find('%')) != StringRef::npos;) {
    operands = operands.drop_front(at);
    StringRef name = operands.take_front(
        1 + operands.drop_front().take_while(isInName).size());
    f(name);
    operands = operands.drop_front(name.size());
  }
}
