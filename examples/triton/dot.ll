; dot of kernels.py, by generate.py with Triton 3.9.0.
; evo.kernel dot(a: in f16[M, K], b: in f16[K, N], c: out f32[M, N])
; evo.launch dot<<<(ceildiv(M, 32), ceildiv(N, 32)), 128, 8192>>>(a, b, c, M, N, K, 0, 0)
; evo.workload M = 1024, N = 1024, K = 1024
; evo.require M % 16 == 0, N % 16 == 0, K % 16 == 0
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"
target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-p101:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

@global_smem = external addrspace(3) global [0 x i8], align 16

; Function Attrs: nounwind
define ptx_kernel void @dot(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 !dbg !4 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !14
  %10 = shl i32 %9, 5, !dbg !14
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !15
  %12 = lshr i32 %11, 2, !dbg !15
  %13 = and i32 %12, 31, !dbg !15
  %14 = and i32 %11, 3, !dbg !15
  %15 = shl nuw nsw i32 %14, 3, !dbg !15
  %16 = or disjoint i32 %13, %10, !dbg !14
  %17 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !16
  %18 = shl nuw nsw i32 %17, 5, !dbg !16
  %19 = or disjoint i32 %15, %18, !dbg !16
  %20 = icmp slt i32 %16, %3, !dbg !17
  %21 = mul i32 %5, %16, !dbg !18
  %22 = sext i32 %21 to i64, !dbg !19
  %23 = getelementptr [2 x i8], ptr addrspace(1) %0, i64 %22, !dbg !19
  %24 = icmp slt i32 %19, %4, !dbg !20
  %25 = icmp sgt i32 %5, 0, !dbg !21
  %26 = icmp slt i32 %15, %5, !dbg !22
  %27 = zext nneg i32 %15 to i64, !dbg !19
  %28 = getelementptr [2 x i8], ptr addrspace(1) %23, i64 %27, !dbg !19
  %29 = and i1 %26, %25, !dbg !21
  %30 = and i1 %20, %29, !dbg !21
  %31 = shl nuw nsw i32 %11, 4, !dbg !23
  %32 = and i32 %31, 2032, !dbg !23
  %33 = shl nuw nsw i32 %11, 1, !dbg !23
  %34 = and i32 %33, 48, !dbg !23
  %35 = xor i32 %32, %34, !dbg !23
  %36 = getelementptr i8, ptr addrspace(3) @global_smem, i32 %35, !dbg !23
  %37 = select i1 %30, i32 16, i32 0, !dbg !23
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %36, ptr addrspace(1) %28, i32 %37) #2, !dbg !23
  tail call void @llvm.nvvm.cp.async.commit.group(), !dbg !23
  %38 = icmp slt i32 %13, %5, !dbg !24
  %39 = and i1 %24, %38, !dbg !25
  %40 = mul i32 %4, %13, !dbg !26
  %41 = sext i32 %40 to i64, !dbg !27
  %42 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %41, !dbg !27
  %43 = zext nneg i32 %19 to i64, !dbg !27
  %44 = getelementptr [2 x i8], ptr addrspace(1) %42, i64 %43, !dbg !27
  %45 = getelementptr i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %35, !dbg !28
  %46 = select i1 %39, i32 16, i32 0, !dbg !28
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %45, ptr addrspace(1) %44, i32 %46) #2, !dbg !28
  tail call void @llvm.nvvm.cp.async.commit.group(), !dbg !28
  %47 = icmp sgt i32 %5, 32, !dbg !21
  %48 = or disjoint i32 %15, 32, !dbg !29
  %49 = or disjoint i32 %13, 32, !dbg !29
  %50 = icmp slt i32 %48, %5, !dbg !22
  %51 = and i1 %20, %50, !dbg !30
  %52 = zext nneg i32 %48 to i64, !dbg !19
  %53 = getelementptr [2 x i8], ptr addrspace(1) %23, i64 %52, !dbg !19
  %54 = and i1 %47, %51, !dbg !21
  %55 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %35, !dbg !23
  %56 = select i1 %54, i32 16, i32 0, !dbg !23
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %55, ptr addrspace(1) %53, i32 %56) #2, !dbg !23
  tail call void @llvm.nvvm.cp.async.commit.group(), !dbg !23
  %57 = icmp slt i32 %49, %5, !dbg !24
  %58 = and i1 %24, %57, !dbg !25
  %59 = mul i32 %4, %49, !dbg !26
  %60 = sext i32 %59 to i64, !dbg !27
  %61 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %60, !dbg !27
  %62 = getelementptr [2 x i8], ptr addrspace(1) %61, i64 %43, !dbg !27
  %63 = and i1 %47, %58, !dbg !21
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 6144), i32 %35, !dbg !28
  %65 = select i1 %63, i32 16, i32 0, !dbg !28
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %64, ptr addrspace(1) %62, i32 %65) #2, !dbg !28
  tail call void @llvm.nvvm.cp.async.commit.group(), !dbg !28
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2), !dbg !23
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !23
  %66 = shl nuw nsw i32 %11, 6, !dbg !23
  %67 = and i32 %66, 960, !dbg !23
  %68 = shl nuw nsw i32 %11, 3, !dbg !23
  %69 = and i32 %68, 48, !dbg !23
  %70 = and i32 %11, 16, !dbg !23
  %71 = and i32 %31, 1024, !dbg !23
  %72 = xor i32 %69, %70, !dbg !23
  %73 = or disjoint i32 %71, %72, !dbg !23
  %74 = or disjoint i32 %73, %67, !dbg !23
  %75 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %74, !dbg !23
  %76 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %75), !dbg !23
  %77 = shl nuw nsw i32 %70, 1, !dbg !28
  %78 = and i32 %11, 32, !dbg !28
  %79 = lshr exact i32 %78, 1, !dbg !28
  %80 = or disjoint i32 %67, %69, !dbg !28
  %81 = or disjoint i32 %77, %79, !dbg !28
  %82 = xor i32 %80, %81, !dbg !28
  %83 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %82, !dbg !28
  %84 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %83), !dbg !28
  %invariant.gep47 = getelementptr [2 x i8], ptr addrspace(1) %1, i64 %43, !dbg !21
  br i1 %25, label %.lr.ph, label %._crit_edge, !dbg !21

