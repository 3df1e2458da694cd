// What holds for all sizes is an attribute of each plan at L1, of the reference too;
// plans at other levels get none. Effort that does not suffice proves nothing, and
// nothing is held against a kernel for it.
// REQUIRES: z3
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-prove))' > %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// CHECK: evo.reference attributes {evo.proved = "all 2 accesses are in bounds, and no two threads of a launch touch one element of a buffer, but to read or by atomics, for all N from 1 to 2147483647 that are required of them"}
// CHECK: evo.variant @guarded attributes {evo.proved =
// CHECK: evo.variant @unguarded attributes {evo.not_proved = "it is not shown that 'memref.load' at {{.*}}.mlir:[[#]]:[[#]] is in bounds for all sizes"}
// CHECK: evo.variant @required requires ["N % 128 == 0"] attributes {evo.proved =
// CHECK: evo.variant @twice attributes {evo.not_proved = "it is not shown that no two threads meet by 'memref.store'
// CHECK: evo.variant @llvm {

// Attributes of before go, and claims of untrusted text with all others.
// RUN: sed 's/@guarded {/@guarded attributes {evo.not_proved = "claimed"} {/' %s > %t.claim.mlir
// RUN: evo-opt %t.claim.mlir --pass-pipeline='builtin.module(evo.kernel(evo-prove))' | FileCheck %s
// RUN: evo-opt %t.mlir --pass-pipeline='builtin.module(evo.kernel(evo-strip-untrusted))' | FileCheck %s --check-prefix=STRIPPED
// STRIPPED: evo.variant @guarded {
// STRIPPED-NOT: proved

// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-prove{effort=1}))' | FileCheck %s --check-prefix=EFFORT
// EFFORT: evo.reference attributes {evo.not_proved =
// EFFORT-NOT: evo.proved
evo.kernel @k args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {
  evo.reference {
    gpu.module @device {
      gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel {
        %b = gpu.block_id x
        %g = arith.cmpi slt, %b, %n : index
        scf.if %g {
          %v = memref.load %x[%b] : memref<?xf32>
          memref.store %v, %y[%b] : memref<?xf32>
        }
        gpu.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y", "N"]
  }
  evo.variant @guarded {
    gpu.module @device {
      gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel {
        %c128 = arith.constant 128 : index
        %b = gpu.block_id x
        %t = gpu.thread_id x
        %p = arith.muli %b, %c128 : index
        %i = arith.addi %p, %t : index
        %g = arith.cmpi slt, %i, %n : index
        scf.if %g {
          %v = memref.load %x[%i] : memref<?xf32>
          memref.store %v, %y[%i] : memref<?xf32>
        }
        gpu.return
      }
    }
    evo.launch @device::@f grid ["ceildiv(N, 128)", "1", "1"] block ["128", "1", "1"] args ["x", "y", "N"]
  }
  evo.variant @unguarded {
    gpu.module @device {
      gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
        %c128 = arith.constant 128 : index
        %b = gpu.block_id x
        %t = gpu.thread_id x
        %p = arith.muli %b, %c128 : index
        %i = arith.addi %p, %t : index
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %y[%i] : memref<?xf32>
        gpu.return
      }
    }
    evo.launch @device::@f grid ["ceildiv(N, 128)", "1", "1"] block ["128", "1", "1"] args ["x", "y"]
  }
  evo.variant @required requires ["N % 128 == 0"] {
    gpu.module @device {
      gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
        %c128 = arith.constant 128 : index
        %b = gpu.block_id x
        %t = gpu.thread_id x
        %p = arith.muli %b, %c128 : index
        %i = arith.addi %p, %t : index
        %v = memref.load %x[%i] : memref<?xf32>
        memref.store %v, %y[%i] : memref<?xf32>
        gpu.return
      }
    }
    evo.launch @device::@f grid ["ceildiv(N, 128)", "1", "1"] block ["128", "1", "1"] args ["x", "y"]
  }
  evo.variant @twice {
    gpu.module @device {
      gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>) kernel {
        %b = gpu.block_id x
        %v = memref.load %x[%b] : memref<?xf32>
        memref.store %v, %y[%b] : memref<?xf32>
        gpu.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["2", "1", "1"] args ["x", "y"]
  }
  evo.variant @llvm {
    gpu.module @device {
      llvm.func @f() attributes {nvvm.kernel} {
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args []
  }
}
