// The steps from L0 to L1, each a function on IR that stays valid in between:
//   importNormalized   LLVM dialect as lifted -> LLVM dialect, inlined, in SSA
//   Objects            what every pointer points to, and the type of its
//   elements translateKernel    one llvm.func -> one func.func on memrefs, cf
//   and arith structure          cf -> scf.if and scf.while, then scf.for where
//   it counts useIndices         integers that address or count become index
//   values useShapes          flat memrefs get the dimensions that the code
//   addresses
// Each is heuristic in what it takes up and exact in what it does; a step that
// meets something it has no form for refuses it, by name and place.
#ifndef EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_RAISE_H
#define EVO_LIB_CONVERSION_LLVMTOSTRUCTURED_RAISE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo::raise {

/// A remark at `op` that says why a kernel keeps its L0 form. The file, line
/// and column are those of the source, without the scope that debug
/// information fuses to them.
mlir::InFlightDiagnostic refuse(mlir::Operation *op);

/// `loc` without the scopes of debug information, which are bound to the
/// function they were made for.
mlir::Location plainLocation(mlir::Location loc);

/// The device code of `device` with every function inlined into its kernels,
/// locals in SSA form, address spaces inferred: still in the LLVM dialect. The
/// module holds one gpu.module.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importNormalized(mlir::gpu::GPUModuleOp device, TargetAttrInterface target);

/// Whether `op` is a function that launches name.
bool isKernel(mlir::Operation *op);

/// What a pointer may point to.
struct Object {
  enum Kind { Argument, Local, Shared, DynamicShared };
  Kind kind;
  mlir::Value pointer;         // an argument, an llvm.alloca; null for globals
  mlir::LLVM::GlobalOp global; // shared memory
  /// Element of the memref that stands for it.
  mlir::Type element;
  /// Number of elements, by the nesting of the declared arrays; empty where
  /// the size is not known.
  llvm::SmallVector<int64_t> shape;
  int64_t alignment = 0;
};

/// Finds the object that each pointer of a function points into, where that is
/// one.
class Objects {
public:
  /// `elementOf` suggests the element type of an argument (null: none).
  static Objects find(mlir::LLVM::LLVMFuncOp function,
                      TargetAttrInterface target,
                      llvm::function_ref<mlir::Type(unsigned)> elementOf);

  /// Index into `getObjects()` of what `pointer` points into.
  unsigned lookup(mlir::Value pointer) const { return of.lookup(pointer); }
  bool contains(mlir::Value pointer) const { return of.contains(pointer); }
  llvm::ArrayRef<Object> getObjects() const { return objects; }
  /// Whether the threads of a block share `global`.
  bool isShared(mlir::LLVM::GlobalOp global) const;
  /// That of pointers into an object.
  unsigned getAddressSpace(const Object &object) const;

private:
  TargetAttrInterface target;
  llvm::SmallVector<Object> objects;
  llvm::DenseMap<mlir::Value, unsigned> of;

  unsigned add(Object object);
  void addRoots(mlir::LLVM::LLVMFuncOp function);
  void propagate(mlir::LLVM::LLVMFuncOp function);
  std::optional<unsigned> originOf(mlir::Value pointer, bool strict) const;
  void chooseElements(mlir::LLVM::LLVMFuncOp function,
                      llvm::function_ref<mlir::Type(unsigned)> elementOf);
};

/// Bytes of a scalar or vector of scalars in memory.
int64_t bytesOf(mlir::Type type);

/// Translates `kernel` to a func.func at `builder`, whose arguments are flat
/// memrefs for pointers, in order, but for structures passed by value. Shared
/// and local memory are memref.alloca ops at its start; pointers have become
/// indices into their object, or have stayed addresses where they have none.
mlir::FailureOr<mlir::func::FuncOp>
translateKernel(mlir::OpBuilder &builder, mlir::LLVM::LLVMFuncOp kernel,
                const Objects &objects);

/// Translates one op that neither accesses memory nor branches, `operands`
/// being the translated ones. `result` stays null where the op has none.
mlir::LogicalResult translateScalar(mlir::OpBuilder &builder,
                                    mlir::Operation *op,
                                    mlir::ValueRange operands,
                                    mlir::Value &result);

/// Whether values of a type are numbers, vectors of them, addresses, or what
/// several of them are held together in: members of what an intrinsic gives,
/// such as the fragments of a matrix, and objects that a function returns.
bool isNumeric(mlir::Type type);

/// Translates a call of a device intrinsic likewise: thread and block ids,
/// barriers, shuffles.
mlir::LogicalResult translateDeviceOp(mlir::OpBuilder &builder,
                                      mlir::Operation *op,
                                      mlir::ValueRange operands,
                                      mlir::Value &result);

/// The flags of an op in the LLVM dialect as those of arith and math.
mlir::arith::FastMathFlagsAttr fastMath(mlir::Operation *op);

/// Translates a call of a function of libdevice: an op where there is one that
/// is lowered to that very function, else a call.
mlir::LogicalResult translateMathCall(mlir::OpBuilder &builder,
                                      mlir::LLVM::CallOp call,
                                      mlir::ValueRange operands,
                                      mlir::Value &result);

/// Structured control flow in place of the blocks of `function`.
mlir::LogicalResult structure(mlir::func::FuncOp function);

/// How often all loops of `kernel` are to be unrolled; null where nothing is
/// said of one, or not the same of all.
mlir::LLVM::LoopUnrollAttr findUnroll(mlir::LLVM::LLVMFuncOp kernel);
/// Says it of each loop that counts. The attribute is upstream's: its way from
/// scf to branches keeps it.
void markUnroll(mlir::func::FuncOp function, mlir::LLVM::LoopUnrollAttr unroll);

/// scf.while that tests first, where structuring left the test in the body.
void testLoopsFirst(mlir::func::FuncOp function);

/// scf.for for each scf.while that counts.
void countLoops(mlir::func::FuncOp function);

/// Index arithmetic in the type index.
void useIndices(mlir::func::FuncOp function);

/// One extent of an array: a value that the kernel is passed, or else a
/// constant; -1 where it is not needed (the outermost).
struct Extent {
  int64_t constant;
  mlir::Value value;
  bool operator==(const Extent &other) const {
    return constant == other.constant && value == other.value;
  }
};

/// The dimensions that a memref may be given.
struct Shape {
  mlir::Value memref;
  llvm::SmallVector<Extent> extents;
  bool isDeclared; // in the source, as opposed to the contract
};

/// The shapes of the arrays that `function` declares.
llvm::SmallVector<Shape> declaredShapes(mlir::func::FuncOp function);

/// Gives memrefs those of `shapes` by which the code addresses them.
void useShapes(mlir::func::FuncOp function, llvm::ArrayRef<Shape> shapes);

} // namespace evo::raise

#endif
