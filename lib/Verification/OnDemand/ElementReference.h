// Single elements of the results of a tensor-level reference.
#ifndef EVO_LIB_VERIFICATION_ONDEMAND_ELEMENTREFERENCE_H
#define EVO_LIB_VERIFICATION_ONDEMAND_ELEMENTREFERENCE_H

#include "evo/Lowering/DeviceBuilder.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Target/Warp.h"
#include "llvm/IR/LLVMContext.h"

namespace evo {

/// A reference by elements: launch i of `plan` computes elements of the i-th
/// output of the contract, one in each of its threads, and leaves them in
/// `results[i]`, a buffer of the output's own shape.
struct ElementReference {
  /// Elements that one run computes.
  static constexpr unsigned threads = target::warpSize;
  /// The buffer, of i64, with the number (row by row) of the element that each
  /// thread is to compute; a negative one asks for none.
  static constexpr llvm::StringLiteral places = "element_places";

  ExecutablePlan plan;
  std::vector<std::string> results;
  /// Of each output the launch of `plan` that computes an element by a whole
  /// warp, one after another, where lanes can share its sums: their order is
  /// another then.
  std::vector<std::optional<unsigned>> byWarp;
  /// The launch for a few elements of an output: by warps where that is there.
  unsigned getLaunch(unsigned output) const {
    return byWarp[output].value_or(output);
  }
  /// Lane instructions of a launch that take as long as one of a lone thread: a
  /// lane of a full warp takes less time.
  uint64_t countAsOne(size_t launch) const {
    return launch >= results.size() ? 8 : 1;
  }

  /// Inputs are read where they are asked for and nothing else is stored.
  /// Fails, with the reason, where an operation has no form by elements.
  static llvm::Expected<ElementReference> create(KernelOp kernel,
                                                 TargetAttrInterface target,
                                                 DeviceBuilder &builder,
                                                 llvm::LLVMContext &context);

  /// The contents of `places`: up to `threads` elements.
  static sim::BufferSpec makePlaces(llvm::ArrayRef<uint64_t> elements);

  /// Compares elements of each output at `sizes` with what the `whole`
  /// reference leaves there: up to `max` of them, the first and the last among
  /// them. They are the same operations in the same order, so all bits are
  /// equal, or one of the two is wrong; by warps, they are within the whole's
  /// bounds. Says where they are not, or why that is not known; nothing where
  /// all are.
  std::optional<std::string> findMismatch(KernelOp kernel,
                                          const ExecutablePlan &whole,
                                          const Bindings &sizes, uint64_t max,
                                          uint64_t seed) const;
};

/// What `create` runs: a copy of the contract whose reference is that plan, in
/// the LLVM dialect.
struct LoweredElements {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> results;
  std::vector<std::optional<unsigned>> byWarp;
};
/// Fails with `obstacle` set.
mlir::FailureOr<LoweredElements> lowerElementReference(KernelOp kernel,
                                                       std::string &obstacle);

} // namespace evo

#endif
