// The dialect itself. It knows nothing of models, of CUDA, or of any database:
// it is the vocabulary in which the stages of a search talk to each other.
#ifndef EVO_DIALECT_EVO_IR_EVOBASE_TD
#define EVO_DIALECT_EVO_IR_EVOBASE_TD

include "mlir/IR/OpBase.td"

def Evo_Dialect : Dialect {
  let name = "evo";
  let summary = "Kernels, their contracts, proposals, and verified variants";
  let description = [{
    An `evo.kernel` states what a GPU kernel must do (its contract) and holds a
    reference, the proposals made to speed it up, and the variants that were
    built from them with what was learnt about each: evidence of equivalence,
    resources, cost. A file in this dialect shows the whole state of a search.
  }];
  let cppNamespace = "::evo";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

#endif
