; matmul of kernels.py, by generate.py with Triton 3.9.0.
; evo.kernel matmul(a: in f32[M, K], b: in f32[K, N], c: out f32[M, N])
; evo.launch matmul<<<(ceildiv(M, 32), ceildiv(N, 32)), 128, 4096>>>(a, b, c, M, N, K, 0, 0)
; evo.workload M = 1024, N = 1024, K = 1024
; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"
target datalayout = "e-p3:32:32-p4:32:32-p5:32:32-p6:32:32-p7:32:32-p101:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

@global_smem = external local_unnamed_addr addrspace(3) global [0 x i8], align 16

; Function Attrs: nounwind
define ptx_kernel void @matmul(ptr addrspace(1) %0, ptr addrspace(1) %1, ptr addrspace(1) %2, i32 %3, i32 %4, i32 %5, ptr addrspace(1) nofree readnone captures(none) %6, ptr addrspace(1) nofree readnone captures(none) %7) local_unnamed_addr #0 !dbg !4 {
  %9 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !12
  %10 = shl i32 %9, 5, !dbg !12
  %11 = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !13
  %12 = and i32 %11, 112, !dbg !13
  %13 = lshr exact i32 %12, 4, !dbg !13
  %14 = lshr i32 %11, 5, !dbg !13
  %15 = and i32 %14, 3, !dbg !13
  %16 = or disjoint i32 %15, 4, !dbg !13
  %17 = or disjoint i32 %15, 8, !dbg !13
  %18 = or disjoint i32 %15, 12, !dbg !13
  %19 = and i32 %11, 31, !dbg !13
  %20 = or disjoint i32 %13, %10, !dbg !12
  %21 = or disjoint i32 %20, 8, !dbg !12
  %22 = or disjoint i32 %20, 16, !dbg !12
  %23 = or disjoint i32 %20, 24, !dbg !12
  %24 = tail call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !14
  %25 = shl nuw nsw i32 %24, 5, !dbg !14
  %26 = or disjoint i32 %25, %19, !dbg !14
  %27 = and i32 %11, 15, !dbg !15
  %28 = icmp slt i32 %20, %3, !dbg !16
  %29 = icmp slt i32 %21, %3, !dbg !16
  %30 = icmp slt i32 %22, %3, !dbg !16
  %31 = icmp slt i32 %23, %3, !dbg !16
  %32 = mul i32 %5, %20, !dbg !17
  %33 = mul i32 %5, %21, !dbg !17
  %34 = mul i32 %5, %22, !dbg !17
  %35 = mul i32 %5, %23, !dbg !17
  %36 = sext i32 %32 to i64, !dbg !18
  %37 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %36, !dbg !18
  %38 = sext i32 %33 to i64, !dbg !18
  %39 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %38, !dbg !18
  %40 = sext i32 %34 to i64, !dbg !18
  %41 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %40, !dbg !18
  %42 = sext i32 %35 to i64, !dbg !18
  %43 = getelementptr [4 x i8], ptr addrspace(1) %0, i64 %42, !dbg !18
  %44 = icmp slt i32 %26, %4, !dbg !19
  %45 = icmp sgt i32 %5, 0, !dbg !20
  br i1 %45, label %.lr.ph, label %.._crit_edge_crit_edge, !dbg !20

.._crit_edge_crit_edge:                           ; preds = %8
  %.pre = zext nneg i32 %26 to i64, !dbg !21
  %.pre118 = shl nuw nsw i32 %27, 3, !dbg !22
  %.pre120 = shl nuw nsw i32 %11, 2, !dbg !22
  br label %._crit_edge, !dbg !20

.lr.ph:                                           ; preds = %8
  %46 = shl nuw nsw i32 %11, 2
  %47 = and i32 %46, 508
  %48 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %47
  %49 = or disjoint i32 %47, 512
  %50 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %49
  %51 = or disjoint i32 %47, 1024
  %52 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %51
  %53 = or disjoint i32 %47, 1536
  %54 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %53
  %55 = zext nneg i32 %26 to i64
  %invariant.gep = getelementptr [4 x i8], ptr addrspace(1) %1, i64 %55, !dbg !20
  %56 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %47
  %57 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %49
  %58 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %51
  %59 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %53
  %60 = shl nuw nsw i32 %12, 3
  %61 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %60
  %62 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 16
  %63 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 32
  %64 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 48
  %65 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 64
  %66 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 80
  %67 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 96
  %68 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 112
  %69 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1024
  %70 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1040
  %71 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1056
  %72 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1072
  %73 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1088
  %74 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1104
  %75 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1120
  %76 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1136
  %77 = shl nuw nsw i32 %27, 3
  %78 = getelementptr inbounds nuw i8, ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 2048), i32 %77
  %79 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 128
  %80 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 256
  %81 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 384
  %82 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 512
  %83 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 640
  %84 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 768
  %85 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 896
  %86 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1024
  %87 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1152
  %88 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1280
  %89 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1408
  %90 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1536
  %91 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1664
  %92 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1792
  %93 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1920
  %94 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 4
  %95 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 8
  %96 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 12
  %97 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 20
  %98 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 24
  %99 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 28
  %100 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 36
  %101 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 40
  %102 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 44
  %103 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 52
  %104 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 56
  %105 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 60
  %106 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 68
  %107 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 72
  %108 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 76
  %109 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 84
  %110 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 88
  %111 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 92
  %112 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 100
  %113 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 104
  %114 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 108
  %115 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 116
  %116 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 120
  %117 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 124
  %118 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1028
  %119 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1032
  %120 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1036
  %121 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1044
  %122 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1048
  %123 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1052
  %124 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1060
  %125 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1064
  %126 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1068
  %127 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1076
  %128 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1080
  %129 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1084
  %130 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1092
  %131 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1096
  %132 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1100
  %133 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1108
  %134 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1112
  %135 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1116
  %136 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1124
  %137 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1128
  %138 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1132
  %139 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1140
  %140 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1144
  %141 = getelementptr inbounds nuw i8, ptr addrspace(3) %61, i32 1148
  %142 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 4
  %143 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 132
  %144 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 260
  %145 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 388
  %146 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 516
  %147 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 644
  %148 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 772
  %149 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 900
  %150 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1028
  %151 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1156
  %152 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1284
  %153 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1412
  %154 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1540
  %155 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1668
  %156 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1796
  %157 = getelementptr inbounds nuw i8, ptr addrspace(3) %78, i32 1924
  br label %158, !dbg !20

