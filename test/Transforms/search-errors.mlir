// What is wrong with a search as a whole: nothing is tried, and it is said why.
// RUN: not evo-opt %s --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-search{proposer=oracle}))' 2>&1 | FileCheck %s
// CHECK: search-errors.mlir:[[@LINE+6]]:1: error: this build has no proposer 'oracle'
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=some}))' 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: 'some' value invalid
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=0}))' | FileCheck %s --check-prefix=NONE --implicit-check-not=evo.proposal
// NONE: evo.kernel @k

evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
}
