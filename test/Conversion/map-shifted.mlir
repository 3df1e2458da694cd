// A row's maximum and the sum of powers that are shifted by it come of one pass over the
// row, by rounds of four vectors, whose sum is scaled once a round.
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 hold=16 access=16 threads=64 split=2 online=1},canonicalize,cse))' | FileCheck %s
// The twins: two passes, whatever is held; and sums that what shifts has another part in.
// RUN: evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=1 hold=16 access=16 threads=64 split=2},canonicalize,cse))' | FileCheck %s --check-prefix=TWO

// CHECK-LABEL: func.func @powers
// CHECK: gpu.launch
// CHECK: scf.for {{.*}}-> (f32, f32)
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-17: math.exp
// CHECK-NOT: math.exp
// CHECK: scf.yield
// CHECK: scf.for {{.*}}-> (f32, f32)
// CHECK: vector.load
// CHECK-COUNT-5: math.exp
// CHECK: scf.yield
// Rows without vectors.
// CHECK: scf.for {{.*}}-> (f32, f32)
// CHECK-COUNT-4: memref.load
// CHECK: scf.for {{.*}}-> (f32, f32)
// CHECK: memref.load
// CHECK-COUNT-2: math.exp
// CHECK: scf.yield
// CHECK: gpu.shuffle
// What this thread has is scaled to the row's maximum.
// CHECK: math.exp
// CHECK: gpu.shuffle
// CHECK-NOT: scf.for
// CHECK: gpu.terminator
// TWO-LABEL: func.func @powers
// TWO-NOT: -> (f32, f32)
// TWO-LABEL: func.func @weighted
func.func @powers(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %largest = memref.alloc(%rows) : memref<?xf32>
  linalg.fill ins(%lowest : f32) outs(%largest : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%largest : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                   affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %largest : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %shift: f32, %out: f32):
    %d = arith.subf %in, %shift : f32
    %e = math.exp %d : f32
    %s = arith.addf %e, %out : f32
    linalg.yield %s : f32
  }
  memref.dealloc %largest : memref<?xf32>
  return
}

// CHECK-LABEL: func.func @weighted
// CHECK-NOT: -> (f32, f32)
func.func @weighted(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %largest = memref.alloc(%rows) : memref<?xf32>
  linalg.fill ins(%lowest : f32) outs(%largest : memref<?xf32>)
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<?x?xf32>) outs(%largest : memref<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %out : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                   affine_map<(d0, d1) -> (d0)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %largest : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %shift: f32, %out: f32):
    %d = arith.subf %in, %shift : f32
    %e = math.exp %d : f32
    %w = arith.mulf %e, %shift : f32
    %s = arith.addf %w, %out : f32
    linalg.yield %s : f32
  }
  memref.dealloc %largest : memref<?xf32>
  return
}
