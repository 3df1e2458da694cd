// What is not mapped to kernels, each refused at the op that is in the way.
// RUN: split-file %s %t
// RUN: not evo-opt %t/aggregate.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg))' 2>&1 | FileCheck %t/aggregate.mlir
// RUN: not evo-opt %t/loop.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg))' 2>&1 | FileCheck %t/loop.mlir
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{columns=17}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=COLUMNS
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{group=4}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=GROUP
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{stage=9}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=STAGE
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{parts=0}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=PARTS
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{hold=65}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=HOLD
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{stream=2}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=STREAM
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{scatter=32}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=SCATTER
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{scatter=12}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=POWER
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{access=12}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=ACCESS
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{product=256,128,16}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=FEW
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{product=256,128,16,0,8,8,8,1,1,0}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=POSITIVE
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{product=256,128,16,4,3,8,8,1,1,0}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=SIDES
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{product=40,128,16,4,4,8,8,1,1,0}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=TILES
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{product=256,128,16,2,16,8,8,1,1,0}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=STAGES
// RUN: not evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{product=256,256,16,3,4,4,8,1,1,0}))' 2>&1 | FileCheck %t/options.mlir --check-prefix=BLOCKS
// The twin: what was refused for its place or form is mapped where it is right.
// RUN: evo-opt %t/options.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{columns=1}))' | FileCheck %t/options.mlir --check-prefix=GOOD

//--- aggregate.mlir
func.func @softmax(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  // CHECK: aggregate.mlir:[[@LINE+1]]:3: error: is not mapped to a kernel: decompose it first
  linalg.softmax dimension(1) ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  return
}

//--- loop.mlir
func.func @repeated(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    // CHECK: loop.mlir:[[@LINE+1]]:5: error: stands in a loop or a branch of the host
    linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  }
  return
}

//--- options.mlir
// COLUMNS: error: {{.*}}option 'columns' is 17, expected 1 to 16
// GROUP: error: {{.*}}option 'group' is 4, expected 0 to 3
// STAGE: error: {{.*}}option 'stage' is 9, expected 0 to 8
// PARTS: error: {{.*}}option 'parts' is 0, expected 1 to 1024
// HOLD: error: {{.*}}option 'hold' is 65, expected 0 to 64
// STREAM: option 'stream' is 2, expected 0 to 1
// SCATTER: option 'scatter' is 32, expected 0 to 16
// POWER: error: {{.*}}option 'scatter' is 12, expected a power of two
// ACCESS: error: {{.*}}option 'access' is 12, expected a power of two
// FEW: error: {{.*}}option 'product' takes ten numbers, found 3
// POSITIVE: error: {{.*}}option 'product' takes positive numbers, and at last 0, 1 or 2
// SIDES: error: {{.*}}option 'product' takes 1, 2, 4, 8, 12 or 16 rows and columns of a thread
// TILES: error: {{.*}}option 'product' takes tiles of whole threads and of a multiple of 16 rows and columns
// STAGES: error: {{.*}}option 'product' takes one stage, or 3 to 8, of a depth up to 64
// BLOCKS: error: {{.*}}option 'product' makes blocks of 4096 threads, expected whole warps up to 1024
// GOOD: gpu.launch
func.func @exp(%x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.exp ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  return
}
