// What lies along neither its results nor the reduced dimension that is cut is copied, to
// lie along its results.
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-pack-operands))' | FileCheck %s
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-pack-operands{pack=0}))' \
// RUN:   | FileCheck %s --check-prefix=OFF --implicit-check-not=linalg.transpose

// The weights lie along the window, and channels, which are cut, are a window apart.
// CHECK: #[[WEIGHTS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d5, d6, d4, d1)>
// CHECK-LABEL: func.func @conv
// CHECK: %[[EMPTY:.*]] = tensor.empty(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : tensor<?x?x?x?xf32>
// CHECK: %[[COPY:.*]] = linalg.transpose ins(%arg1 : {{.*}}) outs(%[[EMPTY]] : {{.*}}) permutation = [2, 3, 1, 0]
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[WEIGHTS]], #{{.*}}]{{.*}} ins(%arg0, %[[COPY]] :
// OFF-LABEL: func.func @conv
// OFF: linalg.conv_2d_nchw_fchw
func.func @conv(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// Weights that lie along their results stay.
// CHECK-LABEL: func.func @last
// CHECK-NOT: linalg.transpose
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @last(%x: tensor<?x?x?x?xf32>, %w: tensor<?x?x?x?xf32>, %y: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
      outs(%y : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

// So does what lies along the dimension that is cut, and what has no results of its own.
// CHECK-LABEL: func.func @others
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @others(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>, %y: tensor<?x?xf32>,
                  %v: tensor<?x?x?xf32>, %u: tensor<?x?x?xf32>, %z: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %0 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, j, k) -> (m, j, k)>, affine_map<(m, j, k) -> (m, j, k)>, affine_map<(m, j, k) -> (m)>],
                       iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%v, %u : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?xf32>
}
