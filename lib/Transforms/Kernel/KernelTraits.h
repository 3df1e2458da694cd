// Properties of a kernel that limit how its work may be redistributed over
// threads and blocks.
#ifndef EVO_LIB_TRANSFORMS_KERNEL_KERNELTRAITS_H
#define EVO_LIB_TRANSFORMS_KERNEL_KERNELTRAITS_H

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace evo {

/// Each is the first instruction of its kind, or null.
struct KernelTraits {
  const llvm::Instruction *barrier = nullptr;  // of the block
  const llvm::Instruction *warpWide = nullptr; // shuffle, vote, mma, ...
  const llvm::Instruction *shared = nullptr;   // touches shared memory
  const llvm::Instruction *place = nullptr;    // reads lane, warp, ...
  const llvm::Instruction *cluster = nullptr;  // knows of other blocks
  const llvm::Instruction *unknown = nullptr;  // a call that stayed a call
  const llvm::Instruction *exit = nullptr;     // ends the thread from within

  static KernelTraits of(const llvm::Function &kernel);
  /// The first instruction that forbids to redistribute the work of a thread,
  /// and why; null if there is none.
  std::pair<const llvm::Instruction *, llvm::StringRef> getObstacle() const;
  /// Whether a single call is of the kind.
  static bool isBarrier(const llvm::CallBase &call) { return of(call).barrier; }
  static bool readsPlace(const llvm::CallBase &call) { return of(call).place; }

private:
  static KernelTraits of(const llvm::CallBase &call);
};

/// `instruction` for a message: its callee or opcode, and its source location
/// if known.
std::string describe(const llvm::Instruction &instruction);

/// Whether `kernel` says for which shape of the block alone it is meant.
bool prescribesBlock(const llvm::Function &kernel);
/// Drops what is promised of the size of a block that has changed, and of the
/// number of such blocks that fit.
void forgetBlockPromises(llvm::Function &kernel);

/// A special register with the position of a thread.
enum class Register { ThreadId, BlockDim, BlockId, GridDim };

/// The calls in `function` that read `kind` along `dim`.
llvm::SmallVector<llvm::CallInst *> readsOf(llvm::Function &function,
                                            Register kind, unsigned dim);
/// Reads `kind` along `dim` at the builder's insertion point.
llvm::Value *readRegister(llvm::IRBuilderBase &builder, Register kind,
                          unsigned dim);
/// Replaces all reads of `kind` along `dim` by `value`.
void replaceReads(llvm::Function &function, Register kind, unsigned dim,
                  llvm::Value *value);

/// A copy of `kernel` with further parameters.
llvm::Function *cloneWithParameters(llvm::Function &kernel,
                                    const llvm::Twine &name,
                                    llvm::ArrayRef<llvm::Type *> further);
/// An empty kernel with the name and attributes of `kernel` and `count` further
/// parameters of type i32. The caller has to remove `kernel`.
llvm::Function *startWider(llvm::Function &kernel, unsigned count);
/// The same with the body of `kernel`, which is gone.
llvm::Function &widen(llvm::Function &kernel, unsigned count);
/// A function with the body of `kernel` and further parameters of type i32.
llvm::Function *cloneAsBody(llvm::Function &kernel, llvm::StringRef suffix,
                            unsigned furtherParameters);
/// Inlines `body` at the builder's insertion point, which has to be before an
/// instruction, and removes the function.
void inlineBody(llvm::IRBuilderBase &builder, llvm::Function &body,
                llvm::ArrayRef<llvm::Value *> args);

} // namespace evo

#endif
