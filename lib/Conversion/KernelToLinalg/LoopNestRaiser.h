// A kernel is read as if all of its threads did each loop together: a store
// becomes an op over all elements of its buffer, a loop that carries a value a
// reduction, and what comes later reads what they made. Scalars in between are
// computed where they are used.
#ifndef EVO_LIB_CONVERSION_KERNELTOLINALG_LOOPNESTRAISER_H
#define EVO_LIB_CONVERSION_KERNELTOLINALG_LOOPNESTRAISER_H

#include "GenericBody.h"
#include "evo/Conversion/KernelToLinalg/Guesses.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace evo {

/// What a loop, with those in it, adds to a value that it carries.
struct Contribution {
  mlir::Value value;
  mlir::Operation *combiner = nullptr;
  mlir::BlockArgument carried; ///< that the combiner has for its other operand
  llvm::SmallVector<Guard> guards;
  llvm::SmallVector<Factor> counters; ///< of the loops, outermost first
};

class LoopNestRaiser {
public:
  LoopNestRaiser(mlir::OpBuilder builder, KernelOp kernel, VariantOp structured)
      : b(builder), kernel(kernel), structured(structured),
        function(createTensorFunction(b, kernel)), terms(kernel, function) {
    b.setInsertionPointToEnd(&function.getBody().front());
  }
  mlir::func::FuncOp create();

private:
  mlir::OpBuilder b;
  KernelOp kernel;
  VariantOp structured;
  mlir::func::FuncOp function;
  LoopTerms terms;
  llvm::StringMap<SizedTensor> buffers; // as they are now
  StructuredLaunch launch;
  llvm::DenseMap<mlir::Operation *, Factor> counters; // of loops
  Counters order; // in which results have dimensions
  /// Stores of one branch that the other one has too: the value there.
  llvm::DenseMap<mlir::Operation *, mlir::Value> otherwise;
  /// Stores of each step of a scan, which are done with its loop.
  llvm::SmallPtrSet<mlir::Operation *, 4> steps;

  bool addBuffers();
  bool visitLaunch();
  bool visit(mlir::Block &block);
  bool visitBranch(mlir::scf::IfOp branch);
  bool visitStore(mlir::memref::StoreOp store);

  // LoopCounters.cpp
  bool countLoops();
  std::optional<Sum> positionOf(mlir::Value memref, mlir::ValueRange indices);
  bool spreadThreads();
  bool spread(const Sum &position, llvm::ArrayRef<Sum> dims);

  // LoopReductions.cpp
  bool visitLoop(mlir::scf::ForOp loop);
  static mlir::Value combine(GenericBody &body, const Contribution &each,
                             mlir::Value former);
  bool trace(mlir::Value yielded, mlir::BlockArgument carried,
             Contribution &result);
  bool takesFirst(mlir::scf::ForOp loop,
                  llvm::ArrayRef<Contribution> contributions);
  bool reduce(mlir::scf::ForOp loop, llvm::ArrayRef<Contribution> contributions,
              llvm::ArrayRef<mlir::Value> starts);
  bool reduceTogether(mlir::scf::ForOp loop, llvm::ArrayRef<unsigned> numbers,
                      llvm::ArrayRef<Contribution> contributions,
                      llvm::ArrayRef<mlir::Value> starts, const Counters &kept);
  SizedTensor createStart(mlir::Value result, mlir::Value start,
                          mlir::Operation *combiner, const Counters &kept);
  SizedTensor findOutput(mlir::Value result, llvm::ArrayRef<Sum> places);

  // LoopScans.cpp
  /// Stores of what a loop carries, before or after each step.
  static llvm::SmallVector<mlir::memref::StoreOp>
  findSteps(mlir::scf::ForOp loop);
  bool visitScan(mlir::scf::ForOp loop,
                 llvm::ArrayRef<mlir::memref::StoreOp> stores);
};

} // namespace evo

#endif
