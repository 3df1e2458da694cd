// Accepted variants get PTX, and resources where there is an assembler; refuted
// ones are left alone. Evidence that is missing, or bound to another module,
// contract or target, bars the way (lower-errors.mlir); overriding that is loud.
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

// What is no part of the judgement may change: a workload, a cost, a name.
// RUN: sed -e 's/N = 100000 : i64/N = 1000 : i64/; s/@slow/@renamed/; s/^module {/module attributes {evo.other} {/' %t.mlir > %t.same.mlir
// RUN: %{lower} %t.same.mlir -o /dev/null

// Overridden, and loud.
// RUN: evo-opt %S/Inputs/scale.mlir -o %t.loud.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1}))' 2>&1 | FileCheck %s --check-prefix=LOUD
// LOUD: warning: LOWERED WITHOUT VALID EVIDENCE: it has no evidence
// RUN: FileCheck %s --check-prefix=CODE --input-file %t.loud.mlir
// CODE: evo.variant @wrong
// CODE: gpu.binary @code

// Kernels of several gpu.modules become one PTX, in which others know but those that are launched.
// DEFINE: %{both} = evo-opt --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower))'
// RUN: %{both} %S/Inputs/modules.mlir -o %t.modules.mlir
// RUN: FileCheck %s --check-prefix=MODULES --input-file %t.modules.mlir
// MODULES: evo.variant @two {{.*}}evidence <{{exact|algebraic}}
// MODULES: gpu.binary @code
// MODULES-NOT: unused
// MODULES-SAME: .entry double(
// MODULES-NOT: unused
// MODULES-SAME: .entry move(
// MODULES-NOT: .entry unused
