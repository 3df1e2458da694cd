// Code that was tried before is refused before it is judged, whatever its names
// are; code that differs in a constant alone is tried, and noted as its like.
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=5 seed=1}))' | FileCheck %s
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-materialize))' | FileCheck %s --check-prefix=ALONE
// CHECK: evo.proposal @first
// CHECK-SAME: by "test" {evo.code = "[[CODE:[0-9a-f]+]]", evo.shape = "[[SHAPE:[0-9a-f]+]]"}
// CHECK: evo.proposal @renamed
// CHECK-SAME: failed at "duplicate" with "the same code as first" {evo.code = "[[CODE]]"
// CHECK: evo.proposal @retuned
// CHECK-NOT: failed
// CHECK-SAME: by "test" {evo.code = "{{[0-9a-f]+}}", evo.like = "first", evo.shape = "[[SHAPE]]"}
// CHECK: evo.proposal @wrong
// CHECK-NOT: evo.like
// CHECK: evo.proposal @optioned
// CHECK-SAME: options {opt = 1 : i64} {evo.code = "{{[0-9a-f]+}}", evo.like = "first"
// CHECK: evo.variant @first.v
// CHECK-SAME: evidence <{{exact|algebraic}}
// CHECK-NOT: evo.variant @renamed.v
// CHECK: evo.variant @retuned.v
// CHECK-SAME: evidence <{{exact|algebraic}}
// CHECK: evo.variant @wrong.v
// CHECK-SAME: evidence <refuted

// Nobody has told the pass of earlier ones here.
// ALONE-NOT: duplicate
// ALONE: evo.variant @renamed.v

evo.kernel @twice args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
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
  evo.proposal @renamed "mlir" "gpu.module @other {\0A  llvm.func ptx_kernelcc @g(%from: !llvm.ptr, %to: !llvm.ptr) {\0A    %two = llvm.mlir.constant(2.0 : f32) : f32\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %from[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %to[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %two : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @other::@g grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
  evo.proposal @retuned "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %c = llvm.mlir.constant(2.0 : f32) : f32\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %c : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\222\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
  evo.proposal @wrong "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %v : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
  evo.proposal @optioned "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %c = llvm.mlir.constant(2.0 : f32) : f32\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fmul %v, %c : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test" options {opt = 1 : i64}
}
