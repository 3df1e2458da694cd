// A number that is none, and a place that is no function; nothing else is refused: what
// cannot be copied stays.
// RUN: not evo-opt %s --pass-pipeline='builtin.module(func.func(evo-pack-operands{pack=some}))' 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: 'some' value invalid
// RUN: not evo-opt %s --pass-pipeline='builtin.module(evo-pack-operands)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: restricted to 'func.func'
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-pack-operands))' | FileCheck %s

// CHECK-LABEL: func.func @buffers
// CHECK: linalg.conv_2d_nchw_fchw
func.func @buffers(%x: memref<?x?x?x?xf32>, %w: memref<?x?x?x?xf32>, %y: memref<?x?x?x?xf32>) {
  linalg.conv_2d_nchw_fchw ins(%x, %w : memref<?x?x?x?xf32>, memref<?x?x?x?xf32>) outs(%y : memref<?x?x?x?xf32>)
  return
}