158:                                              ; preds = %.lr.ph, %158
  %159 = phi float [ 0.000000e+00, %.lr.ph ], [ %326, %158 ]
  %160 = phi float [ 0.000000e+00, %.lr.ph ], [ %342, %158 ]
  %161 = phi float [ 0.000000e+00, %.lr.ph ], [ %358, %158 ]
  %162 = phi float [ 0.000000e+00, %.lr.ph ], [ %374, %158 ]
  %163 = phi float [ 0.000000e+00, %.lr.ph ], [ %390, %158 ]
  %164 = phi float [ 0.000000e+00, %.lr.ph ], [ %406, %158 ]
  %165 = phi float [ 0.000000e+00, %.lr.ph ], [ %422, %158 ]
  %166 = phi float [ 0.000000e+00, %.lr.ph ], [ %438, %158 ]
  %167 = phi i32 [ 0, %.lr.ph ], [ %439, %158 ]
  %168 = or disjoint i32 %167, %15, !dbg !23
  %169 = or disjoint i32 %167, %16, !dbg !23
  %170 = or disjoint i32 %167, %17, !dbg !23
  %171 = or disjoint i32 %167, %18, !dbg !23
  %172 = or disjoint i32 %167, %27, !dbg !23
  %173 = icmp slt i32 %172, %5, !dbg !24
  %174 = and i1 %28, %173, !dbg !25
  %175 = and i1 %29, %173, !dbg !25
  %176 = and i1 %30, %173, !dbg !25
  %177 = and i1 %31, %173, !dbg !25
  %178 = sext i32 %172 to i64, !dbg !18
  %179 = getelementptr [4 x i8], ptr addrspace(1) %37, i64 %178, !dbg !18
  %180 = getelementptr [4 x i8], ptr addrspace(1) %39, i64 %178, !dbg !18
  %181 = getelementptr [4 x i8], ptr addrspace(1) %41, i64 %178, !dbg !18
  %182 = getelementptr [4 x i8], ptr addrspace(1) %43, i64 %178, !dbg !18
  %183 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %179, i1 %174) #4, !dbg !26
  %184 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %180, i1 %175) #4, !dbg !26
  %185 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %181, i1 %176) #4, !dbg !26
  %186 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %182, i1 %177) #4, !dbg !26
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !26
  %187 = insertelement <1 x i32> poison, i32 %183, i64 0, !dbg !26
  store <1 x i32> %187, ptr addrspace(3) %48, align 4, !dbg !26
  %188 = insertelement <1 x i32> poison, i32 %184, i64 0, !dbg !26
  store <1 x i32> %188, ptr addrspace(3) %50, align 4, !dbg !26
  %189 = insertelement <1 x i32> poison, i32 %185, i64 0, !dbg !26
  store <1 x i32> %189, ptr addrspace(3) %52, align 4, !dbg !26
  %190 = insertelement <1 x i32> poison, i32 %186, i64 0, !dbg !26
  store <1 x i32> %190, ptr addrspace(3) %54, align 4, !dbg !26
  %191 = icmp slt i32 %168, %5, !dbg !27
  %192 = icmp slt i32 %169, %5, !dbg !27
  %193 = icmp slt i32 %170, %5, !dbg !27
  %194 = icmp slt i32 %171, %5, !dbg !27
  %195 = and i1 %44, %191, !dbg !28
  %196 = and i1 %44, %192, !dbg !28
  %197 = and i1 %44, %193, !dbg !28
  %198 = and i1 %44, %194, !dbg !28
  %199 = mul i32 %168, %4, !dbg !29
  %200 = mul i32 %169, %4, !dbg !29
  %201 = mul i32 %170, %4, !dbg !29
  %202 = mul i32 %171, %4, !dbg !29
  %203 = sext i32 %199 to i64, !dbg !30
  %204 = sext i32 %200 to i64, !dbg !30
  %205 = sext i32 %201 to i64, !dbg !30
  %206 = sext i32 %202 to i64, !dbg !30
  %gep = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %203, !dbg !30
  %gep112 = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %204, !dbg !30
  %gep114 = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %205, !dbg !30
  %gep116 = getelementptr [4 x i8], ptr addrspace(1) %invariant.gep, i64 %206, !dbg !30
  %207 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %gep, i1 %195) #4, !dbg !31
  %208 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %gep112, i1 %196) #4, !dbg !31
  %209 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %gep114, i1 %197) #4, !dbg !31
  %210 = tail call i32 asm sideeffect "mov.u32 $0, $1;\0A\09@$3 ld.global.b32 { $0 }, [ $2 + 0 ];", "=r,r,l,b"(i32 0, ptr addrspace(1) %gep116, i1 %198) #4, !dbg !31
  %211 = insertelement <1 x i32> poison, i32 %207, i64 0, !dbg !31
  store <1 x i32> %211, ptr addrspace(3) %56, align 4, !dbg !31
  %212 = insertelement <1 x i32> poison, i32 %208, i64 0, !dbg !31
  store <1 x i32> %212, ptr addrspace(3) %57, align 4, !dbg !31
  %213 = insertelement <1 x i32> poison, i32 %209, i64 0, !dbg !31
  store <1 x i32> %213, ptr addrspace(3) %58, align 4, !dbg !31
  %214 = insertelement <1 x i32> poison, i32 %210, i64 0, !dbg !31
  store <1 x i32> %214, ptr addrspace(3) %59, align 4, !dbg !31
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !26
  %215 = load float, ptr addrspace(3) %61, align 16, !dbg !26
  %216 = load float, ptr addrspace(3) %94, align 4, !dbg !26
  %217 = load float, ptr addrspace(3) %95, align 8, !dbg !26
  %218 = load float, ptr addrspace(3) %96, align 4, !dbg !26
  %219 = load float, ptr addrspace(3) %62, align 16, !dbg !26
  %220 = load float, ptr addrspace(3) %97, align 4, !dbg !26
  %221 = load float, ptr addrspace(3) %98, align 8, !dbg !26
  %222 = load float, ptr addrspace(3) %99, align 4, !dbg !26
  %223 = load float, ptr addrspace(3) %63, align 16, !dbg !26
  %224 = load float, ptr addrspace(3) %100, align 4, !dbg !26
  %225 = load float, ptr addrspace(3) %101, align 8, !dbg !26
  %226 = load float, ptr addrspace(3) %102, align 4, !dbg !26
  %227 = load float, ptr addrspace(3) %64, align 16, !dbg !26
  %228 = load float, ptr addrspace(3) %103, align 4, !dbg !26
  %229 = load float, ptr addrspace(3) %104, align 8, !dbg !26
  %230 = load float, ptr addrspace(3) %105, align 4, !dbg !26
  %231 = load float, ptr addrspace(3) %65, align 16, !dbg !26
  %232 = load float, ptr addrspace(3) %106, align 4, !dbg !26
  %233 = load float, ptr addrspace(3) %107, align 8, !dbg !26
  %234 = load float, ptr addrspace(3) %108, align 4, !dbg !26
  %235 = load float, ptr addrspace(3) %66, align 16, !dbg !26
  %236 = load float, ptr addrspace(3) %109, align 4, !dbg !26
  %237 = load float, ptr addrspace(3) %110, align 8, !dbg !26
  %238 = load float, ptr addrspace(3) %111, align 4, !dbg !26
  %239 = load float, ptr addrspace(3) %67, align 16, !dbg !26
  %240 = load float, ptr addrspace(3) %112, align 4, !dbg !26
  %241 = load float, ptr addrspace(3) %113, align 8, !dbg !26
  %242 = load float, ptr addrspace(3) %114, align 4, !dbg !26
  %243 = load float, ptr addrspace(3) %68, align 16, !dbg !26
  %244 = load float, ptr addrspace(3) %115, align 4, !dbg !26
  %245 = load float, ptr addrspace(3) %116, align 8, !dbg !26
  %246 = load float, ptr addrspace(3) %117, align 4, !dbg !26
  %247 = load float, ptr addrspace(3) %69, align 16, !dbg !26
  %248 = load float, ptr addrspace(3) %118, align 4, !dbg !26
  %249 = load float, ptr addrspace(3) %119, align 8, !dbg !26
  %250 = load float, ptr addrspace(3) %120, align 4, !dbg !26
  %251 = load float, ptr addrspace(3) %70, align 16, !dbg !26
  %252 = load float, ptr addrspace(3) %121, align 4, !dbg !26
  %253 = load float, ptr addrspace(3) %122, align 8, !dbg !26
  %254 = load float, ptr addrspace(3) %123, align 4, !dbg !26
  %255 = load float, ptr addrspace(3) %71, align 16, !dbg !26
  %256 = load float, ptr addrspace(3) %124, align 4, !dbg !26
  %257 = load float, ptr addrspace(3) %125, align 8, !dbg !26
  %258 = load float, ptr addrspace(3) %126, align 4, !dbg !26
  %259 = load float, ptr addrspace(3) %72, align 16, !dbg !26
  %260 = load float, ptr addrspace(3) %127, align 4, !dbg !26
  %261 = load float, ptr addrspace(3) %128, align 8, !dbg !26
  %262 = load float, ptr addrspace(3) %129, align 4, !dbg !26
  %263 = load float, ptr addrspace(3) %73, align 16, !dbg !26
  %264 = load float, ptr addrspace(3) %130, align 4, !dbg !26
  %265 = load float, ptr addrspace(3) %131, align 8, !dbg !26
  %266 = load float, ptr addrspace(3) %132, align 4, !dbg !26
  %267 = load float, ptr addrspace(3) %74, align 16, !dbg !26
  %268 = load float, ptr addrspace(3) %133, align 4, !dbg !26
  %269 = load float, ptr addrspace(3) %134, align 8, !dbg !26
  %270 = load float, ptr addrspace(3) %135, align 4, !dbg !26
  %271 = load float, ptr addrspace(3) %75, align 16, !dbg !26
  %272 = load float, ptr addrspace(3) %136, align 4, !dbg !26
  %273 = load float, ptr addrspace(3) %137, align 8, !dbg !26
  %274 = load float, ptr addrspace(3) %138, align 4, !dbg !26
  %275 = load float, ptr addrspace(3) %76, align 16, !dbg !26
  %276 = load float, ptr addrspace(3) %139, align 4, !dbg !26
  %277 = load float, ptr addrspace(3) %140, align 8, !dbg !26
  %278 = load float, ptr addrspace(3) %141, align 4, !dbg !26
  %279 = load float, ptr addrspace(3) %78, align 8, !dbg !31
  %280 = load float, ptr addrspace(3) %142, align 4, !dbg !31
  %281 = load float, ptr addrspace(3) %79, align 8, !dbg !31
  %282 = load float, ptr addrspace(3) %143, align 4, !dbg !31
  %283 = load float, ptr addrspace(3) %80, align 8, !dbg !31
  %284 = load float, ptr addrspace(3) %144, align 4, !dbg !31
  %285 = load float, ptr addrspace(3) %81, align 8, !dbg !31
  %286 = load float, ptr addrspace(3) %145, align 4, !dbg !31
  %287 = load float, ptr addrspace(3) %82, align 8, !dbg !31
  %288 = load float, ptr addrspace(3) %146, align 4, !dbg !31
  %289 = load float, ptr addrspace(3) %83, align 8, !dbg !31
  %290 = load float, ptr addrspace(3) %147, align 4, !dbg !31
  %291 = load float, ptr addrspace(3) %84, align 8, !dbg !31
  %292 = load float, ptr addrspace(3) %148, align 4, !dbg !31
  %293 = load float, ptr addrspace(3) %85, align 8, !dbg !31
  %294 = load float, ptr addrspace(3) %149, align 4, !dbg !31
  %295 = load float, ptr addrspace(3) %86, align 8, !dbg !31
  %296 = load float, ptr addrspace(3) %150, align 4, !dbg !31
  %297 = load float, ptr addrspace(3) %87, align 8, !dbg !31
  %298 = load float, ptr addrspace(3) %151, align 4, !dbg !31
  %299 = load float, ptr addrspace(3) %88, align 8, !dbg !31
  %300 = load float, ptr addrspace(3) %152, align 4, !dbg !31
  %301 = load float, ptr addrspace(3) %89, align 8, !dbg !31
  %302 = load float, ptr addrspace(3) %153, align 4, !dbg !31
  %303 = load float, ptr addrspace(3) %90, align 8, !dbg !31
  %304 = load float, ptr addrspace(3) %154, align 4, !dbg !31
  %305 = load float, ptr addrspace(3) %91, align 8, !dbg !31
  %306 = load float, ptr addrspace(3) %155, align 4, !dbg !31
  %307 = load float, ptr addrspace(3) %92, align 8, !dbg !31
  %308 = load float, ptr addrspace(3) %156, align 4, !dbg !31
  %309 = load float, ptr addrspace(3) %93, align 8, !dbg !31
  %310 = load float, ptr addrspace(3) %157, align 4, !dbg !31
  %311 = tail call float @llvm.fmuladd.f32(float %215, float %279, float %159), !dbg !32
  %312 = tail call float @llvm.fmuladd.f32(float %216, float %281, float %311), !dbg !32
  %313 = tail call float @llvm.fmuladd.f32(float %217, float %283, float %312), !dbg !32
  %314 = tail call float @llvm.fmuladd.f32(float %218, float %285, float %313), !dbg !32
  %315 = tail call float @llvm.fmuladd.f32(float %219, float %287, float %314), !dbg !32
  %316 = tail call float @llvm.fmuladd.f32(float %220, float %289, float %315), !dbg !32
  %317 = tail call float @llvm.fmuladd.f32(float %221, float %291, float %316), !dbg !32
  %318 = tail call float @llvm.fmuladd.f32(float %222, float %293, float %317), !dbg !32
  %319 = tail call float @llvm.fmuladd.f32(float %223, float %295, float %318), !dbg !32
  %320 = tail call float @llvm.fmuladd.f32(float %224, float %297, float %319), !dbg !32
  %321 = tail call float @llvm.fmuladd.f32(float %225, float %299, float %320), !dbg !32
  %322 = tail call float @llvm.fmuladd.f32(float %226, float %301, float %321), !dbg !32
  %323 = tail call float @llvm.fmuladd.f32(float %227, float %303, float %322), !dbg !32
  %324 = tail call float @llvm.fmuladd.f32(float %228, float %305, float %323), !dbg !32
  %325 = tail call float @llvm.fmuladd.f32(float %229, float %307, float %324), !dbg !32
  %326 = tail call float @llvm.fmuladd.f32(float %230, float %309, float %325), !dbg !32
  %327 = tail call float @llvm.fmuladd.f32(float %215, float %280, float %160), !dbg !32
  %328 = tail call float @llvm.fmuladd.f32(float %216, float %282, float %327), !dbg !32
  %329 = tail call float @llvm.fmuladd.f32(float %217, float %284, float %328), !dbg !32
  %330 = tail call float @llvm.fmuladd.f32(float %218, float %286, float %329), !dbg !32
  %331 = tail call float @llvm.fmuladd.f32(float %219, float %288, float %330), !dbg !32
  %332 = tail call float @llvm.fmuladd.f32(float %220, float %290, float %331), !dbg !32
  %333 = tail call float @llvm.fmuladd.f32(float %221, float %292, float %332), !dbg !32
  %334 = tail call float @llvm.fmuladd.f32(float %222, float %294, float %333), !dbg !32
  %335 = tail call float @llvm.fmuladd.f32(float %223, float %296, float %334), !dbg !32
  %336 = tail call float @llvm.fmuladd.f32(float %224, float %298, float %335), !dbg !32
  %337 = tail call float @llvm.fmuladd.f32(float %225, float %300, float %336), !dbg !32
  %338 = tail call float @llvm.fmuladd.f32(float %226, float %302, float %337), !dbg !32
  %339 = tail call float @llvm.fmuladd.f32(float %227, float %304, float %338), !dbg !32
  %340 = tail call float @llvm.fmuladd.f32(float %228, float %306, float %339), !dbg !32
  %341 = tail call float @llvm.fmuladd.f32(float %229, float %308, float %340), !dbg !32
  %342 = tail call float @llvm.fmuladd.f32(float %230, float %310, float %341), !dbg !32
  %343 = tail call float @llvm.fmuladd.f32(float %231, float %279, float %161), !dbg !32
  %344 = tail call float @llvm.fmuladd.f32(float %232, float %281, float %343), !dbg !32
  %345 = tail call float @llvm.fmuladd.f32(float %233, float %283, float %344), !dbg !32
  %346 = tail call float @llvm.fmuladd.f32(float %234, float %285, float %345), !dbg !32
  %347 = tail call float @llvm.fmuladd.f32(float %235, float %287, float %346), !dbg !32
  %348 = tail call float @llvm.fmuladd.f32(float %236, float %289, float %347), !dbg !32
  %349 = tail call float @llvm.fmuladd.f32(float %237, float %291, float %348), !dbg !32
  %350 = tail call float @llvm.fmuladd.f32(float %238, float %293, float %349), !dbg !32
  %351 = tail call float @llvm.fmuladd.f32(float %239, float %295, float %350), !dbg !32
  %352 = tail call float @llvm.fmuladd.f32(float %240, float %297, float %351), !dbg !32
  %353 = tail call float @llvm.fmuladd.f32(float %241, float %299, float %352), !dbg !32
  %354 = tail call float @llvm.fmuladd.f32(float %242, float %301, float %353), !dbg !32
  %355 = tail call float @llvm.fmuladd.f32(float %243, float %303, float %354), !dbg !32
  %356 = tail call float @llvm.fmuladd.f32(float %244, float %305, float %355), !dbg !32
  %357 = tail call float @llvm.fmuladd.f32(float %245, float %307, float %356), !dbg !32
  %358 = tail call float @llvm.fmuladd.f32(float %246, float %309, float %357), !dbg !32
  %359 = tail call float @llvm.fmuladd.f32(float %231, float %280, float %162), !dbg !32
  %360 = tail call float @llvm.fmuladd.f32(float %232, float %282, float %359), !dbg !32
  %361 = tail call float @llvm.fmuladd.f32(float %233, float %284, float %360), !dbg !32
  %362 = tail call float @llvm.fmuladd.f32(float %234, float %286, float %361), !dbg !32
  %363 = tail call float @llvm.fmuladd.f32(float %235, float %288, float %362), !dbg !32
  %364 = tail call float @llvm.fmuladd.f32(float %236, float %290, float %363), !dbg !32
  %365 = tail call float @llvm.fmuladd.f32(float %237, float %292, float %364), !dbg !32
  %366 = tail call float @llvm.fmuladd.f32(float %238, float %294, float %365), !dbg !32
  %367 = tail call float @llvm.fmuladd.f32(float %239, float %296, float %366), !dbg !32
  %368 = tail call float @llvm.fmuladd.f32(float %240, float %298, float %367), !dbg !32
  %369 = tail call float @llvm.fmuladd.f32(float %241, float %300, float %368), !dbg !32
  %370 = tail call float @llvm.fmuladd.f32(float %242, float %302, float %369), !dbg !32
  %371 = tail call float @llvm.fmuladd.f32(float %243, float %304, float %370), !dbg !32
  %372 = tail call float @llvm.fmuladd.f32(float %244, float %306, float %371), !dbg !32
  %373 = tail call float @llvm.fmuladd.f32(float %245, float %308, float %372), !dbg !32
  %374 = tail call float @llvm.fmuladd.f32(float %246, float %310, float %373), !dbg !32
  %375 = tail call float @llvm.fmuladd.f32(float %247, float %279, float %163), !dbg !32
  %376 = tail call float @llvm.fmuladd.f32(float %248, float %281, float %375), !dbg !32
  %377 = tail call float @llvm.fmuladd.f32(float %249, float %283, float %376), !dbg !32
  %378 = tail call float @llvm.fmuladd.f32(float %250, float %285, float %377), !dbg !32
  %379 = tail call float @llvm.fmuladd.f32(float %251, float %287, float %378), !dbg !32
  %380 = tail call float @llvm.fmuladd.f32(float %252, float %289, float %379), !dbg !32
  %381 = tail call float @llvm.fmuladd.f32(float %253, float %291, float %380), !dbg !32
  %382 = tail call float @llvm.fmuladd.f32(float %254, float %293, float %381), !dbg !32
  %383 = tail call float @llvm.fmuladd.f32(float %255, float %295, float %382), !dbg !32
  %384 = tail call float @llvm.fmuladd.f32(float %256, float %297, float %383), !dbg !32
  %385 = tail call float @llvm.fmuladd.f32(float %257, float %299, float %384), !dbg !32
  %386 = tail call float @llvm.fmuladd.f32(float %258, float %301, float %385), !dbg !32
  %387 = tail call float @llvm.fmuladd.f32(float %259, float %303, float %386), !dbg !32
  %388 = tail call float @llvm.fmuladd.f32(float %260, float %305, float %387), !dbg !32
  %389 = tail call float @llvm.fmuladd.f32(float %261, float %307, float %388), !dbg !32
  %390 = tail call float @llvm.fmuladd.f32(float %262, float %309, float %389), !dbg !32
  %391 = tail call float @llvm.fmuladd.f32(float %247, float %280, float %164), !dbg !32
  %392 = tail call float @llvm.fmuladd.f32(float %248, float %282, float %391), !dbg !32
  %393 = tail call float @llvm.fmuladd.f32(float %249, float %284, float %392), !dbg !32
  %394 = tail call float @llvm.fmuladd.f32(float %250, float %286, float %393), !dbg !32
  %395 = tail call float @llvm.fmuladd.f32(float %251, float %288, float %394), !dbg !32
  %396 = tail call float @llvm.fmuladd.f32(float %252, float %290, float %395), !dbg !32
  %397 = tail call float @llvm.fmuladd.f32(float %253, float %292, float %396), !dbg !32
  %398 = tail call float @llvm.fmuladd.f32(float %254, float %294, float %397), !dbg !32
  %399 = tail call float @llvm.fmuladd.f32(float %255, float %296, float %398), !dbg !32
  %400 = tail call float @llvm.fmuladd.f32(float %256, float %298, float %399), !dbg !32
  %401 = tail call float @llvm.fmuladd.f32(float %257, float %300, float %400), !dbg !32
  %402 = tail call float @llvm.fmuladd.f32(float %258, float %302, float %401), !dbg !32
  %403 = tail call float @llvm.fmuladd.f32(float %259, float %304, float %402), !dbg !32
  %404 = tail call float @llvm.fmuladd.f32(float %260, float %306, float %403), !dbg !32
  %405 = tail call float @llvm.fmuladd.f32(float %261, float %308, float %404), !dbg !32
  %406 = tail call float @llvm.fmuladd.f32(float %262, float %310, float %405), !dbg !32
  %407 = tail call float @llvm.fmuladd.f32(float %263, float %279, float %165), !dbg !32
  %408 = tail call float @llvm.fmuladd.f32(float %264, float %281, float %407), !dbg !32
  %409 = tail call float @llvm.fmuladd.f32(float %265, float %283, float %408), !dbg !32
  %410 = tail call float @llvm.fmuladd.f32(float %266, float %285, float %409), !dbg !32
  %411 = tail call float @llvm.fmuladd.f32(float %267, float %287, float %410), !dbg !32
  %412 = tail call float @llvm.fmuladd.f32(float %268, float %289, float %411), !dbg !32
  %413 = tail call float @llvm.fmuladd.f32(float %269, float %291, float %412), !dbg !32
  %414 = tail call float @llvm.fmuladd.f32(float %270, float %293, float %413), !dbg !32
  %415 = tail call float @llvm.fmuladd.f32(float %271, float %295, float %414), !dbg !32
  %416 = tail call float @llvm.fmuladd.f32(float %272, float %297, float %415), !dbg !32
  %417 = tail call float @llvm.fmuladd.f32(float %273, float %299, float %416), !dbg !32
  %418 = tail call float @llvm.fmuladd.f32(float %274, float %301, float %417), !dbg !32
  %419 = tail call float @llvm.fmuladd.f32(float %275, float %303, float %418), !dbg !32
  %420 = tail call float @llvm.fmuladd.f32(float %276, float %305, float %419), !dbg !32
  %421 = tail call float @llvm.fmuladd.f32(float %277, float %307, float %420), !dbg !32
  %422 = tail call float @llvm.fmuladd.f32(float %278, float %309, float %421), !dbg !32
  %423 = tail call float @llvm.fmuladd.f32(float %263, float %280, float %166), !dbg !32
  %424 = tail call float @llvm.fmuladd.f32(float %264, float %282, float %423), !dbg !32
  %425 = tail call float @llvm.fmuladd.f32(float %265, float %284, float %424), !dbg !32
  %426 = tail call float @llvm.fmuladd.f32(float %266, float %286, float %425), !dbg !32
  %427 = tail call float @llvm.fmuladd.f32(float %267, float %288, float %426), !dbg !32
  %428 = tail call float @llvm.fmuladd.f32(float %268, float %290, float %427), !dbg !32
  %429 = tail call float @llvm.fmuladd.f32(float %269, float %292, float %428), !dbg !32
  %430 = tail call float @llvm.fmuladd.f32(float %270, float %294, float %429), !dbg !32
  %431 = tail call float @llvm.fmuladd.f32(float %271, float %296, float %430), !dbg !32
  %432 = tail call float @llvm.fmuladd.f32(float %272, float %298, float %431), !dbg !32
  %433 = tail call float @llvm.fmuladd.f32(float %273, float %300, float %432), !dbg !32
  %434 = tail call float @llvm.fmuladd.f32(float %274, float %302, float %433), !dbg !32
  %435 = tail call float @llvm.fmuladd.f32(float %275, float %304, float %434), !dbg !32
  %436 = tail call float @llvm.fmuladd.f32(float %276, float %306, float %435), !dbg !32
  %437 = tail call float @llvm.fmuladd.f32(float %277, float %308, float %436), !dbg !32
  %438 = tail call float @llvm.fmuladd.f32(float %278, float %310, float %437), !dbg !32
  %439 = add i32 %167, 16, !dbg !20
  %440 = icmp slt i32 %439, %5, !dbg !20
  br i1 %440, label %158, label %._crit_edge, !dbg !20

