// What a schedule refuses.
// RUN: split-file %s %t
// RUN: not evo-opt %t/no-matmul.mlir --pass-pipeline="builtin.module(transform-preload-library{transform-library-paths=%source/schedules/matmul.mlir},transform-interpreter)" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not evo-opt %t/static.mlir --pass-pipeline="builtin.module(transform-preload-library{transform-library-paths=%source/schedules/matmul.mlir},transform-interpreter)" 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not evo-opt %t/unresolved.mlir --transform-interpreter 2>&1 | FileCheck %s --check-prefix=KNOB

//--- no-matmul.mlir
// A payload of another kind.
// KIND: error: requires exactly one containing_op handle (got 0)
func.func @copy(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.copy ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

//--- static.mlir
// Static extents that the tiles divide leave nothing to pad.
// STATIC: error: {{.*}}expected to contain 3 payloads but it contains 1 payloads
func.func @sgemm(%A: tensor<64x64xf32>, %B: tensor<64x64xf32>, %C: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%C : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%A, %B : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

//--- unresolved.mlir
// A knob without a value.
// KNOB: error: non-deterministic choice "n" is only resolved through providing a `selected` attr
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %n = transform.tune.knob<"n"> options = [1, 2] -> !transform.param<i64>
    transform.yield
  }
}
