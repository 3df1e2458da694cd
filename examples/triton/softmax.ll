; softmax of kernels.py, by generate.py with Triton 3.9.0.
; evo.kernel softmax(x: in f32[M, N], y: out f32[M, N])
; evo.launch softmax<<<M, 128, 16>>>(x, y, N, 0, 0)
; evo.workload M = 4096, N = 4096
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"
target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-p101:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

@global_smem = external local_unnamed_addr addrspace(3) global [0 x i8], align 16

; Function Attrs: nounwind
define ptx_kernel void @softmax(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, ptr addrspace(1) nofree readnone captures(none) %3, ptr addrspace(1) nofree readnone captures(none) %4) local_unnamed_addr #0 !dbg !4 {
  %6 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !12
  %7 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !13
  %8 = and i32 %7, 127, !dbg !13
  %9 = or disjoint i32 %8, 128, !dbg !13
  %10 = or disjoint i32 %8, 256, !dbg !13
  %11 = or disjoint i32 %8, 384, !dbg !13
  %12 = or disjoint i32 %8, 512, !dbg !13
  %13 = or disjoint i32 %8, 640, !dbg !13
  %14 = or disjoint i32 %8, 768, !dbg !13
  %15 = or i32 %7, 896, !dbg !13
  %16 = mul i32 %2, %6, !dbg !14
  %17 = sext i32 %16 to i64, !dbg !15
  %18 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %17, !dbg !15
  %19 = icmp sgt i32 %2, 0, !dbg !16
  br i1 %19, label %.lr.ph, label %._crit_edge, !dbg !16

.lr.ph:                                           ; preds = %5, %.lr.ph
  %20 = phi i32 [ %72, %.lr.ph ], [ 0, %5 ]
  %21 = phi <8 x float> [ %71, %.lr.ph ], [ splat (float -inf), %5 ]
  %22 = or disjoint i32 %20, %8, !dbg !17
  %23 = or disjoint i32 %20, %9, !dbg !17
  %24 = or disjoint i32 %20, %10, !dbg !17
  %25 = or disjoint i32 %20, %11, !dbg !17
  %26 = or disjoint i32 %20, %12, !dbg !17
  %27 = or disjoint i32 %20, %13, !dbg !17
  %28 = or disjoint i32 %20, %14, !dbg !17
  %29 = or disjoint i32 %20, %15, !dbg !17
  %30 = icmp slt i32 %22, %2, !dbg !18
  %31 = icmp slt i32 %23, %2, !dbg !18
  %32 = icmp slt i32 %24, %2, !dbg !18
  %33 = icmp slt i32 %25, %2, !dbg !18
  %34 = icmp slt i32 %26, %2, !dbg !18
  %35 = icmp slt i32 %27, %2, !dbg !18
  %36 = icmp slt i32 %28, %2, !dbg !18
  %37 = icmp slt i32 %29, %2, !dbg !18
  %38 = sext i32 %22 to i64, !dbg !15
  %39 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %38, !dbg !15
  %40 = sext i32 %23 to i64, !dbg !15
  %41 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %40, !dbg !15
  %42 = sext i32 %24 to i64, !dbg !15
  %43 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %42, !dbg !15
  %44 = sext i32 %25 to i64, !dbg !15
  %45 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %44, !dbg !15
  %46 = sext i32 %26 to i64, !dbg !15
  %47 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %46, !dbg !15
  %48 = sext i32 %27 to i64, !dbg !15
  %49 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %48, !dbg !15
  %50 = sext i32 %28 to i64, !dbg !15
  %51 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %50, !dbg !15
  %52 = sext i32 %29 to i64, !dbg !15
  %53 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %52, !dbg !15
  %54 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %39, i1 %30) #8, !dbg !19
  %55 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %41, i1 %31) #8, !dbg !19
  %56 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %43, i1 %32) #8, !dbg !19
  %57 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %45, i1 %33) #8, !dbg !19
  %58 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %47, i1 %34) #8, !dbg !19
  %59 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %49, i1 %35) #8, !dbg !19
  %60 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %51, i1 %36) #8, !dbg !19
  %61 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %53, i1 %37) #8, !dbg !19
  %62 = insertelement <8 x i32> poison, i32 %54, i64 0, !dbg !19
  %63 = insertelement <8 x i32> %62, i32 %55, i64 1, !dbg !19
  %64 = insertelement <8 x i32> %63, i32 %56, i64 2, !dbg !19
  %65 = insertelement <8 x i32> %64, i32 %57, i64 3, !dbg !19
  %66 = insertelement <8 x i32> %65, i32 %58, i64 4, !dbg !19
  %67 = insertelement <8 x i32> %66, i32 %59, i64 5, !dbg !19
  %68 = insertelement <8 x i32> %67, i32 %60, i64 6, !dbg !19
  %69 = insertelement <8 x i32> %68, i32 %61, i64 7, !dbg !19
  %70 = bitcast <8 x i32> %69 to <8 x float>, !dbg !19
  %71 = tail call <8 x float> @llvm.maxnum.v8f32(<8 x float> %21, <8 x float> %70), !dbg !20
  %72 = add i32 %20, 1024, !dbg !16
  %73 = icmp slt i32 %72, %2, !dbg !16
  br i1 %73, label %.lr.ph, label %._crit_edge.loopexit, !dbg !16

