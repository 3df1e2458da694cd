// What ships is judged once more, and nothing else is.
// DEFINE: %{judged} = evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{effort=quick seed=1}))'
// DEFINE: %{timed} = evo-opt --pass-pipeline='builtin.module(evo.kernel(evo-lower,evo-estimate))'
// DEFINE: %{passes} = evo-select,evo-confirm{effort=quick seed=2}
// DEFINE: %{confirm} = evo-opt --pass-pipeline='builtin.module(evo.kernel(%{passes}))'
// RUN: %{judged} > %t.judged.mlir
// RUN: %{timed} %t.judged.mlir | %{confirm} | FileCheck %s
// CHECK: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@special]} {
// CHECK: evo.variant @slow
// CHECK-NOT: judged_again
// CHECK: evo.variant @fast evidence <exact
// CHECK-SAME: judged_again = "quick"
// CHECK-SAME: seed = 2
// CHECK: evo.variant @special
// CHECK-SAME: judged_again = "quick"
// CHECK: evo.variant @wrong evidence <refuted
// CHECK-NOT: judged_again

// What was accepted by mistake, and is the fastest, is refuted then, and the next one ships.
// RUN: sed -e '/@wrong/s/evidence <refuted/evidence <exact/' %t.judged.mlir | %{timed} > %t.mistaken.mlir
// RUN: sed -i -e 's/\(@wrong.*\)estimated us = \[[0-9.e+]*\]/\1estimated us = [0.001]/' %t.mistaken.mlir
// RUN: evo-opt %t.mistaken.mlir --pass-pipeline='builtin.module(evo.kernel(evo-select))' | FileCheck %s --check-prefix=MISTAKEN
// MISTAKEN: evo.kernel @scale {{.*}} best @wrong {
// RUN: %{confirm} %t.mistaken.mlir | FileCheck %s --check-prefix=AGAIN
// AGAIN: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@special]} {
// AGAIN: evo.variant @wrong evidence <refuted
// AGAIN-SAME: judged_again = "quick"

// Where its time ends the first judgement stands.
// REDEFINE: %{passes} = evo-select,evo-confirm{effort=quick seed=2 seconds=0.000001}
// RUN: %{timed} %t.judged.mlir | %{confirm} | FileCheck %s --check-prefix=TIME
// TIME: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@special]} {
// TIME: evo.variant @fast evidence <exact
// TIME-SAME: judged_again = "no: the time budget ended
// TIME-SAME: seed = 1

// Nothing ships, and nothing is judged.
// REDEFINE: %{passes} = evo-confirm{effort=quick}
// RUN: %{confirm} %t.judged.mlir | FileCheck %s --check-prefix=NOTHING --implicit-check-not=judged_again
// NOTHING: evo.kernel @scale args {{.*}}>] {
