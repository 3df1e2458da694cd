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

/// Whether a value of one type stands for one of the other.
static bool isMeant(const Type *a, const Type *b, bool mayCast) {
  return mayCast ? areOneSize(a, b) : a == b;
}

/// The same bits as another type; null where it does not stand for that.
static Value *reinterpret(IRBuilder<> &b, Value *value, Type *type,
                          bool mayCast) {
  return isMeant(value->getType(), type, mayCast) ? b.CreateBitCast(value, type)
                                                  : nullptr;
}

/// An operand of a statement as an argument: "$2", of which the first `results`
/// are results, or a literal.
static Value *readOperand(IRBuilder<> &b, const CallInst &call,
                          unsigned results, StringRef operand, Type *type,
                          bool mayCast) {
  unsigned number;
  if (operand.consume_front("$"))
    return operand.getAsInteger(10, number) || number < results ||
                   number - results >= call.arg_size()
               ? nullptr
               : reinterpret(b, call.getArgOperand(number - results), type,
                             mayCast);
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

/// The integers that PTX calls so; null for other types.
static Type *integerOf(LLVMContext &context, StringRef type) {
  unsigned bits;
  const bool isInteger = type.size() > 1 &&
                         StringRef("bsu").contains(type.front()) &&
                         !type.drop_front().getAsInteger(10, bits);
  return isInteger ? Type::getIntNTy(context, bits) : nullptr;
}

/// The instruction of LLVM that computes the same of all integers.
static Value *compute(IRBuilder<> &b, Algebra algebra, ArrayRef<Value *> on) {
  switch (algebra) {
  case Algebra::Sum:
    return b.CreateAdd(on[0], on[1]);
  case Algebra::Difference:
    return b.CreateSub(on[0], on[1]);
  case Algebra::Product:
    return b.CreateMul(on[0], on[1]);
  case Algebra::ProductAndSum:
    return b.CreateAdd(b.CreateMul(on[0], on[1]), on[2]);
  case Algebra::And:
    return b.CreateAnd(on[0], on[1]);
  case Algebra::Or:
    return b.CreateOr(on[0], on[1]);
  case Algebra::Xor:
    return b.CreateXor(on[0], on[1]);
  case Algebra::Not:
    return b.CreateNot(on[0]);
  case Algebra::Negative:
    return b.CreateNeg(on[0]);
  case Algebra::Absolute: // of the minimum it is the minimum
    return b.CreateBinaryIntrinsic(Intrinsic::abs, on[0], b.getFalse());
  case Algebra::SignedMin:
    return b.CreateBinaryIntrinsic(Intrinsic::smin, on[0], on[1]);
  case Algebra::SignedMax:
    return b.CreateBinaryIntrinsic(Intrinsic::smax, on[0], on[1]);
  case Algebra::UnsignedMin:
    return b.CreateBinaryIntrinsic(Intrinsic::umin, on[0], on[1]);
  case Algebra::UnsignedMax:
    return b.CreateBinaryIntrinsic(Intrinsic::umax, on[0], on[1]);
  case Algebra::CountOnes:
    return b.CreateUnaryIntrinsic(Intrinsic::ctpop, on[0]);
  case Algebra::LeadingZeros: // of zero it is the number of bits
    return b.CreateBinaryIntrinsic(Intrinsic::ctlz, on[0], b.getFalse());
  case Algebra::ReversedBits:
    return b.CreateUnaryIntrinsic(Intrinsic::bitreverse, on[0]);
  default:
    llvm_unreachable("no operation of integers");
  }
}

/// The intrinsic of the very instruction; none where LLVM has only one that is
/// rounded by name where the statement, which may be fused, is not.
static Intrinsic::ID findIntrinsic(const Spelling &spelling, StringRef word) {
  const bool flushes = modifiersOf(word).flushesDenormals;
  if (spelling.function.contains(".rn") && !word.contains(".rn"))
    return Intrinsic::not_intrinsic;
  const DeviceOp *op = lookupFunction(spelling.intrinsic()).op;
  const StringRef type = spelling.listResults().front();
  const StringRef letter = type == "f32" ? ".f" : type == "f64" ? ".d" : "";
  auto find = [&](const std::string &name) {
    const Intrinsic::ID id = Intrinsic::lookupIntrinsicID(name);
    const Callee callee = lookupFunction(name);
    return id != Intrinsic::not_intrinsic && !Intrinsic::isOverloaded(id) &&
                   Intrinsic::getBaseName(id) == name && callee.op == op &&
                   callee.flushesDenormals == flushes
               ? id
               : Intrinsic::not_intrinsic;
  };
  for (const std::string &name :
       {spelling.intrinsic(), spelling.intrinsic() + letter.str()}) {
    if (!flushes) {
      if (const Intrinsic::ID id = find(name))
        return id;
      continue;
    }
    // ".ftz" stands after one of the words.
    for (size_t at = name.find('.'); at != std::string::npos;
         at = name.find('.', at + 1))
      if (const Intrinsic::ID id =
              find(name.substr(0, at) + ".ftz" + name.substr(at)))
        return id;
    if (const Intrinsic::ID id = find(name + ".ftz"))
      return id;
  }
  return Intrinsic::not_intrinsic;
}

static Value *callInstead(CallInst &call, const InlineAsm &assembly) {
  const std::string text = plainText(assembly);
  std::optional<Statement> statement = readOneStatement(text);
  if (!statement || !statement->guard.empty())
    return nullptr;
  const Spelling *spelling = lookupSpelling(statement->word, statement->list);
  const auto results =
      spelling ? static_cast<unsigned>(spelling->listResults().size()) : 0;
  const DeviceOp *op =
      spelling ? lookupFunction(spelling->intrinsic()).op : nullptr;
  if (!results || !op || !hasPlainOperands(assembly, results))
    return nullptr;
  const bool isOfWarp = op->scope == Scope::Warp;
  if (!isOfWarp &&
      (op->scope != Scope::Thread || op->memory.effect != Effect::None))
    return nullptr;
  // Registers that a warp exchanges hold anything. Numbers stay what they are:
  // halves that stand in an integer, with the shadow values of both, do there.
  const bool mayCast = isOfWarp;
  SmallVector<StringRef, 2> written;
  statement->list.front().split(written, '|');
  for (auto [place, result] : enumerate(written))
    if (result.trim() != "$" + std::to_string(place))
      return nullptr;

  IRBuilder<> b(&call);
  const auto operands = spelling->listOperands();
  SmallVector<Value *, 4> arguments(operands.size());
  auto readAs = [&](function_ref<Type *(const Spelling::Operand &)> typeOf) {
    for (auto [operand, given] :
         zip_equal(operands, ArrayRef(statement->list).drop_front())) {
      Type *type = typeOf(operand);
      arguments[operand.number] =
          type ? readOperand(b, call, results, given, type, mayCast) : nullptr;
    }
    return !is_contained(arguments, nullptr);
  };
  const Intrinsic::ID id = findIntrinsic(*spelling, statement->word);
  if (id == Intrinsic::not_intrinsic) {
    Type *result =
        integerOf(call.getContext(), spelling->listResults().front());
    if (!isOfIntegers(op->algebra) || result != call.getType() ||
        !readAs([&](const Spelling::Operand &operand) {
          return integerOf(call.getContext(), operand.type);
        }))
      return nullptr;
    // A count of the bits of 64 has 32.
    return b.CreateTrunc(compute(b, op->algebra, arguments), result);
  }
  FunctionType *type = Intrinsic::getType(call.getContext(), id);
  if (type->getNumParams() != operands.size() ||
      !isMeant(type->getReturnType(), call.getType(), mayCast))
    return nullptr;
  if (!readAs([&](const Spelling::Operand &operand) {
        return type->getParamType(operand.number);
      }))
    return nullptr;
  return reinterpret(b, b.CreateIntrinsic(id, arguments), call.getType(),
                     mayCast);
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