._crit_edge.loopexit:                             ; preds = %.lr.ph
  %74 = extractelement <8 x float> %71, i64 0, !dbg !21
  %75 = extractelement <8 x float> %71, i64 1, !dbg !21
  %76 = tail call float @llvm.maxnum.f32(float %74, float %75), !dbg !21
  %77 = extractelement <8 x float> %71, i64 2, !dbg !21
  %78 = extractelement <8 x float> %71, i64 3, !dbg !21
  %79 = tail call float @llvm.maxnum.f32(float %77, float %78), !dbg !21
  %80 = extractelement <8 x float> %71, i64 4, !dbg !21
  %81 = extractelement <8 x float> %71, i64 5, !dbg !21
  %82 = tail call float @llvm.maxnum.f32(float %80, float %81), !dbg !21
  %83 = extractelement <8 x float> %71, i64 6, !dbg !21
  %84 = extractelement <8 x float> %71, i64 7, !dbg !21
  %85 = tail call float @llvm.maxnum.f32(float %83, float %84), !dbg !21
  %86 = tail call float @llvm.maxnum.f32(float %76, float %79), !dbg !21
  %87 = tail call float @llvm.maxnum.f32(float %82, float %85), !dbg !21
  %88 = tail call float @llvm.maxnum.f32(float %86, float %87), !dbg !21
  br label %._crit_edge, !dbg !21

