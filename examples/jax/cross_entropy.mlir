// jax.jit(cross_entropy), as JAX and IREE lower it (generate.py).
// evo.kernel cross_entropy(logits: in f32[24, 50], labels: in i32[24] range(0, 50), loss: out f32[24])
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1)>
module @jit_cross_entropy {
  func.func public @main(%arg0: tensor<24x50xf32>, %arg1: tensor<24xi32>) -> tensor<24xf32> {
    %cst = arith.constant 0x7FC00000 : f32
    %c49 = arith.constant 49 : index
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %c49_i32 = arith.constant 49 : i32
    %c50_i32 = arith.constant 50 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<24xf32>
    %1 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<24xf32>) -> tensor<24xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<24x50xf32>) outs(%1 : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.maximumf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<24xf32>
    %3 = tensor.empty() : tensor<24x50xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<24xf32>) outs(%3 : tensor<24x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x50xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %4 : tensor<24x50xf32>, tensor<24x50xf32>) outs(%3 : tensor<24x50xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %27 = arith.subf %in, %in_4 : f32
      linalg.yield %27 : f32
    } -> tensor<24x50xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<24x50xf32>) outs(%3 : tensor<24x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.exp %in : f32
      linalg.yield %27 : f32
    } -> tensor<24x50xf32>
    %7 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<24xf32>) -> tensor<24xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<24x50xf32>) outs(%7 : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.addf %out, %in : f32
      linalg.yield %27 : f32
    } -> tensor<24xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%8 : tensor<24xf32>) outs(%0 : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = math.log %in : f32
      linalg.yield %27 : f32
    } -> tensor<24xf32>
    %expanded = tensor.expand_shape %9 [[0, 1]] output_shape [24, 1] : tensor<24xf32> into tensor<24x1xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded : tensor<24x1xf32>) outs(%3 : tensor<24x50xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24x50xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%5, %10 : tensor<24x50xf32>, tensor<24x50xf32>) outs(%3 : tensor<24x50xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %27 = arith.subf %in, %in_4 : f32
      linalg.yield %27 : f32
    } -> tensor<24x50xf32>
    %expanded_2 = tensor.expand_shape %arg1 [[0, 1]] output_shape [24, 1] : tensor<24xi32> into tensor<24x1xi32>
    %12 = tensor.empty() : tensor<24x1xi1>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_2 : tensor<24x1xi32>) outs(%12 : tensor<24x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %27 = arith.cmpi slt, %in, %c0_i32 : i32
      linalg.yield %27 : i1
    } -> tensor<24x1xi1>
    %14 = tensor.empty() : tensor<24x1xi32>
    %15 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_2 : tensor<24x1xi32>) outs(%14 : tensor<24x1xi32>) {
    ^bb0(%in: i32, %out: i32):
      %27 = arith.addi %in, %c50_i32 : i32
      linalg.yield %27 : i32
    } -> tensor<24x1xi32>
    %16 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%13, %15, %expanded_2 : tensor<24x1xi1>, tensor<24x1xi32>, tensor<24x1xi32>) outs(%14 : tensor<24x1xi32>) {
    ^bb0(%in: i1, %in_4: i32, %in_5: i32, %out: i32):
      %27 = arith.select %in, %in_4, %in_5 : i32
      linalg.yield %27 : i32
    } -> tensor<24x1xi32>
    %expanded_3 = tensor.expand_shape %16 [[0], [1, 2]] output_shape [24, 1, 1] : tensor<24x1xi32> into tensor<24x1x1xi32>
    %17 = tensor.empty() : tensor<24x1x1xi1>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<24x1x1xi32>) outs(%17 : tensor<24x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %27 = arith.cmpi sge, %in, %c0_i32 : i32
      linalg.yield %27 : i1
    } -> tensor<24x1x1xi1>
    %19 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_3 : tensor<24x1x1xi32>) outs(%17 : tensor<24x1x1xi1>) {
    ^bb0(%in: i32, %out: i1):
      %27 = arith.cmpi sle, %in, %c49_i32 : i32
      linalg.yield %27 : i1
    } -> tensor<24x1x1xi1>
    %20 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %19 : tensor<24x1x1xi1>, tensor<24x1x1xi1>) outs(%17 : tensor<24x1x1xi1>) {
    ^bb0(%in: i1, %in_4: i1, %out: i1):
      %27 = arith.andi %in, %in_4 : i1
      linalg.yield %27 : i1
    } -> tensor<24x1x1xi1>
    %21 = linalg.fill ins(%true : i1) outs(%12 : tensor<24x1xi1>) -> tensor<24x1xi1>
    %22 = linalg.generic {indexing_maps = [#map4, #map5], iterator_types = ["parallel", "parallel", "reduction"]} ins(%20 : tensor<24x1x1xi1>) outs(%21 : tensor<24x1xi1>) {
    ^bb0(%in: i1, %out: i1):
      %27 = arith.andi %out, %in : i1
      linalg.yield %27 : i1
    } -> tensor<24x1xi1>
    %23 = tensor.empty() : tensor<24x1xf32>
    %24 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%23 : tensor<24x1xf32>) {
    ^bb0(%out: f32):
      %27 = linalg.index 0 : index
      %extracted = tensor.extract %expanded_3[%27, %c0, %c0] : tensor<24x1x1xi32>
      %28 = arith.index_cast %extracted : i32 to index
      %29 = arith.maxsi %28, %c0 : index
      %30 = arith.minsi %29, %c49 : index
      %extracted_4 = tensor.extract %11[%27, %30] : tensor<24x50xf32>
      linalg.yield %extracted_4 : f32
    } -> tensor<24x1xf32>
    %25 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%22, %24 : tensor<24x1xi1>, tensor<24x1xf32>) outs(%23 : tensor<24x1xf32>) {
    ^bb0(%in: i1, %in_4: f32, %out: f32):
      %27 = arith.select %in, %in_4, %cst : f32
      linalg.yield %27 : f32
    } -> tensor<24x1xf32>
    %26 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<24x1xf32>) outs(%23 : tensor<24x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %27 = arith.negf %in : f32
      linalg.yield %27 : f32
    } -> tensor<24x1xf32>
    %collapsed = tensor.collapse_shape %26 [[0, 1]] : tensor<24x1xf32> into tensor<24xf32>
    return %collapsed : tensor<24xf32>
  }
}
