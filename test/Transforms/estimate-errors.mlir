// What has no accepting evidence gets no estimate, and a target without a model
// is an error.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' | FileCheck %s --implicit-check-not=estimate
// CHECK: evo.kernel @scale
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower))' > %t.mlir
// RUN: not evo-opt %t.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate{target=sm_1}))' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: no rates are known of target 'sm_1'
// A workload that no grid has a block for each element of, and one at which the kernel is wrong.
// RUN: sed -e 's/N = 100000/N = 35184372088832/' %t.mlir > %t.huge.mlir
// RUN: not evo-opt %t.huge.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: cannot be counted at the workload's size: launch-failure: grid (35184372088832, 1, 1) outside the limits
// RUN: sed -e 's/grid \["N"/grid ["3 * N"/' %t.mlir > %t.beyond.mlir
// RUN: not evo-opt %t.beyond.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' 2>&1 | FileCheck %s --check-prefix=BEYOND
// BEYOND: error: cannot be counted at the workload's size: out-of-bounds: read of 4 bytes outside 'x' of 400000 bytes
// A launch that no device takes, and one without blocks.
// RUN: sed -E -e 's/(evo.variant @special .*evidence <[^>]*>)( resources \[[^]]*\])?/\1 resources [#evo.resources<kernel = "f", registers = 128, spillStores = 0, spillLoads = 0, stack = 0, shared = 0>]/' %t.mlir > %t.large.mlir
// RUN: not evo-opt %t.large.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: no block of 'f' fits on a multiprocessor of h200: threads 1000, registers of each 128, bytes of shared memory 0
// RUN: sed -e 's/registers = 128/registers = 64/' %t.large.mlir | evo-opt - --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' | FileCheck %s --check-prefix=SMALL
// SMALL: evo.variant @special {{.*}} estimate <estimated
// RUN: sed -e 's/N = 100000/N = 0/' %t.mlir > %t.empty.mlir
// RUN: not evo-opt %t.empty.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: cannot be counted at the workload's size: launch-failure: grid (0, 1, 1) outside the limits
