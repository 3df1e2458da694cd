// The schedule as it stands, from tensors to a launch.
// RUN: evo-opt %examples/linalg/sgemm.mlir \
// RUN:   --pass-pipeline="builtin.module(canonicalize,cse,transform-preload-library{transform-library-paths=%source/schedules/matmul.mlir},transform-interpreter,eliminate-empty-tensors,one-shot-bufferize{bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map},canonicalize,cse,canonicalize,transform-interpreter{entry-point=on_buffers},func.func(buffer-loop-hoisting,promote-buffers-to-stack{max-alloc-size-in-bytes=262144 max-rank-of-allocated-memref=4}),gpu-launch-sink-index-computations,gpu-kernel-outlining,canonicalize,cse)" \
// RUN:   | FileCheck %s

// The launch: the grid covers C, a last tile is begun for what is left over.
// CHECK-DAG:   #[[ROUND_UP:.*]] = affine_map<()[s0] -> (s0 ceildiv 64)>
// CHECK-LABEL: func.func @sgemm
// CHECK-SAME:    (%[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?x?xf32>)
// CHECK:         %[[M:.*]] = memref.dim %[[A]]
// CHECK:         %[[N:.*]] = memref.dim %[[B]]
// CHECK:         %[[GRID_Y:.*]] = affine.apply #[[ROUND_UP]]()[%[[M]]]
// CHECK:         %[[GRID_X:.*]] = affine.apply #[[ROUND_UP]]()[%[[N]]]
// CHECK:         gpu.launch_func @sgemm_kernel::@sgemm_kernel
// CHECK-SAME:      blocks in (%[[GRID_X]], %[[GRID_Y]], %{{.*}}) threads in (%c16, %c16, %c1)
// CHECK-SAME:      args(%[[A]] : memref<?x?xf32>, %[[B]] : memref<?x?xf32>, %[[C]] : memref<?x?xf32>)

// Shared memory holds a tile of A and one of B. That of C is in registers: the
// k loop carries it, and nothing writes it but the end.
// CHECK-LABEL: gpu.func @sgemm_kernel
// CHECK-COUNT-2: memref.alloca() {{.*}}#gpu.address_space<workgroup>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for {{.*}} iter_args({{.*}}) -> (vector<4x4xf32>)
// CHECK:           vector.create_mask
// CHECK:           vector.transfer_read %arg0[
// CHECK:           vector.create_mask
// CHECK:           vector.transfer_read %arg1[
// CHECK:           gpu.barrier
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (vector<4x4xf32>)
// CHECK:             vector.contract
// CHECK:           gpu.barrier
// CHECK-NOT:     gpu.barrier
// Bounds are checked (no in_bounds).
// CHECK:         vector.transfer_write %{{.*}}, %{{.*}}[%c0, %c0] : vector<4x4xf32>, memref<?x?xf32,
// CHECK:         gpu.return
