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
  Block *guests = b.createBlock(&frame.getBody());
  // They are lent, not copied: a variant is large, and a search waits.
  Block *home = &kernel.getBody().front();
  SmallVector<Block::iterator> places;
  for (Operation *op : ops)
    places.push_back(std::next(op->getIterator()));
  for (Operation *op : ops)
    op->moveBefore(guests, guests->end());
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  LogicalResult written = writeBytecodeToFile(*module, os);
  // The last first: the place of each is before one that is at home again.
  for (size_t i = ops.size(); i-- > 0;)
    ops[i]->moveBefore(home, places[i]);
  return succeeded(written) ? bytes : std::string();
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

OwningOpRef<ModuleOp> evo::restoreFrame(MLIRContext *context, StringRef bytes) {
  ParserConfig config(context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config);
  if (!module || module->getOps<KernelOp>().empty())
    return nullptr;
  KernelOp frame = *module->getOps<KernelOp>().begin();
  frame.getBody().front().clear();
  return module;
}
