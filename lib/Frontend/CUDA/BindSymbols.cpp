// A variable of the device is one more input, which the caller hands over by
// name. As a parameter it is like all others for whoever runs, checks, prices,
// rewrites or ships a kernel, and a launch keeps no state between two calls.
#include "BindSymbols.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace mlir;
using namespace evo;

/// The elements that a type is made of, if they are all of one type, and how
/// many there are.
static std::pair<llvm::Type *, uint64_t> flatten(llvm::Type *type) {
  if (auto *array = dyn_cast<llvm::ArrayType>(type)) {
    auto [element, count] = flatten(array->getElementType());
    return {element, count * array->getNumElements()};
  }
  if (auto *vector = dyn_cast<llvm::FixedVectorType>(type))
    return {vector->getElementType(), vector->getNumElements()};
  if (auto *structure = dyn_cast<llvm::StructType>(type)) {
    llvm::Type *same = nullptr;
    uint64_t total = 0;
    for (llvm::Type *member : structure->elements()) {
      auto [element, count] = flatten(member);
      if (!element || (same && element != same))
        return {nullptr, 0};
      same = element;
      total += count;
    }
    return {same, total};
  }
  return {type, 1};
}

/// Whether the variable's elements are what the argument's are. Floats of 16
/// and 8 bits are integers of that width in memory.
static LogicalResult checkType(const BoundSymbol &symbol) {
  llvm::Type *type = symbol.variable->getValueType();
  auto [element, count] = flatten(type);
  Type wanted = symbol.argument.getElementType();
  unsigned width = wanted.getIntOrFloatBitWidth();
  // A truth value takes a byte.
  bool matches =
      element && !element->isPointerTy() &&
      element->getScalarSizeInBits() == std::max(width, 8u) &&
      (width < 32 || element->isFloatingPointTy() == isa<FloatType>(wanted));
  if (!matches)
    return emitError(symbol.loc)
           << "'" << symbol.name << "' is no variable of elements of type "
           << wanted;
  if (!symbol.argument.isBuffer()) {
    if (type != element)
      return emitError(symbol.loc)
             << "'" << symbol.name << "' has " << count
             << " elements, expected an argument with extents";
    return success();
  }
  uint64_t elements = 1;
  for (StringRef dim : symbol.argument.getDimStrings()) {
    uint64_t extent;
    if (dim.getAsInteger(10, extent))
      return success(); // up to the sizes that the contract is for
    elements *= extent;
  }
  if (elements > count)
    return emitError(symbol.loc)
           << "'" << symbol.name << "' has room for " << count
           << " elements, the argument has " << elements;
  return success();
}

namespace {
class Binder {
public:
  Binder(llvm::Module &module, ArrayRef<BoundSymbol> symbols)
      : module(module), symbols(symbols) {}

  FailureOr<SymbolArguments> run();

private:
  llvm::Module &module;
  ArrayRef<BoundSymbol> symbols;
  /// Which symbols a function needs, in the order of `symbols`.
  llvm::MapVector<llvm::Function *, llvm::SmallSetVector<unsigned, 4>> needs;
  llvm::DenseMap<llvm::Function *, llvm::Function *> replaced;
  /// What stands for a symbol in a function that has been replaced.
  llvm::DenseMap<std::pair<llvm::Function *, unsigned>, llvm::Value *> places;

  LogicalResult findUsers(unsigned index);
  llvm::Function *addParameters(llvm::Function &function,
                                ArrayRef<unsigned> indices);
  void passOn(llvm::Function &old);
};
} // namespace

static bool isKernel(const llvm::Function &function) {
  return function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
}

/// The functions that use symbol `index`, and all that call these.
LogicalResult Binder::findUsers(unsigned index) {
  const BoundSymbol &symbol = symbols[index];
  llvm::convertUsersOfConstantsToInstructions({symbol.variable});
  SmallVector<llvm::Function *> worklist;
  for (llvm::User *user : symbol.variable->users()) {
    auto *instruction = dyn_cast<llvm::Instruction>(user);
    if (!instruction)
      return emitError(symbol.loc)
             << "the address of '" << symbol.name
             << "' is the initial value of something: pass an argument instead";
    worklist.push_back(instruction->getFunction());
  }
  while (!worklist.empty()) {
    llvm::Function *function = worklist.pop_back_val();
    if (!needs[function].insert(index) || isKernel(*function))
      continue;
    for (llvm::Use &use : function->uses()) {
      auto *call = dyn_cast<llvm::CallInst>(use.getUser());
      if (!call || !call->isCallee(&use))
        return emitError(symbol.loc)
               << "'" << symbol.name << "' is used by '" << function->getName()
               << "', which is called through a pointer: pass an argument "
                  "instead";
      worklist.push_back(call->getFunction());
    }
  }
  return success();
}

