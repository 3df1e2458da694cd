// A search ends before its budget where it has what was wanted, or gets nowhere.
// What was evaluated side by side is taken in order, so it ends after the same
// candidate however many evaluate at a time.
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1}))' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1 stop-at=1000}))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1 stop-at-floor=0.000001}))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1 stop-at-floor=1 stop-at=0.0001}))' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1 seconds=1e300}))' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1 patience=1}))' | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1 seconds=0.001}))' | FileCheck %s --check-prefixes=NONE
// CHECK: evo.variant @first.v
// ONE-NOT: evo.variant
// TWO: evo.variant @wrong.v
// TWO-NOT: evo.variant
// ALL: evo.variant @wrong.v
// ALL: evo.variant @third.v
// NONE: evo.proposal @third
// The first was under way when the time was up.
// NONE-NOT: evo.variant @third.v

evo.kernel @stops args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
    workloads [#evo.workload<{N = 1000}>] {
  evo.reference {
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %s = llvm.fadd %v, %v : f32
        llvm.store %s, %q : f32, !llvm.ptr
        llvm.return
      }
    }
  }
  evo.proposal @first "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %c = llvm.mlir.constant(2.0 : f32) : f32\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %c : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
  evo.proposal @wrong "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %v : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
  evo.proposal @third "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %c = llvm.mlir.constant(2.0 : f32) : f32\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %c : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\222\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
}
