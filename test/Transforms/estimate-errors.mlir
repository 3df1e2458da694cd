// What has no accepting evidence gets no estimate, and a target without a model
// is an error.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' | FileCheck %s --implicit-check-not=estimate
// CHECK: evo.kernel @scale
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower))' > %t.mlir
// RUN: not evo-opt %t.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate{target=sm_1}))' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: no rates are known of target 'sm_1'
// A workload that no memory holds, and one at which the kernel is wrong.
// RUN: sed -e 's/N = 100000/N = 35184372088832/' %t.mlir > %t.huge.mlir
// RUN: not evo-opt %t.huge.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: 'x' cannot be reserved at its full size
// RUN: sed -e 's/grid \["N"/grid ["3 * N"/' %t.mlir > %t.beyond.mlir
// RUN: not evo-opt %t.beyond.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: cannot be counted at the workload's size: out-of-bounds: read of 4 bytes outside 'x' of 400000 bytes