.lr.ph:                                           ; preds = %8
  %85 = extractvalue { i32, i32, i32, i32 } %84, 3, !dbg !28
  %86 = bitcast i32 %85 to <2 x half>, !dbg !28
  %87 = extractelement <2 x half> %86, i64 1, !dbg !28
  %88 = extractelement <2 x half> %86, i64 0, !dbg !28
  %89 = extractvalue { i32, i32, i32, i32 } %84, 2, !dbg !28
  %90 = bitcast i32 %89 to <2 x half>, !dbg !28
  %91 = extractelement <2 x half> %90, i64 1, !dbg !28
  %92 = extractelement <2 x half> %90, i64 0, !dbg !28
  %93 = extractvalue { i32, i32, i32, i32 } %84, 1, !dbg !28
  %94 = bitcast i32 %93 to <2 x half>, !dbg !28
  %95 = extractelement <2 x half> %94, i64 1, !dbg !28
  %96 = extractelement <2 x half> %94, i64 0, !dbg !28
  %97 = extractvalue { i32, i32, i32, i32 } %84, 0, !dbg !28
  %98 = bitcast i32 %97 to <2 x half>, !dbg !28
  %99 = extractelement <2 x half> %98, i64 1, !dbg !28
  %100 = extractelement <2 x half> %98, i64 0, !dbg !28
  %101 = extractvalue { i32, i32, i32, i32 } %76, 3, !dbg !23
  %102 = bitcast i32 %101 to <2 x half>, !dbg !23
  %103 = extractelement <2 x half> %102, i64 1, !dbg !23
  %104 = extractelement <2 x half> %102, i64 0, !dbg !23
  %105 = extractvalue { i32, i32, i32, i32 } %76, 2, !dbg !23
  %106 = bitcast i32 %105 to <2 x half>, !dbg !23
  %107 = extractelement <2 x half> %106, i64 1, !dbg !23
  %108 = extractelement <2 x half> %106, i64 0, !dbg !23
  %109 = extractvalue { i32, i32, i32, i32 } %76, 1, !dbg !23
  %110 = bitcast i32 %109 to <2 x half>, !dbg !23
  %111 = extractelement <2 x half> %110, i64 1, !dbg !23
  %112 = extractelement <2 x half> %110, i64 0, !dbg !23
  %113 = extractvalue { i32, i32, i32, i32 } %76, 0, !dbg !23
  %114 = bitcast i32 %113 to <2 x half>, !dbg !23
  %115 = extractelement <2 x half> %114, i64 1, !dbg !23
  %116 = extractelement <2 x half> %114, i64 0, !dbg !23
  %117 = add nsw i32 %5, -64
  %118 = xor i32 %74, 32
  br label %119, !dbg !21

