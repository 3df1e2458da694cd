// The search proposer is deterministic for a seed, and another seed asks for
// something else; it asks for as many as wanted, and never twice for the same.
// REQUIRES: cuda
// RUN: evo-opt lift %examples/cuda/sgemm.cu -o %t.mlir
// RUN: evo-opt %t.mlir --pass-pipeline='builtin.module(evo.kernel(evo-propose{proposer=search count=40 seed=1}))' > %t.1.mlir
// RUN: evo-opt %t.mlir --pass-pipeline='builtin.module(evo.kernel(evo-propose{proposer=search count=40 seed=1}))' | diff %t.1.mlir -
// RUN: evo-opt %t.mlir --pass-pipeline='builtin.module(evo.kernel(evo-propose{proposer=search count=40 seed=2}))' | not diff %t.1.mlir -
// RUN: FileCheck %s --input-file %t.1.mlir
// CHECK: evo.kernel @sgemm
// CHECK-COUNT-40: evo.proposal @s{{[0-9]+}} "options" "{{.*}}" by "search:{{.+}}" options {{{.*}}knobs = {
// CHECK-NOT: evo.proposal
// RUN: grep -o 'evo.proposal @[a-z0-9]*' %t.1.mlir | sort -u | count 40
// RUN: grep -o 'knobs = {[^}]*}' %t.1.mlir | sort -u | count 40
// Those that stand already are not asked for again.
// RUN: evo-opt %t.1.mlir --pass-pipeline='builtin.module(evo.kernel(evo-propose{proposer=search count=5 seed=9}))' > %t.2.mlir
// RUN: grep -o 'knobs = {[^}]*}' %t.2.mlir | sort -u | count 45
// What a linalg kernel is asked for are schedules.
// RUN: evo-opt lift %examples/linalg/softmax.mlir -o %t.linalg.mlir
// RUN: evo-opt %t.linalg.mlir --pass-pipeline='builtin.module(evo.kernel(evo-propose{proposer=search count=3 seed=1}))' | FileCheck %s --check-prefix=SCHEDULE
// SCHEDULE-COUNT-3: evo.proposal @{{.*}} "schedule" "{{.+}}" by "search
