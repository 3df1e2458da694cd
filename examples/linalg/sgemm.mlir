// Single-precision matrix product C = A·B, as a front end hands it over: named
// linalg ops on tensors, every extent dynamic, the result in the tensor the
// caller gave (%C, whose former content is not read).
// evo.kernel sgemm(a: in f32[M, K], b: in f32[K, N], c: out f32[M, N])
// evo.workload M = 4096, N = 4096, K = 4096
func.func @sgemm(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>,
                 %C: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%C : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %product = linalg.matmul
      ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}
