// A proposer that does not exist is an error; one without ideas is none.
// RUN: not evo-opt %s --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-propose{proposer=oracle}))' 2>&1 | FileCheck %s
// CHECK: propose-errors.mlir:[[@LINE+5]]:1: error: this build has no proposer 'oracle'
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-propose{count=-1}))' 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: '-1' value invalid
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-propose))' | FileCheck %s --check-prefix=IDEAS --implicit-check-not=evo.proposal
// IDEAS: evo.kernel @k
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
}