119:                                              ; preds = %.lr.ph, %119
  %.pn1866 = phi half [ %87, %.lr.ph ], [ %244, %119 ]
  %.pn2065 = phi half [ %88, %.lr.ph ], [ %243, %119 ]
  %.pn2264 = phi half [ %91, %.lr.ph ], [ %241, %119 ]
  %.pn2463 = phi half [ %92, %.lr.ph ], [ %240, %119 ]
  %.pn2662 = phi half [ %95, %.lr.ph ], [ %238, %119 ]
  %.pn2861 = phi half [ %96, %.lr.ph ], [ %237, %119 ]
  %.pn3060 = phi half [ %99, %.lr.ph ], [ %235, %119 ]
  %.pn3259 = phi half [ %100, %.lr.ph ], [ %234, %119 ]
  %.pn258 = phi half [ %103, %.lr.ph ], [ %226, %119 ]
  %.pn457 = phi half [ %104, %.lr.ph ], [ %225, %119 ]
  %.pn656 = phi half [ %107, %.lr.ph ], [ %223, %119 ]
  %.pn855 = phi half [ %108, %.lr.ph ], [ %222, %119 ]
  %.pn1054 = phi half [ %111, %.lr.ph ], [ %220, %119 ]
  %.pn1253 = phi half [ %112, %.lr.ph ], [ %219, %119 ]
  %.pn1452 = phi half [ %115, %.lr.ph ], [ %217, %119 ]
  %.pn1651 = phi half [ %116, %.lr.ph ], [ %216, %119 ]
  %120 = phi ptr addrspace(3) [ getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), %.lr.ph ], [ %208, %119 ]
  %121 = phi ptr addrspace(3) [ @global_smem, %.lr.ph ], [ %207, %119 ]
  %122 = phi i32 [ -1, %.lr.ph ], [ %136, %119 ]
  %123 = phi i32 [ 1, %.lr.ph ], [ %186, %119 ]
  %124 = phi float [ 0.000000e+00, %.lr.ph ], [ %246, %119 ]
  %125 = phi float [ 0.000000e+00, %.lr.ph ], [ %247, %119 ]
  %126 = phi float [ 0.000000e+00, %.lr.ph ], [ %248, %119 ]
  %127 = phi float [ 0.000000e+00, %.lr.ph ], [ %249, %119 ]
  %128 = phi float [ 0.000000e+00, %.lr.ph ], [ %251, %119 ]
  %129 = phi float [ 0.000000e+00, %.lr.ph ], [ %252, %119 ]
  %130 = phi float [ 0.000000e+00, %.lr.ph ], [ %253, %119 ]
  %131 = phi float [ 0.000000e+00, %.lr.ph ], [ %254, %119 ]
  %132 = phi i32 [ 0, %.lr.ph ], [ %255, %119 ]
  %133 = icmp slt i32 %132, %117, !dbg !21
  %134 = add i32 %122, 1, !dbg !21
  %135 = icmp sgt i32 %134, 1, !dbg !21
  %136 = select i1 %135, i32 0, i32 %134, !dbg !21
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2), !dbg !23
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !23
  %137 = getelementptr inbounds nuw i8, ptr addrspace(3) %121, i32 %118, !dbg !23
  %138 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %137), !dbg !23
  %139 = extractvalue { i32, i32, i32, i32 } %138, 0, !dbg !23
  %140 = extractvalue { i32, i32, i32, i32 } %138, 1, !dbg !23
  %141 = extractvalue { i32, i32, i32, i32 } %138, 2, !dbg !23
  %142 = extractvalue { i32, i32, i32, i32 } %138, 3, !dbg !23
  %143 = getelementptr inbounds nuw i8, ptr addrspace(3) %120, i32 %82, !dbg !28
  %144 = getelementptr inbounds nuw i8, ptr addrspace(3) %143, i32 1024, !dbg !28
  %145 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) nonnull %144), !dbg !28
  %146 = extractvalue { i32, i32, i32, i32 } %145, 0, !dbg !28
  %147 = extractvalue { i32, i32, i32, i32 } %145, 1, !dbg !28
  %148 = extractvalue { i32, i32, i32, i32 } %145, 2, !dbg !28
  %149 = extractvalue { i32, i32, i32, i32 } %145, 3, !dbg !28
  %150 = insertelement <2 x half> poison, half %.pn1651, i64 0, !dbg !31
  %151 = insertelement <2 x half> %150, half %.pn1452, i64 1, !dbg !31
  %152 = bitcast <2 x half> %151 to i32, !dbg !31
  %153 = insertelement <2 x half> poison, half %.pn1253, i64 0, !dbg !31
  %154 = insertelement <2 x half> %153, half %.pn1054, i64 1, !dbg !31
  %155 = bitcast <2 x half> %154 to i32, !dbg !31
  %156 = insertelement <2 x half> poison, half %.pn855, i64 0, !dbg !31
  %157 = insertelement <2 x half> %156, half %.pn656, i64 1, !dbg !31
  %158 = bitcast <2 x half> %157 to i32, !dbg !31
  %159 = insertelement <2 x half> poison, half %.pn457, i64 0, !dbg !31
  %160 = insertelement <2 x half> %159, half %.pn258, i64 1, !dbg !31
  %161 = bitcast <2 x half> %160 to i32, !dbg !31
  %162 = insertelement <2 x half> poison, half %.pn3259, i64 0, !dbg !31
  %163 = insertelement <2 x half> %162, half %.pn3060, i64 1, !dbg !31
  %164 = bitcast <2 x half> %163 to i32, !dbg !31
  %165 = insertelement <2 x half> poison, half %.pn2861, i64 0, !dbg !31
  %166 = insertelement <2 x half> %165, half %.pn2662, i64 1, !dbg !31
  %167 = bitcast <2 x half> %166 to i32, !dbg !31
  %168 = insertelement <2 x half> poison, half %.pn2463, i64 0, !dbg !31
  %169 = insertelement <2 x half> %168, half %.pn2264, i64 1, !dbg !31
  %170 = bitcast <2 x half> %169 to i32, !dbg !31
  %171 = insertelement <2 x half> poison, half %.pn2065, i64 0, !dbg !31
  %172 = insertelement <2 x half> %171, half %.pn1866, i64 1, !dbg !31
  %173 = bitcast <2 x half> %172 to i32, !dbg !31
  %174 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %124, float %125, float %126, float %127, i32 %152, i32 %155, i32 %158, i32 %161, i32 %164, i32 %167) #2, !dbg !31
  %175 = extractvalue { float, float, float, float } %174, 0, !dbg !31
  %176 = extractvalue { float, float, float, float } %174, 1, !dbg !31
  %177 = extractvalue { float, float, float, float } %174, 2, !dbg !31
  %178 = extractvalue { float, float, float, float } %174, 3, !dbg !31
  %179 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %128, float %129, float %130, float %131, i32 %152, i32 %155, i32 %158, i32 %161, i32 %170, i32 %173) #2, !dbg !31
  %180 = extractvalue { float, float, float, float } %179, 0, !dbg !31
  %181 = extractvalue { float, float, float, float } %179, 1, !dbg !31
  %182 = extractvalue { float, float, float, float } %179, 2, !dbg !31
  %183 = extractvalue { float, float, float, float } %179, 3, !dbg !31
  %184 = add i32 %123, 1, !dbg !21
  %185 = icmp sgt i32 %184, 1, !dbg !21
  %186 = select i1 %185, i32 0, i32 %184, !dbg !21
  %187 = add i32 %132, 64, !dbg !21
  %188 = or disjoint i32 %187, %15, !dbg !29
  %189 = or disjoint i32 %187, %13, !dbg !29
  %190 = icmp slt i32 %188, %5, !dbg !22
  %191 = and i1 %20, %190, !dbg !30
  %192 = sext i32 %188 to i64, !dbg !19
  %193 = getelementptr [2 x i8], ptr addrspace(1) %23, i64 %192, !dbg !19
  %194 = shl i32 %186, 10, !dbg !23
  %195 = and i1 %133, %191, !dbg !21
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !23
  %gep = getelementptr [2 x i8], ptr addrspace(3) %36, i32 %194, !dbg !23
  %196 = select i1 %195, i32 16, i32 0, !dbg !23
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep, ptr addrspace(1) %193, i32 %196) #2, !dbg !23
  tail call void @llvm.nvvm.cp.async.commit.group(), !dbg !23
  %197 = icmp slt i32 %189, %5, !dbg !24
  %198 = and i1 %24, %197, !dbg !25
  %199 = mul i32 %189, %4, !dbg !26
  %200 = sext i32 %199 to i64, !dbg !27
  %gep48 = getelementptr [2 x i8], ptr addrspace(1) %invariant.gep47, i64 %200, !dbg !27
  %201 = and i1 %133, %198, !dbg !21
  %gep50 = getelementptr [2 x i8], ptr addrspace(3) %45, i32 %194, !dbg !28
  %202 = select i1 %201, i32 16, i32 0, !dbg !28
  tail call void asm sideeffect "cp.async.cg.shared.global [ $0 + 0 ], [ $1 + 0 ], 0x10, $2;", "r,l,r"(ptr addrspace(3) %gep50, ptr addrspace(1) %gep48, i32 %202) #2, !dbg !28
  tail call void @llvm.nvvm.cp.async.commit.group(), !dbg !28
  %203 = add i32 %136, 1, !dbg !21
  %204 = icmp sgt i32 %203, 1, !dbg !21
  %205 = shl i32 %203, 10, !dbg !23
  %206 = select i1 %204, i32 0, i32 %205, !dbg !21
  %207 = getelementptr [2 x i8], ptr addrspace(3) @global_smem, i32 %206, !dbg !23
  %208 = getelementptr [2 x i8], ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 4096), i32 %206, !dbg !28
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2), !dbg !23
  tail call void @llvm.nvvm.cp.async.wait.group(i32 2), !dbg !23
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !23
  %209 = getelementptr inbounds nuw i8, ptr addrspace(3) %207, i32 %74, !dbg !23
  %210 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %209), !dbg !23
  %211 = extractvalue { i32, i32, i32, i32 } %210, 0, !dbg !23
  %212 = extractvalue { i32, i32, i32, i32 } %210, 1, !dbg !23
  %213 = extractvalue { i32, i32, i32, i32 } %210, 2, !dbg !23
  %214 = extractvalue { i32, i32, i32, i32 } %210, 3, !dbg !23
  %215 = bitcast i32 %211 to <2 x half>, !dbg !23
  %216 = extractelement <2 x half> %215, i64 0, !dbg !23
  %217 = extractelement <2 x half> %215, i64 1, !dbg !23
  %218 = bitcast i32 %212 to <2 x half>, !dbg !23
  %219 = extractelement <2 x half> %218, i64 0, !dbg !23
  %220 = extractelement <2 x half> %218, i64 1, !dbg !23
  %221 = bitcast i32 %213 to <2 x half>, !dbg !23
  %222 = extractelement <2 x half> %221, i64 0, !dbg !23
  %223 = extractelement <2 x half> %221, i64 1, !dbg !23
  %224 = bitcast i32 %214 to <2 x half>, !dbg !23
  %225 = extractelement <2 x half> %224, i64 0, !dbg !23
  %226 = extractelement <2 x half> %224, i64 1, !dbg !23
  %227 = getelementptr inbounds nuw i8, ptr addrspace(3) %208, i32 %82, !dbg !28
  %228 = tail call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %227), !dbg !28
  %229 = extractvalue { i32, i32, i32, i32 } %228, 0, !dbg !28
  %230 = extractvalue { i32, i32, i32, i32 } %228, 1, !dbg !28
  %231 = extractvalue { i32, i32, i32, i32 } %228, 2, !dbg !28
  %232 = extractvalue { i32, i32, i32, i32 } %228, 3, !dbg !28
  %233 = bitcast i32 %229 to <2 x half>, !dbg !28
  %234 = extractelement <2 x half> %233, i64 0, !dbg !28
  %235 = extractelement <2 x half> %233, i64 1, !dbg !28
  %236 = bitcast i32 %230 to <2 x half>, !dbg !28
  %237 = extractelement <2 x half> %236, i64 0, !dbg !28
  %238 = extractelement <2 x half> %236, i64 1, !dbg !28
  %239 = bitcast i32 %231 to <2 x half>, !dbg !28
  %240 = extractelement <2 x half> %239, i64 0, !dbg !28
  %241 = extractelement <2 x half> %239, i64 1, !dbg !28
  %242 = bitcast i32 %232 to <2 x half>, !dbg !28
  %243 = extractelement <2 x half> %242, i64 0, !dbg !28
  %244 = extractelement <2 x half> %242, i64 1, !dbg !28
  %245 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %175, float %176, float %177, float %178, i32 %139, i32 %140, i32 %141, i32 %142, i32 %146, i32 %147) #2, !dbg !31
  %246 = extractvalue { float, float, float, float } %245, 0, !dbg !31
  %247 = extractvalue { float, float, float, float } %245, 1, !dbg !31
  %248 = extractvalue { float, float, float, float } %245, 2, !dbg !31
  %249 = extractvalue { float, float, float, float } %245, 3, !dbg !31
  %250 = tail call { float, float, float, float } asm sideeffect "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { $0, $1, $2, $3 }, { $8, $9, $10, $11 }, { $12, $13 }, { $4, $5, $6, $7 };", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r"(float %180, float %181, float %182, float %183, i32 %139, i32 %140, i32 %141, i32 %142, i32 %148, i32 %149) #2, !dbg !31
  %251 = extractvalue { float, float, float, float } %250, 0, !dbg !31
  %252 = extractvalue { float, float, float, float } %250, 1, !dbg !31
  %253 = extractvalue { float, float, float, float } %250, 2, !dbg !31
  %254 = extractvalue { float, float, float, float } %250, 3, !dbg !31
  %255 = add i32 %132, 32, !dbg !21
  %256 = icmp slt i32 %255, %5, !dbg !21
  br i1 %256, label %119, label %._crit_edge, !dbg !21

