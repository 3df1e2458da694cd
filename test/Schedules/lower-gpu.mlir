// From the launch to the LLVM dialect: nothing of higher dialects may stay in the
// device module, and a kernel's memref arguments are spelled out.
// RUN: evo-opt %s --pass-pipeline="builtin.module(transform-preload-library{transform-library-paths=%source/schedules/lower-gpu.mlir},transform-interpreter{entry-point=shared_to_globals},transform-interpreter{entry-point=lower_vectors},gpu.module(expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-gpu-to-nvvm{has-redux=true},canonicalize,cse,reconcile-unrealized-casts))" \
// RUN:   | FileCheck %s

// CHECK-LABEL: gpu.module @device
// base, aligned, offset, sizes, strides
// CHECK:         llvm.func @kernel(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME:      attributes {gpu.kernel, {{.*}}nvvm.kernel, nvvm.maxntid = array<i32: 64, 1, 1>
// CHECK:         llvm.intr.masked.load
// CHECK:         nvvm.barrier
// CHECK:         llvm.call @__nv_expf
// CHECK:         llvm.return
// CHECK:         llvm.mlir.global private @alloca() {addr_space = 3 : i32}
// CHECK-NOT:     unrealized_conversion_cast
// CHECK-NOT:     {{ (vector|memref|scf|affine|gpu|arith|math|cf)\.[a-z]}}
module attributes {gpu.container_module} {
  gpu.module @device {
    gpu.func @kernel(%x: memref<?x?xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0.0 : f32
      %shared = memref.alloca() : memref<1x64xf32, #gpu.address_space<workgroup>>
      %row = gpu.block_id x
      %i = gpu.thread_id x
      %columns = memref.dim %x, %c1 : memref<?x?xf32>
      %left = affine.min affine_map<()[s0, s1] -> (s1 - s0, 1)>()[%i, %columns]
      %mask = vector.create_mask %c1, %left : vector<1x1xi1>
      %v = vector.transfer_read %x[%row, %i], %zero, %mask {in_bounds = [true, true]}
          : memref<?x?xf32>, vector<1x1xf32>
      vector.transfer_write %v, %shared[%c0, %i] {in_bounds = [true, true]}
          : vector<1x1xf32>, memref<1x64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %first = vector.transfer_read %shared[%c0, %c0], %zero {in_bounds = [true, true]}
          : memref<1x64xf32, #gpu.address_space<workgroup>>, vector<1x4xf32>
      %e = math.exp %first : vector<1x4xf32>
      vector.transfer_write %e, %x[%row, %c0] : vector<1x4xf32>, memref<?x?xf32>
      gpu.return
    }
  }
}