._crit_edge:                                      ; preds = %._crit_edge.loopexit, %5
  %89 = phi float [ -inf, %5 ], [ %88, %._crit_edge.loopexit ], !dbg !27
  %90 = bitcast float %89 to i32, !dbg !24
  %91 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %90, i32 16, i32 31), !dbg !24
  %92 = bitcast i32 %91 to float, !dbg !24
  %93 = tail call float @llvm.maxnum.f32(float %89, float %92), !dbg !21
  %94 = bitcast float %93 to i32, !dbg !24
  %95 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %94, i32 8, i32 31), !dbg !24
  %96 = bitcast i32 %95 to float, !dbg !24
  %97 = tail call float @llvm.maxnum.f32(float %93, float %96), !dbg !21
  %98 = bitcast float %97 to i32, !dbg !24
  %99 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %98, i32 4, i32 31), !dbg !24
  %100 = bitcast i32 %99 to float, !dbg !24
  %101 = tail call float @llvm.maxnum.f32(float %97, float %100), !dbg !21
  %102 = bitcast float %101 to i32, !dbg !24
  %103 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %102, i32 2, i32 31), !dbg !24
  %104 = bitcast i32 %103 to float, !dbg !24
  %105 = tail call float @llvm.maxnum.f32(float %101, float %104), !dbg !21
  %106 = bitcast float %105 to i32, !dbg !24
  %107 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %106, i32 1, i32 31), !dbg !24
  %108 = bitcast i32 %107 to float, !dbg !24
  %109 = tail call float @llvm.maxnum.f32(float %105, float %108), !dbg !21
  %110 = lshr i32 %7, 3, !dbg !24
  %111 = and i32 %110, 12, !dbg !24
  %112 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %111, !dbg !24
  store float %109, ptr addrspace(3) %112, align 4, !dbg !24
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !24
  %113 = shl nuw nsw i32 %7, 2, !dbg !24
  %114 = and i32 %113, 12, !dbg !24
  %115 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %114, !dbg !24
  %116 = load i32, ptr addrspace(3) %115, align 4, !dbg !24
  %117 = bitcast i32 %116 to float, !dbg !24
  %118 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %116, i32 2, i32 31), !dbg !24
  %119 = bitcast i32 %118 to float, !dbg !24
  %120 = tail call float @llvm.maxnum.f32(float %117, float %119), !dbg !21
  %121 = bitcast float %120 to i32, !dbg !24
  %122 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %121, i32 1, i32 31), !dbg !24
  %123 = bitcast i32 %122 to float, !dbg !24
  %124 = tail call float @llvm.maxnum.f32(float %120, float %123), !dbg !21
  br i1 %19, label %.lr.ph6.preheader, label %._crit_edge7, !dbg !28

.lr.ph6.preheader:                                ; preds = %._crit_edge
  %125 = insertelement <8 x float> poison, float %124, i64 0
  %126 = shufflevector <8 x float> %125, <8 x float> poison, <8 x i32> zeroinitializer
  br label %.lr.ph6, !dbg !28

