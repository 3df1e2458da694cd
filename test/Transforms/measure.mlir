// Every accepted variant is measured, and no other; with `top`, the best by the estimate.
// There is no baseline in this file, which would always be among them.
// DEFINE: %{judged} = evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-estimate))'
// RUN: %{judged} -o %t.mlir
// DEFINE: %{measure} = evo-opt %t.mlir --mlir-print-op-on-diagnostic=false
// RUN: %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-measure{measurer=static}))' | FileCheck %s
// CHECK: evo.variant @slow {{.*}}measured <
// CHECK: evo.variant @fast {{.*}}measured <
// CHECK: evo.variant @special {{.*}}measured <
// CHECK: evo.variant @wrong
// CHECK-NOT: measured <
// RUN: %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-measure{measurer=static top=1}))' | FileCheck %s --check-prefix=TOP
// TOP: evo.variant @slow
// TOP-NOT: measured <
// TOP: evo.variant @{{fast|special}} {{.*}}measured <