._crit_edge:                                      ; preds = %158, %.._crit_edge_crit_edge
  %.pre-phi121 = phi i32 [ %.pre120, %.._crit_edge_crit_edge ], [ %46, %158 ], !dbg !22
  %.pre-phi119 = phi i32 [ %.pre118, %.._crit_edge_crit_edge ], [ %77, %158 ], !dbg !22
  %.pre-phi = phi i64 [ %.pre, %.._crit_edge_crit_edge ], [ %55, %158 ], !dbg !21
  %441 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %326, %158 ], !dbg !33
  %442 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %342, %158 ], !dbg !33
  %443 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %358, %158 ], !dbg !33
  %444 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %374, %158 ], !dbg !33
  %445 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %390, %158 ], !dbg !33
  %446 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %406, %158 ], !dbg !33
  %447 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %422, %158 ], !dbg !33
  %448 = phi float [ 0.000000e+00, %.._crit_edge_crit_edge ], [ %438, %158 ], !dbg !33
  %449 = or disjoint i32 %14, %10, !dbg !12
  %450 = or i32 %449, 28, !dbg !12
  %451 = or disjoint i32 %15, %10, !dbg !13
  %452 = or disjoint i32 %451, 24, !dbg !12
  %453 = or disjoint i32 %451, 20, !dbg !12
  %454 = or disjoint i32 %451, 16, !dbg !12
  %455 = or disjoint i32 %18, %10, !dbg !12
  %456 = or disjoint i32 %17, %10, !dbg !12
  %457 = or disjoint i32 %16, %10, !dbg !12
  %458 = icmp slt i32 %451, %3, !dbg !34
  %459 = icmp slt i32 %457, %3, !dbg !34
  %460 = icmp slt i32 %456, %3, !dbg !34
  %461 = icmp slt i32 %455, %3, !dbg !34
  %462 = icmp slt i32 %454, %3, !dbg !34
  %463 = icmp slt i32 %453, %3, !dbg !34
  %464 = icmp slt i32 %452, %3, !dbg !34
  %465 = icmp slt i32 %450, %3, !dbg !34
  %466 = and i1 %458, %44, !dbg !35
  %467 = and i1 %459, %44, !dbg !35
  %468 = and i1 %460, %44, !dbg !35
  %469 = and i1 %461, %44, !dbg !35
  %470 = and i1 %462, %44, !dbg !35
  %471 = and i1 %463, %44, !dbg !35
  %472 = and i1 %464, %44, !dbg !35
  %473 = and i1 %465, %44, !dbg !35
  %474 = mul i32 %4, %451, !dbg !36
  %475 = mul i32 %4, %457, !dbg !36
  %476 = mul i32 %4, %456, !dbg !36
  %477 = mul i32 %4, %455, !dbg !36
  %478 = mul i32 %4, %454, !dbg !36
  %479 = mul i32 %4, %453, !dbg !36
  %480 = mul i32 %4, %452, !dbg !36
  %481 = mul i32 %4, %450, !dbg !36
  %482 = sext i32 %474 to i64, !dbg !21
  %483 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %482, !dbg !21
  %484 = sext i32 %475 to i64, !dbg !21
  %485 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %484, !dbg !21
  %486 = sext i32 %476 to i64, !dbg !21
  %487 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %486, !dbg !21
  %488 = sext i32 %477 to i64, !dbg !21
  %489 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %488, !dbg !21
  %490 = sext i32 %478 to i64, !dbg !21
  %491 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %490, !dbg !21
  %492 = sext i32 %479 to i64, !dbg !21
  %493 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %492, !dbg !21
  %494 = sext i32 %480 to i64, !dbg !21
  %495 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %494, !dbg !21
  %496 = sext i32 %481 to i64, !dbg !21
  %497 = getelementptr [4 x i8], ptr addrspace(1) %2, i64 %496, !dbg !21
  %498 = getelementptr [4 x i8], ptr addrspace(1) %483, i64 %.pre-phi, !dbg !21
  %499 = getelementptr [4 x i8], ptr addrspace(1) %485, i64 %.pre-phi, !dbg !21
  %500 = getelementptr [4 x i8], ptr addrspace(1) %487, i64 %.pre-phi, !dbg !21
  %501 = getelementptr [4 x i8], ptr addrspace(1) %489, i64 %.pre-phi, !dbg !21
  %502 = getelementptr [4 x i8], ptr addrspace(1) %491, i64 %.pre-phi, !dbg !21
  %503 = getelementptr [4 x i8], ptr addrspace(1) %493, i64 %.pre-phi, !dbg !21
  %504 = getelementptr [4 x i8], ptr addrspace(1) %495, i64 %.pre-phi, !dbg !21
  %505 = getelementptr [4 x i8], ptr addrspace(1) %497, i64 %.pre-phi, !dbg !21
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !22
  %506 = shl nuw nsw i32 %12, 4, !dbg !22
  %507 = or disjoint i32 %506, %.pre-phi119, !dbg !22
  %508 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %507, !dbg !22
  %509 = insertelement <2 x float> poison, float %441, i64 0, !dbg !22
  %510 = insertelement <2 x float> %509, float %445, i64 1, !dbg !22
  store <2 x float> %510, ptr addrspace(3) %508, align 8, !dbg !22
  %511 = getelementptr inbounds nuw i8, ptr addrspace(3) %508, i32 128, !dbg !22
  %512 = insertelement <2 x float> poison, float %443, i64 0, !dbg !22
  %513 = insertelement <2 x float> %512, float %447, i64 1, !dbg !22
  store <2 x float> %513, ptr addrspace(3) %511, align 8, !dbg !22
  %514 = xor i32 %507, 2112, !dbg !22
  %515 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %514, !dbg !22
  %516 = insertelement <2 x float> poison, float %442, i64 0, !dbg !22
  %517 = insertelement <2 x float> %516, float %446, i64 1, !dbg !22
  store <2 x float> %517, ptr addrspace(3) %515, align 8, !dbg !22
  %518 = getelementptr inbounds nuw i8, ptr addrspace(3) %515, i32 128, !dbg !22
  %519 = insertelement <2 x float> poison, float %444, i64 0, !dbg !22
  %520 = insertelement <2 x float> %519, float %448, i64 1, !dbg !22
  store <2 x float> %520, ptr addrspace(3) %518, align 8, !dbg !22
  tail call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !22
  %521 = and i32 %.pre-phi121, 504, !dbg !22
  %522 = and i32 %11, 1, !dbg !22
  %523 = icmp eq i32 %522, 0, !dbg !22
  %524 = select i1 %523, i32 0, i32 2112, !dbg !22
  %525 = xor i32 %524, %521, !dbg !22
  %526 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %525, !dbg !22
  %527 = load <2 x i32>, ptr addrspace(3) %526, align 8, !dbg !22
  %528 = getelementptr inbounds nuw i8, ptr addrspace(3) %526, i32 512, !dbg !22
  %529 = load <2 x i32>, ptr addrspace(3) %528, align 8, !dbg !22
  %530 = getelementptr inbounds nuw i8, ptr addrspace(3) %526, i32 1024, !dbg !22
  %531 = load <2 x i32>, ptr addrspace(3) %530, align 8, !dbg !22
  %532 = getelementptr inbounds nuw i8, ptr addrspace(3) %526, i32 1536, !dbg !22
  %533 = load <2 x i32>, ptr addrspace(3) %532, align 8, !dbg !22
  %.extract = extractelement <2 x i32> %527, i64 0, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract, ptr addrspace(1) %498, i1 %466) #4, !dbg !22
  %.extract9 = extractelement <2 x i32> %529, i64 0, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract9, ptr addrspace(1) %499, i1 %467) #4, !dbg !22
  %.extract10 = extractelement <2 x i32> %531, i64 0, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract10, ptr addrspace(1) %500, i1 %468) #4, !dbg !22
  %.extract11 = extractelement <2 x i32> %533, i64 0, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract11, ptr addrspace(1) %501, i1 %469) #4, !dbg !22
  %.extract12 = extractelement <2 x i32> %527, i64 1, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract12, ptr addrspace(1) %502, i1 %470) #4, !dbg !22
  %.extract13 = extractelement <2 x i32> %529, i64 1, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract13, ptr addrspace(1) %503, i1 %471) #4, !dbg !22
  %.extract14 = extractelement <2 x i32> %531, i64 1, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract14, ptr addrspace(1) %504, i1 %472) #4, !dbg !22
  %.extract15 = extractelement <2 x i32> %533, i64 1, !dbg !22
  tail call void asm sideeffect "@$2 st.global.b32 [ $1 + 0 ], { $0 };", "r,l,b"(i32 %.extract15, ptr addrspace(1) %505, i1 %473) #4, !dbg !22
  ret void, !dbg !37
}

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #1

