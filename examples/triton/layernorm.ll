; layernorm of kernels.py, by generate.py with Triton 3.9.0.
; evo.kernel layernorm(x: in f32[M, N], w: in f32[N], b: in f32[N], y: out f32[M, N], eps: f32 range(1e-6, 1e-3) = 1e-5)
; evo.launch layernorm<<<M, 128, 16>>>(x, w, b, y, N, eps, 0, 0)
; evo.workload M = 4096, N = 4096
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"
target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-p101:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

@global_smem = external local_unnamed_addr addrspace(3) global [0 x i8], align 16
@.str = private unnamed_addr constant [11 x i8] c"__CUDA_FTZ\00", align 1
@.str.2 = private unnamed_addr constant [17 x i8] c"__CUDA_PREC_SQRT\00", align 1

; Function Attrs: nounwind
define ptx_kernel void @layernorm(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, ptr addrspace(1) %3, i32 %4, float %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 !dbg !6 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !14
  %10 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !15
  %11 = and i32 %10, 127, !dbg !15
  %12 = or disjoint i32 %11, 128, !dbg !15
  %13 = or disjoint i32 %11, 256, !dbg !15
  %14 = or disjoint i32 %11, 384, !dbg !15
  %15 = insertelement <4 x i32> poison, i32 %11, i64 0, !dbg !15
  %16 = insertelement <4 x i32> %15, i32 %10, i64 1, !dbg !15
  %17 = shufflevector <4 x i32> %16, <4 x i32> poison, <4 x i32> <i32 0, i32 0, i32 0, i32 1>, !dbg !15
  %18 = or <4 x i32> %17, <i32 512, i32 640, i32 768, i32 896>, !dbg !15
  %19 = mul i32 %4, %9, !dbg !16
  %20 = sext i32 %19 to i64, !dbg !17
  %21 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %20, !dbg !17
  %22 = icmp sgt i32 %4, 0, !dbg !18
  br i1 %22, label %.lr.ph.preheader, label %._crit_edge, !dbg !18

.lr.ph.preheader:                                 ; preds = %8
  %23 = extractelement <4 x i32> %18, i64 0
  %24 = extractelement <4 x i32> %18, i64 1
  %25 = extractelement <4 x i32> %18, i64 2
  %26 = extractelement <4 x i32> %18, i64 3
  br label %.lr.ph, !dbg !18

.lr.ph:                                           ; preds = %.lr.ph.preheader, %.lr.ph
  %27 = phi i32 [ %79, %.lr.ph ], [ 0, %.lr.ph.preheader ]
  %28 = phi <8 x float> [ %78, %.lr.ph ], [ zeroinitializer, %.lr.ph.preheader ]
  %29 = or disjoint i32 %27, %11, !dbg !19
  %30 = or disjoint i32 %27, %12, !dbg !19
  %31 = or disjoint i32 %27, %13, !dbg !19
  %32 = or disjoint i32 %27, %14, !dbg !19
  %33 = or disjoint i32 %27, %23, !dbg !19
  %34 = or disjoint i32 %27, %24, !dbg !19
  %35 = or disjoint i32 %27, %25, !dbg !19
  %36 = or disjoint i32 %27, %26, !dbg !19
  %37 = icmp slt i32 %29, %4, !dbg !20
  %38 = icmp slt i32 %30, %4, !dbg !20
  %39 = icmp slt i32 %31, %4, !dbg !20
  %40 = icmp slt i32 %32, %4, !dbg !20
  %41 = icmp slt i32 %33, %4, !dbg !20
  %42 = icmp slt i32 %34, %4, !dbg !20
  %43 = icmp slt i32 %35, %4, !dbg !20
  %44 = icmp slt i32 %36, %4, !dbg !20
  %45 = sext i32 %29 to i64, !dbg !17
  %46 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %45, !dbg !17
  %47 = sext i32 %30 to i64, !dbg !17
  %48 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %47, !dbg !17
  %49 = sext i32 %31 to i64, !dbg !17
  %50 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %49, !dbg !17
  %51 = sext i32 %32 to i64, !dbg !17
  %52 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %51, !dbg !17
  %53 = sext i32 %33 to i64, !dbg !17
  %54 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %53, !dbg !17
  %55 = sext i32 %34 to i64, !dbg !17
  %56 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %55, !dbg !17
  %57 = sext i32 %35 to i64, !dbg !17
  %58 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %57, !dbg !17
  %59 = sext i32 %36 to i64, !dbg !17
  %60 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %59, !dbg !17
  %61 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %46, i1 %37) #6, !dbg !21
  %62 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %48, i1 %38) #6, !dbg !21
  %63 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %50, i1 %39) #6, !dbg !21
  %64 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %52, i1 %40) #6, !dbg !21
  %65 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %54, i1 %41) #6, !dbg !21
  %66 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %56, i1 %42) #6, !dbg !21
  %67 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %58, i1 %43) #6, !dbg !21
  %68 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %60, i1 %44) #6, !dbg !21
  %69 = insertelement <8 x i32> poison, i32 %61, i64 0, !dbg !21
  %70 = insertelement <8 x i32> %69, i32 %62, i64 1, !dbg !21
  %71 = insertelement <8 x i32> %70, i32 %63, i64 2, !dbg !21
  %72 = insertelement <8 x i32> %71, i32 %64, i64 3, !dbg !21
  %73 = insertelement <8 x i32> %72, i32 %65, i64 4, !dbg !21
  %74 = insertelement <8 x i32> %73, i32 %66, i64 5, !dbg !21
  %75 = insertelement <8 x i32> %74, i32 %67, i64 6, !dbg !21
  %76 = insertelement <8 x i32> %75, i32 %68, i64 7, !dbg !21
  %77 = bitcast <8 x i32> %76 to <8 x float>, !dbg !21
  %78 = fadd <8 x float> %28, %77, !dbg !22
  %79 = add i32 %27, 1024, !dbg !18
  %80 = icmp slt i32 %79, %4, !dbg !18
  br i1 %80, label %.lr.ph, label %._crit_edge.loopexit, !dbg !18

