// From statements of inline PTX to calls of intrinsics.
#include "evo/DeviceOps/SpelledCalls.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace evo::device {

/// Whether one has the bits of the other.
static bool areOneSize(const Type *a, const Type *b) {
  return a == b || (a->isSingleValueType() && !a->isPointerTy() &&
                    b->isSingleValueType() && !b->isPointerTy() &&
                    a->getPrimitiveSizeInBits() == b->getPrimitiveSizeInBits());
}

/// The same bits as another type; null where there are more or fewer of them.
static Value *reinterpret(IRBuilder<> &b, Value *value, Type *type) {
  return areOneSize(value->getType(), type) ? b.CreateBitCast(value, type)
                                            : nullptr;
}

/// An operand of a statement as an argument: "$2", of which the first `results`
/// are results, or a literal.
static Value *readOperand(IRBuilder<> &b, const CallInst &call,
                          unsigned results, StringRef operand, Type *type) {
  unsigned number;
  if (operand.consume_front("$"))
    return operand.getAsInteger(10, number) || number < results ||
                   number - results >= call.arg_size()
               ? nullptr
               : reinterpret(b, call.getArgOperand(number - results), type);
  int64_t literal;
  return !type->isIntegerTy() || operand.getAsInteger(0, literal)
             ? nullptr
             : ConstantInt::get(type, static_cast<uint64_t>(literal),
                                /*IsSigned=*/false, /*ImplicitTrunc=*/true);
}

/// Whether operands are values in registers of their own.
static bool hasPlainOperands(const InlineAsm &assembly, unsigned results) {
  unsigned outputs = 0;
  for (const InlineAsm::ConstraintInfo &one : assembly.ParseConstraints()) {
    if (one.Type == InlineAsm::isClobber) {
      if (is_contained(one.Codes, "{memory}"))
        return false;
      continue;
    }
    unsigned tied;
    if (one.isIndirect || one.hasMatchingInput() ||
        any_of(one.Codes,
               [&](StringRef code) { return !code.getAsInteger(10, tied); }))
      return false;
    outputs += one.Type == InlineAsm::isOutput;
  }
  return outputs == results;
}

static Value *callInstead(CallInst &call, const InlineAsm &assembly) {
  const std::string text = plainText(assembly);
  std::optional<Statement> statement = readOneStatement(text);
  if (!statement || !statement->guard.empty())
    return nullptr;
  const Spelling *spelling = lookupSpelling(statement->word, statement->list);
  if (!spelling)
    return nullptr;
  const std::string name = spelling->intrinsic();
  const DeviceOp *op = lookupFunction(name).op;
  const Intrinsic::ID id = Intrinsic::lookupIntrinsicID(name);
  if (!op || op->scope != Scope::Warp || id == Intrinsic::not_intrinsic ||
      Intrinsic::isOverloaded(id))
    return nullptr;
  const auto operands = spelling->listOperands();
  const auto results = static_cast<unsigned>(spelling->listResults().size());
  if (!results)
    return nullptr;
  ArrayRef<StringRef> read = ArrayRef(statement->list).drop_front();
  SmallVector<StringRef, 2> written;
  statement->list.front().split(written, '|');
  FunctionType *type = Intrinsic::getType(call.getContext(), id);
  if (type->getNumParams() != operands.size() ||
      !areOneSize(type->getReturnType(), call.getType()) ||
      !hasPlainOperands(assembly, results))
    return nullptr;
  for (auto [place, result] : enumerate(written))
    if (result.trim() != "$" + std::to_string(place))
      return nullptr;
  IRBuilder<> b(&call);
  SmallVector<Value *, 4> arguments(operands.size());
  for (auto [operand, given] : zip_equal(operands, read)) {
    arguments[operand.number] = readOperand(b, call, results, given,
                                            type->getParamType(operand.number));
  }
  if (is_contained(arguments, nullptr))
    return nullptr;
  return reinterpret(b, b.CreateIntrinsic(id, arguments), call.getType());
}

void callSpelled(Module &module) {
  for (CallInst *call : listInlineAssembly(module))
    if (Value *made =
            callInstead(*call, *cast<InlineAsm>(call->getCalledOperand()))) {
      call->replaceAllUsesWith(made);
      call->eraseFromParent();
    }
}

} // namespace evo::device