.lr.ph6:                                          ; preds = %.lr.ph6.preheader, %.lr.ph6
  %127 = phi i32 [ %205, %.lr.ph6 ], [ 0, %.lr.ph6.preheader ]
  %128 = phi <8 x float> [ %204, %.lr.ph6 ], [ zeroinitializer, %.lr.ph6.preheader ]
  %129 = or disjoint i32 %127, %8, !dbg !29
  %130 = or disjoint i32 %127, %9, !dbg !29
  %131 = or disjoint i32 %127, %10, !dbg !29
  %132 = or disjoint i32 %127, %11, !dbg !29
  %133 = or disjoint i32 %127, %12, !dbg !29
  %134 = or disjoint i32 %127, %13, !dbg !29
  %135 = or disjoint i32 %127, %14, !dbg !29
  %136 = or disjoint i32 %127, %15, !dbg !29
  %137 = icmp slt i32 %129, %2, !dbg !30
  %138 = icmp slt i32 %130, %2, !dbg !30
  %139 = icmp slt i32 %131, %2, !dbg !30
  %140 = icmp slt i32 %132, %2, !dbg !30
  %141 = icmp slt i32 %133, %2, !dbg !30
  %142 = icmp slt i32 %134, %2, !dbg !30
  %143 = icmp slt i32 %135, %2, !dbg !30
  %144 = icmp slt i32 %136, %2, !dbg !30
  %145 = sext i32 %129 to i64, !dbg !31
  %146 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %145, !dbg !31
  %147 = sext i32 %130 to i64, !dbg !31
  %148 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %147, !dbg !31
  %149 = sext i32 %131 to i64, !dbg !31
  %150 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %149, !dbg !31
  %151 = sext i32 %132 to i64, !dbg !31
  %152 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %151, !dbg !31
  %153 = sext i32 %133 to i64, !dbg !31
  %154 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %153, !dbg !31
  %155 = sext i32 %134 to i64, !dbg !31
  %156 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %155, !dbg !31
  %157 = sext i32 %135 to i64, !dbg !31
  %158 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %157, !dbg !31
  %159 = sext i32 %136 to i64, !dbg !31
  %160 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %159, !dbg !31
  %161 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %146, i1 %137) #8, !dbg !32
  %162 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %148, i1 %138) #8, !dbg !32
  %163 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %150, i1 %139) #8, !dbg !32
  %164 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %152, i1 %140) #8, !dbg !32
  %165 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %154, i1 %141) #8, !dbg !32
  %166 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %156, i1 %142) #8, !dbg !32
  %167 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %158, i1 %143) #8, !dbg !32
  %168 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %160, i1 %144) #8, !dbg !32
  %169 = insertelement <8 x i32> poison, i32 %161, i64 0, !dbg !32
  %170 = insertelement <8 x i32> %169, i32 %162, i64 1, !dbg !32
  %171 = insertelement <8 x i32> %170, i32 %163, i64 2, !dbg !32
  %172 = insertelement <8 x i32> %171, i32 %164, i64 3, !dbg !32
  %173 = insertelement <8 x i32> %172, i32 %165, i64 4, !dbg !32
  %174 = insertelement <8 x i32> %173, i32 %166, i64 5, !dbg !32
  %175 = insertelement <8 x i32> %174, i32 %167, i64 6, !dbg !32
  %176 = insertelement <8 x i32> %175, i32 %168, i64 7, !dbg !32
  %177 = bitcast <8 x i32> %176 to <8 x float>, !dbg !32
  %178 = fsub <8 x float> %177, %126, !dbg !33
  %179 = fmul <8 x float> %178, splat (float f0x3FB8AA3B), !dbg !34
  %180 = extractelement <8 x float> %179, i64 0, !dbg !34
  %181 = tail call float @llvm.nvvm.ex2.approx.f32(float %180), !dbg !34
  %182 = extractelement <8 x float> %179, i64 1, !dbg !34
  %183 = tail call float @llvm.nvvm.ex2.approx.f32(float %182), !dbg !34
  %184 = extractelement <8 x float> %179, i64 2, !dbg !34
  %185 = tail call float @llvm.nvvm.ex2.approx.f32(float %184), !dbg !34
  %186 = extractelement <8 x float> %179, i64 3, !dbg !34
  %187 = tail call float @llvm.nvvm.ex2.approx.f32(float %186), !dbg !34
  %188 = extractelement <8 x float> %179, i64 4, !dbg !34
  %189 = tail call float @llvm.nvvm.ex2.approx.f32(float %188), !dbg !34
  %190 = extractelement <8 x float> %179, i64 5, !dbg !34
  %191 = tail call float @llvm.nvvm.ex2.approx.f32(float %190), !dbg !34
  %192 = extractelement <8 x float> %179, i64 6, !dbg !34
  %193 = tail call float @llvm.nvvm.ex2.approx.f32(float %192), !dbg !34
  %194 = extractelement <8 x float> %179, i64 7, !dbg !34
  %195 = tail call float @llvm.nvvm.ex2.approx.f32(float %194), !dbg !34
  %196 = insertelement <8 x float> poison, float %181, i64 0, !dbg !35
  %197 = insertelement <8 x float> %196, float %183, i64 1, !dbg !35
  %198 = insertelement <8 x float> %197, float %185, i64 2, !dbg !35
  %199 = insertelement <8 x float> %198, float %187, i64 3, !dbg !35
  %200 = insertelement <8 x float> %199, float %189, i64 4, !dbg !35
  %201 = insertelement <8 x float> %200, float %191, i64 5, !dbg !35
  %202 = insertelement <8 x float> %201, float %193, i64 6, !dbg !35
  %203 = insertelement <8 x float> %202, float %195, i64 7, !dbg !35
  %204 = fadd <8 x float> %128, %203, !dbg !35
  %205 = add i32 %127, 1024, !dbg !28
  %206 = icmp slt i32 %205, %2, !dbg !28
  br i1 %206, label %.lr.ph6, label %._crit_edge7.loopexit, !dbg !28