._crit_edge.loopexit:                             ; preds = %.lr.ph
  %shift = shufflevector <8 x float> %78, <8 x float> poison, <8 x i32> <i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !23
  %foldExtExtBinop = fadd <8 x float> %78, %shift, !dbg !23
  %shift31 = shufflevector <8 x float> %78, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 3, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !23
  %foldExtExtBinop32 = fadd <8 x float> %78, %shift31, !dbg !23
  %shift34 = shufflevector <8 x float> %78, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 5, i32 poison, i32 poison, i32 poison>, !dbg !23
  %foldExtExtBinop35 = fadd <8 x float> %78, %shift34, !dbg !23
  %shift37 = shufflevector <8 x float> %78, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 7, i32 poison>, !dbg !23
  %foldExtExtBinop38 = fadd <8 x float> %78, %shift37, !dbg !23
  %shift40 = shufflevector <8 x float> %foldExtExtBinop32, <8 x float> poison, <8 x i32> <i32 2, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !23
  %foldExtExtBinop41 = fadd <8 x float> %foldExtExtBinop, %shift40, !dbg !23
  %shift43 = shufflevector <8 x float> %foldExtExtBinop38, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 6, i32 poison, i32 poison, i32 poison>, !dbg !23
  %foldExtExtBinop44 = fadd <8 x float> %foldExtExtBinop35, %shift43, !dbg !23
  %shift46 = shufflevector <8 x float> %foldExtExtBinop44, <8 x float> poison, <8 x i32> <i32 4, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !23
  %foldExtExtBinop47 = fadd <8 x float> %foldExtExtBinop41, %shift46, !dbg !23
  %81 = extractelement <8 x float> %foldExtExtBinop47, i64 0, !dbg !23
  br label %._crit_edge, !dbg !23

