// What an audit finds becomes an attribute of the kernel, and a warning each.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-audit{seed=1}))' 2> %t.err | FileCheck %s
// RUN: count 0 < %t.err
// CHECK: evo.kernel @scale {{.*}}evo.audit = []
// RUN: sed -e '0,/2.0 : f32/s//0.0 : f32/' %S/Inputs/scale.mlir > %t.mlir
// RUN: evo-opt %t.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-audit{seed=1}))' 2> %t.err | FileCheck %s --check-prefix=ZERO
// RUN: FileCheck %s --check-prefix=WARNING --input-file %t.err
// ZERO: evo.kernel @scale {{.*}}evo.audit = ["'y' lies within (-0.01, 0.01) everywhere{{.*}}", {{.*}}"'x' does what zeros would do, so it can be left out"
// WARNING: warning: 'y' lies within (-0.01, 0.01) everywhere
// WARNING: warning: 'x' does what zeros would do
