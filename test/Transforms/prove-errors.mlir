// No effort at all is a mistake, not a proof that was not found.
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-prove{effort=0}))' 2>&1 | FileCheck %s
// CHECK: prove-errors.mlir:[[#@LINE+4]]:1: error: the effort of a proof must not be 0
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-prove{effort=much}))' 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: 'much' value invalid for ulong argument

evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.reference {
  }
}