; Function Attrs: mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #2

; Function Attrs: mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fmuladd.f32(float, float, float) #3

attributes #0 = { nounwind "nvvm.reqntid"="128" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { convergent nocallback nounwind }
attributes #3 = { mustprogress nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}

!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "triton", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "kernels.py", directory: "./")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 4, !"nvvm-reflect-ftz", i32 1}
!4 = distinct !DISubprogram(name: "matmul", linkageName: "matmul", scope: !1, file: !1, line: 65, type: !5, scopeLine: 65, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!5 = !DISubroutineType(cc: DW_CC_normal, types: !6)
!6 = !{null, !7, !7, !7, !9, !9, !9, !10, !10}
!7 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !8, size: 64, dwarfAddressSpace: 1)
!8 = !DIBasicType(name: "float", size: 32, encoding: DW_ATE_float)
!9 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!10 = !DIDerivedType(tag: DW_TAG_pointer_type, name: "pointer", baseType: !11, size: 64, dwarfAddressSpace: 1)
!11 = !DIBasicType(name: "unknown_type", encoding: DW_ATE_signed)
!12 = !DILocation(line: 67, column: 12, scope: !4)
!13 = !DILocation(line: 67, column: 36, scope: !4)
!14 = !DILocation(line: 68, column: 15, scope: !4)
!15 = !DILocation(line: 71, column: 21, scope: !4)
!16 = !DILocation(line: 73, column: 27, scope: !4)
!17 = !DILocation(line: 72, column: 29, scope: !4)
!18 = !DILocation(line: 72, column: 21, scope: !4)
!19 = !DILocation(line: 75, column: 46, scope: !4)
!20 = !DILocation(line: 70, column: 5, scope: !4)
!21 = !DILocation(line: 77, column: 14, scope: !4)
!22 = !DILocation(line: 77, column: 5, scope: !4)
!23 = !DILocation(line: 71, column: 13, scope: !4)
!24 = !DILocation(line: 73, column: 49, scope: !4)
!25 = !DILocation(line: 73, column: 26, scope: !4)
!26 = !DILocation(line: 72, column: 13, scope: !4)
!27 = !DILocation(line: 75, column: 27, scope: !4)
!28 = !DILocation(line: 75, column: 26, scope: !4)
!29 = !DILocation(line: 74, column: 29, scope: !4)
!30 = !DILocation(line: 74, column: 21, scope: !4)
!31 = !DILocation(line: 74, column: 13, scope: !4)
!32 = !DILocation(line: 76, column: 19, scope: !4)
!33 = !DILocation(line: 69, column: 15, scope: !4)
!34 = !DILocation(line: 78, column: 20, scope: !4)
!35 = !DILocation(line: 78, column: 19, scope: !4)
!36 = !DILocation(line: 77, column: 22, scope: !4)
!37 = !DILocation(line: 65, column: 1, scope: !4)
