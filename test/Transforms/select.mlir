// The faster of the accepted variants is named. One with requirements of its own
// never is the best: it is named beside it where it is faster.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-estimate))' > %t.mlir
// DEFINE: %{select} = evo-opt --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-select))'
// RUN: %{select} %t.mlir | FileCheck %s
// CHECK: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@special]} {
// RUN: sed -e 's/\(@special.*\)estimated us = \[[0-9.e+]*\]/\1estimated us = [99.0]/' %t.mlir | %{select} | FileCheck %s --check-prefix=ONLY
// ONLY: evo.kernel @scale {{.*}} best @fast {
// RUN: sed -e 's/\(@fast.*\)estimated us = \[[0-9.e+]*\]/\1estimated us = [99.0]/' %t.mlir | %{select} | FileCheck %s --check-prefix=SLOW
// SLOW: evo.kernel @scale {{.*}} best @slow attributes {evo.specialized = [@special]} {

// What serves only some workloads has no time for the others, and is used where
// it serves. It is left out where the best is faster there.
// RUN: sed -e 's/workloads \[/workloads [#evo.workload<{N = 1000}>, /' %S/Inputs/scale.mlir | evo-opt --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-estimate))' > %t.two.mlir
// RUN: %{select} %t.two.mlir | FileCheck %s --check-prefix=TWO
// TWO: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@special, @slow]} {
// TWO: evo.variant @special {{.*}} estimate <estimated us = [-1.000000e+00, {{[0-9.e+]+}}]
// RUN: sed -e 's/\(@special.*\)estimated us = \[-1.000000e+00, [0-9.e+]*\]/\1estimated us = [-1.0, 99.0]/' %t.two.mlir | %{select} | FileCheck %s --check-prefix=OTHER
// OTHER: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@slow]} {

// Where a variant that serves all sizes is faster at one of several workloads, it
// is used there, and the sizes are cut halfway to the next. A hundredth of the
// whole is noise, and workloads of one size are not told apart by it.
// RUN: sed -e 's/\(@special.*\)estimated us = \[[^]]*\]/\1estimated us = [-1.0, 99.0]/' -e 's/\(@fast.*\)estimated us = \[[^]]*\]/\1estimated us = [20.0, 50.0]/' -e 's/\(@slow.*\)estimated us = \[[^]]*\]/\1estimated us = [10.0, 70.0]/' %t.two.mlir > %t.where.mlir
// RUN: %{select} %t.where.mlir | FileCheck %s --check-prefix=WHERE
// WHERE: evo.kernel @scale {{.*}} best @fast attributes {evo.specialized = [@slow]} {
// WHERE: evo.variant @slow {{.*}}attributes {evo.used_when = [#evo.requirement<"N <= 10000">]}
// RUN: evo-opt %t.where.mlir --pass-pipeline='builtin.module(evo.kernel(evo-select,evo-select))' | FileCheck %s --check-prefix=WHERE
// RUN: sed -e 's/\(@slow.*\)estimated us = \[[^]]*\]/\1estimated us = [19.5, 70.0]/' %t.where.mlir | %{select} | FileCheck %s --check-prefix=ONLY
// RUN: sed -e 's/N = 1000 : i64/N = 100000 : i64/' %t.where.mlir | %{select} | FileCheck %s --check-prefix=ONLY

// Where something was measured, what was not takes no part.
// RUN: sed -e 's/\(@slow.*\)\(estimate <.*>\) {$/\1\2 measured <measured us = [50.0] machine = "m"> {/' %t.mlir | %{select} | FileCheck %s --check-prefix=MEASURED
// MEASURED: evo.kernel @scale {{.*}} best @slow {

// What was chosen before does not matter, and without times nothing is chosen.
// RUN: sed -e 's/\(workloads \[[^]]*\]\)/\1 best @wrong/' %t.mlir | %{select} | FileCheck %s
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-select))' | FileCheck %s --check-prefix=NONE
// NONE: evo.kernel @scale args {{.*}}>] {
