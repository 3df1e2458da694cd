// Each accepted variant gets a time for each workload, marked as estimated; one
// element a block is slower than a block of elements; more work takes longer.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower))' > %t.mlir
// RUN: evo-opt %t.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' > %t.estimated.mlir
// RUN: FileCheck %s --input-file %t.estimated.mlir
// CHECK: evo.variant @slow {{.*}} estimate <estimated us = [{{[1-9][0-9.e+]*}}] machine = "h200" details = {arithmetic_micros = array<f64: {{[0-9.e+-]+}}>, bottleneck = "{{(dram|l2|issue|(pipes|latency) \(.+\))}}", energy_microjoules = {{[0-9.e+-]+}} : f64, occupancy = {{[0-9.e+-]+}} : f64}>
// CHECK-NOT: measured <
// CHECK: evo.variant @fast {{.*}} estimate <estimated
// CHECK: evo.variant @wrong
// CHECK-NOT: estimate <
// RUN: evo-opt %t.estimated.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' | diff %t.estimated.mlir -
// RUN: sed -e 's/workloads \[\([^]]*\)\]/workloads [#evo.workload<{N = 100000}>, #evo.workload<{N = 100000000}>]/' %t.mlir > %t.two.mlir
// RUN: evo-opt %t.two.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' | FileCheck %s --check-prefix=TWO
// A hundred million floats in and out take more than 100 us on any machine.
// TWO: evo.variant @fast {{.*}} estimate <estimated us = [{{[0-9.]+}}e+00, {{[1-9][0-9.]+}}e+0{{[23]}}] machine

// What registers do not hold goes through memory: fewer of them are no gift.
// RUN: sed -E -e 's/(evo.variant @slow evidence <[^>]*>)( resources \[[^]]*\])?/\1 resources [#evo.resources<kernel = "f", registers = 32, spillStores = 0, spillLoads = 0, stack = 0, shared = 0>]/' %t.mlir > %t.kept.mlir
// RUN: sed -e '/@slow/s/spillStores = 0, spillLoads = 0/spillStores = 2000, spillLoads = 2000/' %t.kept.mlir > %t.spilled.mlir
// RUN: evo-opt %t.kept.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' > %t.kept.out.mlir
// RUN: evo-opt %t.spilled.mlir --pass-pipeline='builtin.module(evo.kernel(evo-estimate))' > %t.spilled.out.mlir
// RUN: %python %S/Inputs/slower.py %t.spilled.out.mlir %t.kept.out.mlir 3

// Of buffers that no memory holds what is touched is enough.
// RUN: sed 's/100000/1500000000/g' %S/Inputs/scale.mlir > %t.large.mlir
// RUN: evo-opt %t.large.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-estimate))' | FileCheck %s --check-prefix=LARGE
// LARGE: evo.variant @slow evidence <{{.*}}N = 1500000000: {{[3-9]}} of 1500000000 blocks{{.*}} estimate <estimated
// LARGE: evo.variant @fast evidence <{{.*}} estimate <estimated
