// Splitting the text of inline PTX, and calls by the operations they perform.
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace evo;

/// Splits at commas outside of braces, brackets and parentheses.
static SmallVector<StringRef, 4> splitOperands(StringRef text) {
  SmallVector<StringRef, 4> operands;
  unsigned depth = 0;
  for (size_t i = 0, start = 0; i <= text.size(); ++i) {
    if (i < text.size() && StringRef("{[(").contains(text[i]))
      ++depth;
    if (i < text.size() && StringRef("}])").contains(text[i]) && depth)
      --depth;
    if (i == text.size() || (text[i] == ',' && !depth)) {
      if (StringRef operand = text.slice(start, i).trim(); !operand.empty())
        operands.push_back(operand);
      start = i + 1;
    }
  }
  return operands;
}

static bool isInName(char c) {
  return isAlnum(c) || c == '_' || c == '$' || c == '%';
}

/// The name of a label at the start of `text`, if there is one: a colon follows
/// it, and not two, as in "st.shared::cta".
static StringRef labelOf(StringRef text) {
  StringRef name = text.take_while(isInName);
  StringRef rest = text.drop_front(name.size());
  return rest.starts_with(":") && !rest.starts_with("::") ? name : StringRef();
}

std::vector<device::Statement> device::readPTX(StringRef text) {
  using Kind = Statement::Kind;
  std::vector<Statement> statements;
  while (true) {
    text = text.ltrim(" \t\r\n;");
    if (text.empty())
      return statements;
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    Statement statement;
    if (text.front() == '{' || text.front() == '}') {
      statement.kind = text.front() == '{' ? Kind::ScopeBegin : Kind::ScopeEnd;
      statement.text = text.take_front(1);
      text = text.drop_front();
    } else if (StringRef label = labelOf(text); !label.empty()) {
      statement.kind = Kind::Label;
      statement.word = label;
      statement.text = text.take_front(label.size() + 1);
      text = text.drop_front(label.size() + 1);
    } else {
      StringRef rest = text.take_until([](char c) { return c == ';'; });
      text = text.drop_front(rest.size());
      statement.text = rest = rest.trim();
      if (rest.consume_front("@")) {
        statement.isNegated = rest.consume_front("!");
        statement.guard = rest.take_while(isInName);
        rest = rest.drop_front(statement.guard.size()).ltrim();
      }
      statement.word = rest.take_until([](char c) { return isSpace(c); });
      if (statement.word.starts_with("."))
        statement.kind = Kind::Directive;
      statement.operands = rest.drop_front(statement.word.size()).trim();
      statement.list = splitOperands(statement.operands);
    }
    statements.push_back(std::move(statement));
  }
}

std::optional<device::Statement> device::readOneStatement(StringRef text) {
  using Kind = Statement::Kind;
  std::optional<Statement> only;
  for (Statement &statement : readPTX(text)) {
    if (statement.kind == Kind::ScopeBegin || statement.kind == Kind::ScopeEnd)
      continue;
    if (only || statement.kind != Kind::Instruction || statement.word.empty())
      return std::nullopt;
    only = std::move(statement);
  }
  return only;
}

std::optional<device::Registers>
device::readRegisters(const Statement &directive) {
  StringRef names = directive.text;
  if (!names.consume_front(".reg"))
    return std::nullopt;
  names = names.ltrim();
  if (!names.consume_front("."))
    return std::nullopt;
  Registers registers;
  registers.type = names.take_while([](char c) { return isAlnum(c); });
  names.drop_front(registers.type.size()).split(registers.names, ',');
  for (StringRef &name : registers.names)
    name = name.trim();
  return registers;
}

SmallVector<CallInst *> device::listInlineAssembly(Module &module) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&inst); call && call->isInlineAsm())
        calls.push_back(call);
  return calls;
}

std::string device::plainText(const InlineAsm &assembly) {
  std::string text;
  for (StringRef rest = assembly.getAsmString(); !rest.empty();) {
    const size_t size = rest.starts_with("$$") ? 2 : 1;
    if (rest.starts_with("${")) {
      StringRef operand = rest.take_until([](char c) { return c == '}'; });
      text += ("$" + operand.drop_front(2).split(':').first).str();
      rest = rest.drop_front(std::min(operand.size() + 1, rest.size()));
      continue;
    }
    text += rest.take_front(size);
    rest = rest.drop_front(size);
  }
  return text;
}

void device::forEachOperation(const CallBase &call,
                              function_ref<void(const Operation &)> f) {
  auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!assembly) {
    const Function *callee = call.getCalledFunction();
    return f({lookup(call), callee ? callee->getName() : StringRef(),
              StringRef(), /*isDirective=*/false});
  }
  forEachOperation(assembly->getAsmString(), f);
}

void device::forEachOperation(StringRef assembly,
                              function_ref<void(const Operation &)> f) {
  for (const Statement &statement : readPTX(assembly))
    if ((statement.kind == Statement::Kind::Instruction ||
         statement.isDirective()) &&
        !statement.word.empty())
      f({lookupPTX(statement.word), statement.word, statement.operands,
         statement.isDirective()});
}

MemoryEffects device::getMemoryEffects(const Operation &statement) {
  if (statement.isDirective)
    return MemoryEffects::none();
  if (!statement.op || modifiersOf(statement.name).ordersMemory)
    return MemoryEffects::unknown();
  const MemoryEffects effects = statement.op->memory.inLLVM();
  return statement.op->memory.reach == Reach::Hidden
             ? effects
             : MemoryEffects(effects.getModRef());
}

MemoryEffects device::getMemoryEffects(StringRef assembly) {
  MemoryEffects effects = MemoryEffects::none();
  forEachOperation(assembly, [&](const Operation &operation) {
    effects |= getMemoryEffects(operation);
  });
  return effects;
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
