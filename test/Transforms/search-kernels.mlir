// Each kernel of a module has a search of its own.
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=1 seed=1}))' | FileCheck %s
// They are searched at the same time, and as they would be in turn.
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1}))' > %t.threads
// RUN: evo-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(evo.kernel(evo-search{budget=4 seed=1}))' | diff %t.threads -
// CHECK: evo.kernel @first
// CHECK: evo.variant @p.v
// CHECK: evo.kernel @second
// CHECK: evo.variant @p.v

evo.kernel @first args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
    workloads [#evo.workload<{N = 1000}>] {
  evo.reference {
    func.func @double(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  }
  evo.proposal @p "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fadd %v, %v : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
}

evo.kernel @second args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
    workloads [#evo.workload<{N = 1000}>] {
  evo.reference {
    func.func @double(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  }
  evo.proposal @p "mlir" "gpu.module @device {\0A  llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {\0A    %b = nvvm.read.ptx.sreg.ctaid.x : i32\0A    %i = llvm.sext %b : i32 to i64\0A    %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32\0A    %v = llvm.load %p : !llvm.ptr -> f32\0A    %s = llvm.fadd %v, %v : f32\0A    llvm.store %s, %q : f32, !llvm.ptr\0A    llvm.return\0A  }\0A}\0Aevo.launch @device::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args [\22x\22, \22y\22]" by "test"
}
