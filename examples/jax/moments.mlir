// jax.jit(moments), as JAX and IREE lower it (generate.py).
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
module @jit_moments {
  func.func public @main(%arg0: tensor<24x40xf32>) -> (tensor<24xf32>, tensor<24xf32>, tensor<24x40xf32>) {
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 4.000000e+01 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<24xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<24xf32>) -> tensor<24xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<24x40xf32>) outs(%1 : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.addf %out, %in : f32
      linalg.yield %11 : f32
    } -> tensor<24xf32>
    %3 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%2 : tensor<24xf32>) outs(%0 : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_0 : f32
      linalg.yield %11 : f32
    } -> tensor<24xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%0 : tensor<24xf32>) -> tensor<24xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<24x40xf32>) outs(%4 : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.maximumf %out, %in : f32
      linalg.yield %11 : f32
    } -> tensor<24xf32>
    %expanded = tensor.expand_shape %2 [[0, 1]] output_shape [24, 1] : tensor<24xf32> into tensor<24x1xf32>
    %6 = tensor.empty() : tensor<24x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<24x1xf32>) outs(%6 : tensor<24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %11 = arith.divf %in, %cst_0 : f32
      linalg.yield %11 : f32
    } -> tensor<24x1xf32>
    %8 = tensor.empty() : tensor<24x40xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<24x1xf32>) outs(%8 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x40xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %9 : tensor<24x40xf32>, tensor<24x40xf32>) outs(%8 : tensor<24x40xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %11 = arith.subf %in, %in_2 : f32
      linalg.yield %11 : f32
    } -> tensor<24x40xf32>
    return %3, %5, %10 : tensor<24xf32>, tensor<24xf32>, tensor<24x40xf32>
  }
}
