// A snapshot is a module with a kernel that holds nothing but the ops. Bytecode
// keeps debug locations cheaply and is quick to read.
#include "Snapshot.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

std::string evo::takeSnapshot(KernelOp kernel, ArrayRef<Operation *> ops) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
  auto frame = cast<KernelOp>(b.cloneWithoutRegions(*kernel));
  frame.removeBestAttr();
  b.createBlock(&frame.getBody());
  for (Operation *op : ops)
    b.clone(*op);
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(writeBytecodeToFile(*module, os)))
    return {};
  return bytes;
}

LogicalResult evo::restoreSnapshot(KernelOp kernel, StringRef bytes) {
  // The ops are parts of a kernel, which only the whole can be verified as.
  ParserConfig config(kernel.getContext(), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config);
  if (!module || module->getOps<KernelOp>().empty())
    return kernel.emitError("a step of the journal cannot be read back");
  Block &target = kernel.getBody().front();
  KernelOp frame = *module->getOps<KernelOp>().begin();
  for (Operation &op : llvm::make_early_inc_range(frame.getBody().front())) {
    Operation *old = kernel.lookupSymbol(SymbolTable::getSymbolName(&op));
    op.moveBefore(&target, old ? old->getIterator() : target.end());
    if (old)
      old->erase();
  }
  return success();
}
