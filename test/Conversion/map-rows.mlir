// A row in registers: each element is loaded once and stored once, by 16 bytes,
// where the ops before read the row two times over. Rows that are no multiple of
// a vector, and what is beyond the registers, are loops.
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 hold=16 access=16 threads=64},canonicalize,cse))' | FileCheck %s
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 hold=16 access=16 threads=64 split=1},canonicalize,cse))' | FileCheck %s --check-prefix=WARP
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 hold=16 access=16 threads=64 split=2 parts=4},canonicalize,cse))' | FileCheck %s --check-prefix=PARTS
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 hold=16 access=16 threads=64 split=2 parts=4 stream=1},canonicalize,cse))' | FileCheck %s --check-prefix=STREAM
// The twins: nothing is held, and ops that are not of one row keep their kernels.
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 threads=64},canonicalize,cse))' | FileCheck %s --check-prefix=PLAIN

// Two parts by the workload, no more, though there are registers for 16; nothing else where
// rows are whole vectors and fit.
// CHECK-LABEL: func.func @centre
// CHECK: gpu.launch
// CHECK-NOT: scf.for
// CHECK-COUNT-2: vector.load {{.*}}alignment = 16
// CHECK-NOT: scf.for
// CHECK: gpu.shuffle
// CHECK-NOT: scf.for
// CHECK: gpu.barrier
// CHECK-NOT: vector.load
// CHECK-COUNT-2: vector.store {{.*}}alignment = 16
// CHECK: scf.for
// CHECK: vector.load
// Elements of rows without vectors are asked for by fours, then one by one.
// CHECK: scf.for
// CHECK-COUNT-4: memref.load
// CHECK: arith.addf
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NEXT: arith.addf
// CHECK: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.store
// WARP-LABEL: func.func @centre
// WARP: gpu.launch
// WARP: vector.load
// WARP-NOT: gpu.barrier
// WARP-LABEL: func.func @twisted
// PLAIN-LABEL: func.func @centre
// PLAIN-NOT: vector.load
func.func @centre(%x: memref<?x?xf32> {evo.extents = array<i64: 100, 512>}, %sum: memref<?xf32>,
                  %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                   affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.subf %in, %s : f32
    linalg.yield %d : f32
  }
  return
}

// What one thread wrote another one reads: rows are not held.
// CHECK-LABEL: func.func @twisted
// CHECK-NOT: vector.load
// CHECK: gpu.barrier
func.func @twisted(%x: memref<4x8xf32>, %t: memref<4x8xf32>, %y: memref<4x8xf32>, %sum: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<4x8xf32>) outs(%t : memref<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>,
                                   affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %t : memref<4x8xf32>, memref<4x8xf32>) outs(%sum : memref<4xf32>) {
  ^bb0(%in: f32, %first: f32, %out: f32):
    %d = arith.subf %in, %first : f32
    %s = arith.addf %d, %out : f32
    linalg.yield %s : f32
  }
  return
}

// A value of the row may be looked up: the row is held all the same.
// CHECK-LABEL: func.func @labelled
// CHECK-COUNT-1: gpu.launch
// CHECK-COUNT-2: vector.load {{.*}}alignment = 16
// CHECK: gpu.barrier
// CHECK: memref.load %{{.*}}[%{{.*}}, %{{.*}}]
// CHECK-NOT: gpu.launch
func.func @labelled(%x: memref<?x?xf32> {evo.extents = array<i64: 100, 512>}, %label: memref<?xi32>,
                    %sum: memref<?xf32>, %loss: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                                   affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum, %label : memref<?xf32>, memref<?xi32>) outs(%loss : memref<?xf32>) {
  ^bb0(%s: f32, %at: i32, %out: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %at : i32 to index
    %value = memref.load %x[%row, %column] : memref<?x?xf32>
    %d = arith.subf %s, %value : f32
    linalg.yield %d : f32
  }
  return
}

// The twin looks up what the op before writes, in any row: it has a kernel of its own.
// CHECK-LABEL: func.func @crossed
// CHECK-COUNT-2: gpu.launch
func.func @crossed(%x: memref<?x?xf32> {evo.extents = array<i64: 100, 512>}, %label: memref<?xi32>,
                   %sum: memref<?xf32>, %loss: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                                   affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%sum, %label : memref<?xf32>, memref<?xi32>) outs(%loss : memref<?xf32>) {
  ^bb0(%s: f32, %at: i32, %out: f32):
    %row = arith.index_cast %at : i32 to index
    %value = memref.load %sum[%row] : memref<?xf32>
    %d = arith.subf %s, %value : f32
    linalg.yield %d : f32
  }
  return
}

