// Sums along the columns of what is read row by row join the kernel of the rows, whose blocks
// do several of them each.
// RUN: split-file %s %t
// DEFINE: %{options} = ""
// DEFINE: %{name} = both
// DEFINE: %{map} = evo-opt %t/%{name}.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{threads=64 hold=16 access=16 parts=8 %{options}},canonicalize,cse))'
// REDEFINE: %{options} = group=3
// RUN: %{map} | FileCheck %t/both.mlir
// REDEFINE: %{options} = group=3 split=1
// RUN: %{map} | FileCheck %t/both.mlir --check-prefix=WARP --implicit-check-not=gpu.barrier
// The twins: nobody asked for it; nothing is held; the columns are of something else; what is
// combined is no operation of memory; what the rows write is read along the columns.
// REDEFINE: %{options} = group=2 hold=16
// RUN: %{map} | FileCheck %t/both.mlir --check-prefix=APART --implicit-check-not=atomic
// REDEFINE: %{options} = group=3 hold=0
// RUN: %{map} | FileCheck %t/both.mlir --check-prefix=APART --implicit-check-not=atomic
// REDEFINE: %{options} = group=3
// REDEFINE: %{name} = twins
// RUN: %{map} | FileCheck %t/twins.mlir --implicit-check-not=atomic

//--- both.mlir
#whole = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#first = affine_map<(d0, d1) -> (d0)>
// What columns start from comes first, then rows of a block, the next one under way: one
// loop for rows that registers are enough for, one without these.
// CHECK-LABEL: func.func @both
// CHECK: gpu.launch
// CHECK: gpu.terminator
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK-COUNT-2: vector.load
// CHECK: scf.for {{.*}} iter_args(
// CHECK-COUNT-2: vector.load
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: vector.store
// CHECK: gpu.barrier
// CHECK: scf.yield
// CHECK: llvm.atomicrmw fadd
// CHECK: else
// CHECK: scf.for
// CHECK: vector.load
// CHECK: llvm.atomicrmw fadd
// CHECK: gpu.terminator
// CHECK-NOT: gpu.launch
// WARP-LABEL: func.func @both
// WARP: gpu.shuffle
// WARP: llvm.atomicrmw fadd
// APART-LABEL: func.func @both
func.func @both(%x: memref<?x?xf32> {evo.extents = array<i64: 100, 512>}, %sum: memref<?xf32>,
                %y: memref<?x?xf32>, %column: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#whole, #first, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.subf %in, %s : f32
    linalg.yield %d : f32
  }
  linalg.fill ins(%zero : f32) outs(%column : memref<?xf32>)
  linalg.generic {indexing_maps = [#turned, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%column : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  return
}

//--- twins.mlir
#whole = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#first = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @other
func.func @other(%x: memref<?x?xf32>, %z: memref<?x?xf32>, %sum: memref<?xf32>,
                 %y: memref<?x?xf32>, %column: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#whole, #first, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.subf %in, %s : f32
    linalg.yield %d : f32
  }
  linalg.fill ins(%zero : f32) outs(%column : memref<?xf32>)
  linalg.generic {indexing_maps = [#turned, #first], iterator_types = ["parallel", "reduction"]}
      ins(%z : memref<?x?xf32>) outs(%column : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  return
}
// CHECK-LABEL: func.func @product
func.func @product(%x: memref<?x?xf32>, %sum: memref<?xf32>, %y: memref<?x?xf32>, %column: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#whole, #first, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.subf %in, %s : f32
    linalg.yield %d : f32
  }
  linalg.fill ins(%one : f32) outs(%column : memref<?xf32>)
  linalg.generic {indexing_maps = [#turned, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%column : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %out : f32
    linalg.yield %s : f32
  }
  return
}
// The rows need all of the columns.
// CHECK-LABEL: func.func @before
func.func @before(%x: memref<?x?xf32>, %sum: memref<?xf32>, %y: memref<?x?xf32>, %column: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%column : memref<?xf32>)
  linalg.generic {indexing_maps = [#turned, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%column : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #first], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [#whole, #first, affine_map<(d0, d1) -> (d1)>, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %column : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %c: f32, %out: f32):
    %d = arith.subf %in, %s : f32
    %e = arith.subf %d, %c : f32
    linalg.yield %e : f32
  }
  return
}
