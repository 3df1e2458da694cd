// Linalg on tensors as front ends emit it, with a contract in comments.
#include "evo/Frontend/ContractHeader.h"
#include "evo/Frontend/Lift.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

/// Checks that `type` is the tensor (or scalar) that `arg` declares.
static LogicalResult checkType(func::FuncOp function, ArgumentAttr arg,
                               Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : type;
  bool matches =
      element == arg.getElementType() &&
      (tensor != nullptr) == arg.isBuffer() &&
      (!tensor ||
       tensor.getRank() == static_cast<int64_t>(arg.getDimStrings().size()));
  if (matches)
    return success();
  return function.emitError()
         << "'" << arg.getName().getValue()
         << "' of the contract does not match type " << type;
}

/// Destination style: the contract's arguments in order, and one result for
/// each that is written.
static LogicalResult checkSignature(KernelOp kernel, func::FuncOp function) {
  ArrayAttr args = kernel.getArgsAttr();
  if (function.getNumArguments() != args.size())
    return function.emitError()
           << "has " << function.getNumArguments()
           << " arguments, the contract has " << args.size()
           << " (outputs are passed as destination tensors)";
  unsigned written = 0;
  for (auto [attr, type] : llvm::zip_equal(args.getAsRange<ArgumentAttr>(),
                                           function.getArgumentTypes())) {
    if (failed(checkType(function, attr, type)))
      return failure();
    written += attr.isWritten();
  }
  if (function.getNumResults() != written)
    return function.emitError()
           << "has " << function.getNumResults()
           << " results, the contract has " << written << " written arguments";
  return success();
}

FailureOr<OwningOpRef<ModuleOp>>
evo::liftTensor(MLIRContext *context, StringRef source, StringRef fileName) {
  OwningOpRef<ModuleOp> input =
      parseSourceString<ModuleOp>(source, context, fileName);
  if (!input)
    return failure();
  if (!input->getOps<KernelOp>().empty())
    return input; // lifted already
  FailureOr<ContractHeader> header =
      parseContractHeader(context, source, fileName);
  if (failed(header))
    return failure();
  if (!header->name)
    return input->emitError("needs an '// evo.kernel' line or an evo.kernel"),
           failure();
  auto functions = input->getOps<func::FuncOp>();
  if (llvm::range_size(functions) != 1)
    return input->emitError("needs exactly one func.func"), failure();
  func::FuncOp function = *functions.begin();
  OwningOpRef<ModuleOp> module = ModuleOp::create(*header->loc);
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  KernelOp kernel = createKernel(b, *header->loc, *header);
  if (failed(kernel.verify()) || failed(checkSignature(kernel, function)))
    return failure();
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto reference = ReferenceOp::create(b, *header->loc, StringAttr());
  b.createBlock(&reference.getBody());
  function->moveBefore(&reference.getBody().front(),
                       reference.getBody().front().end());
  if (failed(verify(module->getOperation())))
    return failure();
  return module;
}
