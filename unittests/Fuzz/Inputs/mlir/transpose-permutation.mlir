// Kernels of a product of matrices: an element a thread, several a thread, a warp an
/// Every op and attribute of the dialect, w// PARTS: scf.for {{.*}} step  PE-LABEL: func.func @sum_onto
func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0a
  return
}

// What is re`d where it is written stays with one thread an element: a thread past the%{options}},canonicalize,cse))'
// REDEFI and
// quotient, so laqg#####es into  e                                max),           e    nsor
//max), sum  