; ModuleID = 'kernels.cu'
source_filename = "kernels.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%class.anon = type { ptr, ptr, ptr }

$_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv = comdat any

$_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv = comdat any

$_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv = comdat any

$_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv = comdat any

$_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv = comdat any

$_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv = comdat any

@_ZZ9layernormE4part = internal addrspace(3) global [128 x float] undef, align 4
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@_ZZ9transposeE4tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
@_ZZ7stencilE4tile = internal addrspace(3) global [18 x [18 x float]] undef, align 4
@_ZZ4scanE4sums = internal addrspace(3) global [2 x [256 x float]] undef, align 4
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @layernorm(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca float, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca float, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca float, align 4
  %15 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !8
  store ptr %1, ptr %5, align 8, !tbaa !8
  store i32 %2, ptr %6, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %7) #7
  %16 = load ptr, ptr %4, align 8, !tbaa !8
  %17 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %18 = zext i32 %17 to i64
  %19 = load i32, ptr %6, align 4, !tbaa !4
  %20 = sext i32 %19 to i64
  %21 = mul i64 %18, %20
  %22 = getelementptr inbounds nuw float, ptr %16, i64 %21
  store ptr %22, ptr %7, align 8, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %8) #7
  store float 0.000000e+00, ptr %8, align 4, !tbaa !11
  call void @llvm.lifetime.start.p0(ptr %9) #7
  %23 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  store i32 %23, ptr %9, align 4, !tbaa !4
  br label %24

24:                                               ; preds = %37, %3
  %25 = load i32, ptr %9, align 4, !tbaa !4
  %26 = load i32, ptr %6, align 4, !tbaa !4
  %27 = icmp slt i32 %25, %26
  br i1 %27, label %29, label %28

28:                                               ; preds = %24
  call void @llvm.lifetime.end.p0(ptr %9) #7
  br label %40

29:                                               ; preds = %24
  %30 = load ptr, ptr %7, align 8, !tbaa !8
  %31 = load i32, ptr %9, align 4, !tbaa !4
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds float, ptr %30, i64 %32
  %34 = load float, ptr %33, align 4, !tbaa !11
  %35 = load float, ptr %8, align 4, !tbaa !11
  %36 = fadd contract float %35, %34
  store float %36, ptr %8, align 4, !tbaa !11
  br label %37

37:                                               ; preds = %29
  %38 = load i32, ptr %9, align 4, !tbaa !4
  %39 = add nsw i32 %38, 128
  store i32 %39, ptr %9, align 4, !tbaa !4
  br label %24, !llvm.loop !13

40:                                               ; preds = %28
  %41 = load float, ptr %8, align 4, !tbaa !11
  %42 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %43 = zext i32 %42 to i64
  %44 = getelementptr inbounds nuw [128 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), i64 0, i64 %43
  store float %41, ptr %44, align 4, !tbaa !11
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.lifetime.start.p0(ptr %10) #7
  store i32 64, ptr %10, align 4, !tbaa !4
  br label %45

45:                                               ; preds = %66, %40
  %46 = load i32, ptr %10, align 4, !tbaa !4
  %47 = icmp ne i32 %46, 0
  br i1 %47, label %49, label %48

48:                                               ; preds = %45
  call void @llvm.lifetime.end.p0(ptr %10) #7
  br label %69

49:                                               ; preds = %45
  %50 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %51 = load i32, ptr %10, align 4, !tbaa !4
  %52 = icmp ult i32 %50, %51
  br i1 %52, label %53, label %65

53:                                               ; preds = %49
  %54 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %55 = load i32, ptr %10, align 4, !tbaa !4
  %56 = add i32 %54, %55
  %57 = zext i32 %56 to i64
  %58 = getelementptr inbounds nuw [128 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), i64 0, i64 %57
  %59 = load float, ptr %58, align 4, !tbaa !11
  %60 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %61 = zext i32 %60 to i64
  %62 = getelementptr inbounds nuw [128 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), i64 0, i64 %61
  %63 = load float, ptr %62, align 4, !tbaa !11
  %64 = fadd contract float %63, %59
  store float %64, ptr %62, align 4, !tbaa !11
  br label %65

65:                                               ; preds = %53, %49
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %66

66:                                               ; preds = %65
  %67 = load i32, ptr %10, align 4, !tbaa !4
  %68 = sdiv i32 %67, 2
  store i32 %68, ptr %10, align 4, !tbaa !4
  br label %45, !llvm.loop !15

69:                                               ; preds = %48
  call void @llvm.lifetime.start.p0(ptr %11) #7
  %70 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), align 4, !tbaa !11
  %71 = load i32, ptr %6, align 4, !tbaa !4
  %72 = sitofp i32 %71 to float
  %73 = fdiv contract float %70, %72
  store float %73, ptr %11, align 4, !tbaa !11
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float 0.000000e+00, ptr %8, align 4, !tbaa !11
  call void @llvm.lifetime.start.p0(ptr %12) #7
  %74 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  store i32 %74, ptr %12, align 4, !tbaa !4
  br label %75

75:                                               ; preds = %98, %69
  %76 = load i32, ptr %12, align 4, !tbaa !4
  %77 = load i32, ptr %6, align 4, !tbaa !4
  %78 = icmp slt i32 %76, %77
  br i1 %78, label %80, label %79

79:                                               ; preds = %75
  call void @llvm.lifetime.end.p0(ptr %12) #7
  br label %101

