// A product whose operands come through a ring of copies in flight.
// DEFINE: %{options} = ""
// DEFINE: %{map} = evo-opt %s --pass-pipeline='builtin.module(func.func(evo-map-linalg{%{options}},canonicalize,cse))'
// REDEFINE: %{options} = product=32,64,4,3,4,4,8,1,1,0
// RUN: %{map} | FileCheck %s
// REDEFINE: %{options} = product=16,16,4,1,4,4,8,8,4,0
// RUN: %{map} | FileCheck %s --check-prefix=BATCH
// REDEFINE: %{options} = threads=64
// RUN: %{map} | FileCheck %s --check-prefix=NONE --implicit-check-not=nvgpu
// NONE: func.func @product

// A block for each tile, in one dimension of the grid, which alone is long enough for all;
// rows of tiles by eight, or as many as there are.
// CHECK-LABEL: func.func @product
// CHECK: arith.minui %{{.*}}, %c8 : index
// CHECK: gpu.launch blocks({{.*}}) in ({{.*}} = %{{.*}}, {{.*}} = %c1, {{.*}} = %c1) threads({{.*}}) in ({{.*}} = %c128, {{.*}} = %c1, {{.*}} = %c1) dynamic_shared_memory_size %
// A tile in shared memory of each operand: three stages of a depth of four. What is
// transposed on its way is spread over the banks.
// CHECK-DAG: memref.view {{.*}} to memref<3x4x36xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.view {{.*}} to memref<3x4x64xf32, #gpu.address_space<workgroup>>
// Two of the stages are filled before.
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], 1, %{{.*}} : memref<?xf32, strided<[1], offset: ?>> to memref<3x4x36xf32
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], 4, %{{.*}} {bypassL1} : memref<?xf32, strided<[1], offset: ?>> to memref<3x4x64xf32
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-2: vector.load {{.*}} vector<4xf32>
// Fragments of the next depth are loaded before those at hand are multiplied.
// CHECK: scf.for
// CHECK-COUNT-2: vector.load {{.*}} vector<4xf32>
// CHECK-COUNT-16: math.fma
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-16: math.fma
// CHECK: scf.yield
// Elements one by one, where rows hold no whole vectors.
// CHECK: else
// CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}], 1, %{{.*}} : memref<?xf32, strided<[1], offset: ?>> to memref<3x4x64xf32
// CHECK-NOT: , 4, %
// Results go where the operands were, and from there to memory.
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: vector.store {{.*}} memref<32x68xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: vector.store {{.*}} : memref<?x?xf32>, vector<4xf32>
// CHECK: else
// CHECK: memref.store {{.*}} : memref<?x?xf32>
// CHECK-LABEL: func.func @sums
func.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}

// Zeros at the end of a row would count here.
// CHECK-NOT: nvgpu
func.func @sums(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %one : f32
    %m = arith.addf %out, %q : f32
    linalg.yield %m : f32
  }
  return
}

// Several products of a batch a block, each by threads of its own: no copy is under way
// while they multiply. The assembler is told how many blocks there should be room for.
// CHECK-LABEL: func.func @batch
// BATCH-LABEL: func.func @batch
// BATCH: gpu.launch {{.*}} threads({{.*}}) in ({{.*}} = %c128, {{.*}} = %c1, {{.*}} = %c1)
// BATCH-DAG: memref.view {{.*}} to memref<8x5x20xf32, #gpu.address_space<workgroup>>
// BATCH-DAG: memref.view {{.*}} to memref<8x5x16xf32, #gpu.address_space<workgroup>>
// BATCH: nvgpu.device_async_copy
// BATCH: nvvm.cp.async.wait.group 0
// BATCH-NEXT: gpu.barrier
// BATCH-COUNT-64: math.fma
// BATCH: gpu.barrier
// BATCH: scf.yield
// BATCH: memref.view {{.*}} to memref<128x20xf32, #gpu.address_space<workgroup>>
// BATCH: } {evo.resident = 4 : i32}
func.func @batch(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x?x?xf32>)
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?x?xf32>)
  return
}
