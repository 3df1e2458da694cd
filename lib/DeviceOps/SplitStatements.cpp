// A text is read as a whole before anything changes: names are looked up in the
// scopes that they stand in, and each statement is kept with the registers that
// it names. Then each becomes an inline assembly whose results are the
// registers it writes. A guarded one takes what was in them before, for that is
// what they hold where the guard says no.
#include "evo/DeviceOps/SplitStatements.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include <deque>

using namespace llvm;

namespace evo::device {
namespace {

/// A register of the text: an operand ($0), one that it declares, or the carry.
struct Register {
  Type *type = nullptr;
  std::string constraint;
  Value *value = nullptr; ///< null: not written yet
  bool isWritten = false; ///< by what was read so far
};

/// A part of an operand; text where it is no register.
struct Token {
  StringRef text;
  Register *reg;
};

/// A statement with its registers.
struct Line {
  const Statement *statement = nullptr;
  Register *guard = nullptr;
  bool hasDestination = false, givesCarry = false, takesCarry = false;
  SmallVector<SmallVector<Token, 4>, 4> operands;
};

class Splitter {
public:
  Splitter(CallInst *call, Carry carry)
      : call(call), assembly(*cast<InlineAsm>(call->getCalledOperand())),
        carryIs(carry) {}
  /// False where the text stays whole; nothing has changed then.
  bool run();

private:
  bool readOperands();
  bool readStatements();
  bool declare(const Statement &directive);
  bool declare(StringRef name, const Register &like);
  bool readLine(const Statement &statement);
  bool readOperand(StringRef text, bool isWritten, Line &line);
  void emit(const Line &line);
  void finish();

  CallInst *call;
  const InlineAsm &assembly;
  const Carry carryIs;
  std::deque<Register> registers;
  std::vector<StringMap<Register *>> scopes;
  SmallVector<Register *, 4> outputs;
  std::string clobbers; ///< of every statement
  Register carry;
  std::string text; ///< what the statements are parts of
  std::vector<Statement> statements;
  std::vector<Line> lines;