._crit_edge:                                      ; preds = %._crit_edge.loopexit, %8
  %82 = phi float [ 0.000000e+00, %8 ], [ %81, %._crit_edge.loopexit ], !dbg !23
  %83 = bitcast float %82 to i32, !dbg !26
  %84 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %83, i32 16, i32 31), !dbg !26
  %85 = bitcast i32 %84 to float, !dbg !26
  %86 = fadd float %82, %85, !dbg !23
  %87 = bitcast float %86 to i32, !dbg !26
  %88 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %87, i32 8, i32 31), !dbg !26
  %89 = bitcast i32 %88 to float, !dbg !26
  %90 = fadd float %86, %89, !dbg !23
  %91 = bitcast float %90 to i32, !dbg !26
  %92 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %91, i32 4, i32 31), !dbg !26
  %93 = bitcast i32 %92 to float, !dbg !26
  %94 = fadd float %90, %93, !dbg !23
  %95 = bitcast float %94 to i32, !dbg !26
  %96 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %95, i32 2, i32 31), !dbg !26
  %97 = bitcast i32 %96 to float, !dbg !26
  %98 = fadd float %94, %97, !dbg !23
  %99 = bitcast float %98 to i32, !dbg !26
  %100 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %99, i32 1, i32 31), !dbg !26
  %101 = bitcast i32 %100 to float, !dbg !26
  %102 = fadd float %98, %101, !dbg !23
  %103 = lshr i32 %10, 3, !dbg !26
  %104 = and i32 %103, 12, !dbg !26
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %104, !dbg !26
  store float %102, ptr addrspace(3) %105, align 4, !dbg !26
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !26
  %106 = shl nuw nsw i32 %10, 2, !dbg !26
  %107 = and i32 %106, 12, !dbg !26
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %107, !dbg !26
  %109 = load i32, ptr addrspace(3) %108, align 4, !dbg !26
  %110 = bitcast i32 %109 to float, !dbg !26
  %111 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %109, i32 2, i32 31), !dbg !26
  %112 = bitcast i32 %111 to float, !dbg !26
  %113 = fadd float %110, %112, !dbg !23
  %114 = bitcast float %113 to i32, !dbg !26
  %115 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %114, i32 1, i32 31), !dbg !26
  %116 = bitcast i32 %115 to float, !dbg !26
  %117 = fadd float %113, %116, !dbg !23
  %118 = sitofp i32 %4 to float, !dbg !29
  %119 = tail call float @llvm.nvvm.div.full(float %117, float %118), !dbg !29
  br i1 %22, label %.lr.ph6.preheader, label %._crit_edge7, !dbg !30

.lr.ph6.preheader:                                ; preds = %._crit_edge
  %120 = insertelement <8 x i32> poison, i32 %11, i64 0
  %121 = insertelement <8 x i32> %120, i32 %12, i64 1
  %122 = insertelement <8 x i32> %121, i32 %13, i64 2
  %123 = insertelement <8 x i32> %122, i32 %14, i64 3
  %124 = shufflevector <4 x i32> %18, <4 x i32> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
  %125 = shufflevector <8 x i32> %123, <8 x i32> %124, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %126 = insertelement <8 x i32> poison, i32 %4, i64 0
  %127 = shufflevector <8 x i32> %126, <8 x i32> poison, <8 x i32> zeroinitializer
  %128 = insertelement <8 x float> poison, float %119, i64 0
  %129 = shufflevector <8 x float> %128, <8 x float> poison, <8 x i32> zeroinitializer
  br label %.lr.ph6, !dbg !30

.lr.ph6:                                          ; preds = %.lr.ph6.preheader, %.lr.ph6
  %130 = phi i32 [ %189, %.lr.ph6 ], [ 0, %.lr.ph6.preheader ]
  %131 = phi <8 x float> [ %188, %.lr.ph6 ], [ zeroinitializer, %.lr.ph6.preheader ]
  %132 = insertelement <8 x i32> poison, i32 %130, i64 0, !dbg !31
  %133 = shufflevector <8 x i32> %132, <8 x i32> poison, <8 x i32> zeroinitializer, !dbg !31
  %134 = or disjoint <8 x i32> %133, %125, !dbg !31
  %135 = extractelement <8 x i32> %134, i64 0, !dbg !32
  %136 = sext i32 %135 to i64, !dbg !32
  %137 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %136, !dbg !32
  %138 = extractelement <8 x i32> %134, i64 1, !dbg !32
  %139 = sext i32 %138 to i64, !dbg !32
  %140 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %139, !dbg !32
  %141 = extractelement <8 x i32> %134, i64 2, !dbg !32
  %142 = sext i32 %141 to i64, !dbg !32
  %143 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %142, !dbg !32
  %144 = extractelement <8 x i32> %134, i64 3, !dbg !32
  %145 = sext i32 %144 to i64, !dbg !32
  %146 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %145, !dbg !32
  %147 = extractelement <8 x i32> %134, i64 4, !dbg !32
  %148 = sext i32 %147 to i64, !dbg !32
  %149 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %148, !dbg !32
  %150 = extractelement <8 x i32> %134, i64 5, !dbg !32
  %151 = sext i32 %150 to i64, !dbg !32
  %152 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %151, !dbg !32
  %153 = extractelement <8 x i32> %134, i64 6, !dbg !32
  %154 = sext i32 %153 to i64, !dbg !32
  %155 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %154, !dbg !32
  %156 = extractelement <8 x i32> %134, i64 7, !dbg !32
  %157 = sext i32 %156 to i64, !dbg !32
  %158 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %157, !dbg !32
  %159 = icmp slt <8 x i32> %134, %127, !dbg !33
  %160 = extractelement <8 x i1> %159, i64 0, !dbg !34
  %161 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %137, i1 %160) #6, !dbg !34
  %162 = extractelement <8 x i1> %159, i64 1, !dbg !34
  %163 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %140, i1 %162) #6, !dbg !34
  %164 = extractelement <8 x i1> %159, i64 2, !dbg !34
  %165 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %143, i1 %164) #6, !dbg !34
  %166 = extractelement <8 x i1> %159, i64 3, !dbg !34
  %167 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %146, i1 %166) #6, !dbg !34
  %168 = extractelement <8 x i1> %159, i64 4, !dbg !34
  %169 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %149, i1 %168) #6, !dbg !34
  %170 = extractelement <8 x i1> %159, i64 5, !dbg !34
  %171 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %152, i1 %170) #6, !dbg !34
  %172 = extractelement <8 x i1> %159, i64 6, !dbg !34
  %173 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %155, i1 %172) #6, !dbg !34
  %174 = extractelement <8 x i1> %159, i64 7, !dbg !34
  %175 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %158, i1 %174) #6, !dbg !34
  %176 = insertelement <8 x i32> poison, i32 %161, i64 0, !dbg !34
  %177 = insertelement <8 x i32> %176, i32 %163, i64 1, !dbg !34
  %178 = insertelement <8 x i32> %177, i32 %165, i64 2, !dbg !34
  %179 = insertelement <8 x i32> %178, i32 %167, i64 3, !dbg !34
  %180 = insertelement <8 x i32> %179, i32 %169, i64 4, !dbg !34
  %181 = insertelement <8 x i32> %180, i32 %171, i64 5, !dbg !34
  %182 = insertelement <8 x i32> %181, i32 %173, i64 6, !dbg !34
  %183 = insertelement <8 x i32> %182, i32 %175, i64 7, !dbg !34
  %184 = bitcast <8 x i32> %183 to <8 x float>, !dbg !34
  %185 = fsub <8 x float> %184, %129, !dbg !35
  %186 = select <8 x i1> %159, <8 x float> %185, <8 x float> zeroinitializer, !dbg !36
  %187 = fmul <8 x float> %186, %186, !dbg !37
  %188 = fadd <8 x float> %131, %187, !dbg !38
  %189 = add i32 %130, 1024, !dbg !30
  %190 = icmp slt i32 %189, %4, !dbg !30
  br i1 %190, label %.lr.ph6, label %._crit_edge7.loopexit, !dbg !30