80:                                               ; preds = %75
  %81 = load ptr, ptr %7, align 8, !tbaa !8
  %82 = load i32, ptr %12, align 4, !tbaa !4
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds float, ptr %81, i64 %83
  %85 = load float, ptr %84, align 4, !tbaa !11
  %86 = load float, ptr %11, align 4, !tbaa !11
  %87 = fsub contract float %85, %86
  %88 = load ptr, ptr %7, align 8, !tbaa !8
  %89 = load i32, ptr %12, align 4, !tbaa !4
  %90 = sext i32 %89 to i64
  %91 = getelementptr inbounds float, ptr %88, i64 %90
  %92 = load float, ptr %91, align 4, !tbaa !11
  %93 = load float, ptr %11, align 4, !tbaa !11
  %94 = fsub contract float %92, %93
  %95 = fmul contract float %87, %94
  %96 = load float, ptr %8, align 4, !tbaa !11
  %97 = fadd contract float %96, %95
  store float %97, ptr %8, align 4, !tbaa !11
  br label %98

98:                                               ; preds = %80
  %99 = load i32, ptr %12, align 4, !tbaa !4
  %100 = add nsw i32 %99, 128
  store i32 %100, ptr %12, align 4, !tbaa !4
  br label %75, !llvm.loop !16

101:                                              ; preds = %79
  %102 = load float, ptr %8, align 4, !tbaa !11
  %103 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %104 = zext i32 %103 to i64
  %105 = getelementptr inbounds nuw [128 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), i64 0, i64 %104
  store float %102, ptr %105, align 4, !tbaa !11
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.lifetime.start.p0(ptr %13) #7
  store i32 64, ptr %13, align 4, !tbaa !4
  br label %106

106:                                              ; preds = %127, %101
  %107 = load i32, ptr %13, align 4, !tbaa !4
  %108 = icmp ne i32 %107, 0
  br i1 %108, label %110, label %109

109:                                              ; preds = %106
  call void @llvm.lifetime.end.p0(ptr %13) #7
  br label %130

110:                                              ; preds = %106
  %111 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %112 = load i32, ptr %13, align 4, !tbaa !4
  %113 = icmp ult i32 %111, %112
  br i1 %113, label %114, label %126

114:                                              ; preds = %110
  %115 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %116 = load i32, ptr %13, align 4, !tbaa !4
  %117 = add i32 %115, %116
  %118 = zext i32 %117 to i64
  %119 = getelementptr inbounds nuw [128 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), i64 0, i64 %118
  %120 = load float, ptr %119, align 4, !tbaa !11
  %121 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %122 = zext i32 %121 to i64
  %123 = getelementptr inbounds nuw [128 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), i64 0, i64 %122
  %124 = load float, ptr %123, align 4, !tbaa !11
  %125 = fadd contract float %124, %120
  store float %125, ptr %123, align 4, !tbaa !11
  br label %126

126:                                              ; preds = %114, %110
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %127

127:                                              ; preds = %126
  %128 = load i32, ptr %13, align 4, !tbaa !4
  %129 = sdiv i32 %128, 2
  store i32 %129, ptr %13, align 4, !tbaa !4
  br label %106, !llvm.loop !17

130:                                              ; preds = %109
  call void @llvm.lifetime.start.p0(ptr %14) #7
  %131 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ9layernormE4part to ptr), align 4, !tbaa !11
  %132 = load i32, ptr %6, align 4, !tbaa !4
  %133 = sitofp i32 %132 to float
  %134 = fdiv contract float %131, %133
  %135 = fadd contract float %134, 0x3EE4F8B580000000
  %136 = call contract noundef float @_ZL5sqrtff(float noundef %135) #8
  %137 = fdiv contract float 1.000000e+00, %136
  store float %137, ptr %14, align 4, !tbaa !11
  call void @llvm.lifetime.start.p0(ptr %15) #7
  %138 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  store i32 %138, ptr %15, align 4, !tbaa !4
  br label %139

139:                                              ; preds = %164, %130
  %140 = load i32, ptr %15, align 4, !tbaa !4
  %141 = load i32, ptr %6, align 4, !tbaa !4
  %142 = icmp slt i32 %140, %141
  br i1 %142, label %144, label %143

143:                                              ; preds = %139
  call void @llvm.lifetime.end.p0(ptr %15) #7
  br label %167

144:                                              ; preds = %139
  %145 = load ptr, ptr %7, align 8, !tbaa !8
  %146 = load i32, ptr %15, align 4, !tbaa !4
  %147 = sext i32 %146 to i64
  %148 = getelementptr inbounds float, ptr %145, i64 %147
  %149 = load float, ptr %148, align 4, !tbaa !11
  %150 = load float, ptr %11, align 4, !tbaa !11
  %151 = fsub contract float %149, %150
  %152 = load float, ptr %14, align 4, !tbaa !11
  %153 = fmul contract float %151, %152
  %154 = load ptr, ptr %5, align 8, !tbaa !8
  %155 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %156 = zext i32 %155 to i64
  %157 = load i32, ptr %6, align 4, !tbaa !4
  %158 = sext i32 %157 to i64
  %159 = mul i64 %156, %158
  %160 = load i32, ptr %15, align 4, !tbaa !4
  %161 = sext i32 %160 to i64
  %162 = add i64 %159, %161
  %163 = getelementptr inbounds nuw float, ptr %154, i64 %162
  store float %153, ptr %163, align 4, !tbaa !11
  br label %164

164:                                              ; preds = %144
  %165 = load i32, ptr %15, align 4, !tbaa !4
  %166 = add nsw i32 %165, 128
  store i32 %166, ptr %15, align 4, !tbaa !4
  br label %139, !llvm.loop !18