._crit_edge7.loopexit:                            ; preds = %.lr.ph6
  %shift = shufflevector <8 x float> %204, <8 x float> poison, <8 x i32> <i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !36
  %foldExtExtBinop = fadd <8 x float> %204, %shift, !dbg !36
  %shift32 = shufflevector <8 x float> %204, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 3, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !36
  %foldExtExtBinop33 = fadd <8 x float> %204, %shift32, !dbg !36
  %shift35 = shufflevector <8 x float> %204, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 5, i32 poison, i32 poison, i32 poison>, !dbg !36
  %foldExtExtBinop36 = fadd <8 x float> %204, %shift35, !dbg !36
  %shift38 = shufflevector <8 x float> %204, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 7, i32 poison>, !dbg !36
  %foldExtExtBinop39 = fadd <8 x float> %204, %shift38, !dbg !36
  %shift41 = shufflevector <8 x float> %foldExtExtBinop33, <8 x float> poison, <8 x i32> <i32 2, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !36
  %foldExtExtBinop42 = fadd <8 x float> %foldExtExtBinop, %shift41, !dbg !36
  %shift44 = shufflevector <8 x float> %foldExtExtBinop39, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 6, i32 poison, i32 poison, i32 poison>, !dbg !36
  %foldExtExtBinop45 = fadd <8 x float> %foldExtExtBinop36, %shift44, !dbg !36
  %shift47 = shufflevector <8 x float> %foldExtExtBinop45, <8 x float> poison, <8 x i32> <i32 4, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !36
  %foldExtExtBinop48 = fadd <8 x float> %foldExtExtBinop42, %shift47, !dbg !36
  %207 = extractelement <8 x float> %foldExtExtBinop48, i64 0, !dbg !36
  br label %._crit_edge7, !dbg !37

._crit_edge7:                                     ; preds = %._crit_edge7.loopexit, %._crit_edge
  %208 = phi float [ 0.000000e+00, %._crit_edge ], [ %207, %._crit_edge7.loopexit ], !dbg !39
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !37
  %209 = bitcast float %208 to i32, !dbg !37
  %210 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %209, i32 16, i32 31), !dbg !37
  %211 = bitcast i32 %210 to float, !dbg !37
  %212 = fadd float %208, %211, !dbg !36
  %213 = bitcast float %212 to i32, !dbg !37
  %214 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %213, i32 8, i32 31), !dbg !37
  %215 = bitcast i32 %214 to float, !dbg !37
  %216 = fadd float %212, %215, !dbg !36
  %217 = bitcast float %216 to i32, !dbg !37
  %218 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %217, i32 4, i32 31), !dbg !37
  %219 = bitcast i32 %218 to float, !dbg !37
  %220 = fadd float %216, %219, !dbg !36
  %221 = bitcast float %220 to i32, !dbg !37
  %222 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %221, i32 2, i32 31), !dbg !37
  %223 = bitcast i32 %222 to float, !dbg !37
  %224 = fadd float %220, %223, !dbg !36
  %225 = bitcast float %224 to i32, !dbg !37
  %226 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %225, i32 1, i32 31), !dbg !37
  %227 = bitcast i32 %226 to float, !dbg !37
  %228 = fadd float %224, %227, !dbg !36
  store float %228, ptr addrspace(3) %112, align 4, !dbg !37
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !37
  %229 = load i32, ptr addrspace(3) %115, align 4, !dbg !37
  %230 = bitcast i32 %229 to float, !dbg !37
  %231 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %229, i32 2, i32 31), !dbg !37
  %232 = bitcast i32 %231 to float, !dbg !37
  %233 = fadd float %230, %232, !dbg !36
  %234 = bitcast float %233 to i32, !dbg !37
  %235 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %234, i32 1, i32 31), !dbg !37
  %236 = bitcast i32 %235 to float, !dbg !37
  %237 = fadd float %233, %236, !dbg !36
  %238 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %17, !dbg !40
  br i1 %19, label %.lr.ph10.preheader, label %._crit_edge11, !dbg !41

