// The plugin inside an unmodified mlir-opt: dialect, passes and backends, and the
// search, which starts evo-worker from beside the plugin.
// REQUIRES: cuda
// An mlir-opt that is not instrumented cannot load a plugin that is.
// UNSUPPORTED: sanitize
// RUN: mlir-opt %s --load-dialect-plugin=%build/lib/libEvoPlugin.so --load-pass-plugin=%build/lib/libEvoPlugin.so --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=3 seed=1},evo-select))' | FileCheck %s
// Without the plugin the dialect is unknown.
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error:
// UNKNOWN-SAME: evo
// CHECK: evo.kernel @sgemm
// CHECK-SAME: best @{{[a-z0-9]+}}.v
// CHECK: evo.variant @given.v
// Its grid has one dimension, in which tiles follow each other.
// CHECK-SAME: evidence <algebraic
// CHECK-SAME: sampled_blocks = "K = 1024, M = 1024, N = 1024: {{[0-9]+}} of 512 blocks
// CHECK-SAME: estimate <estimated
// CHECK: evo.proposal {{.*}} by "search:products"

evo.kernel @sgemm
    args [#evo.arg<"a" in f32 ["M", "K"]>, #evo.arg<"b" in f32 ["K", "N"]>,
          #evo.arg<"c" out f32 ["M", "N"]>]
    workloads [#evo.workload<{K = 1024, M = 1024, N = 1024}>] {
  evo.reference {
    func.func @sgemm(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>,
                     %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
      %product = linalg.matmul ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>)
          outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
      return %product : tensor<?x?xf32>
    }
  }
  evo.proposal @given "schedule" "products" by "user" options {knobs = {bm = 32, bn = 64, bk = 8, tm = 4, tn = 4}}
}
