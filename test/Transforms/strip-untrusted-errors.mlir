// Without the strip a claim of the text would be believed as far as its hash, and
// what it claims to cost is what selection compares.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-estimate))' > %t.mlir
// RUN: sed -e 's/us = \[5[0-9.e+]*\]/us = [1.0e-3]/' %t.mlir > %t.claim.mlir
// RUN: evo-opt %t.claim.mlir --pass-pipeline='builtin.module(evo.kernel(evo-select))' | FileCheck %s --check-prefix=CLAIM
// CLAIM: evo.kernel @scale {{.*}} best @slow
// RUN: evo-opt %t.claim.mlir --pass-pipeline='builtin.module(evo.kernel(evo-strip-untrusted,evo-verify{seed=1},evo-lower,evo-estimate,evo-select))' | FileCheck %s --check-prefix=TRUTH
// TRUTH: evo.kernel @scale {{.*}} best @fast
// RUN: not evo-opt %t.claim.mlir --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-strip-untrusted,evo-lower))' 2>&1 | FileCheck %s --check-prefix=GATE
// GATE: error: is not lowered: it has no evidence
