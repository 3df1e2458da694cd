// Guards of inline PTX become branches. Compilers that emit inline PTX guard
// accesses with predicates ("@$2 ld.global ..."). The decoder takes
// straight-line text only, so a text with guards is split here: each statement
// becomes an inline assembly of its own, registers declared in the text become
// values, and a guarded statement stands in a block that its predicate branches
// to. A text that cannot be split is left as it is, and the decoder names it.
#include "SplitAsm.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace evo::exec {
namespace {

/// A register of the text: an operand ($0) or one that it declares.
struct AsmRegister {
  Type *type = nullptr;
  std::string constraint;
  Value *value = nullptr; // null: not written yet
};

class Splitter {
public:
  explicit Splitter(CallInst *call)
      : call(call), assembly(*cast<InlineAsm>(call->getCalledOperand())) {}
  /// False where the text cannot be split; nothing has changed then.
  bool run();

private:
  using Statement = device::Statement;

  bool readOperands();
  bool readStatements();
  bool declare(StringRef text);
  bool emit(const Statement &statement);
  void finish();

  CallInst *call;
  const InlineAsm &assembly;
  MapVector<StringRef, AsmRegister> registers; // keys live in `names`
  StringSet<> names;
  unsigned outputs = 0;
  std::string text; // what the statements are parts of
  std::vector<Statement> statements;

