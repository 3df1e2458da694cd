// Accepted variants get PTX, and resources where there is an assembler; refuted
// ones are left alone. Evidence that is missing, or bound to another module,
// contract or target, bars the way, and overriding that is loud.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1}))' > %t.mlir
// DEFINE: %{lower} = evo-opt --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower))'
// RUN: %{lower} %t.mlir > %t.lowered.mlir
// RUN: FileCheck %s --input-file %t.lowered.mlir
// CHECK: evo.variant @slow
// CHECK: gpu.binary @code [#gpu.object<#nvvm.target<{{.*}}chip = "sm_90">, assembly = "{{.*}}.target sm_90{{.*}}.entry f(
// CHECK: evo.variant @fast
// CHECK: gpu.binary @code
// CHECK: evo.variant @special
// CHECK: gpu.binary @code
// CHECK: evo.variant @wrong
// CHECK-NOT: gpu.binary
// CHECK: evo.variant @strange
// CHECK-NOT: gpu.binary

// Lowering again replaces the code, and changes nothing else.
// RUN: %{lower} %t.lowered.mlir | diff %t.lowered.mlir -

// The binary does not touch the evidence, the evidence not the binary.
// RUN: evo-opt %t.lowered.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1 force=1}))' | diff %t.lowered.mlir -

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
// RUN: sed -e 's/@special requires \["N == 1000000"\]/@special/' %t.mlir > %t.requires.mlir
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

// What is no part of the judgement may change: a workload, a cost, a name.
// RUN: sed -e 's/N = 1000000 : i64/N = 1000 : i64/; s/@slow/@renamed/; s/^module {/module attributes {evo.other} {/' %t.mlir > %t.same.mlir
// RUN: %{lower} %t.same.mlir -o /dev/null

// Overridden, and loud.
// RUN: evo-opt %S/Inputs/scale.mlir -o %t.loud.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=LOUD
// LOUD: warning: LOWERED WITHOUT VALID EVIDENCE: it has no evidence
// RUN: FileCheck %s --check-prefix=CODE --input-file %t.loud.mlir
// CODE: evo.variant @wrong
// CODE: gpu.binary @code
