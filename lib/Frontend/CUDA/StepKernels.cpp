// cudaMemset and cudaMemcpy write bytes; here each thread writes an element of
// the buffer's own type, so that the values are numbers for whoever checks
// them. Part of an element would be none: that traps.
#include "StepKernels.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

static Type findElementType(StringRef buffer, KernelOp kernel,
                            const ContractHeader &header) {
  if (ArgumentAttr argument = kernel.lookupArgument(buffer))
    return argument.isBuffer() ? argument.getElementType() : Type();
  for (const ContractHeader::Scratch &scratch : header.scratch)
    if (scratch.name == buffer)
      return scratch.elementType;
  return {};
}

static llvm::Type *toLLVM(llvm::LLVMContext &context, Type type) {
  if (type.isF16())
    return llvm::Type::getHalfTy(context);
  if (type.isBF16())
    return llvm::Type::getBFloatTy(context);
  if (type.isF32())
    return llvm::Type::getFloatTy(context);
  if (type.isF64())
    return llvm::Type::getDoubleTy(context);
  // A truth value takes a byte.
  return llvm::Type::getIntNTy(context,
                               std::max(type.getIntOrFloatBitWidth(), 8u));
}

/// The number of the thread in its grid of one dimension.
static llvm::Value *emitThreadNumber(llvm::IRBuilder<> &b, unsigned block) {
  llvm::Type *wide = b.getInt64Ty();
  using device::Tells;
  llvm::Value *blockId =
      b.CreateIntrinsic(device::getIntrinsic({Tells::BlockId, 0}), {});
  llvm::Value *thread =
      b.CreateIntrinsic(device::getIntrinsic({Tells::ThreadId, 0}), {});
  return b.CreateAdd(b.CreateMul(b.CreateZExt(blockId, wide),
                                 llvm::ConstantInt::get(wide, block)),
                     b.CreateZExt(thread, wide));
}

FailureOr<std::string> evo::addStepKernel(llvm::Module &module,
                                          ContractHeader::Launch &launch,
                                          KernelOp kernel,
                                          const ContractHeader &header) {
  const ContractHeader::Step &step = *launch.step;
  const bool isCopy = !step.from.empty();
  Type type = findElementType(step.to, kernel, header);
  Type fromType = isCopy ? findElementType(step.from, kernel, header) : type;
  if (!type || !fromType)
    return emitError(launch.loc)
               << "'" << (type ? step.from : step.to) << "' is no buffer",
           failure();
  if (type != fromType)
    return emitError(launch.loc) << "copies elements of type " << fromType
                                 << " to a buffer of type " << type,
           failure();
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *element = toLLVM(context, type);
  const unsigned size = element->getScalarSizeInBits() / 8;
  constexpr unsigned block = 256;

  llvm::IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy();
  SmallVector<llvm::Type *> params = {pointer};
  if (isCopy)
    params.push_back(pointer);
  params.push_back(b.getInt64Ty());
  std::string name = isCopy ? "evo_copy_" : "evo_set_";
  name += std::to_string(module.size());
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(b.getVoidTy(), params, false),
      llvm::GlobalValue::ExternalLinkage, name, &module);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  auto makeBlock = [&](const char *label) {
    return llvm::BasicBlock::Create(context, label, function);
  };
  llvm::BasicBlock *entry = makeBlock("entry"), *some = makeBlock("some"),
                   *part = makeBlock("part"), *whole = makeBlock("whole"),
                   *done = makeBlock("done");
  llvm::Value *to = function->getArg(0);
  llvm::Value *bytes = function->getArg(params.size() - 1);
  b.SetInsertPoint(entry);
  llvm::Value *number = emitThreadNumber(b, block);
  llvm::Value *begin = b.CreateMul(number, b.getInt64(size));
  b.CreateCondBr(b.CreateICmpSLT(begin, bytes), some, done);
  b.SetInsertPoint(some);
  llvm::Value *end = b.CreateAdd(begin, b.getInt64(size));
  b.CreateCondBr(b.CreateICmpSGT(end, bytes), part, whole);
  b.SetInsertPoint(part);
  b.CreateIntrinsic(llvm::Intrinsic::trap, {});
  b.CreateUnreachable();
  b.SetInsertPoint(whole);
  llvm::Value *value;
  if (isCopy) {
    value = b.CreateLoad(element,
                         b.CreateGEP(element, function->getArg(1), number));
  } else {
    auto bits = llvm::APInt::getSplat(size * 8, llvm::APInt(8, step.value));
    value = element->isFloatingPointTy()
                ? static_cast<llvm::Value *>(llvm::ConstantFP::get(
                      context, llvm::APFloat(element->getFltSemantics(), bits)))
                : llvm::ConstantInt::get(context, bits);
  }
  b.CreateStore(value, b.CreateGEP(element, to, number));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();

  const IntExpr one = IntExpr::constant(1);
  launch.grid = {IntExpr::binary(IntExpr::Kind::CeilDiv, step.bytes,
                                 IntExpr::constant(size * block)),
                 one, one};
  launch.block = {IntExpr::constant(block), one, one};
  launch.args = {IntExpr::name(step.to)};
  if (isCopy)
    launch.args.push_back(IntExpr::name(step.from));
  launch.args.push_back(step.bytes);
  return function->getName().str();
}
