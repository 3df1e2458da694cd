// One function of the LLVM dialect becomes one on memrefs. Pointers dissolve:
// each is an object, which is known statically, and an index into it, which
// takes the pointer's place in block arguments and selects. One without such an
// object stays an address, as do the operations on it.
#ifndef EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_TRANSLATION_H
#define EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_TRANSLATION_H

#include "Raise.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace evo::raise {

/// In Translate.cpp, and what accesses memory in TranslateMemory.cpp.
class Translation {
public:
  Translation(mlir::OpBuilder &b, mlir::LLVM::LLVMFuncOp kernel,
              const Objects &objects)
      : b(b), kernel(kernel), objects(objects) {}
  mlir::FailureOr<mlir::func::FuncOp> run();

private:
  mlir::OpBuilder &b;
  mlir::LLVM::LLVMFuncOp kernel;
  const Objects &objects;
  mlir::func::FuncOp result;
  /// Of pointers into an object the index, of others the address.
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Block *, mlir::Block *> blocks;
  /// One for each object.
  llvm::SmallVector<mlir::Value> memrefs;

  mlir::Type typeOf(mlir::Value value) {
    return objects.contains(value) ? b.getIndexType() : value.getType();
  }
  mlir::Value index(int64_t value, mlir::Location loc) {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  const Object &objectOf(mlir::Value pointer) {
    return objects.getObjects()[objects.lookup(pointer)];
  }
  void createBlocks();
  mlir::Value allocate(const Object &object);
  mlir::Value viewDynamicShared(const Object &object);
  mlir::LogicalResult translate(mlir::Operation *op);
  mlir::LogicalResult branch(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> offset(mlir::LLVM::GEPOp gep);
  mlir::LogicalResult load(mlir::LLVM::LoadOp load);
  mlir::LogicalResult store(mlir::LLVM::StoreOp store);
  mlir::LogicalResult maskedLoad(mlir::LLVM::MaskedLoadOp load);
  mlir::LogicalResult maskedStore(mlir::LLVM::MaskedStoreOp store);
  bool isOfElements(mlir::Value pointer, mlir::Type type);
  mlir::LogicalResult atomic(mlir::LLVM::AtomicRMWOp op);
  mlir::LogicalResult keep(mlir::Operation *op);
  mlir::Value addressOf(mlir::Value pointer, mlir::Location loc);
  llvm::SmallVector<mlir::Value> passed(mlir::ValueRange range, mlir::Block *to,
                                        mlir::Location loc);
  mlir::LogicalResult copy(mlir::LLVM::MemcpyOp op);
  mlir::LogicalResult fill(mlir::LLVM::MemsetOp op);
  std::optional<int64_t> elementsOf(mlir::Value pointer, mlir::Value bytes);
  mlir::LogicalResult bring(mlir::Operation *user,
                            mlir::FlatSymbolRefAttr name);
  mlir::LogicalResult bringNamed(mlir::Operation *op);
  bool fails(mlir::Operation *op);
  mlir::LogicalResult comparePointers(mlir::LLVM::ICmpOp compare);
  mlir::Value fromMemory(mlir::Value value, mlir::Type wanted,
                         mlir::Location loc);
  llvm::SmallVector<mlir::Value> lookup(mlir::ValueRange range) {
    return llvm::map_to_vector(range,
                               [&](mlir::Value v) { return values.lookup(v); });
  }
};

} // namespace evo::raise

#endif