._crit_edge7.loopexit:                            ; preds = %.lr.ph6
  %shift49 = shufflevector <8 x float> %188, <8 x float> poison, <8 x i32> <i32 1, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !39
  %foldExtExtBinop50 = fadd <8 x float> %188, %shift49, !dbg !39
  %shift52 = shufflevector <8 x float> %188, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 3, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !39
  %foldExtExtBinop53 = fadd <8 x float> %188, %shift52, !dbg !39
  %shift55 = shufflevector <8 x float> %188, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 5, i32 poison, i32 poison, i32 poison>, !dbg !39
  %foldExtExtBinop56 = fadd <8 x float> %188, %shift55, !dbg !39
  %shift58 = shufflevector <8 x float> %188, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 7, i32 poison>, !dbg !39
  %foldExtExtBinop59 = fadd <8 x float> %188, %shift58, !dbg !39
  %shift61 = shufflevector <8 x float> %foldExtExtBinop53, <8 x float> poison, <8 x i32> <i32 2, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !39
  %foldExtExtBinop62 = fadd <8 x float> %foldExtExtBinop50, %shift61, !dbg !39
  %shift64 = shufflevector <8 x float> %foldExtExtBinop59, <8 x float> poison, <8 x i32> <i32 poison, i32 poison, i32 poison, i32 poison, i32 6, i32 poison, i32 poison, i32 poison>, !dbg !39
  %foldExtExtBinop65 = fadd <8 x float> %foldExtExtBinop56, %shift64, !dbg !39
  %shift67 = shufflevector <8 x float> %foldExtExtBinop65, <8 x float> poison, <8 x i32> <i32 4, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison, i32 poison>, !dbg !39
  %foldExtExtBinop68 = fadd <8 x float> %foldExtExtBinop62, %shift67, !dbg !39
  %191 = extractelement <8 x float> %foldExtExtBinop68, i64 0, !dbg !39
  br label %._crit_edge7, !dbg !40