  Register &add() { return registers.emplace_back(); }
  Register *find(StringRef name) {
    for (const StringMap<Register *> &scope : reverse(scopes))
      if (Register *reg = scope.lookup(name))
        return reg;
    return nullptr;
  }
};

bool isNameCharacter(char c) { return isAlnum(c) || c == '_' || c == '$'; }

/// Calls f(token, isName) for the names of `text` and what lies between them.
template <class F> void forEachToken(StringRef text, F f) {
  while (!text.empty()) {
    bool isName = isNameCharacter(text.front()) || text.front() == '%';
    StringRef token =
        isName ? text.take_front(
                     1 + text.drop_front().take_while(isNameCharacter).size())
               : text.take_while(
                     [](char c) { return !isNameCharacter(c) && c != '%'; });
    f(token, isName);
    text = text.drop_front(token.size());
  }
}

bool Splitter::readOperands() {
  auto *structure = dyn_cast<StructType>(call->getType());
  unsigned argument = 0, number = 0;
  for (const InlineAsm::ConstraintInfo &c : assembly.ParseConstraints()) {
    if (c.Codes.size() != 1 || c.isIndirect)
      return false;
    if (c.Type == InlineAsm::isClobber) {
      clobbers += ",~" + c.Codes[0];
      continue;
    }
    Register &reg = add();
    scopes[0]["$" + std::to_string(number++)] = &reg;
    reg.constraint = c.Codes[0];
    if (c.Type == InlineAsm::isOutput) {
      reg.type = structure ? structure->getElementType(outputs.size())
                           : call->getType();
      outputs.push_back(&reg);
      continue;
    }
    reg.value = call->getArgOperand(argument++);
    reg.type = reg.value->getType();
    reg.isWritten = true;
    unsigned tied;
    if (StringRef(reg.constraint).getAsInteger(10, tied))
      continue;
    // A tied input is the register of its output, under either name.
    if (tied >= outputs.size() || outputs[tied]->type != reg.type)
      return false;
    outputs[tied]->value = reg.value;
    outputs[tied]->isWritten = true;
    scopes[0]["$" + std::to_string(number - 1)] = outputs[tied];
  }
  return true;
}

/// "a", or "a<3>" for a0, a1 and a2.
bool Splitter::declare(StringRef name, const Register &like) {
  if (name.consume_back(">")) {
    constexpr unsigned max = 1024;
    auto [prefix, digits] = name.split('<');
    unsigned count;
    if (digits.getAsInteger(10, count) || count > max)
      return false;
    for (unsigned n = 0; n < count; ++n)
      if (!declare((prefix + Twine(n)).str(), like))
        return false;
    return true;
  }
  if (name.empty() ||
      !all_of(name, [](char c) { return isNameCharacter(c) || c == '%'; }))
    return false;
  Register *&place = scopes.back()[name];
  if (place)
    return false; // twice in one scope
  place = &(add() = like);
  return true;
}

/// ".reg .b32 a, b" or ".reg.pred p"
bool Splitter::declare(const Statement &directive) {
  const std::optional<Registers> declared = readRegisters(directive);
  if (!declared)
    return false;
  LLVMContext &context = call->getContext();
  Register reg;
  auto is = [&](std::initializer_list<StringRef> kinds, Type *type,
                StringRef constraint) {
    if (is_contained(kinds, declared->type)) {
      reg.type = type;
      reg.constraint = constraint;
    }
  };
  is({"pred"}, Type::getInt1Ty(context), "b");
  is({"b16", "u16", "s16", "f16", "bf16"}, Type::getInt16Ty(context), "h");
  is({"b32", "u32", "s32", "f16x2", "bf16x2"}, Type::getInt32Ty(context), "r");
  is({"b64", "u64", "s64"}, Type::getInt64Ty(context), "l");
  is({"f32"}, Type::getFloatTy(context), "f");
  is({"f64"}, Type::getDoubleTy(context), "d");
  if (!reg.type)
    return false;
  return all_of(declared->names,
                [&](StringRef name) { return declare(name, reg); });
}

bool Splitter::readOperand(StringRef operand, bool isWritten, Line &line) {
  bool isKnown = true;
  line.operands.emplace_back();
  forEachToken(operand, [&](StringRef token, bool isName) {
    Register *reg = isName ? find(token) : nullptr;
    line.operands.back().push_back({token, reg});
    if (reg && !isWritten)
      isKnown &= reg->isWritten;
  });
  return isKnown;
}

bool Splitter::readLine(const Statement &statement) {
  const DeviceOp *op = lookupPTX(statement.word);
  if (!op || !op->isSupported || op->isJump || op->callsUnknown)
    return false;
  Line line;
  line.statement = &statement;
  if (!statement.guard.empty()) {
    line.guard = find(statement.guard);
    if (!line.guard || !line.guard->type->isIntegerTy(1) ||
        !line.guard->isWritten)
      return false;
  }
  const Modifiers says = modifiersOf(statement.word);
  line.givesCarry = says.givesCarry;
  line.takesCarry = says.takesCarry;
  if ((line.givesCarry || line.takesCarry) &&
      (carryIs == Carry::Hidden || line.guard ||
       (line.takesCarry && !carry.isWritten)))
    return false;
  line.hasDestination = op->hasDestination && !statement.list.empty() &&
                        !statement.list[0].starts_with("[");
  // Operands are read before the first is written.
  for (auto [i, operand] : enumerate(statement.list))
    if (!readOperand(operand, i == 0 && line.hasDestination, line))
      return false;
  if (line.hasDestination)
    for (const Token &token : line.operands[0])
      if (token.reg)
        token.reg->isWritten = true;
  carry.isWritten |= line.givesCarry;
  lines.push_back(std::move(line));
  return true;
}

bool Splitter::readStatements() {
  text = plainText(assembly);
  statements = readPTX(text);
  auto isAnInstruction = [](const Statement &statement) {
    return statement.kind == Statement::Kind::Instruction;
  };
  if (count_if(statements, isAnInstruction) < 2)
    return false; // an operation already
  for (const Statement &statement : statements)
    switch (statement.kind) {
    case Statement::Kind::ScopeBegin:
      scopes.emplace_back();
      break;
    case Statement::Kind::ScopeEnd:
      if (scopes.size() == 1)
        return false;
      scopes.pop_back();
      break;
    case Statement::Kind::Label:
      return false;
    case Statement::Kind::Directive:
      if (!declare(statement))
        return false;
      break;
    case Statement::Kind::Instruction:
      if (!readLine(statement))
        return false;
    }
  return all_of(outputs, [](const Register *reg) { return reg->isWritten; });
}

void Splitter::emit(const Line &line) {
  IRBuilder<> b(call);
  // Which registers are written and read, in order, under new numbers.
  MapVector<Register *, unsigned> written, read;
  for (auto [i, operand] : enumerate(line.operands))
    for (const Token &token : operand)
      if (token.reg)
        (i == 0 && line.hasDestination ? written : read).insert({token.reg, 0});
  if (line.givesCarry)
    written.insert({&carry, 0});
  if (line.takesCarry)
    read.insert({&carry, 0});
  if (line.guard)
    read.insert({line.guard, 0});
  std::string constraints;
  SmallVector<Type *> resultTypes, argumentTypes;
  SmallVector<Value *> arguments;
  unsigned number = 0;
  auto give = [&](const Register *reg, const Twine &constraint) {
    constraints += ("," + constraint).str();
    arguments.push_back(reg->value ? reg->value : UndefValue::get(reg->type));
    argumentTypes.push_back(reg->type);
  };
  for (auto &[reg, place] : written) {
    place = number++;
    constraints += ",=" + reg->constraint;
    resultTypes.push_back(reg->type);
  }
  for (auto &[reg, place] : read) {
    place = number++;
    give(reg, reg->constraint);
  }
  if (line.guard)
    for (auto &[reg, place] : written)
      if (reg->value)
        give(reg, Twine(place));
  constraints += clobbers;

  const Statement &statement = *line.statement;
  std::string one;
  if (line.guard)
    one = (statement.isNegated ? "@!$" : "@$") +
          std::to_string(read[line.guard]) + " ";
  one += statement.word;
  for (auto [i, operand] : enumerate(line.operands)) {
    auto &numbers = i == 0 && line.hasDestination ? written : read;
    one += i ? ", " : " ";
    for (const Token &token : operand)
      one += token.reg ? "$" + std::to_string(numbers[token.reg])
                       : token.text.str();
    if (i == 0 && line.givesCarry)
      one += "|$" + std::to_string(written[&carry]);
  }
  if (line.takesCarry)
    one += ", $" + std::to_string(read[&carry]);
  one += ";";

  Type *result = resultTypes.empty() ? b.getVoidTy()
                 : resultTypes.size() == 1
                     ? resultTypes[0]
                     : StructType::get(b.getContext(), resultTypes);
  auto *type = FunctionType::get(result, argumentTypes, false);
  CallInst *operation = b.CreateCall(
      type,
      InlineAsm::get(type, one, StringRef(constraints).ltrim(','),
                     assembly.hasSideEffects(), assembly.isAlignStack(),
                     assembly.getDialect(), assembly.canThrow()),
      arguments);
  operation->setAttributes(AttributeList::get(
      b.getContext(), call->getAttributes().getFnAttrs(), {}, {}));
  for (auto [index, reg] : enumerate(written))
    reg.first->value = resultTypes.size() == 1
                           ? operation
                           : b.CreateExtractValue(operation, unsigned(index));
}

void Splitter::finish() {
  IRBuilder<> b(call);
  if (call->getType()->isStructTy()) {
    Value *all = PoisonValue::get(call->getType());
    for (auto [index, reg] : enumerate(outputs))
      all = b.CreateInsertValue(all, reg->value, unsigned(index));
    call->replaceAllUsesWith(all);
  } else if (!outputs.empty()) {
    call->replaceAllUsesWith(outputs[0]->value);
  }
  call->eraseFromParent();
}

bool Splitter::run() {
  scopes.resize(1);
  carry.type = Type::getInt32Ty(call->getContext());
  carry.constraint = "r";
  if (!readOperands() || !readStatements())
    return false;
  for (const Line &line : lines)
    emit(line);
  finish();
  return true;
}

} // namespace

void splitStatements(Module &module, Carry carry) {
  for (CallInst *call : listInlineAssembly(module))
    Splitter(call, carry).run();
}

} // namespace evo::device
