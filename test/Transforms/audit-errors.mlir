// Nothing can be said of a kernel without a contract, or without a reference.
// RUN: split-file %s %t
// DEFINE: %{audit} = evo-opt --mlir-print-op-on-diagnostic=false --pass-pipeline='builtin.module(evo.kernel(evo-audit{seed=1}))'
// RUN: not %{audit} %t/bare.mlir 2>&1 | FileCheck %t/bare.mlir
// RUN: not %{audit} %t/empty.mlir 2>&1 | FileCheck %t/empty.mlir
// RUN: not %{audit} %t/faulty.mlir 2>&1 | FileCheck %t/faulty.mlir
// RUN: not evo-opt %t/bare.mlir --pass-pipeline='builtin.module(evo-audit)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: restricted to 'evo.kernel'

//--- bare.mlir
// CHECK: bare.mlir:[[@LINE+1]]:1: error: has no contract, so nothing can be checked
evo.kernel @bare {
}

//--- empty.mlir
// CHECK: empty.mlir:[[@LINE+1]]:1: error: has no evo.reference to be checked against
evo.kernel @empty args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {
}

//--- faulty.mlir
// CHECK: error: {{.*}}the reference is itself faulty
evo.kernel @faulty args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {
  evo.reference {
    gpu.module @m {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %far = llvm.mlir.constant(1000000000 : i64) : i64
        %p = llvm.getelementptr %y[%far] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %x : !llvm.ptr -> f32
        llvm.store %v, %p : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @m::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
}