._crit_edge7:                                     ; preds = %._crit_edge7.loopexit, %._crit_edge
  %192 = phi float [ 0.000000e+00, %._crit_edge ], [ %191, %._crit_edge7.loopexit ], !dbg !42
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !40
  %193 = bitcast float %192 to i32, !dbg !40
  %194 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %193, i32 16, i32 31), !dbg !40
  %195 = bitcast i32 %194 to float, !dbg !40
  %196 = fadd float %192, %195, !dbg !39
  %197 = bitcast float %196 to i32, !dbg !40
  %198 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %197, i32 8, i32 31), !dbg !40
  %199 = bitcast i32 %198 to float, !dbg !40
  %200 = fadd float %196, %199, !dbg !39
  %201 = bitcast float %200 to i32, !dbg !40
  %202 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %201, i32 4, i32 31), !dbg !40
  %203 = bitcast i32 %202 to float, !dbg !40
  %204 = fadd float %200, %203, !dbg !39
  %205 = bitcast float %204 to i32, !dbg !40
  %206 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %205, i32 2, i32 31), !dbg !40
  %207 = bitcast i32 %206 to float, !dbg !40
  %208 = fadd float %204, %207, !dbg !39
  %209 = bitcast float %208 to i32, !dbg !40
  %210 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %209, i32 1, i32 31), !dbg !40
  %211 = bitcast i32 %210 to float, !dbg !40
  %212 = fadd float %208, %211, !dbg !39
  store float %212, ptr addrspace(3) %105, align 4, !dbg !40
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !40
  %213 = load i32, ptr addrspace(3) %108, align 4, !dbg !40
  %214 = bitcast i32 %213 to float, !dbg !40
  %215 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %213, i32 2, i32 31), !dbg !40
  %216 = bitcast i32 %215 to float, !dbg !40
  %217 = fadd float %214, %216, !dbg !39
  %218 = bitcast float %217 to i32, !dbg !40
  %219 = tail call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %218, i32 1, i32 31), !dbg !40
  %220 = bitcast i32 %219 to float, !dbg !40
  %221 = fadd float %217, %220, !dbg !39
  %222 = tail call float @llvm.nvvm.div.full(float %221, float %118), !dbg !43
  %223 = fadd float %5, %222, !dbg !43
  %224 = tail call i32 @__nvvm_reflect(ptr nonnull @.str) #6, !dbg !44
  %.not.i = icmp eq i32 %224, 0, !dbg !44
  %225 = tail call i32 @__nvvm_reflect(ptr nonnull @.str.2) #6, !dbg !44
  %.not1.i = icmp eq i32 %225, 0, !dbg !44
  br i1 %.not.i, label %231, label %226, !dbg !44

226:                                              ; preds = %._crit_edge7
  br i1 %.not1.i, label %229, label %227, !dbg !44

227:                                              ; preds = %226
  %228 = tail call float @llvm.nvvm.sqrt.rn.ftz.f(float %223) #6, !dbg !44
  br label %__nv_sqrtf.exit, !dbg !44

229:                                              ; preds = %226
  %230 = tail call float @llvm.nvvm.sqrt.approx.ftz.f(float %223) #6, !dbg !44
  br label %__nv_sqrtf.exit, !dbg !44

231:                                              ; preds = %._crit_edge7
  br i1 %.not1.i, label %234, label %232, !dbg !44

232:                                              ; preds = %231
  %233 = tail call float @llvm.nvvm.sqrt.rn.f(float %223) #6, !dbg !44
  br label %__nv_sqrtf.exit, !dbg !44

234:                                              ; preds = %231
  %235 = tail call float @llvm.nvvm.sqrt.approx.f(float %223) #6, !dbg !44
  br label %__nv_sqrtf.exit, !dbg !44

__nv_sqrtf.exit:                                  ; preds = %227, %229, %232, %234
  %.0.i = phi float [ %228, %227 ], [ %230, %229 ], [ %233, %232 ], [ %235, %234 ], !dbg !44
  %236 = tail call float @llvm.nvvm.div.full(float 1.000000e+00, float %.0.i), !dbg !45
  %237 = getelementptr [4 x i8], ptr addrspace(1) %3, i64 %20, !dbg !46
  br i1 %22, label %.lr.ph9.preheader, label %._crit_edge10, !dbg !47

.lr.ph9.preheader:                                ; preds = %__nv_sqrtf.exit
  %238 = extractelement <4 x i32> %18, i64 0
  %239 = extractelement <4 x i32> %18, i64 1
  %240 = extractelement <4 x i32> %18, i64 2
  %241 = extractelement <4 x i32> %18, i64 3
  br label %.lr.ph9, !dbg !47

