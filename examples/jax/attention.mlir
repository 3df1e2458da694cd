// jax.jit(attention), as JAX and IREE lower it (generate.py).
#map = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<() -> ()>
#map3 = affine_map<(d0, d1, d2) -> ()>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit_attention {
  func.func public @main(%arg0: tensor<2x24x16xf32>, %arg1: tensor<2x24x16xf32>, %arg2: tensor<2x24x16xf32>) -> tensor<2x24x16xf32> {
    %cst = arith.constant 4.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x16x24xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x24x16xf32>) outs(%0 : tensor<2x16x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x16x24xf32>
    %2 = tensor.empty() : tensor<2x24x24xf32>
    %3 = linalg.fill ins(%cst_1 : f32) outs(%2 : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
    %4 = linalg.batch_matmul ins(%arg0, %1 : tensor<2x24x16xf32>, tensor<2x16x24xf32>) outs(%3 : tensor<2x24x24xf32>) -> tensor<2x24x24xf32>
    %5 = tensor.empty() : tensor<f32>
    %6 = linalg.generic {indexing_maps = [#map2], iterator_types = []} outs(%5 : tensor<f32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<f32>
    %7 = linalg.generic {indexing_maps = [#map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<f32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x24x24xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4, %7 : tensor<2x24x24xf32>, tensor<2x24x24xf32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.divf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<2x24x24xf32>
    %9 = tensor.empty() : tensor<2x24xf32>
    %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<2x24xf32>) -> tensor<2x24xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%8 : tensor<2x24x24xf32>) outs(%10 : tensor<2x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.maximumf %out, %in : f32
      linalg.yield %22 : f32
    } -> tensor<2x24xf32>
    %12 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<2x24xf32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x24x24xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %12 : tensor<2x24x24xf32>, tensor<2x24x24xf32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.subf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<2x24x24xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13 : tensor<2x24x24xf32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = math.exp %in : f32
      linalg.yield %22 : f32
    } -> tensor<2x24x24xf32>
    %15 = linalg.fill ins(%cst_1 : f32) outs(%9 : tensor<2x24xf32>) -> tensor<2x24xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%14 : tensor<2x24x24xf32>) outs(%15 : tensor<2x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %22 = arith.addf %out, %in : f32
      linalg.yield %22 : f32
    } -> tensor<2x24xf32>
    %17 = linalg.generic {indexing_maps = [#map4, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16 : tensor<2x24xf32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x24x24xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14, %17 : tensor<2x24x24xf32>, tensor<2x24x24xf32>) outs(%2 : tensor<2x24x24xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %22 = arith.divf %in, %in_2 : f32
      linalg.yield %22 : f32
    } -> tensor<2x24x24xf32>
    %19 = tensor.empty() : tensor<2x24x16xf32>
    %20 = linalg.fill ins(%cst_1 : f32) outs(%19 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
    %21 = linalg.batch_matmul ins(%18, %arg2 : tensor<2x24x24xf32>, tensor<2x24x16xf32>) outs(%20 : tensor<2x24x16xf32>) -> tensor<2x24x16xf32>
    return %21 : tensor<2x24x16xf32>
  }
}
