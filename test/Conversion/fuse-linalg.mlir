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