.lr.ph9:                                          ; preds = %.lr.ph9.preheader, %.lr.ph9
  %242 = phi i32 [ %387, %.lr.ph9 ], [ 0, %.lr.ph9.preheader ]
  %243 = or disjoint i32 %242, %11, !dbg !48
  %244 = or disjoint i32 %242, %12, !dbg !48
  %245 = or disjoint i32 %242, %13, !dbg !48
  %246 = or disjoint i32 %242, %14, !dbg !48
  %247 = or disjoint i32 %242, %238, !dbg !48
  %248 = or disjoint i32 %242, %239, !dbg !48
  %249 = or disjoint i32 %242, %240, !dbg !48
  %250 = or disjoint i32 %242, %241, !dbg !48
  %251 = icmp slt i32 %243, %4, !dbg !49
  %252 = icmp slt i32 %244, %4, !dbg !49
  %253 = icmp slt i32 %245, %4, !dbg !49
  %254 = icmp slt i32 %246, %4, !dbg !49
  %255 = icmp slt i32 %247, %4, !dbg !49
  %256 = icmp slt i32 %248, %4, !dbg !49
  %257 = icmp slt i32 %249, %4, !dbg !49
  %258 = icmp slt i32 %250, %4, !dbg !49
  %259 = sext i32 %243 to i64, !dbg !50
  %260 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %259, !dbg !50
  %261 = sext i32 %244 to i64, !dbg !50
  %262 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %261, !dbg !50
  %263 = sext i32 %245 to i64, !dbg !50
  %264 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %263, !dbg !50
  %265 = sext i32 %246 to i64, !dbg !50
  %266 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %265, !dbg !50
  %267 = sext i32 %247 to i64, !dbg !50
  %268 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %267, !dbg !50
  %269 = sext i32 %248 to i64, !dbg !50
  %270 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %269, !dbg !50
  %271 = sext i32 %249 to i64, !dbg !50
  %272 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %271, !dbg !50
  %273 = sext i32 %250 to i64, !dbg !50
  %274 = getelementptr [4 x i8], ptr addrspace(1) %21, i64 %273, !dbg !50
  %275 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %260, i1 %251) #6, !dbg !51
  %276 = bitcast i32 %275 to float, !dbg !51
  %277 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %262, i1 %252) #6, !dbg !51
  %278 = bitcast i32 %277 to float, !dbg !51
  %279 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %264, i1 %253) #6, !dbg !51
  %280 = bitcast i32 %279 to float, !dbg !51
  %281 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %266, i1 %254) #6, !dbg !51
  %282 = bitcast i32 %281 to float, !dbg !51
  %283 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %268, i1 %255) #6, !dbg !51
  %284 = bitcast i32 %283 to float, !dbg !51
  %285 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %270, i1 %256) #6, !dbg !51
  %286 = bitcast i32 %285 to float, !dbg !51
  %287 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %272, i1 %257) #6, !dbg !51
  %288 = bitcast i32 %287 to float, !dbg !51
  %289 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %274, i1 %258) #6, !dbg !51
  %290 = bitcast i32 %289 to float, !dbg !51
  %291 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %259, !dbg !52
  %292 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %261, !dbg !52
  %293 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %263, !dbg !52
  %294 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %265, !dbg !52
  %295 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %267, !dbg !52
  %296 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %269, !dbg !52
  %297 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %271, !dbg !52
  %298 = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %273, !dbg !52
  %299 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %291, i1 %251) #6, !dbg !53
  %300 = bitcast i32 %299 to float, !dbg !53
  %301 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %292, i1 %252) #6, !dbg !53
  %302 = bitcast i32 %301 to float, !dbg !53
  %303 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %293, i1 %253) #6, !dbg !53
  %304 = bitcast i32 %303 to float, !dbg !53
  %305 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %294, i1 %254) #6, !dbg !53
  %306 = bitcast i32 %305 to float, !dbg !53
  %307 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %295, i1 %255) #6, !dbg !53
  %308 = bitcast i32 %307 to float, !dbg !53
  %309 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %296, i1 %256) #6, !dbg !53
  %310 = bitcast i32 %309 to float, !dbg !53
  %311 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %297, i1 %257) #6, !dbg !53
  %312 = bitcast i32 %311 to float, !dbg !53
  %313 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %298, i1 %258) #6, !dbg !53
  %314 = bitcast i32 %313 to float, !dbg !53
  %315 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %259, !dbg !54
  %316 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %261, !dbg !54
  %317 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %263, !dbg !54
  %318 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %265, !dbg !54
  %319 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %267, !dbg !54
  %320 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %269, !dbg !54
  %321 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %271, !dbg !54
  %322 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %273, !dbg !54
  %323 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %315, i1 %251) #6, !dbg !55
  %324 = bitcast i32 %323 to float, !dbg !55
  %325 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %316, i1 %252) #6, !dbg !55
  %326 = bitcast i32 %325 to float, !dbg !55
  %327 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %317, i1 %253) #6, !dbg !55
  %328 = bitcast i32 %327 to float, !dbg !55
  %329 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %318, i1 %254) #6, !dbg !55
  %330 = bitcast i32 %329 to float, !dbg !55
  %331 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %319, i1 %255) #6, !dbg !55
  %332 = bitcast i32 %331 to float, !dbg !55
  %333 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %320, i1 %256) #6, !dbg !55
  %334 = bitcast i32 %333 to float, !dbg !55
  %335 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %321, i1 %257) #6, !dbg !55
  %336 = bitcast i32 %335 to float, !dbg !55
  %337 = tail call i32 asm sideeffect "mov.u32 $0, 0x0;\0A\09@$2 ld.global.b32 { $0 }, [ $1 + 0 ];", "=r,l,b"(ptr addrspace(1) %322, i1 %258) #6, !dbg !55
  %338 = bitcast i32 %337 to float, !dbg !55
  %339 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %259, !dbg !46
  %340 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %261, !dbg !46
  %341 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %263, !dbg !46
  %342 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %265, !dbg !46
  %343 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %267, !dbg !46
  %344 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %269, !dbg !46
  %345 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %271, !dbg !46
  %346 = getelementptr [4 x i8], ptr addrspace(1) %237, i64 %273, !dbg !46
  %347 = fsub float %276, %119, !dbg !56
  %348 = fsub float %278, %119, !dbg !56
  %349 = fsub float %280, %119, !dbg !56
  %350 = fsub float %282, %119, !dbg !56
  %351 = fsub float %284, %119, !dbg !56
  %352 = fsub float %286, %119, !dbg !56
  %353 = fsub float %288, %119, !dbg !56
  %354 = fsub float %290, %119, !dbg !56
  %355 = fmul float %236, %347, !dbg !57
  %356 = fmul float %236, %348, !dbg !57
  %357 = fmul float %236, %349, !dbg !57
  %358 = fmul float %236, %350, !dbg !57
  %359 = fmul float %236, %351, !dbg !57
  %360 = fmul float %236, %352, !dbg !57
  %361 = fmul float %236, %353, !dbg !57
  %362 = fmul float %236, %354, !dbg !57
  %363 = fmul float %355, %300, !dbg !57
  %364 = fmul float %356, %302, !dbg !57
  %365 = fmul float %357, %304, !dbg !57
  %366 = fmul float %358, %306, !dbg !57
  %367 = fmul float %359, %308, !dbg !57
  %368 = fmul float %360, %310, !dbg !57
  %369 = fmul float %361, %312, !dbg !57
  %370 = fmul float %362, %314, !dbg !57
  %371 = fadd float %363, %324, !dbg !57
  %372 = fadd float %364, %326, !dbg !57
  %373 = fadd float %365, %328, !dbg !57
  %374 = fadd float %366, %330, !dbg !57
  %375 = fadd float %367, %332, !dbg !57
  %376 = fadd float %368, %334, !dbg !57
  %377 = fadd float %369, %336, !dbg !57
  %378 = fadd float %370, %338, !dbg !57
  %379 = bitcast float %371 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %379, ptr addrspace(1) %339, i1 %251) #6, !dbg !58
  %380 = bitcast float %372 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %380, ptr addrspace(1) %340, i1 %252) #6, !dbg !58
  %381 = bitcast float %373 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %381, ptr addrspace(1) %341, i1 %253) #6, !dbg !58
  %382 = bitcast float %374 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %382, ptr addrspace(1) %342, i1 %254) #6, !dbg !58
  %383 = bitcast float %375 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %383, ptr addrspace(1) %343, i1 %255) #6, !dbg !58
  %384 = bitcast float %376 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %384, ptr addrspace(1) %344, i1 %256) #6, !dbg !58
  %385 = bitcast float %377 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %385, ptr addrspace(1) %345, i1 %257) #6, !dbg !58
  %386 = bitcast float %378 to i32, !dbg !58
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %386, ptr addrspace(1) %346, i1 %258) #6, !dbg !58
  %387 = add i32 %242, 1024, !dbg !47
  %388 = icmp slt i32 %387, %4, !dbg !47
  br i1 %388, label %.lr.ph9, label %._crit_edge10, !dbg !47

