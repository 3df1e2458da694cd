// Kernels of a scan: a thread each, a warp each, a block each.
// RUN: split-file %s %t
// DEFINE: %{options} = ""
// DEFINE: %{map} = evo-opt %t/scan.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{%{options}},canonicalize,cse))'
// REDEFINE: %{options} = threads=64
// RUN: %{map} | FileCheck %t/scan.mlir --check-prefix=THREAD --implicit-check-not=gpu.shuffle --implicit-check-not=gpu.barrier
// REDEFINE: %{options} = threads=64 split=1
// RUN: %{map} | FileCheck %t/scan.mlir --check-prefix=WARP --implicit-check-not=gpu.barrier
// REDEFINE: %{options} = threads=64 split=2
// RUN: %{map} | FileCheck %t/scan.mlir --check-prefix=BLOCK
// REDEFINE: %{options} = threads=64 split=2 hold=4 access=16
// RUN: %{map} | FileCheck %t/scan.mlir --check-prefix=HELD
// REDEFINE: %{options} = threads=64 split=2 parts=8 hold=4 access=16
// RUN: %{map} | FileCheck %t/scan.mlir --check-prefix=PARTS
// What joins the kernels of other reductions is kept apart from a scan's.
// REDEFINE: %{options} = threads=64 group=2 chain=1 stage=4 parts=8
// RUN: %{map} | FileCheck %t/scan.mlir --check-prefix=APART
// RUN: not evo-opt %t/difference.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg))' 2>&1 | FileCheck %t/difference.mlir

//--- scan.mlir
#whole = affine_map<(d0, d1) -> (d0, d1)>
#last = affine_map<(d0, d1) -> (d0)>
func.func @sums(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %sum: memref<?xf32>, %root: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #whole, #last], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y, %sum : memref<?x?xf32>, memref<?xf32>) {
  ^bb0(%in: f32, %out: f32, %former: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %former, %square : f32
    linalg.yield %next, %next : f32, f32
  }
  linalg.sqrt ins(%sum : memref<?xf32>) outs(%root : memref<?xf32>)
  return
}
// The sum starts from what fills it, and is stored at each step and at the end.
// THREAD: gpu.launch
// THREAD: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[FORMER:.*]] = %{{.*}}) -> (f32)
// THREAD: %[[SQUARE:.*]] = arith.mulf
// THREAD: %[[NEXT:.*]] = arith.addf %[[FORMER]], %[[SQUARE]]
// THREAD: memref.store %[[NEXT]], %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf32>
// THREAD: scf.yield %[[NEXT]]
// THREAD: memref.store %[[LAST]], %{{.*}}[%{{.*}}] : memref<?xf32>

// Places beyond the end count for nothing; five steps combine 32 lanes.
// WARP: gpu.launch
// WARP: scf.for
// WARP: %[[INSIDE:.*]] = arith.cmpi ult
// WARP: memref.load
// WARP: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : f32
// WARP-COUNT-5: gpu.shuffle up
// WARP: gpu.shuffle idx

// BLOCK: gpu.launch
// BLOCK: memref.alloca() : memref<2xf32, #gpu.address_space<workgroup>>
// BLOCK: scf.for
// BLOCK-COUNT-5: gpu.shuffle up
// BLOCK: gpu.barrier
// BLOCK: memref.load %{{.*}} : memref<2xf32, #gpu.address_space<workgroup>>
// BLOCK-COUNT-5: gpu.shuffle up
// BLOCK: gpu.shuffle idx
// BLOCK: gpu.barrier

// Neighbours by vectors, several times before the warps tell each other once; where rows are
// no whole vectors, as often by elements.
// HELD: gpu.launch
// HELD: scf.if {{.*}} -> (f32)
// HELD: memref.alloca() : memref<8xf32, #gpu.address_space<workgroup>>
// HELD: scf.for
// HELD-COUNT-4: vector.load {{.*}}alignment = 16
// HELD-COUNT-20: gpu.shuffle up
// HELD: gpu.barrier
// HELD-COUNT-5: gpu.shuffle up
// HELD-COUNT-4: vector.store {{.*}}alignment = 16
// HELD: gpu.barrier
// HELD: } else {
// HELD-NOT: vector.load
// HELD: scf.for
// HELD-COUNT-4: memref.load %{{.*}} : memref<?x?xf32>

// What parts come to by themselves, then each part from what those before it do. The twins
// are all others, where one block has all of a scan.
// PARTS: %[[TOTALS:.*]] = memref.alloc(%{{.*}}) : memref<?x8xf32>
// PARTS: gpu.launch
// PARTS-COUNT-4: vector.load {{.*}}alignment = 16
// PARTS: gpu.barrier
// PARTS: memref.store %{{.*}}, %[[TOTALS]][%{{.*}}, %{{.*}}]
// PARTS: gpu.launch
// PARTS: scf.for
// PARTS: memref.load %[[TOTALS]][%{{.*}}, %{{.*}}]
// PARTS: gpu.barrier
// PARTS: vector.store {{.*}}alignment = 16

// APART-COUNT-2: gpu.launch
// APART-NOT: gpu.launch

//--- difference.mlir
#whole = affine_map<(d0, d1) -> (d0, d1)>
#last = affine_map<(d0, d1) -> (d0)>
func.func @differences(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %sum: memref<?xf32>) {
  // CHECK: difference.mlir:[[@LINE+1]]:3: error: has results along a dimension that it reduces, and is no scan
  linalg.generic {indexing_maps = [#whole, #whole, #last], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%y, %sum : memref<?x?xf32>, memref<?xf32>) {
  ^bb0(%in: f32, %out: f32, %former: f32):
    %next = arith.subf %former, %in : f32
    linalg.yield %next, %next : f32, f32
  }
  return
}
