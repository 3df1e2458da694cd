// Ops that stand for several are decomposed, then what is computed element by element
// joins its user: with level 1 where that is its only one, with level 2 everywhere.
// DEFINE: %{level} = 0
// DEFINE: %{fuse} = evo-opt %s --pass-pipeline='builtin.module(func.func(evo-fuse-linalg{level=%{level}}))'
// RUN: %{fuse} | FileCheck %s --check-prefix=APART
// REDEFINE: %{level} = 1
// RUN: %{fuse} | FileCheck %s --check-prefix=FUSED
// REDEFINE: %{level} = 2
// RUN: %{fuse} | FileCheck %s --check-prefix=AGAIN
// REDEFINE: %{level} = 3
// RUN: %{fuse} | FileCheck %s --check-prefix=MOMENTS

// APART-LABEL: func.func @chain
// APART: linalg.exp
// APART: linalg.abs
// FUSED-LABEL: func.func @chain
// FUSED-COUNT-1: linalg.generic
// FUSED: math.exp
// FUSED: math.absf
// FUSED-NOT: linalg.generic
// FUSED: return
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %e = linalg.exp ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.abs ins(%e : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// FUSED-LABEL: func.func @twice
// FUSED-COUNT-1: math.exp
// FUSED-NOT: math.exp
// FUSED-LABEL: func.func @softmax
// AGAIN-LABEL: func.func @twice
// AGAIN-COUNT-2: math.exp
// AGAIN-LABEL: func.func @softmax
func.func @twice(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %empty = tensor.empty() : tensor<8xf32>
  %e = linalg.exp ins(%x : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.abs ins(%e : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %n = linalg.negf ins(%e : tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %a, %n : tensor<8xf32>, tensor<8xf32>
}

// APART-LABEL: func.func @softmax
// APART-NOT: linalg.softmax
// APART-COUNT-4: linalg.generic
func.func @softmax(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Sums and distances of a channel's images have rows of their own, which are a value per
// channel and image.
// MOMENTS-LABEL: func.func @moments
// MOMENTS: linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} ins(%arg0 :
// MOMENTS: %[[SUMS:.*]] = linalg.generic {{.*}} ["parallel", "parallel", "reduction"]} ins(%arg0, %{{.*}} :
// MOMENTS: arith.mulf
// MOMENTS: linalg.generic {{.*}} ["parallel", "reduction"]} ins(%{{[0-9]+}} :
// MOMENTS: linalg.generic {{.*}} ["parallel", "reduction"]} ins(%[[SUMS]], %{{.*}}, %{{.*}} :
// MOMENTS-NOT: linalg.generic
// MOMENTS-LABEL: func.func @elsewhere
// AGAIN-LABEL: func.func @moments
// AGAIN-COUNT-2: ["parallel", "reduction", "reduction"]
// AGAIN-LABEL: func.func @elsewhere
#element = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#channel = affine_map<(d0, d1, d2) -> (d0)>
#pixel = affine_map<(d0, d1, d2) -> (d2)>
func.func @moments(%x: tensor<?x?x?xf32>, %n: f32, %s: tensor<?xf32>, %v: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %sum = linalg.generic {indexing_maps = [#element, #channel], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#element, #channel, #channel],
                             iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %sum : tensor<?x?x?xf32>, tensor<?xf32>) outs(%v : tensor<?xf32>) {
  ^bb0(%in: f32, %of: f32, %out: f32):
    %m = arith.divf %of, %n : f32
    %d = arith.subf %in, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %out, %q : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %sum, %squares : tensor<?xf32>, tensor<?xf32>
}

// The twins: a distance from something that is not one for all elements, and one whose
// elements nobody adds up.
// MOMENTS-NOT: ["parallel", "parallel", "reduction"]
// MOMENTS-COUNT-3: ["parallel", "reduction", "reduction"]
func.func @elsewhere(%x: tensor<?x?x?xf32>, %z: tensor<?x?x?xf32>, %p: tensor<?xf32>, %c: tensor<?xf32>,
                     %s: tensor<?xf32>, %v: tensor<?xf32>, %w: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %sum = linalg.generic {indexing_maps = [#element, #channel], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%s : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %a = arith.addf %in, %out : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %byPixel = linalg.generic {indexing_maps = [#element, #pixel, #channel],
                             iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %p : tensor<?x?x?xf32>, tensor<?xf32>) outs(%v : tensor<?xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %out, %q : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %alone = linalg.generic {indexing_maps = [#element, #channel, #channel],
                           iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%z, %c : tensor<?x?x?xf32>, tensor<?xf32>) outs(%w : tensor<?xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %d = arith.subf %in, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %out, %q : f32
    linalg.yield %a : f32
  } -> tensor<?xf32>
  return %sum, %byPixel, %alone : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// A result that is reshaped at last is computed where it goes, whether dimensions are
// added or joined. The twin starts from what is given, which has no place there.
// FUSED-LABEL: func.func @kept
// FUSED: %[[INSIDE:.*]] = tensor.collapse_shape %arg1 {{.*}} into tensor<?x?xf32>
// FUSED: bufferization.materialize_in_destination %{{.*}} in %[[INSIDE]]
// FUSED: tensor.expand_shape
// APART-LABEL: func.func @kept
// APART-NOT: tensor.collapse_shape
func.func @kept(%x: tensor<?x?x?xf32>, %y: tensor<?x1x?xf32>) -> tensor<?x1x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %n = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x1x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, 0, d2)>],
                       iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%start : tensor<?x1x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<?x1x?xf32>
  %kept = bufferization.materialize_in_destination %r in %y : (tensor<?x1x?xf32>, tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
  return %kept : tensor<?x1x?xf32>
}

// APART-LABEL: func.func @joined
// FUSED-LABEL: func.func @joined
// FUSED: %[[INSIDE:.*]] = tensor.expand_shape %arg1
// FUSED: bufferization.materialize_in_destination %{{.*}} in %[[INSIDE]]
func.func @joined(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) permutation = [1, 0]
  %flat = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %kept = bufferization.materialize_in_destination %flat in %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %kept : tensor<?xf32>
}

// FUSED-LABEL: func.func @given
// FUSED-NOT: tensor.expand_shape
// FUSED: return
func.func @given(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %t = linalg.matmul ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %flat = tensor.collapse_shape %t [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %kept = bufferization.materialize_in_destination %flat in %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %kept : tensor<?xf32>
}
