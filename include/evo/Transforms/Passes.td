// The stages of a search, one pass each. Every one runs alone on textual IR.
#ifndef EVO_TRANSFORMS_PASSES_TD
#define EVO_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// What passes make ops of: of the evo dialect all, of others those below, on
// copies of a kernel too. A pass lists what the roles that it speaks to make.

// The code generator: device code down to LLVM.
defvar loweredDialects = [
  "::mlir::DLTIDialect", "::mlir::LLVM::LLVMDialect",
  "::mlir::NVVM::NVVMDialect", "::mlir::affine::AffineDialect",
  "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
  "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
  "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
  "::mlir::tensor::TensorDialect", "::mlir::ub::UBDialect",
  "::mlir::vector::VectorDialect"
];

// The verifier: that, and a reference on tensors as loops.
defvar verifiedDialects = !listconcat(loweredDialects, [
  "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
  "::mlir::linalg::LinalgDialect"
]);

// The solver's questions.
defvar provedDialects = ["::mlir::smt::SMTDialect"];

// A candidate: code at any level, and the schedules that make it.
defvar candidateDialects = !listconcat(verifiedDialects, [
  "::mlir::transform::TransformDialect"
]);

class EvoKernelPass<string flag, list<string> dialects = []>
    : Pass<flag, "::evo::KernelOp"> {
  // A target is an attribute of the evo dialect, parsed before any kernel is seen.
  let dependentDialects = !listconcat(["::evo::EvoDialect"], dialects);
}

class EvoEffortOption<string usual, string description>
    : Option<"effort", "effort", "::evo::Effort", "::evo::Effort::" # usual,
             description,
             [{::llvm::cl::values(
                 clEnumValN(::evo::Effort::Quick, "quick", ""),
                 clEnumValN(::evo::Effort::Default, "default", ""),
                 clEnumValN(::evo::Effort::Thorough, "thorough", ""))}]>;

def StripUntrusted : EvoKernelPass<"evo-strip-untrusted"> {
  let summary = "remove evidence, resources and costs from variants";
  let description = [{
    Evidence counts only from the pass that gathered it. Run this on IR whose
    author is not trusted. Limitation: it does not tell whose the IR is.
  }];
}

def AbstractShapes : EvoKernelPass<"evo-abstract-shapes",
    ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
     "::mlir::tensor::TensorDialect"]> {
  let summary = "give names to the extents of a reference of static shape";
  let description = [{
    Of a kernel whose reference is a function on tensors of static shape: extents
    that its ops hold equal become one dimension, those of results formulas of
    these, and numbers in its code that are functions of an extent (1/N, N - 1)
    arithmetic on it. The contract gets the names, the file's sizes as its
    workload, and `evo.sizes`, which says that callers have no others; `evo.fixed`
    says which extents stayed numbers, and why. `lift` does so with files that
    state no contract. The result is checked: with the sizes put back it is
    structurally the function that it was, or nothing is changed. Limitations:
    windows (of convolutions, pooling), factors of reshapes but one, and what
    constants with elements of their own meet stay numbers.
  }];
}

def Raise : EvoKernelPass<"evo-raise",
    !listconcat(verifiedDialects, provedDialects)> {
  let summary = "find tensor-level code that computes what a kernel does";
  let description = [{
    Tries what the contract's shapes suggest (a matrix product, also in batches,
    where three arrays share their extents in pairs; a convolution of images by
    filters; a softmax over rows where one matrix goes in and out; another order
    of dimensions; means, sums, largest and smallest values along rows, columns
    or all dimensions; layer and root-mean-square normalisation), then what the
    structured form of the kernel says where it stores every output once, at the
    element at hand, made of what the inputs hold there (their rows and columns
    included), then the same loop by loop: each store over all elements of a
    buffer is an op, each loop that carries what it combines a reduction, and
    launches follow each other through scratch tensors. What data points to, and
    what lies beside the element at hand, is looked up. A guess is kept, as
    `evo.raised`, only if the verifier accepts the reference against it.
    Limitations: guesses by shape are of floats; wide accesses (`float4`),
    loops up to a counter, results on the way (scans), stores of a part of a
    buffer, shared memory and atomics are not raised; no guess is no error.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    Option<"seed", "seed", "uint64_t", "0", "seed of the check">
  ];
}

