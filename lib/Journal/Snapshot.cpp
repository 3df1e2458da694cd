// A snapshot is a module with a kernel that holds nothing but the ops. Bytecode
// keeps debug locations cheaply and is quick to read, but its reader dies of
// bytes that are damaged. So a digest of it stands before it, which is looked
// at first.
#include "Snapshot.h"
#include "evo/Support/Digest.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBufferRef.h"

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
  return succeeded(written) ? codeDigest(bytes) + bytes : std::string();
}

/// The module of a snapshot; null where the bytes are none, or damaged.
static OwningOpRef<ModuleOp> readSnapshot(MLIRContext *context,
                                          StringRef bytes) {
  // Before format 6 of journals there was no digest.
  if (!isBytecode(llvm::MemoryBufferRef(bytes, ""))) {
    constexpr size_t length = 32; // of a digest
    StringRef found = bytes.take_front(length);
    bytes = bytes.drop_front(found.size());
    if (codeDigest(bytes) != found)
      return nullptr;
  }
  // The ops are parts of a kernel, which only the whole can be verified as.
  ParserConfig config(context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(bytes, config);
  if (!module || module->getOps<KernelOp>().empty())
    return nullptr;
  return module;
}

LogicalResult evo::restoreSnapshot(KernelOp kernel, StringRef bytes) {
  OwningOpRef<ModuleOp> module = readSnapshot(kernel.getContext(), bytes);
  if (!module)
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
  OwningOpRef<ModuleOp> module = readSnapshot(context, bytes);
  if (!module)
    return nullptr;
  KernelOp frame = *module->getOps<KernelOp>().begin();
  frame.getBody().front().clear();
  return module;
}