/// `function` with a parameter for each of `indices`, which stands for the
/// variable in its body.
llvm::Function *Binder::addParameters(llvm::Function &function,
                                      ArrayRef<unsigned> indices) {
  llvm::FunctionType *type = function.getFunctionType();
  llvm::Type *pointer =
      llvm::PointerType::get(module.getContext(), target::Generic);
  SmallVector<llvm::Type *> params(type->params());
  for (unsigned index : indices) {
    bool isValue = isKernel(function) && !symbols[index].argument.isBuffer();
    params.push_back(isValue ? symbols[index].variable->getValueType()
                             : pointer);
  }
  llvm::Function *result = llvm::Function::Create(
      llvm::FunctionType::get(type->getReturnType(), params, type->isVarArg()),
      function.getLinkage(), function.getAddressSpace(), "", &module);
  result->copyAttributesFrom(&function);
  result->setComdat(function.getComdat());
  result->copyMetadata(&function, 0);
  result->takeName(&function);
  result->splice(result->begin(), &function);
  for (auto [old, param] : llvm::zip(function.args(), result->args())) {
    old.replaceAllUsesWith(&param);
    param.takeName(&old);
  }
  llvm::IRBuilder<> b(&*result->getEntryBlock().getFirstInsertionPt());
  for (auto [i, index] : llvm::enumerate(indices)) {
    const BoundSymbol &symbol = symbols[index];
    llvm::Argument *param = result->getArg(type->getNumParams() + i);
    param->setName(symbol.name);
    llvm::Value *place = param;
    if (param->getType() != pointer) {
      llvm::Value *slot = b.CreateAlloca(param->getType());
      b.CreateStore(param, slot);
      place = b.CreateAddrSpaceCast(slot, pointer);
    } else if (isKernel(*result)) {
      param->addAttr(llvm::Attribute::NoAlias);
      if (!symbol.argument.isWritten())
        param->addAttr(llvm::Attribute::ReadOnly);
    }
    places[{result, index}] = place;
    SmallVector<llvm::Instruction *> users;
    for (llvm::User *user : symbol.variable->users())
      if (auto *instruction = dyn_cast<llvm::Instruction>(user))
        if (instruction->getFunction() == result)
          users.push_back(instruction);
    for (llvm::Instruction *user : users) {
      auto *cast = dyn_cast<llvm::AddrSpaceCastInst>(user);
      if (cast && cast->getType() == pointer) {
        cast->replaceAllUsesWith(place);
        cast->eraseFromParent();
        continue;
      }
      user->replaceUsesOfWith(
          symbol.variable,
          b.CreateAddrSpaceCast(place, symbol.variable->getType()));
    }
  }
  return result;
}

/// Has the calls of `old` call what replaced it, with the caller's parameters.
void Binder::passOn(llvm::Function &old) {
  llvm::Function *callee = replaced.lookup(&old);
  for (llvm::User *user : llvm::make_early_inc_range(old.users())) {
    auto *call = cast<llvm::CallInst>(user);
    llvm::Function *caller = call->getFunction();
    SmallVector<llvm::Value *> args(call->args());
    for (unsigned index : needs[&old])
      args.push_back(places.lookup({caller, index}));
    auto *fresh = llvm::CallInst::Create(callee, args, "", call->getIterator());
    fresh->setCallingConv(call->getCallingConv());
    fresh->setAttributes(call->getAttributes());
    fresh->setTailCallKind(call->getTailCallKind());
    fresh->copyMetadata(*call);
    fresh->takeName(call);
    call->replaceAllUsesWith(fresh);
    call->eraseFromParent();
  }
}
FailureOr<SymbolArguments> Binder::run() {
  for (auto [index, symbol] : llvm::enumerate(symbols))
    if (failed(checkType(symbol)) || failed(findUsers(index)))
      return failure();
  SymbolArguments arguments;
  for (auto &[function, indices] : needs) {
    const bool isEntry = isKernel(*function);
    llvm::Function *result = addParameters(*function, indices.getArrayRef());
    replaced[function] = result;
    if (!isEntry)
      continue;
    std::vector<IntExpr> &names = arguments[result->getName().str()];
    for (unsigned index : indices)
      names.push_back(IntExpr::name(symbols[index].argument.getName()));
  }
  for (auto &[function, indices] : needs) {
    if (!isKernel(*function))
      passOn(*function);
    function->replaceAllUsesWith(replaced.lookup(function));
    function->eraseFromParent();
  }
  for (const BoundSymbol &symbol : symbols)
    symbol.variable->eraseFromParent();
  return arguments;
}

FailureOr<SymbolArguments> evo::bindSymbols(llvm::Module &module,
                                            ArrayRef<BoundSymbol> symbols) {
  return Binder(module, symbols).run();
}
