// What goes through all elements of dense buffers in their order is numbered by elements,
// and nothing is divided; with chain=0, the plain mapping, ops stay as they are. Not so
// where an operand lies otherwise, or where the place of an element counts.
// DEFINE: %{map} = evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{chain=1},canonicalize,cse))'
// RUN: %{map} | FileCheck %s
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg,canonicalize,cse))' | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func.func @straight
// CHECK: memref.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK: gpu.launch
// CHECK-NOT: remui
// CHECK: memref.load {{.*}} : memref<?xf32>
// CHECK: memref.store {{.*}} : memref<?xf32>
// PLAIN-LABEL: func.func @straight
// PLAIN: remui
func.func @straight(%x: memref<?x?xf32>, %s: memref<f32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
                                   affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : memref<?x?xf32>, memref<f32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  }
  return
}

// CHECK-LABEL: func.func @crossed
// CHECK-NOT: collapse_shape
// CHECK-LABEL: func.func @counted
// CHECK-NOT: collapse_shape
func.func @crossed(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%a: f32, %out: f32):
    linalg.yield %a : f32
  }
  return
}
func.func @counted(%y: memref<?x?xindex>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xindex>) {
  ^bb0(%out: index):
    %i = linalg.index 1 : index
    linalg.yield %i : index
  }
  return
}
