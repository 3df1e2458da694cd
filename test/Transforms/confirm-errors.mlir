// A level that there is not.
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-confirm{effort=much}))' 2>&1 | FileCheck %s --check-prefix=EFFORT
// EFFORT: Cannot find option named 'much'
// What does not ship keeps its evidence, which has to be of this code.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{effort=quick seed=1},evo-lower,evo-estimate,evo-select))' > %t.mlir
// RUN: sed -e 's/\(@slow.*\)hash = "[0-9a-f]*"/\1hash = "0123"/' %t.mlir | not evo-opt --mlir-print-op-on-diagnostic=false -o /dev/null --pass-pipeline='builtin.module(evo.kernel(evo-confirm{effort=quick}))' 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: is not selected: its evidence is bound to other code, contract, target or tool version

evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
}