.lr.ph10.preheader:                               ; preds = %._crit_edge7
  %239 = insertelement <8 x float> poison, float %124, i64 0
  %240 = shufflevector <8 x float> %239, <8 x float> poison, <8 x i32> zeroinitializer
  br label %.lr.ph10, !dbg !41

.lr.ph10:                                         ; preds = %.lr.ph10.preheader, %.lr.ph10
  %241 = phi i32 [ %333, %.lr.ph10 ], [ 0, %.lr.ph10.preheader ]
  %242 = or disjoint i32 %241, %8, !dbg !42
  %243 = or disjoint i32 %241, %9, !dbg !42
  %244 = or disjoint i32 %241, %10, !dbg !42
  %245 = or disjoint i32 %241, %11, !dbg !42
  %246 = or disjoint i32 %241, %12, !dbg !42
  %247 = or disjoint i32 %241, %13, !dbg !42
  %248 = or disjoint i32 %241, %14, !dbg !42
  %249 = or disjoint i32 %241, %15, !dbg !42
  %250 = icmp slt i32 %242, %2, !dbg !43
  %251 = icmp slt i32 %243, %2, !dbg !43
  %252 = icmp slt i32 %244, %2, !dbg !43
  %253 = icmp slt i32 %245, %2, !dbg !43
  %254 = icmp slt i32 %246, %2, !dbg !43
  %255 = icmp slt i32 %247, %2, !dbg !43
  %256 = icmp slt i32 %248, %2, !dbg !43
  %257 = icmp slt i32 %249, %2, !dbg !43
  %258 = sext i32 %242 to i64, !dbg !44
  %259 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %258, !dbg !44
  %260 = sext i32 %243 to i64, !dbg !44
  %261 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %260, !dbg !44
  %262 = sext i32 %244 to i64, !dbg !44
  %263 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %262, !dbg !44
  %264 = sext i32 %245 to i64, !dbg !44
  %265 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %264, !dbg !44
  %266 = sext i32 %246 to i64, !dbg !44
  %267 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %266, !dbg !44
  %268 = sext i32 %247 to i64, !dbg !44
  %269 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %268, !dbg !44
  %270 = sext i32 %248 to i64, !dbg !44
  %271 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %270, !dbg !44
  %272 = sext i32 %249 to i64, !dbg !44
  %273 = getelementptr [4 x i8], ptr addrspace(1) %18, i64 %272, !dbg !44
  %274 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %259, i1 %250) #8, !dbg !45
  %275 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %261, i1 %251) #8, !dbg !45
  %276 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %263, i1 %252) #8, !dbg !45
  %277 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %265, i1 %253) #8, !dbg !45
  %278 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %267, i1 %254) #8, !dbg !45
  %279 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %269, i1 %255) #8, !dbg !45
  %280 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %271, i1 %256) #8, !dbg !45
  %281 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 -8388608, ptr addrspace(1) %273, i1 %257) #8, !dbg !45
  %282 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %258, !dbg !40
  %283 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %260, !dbg !40
  %284 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %262, !dbg !40
  %285 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %264, !dbg !40
  %286 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %266, !dbg !40
  %287 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %268, !dbg !40
  %288 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %270, !dbg !40
  %289 = getelementptr [4 x i8], ptr addrspace(1) %238, i64 %272, !dbg !40
  %290 = insertelement <8 x i32> poison, i32 %274, i64 0, !dbg !45
  %291 = insertelement <8 x i32> %290, i32 %275, i64 1, !dbg !45
  %292 = insertelement <8 x i32> %291, i32 %276, i64 2, !dbg !45
  %293 = insertelement <8 x i32> %292, i32 %277, i64 3, !dbg !45
  %294 = insertelement <8 x i32> %293, i32 %278, i64 4, !dbg !45
  %295 = insertelement <8 x i32> %294, i32 %279, i64 5, !dbg !45
  %296 = insertelement <8 x i32> %295, i32 %280, i64 6, !dbg !45
  %297 = insertelement <8 x i32> %296, i32 %281, i64 7, !dbg !45
  %298 = bitcast <8 x i32> %297 to <8 x float>, !dbg !45
  %299 = fsub <8 x float> %298, %240, !dbg !46
  %300 = fmul <8 x float> %299, splat (float f0x3FB8AA3B), !dbg !47
  %301 = extractelement <8 x float> %300, i64 0, !dbg !47
  %302 = tail call float @llvm.nvvm.ex2.approx.f32(float %301), !dbg !47
  %303 = extractelement <8 x float> %300, i64 1, !dbg !47
  %304 = tail call float @llvm.nvvm.ex2.approx.f32(float %303), !dbg !47
  %305 = extractelement <8 x float> %300, i64 2, !dbg !47
  %306 = tail call float @llvm.nvvm.ex2.approx.f32(float %305), !dbg !47
  %307 = extractelement <8 x float> %300, i64 3, !dbg !47
  %308 = tail call float @llvm.nvvm.ex2.approx.f32(float %307), !dbg !47
  %309 = extractelement <8 x float> %300, i64 4, !dbg !47
  %310 = tail call float @llvm.nvvm.ex2.approx.f32(float %309), !dbg !47
  %311 = extractelement <8 x float> %300, i64 5, !dbg !47
  %312 = tail call float @llvm.nvvm.ex2.approx.f32(float %311), !dbg !47
  %313 = extractelement <8 x float> %300, i64 6, !dbg !47
  %314 = tail call float @llvm.nvvm.ex2.approx.f32(float %313), !dbg !47
  %315 = extractelement <8 x float> %300, i64 7, !dbg !47
  %316 = tail call float @llvm.nvvm.ex2.approx.f32(float %315), !dbg !47
  %317 = tail call float @llvm.nvvm.div.full(float %302, float %237), !dbg !47
  %318 = tail call float @llvm.nvvm.div.full(float %304, float %237), !dbg !47
  %319 = tail call float @llvm.nvvm.div.full(float %306, float %237), !dbg !47
  %320 = tail call float @llvm.nvvm.div.full(float %308, float %237), !dbg !47
  %321 = tail call float @llvm.nvvm.div.full(float %310, float %237), !dbg !47
  %322 = tail call float @llvm.nvvm.div.full(float %312, float %237), !dbg !47
  %323 = tail call float @llvm.nvvm.div.full(float %314, float %237), !dbg !47
  %324 = tail call float @llvm.nvvm.div.full(float %316, float %237), !dbg !47
  %325 = bitcast float %317 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %325, ptr addrspace(1) %282, i1 %250) #8, !dbg !48
  %326 = bitcast float %318 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %326, ptr addrspace(1) %283, i1 %251) #8, !dbg !48
  %327 = bitcast float %319 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %327, ptr addrspace(1) %284, i1 %252) #8, !dbg !48
  %328 = bitcast float %320 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %328, ptr addrspace(1) %285, i1 %253) #8, !dbg !48
  %329 = bitcast float %321 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %329, ptr addrspace(1) %286, i1 %254) #8, !dbg !48
  %330 = bitcast float %322 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %330, ptr addrspace(1) %287, i1 %255) #8, !dbg !48
  %331 = bitcast float %323 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %331, ptr addrspace(1) %288, i1 %256) #8, !dbg !48
  %332 = bitcast float %324 to i32, !dbg !48
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %332, ptr addrspace(1) %289, i1 %257) #8, !dbg !48
  %333 = add i32 %241, 1024, !dbg !41
  %334 = icmp slt i32 %333, %2, !dbg !41
  br i1 %334, label %.lr.ph10, label %._crit_edge11, !dbg !41

