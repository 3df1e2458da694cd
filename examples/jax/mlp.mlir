// jax.jit(mlp), as JAX and IREE lower it (generate.py).
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module @jit_mlp {
  func.func public @main(%arg0: tensor<24x32xf32>, %arg1: tensor<32x40xf32>, %arg2: tensor<40xf32>) -> tensor<24x40xf32> {
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.797884583 : f32
    %cst_2 = arith.constant 4.471500e-02 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<24x40xf32>
    %1 = linalg.fill ins(%cst_3 : f32) outs(%0 : tensor<24x40xf32>) -> tensor<24x40xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<24x32xf32>, tensor<32x40xf32>) outs(%1 : tensor<24x40xf32>) -> tensor<24x40xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : tensor<40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x40xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%2, %3 : tensor<24x40xf32>, tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %14 = arith.addf %in, %in_4 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.mulf %in, %in : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %4 : tensor<24x40xf32>, tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %14 = arith.mulf %in, %in_4 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.mulf %in, %cst_2 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %7 : tensor<24x40xf32>, tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %14 = arith.addf %in, %in_4 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.mulf %in, %cst_1 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = math.tanh %in : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %in, %cst_0 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.mulf %in, %cst : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%4, %12 : tensor<24x40xf32>, tensor<24x40xf32>) outs(%0 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %14 = arith.mulf %in, %in_4 : f32
      linalg.yield %14 : f32
    } -> tensor<24x40xf32>
    return %13 : tensor<24x40xf32>
  }
}