  AsmRegister &add(StringRef name) {
    return registers[names.insert(name).first->getKey()];
  }
  AsmRegister *find(StringRef name) {
    auto it = registers.find(name);
    return it == registers.end() ? nullptr : &it->second;
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

/// Instructions whose first operand is no destination.
bool writesNothing(StringRef word) {
  const device::DeviceOp *op = device::lookupPTX(word);
  return op && !op->hasDestination;
}

bool Splitter::readOperands() {
  auto *structure = dyn_cast<StructType>(call->getType());
  unsigned argument = 0, number = 0;
  for (const InlineAsm::ConstraintInfo &c : assembly.ParseConstraints()) {
    if (c.Type == InlineAsm::isClobber)
      continue;
    if (c.isIndirect || c.Codes.size() != 1)
      return false;
    AsmRegister &reg = add("$" + std::to_string(number++));
    reg.constraint = c.Codes[0];
    if (c.Type == InlineAsm::isOutput) {
      reg.type =
          structure ? structure->getElementType(outputs) : call->getType();
      ++outputs;
      continue;
    }
    reg.value = call->getArgOperand(argument++);
    reg.type = reg.value->getType();
    unsigned tied;
    if (StringRef(reg.constraint).getAsInteger(10, tied))
      continue;
    // A tied input is the register of its output, under either name.
    AsmRegister *output = find("$" + std::to_string(tied));
    if (!output || tied >= outputs)
      return false;
    output->value = reg.value;
    reg.constraint = output->constraint;
  }
  return true;
}

/// ".reg .b32 a, b" or ".reg.pred p"
bool Splitter::declare(StringRef text) {
  if (!text.consume_front(".reg"))
    return false;
  text = text.ltrim();
  if (!text.consume_front("."))
    return false;
  StringRef kind = text.take_while([](char c) { return isAlnum(c); });
  text = text.drop_front(kind.size());
  LLVMContext &context = call->getContext();
  AsmRegister reg;
  auto is = [&](std::initializer_list<StringRef> kinds, Type *type,
                StringRef constraint) {
    if (is_contained(kinds, kind)) {
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
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    if (part.empty() ||
        !all_of(part, [](char c) { return isNameCharacter(c) || c == '%'; }))
      return false;
    if (find(part))
      return false; // a scope inside hides it
    add(part) = reg;
  }
  return true;
}

bool Splitter::readStatements() {
  text = device::plainText(assembly);
  for (Statement &statement : device::readPTX(text))
    switch (statement.kind) {
    case Statement::Kind::ScopeBegin:
    case Statement::Kind::ScopeEnd:
      // Scopes only hide names, and hidden ones are rare enough to be refused.
      break;
    case Statement::Kind::Label:
      return false;
    case Statement::Kind::Directive:
      if (!declare(statement.text))
        return false;
      break;
    case Statement::Kind::Instruction:
      if (statement.word.empty() || statement.word.starts_with("bra") ||
          statement.word == "ret")
        return false;
      statements.push_back(std::move(statement));
    }
  return true;
}

bool Splitter::emit(const Statement &statement) {
  IRBuilder<> b(call);
  // Which registers are written and read, in order, under new numbers.
  MapVector<AsmRegister *, unsigned> written, read;
  bool hasDestination = !writesNothing(statement.word);
  for (size_t i = 0; i < statement.list.size(); ++i)
    forEachToken(statement.list[i], [&](StringRef token, bool isName) {
      if (AsmRegister *reg = isName ? find(token) : nullptr)
        (i == 0 && hasDestination ? written : read).insert({reg, 0});
    });
  std::string constraints;
  SmallVector<Type *> resultTypes, argumentTypes;
  SmallVector<Value *> arguments;
  unsigned number = 0;
  for (auto &[reg, position] : written) {
    position = number++;
    constraints += (constraints.empty() ? "=" : ",=") + reg->constraint;
    resultTypes.push_back(reg->type);
  }
  for (auto &[reg, position] : read) {
    position = number++;
    constraints += (constraints.empty() ? "" : ",") + reg->constraint;
    // What nobody wrote is undefined in PTX too.
    arguments.push_back(reg->value ? reg->value : UndefValue::get(reg->type));
    argumentTypes.push_back(reg->type);
  }
  std::string text = statement.word.str();
  for (size_t i = 0; i < statement.list.size(); ++i) {
    text += i ? ", " : " ";
    auto &numbers = i == 0 && hasDestination ? written : read;
    forEachToken(statement.list[i], [&](StringRef token, bool isName) {
      AsmRegister *reg = isName ? find(token) : nullptr;
      text += reg ? "$" + std::to_string(numbers[reg]) : token.str();
    });
  }
  text += ";";

  Instruction *before = call;
  BasicBlock *head = call->getParent();
  if (!statement.guard.empty()) {
    AsmRegister *guard = find(statement.guard);
    Value *condition = guard->value;
    if (statement.isNegated)
      condition = b.CreateNot(condition);
    before = SplitBlockAndInsertIfThen(condition, call, false);
    b.SetInsertPoint(before);
    b.SetCurrentDebugLocation(call->getDebugLoc());
  }
  Type *result = resultTypes.empty() ? b.getVoidTy()
                 : resultTypes.size() == 1
                     ? resultTypes[0]
                     : StructType::get(b.getContext(), resultTypes);
  auto *type = FunctionType::get(result, argumentTypes, false);
  CallInst *one = b.CreateCall(
      type, InlineAsm::get(type, text, constraints, assembly.hasSideEffects()),
      arguments);
  one->setAttributes(
      call->getAttributes().getFnAttrs().hasAttributes()
          ? AttributeList().addFnAttributes(
                b.getContext(),
                AttrBuilder(b.getContext(), call->getAttributes().getFnAttrs()))
          : AttributeList());
  for (auto [index, reg] : enumerate(written)) {
    Value *value = resultTypes.size() == 1
                       ? one
                       : b.CreateExtractValue(one, unsigned(index));
    AsmRegister *slot = reg.first;
    if (!statement.guard.empty()) {
      PHINode *phi = PHINode::Create(slot->type, 2, "",
                                     call->getParent()->getFirstNonPHIIt());
      phi->addIncoming(slot->value ? slot->value : UndefValue::get(slot->type),
                       head);
      phi->addIncoming(value, before->getParent());
      value = phi;
    }
    slot->value = value;
  }
  return true;
}

void Splitter::finish() {
  IRBuilder<> b(call);
  auto valueOf = [&](unsigned i) -> Value * {
    AsmRegister *reg = find("$" + std::to_string(i));
    return reg->value ? reg->value : UndefValue::get(reg->type);
  };
  if (call->getType()->isStructTy()) {
    Value *all = PoisonValue::get(call->getType());
    for (unsigned i = 0; i < outputs; ++i)
      all = b.CreateInsertValue(all, valueOf(i), i);
    call->replaceAllUsesWith(all);
  } else if (outputs == 1) {
    call->replaceAllUsesWith(valueOf(0));
  }
  call->eraseFromParent();
}

bool Splitter::run() {
  if (!readOperands() || !readStatements())
    return false;
  // Every guard has to be a predicate that an operand or a statement gives.
  StringSet<> defined;
  for (auto &[name, reg] : registers)
    if (reg.value)
      defined.insert(name);
  for (const Statement &statement : statements) {
    if (!statement.guard.empty()) {
      AsmRegister *guard = find(statement.guard);
      if (!guard || !guard->type->isIntegerTy(1) ||
          !defined.contains(statement.guard))
        return false;
    }
    if (!writesNothing(statement.word) && !statement.list.empty())
      forEachToken(statement.list[0], [&](StringRef token, bool isName) {
        if (isName && find(token))
          defined.insert(token);
      });
  }
  for (const Statement &statement : statements)
    emit(statement);
  finish();
  return true;
}

} // namespace

void splitGuardedAsm(Module &module) {
  SmallVector<CallInst *> calls;
  for (Function &function : module)
    for (Instruction &inst : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&inst))
        if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
          if (any_of(device::readPTX(assembly->getAsmString()),
                     [](const device::Statement &statement) {
                       return !statement.guard.empty();
                     }))
            calls.push_back(call);
  for (CallInst *call : calls)
    Splitter(call).run();
}

} // namespace evo::exec
