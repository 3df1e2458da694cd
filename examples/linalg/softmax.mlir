// Softmax of every row, as a front end hands it over: the named op on tensors,
// both extents dynamic, the result in the tensor the caller gave (%y, whose
// former content is not read). It decomposes into max, exp(x - max), sum and
// quotient, so large inputs do not overflow.
// evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
// evo.workload M = 8192, N = 8192
func.func @softmax(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %rows = linalg.softmax dimension(1)
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %rows : tensor<?x?xf32>
}
