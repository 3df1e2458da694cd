// Ops that stand for several are decomposed, then what is computed element by element
// joins its user: with level 1 where that is its only one, with level 2 everywhere.
// DEFINE: %{level} = 0
// DEFINE: %{fuse} = evo-opt %s --pass-pipeline='builtin.module(func.func(evo-fuse-linalg{level=%{level}}))'
// RUN: %{fuse} | FileCheck %s --check-prefix=APART
// REDEFINE: %{level} = 1
// RUN: %{fuse} | FileCheck %s --check-prefix=FUSED
// REDEFINE: %{level} = 2
// RUN: %{fuse} | FileCheck %s --check-prefix=AGAIN

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