._crit_edge11:                                    ; preds = %.lr.ph10, %._crit_edge7
  ret void, !dbg !49
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.maxnum.f32(float, float) #2

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) #3

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #4

; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.ex2.approx.f32(float) #5

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.div.full(float, float) #6

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <8 x float> @llvm.maxnum.v8f32(<8 x float>, <8 x float>) #7

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #4 = { convergent nocallback nounwind }
attributes #5 = { mustprogress nocallback nofree nosync nounwind willreturn memory(none) }
attributes #6 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
attributes #7 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #8 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "triton", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernels.py", directory: "./")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!4 = distinct !DISubprogram(name: "softmax", linkageName: "softmax", scope: !1, file: !1, line: 20, type: !5, scopeLine: 20, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!5 = !DISubroutineType(cc: DW_CC_normal, types: !6)
!6 = !{null, !7, !7, !9, !10, !10}
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !8, size: 64, dwarfAddressSpace: 1)
!8 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !11, size: 64, dwarfAddressSpace: 1)
!11 = !DIBasicType(name: "unknown_type", encoding: DW_ATE_signed)
!12 = !DILocation(line: 21, column: 11, scope: !4)
!13 = !DILocation(line: 24, column: 22, scope: !4)
!14 = !DILocation(line: 25, column: 29, scope: !4)
!15 = !DILocation(line: 25, column: 21, scope: !4)
!16 = !DILocation(line: 23, column: 5, scope: !4)
!17 = !DILocation(line: 24, column: 14, scope: !4)
!18 = !DILocation(line: 25, column: 54, scope: !4)
!19 = !DILocation(line: 25, column: 13, scope: !4)
!20 = !DILocation(line: 26, column: 19, scope: !4)
!21 = !DILocation(line: 196, column: 12, scope: !22, inlinedAt: !24)
!22 = distinct !DILexicalBlockFile(scope: !4, file: !23, discriminator: 0)
!23 = !DIFile(filename: "standard.py", directory: "./triton/language")
!24 = !DILocation(line: 216, column: 16, scope: !22, inlinedAt: !25)
!25 = !DILocation(line: 27, column: 11, scope: !26)
!26 = distinct !DILexicalBlockFile(scope: !4, file: !1, discriminator: 0)
!27 = !DILocation(line: 22, column: 15, scope: !4)
!28 = !DILocation(line: 29, column: 5, scope: !4)
!29 = !DILocation(line: 30, column: 14, scope: !4)
!30 = !DILocation(line: 31, column: 54, scope: !4)
!31 = !DILocation(line: 31, column: 21, scope: !4)
!32 = !DILocation(line: 31, column: 13, scope: !4)
!33 = !DILocation(line: 32, column: 24, scope: !4)
!34 = !DILocation(line: 32, column: 17, scope: !4)
!35 = !DILocation(line: 32, column: 9, scope: !4)
!36 = !DILocation(line: 287, column: 12, scope: !22, inlinedAt: !37)
!37 = !DILocation(line: 314, column: 12, scope: !22, inlinedAt: !38)
!38 = !DILocation(line: 33, column: 13, scope: !26)
!39 = !DILocation(line: 28, column: 12, scope: !4)
!40 = !DILocation(line: 37, column: 18, scope: !4)
!41 = !DILocation(line: 34, column: 5, scope: !4)
!42 = !DILocation(line: 35, column: 14, scope: !4)
!43 = !DILocation(line: 36, column: 54, scope: !4)
!44 = !DILocation(line: 36, column: 21, scope: !4)
!45 = !DILocation(line: 36, column: 13, scope: !4)
!46 = !DILocation(line: 37, column: 53, scope: !4)
!47 = !DILocation(line: 37, column: 46, scope: !4)
!48 = !DILocation(line: 37, column: 9, scope: !4)
!49 = !DILocation(line: 20, column: 1, scope: !4)