._crit_edge:                                      ; preds = %119, %8
  %257 = phi float [ 0.000000e+00, %8 ], [ %246, %119 ], !dbg !32
  %258 = phi float [ 0.000000e+00, %8 ], [ %247, %119 ], !dbg !32
  %259 = phi float [ 0.000000e+00, %8 ], [ %248, %119 ], !dbg !32
  %260 = phi float [ 0.000000e+00, %8 ], [ %249, %119 ], !dbg !32
  %261 = phi float [ 0.000000e+00, %8 ], [ %251, %119 ], !dbg !32
  %262 = phi float [ 0.000000e+00, %8 ], [ %252, %119 ], !dbg !32
  %263 = phi float [ 0.000000e+00, %8 ], [ %253, %119 ], !dbg !32
  %264 = phi float [ 0.000000e+00, %8 ], [ %254, %119 ], !dbg !32
  %265 = shl nuw nsw i32 %11, 2, !dbg !15
  %266 = and i32 %265, 28, !dbg !15
  %267 = or disjoint i32 %266, %18, !dbg !16
  %268 = lshr i32 %11, 3, !dbg !15
  %269 = and i32 %268, 15, !dbg !15
  %270 = or disjoint i32 %10, %269, !dbg !14
  %271 = or disjoint i32 %270, 16, !dbg !14
  tail call void @llvm.nvvm.cp.async.wait.group(i32 0), !dbg !21
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !21
  %272 = icmp slt i32 %270, %3, !dbg !33
  %273 = icmp slt i32 %271, %3, !dbg !33
  %274 = icmp slt i32 %267, %4, !dbg !34
  %275 = and i1 %272, %274, !dbg !35
  %276 = and i1 %273, %274, !dbg !35
  %277 = mul i32 %4, %270, !dbg !36
  %278 = mul i32 %4, %271, !dbg !36
  %279 = sext i32 %277 to i64, !dbg !37
  %280 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %279, !dbg !37
  %281 = sext i32 %278 to i64, !dbg !37
  %282 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %281, !dbg !37
  %283 = zext nneg i32 %267 to i64, !dbg !37
  %284 = getelementptr [4 x i8], ptr addrspace(1) %280, i64 %283, !dbg !37
  %285 = getelementptr [4 x i8], ptr addrspace(1) %282, i64 %283, !dbg !37
  %286 = and i32 %68, 640, !dbg !38
  %287 = and i32 %11, 1, !dbg !38
  %288 = icmp eq i32 %287, 0, !dbg !38
  %289 = select i1 %288, i32 0, i32 2056, !dbg !38
  %290 = and i32 %31, 32, !dbg !38
  %291 = and i32 %265, 16, !dbg !38
  %292 = and i32 %11, 8, !dbg !38
  %293 = icmp eq i32 %292, 0, !dbg !38
  %294 = select i1 %293, i32 0, i32 1088, !dbg !38
  %295 = shl nuw nsw i32 %78, 1, !dbg !38
  %296 = or disjoint i32 %294, %286, !dbg !38
  %297 = xor i32 %296, %295, !dbg !38
  %298 = or disjoint i32 %291, %290, !dbg !38
  %299 = or disjoint i32 %298, %289, !dbg !38
  %300 = or disjoint i32 %299, %297, !dbg !38
  %301 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %300, !dbg !38
  %302 = insertelement <2 x float> poison, float %257, i64 0, !dbg !38
  %303 = insertelement <2 x float> %302, float %258, i64 1, !dbg !38
  store <2 x float> %303, ptr addrspace(3) %301, align 8, !dbg !38
  %304 = getelementptr inbounds nuw i8, ptr addrspace(3) %301, i32 256, !dbg !38
  %305 = insertelement <2 x float> poison, float %259, i64 0, !dbg !38
  %306 = insertelement <2 x float> %305, float %260, i64 1, !dbg !38
  store <2 x float> %306, ptr addrspace(3) %304, align 8, !dbg !38
  %307 = xor i32 %300, 8, !dbg !38
  %308 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %307, !dbg !38
  %309 = insertelement <2 x float> poison, float %261, i64 0, !dbg !38
  %310 = insertelement <2 x float> %309, float %262, i64 1, !dbg !38
  store <2 x float> %310, ptr addrspace(3) %308, align 8, !dbg !38
  %311 = getelementptr inbounds nuw i8, ptr addrspace(3) %308, i32 256, !dbg !38
  %312 = insertelement <2 x float> poison, float %263, i64 0, !dbg !38
  %313 = insertelement <2 x float> %312, float %264, i64 1, !dbg !38
  store <2 x float> %313, ptr addrspace(3) %311, align 8, !dbg !38
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !38
  %314 = shl nuw nsw i32 %14, 5, !dbg !38
  %315 = and i32 %265, 384, !dbg !38
  %316 = and i32 %33, 24, !dbg !38
  %317 = icmp eq i32 %70, 0, !dbg !38
  %318 = select i1 %317, i32 0, i32 1088, !dbg !38
  %319 = or disjoint i32 %314, %315, !dbg !38
  %320 = or disjoint i32 %318, %316, !dbg !38
  %321 = xor i32 %320, %319, !dbg !38
  %322 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %321, !dbg !38
  %323 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 512, !dbg !38
  %324 = load <2 x i32>, ptr addrspace(3) %323, align 8, !dbg !38
  %325 = xor i32 %321, 2056, !dbg !38
  %326 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %325, !dbg !38
  %327 = getelementptr inbounds nuw i8, ptr addrspace(3) %326, i32 512, !dbg !38
  %328 = load <2 x i32>, ptr addrspace(3) %327, align 8, !dbg !38
  %.extract = load i32, ptr addrspace(3) %322, align 8, !dbg !38
  %329 = getelementptr inbounds nuw i8, ptr addrspace(3) %322, i32 4, !dbg !38
  %.extract40 = load i32, ptr addrspace(3) %329, align 4, !dbg !38
  %.extract41 = load i32, ptr addrspace(3) %326, align 8, !dbg !38
  %330 = getelementptr inbounds nuw i8, ptr addrspace(3) %326, i32 4, !dbg !38
  %.extract42 = load i32, ptr addrspace(3) %330, align 4, !dbg !38
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract, i32 %.extract40, i32 %.extract41, i32 %.extract42, ptr addrspace(1) %284, i1 %275) #2, !dbg !38
  %.extract43 = extractelement <2 x i32> %324, i64 0, !dbg !38
  %.extract44 = extractelement <2 x i32> %324, i64 1, !dbg !38
  %.extract45 = extractelement <2 x i32> %328, i64 0, !dbg !38
  %.extract46 = extractelement <2 x i32> %328, i64 1, !dbg !38
  tail call void asm sideeffect "@$5 st.global.v4.b32 [ $4 + 0 ], { $0, $1, $2, $3 };", "r,r,r,r,l,b"(i32 %.extract43, i32 %.extract44, i32 %.extract45, i32 %.extract46, ptr addrspace(1) %285, i1 %276) #2, !dbg !38
  ret void, !dbg !39
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: nounwind
declare void @llvm.nvvm.cp.async.commit.group() #2