// What is raised is device code, judged against that: no tensors take part.
def RaiseStructured : EvoKernelPass<"evo-raise-structured",
    !listconcat(loweredDialects, ["::mlir::func::FuncDialect"], provedDialects)> {
  let summary = "raise device code to structured control flow on memrefs";
  let description = [{
    Level L1: the kernels of a launch plan in arith, math, scf, memref, vector
    and gpu, with loops, arrays and indices instead of branches and pointers.
    The result is the variant `@l1`: it is judged, lowered, estimated and
    selected like any other, and its text is a candidate of the genome `mlir`
    that a person or a model may edit. It is kept only if the verifier accepts
    it; a kernel without a contract cannot be judged, and its variant has no
    evidence.

    Functions of the device are inlined, but those that call themselves. Scalar
    ops of the device that the gpu dialect has no word for (votes, fences, parts
    of warps) stay NVVM ops, and libdevice functions without an op stay calls.
    Intrinsics, assembly, atomics and volatile accesses are given the addresses
    of memrefs.

    What points into no one argument or array stays an address, with operations
    of the LLVM dialect on it: pointers that are loaded, made from integers or
    may point into two arrays, variables outside of shared memory, members of
    structures that are passed by value.

    Limitations: one remark says what keeps a plan at L0: a kernel that names a
    kernel, a switch on more than 64 bits, control flow without a structured
    form, and what the verifier cannot judge.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    EvoEffortOption<"Quick", "of the check: quick, default or thorough">,
    Option<"seed", "seed", "uint64_t", "0", "seed of the check">
  ];
}

def Propose : EvoKernelPass<"evo-propose",
    ["::mlir::transform::TransformDialect"]> {
  let summary = "ask a proposer for transformations of each kernel";
  let description = [{
    Adds `evo.proposal` ops. Proposers see everything that was tried before, with
    its evidence and cost. A proposer whose means are missing (a model without a
    key, say) is an error; one without further ideas is not.
  }];
  let options = [
    Option<"proposer", "proposer", "std::string", "\"search\"",
           "search, replay, llm or exchange">,
    Option<"count", "count", "unsigned", "8", "how many proposals to ask for">,
    Option<"seed", "seed", "uint64_t", "0", "seed of random choices">
  ];
}

def Materialize : EvoKernelPass<"evo-materialize", candidateDialects> {
  let summary = "turn proposals into variants";
  let description = [{
    Each proposal that has neither failed nor a variant yet becomes an
    `evo.variant` of its own name with the suffix `.v`. A proposal that does not
    parse or build keeps the diagnostics as its `failure`: a bad candidate is
    data. Limitation: runs in this process; use `evo-search` for isolation.
  }];
}

def Audit : EvoKernelPass<"evo-audit", verifiedDialects> {
  let summary = "warn of contracts that would reward a cheat";
  let description = [{
    Runs the reference on a few sampled sizes and values, and again with one input
    changed. A warning, and a line of the attribute `evo.audit`, for each output
    that lies within (-0.01, 0.01) everywhere, is the same whatever the inputs
    hold, or is constant along an axis; and for each input on which nothing
    depends, or which does what zeros, ones or the identity would do. An output
    that is tiny or constant only at other sizes is not seen.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    Option<"seed", "seed", "uint64_t", "0", "seed of sizes and values">
  ];
}

def Prove : EvoKernelPass<"evo-prove", provedDialects> {
  let summary = "prove for all sizes what indices of structured code do";
  let description = [{
    Of the reference and each variant at level L1: that every access is in
    bounds, and that no two threads of a launch touch one element of a buffer,
    but to read or by atomics. The attribute `evo.proved` says for which sizes
    that holds; `evo.not_proved` names the first access of which it could not be
    shown, which is evidence of nothing. Plans at other levels get neither.
    `evo-verify` asks the same of what it accepts. Limitation: barriers are not
    taken into account, nor what is loaded or carried by a loop; a build without
    libz3 proves nothing.
  }];
  let options = [
    Option<"effort", "effort", "uint64_t", "200000",
           "the solver's measure of work for each question">
  ];
}

def Verify : EvoKernelPass<"evo-verify",
    !listconcat(verifiedDialects, provedDialects)> {
  let summary = "judge each variant against the reference on the CPU";
  let description = [{
    Runs reference and variant on sampled sizes and values, and writes
    `#evo.evidence`. Variants that have evidence already keep it, unless `force`.
    Fails only where the contract or the reference is at fault.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    EvoEffortOption<"Default", "quick, default or thorough">,
    Option<"seed", "seed", "uint64_t", "0", "seed of sizes and values">,
    Option<"seconds", "seconds", "double", "60",
           "time for one variant; 0: no bound">,
    Option<"force", "force", "bool", "false", "judge again what was judged">,
    Option<"counterexample", "counterexample", "bool", "false",
           "keep the data that refute a variant, in `evo.counterexample`">
  ];
}

def Lower : EvoKernelPass<"evo-lower", loweredDialects> {
  let summary = "generate PTX and machine code for accepted variants";
  let description = [{
    Adds a `gpu.binary` with PTX, and with a cubin where an assembler is found,
    and writes `#evo.resources`. A variant whose evidence is missing, or bound to
    other code, is an error unless `allow-unverified`; a refuted one is left.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    Option<"allowUnverified", "allow-unverified", "bool", "false",
           "generate code for variants without valid evidence">
  ];
}

def Estimate : EvoKernelPass<"evo-estimate", loweredDialects> {
  let summary = "estimate the time of accepted variants without a GPU";
  let description = [{
    Counts what a few blocks do at the workload's own sizes, and combines the
    counts with occupancy and the target's rates. An estimate, never printed as
    a measurement.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">
  ];
}

def Measure : EvoKernelPass<"evo-measure", verifiedDialects> {
  let summary = "time accepted variants on a device";
  let description = [{
    Needs code from `evo-lower`. Without a device the pass fails, unless
    `if-available`.
  }];
  let options = [
    Option<"measurer", "measurer", "std::string", "\"gpu\"", "backend to use">,
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    Option<"ifAvailable", "if-available", "bool", "false",
           "do nothing where there is no device">,
    Option<"top", "top", "unsigned", "0",
           "measure only that many variants, best estimate first; 0: all">,
    Option<"seconds", "seconds", "double", "0",
           "measure no further variant once this long was measured; 0: no end">
  ];
}

def Select : EvoKernelPass<"evo-select", loweredDialects> {
  let summary = "name the fastest accepted variant of each kernel";
  let description = [{
    Compares the weighted time over all workloads: measured times where there are
    any (what was not measured then takes no part), estimates otherwise. Only
    variants with valid evidence take part. The winner has no requirements beyond
    the contract's, so that it serves every size. Up to four others are named in
    `evo.specialized`, in the order in which a launcher tries them: those that make
    workloads faster. One with requirements is used where they hold. One without
    has to gain a hundredth of the whole, and is used where the conditions hold that
    it has as `evo.used_when`: sizes nearer to a workload that it is the fastest at
    than to another, by the product of those sizes that differ between workloads.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">
  ];
}

def Confirm : EvoKernelPass<"evo-confirm", candidateDialects> {
  let summary = "judge once more what ships";
  let description = [{
    What `evo-select` named is judged again, with more effort than a search can
    spend on each candidate and on other samples, in a process of its own. The
    evidence becomes that of the second judgement. What it refutes, or cannot
    accept, does not ship: another selection is made, until all that it names
    has been judged twice. Where the second judgement has no end of its own (its
    time is over, its process dies, the reference fails) the first one stands,
    and `judged_again` in the evidence says why. A baseline that is the reference
    itself, launch by launch, is not judged again. Interrupted, the pass leaves
    what was selected.
  }];
  let options = [
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    EvoEffortOption<"Thorough", "of each verdict: quick, default or thorough">,
    Option<"seed", "seed", "uint64_t", "1", "seed of sizes and values">,
    Option<"seconds", "seconds", "double", "60", "time for one variant; 0: no bound">
  ];
}

def Search : EvoKernelPass<"evo-search", candidateDialects> {
  let summary = "generations of propose, evaluate in isolation, select";
  let description = [{
    Each proposal is evaluated by `pipeline` in a process of its own, so that
    whatever happens there is a verdict on that candidate only. Variants whose
    code is identical to an earlier one are not evaluated again. Interrupted, the
    pass gives up the candidate in flight and ends normally with what was found so
    far. It ends before its budget, too, when a time or a share of the floor is
    reached, when so many consecutive candidates brought no progress, or when its time
    is up. Candidates of a generation are evaluated side by side, and taken in their
    order. What a measurer times is compared by that, and estimates of the others are
    corrected by what was measured. Where the process has a journal, each step is kept in it, and a search that
    was killed goes on with the candidate that was in flight.
  }];
  let options = [
    Option<"proposer", "proposer", "std::string", "\"search\"",
           "search, replay, llm or exchange">,
    Option<"budget", "budget", "unsigned", "32", "candidates in all">,
    Option<"generation", "generation", "unsigned", "8",
           "candidates between two looks at the results">,
    Option<"seed", "seed", "uint64_t", "0", "seed of all random choices">,
    Option<"target", "target", "std::string", "::evo::target::getDefaultArch()", "architecture">,
    Option<"pipeline", "pipeline", "std::string", "\"\"",
           "stages of one evaluation; empty: materialize, verify, lower, "
           "estimate">,
    EvoEffortOption<"Default", "of each verdict: quick, default or thorough">,
    Option<"seconds", "seconds", "double", "0", "time for all; 0: no bound">,
    Option<"stopAt", "stop-at", "double", "0",
           "microseconds at which to stop; 0: none">,
    Option<"stopAtFloor", "stop-at-floor", "double", "0",
           "share of the floor (the time to move the data once, or the minimum "
           "arithmetic of an accepted variant where that takes longer, over the "
           "time) at which to stop; 0: none">,
    Option<"patience", "patience", "unsigned", "0",
           "consecutive candidates without progress after which to stop; 0: none">,
    Option<"measurer", "measurer", "std::string", "\"\"",
           "by whom accepted variants are timed, a generation before the next is "
           "proposed; empty, or where there is no device: not at all">,
    Option<"measureSeconds", "measure-seconds", "double", "0",
           "time no further variant once this long was measured; 0: no end">
  ];
}

def FuseLinalg : Pass<"evo-fuse-linalg", "::mlir::func::FuncOp"> {
  let summary = "fuse linalg ops on tensors";
  let description = [{
    Named ops that stand for several (softmax) are decomposed. From level 1 on
    all become `linalg.generic`, and what is computed element by element is fused
    into its user; at level 2 cheap results with several users are computed anew
    for each; at level 3 squared distances over several dimensions are added up
    in the innermost one first, about the mean there. Part of the schedule
    `general`.
  }];
  let options = [
    Option<"level", "level", "int64_t", "1", "0 decompose, 1 fuse, 2 recompute, 3 add up distances by rows">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PackOperands : Pass<"evo-pack-operands", "::mlir::func::FuncOp"> {
  let summary = "copy operands of products so that blocks read neighbours";
  let description = [{
    An operand of a reduction of two that lies along neither its results nor the
    reduced dimension which `evo-map-linalg` cuts, as the weights of a convolution
    lie along its window, is transposed first, to lie along its results. Other
    ops stay. Limitation: an operand whose place adds dimensions up (the windows
    themselves) is not copied. Part of the schedule `products`.
  }];
  let options = [
    Option<"pack", "pack", "int64_t", "1", "0: nothing is done">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

def MapLinalg : Pass<"evo-map-linalg", "::mlir::func::FuncOp"> {
  let summary = "map linalg ops on buffers to GPU kernels";
  let description = [{
    Every op, of any kind and rank, becomes a `gpu.launch` with a thread per
    element of the result. Options ask for more: tiles of `rows` by `columns`
    results per thread; tiles of a block for reductions of two operands (products
    of matrices, convolutions), and for operands that lie along another dimension
    than the results, which then go through shared memory; reductions that a warp
    or a block shares, or several of these in `parts`, whose results lie in a
    buffer until a second kernel combines them; scans likewise by a thread, a warp or
    a block each, or in `parts` by a block for each part; element-wise
    users in the kernel that computes what they use; ops with common leading
    dimensions in one kernel, a block per row, whose elements threads may keep in
    registers; accesses of several neighbouring elements; where a result takes only what
    an integer says is its own, a thread per element that finds its result and combines
    with it atomically. A fill that only starts a reduction
    gets no kernel. Limitations: ops in loops or branches of the host are
    refused; a reduction whose combination has no neutral element is not shared.
    Part of the schedule `general`.
  }];
  let options = [
    Option<"threads", "threads", "int64_t", "256", "threads per block">,
    Option<"columns", "columns", "int64_t", "1",
           "results per thread along the innermost dimension">,
    Option<"rows", "rows", "int64_t", "1",
           "and along the one before, for reductions">,
    Option<"split", "split", "int64_t", "0",
           "threads per reduction: 0 one, 1 a warp, 2 a block">,
    Option<"chain", "chain", "int64_t", "0",
           "1: element-wise users join the kernel">,
    Option<"group", "group", "int64_t", "0",
           "a block per row: 0 never, 1 for row reductions, 2 for any ops">,
    Option<"stage", "stage", "int64_t", "0",
           "a block per tile of a product, with so many by so many results per "
           "thread and its operands in shared memory: 0 never">,
    Option<"parts", "parts", "int64_t", "1",
           "parts of a reduction that are computed apart and combined by a "
           "kernel of their own, where `stage` is 0">,
    Option<"access", "access", "int64_t", "0",
           "bytes of neighbouring elements that a thread loads or stores at "
           "once, in rows that are held and in element-wise kernels: 0 an element">,
    Option<"hold", "hold", "int64_t", "0",
           "accesses per row that each thread keeps in registers, so that "
           "its elements are read once; with `split` 1 rows have a warp each, "
           "or a part of one where the workload's are short">,
    Option<"stream", "stream", "int64_t", "0",
           "1: vectors of what a kernel that writes little reads but once are "
           "nontemporal">,
    Option<"online", "online", "int64_t", "0",
           "1: where rows may be held, the maximum per row and the sum of powers "
           "that it shifts are found in one pass, which holds nothing">,
    Option<"scatter", "scatter", "int64_t", "0",
           "bytes that an atomic operation combines, where reductions are "
           "scatters: 0 no such kernels">,
    Option<"attend", "attend", "int64_t", "0",
           "1: an attention (a product, element-wise ops, softmax, another product) "
           "is one kernel, by the tile of `product`, of which eight threads share "
           "each line: scores stay on the chip">,
    ListOption<"product", "product", "int64_t",
               "tiles of sums of products whose operands come through "
               "asynchronous copies: rows and columns of a block, depth of a "
               "copy, copies that there is room for, rows and columns of a "
               "thread, rows of tiles whose blocks follow each other, products of a "
               "batch that a block does, blocks that registers have to be enough "
               "for (`evo.resident` of the launch), and whether a "
               "thread goes by rows (0), columns (1) or pairs of columns (2)">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

#endif
