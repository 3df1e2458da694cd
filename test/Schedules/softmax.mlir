// The schedule as it stands, from tensors to a launch.
// RUN: evo-opt %examples/linalg/softmax.mlir \
// RUN:   --pass-pipeline="builtin.module(canonicalize,cse,transform-preload-library{transform-library-paths=%source/schedules/softmax.mlir},transform-interpreter,eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},canonicalize,cse,canonicalize,transform-interpreter{entry-point=on_buffers},func.func(buffer-loop-hoisting,promote-buffers-to-stack{max-alloc-size-in-bytes=262144 max-rank-of-allocated-memref=4}),gpu-launch-sink-index-computations,gpu-kernel-outlining,canonicalize,cse)" \
// RUN:   | FileCheck %s

// A block per row. Kernel arguments are in the order in which the body uses them.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME:    (%[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[Y]], %c0
// CHECK:         gpu.launch_func @softmax_kernel::@softmax_kernel
// CHECK-SAME:      blocks in (%[[ROWS]], %c1, %c1) threads in (%c256, %c1, %c1)
// CHECK-SAME:      args(%[[Y]] : memref<?x?xf32>, %[[X]] : memref<?x?xf32>)

// Max, sum and quotient are one loop each; partial results are in registers,
// and loops that only read have no barrier.
// CHECK-LABEL: gpu.func @softmax_kernel
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<1x4xf32>)
// CHECK-NOT:       gpu.barrier
// CHECK:           arith.maxnumf
// CHECK:           scf.yield
// CHECK-COUNT-3: gpu.barrier
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<1x4xf32>)
// CHECK-NOT:       gpu.barrier
// CHECK:           arith.subf
// CHECK:           math.exp
// CHECK:           arith.addf
// CHECK:           scf.yield
// CHECK-COUNT-3: gpu.barrier
// CHECK:         scf.for
// CHECK-NOT:       gpu.barrier
// CHECK:           arith.divf
// CHECK:           vector.transfer_write {{.*}}, %{{.*}} {in_bounds = [true, true]}
// CHECK:         gpu.return
