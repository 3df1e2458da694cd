// y = 2 x, one element a block, and what may be made of it: @slow and @fast are
// right, @special serves one size only, @wrong forgets the factor, and @strange
// reads a performance counter, of which a run on a CPU knows nothing.
evo.kernel @scale args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
    workloads [#evo.workload<{N = 100000}>] {
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
  evo.variant @slow {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %e = llvm.fadd %v, %v : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
  evo.variant @fast {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr, %n: i32) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %t = nvvm.read.ptx.sreg.tid.x : i32
        %size = llvm.mlir.constant(256 : i32) : i32
        %base = llvm.mul %b, %size : i32
        %g = llvm.add %base, %t : i32
        %in = llvm.icmp "slt" %g, %n : i32
        llvm.cond_br %in, ^body, ^end
      ^body:
        %i = llvm.sext %g : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %two = llvm.mlir.constant(2.0 : f32) : f32
        %e = llvm.fmul %v, %two : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.br ^end
      ^end:
        llvm.return
      }
    }
    evo.launch @device::@f grid ["ceildiv(N, 256)", "1", "1"] block ["256", "1", "1"] args ["x", "y", "N"]
  }
  evo.variant @special requires ["N == 100000"] {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %t = nvvm.read.ptx.sreg.tid.x : i32
        %size = llvm.mlir.constant(1000 : i32) : i32
        %base = llvm.mul %b, %size : i32
        %g = llvm.add %base, %t : i32
        %i = llvm.sext %g : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %two = llvm.mlir.constant(2.0 : f32) : f32
        %e = llvm.fmul %v, %two : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["100", "1", "1"] block ["1000", "1", "1"] args ["x", "y"]
  }
  evo.variant @wrong {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        llvm.store %v, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
  evo.variant @strange {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %c = llvm.inline_asm has_side_effects "mov.u32 $0, %pm0;", "=r" : () -> i32
        %v = llvm.sitofp %c : i32 to f32
        llvm.store %v, %y : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
}
