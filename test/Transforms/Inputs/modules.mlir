// y = 2 x by kernels of two gpu.modules, as a plan has that was put together of two others. Both
// have a variable of the same name, and a kernel that is not launched.
evo.kernel @scale args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
    workloads [#evo.workload<{N = 1000}>] {
  evo.reference {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %two = llvm.mlir.constant(2.0 : f32) : f32
        %e = llvm.fmul %v, %two : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
  evo.variant @two {
    evo.scratch "t" : f32 ["N"]
    evo.launch @first::@double grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "t"]
    evo.launch @second::@move grid ["N", "1", "1"] block ["1", "1", "1"] args ["t", "y"]
    gpu.module @first {
      llvm.mlir.global external @factor(2.0 : f32) {addr_space = 1 : i32} : f32
      llvm.func ptx_kernelcc @double(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %a = llvm.mlir.addressof @factor : !llvm.ptr<1>
        %f = llvm.load volatile %a : !llvm.ptr<1> -> f32
        %e = llvm.fmul %v, %f : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
      llvm.func ptx_kernelcc @unused(%y: !llvm.ptr) {
        llvm.return
      }
    }
    gpu.module @second {
      llvm.mlir.global external @factor(1.0 : f32) {addr_space = 1 : i32} : f32
      llvm.func ptx_kernelcc @move(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %a = llvm.mlir.addressof @factor : !llvm.ptr<1>
        %f = llvm.load volatile %a : !llvm.ptr<1> -> f32
        %e = llvm.fmul %v, %f : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
      llvm.func ptx_kernelcc @unused(%y: !llvm.ptr) {
        llvm.return
      }
    }
  }
}
