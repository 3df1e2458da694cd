// What has no accepting evidence gets no estimate, and a target without a model
// is an error.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' | FileCheck %s --implicit-check-not=estimate
// CHECK: evo.kernel @scale
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower))' > %t.mlir
// RUN: not evo-opt %t.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-estimate{target=sm_1}))' 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: error: {{.*}}sm_1
