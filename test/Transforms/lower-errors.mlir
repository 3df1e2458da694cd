// Evidence that is missing, or bound to another module, contract or target, bars
// the way; so does a code generator that is not there, and code that it refuses.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1}))' > %t.mlir
// DEFINE: %{lower} = evo-opt --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower))' -o /dev/null
// The text as it is passes.
// RUN: %{lower} %t.mlir

// No evidence.
// RUN: not %{lower} %S/Inputs/scale.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: scale.mlir:{{[0-9]+}}:3: error: is not lowered: it has no evidence

// DEFINE: %{stale} = FileCheck %s --check-prefix=STALE
// STALE: error: is not lowered: its evidence is bound to other code, contract, target or tool version

// One constant of the device code; a launch formula; an attribute of code generation.
// RUN: sed -e 's/constant(256 : i32)/constant(255 : i32)/' %t.mlir > %t.constant.mlir
// RUN: not %{lower} %t.constant.mlir 2>&1 | %{stale}
// RUN: sed -e 's/"ceildiv(N, 256)"/"ceildiv(N, 256) + 1"/' %t.mlir > %t.grid.mlir
// RUN: not %{lower} %t.grid.mlir 2>&1 | %{stale}
// RUN: sed -e 's/block \["256"/block ["128"/' %t.mlir > %t.block.mlir
// RUN: not %{lower} %t.block.mlir 2>&1 | %{stale}
// RUN: sed -e 's/args \["x", "y", "N"\]/args ["x", "y", "N - 1"]/' %t.mlir > %t.args.mlir
// RUN: not %{lower} %t.args.mlir 2>&1 | %{stale}
// RUN: sed -e 's/@fast evidence/@fast options {maxnreg = 32} evidence/' %t.mlir > %t.options.mlir
// RUN: not %{lower} %t.options.mlir 2>&1 | %{stale}
// RUN: sed -e 's/@special requires \["N == 100000"\]/@special/' %t.mlir > %t.requires.mlir
// RUN: not %{lower} %t.requires.mlir 2>&1 | %{stale}
// The contract: an argument's domain, its dimensions, its role, a requirement.
// RUN: sed -e 's/<"x" in f32 \["N"\]>/<"x" in f32 ["N"] domain = <any>>/' %t.mlir > %t.domain.mlir
// RUN: not %{lower} %t.domain.mlir 2>&1 | %{stale}
// RUN: sed -e 's/<"x" in f32 \["N"\]>/<"x" in f32 ["2 * N"]>/' %t.mlir > %t.dims.mlir
// RUN: not %{lower} %t.dims.mlir 2>&1 | %{stale}
// RUN: sed -e 's/<"x" in f32 \["N"\]>/<"x" in f32 ["N"] align = 4>/' %t.mlir > %t.align.mlir
// RUN: not %{lower} %t.align.mlir 2>&1 | %{stale}
// RUN: sed -e 's/<"y" out f32/<"y" inout f32/' %t.mlir > %t.role.mlir
// RUN: not %{lower} %t.role.mlir 2>&1 | %{stale}
// RUN: sed -e 's/\(workloads \[[^]]*\]\)/\1 requires ["N > 5"]/' %t.mlir > %t.required.mlir
// RUN: not %{lower} %t.required.mlir 2>&1 | %{stale}
// RUN: sed -e 's/\(workloads \[[^]]*\]\)/\1 accuracy <rtol = 0.5 : f64>/' %t.mlir > %t.accuracy.mlir
// RUN: not %{lower} %t.accuracy.mlir 2>&1 | %{stale}
// The target; evidence of another variant; a made-up grade.
// RUN: not evo-opt %t.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{target=sm_80}))' 2>&1 | %{stale}
// RUN: sed -e 's/evidence <refuted/evidence <exact/; s/evo.variant @wrong\(.*\)hash = "[0-9a-f]*"/evo.variant @wrong\1hash = "0123456789abcdef"/' %t.mlir > %t.made.mlir
// RUN: not %{lower} %t.made.mlir 2>&1 | %{stale}

// A code generator that does not exist, unverified or not.
// RUN: sed -e 's/@fast evidence/@fast options {codegen = "gcc"} evidence/' %t.mlir > %t.codegen.mlir
// RUN: not evo-opt %t.codegen.mlir -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=CODEGEN
// CODEGEN: error: this build has no code generator 'gcc'
// An option with a value that it has not, a target that nobody knows.
// RUN: sed -e 's/@fast evidence/@fast options {opt = 7} evidence/' %t.mlir > %t.opt.mlir
// RUN: not evo-opt %t.opt.mlir -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: option 'opt' has no value 7 : i64: known are opt (0 to 3)
// RUN: not evo-opt %t.mlir -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1 target=sm_12345}))' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'sm_12345', expected one such as sm_90
// No device code at all, and an op that LLVM IR has nothing for.
// RUN: not evo-opt %S/Inputs/empty.mlir -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:2:3: error: the plan holds no gpu.module
// RUN: sed -e 's/llvm.return/"foreign.op"() : () -> ()\n        llvm.return/' %S/Inputs/scale.mlir > %t.foreign.mlir
// RUN: not evo-opt %t.foreign.mlir --allow-unregistered-dialect -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error: cannot be translated to LLVM IR
// NVRTC starts from CUDA C++, which this variant has not.
// RUN: sed -e 's/@fast evidence/@fast options {codegen = "nvrtc"} evidence/' %t.mlir > %t.source.mlir
// RUN: not evo-opt %t.source.mlir -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: error: has no CUDA source for NVRTC to compile
// An option that is no number.
// RUN: not evo-opt %t.mlir --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=perhaps}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: 'perhaps' is invalid value for boolean argument
// Two kernels of one name in two modules.
// RUN: sed -e 's/@move/@double/' %S/Inputs/modules.mlir > %t.same.mlir
// RUN: not evo-opt %t.same.mlir -o /dev/null --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=SAME
// SAME: error: two gpu.modules have the kernel 'double', and PTX knows kernels by their names alone
// Such a plan has no verdict, for it is our code generator that cannot.
// RUN: evo-opt %t.same.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1}))' | FileCheck %s --check-prefix=VERDICT
// VERDICT: evo.variant @two {{.*}}evidence <unsupported{{.*}}two gpu.modules have the kernel 'double'