167:                                              ; preds = %143
  call void @llvm.lifetime.end.p0(ptr %14) #7
  call void @llvm.lifetime.end.p0(ptr %11) #7
  call void @llvm.lifetime.end.p0(ptr %8) #7
  call void @llvm.lifetime.end.p0(ptr %7) #7
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #2 comdat align 2 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret i32 %1
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #2 comdat align 2 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %1
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef float @_ZL5sqrtff(float noundef %0) #2 {
  %2 = alloca float, align 4
  store float %0, ptr %2, align 4, !tbaa !11
  %3 = load float, ptr %2, align 4, !tbaa !11
  %4 = call contract float @__nv_sqrtf(float noundef %3) #8
  ret float %4
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @transpose(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  store ptr %0, ptr %5, align 8, !tbaa !8
  store ptr %1, ptr %6, align 8, !tbaa !8
  store i32 %2, ptr %7, align 4, !tbaa !4
  store i32 %3, ptr %8, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %9) #7
  %13 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %14 = mul i32 %13, 32
  %15 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %16 = add i32 %14, %15
  store i32 %16, ptr %9, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %10) #7
  %17 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #8
  %18 = mul i32 %17, 32
  %19 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %20 = add i32 %18, %19
  store i32 %20, ptr %10, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %11) #7
  store i32 0, ptr %11, align 4, !tbaa !4
  br label %21

21:                                               ; preds = %56, %4
  %22 = load i32, ptr %11, align 4, !tbaa !4
  %23 = icmp slt i32 %22, 32
  br i1 %23, label %25, label %24

24:                                               ; preds = %21
  call void @llvm.lifetime.end.p0(ptr %11) #7
  br label %59

25:                                               ; preds = %21
  %26 = load i32, ptr %10, align 4, !tbaa !4
  %27 = load i32, ptr %11, align 4, !tbaa !4
  %28 = add nsw i32 %26, %27
  %29 = load i32, ptr %7, align 4, !tbaa !4
  %30 = icmp slt i32 %28, %29
  br i1 %30, label %31, label %55

31:                                               ; preds = %25
  %32 = load i32, ptr %9, align 4, !tbaa !4
  %33 = load i32, ptr %8, align 4, !tbaa !4
  %34 = icmp slt i32 %32, %33
  br i1 %34, label %35, label %55

35:                                               ; preds = %31
  %36 = load ptr, ptr %5, align 8, !tbaa !8
  %37 = load i32, ptr %10, align 4, !tbaa !4
  %38 = load i32, ptr %11, align 4, !tbaa !4
  %39 = add nsw i32 %37, %38
  %40 = load i32, ptr %8, align 4, !tbaa !4
  %41 = mul nsw i32 %39, %40
  %42 = load i32, ptr %9, align 4, !tbaa !4
  %43 = add nsw i32 %41, %42
  %44 = sext i32 %43 to i64
  %45 = getelementptr inbounds float, ptr %36, i64 %44
  %46 = load float, ptr %45, align 4, !tbaa !11
  %47 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %48 = load i32, ptr %11, align 4, !tbaa !4
  %49 = add i32 %47, %48
  %50 = zext i32 %49 to i64
  %51 = getelementptr inbounds nuw [32 x [33 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9transposeE4tile to ptr), i64 0, i64 %50
  %52 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %53 = zext i32 %52 to i64
  %54 = getelementptr inbounds nuw [33 x float], ptr %51, i64 0, i64 %53
  store float %46, ptr %54, align 4, !tbaa !11
  br label %55

55:                                               ; preds = %35, %31, %25
  br label %56

56:                                               ; preds = %55
  %57 = load i32, ptr %11, align 4, !tbaa !4
  %58 = add nsw i32 %57, 8
  store i32 %58, ptr %11, align 4, !tbaa !4
  br label %21, !llvm.loop !19

59:                                               ; preds = %24
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %60 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #8
  %61 = mul i32 %60, 32
  %62 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %63 = add i32 %61, %62
  store i32 %63, ptr %9, align 4, !tbaa !4
  %64 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %65 = mul i32 %64, 32
  %66 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %67 = add i32 %65, %66
  store i32 %67, ptr %10, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %12) #7
  store i32 0, ptr %12, align 4, !tbaa !4
  br label %68

68:                                               ; preds = %103, %59
  %69 = load i32, ptr %12, align 4, !tbaa !4
  %70 = icmp slt i32 %69, 32
  br i1 %70, label %72, label %71

71:                                               ; preds = %68
  call void @llvm.lifetime.end.p0(ptr %12) #7
  br label %106

72:                                               ; preds = %68
  %73 = load i32, ptr %10, align 4, !tbaa !4
  %74 = load i32, ptr %12, align 4, !tbaa !4
  %75 = add nsw i32 %73, %74
  %76 = load i32, ptr %8, align 4, !tbaa !4
  %77 = icmp slt i32 %75, %76
  br i1 %77, label %78, label %102

78:                                               ; preds = %72
  %79 = load i32, ptr %9, align 4, !tbaa !4
  %80 = load i32, ptr %7, align 4, !tbaa !4
  %81 = icmp slt i32 %79, %80
  br i1 %81, label %82, label %102

