// What a search has tried, so that nothing is tried twice.
#ifndef EVO_LIB_TRANSFORMS_TRIED_H
#define EVO_LIB_TRANSFORMS_TRIED_H

#include "evo/Dialect/Evo/IR/Evo.h"

namespace evo {

class Tried {
public:
  /// Takes in what stands in the kernel.
  void read(KernelOp kernel);

  /// A module that holds the contract and reference of `kernel`, `proposal`
  /// alone, and which code is known: all that an evaluation may see.
  mlir::OwningOpRef<mlir::ModuleOp> isolate(KernelOp kernel,
                                            ProposalOp proposal) const;

  /// Remembers the hashes that the evaluation gave `proposal` as `result`, and
  /// notes on it an earlier one that differs in constants only. The name of an
  /// earlier proposal of the same code; empty: there is none.
  std::string note(ProposalOp proposal, ProposalOp result);

  /// Remembers what was judged. The name of an earlier variant with the same
  /// device code; empty: there is none.
  std::string note(VariantOp variant);

private:
  /// Names by hash: of proposals by code and by shape (Structure.h), of
  /// variants by what was judged.
  llvm::StringMap<std::string> codes, shapes, judged;

  void remember(ProposalOp proposal);
};

} // namespace evo

#endif
