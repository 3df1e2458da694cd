// A level that is no number, and a place that is no function; nothing else is refused:
// what cannot be fused stays apart.
// RUN: not evo-opt %s --pass-pipeline='builtin.module(func.func(evo-fuse-linalg{level=high}))' 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: 'high' value invalid
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo-fuse-linalg)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: restricted to 'func.func'
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-fuse-linalg{level=2}))' | FileCheck %s

// A sum is not computed anew for every element that it scales.
// CHECK-LABEL: func.func @scaled
// CHECK: linalg.generic {{.*}}"reduction"
// CHECK: linalg.generic {{.*}}"parallel"
func.func @scaled(%x: tensor<8xf32>, %zero: tensor<f32>) -> tensor<8xf32> {
  %sum = linalg.reduce ins(%x : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    (%in: f32, %so_far: f32) {
      %next = arith.addf %so_far, %in : f32
      linalg.yield %next : f32
    }
  %empty = tensor.empty() : tensor<8xf32>
  %all = linalg.broadcast ins(%sum : tensor<f32>) outs(%empty : tensor<8xf32>) dimensions = [0]
  %r = linalg.div ins(%x, %all : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
