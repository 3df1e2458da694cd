// Kernels of a product of matrices: an element a thread, several a thread, a warp an
// element, a tile a block. And of an op whose operand lies across its result.
// DEFINE: %{options} = ""
// DEFINE: %{map} = evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{%{options}},canonicalize,cse))'
// REDEFINE: %{options} = threads=256
// RUN: %{map} | FileCheck %s --implicit-check-not=gpu.barrier --implicit-check-not=gpu.shuffle
// REDEFINE: %{options} = rows=2 columns=2 threads=64
// RUN: %{map} | FileCheck %s --check-prefix=TILE --implicit-check-not=gpu.barrier
// REDEFINE: %{options} = split=1 threads=64
// RUN: %{map} | FileCheck %s --check-prefix=WARP --implicit-check-not=gpu.barrier
// REDEFINE: %{options} = stage=2 threads=64
// RUN: %{map} | FileCheck %s --check-prefix=STAGE
// REDEFINE: %{options} = stage=2 threads=96
// RUN: %{map} | FileCheck %s --check-prefix=TURNS
// REDEFINE: %{options} = stage=4 access=16 threads=256
// RUN: %{map} | FileCheck %s --check-prefix=SQUARE
// REDEFINE: %{options} = split=2 parts=8 threads=64
// RUN: %{map} | FileCheck %s --check-prefix=PARTS

// The fill starts the sum, and is no kernel.
// CHECK-LABEL: func.func @product
// CHECK: gpu.launch
// CHECK: scf.for {{.*}} -> (f32)
// CHECK-COUNT-2: memref.load
// CHECK: memref.store
// CHECK-NOT: gpu.launch
// CHECK-LABEL: func.func @transpose

// TILE-LABEL: func.func @product
// TILE: scf.for {{.*}} -> (f32, f32, f32, f32)
// TILE-LABEL: func.func @transpose

// WARP-LABEL: func.func @product
// WARP: scf.for {{.*}} step %c32
// WARP-COUNT-5: gpu.shuffle
// WARP-LABEL: func.func @transpose

// Threads of a square 8 by 8, each with 2 by 2 results, in steps of 16.
// STAGE-LABEL: func.func @product
// STAGE-COUNT-2: memref.alloc{{a?}}() : memref<16x20xf32, #gpu.address_space<workgroup>>
// STAGE: scf.for {{.*}} step %c16 {{.*}} -> (f32, f32, f32, f32)
// STAGE: gpu.barrier
// STAGE: memref.store {{.*}} : memref<16x20xf32, #gpu.address_space<workgroup>>
// STAGE: gpu.barrier
// STAGE: scf.for {{.*}} -> (f32, f32, f32, f32)
// STAGE-COUNT-4: memref.load {{.*}} : memref<16x20xf32, #gpu.address_space<workgroup>>

// Eight blocks a result, 8 * 64 threads of which take turns; one more block combines.
// PARTS-LABEL: func.func @product
// PARTS: %[[PARTS:.*]] = memref.alloc({{.*}}) : memref<?x?x8xf32>
// PARTS: gpu.launch
// PARTS: scf.for {{.*}} step %c512
// PARTS: memref.store %{{.*}}, %[[PARTS]][%{{.*}}, %{{.*}}, %{{.*}}]
// PARTS: gpu.launch
// PARTS: scf.for {{.*}} to %c8 step %c32
// PARTS: memref.load %[[PARTS]]
// PARTS: memref.store %{{.*}}, %arg2
// PARTS-LABEL: func.func @transpose
// PARTS: gpu.launch
// PARTS-NOT: gpu.launch
// PARTS-LABEL: func.func @halves
func.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Three warps would go beyond the end of a square in their last turn.
// TURNS-LABEL: func.func @transpose
// TURNS-NOT: gpu.barrier
// TURNS-LABEL: func.func @halves
// Squares of 64 elements, with a word between their rows, by 16 bytes both ways: all of a
// thread's loads come first, and it tells vectors apart from what lies beyond the end only
// where it writes. Rows that begin anywhere go element by element.
// SQUARE-LABEL: func.func @transpose
// SQUARE: memref.alloc{{a?}}() : memref<64x65xf32, #gpu.address_space<workgroup>>
// SQUARE: scf.if
// SQUARE-NOT: scf.if
// SQUARE-COUNT-4: vector.load %arg0{{.*}}alignment = 16
// SQUARE-NOT: vector.load
// SQUARE-COUNT-16: memref.store
// SQUARE: else
// SQUARE: scf.for
// SQUARE: gpu.barrier
// SQUARE-COUNT-4: vector.store {{.*}}, %arg1{{.*}}alignment = 16
// SQUARE: else
// SQUARE: memref.store
// SQUARE-LABEL: func.func @halves
// SQUARE: memref.alloc{{a?}}() : memref<64x66xf16, #gpu.address_space<workgroup>>
// SQUARE-COUNT-2: vector.load {{.*}} vector<8xf16>
// SQUARE-LABEL: func.func @sum_onto
// STAGE-LABEL: func.func @transpose
// STAGE: memref.alloc{{a?}}() : memref<32x33xf32, #gpu.address_space<workgroup>>
// STAGE: gpu.barrier
// STAGE-NOT: gpu.barrier
// STAGE-LABEL: func.func @halves
// STAGE-LABEL: func.func @sum_onto
func.func @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  return
}

func.func @halves(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  linalg.transpose ins(%x : memref<?x?xf16>) outs(%y : memref<?x?xf16>) permutation = [1, 0]
  return
}

// What is read where it is written stays with one thread an element: a thread past the
// end repeats the last, which another may have written already.
// STAGE-NOT: workgroup
// STAGE: gpu.launch
// STAGE-NOT: workgroup
func.func @sum_onto(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// An extent of 12: the tile is 16 along it and 256 along the other; reads and writes are told
// apart by their own extents.
// STAGE-LABEL: func.func @narrow
// STAGE: memref.alloc{{a?}}() : memref<64x17xf32, #gpu.address_space<workgroup>>
// SQUARE-LABEL: func.func @narrow
// SQUARE: memref.alloc{{a?}}() : memref<256x17xf32, #gpu.address_space<workgroup>>
// SQUARE-COUNT-4: vector.load %arg0
// SQUARE: else
// SQUARE: gpu.barrier
// SQUARE-COUNT-4: vector.store {{.*}}, %arg1
func.func @narrow(%x: memref<?x?xf32> {evo.extents = array<i64: 8192, 12>},
                  %y: memref<?x?xf32> {evo.extents = array<i64: 12, 8192>}) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  return
}