82:                                               ; preds = %78
  %83 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %84 = zext i32 %83 to i64
  %85 = getelementptr inbounds nuw [32 x [33 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ9transposeE4tile to ptr), i64 0, i64 %84
  %86 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %87 = load i32, ptr %12, align 4, !tbaa !4
  %88 = add i32 %86, %87
  %89 = zext i32 %88 to i64
  %90 = getelementptr inbounds nuw [33 x float], ptr %85, i64 0, i64 %89
  %91 = load float, ptr %90, align 4, !tbaa !11
  %92 = load ptr, ptr %6, align 8, !tbaa !8
  %93 = load i32, ptr %10, align 4, !tbaa !4
  %94 = load i32, ptr %12, align 4, !tbaa !4
  %95 = add nsw i32 %93, %94
  %96 = load i32, ptr %7, align 4, !tbaa !4
  %97 = mul nsw i32 %95, %96
  %98 = load i32, ptr %9, align 4, !tbaa !4
  %99 = add nsw i32 %97, %98
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds float, ptr %92, i64 %100
  store float %91, ptr %101, align 4, !tbaa !11
  br label %102

102:                                              ; preds = %82, %78, %72
  br label %103

103:                                              ; preds = %102
  %104 = load i32, ptr %12, align 4, !tbaa !4
  %105 = add nsw i32 %104, 8
  store i32 %105, ptr %12, align 4, !tbaa !4
  br label %68, !llvm.loop !20

106:                                              ; preds = %71
  call void @llvm.lifetime.end.p0(ptr %10) #7
  call void @llvm.lifetime.end.p0(ptr %9) #7
  ret void
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #2 comdat align 2 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  ret i32 %1
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #2 comdat align 2 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %1
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @stencil(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca %class.anon, align 8
  store ptr %0, ptr %5, align 8, !tbaa !8
  store ptr %1, ptr %6, align 8, !tbaa !8
  store i32 %2, ptr %7, align 4, !tbaa !4
  store i32 %3, ptr %8, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %9) #7
  %14 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %15 = mul i32 %14, 16
  %16 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %17 = add i32 %15, %16
  store i32 %17, ptr %9, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %10) #7
  %18 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #8
  %19 = mul i32 %18, 16
  %20 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %21 = add i32 %19, %20
  store i32 %21, ptr %10, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %11) #7
  %22 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %23 = add i32 %22, 1
  store i32 %23, ptr %11, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %12) #7
  %24 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %25 = add i32 %24, 1
  store i32 %25, ptr %12, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %13) #7
  %26 = getelementptr inbounds nuw %class.anon, ptr %13, i32 0, i32 0
  store ptr %7, ptr %26, align 8, !tbaa !21
  %27 = getelementptr inbounds nuw %class.anon, ptr %13, i32 0, i32 1
  store ptr %8, ptr %27, align 8, !tbaa !21
  %28 = getelementptr inbounds nuw %class.anon, ptr %13, i32 0, i32 2
  store ptr %5, ptr %28, align 8, !tbaa !23
  %29 = load i32, ptr %10, align 4, !tbaa !4
  %30 = load i32, ptr %9, align 4, !tbaa !4
  %31 = call contract noundef float @_ZZ7stencilENKUliiE_clEii(ptr noundef nonnull align 8 dereferenceable(24) %13, i32 noundef %29, i32 noundef %30) #8
  %32 = load i32, ptr %11, align 4, !tbaa !4
  %33 = sext i32 %32 to i64
  %34 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %33
  %35 = load i32, ptr %12, align 4, !tbaa !4
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds [18 x float], ptr %34, i64 0, i64 %36
  store float %31, ptr %37, align 4, !tbaa !11
  %38 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %39 = icmp eq i32 %38, 0
  br i1 %39, label %40, label %55