._crit_edge10:                                    ; preds = %.lr.ph9, %__nv_sqrtf.exit
  ret void, !dbg !59
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) #2

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.div.full(float, float) #4

declare i32 @__nvvm_reflect(ptr) local_unnamed_addr #5

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.rn.ftz.f(float) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.rn.f(float) #4

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none)
declare float @llvm.nvvm.sqrt.approx.f(float) #4

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind willreturn memory(none) }
attributes #5 = { "disable-tail-calls"="false" "frame-pointer"="all" "less-precise-fpmad"="false" "no-infs-fp-math"="false" "no-nans-fp-math"="false" "stack-protector-buffer-size"="8" "unsafe-fp-math"="false" "use-soft-float"="false" }
attributes #6 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!llvm.ident = !{!4}
!nvvmir.version = !{!5}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "triton", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernels.py", directory: "./")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!4 = !{!"clang version 3.8.0 (tags/RELEASE_380/final)"}
!5 = !{i32 2, i32 0}
!6 = distinct !DISubprogram(name: "layernorm", linkageName: "layernorm", scope: !1, file: !1, line: 41, type: !7, scopeLine: 41, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!7 = !DISubroutineType(cc: DW_CC_normal, types: !8)
!8 = !{null, !9, !9, !9, !9, !11, !10, !12, !12}
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !10, size: 64, dwarfAddressSpace: 1)
!10 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !13, size: 64, dwarfAddressSpace: 1)
!13 = !DIBasicType(name: "unknown_type", encoding: DW_ATE_signed)
!14 = !DILocation(line: 42, column: 11, scope: !6)
!15 = !DILocation(line: 45, column: 22, scope: !6)
!16 = !DILocation(line: 46, column: 33, scope: !6)
!17 = !DILocation(line: 46, column: 25, scope: !6)
!18 = !DILocation(line: 44, column: 5, scope: !6)
!19 = !DILocation(line: 45, column: 14, scope: !6)
!20 = !DILocation(line: 46, column: 58, scope: !6)
!21 = !DILocation(line: 46, column: 17, scope: !6)
!22 = !DILocation(line: 46, column: 9, scope: !6)
!23 = !DILocation(line: 287, column: 12, scope: !24, inlinedAt: !26)
!24 = distinct !DILexicalBlockFile(scope: !6, file: !25, discriminator: 0)
!25 = !DIFile(filename: "standard.py", directory: "./triton/language")
!26 = !DILocation(line: 314, column: 12, scope: !24, inlinedAt: !27)
!27 = !DILocation(line: 47, column: 12, scope: !28)
!28 = distinct !DILexicalBlockFile(scope: !6, file: !1, discriminator: 0)
!29 = !DILocation(line: 47, column: 12, scope: !6)
!30 = !DILocation(line: 49, column: 5, scope: !6)
!31 = !DILocation(line: 50, column: 14, scope: !6)
!32 = !DILocation(line: 51, column: 21, scope: !6)
!33 = !DILocation(line: 51, column: 54, scope: !6)
!34 = !DILocation(line: 51, column: 13, scope: !6)
!35 = !DILocation(line: 52, column: 40, scope: !6)
!36 = !DILocation(line: 52, column: 17, scope: !6)
!37 = !DILocation(line: 53, column: 20, scope: !6)
!38 = !DILocation(line: 53, column: 9, scope: !6)
!39 = !DILocation(line: 287, column: 12, scope: !24, inlinedAt: !40)
!40 = !DILocation(line: 314, column: 12, scope: !24, inlinedAt: !41)
!41 = !DILocation(line: 54, column: 27, scope: !28)
!42 = !DILocation(line: 48, column: 15, scope: !6)
!43 = !DILocation(line: 54, column: 27, scope: !6)
!44 = !DILocation(line: 54, column: 19, scope: !6)
!45 = !DILocation(line: 54, column: 13, scope: !6)
!46 = !DILocation(line: 61, column: 18, scope: !6)
!47 = !DILocation(line: 55, column: 5, scope: !6)
!48 = !DILocation(line: 56, column: 14, scope: !6)
!49 = !DILocation(line: 57, column: 18, scope: !6)
!50 = !DILocation(line: 58, column: 21, scope: !6)
!51 = !DILocation(line: 58, column: 13, scope: !6)
!52 = !DILocation(line: 59, column: 21, scope: !6)
!53 = !DILocation(line: 59, column: 13, scope: !6)
!54 = !DILocation(line: 60, column: 21, scope: !6)
!55 = !DILocation(line: 60, column: 13, scope: !6)
!56 = !DILocation(line: 61, column: 47, scope: !6)
!57 = !DILocation(line: 61, column: 46, scope: !6)
!58 = !DILocation(line: 61, column: 9, scope: !6)
!59 = !DILocation(line: 41, column: 1, scope: !6)
