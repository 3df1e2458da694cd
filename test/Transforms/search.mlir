// The loop evaluates what stands untried, each in a process of its own. For exp
// and sin in f64 the back end has no code, and says so by ending its process
// (LLVM ERROR), which leaves them undecided; the third candidate is fine.
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=3 seed=1}))' | FileCheck %s
// CHECK: evo.variant @uncoded.v
// CHECK-SAME: evidence <unsupported {{.*}}check = "assembly"{{.*}}no code can be generated: Cannot select
// CHECK: evo.variant @fatal.v
// CHECK-SAME: evidence <unsupported {{.*}}check = "assembly"{{.*}}no code can be generated: Cannot select: f64 = fsin
// CHECK: evo.variant @good.v
// CHECK-SAME: evidence <algebraic
// CHECK-SAME: resources
// CHECK-SAME: estimate <estimated

evo.kernel @scale args [#evo.arg<"x" in f64 ["N"]>, #evo.arg<"y" out f64 ["N"]>]
    workloads [#evo.workload<{N = 1000}>] {
  evo.reference {
    func.func @scale(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
      %r = linalg.exp ins(%x : tensor<?xf64>) outs(%y : tensor<?xf64>) -> tensor<?xf64>
      return %r : tensor<?xf64>
    }
  }
  evo.proposal @uncoded "mlir" "gpu.module @device {\n  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\n    %b = nvvm.read.ptx.sreg.ctaid.x : i32\n    %i = llvm.sext %b : i32 to i64\n    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n    %v = llvm.load %p : !llvm.ptr -> f64\n    %e = llvm.intr.exp(%v) : (f64) -> f64\n    llvm.store %e, %q : f64, !llvm.ptr\n    llvm.return\n  }\n}\nevo.launch @device::@f grid [\"N\", \"1\", \"1\"] block [\"1\", \"1\", \"1\"] args [\"x\", \"y\"]" by "test"
  evo.proposal @fatal "mlir" "gpu.module @device {\n  llvm.func @__nv_exp(f64) -> f64\n  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\n    %b = nvvm.read.ptx.sreg.ctaid.x : i32\n    %i = llvm.sext %b : i32 to i64\n    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n    %v = llvm.load %p : !llvm.ptr -> f64\n    %e = llvm.call @__nv_exp(%v) : (f64) -> f64\n    %z = llvm.mlir.constant(0.0 : f64) : f64\n    %s = llvm.intr.sin(%v) : (f64) -> f64\n    %m = llvm.fmul %s, %z : f64\n    %t = llvm.fadd %e, %m : f64\n    llvm.store %t, %q : f64, !llvm.ptr\n    llvm.return\n  }\n}\nevo.launch @device::@f grid [\"N\", \"1\", \"1\"] block [\"1\", \"1\", \"1\"] args [\"x\", \"y\"]" by "test"
  evo.proposal @good "mlir" "gpu.module @device {\n  llvm.func @__nv_exp(f64) -> f64\n  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\n    %b = nvvm.read.ptx.sreg.ctaid.x : i32\n    %i = llvm.sext %b : i32 to i64\n    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n    %v = llvm.load %p : !llvm.ptr -> f64\n    %e = llvm.call @__nv_exp(%v) : (f64) -> f64\n    llvm.store %e, %q : f64, !llvm.ptr\n    llvm.return\n  }\n}\nevo.launch @device::@f grid [\"N\", \"1\", \"1\"] block [\"1\", \"1\", \"1\"] args [\"x\", \"y\"]" by "test"
}