40:                                               ; preds = %4
  %41 = load i32, ptr %10, align 4, !tbaa !4
  %42 = sub nsw i32 %41, 1
  %43 = load i32, ptr %9, align 4, !tbaa !4
  %44 = call contract noundef float @_ZZ7stencilENKUliiE_clEii(ptr noundef nonnull align 8 dereferenceable(24) %13, i32 noundef %42, i32 noundef %43) #8
  %45 = load i32, ptr %12, align 4, !tbaa !4
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds [18 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %46
  store float %44, ptr %47, align 4, !tbaa !11
  %48 = load i32, ptr %10, align 4, !tbaa !4
  %49 = add nsw i32 %48, 16
  %50 = load i32, ptr %9, align 4, !tbaa !4
  %51 = call contract noundef float @_ZZ7stencilENKUliiE_clEii(ptr noundef nonnull align 8 dereferenceable(24) %13, i32 noundef %49, i32 noundef %50) #8
  %52 = load i32, ptr %12, align 4, !tbaa !4
  %53 = sext i32 %52 to i64
  %54 = getelementptr inbounds [18 x float], ptr getelementptr inbounds ([18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 17), i64 0, i64 %53
  store float %51, ptr %54, align 4, !tbaa !11
  br label %55

55:                                               ; preds = %40, %4
  %56 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %57 = icmp eq i32 %56, 0
  br i1 %57, label %58, label %75

58:                                               ; preds = %55
  %59 = load i32, ptr %10, align 4, !tbaa !4
  %60 = load i32, ptr %9, align 4, !tbaa !4
  %61 = sub nsw i32 %60, 1
  %62 = call contract noundef float @_ZZ7stencilENKUliiE_clEii(ptr noundef nonnull align 8 dereferenceable(24) %13, i32 noundef %59, i32 noundef %61) #8
  %63 = load i32, ptr %11, align 4, !tbaa !4
  %64 = sext i32 %63 to i64
  %65 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %64
  %66 = getelementptr inbounds [18 x float], ptr %65, i64 0, i64 0
  store float %62, ptr %66, align 4, !tbaa !11
  %67 = load i32, ptr %10, align 4, !tbaa !4
  %68 = load i32, ptr %9, align 4, !tbaa !4
  %69 = add nsw i32 %68, 16
  %70 = call contract noundef float @_ZZ7stencilENKUliiE_clEii(ptr noundef nonnull align 8 dereferenceable(24) %13, i32 noundef %67, i32 noundef %69) #8
  %71 = load i32, ptr %11, align 4, !tbaa !4
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %72
  %74 = getelementptr inbounds [18 x float], ptr %73, i64 0, i64 17
  store float %70, ptr %74, align 4, !tbaa !11
  br label %75

75:                                               ; preds = %58, %55
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %76 = load i32, ptr %10, align 4, !tbaa !4
  %77 = load i32, ptr %7, align 4, !tbaa !4
  %78 = icmp slt i32 %76, %77
  br i1 %78, label %79, label %139

79:                                               ; preds = %75
  %80 = load i32, ptr %9, align 4, !tbaa !4
  %81 = load i32, ptr %8, align 4, !tbaa !4
  %82 = icmp slt i32 %80, %81
  br i1 %82, label %83, label %139

83:                                               ; preds = %79
  %84 = load i32, ptr %11, align 4, !tbaa !4
  %85 = sext i32 %84 to i64
  %86 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %85
  %87 = load i32, ptr %12, align 4, !tbaa !4
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds [18 x float], ptr %86, i64 0, i64 %88
  %90 = load float, ptr %89, align 4, !tbaa !11
  %91 = fmul contract float %90, 2.000000e+00
  %92 = load i32, ptr %11, align 4, !tbaa !4
  %93 = sub nsw i32 %92, 1
  %94 = sext i32 %93 to i64
  %95 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %94
  %96 = load i32, ptr %12, align 4, !tbaa !4
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds [18 x float], ptr %95, i64 0, i64 %97
  %99 = load float, ptr %98, align 4, !tbaa !11
  %100 = fmul contract float %99, 2.500000e-01
  %101 = fsub contract float %91, %100
  %102 = load i32, ptr %11, align 4, !tbaa !4
  %103 = add nsw i32 %102, 1
  %104 = sext i32 %103 to i64
  %105 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %104
  %106 = load i32, ptr %12, align 4, !tbaa !4
  %107 = sext i32 %106 to i64
  %108 = getelementptr inbounds [18 x float], ptr %105, i64 0, i64 %107
  %109 = load float, ptr %108, align 4, !tbaa !11
  %110 = fmul contract float %109, 2.500000e-01
  %111 = fsub contract float %101, %110
  %112 = load i32, ptr %11, align 4, !tbaa !4
  %113 = sext i32 %112 to i64
  %114 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %113
  %115 = load i32, ptr %12, align 4, !tbaa !4
  %116 = sub nsw i32 %115, 1
  %117 = sext i32 %116 to i64
  %118 = getelementptr inbounds [18 x float], ptr %114, i64 0, i64 %117
  %119 = load float, ptr %118, align 4, !tbaa !11
  %120 = fmul contract float %119, 5.000000e-01
  %121 = fsub contract float %111, %120
  %122 = load i32, ptr %11, align 4, !tbaa !4
  %123 = sext i32 %122 to i64
  %124 = getelementptr inbounds [18 x [18 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ7stencilE4tile to ptr), i64 0, i64 %123
  %125 = load i32, ptr %12, align 4, !tbaa !4
  %126 = add nsw i32 %125, 1
  %127 = sext i32 %126 to i64
  %128 = getelementptr inbounds [18 x float], ptr %124, i64 0, i64 %127
  %129 = load float, ptr %128, align 4, !tbaa !11
  %130 = fsub contract float %121, %129
  %131 = load ptr, ptr %6, align 8, !tbaa !8
  %132 = load i32, ptr %10, align 4, !tbaa !4
  %133 = load i32, ptr %8, align 4, !tbaa !4
  %134 = mul nsw i32 %132, %133
  %135 = load i32, ptr %9, align 4, !tbaa !4
  %136 = add nsw i32 %134, %135
  %137 = sext i32 %136 to i64
  %138 = getelementptr inbounds float, ptr %131, i64 %137
  store float %130, ptr %138, align 4, !tbaa !11
  br label %139

139:                                              ; preds = %83, %79, %75
  call void @llvm.lifetime.end.p0(ptr %13) #7
  call void @llvm.lifetime.end.p0(ptr %12) #7
  call void @llvm.lifetime.end.p0(ptr %11) #7
  call void @llvm.lifetime.end.p0(ptr %10) #7
  call void @llvm.lifetime.end.p0(ptr %9) #7
  ret void
}

; Function Attrs: convergent inlinehint mustprogress nounwind
define internal noundef float @_ZZ7stencilENKUliiE_clEii(ptr noundef nonnull align 8 dereferenceable(24) %0, i32 noundef %1, i32 noundef %2) #4 align 2 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !26
  store i32 %1, ptr %5, align 4, !tbaa !4
  store i32 %2, ptr %6, align 4, !tbaa !4
  %7 = load ptr, ptr %4, align 8
  %8 = load i32, ptr %5, align 4, !tbaa !4
  %9 = icmp sge i32 %8, 0
  br i1 %9, label %10, label %39

10:                                               ; preds = %3
  %11 = load i32, ptr %5, align 4, !tbaa !4
  %12 = getelementptr inbounds nuw %class.anon, ptr %7, i32 0, i32 0
  %13 = load ptr, ptr %12, align 8, !tbaa !27, !nonnull !29, !align !30
  %14 = load i32, ptr %13, align 4, !tbaa !4
  %15 = icmp slt i32 %11, %14
  br i1 %15, label %16, label %39

16:                                               ; preds = %10
  %17 = load i32, ptr %6, align 4, !tbaa !4
  %18 = icmp sge i32 %17, 0
  br i1 %18, label %19, label %39

19:                                               ; preds = %16
  %20 = load i32, ptr %6, align 4, !tbaa !4
  %21 = getelementptr inbounds nuw %class.anon, ptr %7, i32 0, i32 1
  %22 = load ptr, ptr %21, align 8, !tbaa !31, !nonnull !29, !align !30
  %23 = load i32, ptr %22, align 4, !tbaa !4
  %24 = icmp slt i32 %20, %23
  br i1 %24, label %25, label %39

25:                                               ; preds = %19
  %26 = getelementptr inbounds nuw %class.anon, ptr %7, i32 0, i32 2
  %27 = load ptr, ptr %26, align 8, !tbaa !32, !nonnull !29, !align !33
  %28 = load ptr, ptr %27, align 8, !tbaa !8
  %29 = load i32, ptr %5, align 4, !tbaa !4
  %30 = getelementptr inbounds nuw %class.anon, ptr %7, i32 0, i32 1
  %31 = load ptr, ptr %30, align 8, !tbaa !31, !nonnull !29, !align !30
  %32 = load i32, ptr %31, align 4, !tbaa !4
  %33 = mul nsw i32 %29, %32
  %34 = load i32, ptr %6, align 4, !tbaa !4
  %35 = add nsw i32 %33, %34
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds float, ptr %28, i64 %36
  %38 = load float, ptr %37, align 4, !tbaa !11
  br label %40

39:                                               ; preds = %19, %16, %10, %3
  br label %40

40:                                               ; preds = %39, %25
  %41 = phi contract float [ %38, %25 ], [ 0.000000e+00, %39 ]
  ret float %41
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @scan(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca float, align 4
  store ptr %0, ptr %4, align 8, !tbaa !8
  store ptr %1, ptr %5, align 8, !tbaa !8
  store i32 %2, ptr %6, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %7) #7
  %11 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %12 = mul i32 %11, 256
  %13 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %14 = add i32 %12, %13
  store i32 %14, ptr %7, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %8) #7
  store i32 0, ptr %8, align 4, !tbaa !4
  %15 = load i32, ptr %7, align 4, !tbaa !4
  %16 = load i32, ptr %6, align 4, !tbaa !4
  %17 = icmp slt i32 %15, %16
  br i1 %17, label %18, label %24

18:                                               ; preds = %3
  %19 = load ptr, ptr %4, align 8, !tbaa !8
  %20 = load i32, ptr %7, align 4, !tbaa !4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds float, ptr %19, i64 %21
  %23 = load float, ptr %22, align 4, !tbaa !11
  br label %25

24:                                               ; preds = %3
  br label %25

25:                                               ; preds = %24, %18
  %26 = phi contract float [ %23, %18 ], [ 0.000000e+00, %24 ]
  %27 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %28 = zext i32 %27 to i64
  %29 = getelementptr inbounds nuw [256 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4sums to ptr), i64 0, i64 %28
  store float %26, ptr %29, align 4, !tbaa !11
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.lifetime.start.p0(ptr %9) #7
  store i32 1, ptr %9, align 4, !tbaa !4
  br label %30

30:                                               ; preds = %67, %25
  %31 = load i32, ptr %9, align 4, !tbaa !4
  %32 = icmp slt i32 %31, 256
  br i1 %32, label %34, label %33

33:                                               ; preds = %30
  call void @llvm.lifetime.end.p0(ptr %9) #7
  br label %70

34:                                               ; preds = %30
  call void @llvm.lifetime.start.p0(ptr %10) #7
  %35 = load i32, ptr %8, align 4, !tbaa !4
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds [2 x [256 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4sums to ptr), i64 0, i64 %36
  %38 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %39 = zext i32 %38 to i64
  %40 = getelementptr inbounds nuw [256 x float], ptr %37, i64 0, i64 %39
  %41 = load float, ptr %40, align 4, !tbaa !11
  store float %41, ptr %10, align 4, !tbaa !11
  %42 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %43 = load i32, ptr %9, align 4, !tbaa !4
  %44 = icmp uge i32 %42, %43
  br i1 %44, label %45, label %57

45:                                               ; preds = %34
  %46 = load i32, ptr %8, align 4, !tbaa !4
  %47 = sext i32 %46 to i64
  %48 = getelementptr inbounds [2 x [256 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4sums to ptr), i64 0, i64 %47
  %49 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %50 = load i32, ptr %9, align 4, !tbaa !4
  %51 = sub i32 %49, %50
  %52 = zext i32 %51 to i64
  %53 = getelementptr inbounds nuw [256 x float], ptr %48, i64 0, i64 %52
  %54 = load float, ptr %53, align 4, !tbaa !11
  %55 = load float, ptr %10, align 4, !tbaa !11
  %56 = fadd contract float %55, %54
  store float %56, ptr %10, align 4, !tbaa !11
  br label %57

57:                                               ; preds = %45, %34
  %58 = load i32, ptr %8, align 4, !tbaa !4
  %59 = sub nsw i32 1, %58
  store i32 %59, ptr %8, align 4, !tbaa !4
  %60 = load float, ptr %10, align 4, !tbaa !11
  %61 = load i32, ptr %8, align 4, !tbaa !4
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds [2 x [256 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4sums to ptr), i64 0, i64 %62
  %64 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %65 = zext i32 %64 to i64
  %66 = getelementptr inbounds nuw [256 x float], ptr %63, i64 0, i64 %65
  store float %60, ptr %66, align 4, !tbaa !11
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void @llvm.lifetime.end.p0(ptr %10) #7
  br label %67

67:                                               ; preds = %57
  %68 = load i32, ptr %9, align 4, !tbaa !4
  %69 = mul nsw i32 %68, 2
  store i32 %69, ptr %9, align 4, !tbaa !4
  br label %30, !llvm.loop !34

70:                                               ; preds = %33
  %71 = load i32, ptr %7, align 4, !tbaa !4
  %72 = load i32, ptr %6, align 4, !tbaa !4
  %73 = icmp slt i32 %71, %72
  br i1 %73, label %74, label %86

74:                                               ; preds = %70
  %75 = load i32, ptr %8, align 4, !tbaa !4
  %76 = sext i32 %75 to i64
  %77 = getelementptr inbounds [2 x [256 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ4scanE4sums to ptr), i64 0, i64 %76
  %78 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %79 = zext i32 %78 to i64
  %80 = getelementptr inbounds nuw [256 x float], ptr %77, i64 0, i64 %79
  %81 = load float, ptr %80, align 4, !tbaa !11
  %82 = load ptr, ptr %5, align 8, !tbaa !8
  %83 = load i32, ptr %7, align 4, !tbaa !4
  %84 = sext i32 %83 to i64
  %85 = getelementptr inbounds float, ptr %82, i64 %84
  store float %81, ptr %85, align 4, !tbaa !11
  br label %86

86:                                               ; preds = %74, %70
  call void @llvm.lifetime.end.p0(ptr %8) #7
  call void @llvm.lifetime.end.p0(ptr %7) #7
  ret void
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @halves(ptr noundef %0, ptr noundef %1, float noundef %2, i32 noundef %3) #0 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca float, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca half, align 2
  %12 = alloca half, align 2
  store ptr %0, ptr %5, align 8, !tbaa !35
  store ptr %1, ptr %6, align 8, !tbaa !35
  store float %2, ptr %7, align 4, !tbaa !11
  store i32 %3, ptr %8, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %9) #7
  %13 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %14 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #8
  %15 = mul i32 %13, %14
  %16 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %17 = add i32 %15, %16
  store i32 %17, ptr %9, align 4, !tbaa !4
  %18 = load i32, ptr %9, align 4, !tbaa !4
  %19 = load i32, ptr %8, align 4, !tbaa !4
  %20 = icmp sge i32 %18, %19
  br i1 %20, label %21, label %22

21:                                               ; preds = %4
  store i32 1, ptr %10, align 4
  br label %55

22:                                               ; preds = %4
  call void @llvm.lifetime.start.p0(ptr %11) #7
  %23 = load ptr, ptr %5, align 8, !tbaa !35
  %24 = load i32, ptr %9, align 4, !tbaa !4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds half, ptr %23, i64 %25
  %27 = load half, ptr %26, align 2, !tbaa !37
  store half %27, ptr %11, align 2, !tbaa !37
  call void @llvm.lifetime.start.p0(ptr %12) #7
  %28 = load half, ptr %11, align 2, !tbaa !37
  %29 = load half, ptr %11, align 2, !tbaa !37
  %30 = fmul contract half %28, %29
  %31 = load float, ptr %7, align 4, !tbaa !11
  %32 = fptrunc contract float %31 to half
  %33 = fadd contract half %30, %32
  store half %33, ptr %12, align 2, !tbaa !37
  %34 = load half, ptr %11, align 2, !tbaa !37
  %35 = fcmp contract ogt half %34, 0xH0000
  br i1 %35, label %36, label %40

36:                                               ; preds = %22
  %37 = load half, ptr %12, align 2, !tbaa !37
  %38 = load half, ptr %11, align 2, !tbaa !37
  %39 = fdiv contract half %37, %38
  br label %49

40:                                               ; preds = %22
  %41 = load half, ptr %12, align 2, !tbaa !37
  %42 = fpext contract half %41 to float
  %43 = load half, ptr %11, align 2, !tbaa !37
  %44 = fpext contract half %43 to float
  %45 = load float, ptr %7, align 4, !tbaa !11
  %46 = fmul contract float %44, %45
  %47 = fsub contract float %42, %46
  %48 = fptrunc contract float %47 to half
  br label %49

49:                                               ; preds = %40, %36
  %50 = phi contract half [ %39, %36 ], [ %48, %40 ]
  %51 = load ptr, ptr %6, align 8, !tbaa !35
  %52 = load i32, ptr %9, align 4, !tbaa !4
  %53 = sext i32 %52 to i64
  %54 = getelementptr inbounds half, ptr %51, i64 %53
  store half %50, ptr %54, align 2, !tbaa !37
  call void @llvm.lifetime.end.p0(ptr %12) #7
  call void @llvm.lifetime.end.p0(ptr %11) #7
  store i32 0, ptr %10, align 4
  br label %55

55:                                               ; preds = %49, %21
  call void @llvm.lifetime.end.p0(ptr %9) #7
  %56 = load i32, ptr %10, align 4
  switch i32 %56, label %58 [
    i32 0, label %57
    i32 1, label %57
  ]

57:                                               ; preds = %55, %55
  ret void

58:                                               ; preds = %55
  unreachable
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #2 comdat align 2 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %1
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @product(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3, i32 noundef %4, i32 noundef %5) #0 {
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca ptr, align 8
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  %16 = alloca float, align 4
  %17 = alloca i32, align 4
  store ptr %0, ptr %7, align 8, !tbaa !8
  store ptr %1, ptr %8, align 8, !tbaa !8
  store ptr %2, ptr %9, align 8, !tbaa !8
  store i32 %3, ptr %10, align 4, !tbaa !4
  store i32 %4, ptr %11, align 4, !tbaa !4
  store i32 %5, ptr %12, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %13) #7
  %18 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #8
  %19 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #8
  %20 = mul i32 %18, %19
  %21 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #8
  %22 = add i32 %20, %21
  store i32 %22, ptr %13, align 4, !tbaa !4
  call void @llvm.lifetime.start.p0(ptr %14) #7
  %23 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #8
  %24 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv() #8
  %25 = mul i32 %23, %24
  %26 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #8
  %27 = add i32 %25, %26
  store i32 %27, ptr %14, align 4, !tbaa !4
  %28 = load i32, ptr %14, align 4, !tbaa !4
  %29 = load i32, ptr %10, align 4, !tbaa !4
  %30 = icmp sge i32 %28, %29
  br i1 %30, label %35, label %31

31:                                               ; preds = %6
  %32 = load i32, ptr %13, align 4, !tbaa !4
  %33 = load i32, ptr %11, align 4, !tbaa !4
  %34 = icmp sge i32 %32, %33
  br i1 %34, label %35, label %36

35:                                               ; preds = %31, %6
  store i32 1, ptr %15, align 4
  br label %83

36:                                               ; preds = %31
  call void @llvm.lifetime.start.p0(ptr %16) #7
  store float 0.000000e+00, ptr %16, align 4, !tbaa !11
  call void @llvm.lifetime.start.p0(ptr %17) #7
  store i32 0, ptr %17, align 4, !tbaa !4
  br label %37

37:                                               ; preds = %68, %36
  %38 = load i32, ptr %17, align 4, !tbaa !4
  %39 = load i32, ptr %12, align 4, !tbaa !4
  %40 = icmp slt i32 %38, %39
  br i1 %40, label %42, label %41

41:                                               ; preds = %37
  store i32 2, ptr %15, align 4
  call void @llvm.lifetime.end.p0(ptr %17) #7
  br label %71

42:                                               ; preds = %37
  %43 = load ptr, ptr %7, align 8, !tbaa !8
  %44 = load i32, ptr %14, align 4, !tbaa !4
  %45 = sext i32 %44 to i64
  %46 = load i32, ptr %12, align 4, !tbaa !4
  %47 = sext i32 %46 to i64
  %48 = mul i64 %45, %47
  %49 = load i32, ptr %17, align 4, !tbaa !4
  %50 = sext i32 %49 to i64
  %51 = add i64 %48, %50
  %52 = getelementptr inbounds nuw float, ptr %43, i64 %51
  %53 = load float, ptr %52, align 4, !tbaa !11
  %54 = load ptr, ptr %8, align 8, !tbaa !8
  %55 = load i32, ptr %17, align 4, !tbaa !4
  %56 = sext i32 %55 to i64
  %57 = load i32, ptr %11, align 4, !tbaa !4
  %58 = sext i32 %57 to i64
  %59 = mul i64 %56, %58
  %60 = load i32, ptr %13, align 4, !tbaa !4
  %61 = sext i32 %60 to i64
  %62 = add i64 %59, %61
  %63 = getelementptr inbounds nuw float, ptr %54, i64 %62
  %64 = load float, ptr %63, align 4, !tbaa !11
  %65 = fmul contract float %53, %64
  %66 = load float, ptr %16, align 4, !tbaa !11
  %67 = fadd contract float %66, %65
  store float %67, ptr %16, align 4, !tbaa !11
  br label %68

68:                                               ; preds = %42
  %69 = load i32, ptr %17, align 4, !tbaa !4
  %70 = add nsw i32 %69, 1
  store i32 %70, ptr %17, align 4, !tbaa !4
  br label %37, !llvm.loop !39

71:                                               ; preds = %41
  %72 = load float, ptr %16, align 4, !tbaa !11
  %73 = load ptr, ptr %9, align 8, !tbaa !8
  %74 = load i32, ptr %14, align 4, !tbaa !4
  %75 = sext i32 %74 to i64
  %76 = load i32, ptr %11, align 4, !tbaa !4
  %77 = sext i32 %76 to i64
  %78 = mul i64 %75, %77
  %79 = load i32, ptr %13, align 4, !tbaa !4
  %80 = sext i32 %79 to i64
  %81 = add i64 %78, %80
  %82 = getelementptr inbounds nuw float, ptr %73, i64 %81
  store float %72, ptr %82, align 4, !tbaa !11
  call void @llvm.lifetime.end.p0(ptr %16) #7
  store i32 0, ptr %15, align 4
  br label %83

83:                                               ; preds = %71, %35
  call void @llvm.lifetime.end.p0(ptr %14) #7
  call void @llvm.lifetime.end.p0(ptr %13) #7
  %84 = load i32, ptr %15, align 4
  switch i32 %84, label %86 [
    i32 0, label %85
    i32 1, label %85
  ]

85:                                               ; preds = %83, %83
  ret void

86:                                               ; preds = %83
  unreachable
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv() #2 comdat align 2 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  ret i32 %1
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #5

; Function Attrs: convergent nounwind
declare dso_local float @__nv_sqrtf(float noundef) #6

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #5

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #5

attributes #0 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { alwaysinline convergent mustprogress nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #3 = { convergent nocallback nounwind }
attributes #4 = { convergent inlinehint mustprogress nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #5 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #6 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #7 = { nounwind }
attributes #8 = { convergent nounwind }

!llvm.module.flags = !{!0, !1, !2}
!llvm.ident = !{!3}
!llvm.errno.tbaa = !{!4}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!2 = !{i32 7, !"frame-pointer", i32 2}
!3 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!4 = !{!5, !5, i64 0}
!5 = !{!"int", !6, i64 0}
!6 = !{!"omnipotent char", !7, i64 0}
!7 = !{!"Simple C++ TBAA"}
!8 = !{!9, !9, i64 0}
!9 = !{!"p1 float", !10, i64 0}
!10 = !{!"any pointer", !6, i64 0}
!11 = !{!12, !12, i64 0}
!12 = !{!"float", !6, i64 0}
!13 = distinct !{!13, !14}
!14 = !{!"llvm.loop.mustprogress"}
!15 = distinct !{!15, !14}
!16 = distinct !{!16, !14}
!17 = distinct !{!17, !14}
!18 = distinct !{!18, !14}
!19 = distinct !{!19, !14}
!20 = distinct !{!20, !14}
!21 = !{!22, !22, i64 0}
!22 = !{!"p1 int", !10, i64 0}
!23 = !{!24, !24, i64 0}
!24 = !{!"p2 float", !25, i64 0}
!25 = !{!"any p2 pointer", !10, i64 0}
!26 = !{!10, !10, i64 0}
!27 = !{!28, !22, i64 0}
!28 = !{!"_ZTSZ7stencilEUliiE_", !22, i64 0, !22, i64 8, !24, i64 16}
!29 = !{}
!30 = !{i64 4}
!31 = !{!28, !22, i64 8}
!32 = !{!28, !24, i64 16}
!33 = !{i64 8}
!34 = distinct !{!34, !14}
!35 = !{!36, !36, i64 0}
!36 = !{!"p1 _Float16", !10, i64 0}
!37 = !{!38, !38, i64 0}
!38 = !{!"_Float16", !6, i64 0}
!39 = distinct !{!39, !14}