// All there is of it is a row. Four blocks share it: each thread asks for all of its elements
// before it adds one up, by 4 lanes, and one more block adds what they found.
// PARTS-LABEL: func.func @total
// PARTS: %[[PARTS:.*]] = memref.alloc() : memref<4xf32>
// PARTS: gpu.launch
// PARTS: scf.if
// PARTS-COUNT-8: vector.load %{{.*}}alignment = 16
// PARTS-NOT: arith.addf
// PARTS: scf.yield
// PARTS: scf.for {{.*}} -> (f32, f32, f32, f32)
// PARTS: gpu.barrier
// PARTS: memref.store %{{.*}}, %[[PARTS]][%{{.*}}]
// PARTS: gpu.launch
// PARTS: vector.load %[[PARTS]]
// PARTS-NOT: gpu.launch
// PARTS-LABEL: func.func @spread
// Caches need not keep what is read once, but what the kernels leave to each other. The twin
// is @spread's last kernel, which writes as much as it reads.
// STREAM-LABEL: func.func @total
// STREAM-COUNT-8: vector.load %{{.*}}nontemporal = true
// STREAM: gpu.launch
// STREAM-NOT: nontemporal
// STREAM-LABEL: func.func @spread
// STREAM: nontemporal
// STREAM: gpu.launch
// STREAM-NOT: nontemporal
// PARTS-NOT: nontemporal
// A block of its own where nobody shares.
// CHECK-LABEL: func.func @total
// CHECK-COUNT-1: gpu.launch
// CHECK-NOT: gpu.launch
// CHECK-LABEL: func.func @spread
func.func @total(%x: memref<?x?xf32> {evo.extents = array<i64: 16, 512>},
                 %y: memref<?xf32> {evo.extents = array<i64: 1>}) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>],
                  iterator_types = ["reduction", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%sum : memref<f32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  return
}

// The twin: what is made of the sum is as long as the vector, and no block's alone. Nor is it
// where a row's elements follow: they wait for all parts.
// CHECK-COUNT-2: gpu.launch
// PARTS-COUNT-3: gpu.launch
func.func @spread(%x: memref<?xf32> {evo.extents = array<i64: 8192>},
                  %y: memref<?xf32> {evo.extents = array<i64: 8192>}) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf32>) outs(%sum : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>],
                  iterator_types = ["parallel"]}
      ins(%x, %sum : memref<?xf32>, memref<f32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.divf %in, %s : f32
    linalg.yield %d : f32
  }
  return
}

// Windows overlap, and rows shorter than a warp leave its threads without any: their results
// are threads', and what is computed of them joins where that is asked for. The twin has rows as
// long as a warp, whose results are blocks'.
// STREAM-LABEL: func.func @windows
// CHECK-LABEL: func.func @windows
// CHECK-NOT: gpu.shuffle
// CHECK-LABEL: func.func @short
// CHECK-NOT: gpu.shuffle
// CHECK-LABEL: func.func @warps
// CHECK: gpu.shuffle
func.func @windows(%x: memref<?x?xf32> {evo.extents = array<i64: 100, 512>}, %w: memref<121xf32>,
                   %sum: memref<?x?xf32> {evo.extents = array<i64: 100, 392>}) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + d2)>, affine_map<(d0, d1, d2) -> (d2)>,
                                   affine_map<(d0, d1, d2) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : memref<?x?xf32>, memref<121xf32>) outs(%sum : memref<?x?xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%sum : memref<?x?xf32>) {
  ^bb0(%s: f32):
    %h = arith.mulf %s, %s : f32
    linalg.yield %h : f32
  }
  return
}

func.func @short(%x: memref<?x31xf32>, %sum: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x31xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%sum : memref<?xf32>) {
  ^bb0(%s: f32):
    %h = arith.mulf %s, %s : f32
    linalg.yield %h : f32
  }
  return
}

func.func @warps(%x: memref<?x32xf32>, %sum: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x32xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%sum : memref<?xf32>) {
  ^bb0(%s: f32):
    %h = arith.mulf %s, %s : f32
    linalg.yield %h : f32
  }
  return
}

// Rows of 30 elements, by 16 bytes: eight lanes a row. Lanes without a row go along with the last
// one, so that all of a warp take part in its shuffles, and have no elements.
// WARP-LABEL: func.func @brief
// WARP: gpu.launch
// WARP: %[[HAS:.*]] = arith.cmpi ult, %[[ROW:.*]], %{{.*}} : index
// WARP: arith.minui %[[ROW]]
// WARP: arith.select %[[HAS]]
// WARP: scf.for
// WARP: gpu.shuffle {{ *}}xor {{.*}}%c4
// WARP: gpu.shuffle {{ *}}xor {{.*}}%c2
// WARP: gpu.shuffle {{ *}}xor {{.*}}%c1
// WARP-NOT: gpu.shuffle
func.func @brief(%x: memref<?x?xf32> {evo.extents = array<i64: 4096, 30>}, %sum: memref<?xf32>,
                 %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%sum : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                   affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %d = arith.subf %in, %s : f32
    linalg.yield %d : f32
  }
  return
}
