// Operations of the evo dialect.
#ifndef EVO_DIALECT_EVO_IR_EVOOPS_TD
#define EVO_DIALECT_EVO_IR_EVOOPS_TD

include "evo/Dialect/Evo/IR/EvoAttrs.td"
include "evo/Dialect/Evo/IR/EvoInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Evo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Evo_Dialect, mnemonic, traits>;

class Evo_Container<string mnemonic, list<Trait> traits = []>
    : Evo_Op<mnemonic, traits # [IsolatedFromAbove, SymbolTable,
                                 SingleBlock, NoTerminator, NoRegionArguments]>;

def Evo_ArgumentArray : TypedArrayAttrBase<Evo_ArgumentAttr, "array of #evo.arg">;
def Evo_ExprArray : TypedArrayAttrBase<Evo_ExprAttr, "array of #evo.expr">;
def Evo_RequirementArray
    : TypedArrayAttrBase<Evo_RequirementAttr, "array of #evo.requirement">;
def Evo_WorkloadArray
    : TypedArrayAttrBase<Evo_WorkloadAttr, "array of #evo.workload">;
def Evo_ResourcesArray
    : TypedArrayAttrBase<Evo_ResourcesAttr, "array of #evo.resources">;

def Evo_KernelOp : Evo_Container<"kernel", [Symbol]> {
  let summary = "a kernel: its contract, and all that was made from it";
  let description = [{
    The contract says what the arguments are, which values they may hold, which
    sizes matter, and which must be supported (`requires`). Dimension names are
    universally quantified. The body holds up to one `evo.reference`, and any
    number of proposals and variants. `best` names the selected variant.

    ```mlir
    evo.kernel @softmax
        args [#evo.arg<"x" in f32 ["M", "N"]>, #evo.arg<"y" out f32 ["M", "N"]>]
        workloads [#evo.workload<{M = 4096, N = 4096}>] {
      evo.reference { ... }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<Evo_ArgumentArray>:$args,
                       OptionalAttr<Evo_WorkloadArray>:$workloads,
                       OptionalAttr<Evo_RequirementArray>:$requirements,
                       OptionalAttr<Evo_AccuracyAttr>:$accuracy,
                       OptionalAttr<FlatSymbolRefAttr>:$best);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`args` $args^)? (`workloads` $workloads^)?
    (`requires` custom<Requirements>($requirements)^)? (`accuracy` $accuracy^)? (`best` $best^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether arguments are stated, so that the kernel can be run and checked.
    bool hasContract() { return getArgs().has_value(); }
    ::evo::ReferenceOp getReference();
    /// The variant that others are compared with: that of the proposal
    /// @baseline. Null where there is none.
    ::evo::VariantOp lookupBaseline();
    ::evo::ArgumentAttr lookupArgument(::llvm::StringRef name);
    /// Names of all dimensions, in order of first appearance.
    ::llvm::SmallVector<::llvm::StringRef> getDimensionNames();
  }];
}

def Evo_ReferenceOp : Evo_Container<"reference", [HasParent<"KernelOp">,
    LaunchPlanOpInterface]> {
  let summary = "what the kernel computes";
  let description = [{
    Either tensor-level IR (one `func.func` whose arguments are the contract's
    arguments in order) or a launch plan: `evo.scratch`, `evo.launch` and the
    `gpu.module`s they name. `source` is the text it was lifted from; `options`
    (`opt`, `maxnreg`, `codegen`) are how code is made of the plan where a
    candidate does not say otherwise.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$source,
                       OptionalAttr<DictionaryAttr>:$options);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::StringAttr":$source), [{
    build($_builder, $_state, source, ::mlir::DictionaryAttr());
  }]>];
  let extraClassDeclaration = [{
    bool isLaunchPlan();
  }];
}

def Evo_RaisedOp : Evo_Container<"raised", [HasParent<"KernelOp">]> {
  let summary = "tensor-level code found to compute what the reference does";
  let description = [{
    One `func.func` on tensors whose arguments are the contract's arguments in
    order, outputs as destinations. Schedules apply to it. Raising may be
    heuristic: every variant is judged against the reference, not against this.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def Evo_ProposalOp : Evo_Op<"proposal", [Symbol, HasParent<"KernelOp">]> {
  let summary = "a transformation somebody proposes, as text";
  let description = [{
    `text` is written in the language `genome`; `options` choose the code
    generator and its flags. Once it was tried in vain, `failure` says at which
    stage and why.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       Evo_GenomeAttr:$genome,
                       StrAttr:$text,
                       OptionalAttr<DictionaryAttr>:$options,
                       OptionalAttr<StrAttr>:$parent,
                       OptionalAttr<StrAttr>:$rationale,
                       StrAttr:$proposer,
                       OptionalAttr<Evo_StageAttr>:$stage,
                       OptionalAttr<StrAttr>:$failure);
  let assemblyFormat = [{
    $sym_name custom<QuotedGenome>($genome) $text `by` $proposer (`from` $parent^)?
    (`options` $options^)? (`because` $rationale^)?
    (`failed` `at` custom<QuotedStage>($stage)^ `with` $failure)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The variant that was made of it; null where there is none.
    ::evo::VariantOp lookupVariant();
    /// The name that the variant of a proposal `name` is given.
    static std::string nameVariantOf(::llvm::StringRef name) {
      return (name + ".v").str();
    }
  }];
}

def Evo_VariantOp : Evo_Container<"variant", [Symbol, HasParent<"KernelOp">,
    LaunchPlanOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a launch plan that claims to implement the contract";
  let description = [{
    Holds scratch buffers, launches in order, and the device modules they name.
    `proposal` is the one it was made of (`evo.variant @p7.v of @p7`), if any.
    `requirements` declare a specialisation: the variant is checked on, and
    dispatched to, those sizes only. Evidence, resources and cost are written by
    the passes that measure, by nobody else.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<FlatSymbolRefAttr>:$proposal,
                       OptionalAttr<Evo_OriginAttr>:$origin,
                       OptionalAttr<StrAttr>:$source,
                       OptionalAttr<Evo_RequirementArray>:$requirements,
                       OptionalAttr<DictionaryAttr>:$options,
                       OptionalAttr<Evo_EvidenceAttr>:$evidence,
                       OptionalAttr<Evo_ResourcesArray>:$resources,
                       OptionalAttr<Evo_CostAttr>:$estimate,
                       OptionalAttr<Evo_CostAttr>:$measured);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`of` $proposal^)? (`origin` $origin^)? (`requires` custom<Requirements>($requirements)^)?
    (`options` $options^)? (`evidence` $evidence^)? (`resources` $resources^)?
    (`estimate` $estimate^)? (`measured` $measured^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The proposal it was made of; null where it was made otherwise.
    ::evo::ProposalOp lookupProposal();
  }];
}

def Evo_ScratchOp : Evo_Op<"scratch", [ParentOneOf<["ReferenceOp", "VariantOp"]>]> {
  let summary = "a temporary buffer of a launch plan";
  let description = [{Poisoned before a run, not preserved after it.}];
  let arguments = (ins StrAttr:$name, TypeAttr:$elementType, Evo_ExprArray:$dims);
  let assemblyFormat = "$name `:` $elementType custom<Exprs>($dims) attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// How the dimensions are spelled, outermost first.
    ::llvm::SmallVector<::llvm::StringRef> getDimStrings();
    ::evo::LaunchPlanOpInterface getPlan() {
      return ::llvm::cast<::evo::LaunchPlanOpInterface>((*this)->getParentOp());
    }
  }];
}

def Evo_LaunchOp : Evo_Op<"launch", [ParentOneOf<["ReferenceOp", "VariantOp"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one kernel launch of a plan";
  let description = [{
    Extents, dynamic shared memory in bytes, and arguments are integer
    expressions over the contract's names; an argument may also name a buffer,
    a scratch buffer, or a float scalar. Formulas, not SSA values, so that a
    host launcher, a dispatcher or a model can read them.

    ```mlir
    evo.launch @device::@rows grid ["M", "1", "1"] block ["128", "1", "1"]
        args ["x", "y", "M", "N"]
    ```

    Where the callee is a `gpu.func`, a memref parameter may be given by the name
    of its buffer alone: lowered, it is passed as base and aligned pointer,
    offset, sizes and strides. The memref has the rank of the buffer, or rank 1
    and then holds all of it in row-major order.
  }];
  let arguments = (ins SymbolRefAttr:$callee, Evo_ExprArray:$grid,
                       Evo_ExprArray:$block, OptionalAttr<Evo_ExprAttr>:$shared,
                       Evo_ExprArray:$args);
  let assemblyFormat = [{
    $callee `grid` custom<Exprs>($grid) `block` custom<Exprs>($block)
    (`shared` custom<Expr>($shared)^)? `args` custom<Exprs>($args) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::evo::LaunchPlanOpInterface getPlan() {
      return ::llvm::cast<::evo::LaunchPlanOpInterface>((*this)->getParentOp());
    }
    /// The arguments as the lowered kernel takes them: buffers that stand for
    /// memrefs are expanded to descriptors, all else is as the op states it.
    ::llvm::SmallVector<::evo::ExprAttr> getLoweredArgs();
    /// The types that go with them, where the callee is in this plan: pointers
    /// and integers once lowered. Empty where it is not.
    ::llvm::SmallVector<::mlir::Type> getLoweredTypes();
  }];
}

#endif