; Function Attrs: nounwind
declare void @llvm.nvvm.cp.async.wait.group(i32 immarg) #2

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

; Function Attrs: convergent nocallback nofree nounwind memory(argmem: read)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) readonly captures(none)) #4

; Function Attrs: convergent nocallback nofree nounwind memory(argmem: read)
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) readonly captures(none)) #4

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent nocallback nofree nounwind memory(argmem: read) }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "triton", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernels.py", directory: "./")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!4 = distinct !DISubprogram(name: "dot", linkageName: "dot", scope: !1, file: !1, line: 82, type: !5, scopeLine: 82, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!5 = !DISubroutineType(cc: DW_CC_normal, types: !6)
!6 = !{null, !7, !7, !9, !11, !11, !11, !12, !12}
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !8, size: 64, dwarfAddressSpace: 1)
!8 = !DIBasicType(name: "half", size: 16, encoding: DW_ATE_float)
!9 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !10, size: 64, dwarfAddressSpace: 1)
!10 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!12 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !13, size: 64, dwarfAddressSpace: 1)
!13 = !DIBasicType(name: "unknown_type", encoding: DW_ATE_signed)
!14 = !DILocation(line: 84, column: 12, scope: !4)
!15 = !DILocation(line: 84, column: 36, scope: !4)
!16 = !DILocation(line: 85, column: 15, scope: !4)
!17 = !DILocation(line: 90, column: 27, scope: !4)
!18 = !DILocation(line: 89, column: 29, scope: !4)
!19 = !DILocation(line: 89, column: 21, scope: !4)
!20 = !DILocation(line: 92, column: 46, scope: !4)
!21 = !DILocation(line: 87, column: 5, scope: !4)
!22 = !DILocation(line: 90, column: 49, scope: !4)
!23 = !DILocation(line: 89, column: 13, scope: !4)
!24 = !DILocation(line: 92, column: 27, scope: !4)
!25 = !DILocation(line: 92, column: 26, scope: !4)
!26 = !DILocation(line: 91, column: 29, scope: !4)
!27 = !DILocation(line: 91, column: 21, scope: !4)
!28 = !DILocation(line: 91, column: 13, scope: !4)
!29 = !DILocation(line: 88, column: 13, scope: !4)
!30 = !DILocation(line: 90, column: 26, scope: !4)
!31 = !DILocation(line: 93, column: 19, scope: !4)
!32 = !DILocation(line: 86, column: 15, scope: !4)
!33 = !DILocation(line: 95, column: 20, scope: !4)
!34 = !DILocation(line: 95, column: 42, scope: !4)
!35 = !DILocation(line: 95, column: 19, scope: !4)
!36 = !DILocation(line: 94, column: 22, scope: !4)
!37 = !DILocation(line: 94, column: 14, scope: !4)
!38 = !DILocation(line: 94, column: 5, scope: !4)
!39 = !DILocation(line: 82, column: 1, scope: !4)
