// jax.jit(swiglu), as JAX and IREE lower it (generate.py).
#map = affine_map<(d0, d1) -> (d0, d1)>
module @jit_swiglu {
  func.func public @main(%arg0: tensor<16x32xf32>, %arg1: tensor<32x48xf32>, %arg2: tensor<32x48xf32>) -> tensor<16x48xf32> {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16x48xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<16x32xf32>, tensor<32x48xf32>) outs(%1 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<16x48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.negf %in : f32
      linalg.yield %10 : f32
    } -> tensor<16x48xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<16x48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.exp %in : f32
      linalg.yield %10 : f32
    } -> tensor<16x48xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<16x48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %cst : f32
      linalg.yield %10 : f32
    } -> tensor<16x48xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<16x48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %cst, %in : f32
      linalg.yield %10 : f32
    } -> tensor<16x48xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %6 : tensor<16x48xf32>, tensor<16x48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %10 = arith.mulf %in, %in_1 : f32
      linalg.yield %10 : f32
    } -> tensor<16x48xf32>
    %8 = linalg.matmul ins(%arg0, %arg2 : tensor<16x32xf32>, tensor<32x48xf32>) outs(%1 : tensor<16x48xf32>) -> tensor<16x48xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<16x48xf32>, tensor<16x48xf32>) outs(%0 : tensor<16x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %10 = arith.mulf %in, %in_1 : f32
      linalg.yield %10 : f32
    } -> tensor<16x48xf32>
    return %9 : tensor<16x48xf32>
  }
}
