; ModuleID = 'kernels.cu'
source_filename = "kernels.cu"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

%struct.__cuda_builtin_blockIdx_t = type { i8 }
%struct.__cuda_builtin_threadIdx_t = type { i8 }
%struct.__cuda_builtin_blockDim_t = type { i8 }
%struct.__cuda_builtin_gridDim_t = type { i8 }
%struct.float4 = type { float, float, float, float }
%struct.Params = type { i32, float }

$_Z15__shfl_xor_syncjfii = comdat any

$_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv = comdat any

$_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv = comdat any

$_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv = comdat any

$_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv = comdat any

$_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv = comdat any

$_Z12__activemaskv = comdat any

$_ZN24__cuda_builtin_gridDim_t17__fetch_builtin_xEv = comdat any

$_ZN24__cuda_builtin_gridDim_t17__fetch_builtin_yEv = comdat any

$_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_zEv = comdat any

$_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv = comdat any

$_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_zEv = comdat any

$_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_zEv = comdat any

@_ZZ7softmaxE4part = internal addrspace(3) global [4 x float] undef, align 4
@blockIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockIdx_t, align 1
@threadIdx = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_threadIdx_t, align 1
@blockDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_blockDim_t, align 1
@_ZZ5sgemmE2ta = internal addrspace(3) global [16 x [16 x float]] undef, align 4
@_ZZ5sgemmE2tb = internal addrspace(3) global [16 x [16 x float]] undef, align 4
@local = external dso_local addrspace(3) global [0 x i32], align 4
@gridDim = extern_weak dso_local addrspace(1) global %struct.__cuda_builtin_gridDim_t, align 1

; Function Attrs: convergent mustprogress nounwind
define dso_local noundef float @_Z7warpMaxf(float noundef %0) #0 !dbg !12 {
  %2 = alloca float, align 4
  %3 = alloca i32, align 4
  store float %0, ptr %2, align 4, !tbaa !15
  call void @llvm.lifetime.start.p0(ptr %3) #10, !dbg !17
  store i32 16, ptr %3, align 4, !dbg !18, !tbaa !8
  br label %4, !dbg !17

4:                                                ; preds = %14, %1
  %5 = load i32, ptr %3, align 4, !dbg !19, !tbaa !8
  %6 = icmp ne i32 %5, 0, !dbg !19
  br i1 %6, label %8, label %7, !dbg !20

7:                                                ; preds = %4
  call void @llvm.lifetime.end.p0(ptr %3) #10, !dbg !20
  br label %17

8:                                                ; preds = %4
  %9 = load float, ptr %2, align 4, !dbg !21, !tbaa !15
  %10 = load float, ptr %2, align 4, !dbg !22, !tbaa !15
  %11 = load i32, ptr %3, align 4, !dbg !23, !tbaa !8
  %12 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %10, i32 noundef %11, i32 noundef 32) #11, !dbg !24
  %13 = call contract noundef float @_ZL5fmaxfff(float noundef %9, float noundef %12) #11, !dbg !25
  store float %13, ptr %2, align 4, !dbg !26, !tbaa !15
  br label %14, !dbg !27

14:                                               ; preds = %8
  %15 = load i32, ptr %3, align 4, !dbg !28, !tbaa !8
  %16 = ashr i32 %15, 1, !dbg !28
  store i32 %16, ptr %3, align 4, !dbg !28, !tbaa !8
  br label %4, !dbg !20, !llvm.loop !29

17:                                               ; preds = %7
  %18 = load float, ptr %2, align 4, !dbg !32, !tbaa !15
  ret float %18, !dbg !33
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #1

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef float @_ZL5fmaxfff(float noundef %0, float noundef %1) #2 !dbg !34 {
  %3 = alloca float, align 4
  %4 = alloca float, align 4
  store float %0, ptr %3, align 4, !tbaa !15
  store float %1, ptr %4, align 4, !tbaa !15
  %5 = load float, ptr %3, align 4, !dbg !36, !tbaa !15
  %6 = load float, ptr %4, align 4, !dbg !37, !tbaa !15
  %7 = call contract float @__nv_fmaxf(float noundef %5, float noundef %6) #11, !dbg !38
  ret float %7, !dbg !39
}

; Function Attrs: convergent inlinehint mustprogress nounwind
define linkonce_odr dso_local noundef float @_Z15__shfl_xor_syncjfii(i32 noundef %0, float noundef %1, i32 noundef %2, i32 noundef %3) #3 comdat !dbg !40 {
  %5 = alloca i32, align 4
  %6 = alloca float, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store i32 %0, ptr %5, align 4, !tbaa !8
  store float %1, ptr %6, align 4, !tbaa !15
  store i32 %2, ptr %7, align 4, !tbaa !8
  store i32 %3, ptr %8, align 4, !tbaa !8
  %9 = load i32, ptr %5, align 4, !dbg !42, !tbaa !8
  %10 = load float, ptr %6, align 4, !dbg !42, !tbaa !15
  %11 = load i32, ptr %7, align 4, !dbg !42, !tbaa !8
  %12 = load i32, ptr %8, align 4, !dbg !42, !tbaa !8
  %13 = sub nsw i32 32, %12, !dbg !42
  %14 = shl i32 %13, 8, !dbg !42
  %15 = or i32 %14, 31, !dbg !42
  %16 = call contract float @llvm.nvvm.shfl.sync.bfly.f32(i32 %9, float %10, i32 %11, i32 %15), !dbg !43
  ret float %16, !dbg !42
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(ptr captures(none)) #1

; Function Attrs: convergent mustprogress nounwind
define dso_local noundef float @_Z7warpSumf(float noundef %0) #0 !dbg !44 {
  %2 = alloca float, align 4
  %3 = alloca i32, align 4
  store float %0, ptr %2, align 4, !tbaa !15
  call void @llvm.lifetime.start.p0(ptr %3) #10, !dbg !45
  store i32 16, ptr %3, align 4, !dbg !46, !tbaa !8
  br label %4, !dbg !45

4:                                                ; preds = %14, %1
  %5 = load i32, ptr %3, align 4, !dbg !47, !tbaa !8
  %6 = icmp ne i32 %5, 0, !dbg !47
  br i1 %6, label %8, label %7, !dbg !48

7:                                                ; preds = %4
  call void @llvm.lifetime.end.p0(ptr %3) #10, !dbg !48
  br label %17

8:                                                ; preds = %4
  %9 = load float, ptr %2, align 4, !dbg !49, !tbaa !15
  %10 = load i32, ptr %3, align 4, !dbg !50, !tbaa !8
  %11 = call contract noundef float @_Z15__shfl_xor_syncjfii(i32 noundef -1, float noundef %9, i32 noundef %10, i32 noundef 32) #11, !dbg !51
  %12 = load float, ptr %2, align 4, !dbg !52, !tbaa !15
  %13 = fadd contract float %12, %11, !dbg !52
  store float %13, ptr %2, align 4, !dbg !52, !tbaa !15
  br label %14, !dbg !53

14:                                               ; preds = %8
  %15 = load i32, ptr %3, align 4, !dbg !54, !tbaa !8
  %16 = ashr i32 %15, 1, !dbg !54
  store i32 %16, ptr %3, align 4, !dbg !54, !tbaa !8
  br label %4, !dbg !48, !llvm.loop !55

17:                                               ; preds = %7
  %18 = load float, ptr %2, align 4, !dbg !57, !tbaa !15
  ret float %18, !dbg !58
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @softmax(ptr noundef %0, ptr noundef %1, i32 noundef %2) #4 !dbg !59 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca ptr, align 8
  %8 = alloca float, align 4
  %9 = alloca i32, align 4
  %10 = alloca float, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !60
  store ptr %1, ptr %5, align 8, !tbaa !60
  store i32 %2, ptr %6, align 4, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %7) #10, !dbg !63
  %13 = load ptr, ptr %4, align 8, !dbg !64, !tbaa !60
  %14 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #11, !dbg !65
  %15 = zext i32 %14 to i64, !dbg !65
  %16 = load i32, ptr %6, align 4, !dbg !66, !tbaa !8
  %17 = sext i32 %16 to i64, !dbg !66
  %18 = mul i64 %15, %17, !dbg !67
  %19 = getelementptr inbounds nuw float, ptr %13, i64 %18, !dbg !68
  store ptr %19, ptr %7, align 8, !dbg !69, !tbaa !60
  call void @llvm.lifetime.start.p0(ptr %8) #10, !dbg !70
  store float 0xFFF0000000000000, ptr %8, align 4, !dbg !71, !tbaa !15
  call void @llvm.lifetime.start.p0(ptr %9) #10, !dbg !72
  %20 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !73
  store i32 %20, ptr %9, align 4, !dbg !74, !tbaa !8
  br label %21, !dbg !72

21:                                               ; preds = %34, %3
  %22 = load i32, ptr %9, align 4, !dbg !75, !tbaa !8
  %23 = load i32, ptr %6, align 4, !dbg !76, !tbaa !8
  %24 = icmp slt i32 %22, %23, !dbg !77
  br i1 %24, label %26, label %25, !dbg !78

25:                                               ; preds = %21
  call void @llvm.lifetime.end.p0(ptr %9) #10, !dbg !78
  br label %38

26:                                               ; preds = %21
  %27 = load float, ptr %8, align 4, !dbg !79, !tbaa !15
  %28 = load ptr, ptr %7, align 8, !dbg !80, !tbaa !60
  %29 = load i32, ptr %9, align 4, !dbg !81, !tbaa !8
  %30 = sext i32 %29 to i64, !dbg !80
  %31 = getelementptr inbounds float, ptr %28, i64 %30, !dbg !80
  %32 = load float, ptr %31, align 4, !dbg !80, !tbaa !15
  %33 = call contract noundef float @_ZL5fmaxfff(float noundef %27, float noundef %32) #11, !dbg !82
  store float %33, ptr %8, align 4, !dbg !83, !tbaa !15
  br label %34, !dbg !84

34:                                               ; preds = %26
  %35 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !85
  %36 = load i32, ptr %9, align 4, !dbg !86, !tbaa !8
  %37 = add i32 %36, %35, !dbg !86
  store i32 %37, ptr %9, align 4, !dbg !86, !tbaa !8
  br label %21, !dbg !78, !llvm.loop !87

38:                                               ; preds = %25
  %39 = load float, ptr %8, align 4, !dbg !89, !tbaa !15
  %40 = call contract noundef float @_Z7warpMaxf(float noundef %39) #11, !dbg !90
  store float %40, ptr %8, align 4, !dbg !91, !tbaa !15
  %41 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !92
  %42 = urem i32 %41, 32, !dbg !93
  %43 = icmp eq i32 %42, 0, !dbg !94
  br i1 %43, label %44, label %50, !dbg !94

44:                                               ; preds = %38
  %45 = load float, ptr %8, align 4, !dbg !95, !tbaa !15
  %46 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !96
  %47 = udiv i32 %46, 32, !dbg !97
  %48 = zext i32 %47 to i64, !dbg !98
  %49 = getelementptr inbounds nuw [4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 %48, !dbg !98
  store float %45, ptr %49, align 4, !dbg !99, !tbaa !15
  br label %50, !dbg !98

50:                                               ; preds = %44, %38
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !100
  %51 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), align 4, !dbg !101, !tbaa !15
  %52 = load float, ptr getelementptr inbounds ([4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 1), align 4, !dbg !102, !tbaa !15
  %53 = call contract noundef float @_ZL5fmaxfff(float noundef %51, float noundef %52) #11, !dbg !103
  %54 = load float, ptr getelementptr inbounds ([4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 2), align 4, !dbg !104, !tbaa !15
  %55 = load float, ptr getelementptr inbounds ([4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 3), align 4, !dbg !105, !tbaa !15
  %56 = call contract noundef float @_ZL5fmaxfff(float noundef %54, float noundef %55) #11, !dbg !106
  %57 = call contract noundef float @_ZL5fmaxfff(float noundef %53, float noundef %56) #11, !dbg !107
  store float %57, ptr %8, align 4, !dbg !108, !tbaa !15
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !109
  call void @llvm.lifetime.start.p0(ptr %10) #10, !dbg !110
  store float 0.000000e+00, ptr %10, align 4, !dbg !111, !tbaa !15
  call void @llvm.lifetime.start.p0(ptr %11) #10, !dbg !112
  %58 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !113
  store i32 %58, ptr %11, align 4, !dbg !114, !tbaa !8
  br label %59, !dbg !112

59:                                               ; preds = %75, %50
  %60 = load i32, ptr %11, align 4, !dbg !115, !tbaa !8
  %61 = load i32, ptr %6, align 4, !dbg !116, !tbaa !8
  %62 = icmp slt i32 %60, %61, !dbg !117
  br i1 %62, label %64, label %63, !dbg !118

63:                                               ; preds = %59
  call void @llvm.lifetime.end.p0(ptr %11) #10, !dbg !118
  br label %79

64:                                               ; preds = %59
  %65 = load ptr, ptr %7, align 8, !dbg !119, !tbaa !60
  %66 = load i32, ptr %11, align 4, !dbg !120, !tbaa !8
  %67 = sext i32 %66 to i64, !dbg !119
  %68 = getelementptr inbounds float, ptr %65, i64 %67, !dbg !119
  %69 = load float, ptr %68, align 4, !dbg !119, !tbaa !15
  %70 = load float, ptr %8, align 4, !dbg !121, !tbaa !15
  %71 = fsub contract float %69, %70, !dbg !122
  %72 = call contract noundef float @_ZL4expff(float noundef %71) #11, !dbg !123
  %73 = load float, ptr %10, align 4, !dbg !124, !tbaa !15
  %74 = fadd contract float %73, %72, !dbg !124
  store float %74, ptr %10, align 4, !dbg !124, !tbaa !15
  br label %75, !dbg !125

75:                                               ; preds = %64
  %76 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !126
  %77 = load i32, ptr %11, align 4, !dbg !127, !tbaa !8
  %78 = add i32 %77, %76, !dbg !127
  store i32 %78, ptr %11, align 4, !dbg !127, !tbaa !8
  br label %59, !dbg !118, !llvm.loop !128

79:                                               ; preds = %63
  %80 = load float, ptr %10, align 4, !dbg !130, !tbaa !15
  %81 = call contract noundef float @_Z7warpSumf(float noundef %80) #11, !dbg !131
  store float %81, ptr %10, align 4, !dbg !132, !tbaa !15
  %82 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !133
  %83 = urem i32 %82, 32, !dbg !134
  %84 = icmp eq i32 %83, 0, !dbg !135
  br i1 %84, label %85, label %91, !dbg !135

85:                                               ; preds = %79
  %86 = load float, ptr %10, align 4, !dbg !136, !tbaa !15
  %87 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !137
  %88 = udiv i32 %87, 32, !dbg !138
  %89 = zext i32 %88 to i64, !dbg !139
  %90 = getelementptr inbounds nuw [4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 %89, !dbg !139
  store float %86, ptr %90, align 4, !dbg !140, !tbaa !15
  br label %91, !dbg !139

91:                                               ; preds = %85, %79
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !141
  %92 = load float, ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), align 4, !dbg !142, !tbaa !15
  %93 = load float, ptr getelementptr inbounds ([4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 1), align 4, !dbg !143, !tbaa !15
  %94 = fadd contract float %92, %93, !dbg !144
  %95 = load float, ptr getelementptr inbounds ([4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 2), align 4, !dbg !145, !tbaa !15
  %96 = fadd contract float %94, %95, !dbg !146
  %97 = load float, ptr getelementptr inbounds ([4 x float], ptr addrspacecast (ptr addrspace(3) @_ZZ7softmaxE4part to ptr), i64 0, i64 3), align 4, !dbg !147, !tbaa !15
  %98 = fadd contract float %96, %97, !dbg !148
  store float %98, ptr %10, align 4, !dbg !149, !tbaa !15
  call void @llvm.lifetime.start.p0(ptr %12) #10, !dbg !150
  %99 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !151
  store i32 %99, ptr %12, align 4, !dbg !152, !tbaa !8
  br label %100, !dbg !150

100:                                              ; preds = %126, %91
  %101 = load i32, ptr %12, align 4, !dbg !153, !tbaa !8
  %102 = load i32, ptr %6, align 4, !dbg !154, !tbaa !8
  %103 = icmp slt i32 %101, %102, !dbg !155
  br i1 %103, label %105, label %104, !dbg !156

104:                                              ; preds = %100
  call void @llvm.lifetime.end.p0(ptr %12) #10, !dbg !156
  br label %130

105:                                              ; preds = %100
  %106 = load ptr, ptr %7, align 8, !dbg !157, !tbaa !60
  %107 = load i32, ptr %12, align 4, !dbg !158, !tbaa !8
  %108 = sext i32 %107 to i64, !dbg !157
  %109 = getelementptr inbounds float, ptr %106, i64 %108, !dbg !157
  %110 = load float, ptr %109, align 4, !dbg !157, !tbaa !15
  %111 = load float, ptr %8, align 4, !dbg !159, !tbaa !15
  %112 = fsub contract float %110, %111, !dbg !160
  %113 = call contract noundef float @_ZL4expff(float noundef %112) #11, !dbg !161
  %114 = load float, ptr %10, align 4, !dbg !162, !tbaa !15
  %115 = fdiv contract float %113, %114, !dbg !163
  %116 = load ptr, ptr %5, align 8, !dbg !164, !tbaa !60
  %117 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #11, !dbg !165
  %118 = zext i32 %117 to i64, !dbg !165
  %119 = load i32, ptr %6, align 4, !dbg !166, !tbaa !8
  %120 = sext i32 %119 to i64, !dbg !166
  %121 = mul i64 %118, %120, !dbg !167
  %122 = load i32, ptr %12, align 4, !dbg !168, !tbaa !8
  %123 = sext i32 %122 to i64, !dbg !168
  %124 = add i64 %121, %123, !dbg !169
  %125 = getelementptr inbounds nuw float, ptr %116, i64 %124, !dbg !164
  store float %115, ptr %125, align 4, !dbg !170, !tbaa !15
  br label %126, !dbg !164

126:                                              ; preds = %105
  %127 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !171
  %128 = load i32, ptr %12, align 4, !dbg !172, !tbaa !8
  %129 = add i32 %128, %127, !dbg !172
  store i32 %129, ptr %12, align 4, !dbg !172, !tbaa !8
  br label %100, !dbg !156, !llvm.loop !173

130:                                              ; preds = %104
  call void @llvm.lifetime.end.p0(ptr %10) #10, !dbg !174
  call void @llvm.lifetime.end.p0(ptr %8) #10, !dbg !174
  call void @llvm.lifetime.end.p0(ptr %7) #10, !dbg !174
  ret void, !dbg !174
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #2 comdat align 2 !dbg !175 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x(), !dbg !177
  ret i32 %1, !dbg !178
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #2 comdat align 2 !dbg !179 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !180
  ret i32 %1, !dbg !181
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #2 comdat align 2 !dbg !182 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x(), !dbg !183
  ret i32 %1, !dbg !184
}

; Function Attrs: convergent nocallback nounwind
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #5

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef float @_ZL4expff(float noundef %0) #2 !dbg !185 {
  %2 = alloca float, align 4
  store float %0, ptr %2, align 4, !tbaa !15
  %3 = load float, ptr %2, align 4, !dbg !186, !tbaa !15
  %4 = call contract float @__nv_expf(float noundef %3) #11, !dbg !187
  ret float %4, !dbg !188
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @sgemm(ptr noundef %0, ptr noundef %1, ptr noundef %2, i32 noundef %3) #4 !dbg !189 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca float, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  store ptr %0, ptr %5, align 8, !tbaa !60
  store ptr %1, ptr %6, align 8, !tbaa !60
  store ptr %2, ptr %7, align 8, !tbaa !60
  store i32 %3, ptr %8, align 4, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %9) #10, !dbg !190
  %15 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #11, !dbg !191
  %16 = mul i32 %15, 16, !dbg !192
  %17 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !193
  %18 = add i32 %16, %17, !dbg !194
  store i32 %18, ptr %9, align 4, !dbg !195, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %10) #10, !dbg !190
  %19 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #11, !dbg !196
  %20 = mul i32 %19, 16, !dbg !197
  %21 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !198
  %22 = add i32 %20, %21, !dbg !199
  store i32 %22, ptr %10, align 4, !dbg !200, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %11) #10, !dbg !201
  store float 0.000000e+00, ptr %11, align 4, !dbg !202, !tbaa !15
  call void @llvm.lifetime.start.p0(ptr %12) #10, !dbg !203
  store i32 0, ptr %12, align 4, !dbg !204, !tbaa !8
  br label %23, !dbg !203

23:                                               ; preds = %115, %4
  %24 = load i32, ptr %12, align 4, !dbg !205, !tbaa !8
  %25 = load i32, ptr %8, align 4, !dbg !206, !tbaa !8
  %26 = icmp slt i32 %24, %25, !dbg !207
  br i1 %26, label %28, label %27, !dbg !208

27:                                               ; preds = %23
  store i32 2, ptr %13, align 4
  call void @llvm.lifetime.end.p0(ptr %12) #10, !dbg !208
  br label %118

28:                                               ; preds = %23
  %29 = load i32, ptr %10, align 4, !dbg !209, !tbaa !8
  %30 = load i32, ptr %8, align 4, !dbg !210, !tbaa !8
  %31 = icmp slt i32 %29, %30, !dbg !211
  br i1 %31, label %32, label %50, !dbg !212

32:                                               ; preds = %28
  %33 = load i32, ptr %12, align 4, !dbg !213, !tbaa !8
  %34 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !214
  %35 = add i32 %33, %34, !dbg !215
  %36 = load i32, ptr %8, align 4, !dbg !216, !tbaa !8
  %37 = icmp ult i32 %35, %36, !dbg !217
  br i1 %37, label %38, label %50, !dbg !209

38:                                               ; preds = %32
  %39 = load ptr, ptr %5, align 8, !dbg !218, !tbaa !60
  %40 = load i32, ptr %10, align 4, !dbg !219, !tbaa !8
  %41 = load i32, ptr %8, align 4, !dbg !220, !tbaa !8
  %42 = mul nsw i32 %40, %41, !dbg !221
  %43 = load i32, ptr %12, align 4, !dbg !222, !tbaa !8
  %44 = add nsw i32 %42, %43, !dbg !223
  %45 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !224
  %46 = add i32 %44, %45, !dbg !225
  %47 = zext i32 %46 to i64, !dbg !218
  %48 = getelementptr inbounds nuw float, ptr %39, i64 %47, !dbg !218
  %49 = load float, ptr %48, align 4, !dbg !218, !tbaa !15
  br label %51, !dbg !209

50:                                               ; preds = %32, %28
  br label %51, !dbg !209

51:                                               ; preds = %50, %38
  %52 = phi contract float [ %49, %38 ], [ 0.000000e+00, %50 ], !dbg !209
  %53 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !226
  %54 = zext i32 %53 to i64, !dbg !227
  %55 = getelementptr inbounds nuw [16 x [16 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ5sgemmE2ta to ptr), i64 0, i64 %54, !dbg !227
  %56 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !228
  %57 = zext i32 %56 to i64, !dbg !227
  %58 = getelementptr inbounds nuw [16 x float], ptr %55, i64 0, i64 %57, !dbg !227
  store float %52, ptr %58, align 4, !dbg !229, !tbaa !15
  %59 = load i32, ptr %9, align 4, !dbg !230, !tbaa !8
  %60 = load i32, ptr %8, align 4, !dbg !231, !tbaa !8
  %61 = icmp slt i32 %59, %60, !dbg !232
  br i1 %61, label %62, label %80, !dbg !233

62:                                               ; preds = %51
  %63 = load i32, ptr %12, align 4, !dbg !234, !tbaa !8
  %64 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !235
  %65 = add i32 %63, %64, !dbg !236
  %66 = load i32, ptr %8, align 4, !dbg !237, !tbaa !8
  %67 = icmp ult i32 %65, %66, !dbg !238
  br i1 %67, label %68, label %80, !dbg !230

68:                                               ; preds = %62
  %69 = load ptr, ptr %6, align 8, !dbg !239, !tbaa !60
  %70 = load i32, ptr %12, align 4, !dbg !240, !tbaa !8
  %71 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !241
  %72 = add i32 %70, %71, !dbg !242
  %73 = load i32, ptr %8, align 4, !dbg !243, !tbaa !8
  %74 = mul i32 %72, %73, !dbg !244
  %75 = load i32, ptr %9, align 4, !dbg !245, !tbaa !8
  %76 = add i32 %74, %75, !dbg !246
  %77 = zext i32 %76 to i64, !dbg !239
  %78 = getelementptr inbounds nuw float, ptr %69, i64 %77, !dbg !239
  %79 = load float, ptr %78, align 4, !dbg !239, !tbaa !15
  br label %81, !dbg !230

80:                                               ; preds = %62, %51
  br label %81, !dbg !230

81:                                               ; preds = %80, %68
  %82 = phi contract float [ %79, %68 ], [ 0.000000e+00, %80 ], !dbg !230
  %83 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !247
  %84 = zext i32 %83 to i64, !dbg !248
  %85 = getelementptr inbounds nuw [16 x [16 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ5sgemmE2tb to ptr), i64 0, i64 %84, !dbg !248
  %86 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !249
  %87 = zext i32 %86 to i64, !dbg !248
  %88 = getelementptr inbounds nuw [16 x float], ptr %85, i64 0, i64 %87, !dbg !248
  store float %82, ptr %88, align 4, !dbg !250, !tbaa !15
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !251
  call void @llvm.lifetime.start.p0(ptr %14) #10, !dbg !252
  store i32 0, ptr %14, align 4, !dbg !253, !tbaa !8
  br label %89, !dbg !252

89:                                               ; preds = %111, %81
  %90 = load i32, ptr %14, align 4, !dbg !254, !tbaa !8
  %91 = icmp slt i32 %90, 16, !dbg !255
  br i1 %91, label %93, label %92, !dbg !256

92:                                               ; preds = %89
  store i32 5, ptr %13, align 4
  call void @llvm.lifetime.end.p0(ptr %14) #10, !dbg !256
  br label %114

93:                                               ; preds = %89
  %94 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !257
  %95 = zext i32 %94 to i64, !dbg !258
  %96 = getelementptr inbounds nuw [16 x [16 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ5sgemmE2ta to ptr), i64 0, i64 %95, !dbg !258
  %97 = load i32, ptr %14, align 4, !dbg !259, !tbaa !8
  %98 = sext i32 %97 to i64, !dbg !258
  %99 = getelementptr inbounds [16 x float], ptr %96, i64 0, i64 %98, !dbg !258
  %100 = load float, ptr %99, align 4, !dbg !258, !tbaa !15
  %101 = load i32, ptr %14, align 4, !dbg !260, !tbaa !8
  %102 = sext i32 %101 to i64, !dbg !261
  %103 = getelementptr inbounds [16 x [16 x float]], ptr addrspacecast (ptr addrspace(3) @_ZZ5sgemmE2tb to ptr), i64 0, i64 %102, !dbg !261
  %104 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !262
  %105 = zext i32 %104 to i64, !dbg !261
  %106 = getelementptr inbounds nuw [16 x float], ptr %103, i64 0, i64 %105, !dbg !261
  %107 = load float, ptr %106, align 4, !dbg !261, !tbaa !15
  %108 = fmul contract float %100, %107, !dbg !263
  %109 = load float, ptr %11, align 4, !dbg !264, !tbaa !15
  %110 = fadd contract float %109, %108, !dbg !264
  store float %110, ptr %11, align 4, !dbg !264, !tbaa !15
  br label %111, !dbg !265

111:                                              ; preds = %93
  %112 = load i32, ptr %14, align 4, !dbg !266, !tbaa !8
  %113 = add nsw i32 %112, 1, !dbg !266
  store i32 %113, ptr %14, align 4, !dbg !266, !tbaa !8
  br label %89, !dbg !256, !llvm.loop !267

114:                                              ; preds = %92
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !269
  br label %115, !dbg !270

115:                                              ; preds = %114
  %116 = load i32, ptr %12, align 4, !dbg !271, !tbaa !8
  %117 = add nsw i32 %116, 16, !dbg !271
  store i32 %117, ptr %12, align 4, !dbg !271, !tbaa !8
  br label %23, !dbg !208, !llvm.loop !272

118:                                              ; preds = %27
  %119 = load i32, ptr %10, align 4, !dbg !273, !tbaa !8
  %120 = load i32, ptr %8, align 4, !dbg !274, !tbaa !8
  %121 = icmp slt i32 %119, %120, !dbg !275
  br i1 %121, label %122, label %136, !dbg !276

122:                                              ; preds = %118
  %123 = load i32, ptr %9, align 4, !dbg !277, !tbaa !8
  %124 = load i32, ptr %8, align 4, !dbg !278, !tbaa !8
  %125 = icmp slt i32 %123, %124, !dbg !279
  br i1 %125, label %126, label %136, !dbg !276

126:                                              ; preds = %122
  %127 = load float, ptr %11, align 4, !dbg !280, !tbaa !15
  %128 = load ptr, ptr %7, align 8, !dbg !281, !tbaa !60
  %129 = load i32, ptr %10, align 4, !dbg !282, !tbaa !8
  %130 = load i32, ptr %8, align 4, !dbg !283, !tbaa !8
  %131 = mul nsw i32 %129, %130, !dbg !284
  %132 = load i32, ptr %9, align 4, !dbg !285, !tbaa !8
  %133 = add nsw i32 %131, %132, !dbg !286
  %134 = sext i32 %133 to i64, !dbg !281
  %135 = getelementptr inbounds float, ptr %128, i64 %134, !dbg !281
  store float %127, ptr %135, align 4, !dbg !287, !tbaa !15
  br label %136, !dbg !281

136:                                              ; preds = %126, %122, %118
  call void @llvm.lifetime.end.p0(ptr %11) #10, !dbg !288
  call void @llvm.lifetime.end.p0(ptr %10) #10, !dbg !288
  call void @llvm.lifetime.end.p0(ptr %9) #10, !dbg !288
  ret void, !dbg !288
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #2 comdat align 2 !dbg !289 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y(), !dbg !290
  ret i32 %1, !dbg !291
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #2 comdat align 2 !dbg !292 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.y(), !dbg !293
  ret i32 %1, !dbg !294
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @histogram(ptr noundef %0, ptr noundef %1, i32 noundef %2) #4 !dbg !295 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !296
  store ptr %1, ptr %5, align 8, !tbaa !296
  store i32 %2, ptr %6, align 4, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %7) #10, !dbg !298
  %9 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !299
  store i32 %9, ptr %7, align 4, !dbg !300, !tbaa !8
  br label %10, !dbg !298

10:                                               ; preds = %18, %3
  %11 = load i32, ptr %7, align 4, !dbg !301, !tbaa !8
  %12 = icmp slt i32 %11, 16, !dbg !302
  br i1 %12, label %14, label %13, !dbg !303

13:                                               ; preds = %10
  call void @llvm.lifetime.end.p0(ptr %7) #10, !dbg !303
  br label %22

14:                                               ; preds = %10
  %15 = load i32, ptr %7, align 4, !dbg !304, !tbaa !8
  %16 = sext i32 %15 to i64, !dbg !305
  %17 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @local to ptr), i64 0, i64 %16, !dbg !305
  store i32 0, ptr %17, align 4, !dbg !306, !tbaa !8
  br label %18, !dbg !305

18:                                               ; preds = %14
  %19 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !307
  %20 = load i32, ptr %7, align 4, !dbg !308, !tbaa !8
  %21 = add i32 %20, %19, !dbg !308
  store i32 %21, ptr %7, align 4, !dbg !308, !tbaa !8
  br label %10, !dbg !303, !llvm.loop !309

22:                                               ; preds = %13
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !311
  call void @llvm.lifetime.start.p0(ptr %8) #10, !dbg !312
  %23 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #11, !dbg !313
  %24 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !314
  %25 = mul i32 %23, %24, !dbg !315
  %26 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !316
  %27 = add i32 %25, %26, !dbg !317
  store i32 %27, ptr %8, align 4, !dbg !318, !tbaa !8
  %28 = load i32, ptr %8, align 4, !dbg !319, !tbaa !8
  %29 = load i32, ptr %6, align 4, !dbg !320, !tbaa !8
  %30 = icmp slt i32 %28, %29, !dbg !321
  br i1 %30, label %31, label %41, !dbg !321

31:                                               ; preds = %22
  %32 = load ptr, ptr %4, align 8, !dbg !322, !tbaa !296
  %33 = load i32, ptr %8, align 4, !dbg !323, !tbaa !8
  %34 = sext i32 %33 to i64, !dbg !322
  %35 = getelementptr inbounds i32, ptr %32, i64 %34, !dbg !322
  %36 = load i32, ptr %35, align 4, !dbg !322, !tbaa !8
  %37 = and i32 %36, 15, !dbg !324
  %38 = sext i32 %37 to i64, !dbg !325
  %39 = getelementptr inbounds [0 x i32], ptr addrspacecast (ptr addrspace(3) @local to ptr), i64 0, i64 %38, !dbg !325
  %40 = call noundef i32 @_ZL9atomicAddPii(ptr noundef %39, i32 noundef 1) #11, !dbg !326
  br label %41, !dbg !326

41:                                               ; preds = %31, %22
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0), !dbg !327
  %42 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !328
  %43 = icmp ult i32 %42, 16, !dbg !329
  br i1 %43, label %44, label %54, !dbg !329

44:                                               ; preds = %41
  %45 = load ptr, ptr %5, align 8, !dbg !330, !tbaa !296
  %46 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !331
  %47 = zext i32 %46 to i64, !dbg !330
  %48 = getelementptr inbounds nuw i32, ptr %45, i64 %47, !dbg !330
  %49 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !332
  %50 = zext i32 %49 to i64, !dbg !333
  %51 = getelementptr inbounds nuw [0 x i32], ptr addrspacecast (ptr addrspace(3) @local to ptr), i64 0, i64 %50, !dbg !333
  %52 = load i32, ptr %51, align 4, !dbg !333, !tbaa !8
  %53 = call noundef i32 @_ZL9atomicAddPii(ptr noundef %48, i32 noundef %52) #11, !dbg !334
  br label %54, !dbg !334

54:                                               ; preds = %44, %41
  call void @llvm.lifetime.end.p0(ptr %8) #10, !dbg !335
  ret void, !dbg !335
}

; Function Attrs: convergent inlinehint mustprogress nounwind
define internal noundef i32 @_ZL9atomicAddPii(ptr noundef %0, i32 noundef %1) #3 !dbg !336 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8, !tbaa !296
  store i32 %1, ptr %4, align 4, !tbaa !8
  %5 = load ptr, ptr %3, align 8, !dbg !338, !tbaa !296
  %6 = load i32, ptr %4, align 4, !dbg !339, !tbaa !8
  %7 = call noundef i32 @_ZL12__iAtomicAddPii(ptr noundef %5, i32 noundef %6) #11, !dbg !340
  ret i32 %7, !dbg !341
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @trips(ptr noundef %0, ptr noundef %1, ptr noundef %2) #4 !dbg !342 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !296
  store ptr %1, ptr %5, align 8, !tbaa !296
  store ptr %2, ptr %6, align 8, !tbaa !296
  call void @llvm.lifetime.start.p0(ptr %7) #10, !dbg !343
  store i32 0, ptr %7, align 4, !dbg !344, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %8) #10, !dbg !345
  store i32 0, ptr %8, align 4, !dbg !346, !tbaa !8
  br label %9, !dbg !345

9:                                                ; preds = %26, %3
  %10 = load i32, ptr %8, align 4, !dbg !347, !tbaa !8
  %11 = load ptr, ptr %4, align 8, !dbg !348, !tbaa !296
  %12 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !349
  %13 = zext i32 %12 to i64, !dbg !348
  %14 = getelementptr inbounds nuw i32, ptr %11, i64 %13, !dbg !348
  %15 = load i32, ptr %14, align 4, !dbg !348, !tbaa !8
  %16 = icmp slt i32 %10, %15, !dbg !350
  br i1 %16, label %18, label %17, !dbg !351

17:                                               ; preds = %9
  call void @llvm.lifetime.end.p0(ptr %8) #10, !dbg !351
  br label %29

18:                                               ; preds = %9
  %19 = load i32, ptr %8, align 4, !dbg !352, !tbaa !8
  %20 = and i32 %19, 1, !dbg !353
  %21 = icmp ne i32 %20, 0, !dbg !354
  %22 = zext i1 %21 to i64, !dbg !354
  %23 = select i1 %21, i32 3, i32 5, !dbg !354
  %24 = load i32, ptr %7, align 4, !dbg !355, !tbaa !8
  %25 = add nsw i32 %24, %23, !dbg !355
  store i32 %25, ptr %7, align 4, !dbg !355, !tbaa !8
  br label %26, !dbg !356

26:                                               ; preds = %18
  %27 = load i32, ptr %8, align 4, !dbg !357, !tbaa !8
  %28 = add nsw i32 %27, 1, !dbg !357
  store i32 %28, ptr %8, align 4, !dbg !357, !tbaa !8
  br label %9, !dbg !351, !llvm.loop !358

29:                                               ; preds = %17
  %30 = load i32, ptr %7, align 4, !dbg !360, !tbaa !8
  %31 = load ptr, ptr %5, align 8, !dbg !361, !tbaa !296
  %32 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !362
  %33 = zext i32 %32 to i64, !dbg !361
  %34 = getelementptr inbounds nuw i32, ptr %31, i64 %33, !dbg !361
  store i32 %30, ptr %34, align 4, !dbg !363, !tbaa !8
  %35 = call noundef i32 @_Z12__activemaskv() #11, !dbg !364
  %36 = load ptr, ptr %6, align 8, !dbg !365, !tbaa !296
  %37 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !366
  %38 = zext i32 %37 to i64, !dbg !365
  %39 = getelementptr inbounds nuw i32, ptr %36, i64 %38, !dbg !365
  store i32 %35, ptr %39, align 4, !dbg !367, !tbaa !8
  call void @llvm.lifetime.end.p0(ptr %7) #10, !dbg !368
  ret void, !dbg !368
}

; Function Attrs: convergent inlinehint mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_Z12__activemaskv() #3 comdat !dbg !369 {
  %1 = call i32 @llvm.nvvm.activemask(), !dbg !370
  ret i32 %1, !dbg !371
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @saxpy4(ptr noundef %0, ptr noundef %1, float noundef %2, i32 noundef %3) #4 !dbg !372 {
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca float, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca %struct.float4, align 16
  %11 = alloca %struct.float4, align 16
  store ptr %0, ptr %5, align 8, !tbaa !373
  store ptr %1, ptr %6, align 8, !tbaa !373
  store float %2, ptr %7, align 4, !tbaa !15
  store i32 %3, ptr %8, align 4, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %9) #10, !dbg !375
  %12 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #11, !dbg !376
  %13 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !377
  %14 = mul i32 %12, %13, !dbg !378
  %15 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !379
  %16 = add i32 %14, %15, !dbg !380
  store i32 %16, ptr %9, align 4, !dbg !381, !tbaa !8
  %17 = load i32, ptr %9, align 4, !dbg !382, !tbaa !8
  %18 = load i32, ptr %8, align 4, !dbg !383, !tbaa !8
  %19 = icmp slt i32 %17, %18, !dbg !384
  br i1 %19, label %20, label %61, !dbg !384

20:                                               ; preds = %4
  call void @llvm.lifetime.start.p0(ptr %10) #10, !dbg !385
  %21 = load ptr, ptr %6, align 8, !dbg !386, !tbaa !373
  %22 = load i32, ptr %9, align 4, !dbg !387, !tbaa !8
  %23 = sext i32 %22 to i64, !dbg !386
  %24 = getelementptr inbounds %struct.float4, ptr %21, i64 %23, !dbg !386
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %10, ptr align 16 %24, i64 16, i1 false), !dbg !386, !tbaa.struct !388
  call void @llvm.lifetime.start.p0(ptr %11) #10, !dbg !385
  %25 = load ptr, ptr %5, align 8, !dbg !389, !tbaa !373
  %26 = load i32, ptr %9, align 4, !dbg !390, !tbaa !8
  %27 = sext i32 %26 to i64, !dbg !389
  %28 = getelementptr inbounds %struct.float4, ptr %25, i64 %27, !dbg !389
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %11, ptr align 16 %28, i64 16, i1 false), !dbg !389, !tbaa.struct !388
  %29 = load float, ptr %7, align 4, !dbg !391, !tbaa !15
  %30 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 0, !dbg !392
  %31 = load float, ptr %30, align 16, !dbg !392, !tbaa !393
  %32 = fmul contract float %29, %31, !dbg !395
  %33 = getelementptr inbounds nuw %struct.float4, ptr %11, i32 0, i32 0, !dbg !396
  %34 = load float, ptr %33, align 16, !dbg !397, !tbaa !393
  %35 = fadd contract float %34, %32, !dbg !397
  store float %35, ptr %33, align 16, !dbg !397, !tbaa !393
  %36 = load float, ptr %7, align 4, !dbg !398, !tbaa !15
  %37 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 1, !dbg !399
  %38 = load float, ptr %37, align 4, !dbg !399, !tbaa !400
  %39 = fmul contract float %36, %38, !dbg !401
  %40 = getelementptr inbounds nuw %struct.float4, ptr %11, i32 0, i32 1, !dbg !402
  %41 = load float, ptr %40, align 4, !dbg !403, !tbaa !400
  %42 = fadd contract float %41, %39, !dbg !403
  store float %42, ptr %40, align 4, !dbg !403, !tbaa !400
  %43 = load float, ptr %7, align 4, !dbg !404, !tbaa !15
  %44 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 2, !dbg !405
  %45 = load float, ptr %44, align 8, !dbg !405, !tbaa !406
  %46 = fmul contract float %43, %45, !dbg !407
  %47 = getelementptr inbounds nuw %struct.float4, ptr %11, i32 0, i32 2, !dbg !408
  %48 = load float, ptr %47, align 8, !dbg !409, !tbaa !406
  %49 = fadd contract float %48, %46, !dbg !409
  store float %49, ptr %47, align 8, !dbg !409, !tbaa !406
  %50 = load float, ptr %7, align 4, !dbg !410, !tbaa !15
  %51 = getelementptr inbounds nuw %struct.float4, ptr %10, i32 0, i32 3, !dbg !411
  %52 = load float, ptr %51, align 4, !dbg !411, !tbaa !412
  %53 = fmul contract float %50, %52, !dbg !413
  %54 = getelementptr inbounds nuw %struct.float4, ptr %11, i32 0, i32 3, !dbg !414
  %55 = load float, ptr %54, align 4, !dbg !415, !tbaa !412
  %56 = fadd contract float %55, %53, !dbg !415
  store float %56, ptr %54, align 4, !dbg !415, !tbaa !412
  %57 = load ptr, ptr %5, align 8, !dbg !416, !tbaa !373
  %58 = load i32, ptr %9, align 4, !dbg !417, !tbaa !8
  %59 = sext i32 %58 to i64, !dbg !416
  %60 = getelementptr inbounds %struct.float4, ptr %57, i64 %59, !dbg !416
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %60, ptr align 16 %11, i64 16, i1 false), !dbg !418, !tbaa.struct !388
  call void @llvm.lifetime.end.p0(ptr %11) #10, !dbg !419
  call void @llvm.lifetime.end.p0(ptr %10) #10, !dbg !419
  br label %61, !dbg !419

61:                                               ; preds = %20, %4
  call void @llvm.lifetime.end.p0(ptr %9) #10, !dbg !420
  ret void, !dbg !420
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #6

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @index3(ptr noundef %0, ptr noundef byval(%struct.Params) align 4 %1) #4 !dbg !421 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %3, align 8, !tbaa !60
  call void @llvm.lifetime.start.p0(ptr %4) #10, !dbg !422
  %7 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_xEv() #11, !dbg !423
  %8 = call noundef i32 @_ZN24__cuda_builtin_gridDim_t17__fetch_builtin_xEv() #11, !dbg !424
  %9 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_yEv() #11, !dbg !425
  %10 = call noundef i32 @_ZN24__cuda_builtin_gridDim_t17__fetch_builtin_yEv() #11, !dbg !426
  %11 = call noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_zEv() #11, !dbg !427
  %12 = mul i32 %10, %11, !dbg !428
  %13 = add i32 %9, %12, !dbg !429
  %14 = mul i32 %8, %13, !dbg !430
  %15 = add i32 %7, %14, !dbg !431
  store i32 %15, ptr %4, align 4, !dbg !432, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %5) #10, !dbg !433
  %16 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !434
  %17 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !435
  %18 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_yEv() #11, !dbg !436
  %19 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv() #11, !dbg !437
  %20 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_zEv() #11, !dbg !438
  %21 = mul i32 %19, %20, !dbg !439
  %22 = add i32 %18, %21, !dbg !440
  %23 = mul i32 %17, %22, !dbg !441
  %24 = add i32 %16, %23, !dbg !442
  store i32 %24, ptr %5, align 4, !dbg !443, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %6) #10, !dbg !444
  %25 = load i32, ptr %4, align 4, !dbg !445, !tbaa !8
  %26 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_xEv() #11, !dbg !446
  %27 = mul i32 %25, %26, !dbg !447
  %28 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv() #11, !dbg !448
  %29 = mul i32 %27, %28, !dbg !449
  %30 = call noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_zEv() #11, !dbg !450
  %31 = mul i32 %29, %30, !dbg !451
  %32 = load i32, ptr %5, align 4, !dbg !452, !tbaa !8
  %33 = add i32 %31, %32, !dbg !453
  store i32 %33, ptr %6, align 4, !dbg !454, !tbaa !8
  %34 = load i32, ptr %6, align 4, !dbg !455, !tbaa !8
  %35 = getelementptr inbounds nuw %struct.Params, ptr %1, i32 0, i32 0, !dbg !456
  %36 = load i32, ptr %35, align 4, !dbg !456, !tbaa !457
  %37 = mul nsw i32 %34, %36, !dbg !459
  %38 = sitofp i32 %37 to float, !dbg !455
  %39 = getelementptr inbounds nuw %struct.Params, ptr %1, i32 0, i32 1, !dbg !460
  %40 = load float, ptr %39, align 4, !dbg !460, !tbaa !461
  %41 = fadd contract float %38, %40, !dbg !462
  %42 = load ptr, ptr %3, align 8, !dbg !463, !tbaa !60
  %43 = load i32, ptr %6, align 4, !dbg !464, !tbaa !8
  %44 = sext i32 %43 to i64, !dbg !463
  %45 = getelementptr inbounds float, ptr %42, i64 %44, !dbg !463
  store float %41, ptr %45, align 4, !dbg !465, !tbaa !15
  call void @llvm.lifetime.end.p0(ptr %6) #10, !dbg !466
  call void @llvm.lifetime.end.p0(ptr %5) #10, !dbg !466
  call void @llvm.lifetime.end.p0(ptr %4) #10, !dbg !466
  ret void, !dbg !466
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN24__cuda_builtin_gridDim_t17__fetch_builtin_xEv() #2 comdat align 2 !dbg !467 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x(), !dbg !468
  ret i32 %1, !dbg !469
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN24__cuda_builtin_gridDim_t17__fetch_builtin_yEv() #2 comdat align 2 !dbg !470 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y(), !dbg !471
  ret i32 %1, !dbg !472
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockIdx_t17__fetch_builtin_zEv() #2 comdat align 2 !dbg !473 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z(), !dbg !474
  ret i32 %1, !dbg !475
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_yEv() #2 comdat align 2 !dbg !476 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y(), !dbg !477
  ret i32 %1, !dbg !478
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_zEv() #2 comdat align 2 !dbg !479 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.z(), !dbg !480
  ret i32 %1, !dbg !481
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define linkonce_odr dso_local noundef i32 @_ZN25__cuda_builtin_blockDim_t17__fetch_builtin_zEv() #2 comdat align 2 !dbg !482 {
  %1 = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z(), !dbg !483
  ret i32 %1, !dbg !484
}

; Function Attrs: convergent mustprogress noinline norecurse nounwind
define dso_local ptx_kernel void @atomicSumCas(ptr noundef %0, ptr noundef %1) #4 !dbg !485 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  store ptr %0, ptr %3, align 8, !tbaa !60
  store ptr %1, ptr %4, align 8, !tbaa !60
  call void @llvm.lifetime.start.p0(ptr %5) #10, !dbg !486
  %8 = load ptr, ptr %4, align 8, !dbg !487, !tbaa !60
  store ptr %8, ptr %5, align 8, !dbg !488, !tbaa !296
  call void @llvm.lifetime.start.p0(ptr %6) #10, !dbg !486
  %9 = load ptr, ptr %5, align 8, !dbg !489, !tbaa !296
  %10 = load i32, ptr %9, align 4, !dbg !490, !tbaa !8
  store i32 %10, ptr %6, align 4, !dbg !491, !tbaa !8
  call void @llvm.lifetime.start.p0(ptr %7) #10, !dbg !486
  br label %11, !dbg !492

11:                                               ; preds = %25, %2
  %12 = load i32, ptr %6, align 4, !dbg !493, !tbaa !8
  store i32 %12, ptr %7, align 4, !dbg !494, !tbaa !8
  %13 = load ptr, ptr %5, align 8, !dbg !495, !tbaa !296
  %14 = load i32, ptr %7, align 4, !dbg !496, !tbaa !8
  %15 = load i32, ptr %7, align 4, !dbg !497, !tbaa !8
  %16 = call contract noundef float @_ZL15__uint_as_floatj(i32 noundef %15) #11, !dbg !498
  %17 = load ptr, ptr %3, align 8, !dbg !499, !tbaa !60
  %18 = call noundef i32 @_ZN26__cuda_builtin_threadIdx_t17__fetch_builtin_xEv() #11, !dbg !500
  %19 = zext i32 %18 to i64, !dbg !499
  %20 = getelementptr inbounds nuw float, ptr %17, i64 %19, !dbg !499
  %21 = load float, ptr %20, align 4, !dbg !499, !tbaa !15
  %22 = fadd contract float %16, %21, !dbg !501
  %23 = call noundef i32 @_ZL15__float_as_uintf(float noundef %22) #11, !dbg !502
  %24 = call noundef i32 @_ZL9atomicCASPjjj(ptr noundef %13, i32 noundef %14, i32 noundef %23) #11, !dbg !503
  store i32 %24, ptr %6, align 4, !dbg !504, !tbaa !8
  br label %25, !dbg !505

25:                                               ; preds = %11
  %26 = load i32, ptr %6, align 4, !dbg !506, !tbaa !8
  %27 = load i32, ptr %7, align 4, !dbg !507, !tbaa !8
  %28 = icmp ne i32 %26, %27, !dbg !508
  br i1 %28, label %11, label %29, !dbg !505, !llvm.loop !509

29:                                               ; preds = %25
  call void @llvm.lifetime.end.p0(ptr %7) #10, !dbg !511
  call void @llvm.lifetime.end.p0(ptr %6) #10, !dbg !511
  call void @llvm.lifetime.end.p0(ptr %5) #10, !dbg !511
  ret void, !dbg !511
}

; Function Attrs: convergent inlinehint mustprogress nounwind
define internal noundef i32 @_ZL9atomicCASPjjj(ptr noundef %0, i32 noundef %1, i32 noundef %2) #3 !dbg !512 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !296
  store i32 %1, ptr %5, align 4, !tbaa !8
  store i32 %2, ptr %6, align 4, !tbaa !8
  %7 = load ptr, ptr %4, align 8, !dbg !513, !tbaa !296
  %8 = load i32, ptr %5, align 4, !dbg !514, !tbaa !8
  %9 = load i32, ptr %6, align 4, !dbg !515, !tbaa !8
  %10 = call noundef i32 @_ZL12__uAtomicCASPjjj(ptr noundef %7, i32 noundef %8, i32 noundef %9) #11, !dbg !516
  ret i32 %10, !dbg !517
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef i32 @_ZL15__float_as_uintf(float noundef %0) #2 !dbg !518 {
  %2 = alloca float, align 4
  store float %0, ptr %2, align 4, !tbaa !15
  %3 = load float, ptr %2, align 4, !dbg !520, !tbaa !15
  %4 = call i32 @__nv_float_as_uint(float noundef %3) #11, !dbg !521
  ret i32 %4, !dbg !522
}

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef float @_ZL15__uint_as_floatj(i32 noundef %0) #2 !dbg !523 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4, !tbaa !8
  %3 = load i32, ptr %2, align 4, !dbg !524, !tbaa !8
  %4 = call contract float @__nv_uint_as_float(i32 noundef %3) #11, !dbg !525
  ret float %4, !dbg !526
}

; Function Attrs: convergent nounwind
declare dso_local float @__nv_fmaxf(float noundef, float noundef) #7

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32) #8

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 2147483647) i32 @llvm.nvvm.read.ptx.sreg.ctaid.x() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.x() #9

; Function Attrs: convergent nounwind
declare dso_local float @__nv_expf(float noundef) #7

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.y() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.y() #9

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef i32 @_ZL12__iAtomicAddPii(ptr noundef %0, i32 noundef %1) #2 !dbg !527 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8, !tbaa !296
  store i32 %1, ptr %4, align 4, !tbaa !8
  %5 = load ptr, ptr %3, align 8, !dbg !528, !tbaa !296
  %6 = load i32, ptr %4, align 4, !dbg !529, !tbaa !8
  %7 = atomicrmw add ptr %5, i32 %6 seq_cst, align 4, !dbg !530
  ret i32 %7, !dbg !531
}

; Function Attrs: convergent nocallback nounwind memory(inaccessiblemem: readwrite)
declare i32 @llvm.nvvm.activemask() #8

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, -2147483648) i32 @llvm.nvvm.read.ptx.sreg.nctaid.x() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65536) i32 @llvm.nvvm.read.ptx.sreg.nctaid.y() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 65535) i32 @llvm.nvvm.read.ptx.sreg.ctaid.z() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 1025) i32 @llvm.nvvm.read.ptx.sreg.ntid.y() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 64) i32 @llvm.nvvm.read.ptx.sreg.tid.z() #9

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 1, 65) i32 @llvm.nvvm.read.ptx.sreg.ntid.z() #9

; Function Attrs: alwaysinline convergent mustprogress nounwind
define internal noundef i32 @_ZL12__uAtomicCASPjjj(ptr noundef %0, i32 noundef %1, i32 noundef %2) #2 !dbg !532 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8, !tbaa !296
  store i32 %1, ptr %5, align 4, !tbaa !8
  store i32 %2, ptr %6, align 4, !tbaa !8
  %7 = load ptr, ptr %4, align 8, !dbg !533, !tbaa !296
  %8 = load i32, ptr %5, align 4, !dbg !534, !tbaa !8
  %9 = load i32, ptr %6, align 4, !dbg !535, !tbaa !8
  %10 = cmpxchg ptr %7, i32 %8, i32 %9 seq_cst seq_cst, align 4, !dbg !536
  %11 = extractvalue { i32, i1 } %10, 0, !dbg !536
  ret i32 %11, !dbg !537
}

; Function Attrs: convergent nounwind
declare dso_local i32 @__nv_float_as_uint(float noundef) #7

; Function Attrs: convergent nounwind
declare dso_local float @__nv_uint_as_float(i32 noundef) #7

attributes #0 = { convergent mustprogress nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #1 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { alwaysinline convergent mustprogress nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #3 = { convergent inlinehint mustprogress nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #4 = { convergent mustprogress noinline norecurse nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" "uniform-work-group-size"="true" }
attributes #5 = { convergent nocallback nounwind }
attributes #6 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #7 = { convergent nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="sm_90" "target-features"="+ptx88,+sm_90" }
attributes #8 = { convergent nocallback nounwind memory(inaccessiblemem: readwrite) }
attributes #9 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #10 = { nounwind }
attributes #11 = { convergent nounwind }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3, !4, !5, !6}
!llvm.ident = !{!7}
!llvm.errno.tbaa = !{!8}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !1, producer: "Debian clang version 22.1.8 (1~deb12u1)", isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly, splitDebugInlining: false, nameTableKind: None)
!1 = !DIFile(filename: "kernels.cu", directory: "")
!2 = !{i32 7, !"Dwarf Version", i32 2}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 1, !"wchar_size", i32 4}
!5 = !{i32 4, !"nvvm-reflect-ftz", i32 0}
!6 = !{i32 7, !"frame-pointer", i32 2}
!7 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!8 = !{!9, !9, i64 0}
!9 = !{!"int", !10, i64 0}
!10 = !{!"omnipotent char", !11, i64 0}
!11 = !{!"Simple C++ TBAA"}
!12 = distinct !DISubprogram(name: "warpMax", scope: !1, file: !1, line: 8, type: !13, scopeLine: 8, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!13 = !DISubroutineType(types: !14)
!14 = !{}
!15 = !{!16, !16, i64 0}
!16 = !{!"float", !10, i64 0}
!17 = !DILocation(line: 9, column: 8, scope: !12)
!18 = !DILocation(line: 9, column: 12, scope: !12)
!19 = !DILocation(line: 9, column: 20, scope: !12)
!20 = !DILocation(line: 9, column: 3, scope: !12)
!21 = !DILocation(line: 10, column: 15, scope: !12)
!22 = !DILocation(line: 10, column: 40, scope: !12)
!23 = !DILocation(line: 10, column: 43, scope: !12)
!24 = !DILocation(line: 10, column: 18, scope: !12)
!25 = !DILocation(line: 10, column: 9, scope: !12)
!26 = !DILocation(line: 10, column: 7, scope: !12)
!27 = !DILocation(line: 10, column: 5, scope: !12)
!28 = !DILocation(line: 9, column: 25, scope: !12)
!29 = distinct !{!29, !20, !30, !31}
!30 = !DILocation(line: 10, column: 45, scope: !12)
!31 = !{!"llvm.loop.mustprogress"}
!32 = !DILocation(line: 11, column: 10, scope: !12)
!33 = !DILocation(line: 11, column: 3, scope: !12)
!34 = distinct !DISubprogram(name: "fmaxf", scope: !35, file: !35, line: 136, type: !13, scopeLine: 136, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!35 = !DIFile(filename: "__clang_cuda_math.h", directory: "")
!36 = !DILocation(line: 136, column: 66, scope: !34)
!37 = !DILocation(line: 136, column: 71, scope: !34)
!38 = !DILocation(line: 136, column: 55, scope: !34)
!39 = !DILocation(line: 136, column: 48, scope: !34)
!40 = distinct !DISubprogram(name: "__shfl_xor_sync", scope: !41, file: !41, line: 181, type: !13, scopeLine: 181, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!41 = !DIFile(filename: "__clang_cuda_intrinsics.h", directory: "")
!42 = !DILocation(line: 181, column: 1, scope: !40)
!43 = !DILocation(line: 182, column: 22, scope: !40)
!44 = distinct !DISubprogram(name: "warpSum", scope: !1, file: !1, line: 13, type: !13, scopeLine: 13, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!45 = !DILocation(line: 14, column: 8, scope: !44)
!46 = !DILocation(line: 14, column: 12, scope: !44)
!47 = !DILocation(line: 14, column: 20, scope: !44)
!48 = !DILocation(line: 14, column: 3, scope: !44)
!49 = !DILocation(line: 15, column: 32, scope: !44)
!50 = !DILocation(line: 15, column: 35, scope: !44)
!51 = !DILocation(line: 15, column: 10, scope: !44)
!52 = !DILocation(line: 15, column: 7, scope: !44)
!53 = !DILocation(line: 15, column: 5, scope: !44)
!54 = !DILocation(line: 14, column: 25, scope: !44)
!55 = distinct !{!55, !48, !56, !31}
!56 = !DILocation(line: 15, column: 36, scope: !44)
!57 = !DILocation(line: 16, column: 10, scope: !44)
!58 = !DILocation(line: 16, column: 3, scope: !44)
!59 = distinct !DISubprogram(name: "softmax", scope: !1, file: !1, line: 20, type: !13, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!60 = !{!61, !61, i64 0}
!61 = !{!"p1 float", !62, i64 0}
!62 = !{!"any pointer", !10, i64 0}
!63 = !DILocation(line: 22, column: 3, scope: !59)
!64 = !DILocation(line: 22, column: 22, scope: !59)
!65 = !DILocation(line: 22, column: 34, scope: !59)
!66 = !DILocation(line: 22, column: 47, scope: !59)
!67 = !DILocation(line: 22, column: 45, scope: !59)
!68 = !DILocation(line: 22, column: 24, scope: !59)
!69 = !DILocation(line: 22, column: 16, scope: !59)
!70 = !DILocation(line: 23, column: 3, scope: !59)
!71 = !DILocation(line: 23, column: 9, scope: !59)
!72 = !DILocation(line: 24, column: 8, scope: !59)
!73 = !DILocation(line: 24, column: 16, scope: !59)
!74 = !DILocation(line: 24, column: 12, scope: !59)
!75 = !DILocation(line: 24, column: 29, scope: !59)
!76 = !DILocation(line: 24, column: 33, scope: !59)
!77 = !DILocation(line: 24, column: 31, scope: !59)
!78 = !DILocation(line: 24, column: 3, scope: !59)
!79 = !DILocation(line: 25, column: 15, scope: !59)
!80 = !DILocation(line: 25, column: 18, scope: !59)
!81 = !DILocation(line: 25, column: 22, scope: !59)
!82 = !DILocation(line: 25, column: 9, scope: !59)
!83 = !DILocation(line: 25, column: 7, scope: !59)
!84 = !DILocation(line: 25, column: 5, scope: !59)
!85 = !DILocation(line: 24, column: 41, scope: !59)
!86 = !DILocation(line: 24, column: 38, scope: !59)
!87 = distinct !{!87, !78, !88, !31}
!88 = !DILocation(line: 25, column: 24, scope: !59)
!89 = !DILocation(line: 26, column: 15, scope: !59)
!90 = !DILocation(line: 26, column: 7, scope: !59)
!91 = !DILocation(line: 26, column: 5, scope: !59)
!92 = !DILocation(line: 27, column: 7, scope: !59)
!93 = !DILocation(line: 27, column: 19, scope: !59)
!94 = !DILocation(line: 27, column: 24, scope: !59)
!95 = !DILocation(line: 28, column: 30, scope: !59)
!96 = !DILocation(line: 28, column: 10, scope: !59)
!97 = !DILocation(line: 28, column: 22, scope: !59)
!98 = !DILocation(line: 28, column: 5, scope: !59)
!99 = !DILocation(line: 28, column: 28, scope: !59)
!100 = !DILocation(line: 29, column: 3, scope: !59)
!101 = !DILocation(line: 30, column: 19, scope: !59)
!102 = !DILocation(line: 30, column: 28, scope: !59)
!103 = !DILocation(line: 30, column: 13, scope: !59)
!104 = !DILocation(line: 30, column: 44, scope: !59)
!105 = !DILocation(line: 30, column: 53, scope: !59)
!106 = !DILocation(line: 30, column: 38, scope: !59)
!107 = !DILocation(line: 30, column: 7, scope: !59)
!108 = !DILocation(line: 30, column: 5, scope: !59)
!109 = !DILocation(line: 31, column: 3, scope: !59)
!110 = !DILocation(line: 32, column: 3, scope: !59)
!111 = !DILocation(line: 32, column: 9, scope: !59)
!112 = !DILocation(line: 33, column: 8, scope: !59)
!113 = !DILocation(line: 33, column: 16, scope: !59)
!114 = !DILocation(line: 33, column: 12, scope: !59)
!115 = !DILocation(line: 33, column: 29, scope: !59)
!116 = !DILocation(line: 33, column: 33, scope: !59)
!117 = !DILocation(line: 33, column: 31, scope: !59)
!118 = !DILocation(line: 33, column: 3, scope: !59)
!119 = !DILocation(line: 34, column: 15, scope: !59)
!120 = !DILocation(line: 34, column: 19, scope: !59)
!121 = !DILocation(line: 34, column: 24, scope: !59)
!122 = !DILocation(line: 34, column: 22, scope: !59)
!123 = !DILocation(line: 34, column: 10, scope: !59)
!124 = !DILocation(line: 34, column: 7, scope: !59)
!125 = !DILocation(line: 34, column: 5, scope: !59)
!126 = !DILocation(line: 33, column: 41, scope: !59)
!127 = !DILocation(line: 33, column: 38, scope: !59)
!128 = distinct !{!128, !118, !129, !31}
!129 = !DILocation(line: 34, column: 25, scope: !59)
!130 = !DILocation(line: 35, column: 15, scope: !59)
!131 = !DILocation(line: 35, column: 7, scope: !59)
!132 = !DILocation(line: 35, column: 5, scope: !59)
!133 = !DILocation(line: 36, column: 7, scope: !59)
!134 = !DILocation(line: 36, column: 19, scope: !59)
!135 = !DILocation(line: 36, column: 24, scope: !59)
!136 = !DILocation(line: 37, column: 30, scope: !59)
!137 = !DILocation(line: 37, column: 10, scope: !59)
!138 = !DILocation(line: 37, column: 22, scope: !59)
!139 = !DILocation(line: 37, column: 5, scope: !59)
!140 = !DILocation(line: 37, column: 28, scope: !59)
!141 = !DILocation(line: 38, column: 3, scope: !59)
!142 = !DILocation(line: 39, column: 7, scope: !59)
!143 = !DILocation(line: 39, column: 17, scope: !59)
!144 = !DILocation(line: 39, column: 15, scope: !59)
!145 = !DILocation(line: 39, column: 27, scope: !59)
!146 = !DILocation(line: 39, column: 25, scope: !59)
!147 = !DILocation(line: 39, column: 37, scope: !59)
!148 = !DILocation(line: 39, column: 35, scope: !59)
!149 = !DILocation(line: 39, column: 5, scope: !59)
!150 = !DILocation(line: 40, column: 8, scope: !59)
!151 = !DILocation(line: 40, column: 16, scope: !59)
!152 = !DILocation(line: 40, column: 12, scope: !59)
!153 = !DILocation(line: 40, column: 29, scope: !59)
!154 = !DILocation(line: 40, column: 33, scope: !59)
!155 = !DILocation(line: 40, column: 31, scope: !59)
!156 = !DILocation(line: 40, column: 3, scope: !59)
!157 = !DILocation(line: 41, column: 42, scope: !59)
!158 = !DILocation(line: 41, column: 46, scope: !59)
!159 = !DILocation(line: 41, column: 51, scope: !59)
!160 = !DILocation(line: 41, column: 49, scope: !59)
!161 = !DILocation(line: 41, column: 37, scope: !59)
!162 = !DILocation(line: 41, column: 56, scope: !59)
!163 = !DILocation(line: 41, column: 54, scope: !59)
!164 = !DILocation(line: 41, column: 5, scope: !59)
!165 = !DILocation(line: 41, column: 15, scope: !59)
!166 = !DILocation(line: 41, column: 28, scope: !59)
!167 = !DILocation(line: 41, column: 26, scope: !59)
!168 = !DILocation(line: 41, column: 32, scope: !59)
!169 = !DILocation(line: 41, column: 30, scope: !59)
!170 = !DILocation(line: 41, column: 35, scope: !59)
!171 = !DILocation(line: 40, column: 41, scope: !59)
!172 = !DILocation(line: 40, column: 38, scope: !59)
!173 = distinct !{!173, !156, !162, !31}
!174 = !DILocation(line: 42, column: 1, scope: !59)
!175 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !176, file: !176, line: 66, type: !13, scopeLine: 66, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!176 = !DIFile(filename: "__clang_cuda_builtin_vars.h", directory: "")
!177 = !DILocation(line: 66, column: 27, scope: !175)
!178 = !DILocation(line: 66, column: 3, scope: !175)
!179 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !176, file: !176, line: 53, type: !13, scopeLine: 53, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!180 = !DILocation(line: 53, column: 27, scope: !179)
!181 = !DILocation(line: 53, column: 3, scope: !179)
!182 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !176, file: !176, line: 79, type: !13, scopeLine: 79, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!183 = !DILocation(line: 79, column: 27, scope: !182)
!184 = !DILocation(line: 79, column: 3, scope: !182)
!185 = distinct !DISubprogram(name: "expf", scope: !35, file: !35, line: 113, type: !13, scopeLine: 113, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!186 = !DILocation(line: 113, column: 53, scope: !185)
!187 = !DILocation(line: 113, column: 43, scope: !185)
!188 = !DILocation(line: 113, column: 36, scope: !185)
!189 = distinct !DISubprogram(name: "sgemm", scope: !1, file: !1, line: 45, type: !13, scopeLine: 46, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!190 = !DILocation(line: 48, column: 3, scope: !189)
!191 = !DILocation(line: 48, column: 13, scope: !189)
!192 = !DILocation(line: 48, column: 24, scope: !189)
!193 = !DILocation(line: 48, column: 31, scope: !189)
!194 = !DILocation(line: 48, column: 29, scope: !189)
!195 = !DILocation(line: 48, column: 7, scope: !189)
!196 = !DILocation(line: 48, column: 50, scope: !189)
!197 = !DILocation(line: 48, column: 61, scope: !189)
!198 = !DILocation(line: 48, column: 68, scope: !189)
!199 = !DILocation(line: 48, column: 66, scope: !189)
!200 = !DILocation(line: 48, column: 44, scope: !189)
!201 = !DILocation(line: 49, column: 3, scope: !189)
!202 = !DILocation(line: 49, column: 9, scope: !189)
!203 = !DILocation(line: 50, column: 8, scope: !189)
!204 = !DILocation(line: 50, column: 12, scope: !189)
!205 = !DILocation(line: 50, column: 19, scope: !189)
!206 = !DILocation(line: 50, column: 23, scope: !189)
!207 = !DILocation(line: 50, column: 21, scope: !189)
!208 = !DILocation(line: 50, column: 3, scope: !189)
!209 = !DILocation(line: 52, column: 9, scope: !189)
!210 = !DILocation(line: 52, column: 15, scope: !189)
!211 = !DILocation(line: 52, column: 13, scope: !189)
!212 = !DILocation(line: 52, column: 17, scope: !189)
!213 = !DILocation(line: 52, column: 20, scope: !189)
!214 = !DILocation(line: 52, column: 24, scope: !189)
!215 = !DILocation(line: 52, column: 22, scope: !189)
!216 = !DILocation(line: 52, column: 38, scope: !189)
!217 = !DILocation(line: 52, column: 36, scope: !189)
!218 = !DILocation(line: 52, column: 42, scope: !189)
!219 = !DILocation(line: 52, column: 44, scope: !189)
!220 = !DILocation(line: 52, column: 50, scope: !189)
!221 = !DILocation(line: 52, column: 48, scope: !189)
!222 = !DILocation(line: 52, column: 54, scope: !189)
!223 = !DILocation(line: 52, column: 52, scope: !189)
!224 = !DILocation(line: 52, column: 58, scope: !189)
!225 = !DILocation(line: 52, column: 56, scope: !189)
!226 = !DILocation(line: 51, column: 8, scope: !189)
!227 = !DILocation(line: 51, column: 5, scope: !189)
!228 = !DILocation(line: 51, column: 21, scope: !189)
!229 = !DILocation(line: 51, column: 34, scope: !189)
!230 = !DILocation(line: 54, column: 9, scope: !189)
!231 = !DILocation(line: 54, column: 15, scope: !189)
!232 = !DILocation(line: 54, column: 13, scope: !189)
!233 = !DILocation(line: 54, column: 17, scope: !189)
!234 = !DILocation(line: 54, column: 20, scope: !189)
!235 = !DILocation(line: 54, column: 24, scope: !189)
!236 = !DILocation(line: 54, column: 22, scope: !189)
!237 = !DILocation(line: 54, column: 38, scope: !189)
!238 = !DILocation(line: 54, column: 36, scope: !189)
!239 = !DILocation(line: 54, column: 42, scope: !189)
!240 = !DILocation(line: 54, column: 45, scope: !189)
!241 = !DILocation(line: 54, column: 49, scope: !189)
!242 = !DILocation(line: 54, column: 47, scope: !189)
!243 = !DILocation(line: 54, column: 64, scope: !189)
!244 = !DILocation(line: 54, column: 62, scope: !189)
!245 = !DILocation(line: 54, column: 68, scope: !189)
!246 = !DILocation(line: 54, column: 66, scope: !189)
!247 = !DILocation(line: 53, column: 8, scope: !189)
!248 = !DILocation(line: 53, column: 5, scope: !189)
!249 = !DILocation(line: 53, column: 21, scope: !189)
!250 = !DILocation(line: 53, column: 34, scope: !189)
!251 = !DILocation(line: 55, column: 5, scope: !189)
!252 = !DILocation(line: 56, column: 10, scope: !189)
!253 = !DILocation(line: 56, column: 14, scope: !189)
!254 = !DILocation(line: 56, column: 21, scope: !189)
!255 = !DILocation(line: 56, column: 23, scope: !189)
!256 = !DILocation(line: 56, column: 5, scope: !189)
!257 = !DILocation(line: 57, column: 17, scope: !189)
!258 = !DILocation(line: 57, column: 14, scope: !189)
!259 = !DILocation(line: 57, column: 30, scope: !189)
!260 = !DILocation(line: 57, column: 38, scope: !189)
!261 = !DILocation(line: 57, column: 35, scope: !189)
!262 = !DILocation(line: 57, column: 41, scope: !189)
!263 = !DILocation(line: 57, column: 33, scope: !189)
!264 = !DILocation(line: 57, column: 11, scope: !189)
!265 = !DILocation(line: 57, column: 7, scope: !189)
!266 = !DILocation(line: 56, column: 29, scope: !189)
!267 = distinct !{!267, !256, !268, !31}
!268 = !DILocation(line: 57, column: 52, scope: !189)
!269 = !DILocation(line: 58, column: 5, scope: !189)
!270 = !DILocation(line: 59, column: 3, scope: !189)
!271 = !DILocation(line: 50, column: 28, scope: !189)
!272 = distinct !{!272, !208, !270, !31}
!273 = !DILocation(line: 60, column: 7, scope: !189)
!274 = !DILocation(line: 60, column: 13, scope: !189)
!275 = !DILocation(line: 60, column: 11, scope: !189)
!276 = !DILocation(line: 60, column: 15, scope: !189)
!277 = !DILocation(line: 60, column: 18, scope: !189)
!278 = !DILocation(line: 60, column: 24, scope: !189)
!279 = !DILocation(line: 60, column: 22, scope: !189)
!280 = !DILocation(line: 61, column: 24, scope: !189)
!281 = !DILocation(line: 61, column: 5, scope: !189)
!282 = !DILocation(line: 61, column: 7, scope: !189)
!283 = !DILocation(line: 61, column: 13, scope: !189)
!284 = !DILocation(line: 61, column: 11, scope: !189)
!285 = !DILocation(line: 61, column: 17, scope: !189)
!286 = !DILocation(line: 61, column: 15, scope: !189)
!287 = !DILocation(line: 61, column: 22, scope: !189)
!288 = !DILocation(line: 62, column: 1, scope: !189)
!289 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !176, file: !176, line: 67, type: !13, scopeLine: 67, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!290 = !DILocation(line: 67, column: 27, scope: !289)
!291 = !DILocation(line: 67, column: 3, scope: !289)
!292 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !176, file: !176, line: 54, type: !13, scopeLine: 54, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!293 = !DILocation(line: 54, column: 27, scope: !292)
!294 = !DILocation(line: 54, column: 3, scope: !292)
!295 = distinct !DISubprogram(name: "histogram", scope: !1, file: !1, line: 64, type: !13, scopeLine: 64, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!296 = !{!297, !297, i64 0}
!297 = !{!"p1 int", !62, i64 0}
!298 = !DILocation(line: 66, column: 8, scope: !295)
!299 = !DILocation(line: 66, column: 16, scope: !295)
!300 = !DILocation(line: 66, column: 12, scope: !295)
!301 = !DILocation(line: 66, column: 29, scope: !295)
!302 = !DILocation(line: 66, column: 31, scope: !295)
!303 = !DILocation(line: 66, column: 3, scope: !295)
!304 = !DILocation(line: 67, column: 11, scope: !295)
!305 = !DILocation(line: 67, column: 5, scope: !295)
!306 = !DILocation(line: 67, column: 14, scope: !295)
!307 = !DILocation(line: 66, column: 42, scope: !295)
!308 = !DILocation(line: 66, column: 39, scope: !295)
!309 = distinct !{!309, !303, !310, !31}
!310 = !DILocation(line: 67, column: 16, scope: !295)
!311 = !DILocation(line: 68, column: 3, scope: !295)
!312 = !DILocation(line: 69, column: 3, scope: !295)
!313 = !DILocation(line: 69, column: 11, scope: !295)
!314 = !DILocation(line: 69, column: 24, scope: !295)
!315 = !DILocation(line: 69, column: 22, scope: !295)
!316 = !DILocation(line: 69, column: 37, scope: !295)
!317 = !DILocation(line: 69, column: 35, scope: !295)
!318 = !DILocation(line: 69, column: 7, scope: !295)
!319 = !DILocation(line: 70, column: 7, scope: !295)
!320 = !DILocation(line: 70, column: 11, scope: !295)
!321 = !DILocation(line: 70, column: 9, scope: !295)
!322 = !DILocation(line: 71, column: 22, scope: !295)
!323 = !DILocation(line: 71, column: 24, scope: !295)
!324 = !DILocation(line: 71, column: 27, scope: !295)
!325 = !DILocation(line: 71, column: 16, scope: !295)
!326 = !DILocation(line: 71, column: 5, scope: !295)
!327 = !DILocation(line: 72, column: 3, scope: !295)
!328 = !DILocation(line: 73, column: 7, scope: !295)
!329 = !DILocation(line: 73, column: 19, scope: !295)
!330 = !DILocation(line: 74, column: 16, scope: !295)
!331 = !DILocation(line: 74, column: 18, scope: !295)
!332 = !DILocation(line: 74, column: 38, scope: !295)
!333 = !DILocation(line: 74, column: 32, scope: !295)
!334 = !DILocation(line: 74, column: 5, scope: !295)
!335 = !DILocation(line: 75, column: 1, scope: !295)
!336 = distinct !DISubprogram(name: "atomicAdd", scope: !337, file: !337, line: 105, type: !13, scopeLine: 106, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!337 = !DIFile(filename: "device_atomic_functions.hpp", directory: "")
!338 = !DILocation(line: 107, column: 23, scope: !336)
!339 = !DILocation(line: 107, column: 32, scope: !336)
!340 = !DILocation(line: 107, column: 10, scope: !336)
!341 = !DILocation(line: 107, column: 3, scope: !336)
!342 = distinct !DISubprogram(name: "trips", scope: !1, file: !1, line: 78, type: !13, scopeLine: 78, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!343 = !DILocation(line: 79, column: 3, scope: !342)
!344 = !DILocation(line: 79, column: 7, scope: !342)
!345 = !DILocation(line: 80, column: 8, scope: !342)
!346 = !DILocation(line: 80, column: 12, scope: !342)
!347 = !DILocation(line: 80, column: 19, scope: !342)
!348 = !DILocation(line: 80, column: 23, scope: !342)
!349 = !DILocation(line: 80, column: 29, scope: !342)
!350 = !DILocation(line: 80, column: 21, scope: !342)
!351 = !DILocation(line: 80, column: 3, scope: !342)
!352 = !DILocation(line: 81, column: 11, scope: !342)
!353 = !DILocation(line: 81, column: 13, scope: !342)
!354 = !DILocation(line: 81, column: 10, scope: !342)
!355 = !DILocation(line: 81, column: 7, scope: !342)
!356 = !DILocation(line: 81, column: 5, scope: !342)
!357 = !DILocation(line: 80, column: 43, scope: !342)
!358 = distinct !{!358, !351, !359, !31}
!359 = !DILocation(line: 81, column: 24, scope: !342)
!360 = !DILocation(line: 82, column: 22, scope: !342)
!361 = !DILocation(line: 82, column: 3, scope: !342)
!362 = !DILocation(line: 82, column: 7, scope: !342)
!363 = !DILocation(line: 82, column: 20, scope: !342)
!364 = !DILocation(line: 83, column: 27, scope: !342)
!365 = !DILocation(line: 83, column: 3, scope: !342)
!366 = !DILocation(line: 83, column: 12, scope: !342)
!367 = !DILocation(line: 83, column: 25, scope: !342)
!368 = !DILocation(line: 84, column: 1, scope: !342)
!369 = distinct !DISubprogram(name: "__activemask", scope: !41, file: !41, line: 214, type: !13, scopeLine: 214, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!370 = !DILocation(line: 218, column: 10, scope: !369)
!371 = !DILocation(line: 218, column: 3, scope: !369)
!372 = distinct !DISubprogram(name: "saxpy4", scope: !1, file: !1, line: 86, type: !13, scopeLine: 86, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!373 = !{!374, !374, i64 0}
!374 = !{!"p1 _ZTS6float4", !62, i64 0}
!375 = !DILocation(line: 87, column: 3, scope: !372)
!376 = !DILocation(line: 87, column: 11, scope: !372)
!377 = !DILocation(line: 87, column: 24, scope: !372)
!378 = !DILocation(line: 87, column: 22, scope: !372)
!379 = !DILocation(line: 87, column: 37, scope: !372)
!380 = !DILocation(line: 87, column: 35, scope: !372)
!381 = !DILocation(line: 87, column: 7, scope: !372)
!382 = !DILocation(line: 88, column: 7, scope: !372)
!383 = !DILocation(line: 88, column: 11, scope: !372)
!384 = !DILocation(line: 88, column: 9, scope: !372)
!385 = !DILocation(line: 89, column: 5, scope: !372)
!386 = !DILocation(line: 89, column: 16, scope: !372)
!387 = !DILocation(line: 89, column: 18, scope: !372)
!388 = !{i64 0, i64 4, !15, i64 4, i64 4, !15, i64 8, i64 4, !15, i64 12, i64 4, !15}
!389 = !DILocation(line: 89, column: 26, scope: !372)
!390 = !DILocation(line: 89, column: 28, scope: !372)
!391 = !DILocation(line: 90, column: 12, scope: !372)
!392 = !DILocation(line: 90, column: 18, scope: !372)
!393 = !{!394, !16, i64 0}
!394 = !{!"_ZTS6float4", !16, i64 0, !16, i64 4, !16, i64 8, !16, i64 12}
!395 = !DILocation(line: 90, column: 14, scope: !372)
!396 = !DILocation(line: 90, column: 7, scope: !372)
!397 = !DILocation(line: 90, column: 9, scope: !372)
!398 = !DILocation(line: 91, column: 12, scope: !372)
!399 = !DILocation(line: 91, column: 18, scope: !372)
!400 = !{!394, !16, i64 4}
!401 = !DILocation(line: 91, column: 14, scope: !372)
!402 = !DILocation(line: 91, column: 7, scope: !372)
!403 = !DILocation(line: 91, column: 9, scope: !372)
!404 = !DILocation(line: 92, column: 12, scope: !372)
!405 = !DILocation(line: 92, column: 18, scope: !372)
!406 = !{!394, !16, i64 8}
!407 = !DILocation(line: 92, column: 14, scope: !372)
!408 = !DILocation(line: 92, column: 7, scope: !372)
!409 = !DILocation(line: 92, column: 9, scope: !372)
!410 = !DILocation(line: 93, column: 12, scope: !372)
!411 = !DILocation(line: 93, column: 18, scope: !372)
!412 = !{!394, !16, i64 12}
!413 = !DILocation(line: 93, column: 14, scope: !372)
!414 = !DILocation(line: 93, column: 7, scope: !372)
!415 = !DILocation(line: 93, column: 9, scope: !372)
!416 = !DILocation(line: 94, column: 5, scope: !372)
!417 = !DILocation(line: 94, column: 7, scope: !372)
!418 = !DILocation(line: 94, column: 10, scope: !372)
!419 = !DILocation(line: 95, column: 3, scope: !372)
!420 = !DILocation(line: 96, column: 1, scope: !372)
!421 = distinct !DISubprogram(name: "index3", scope: !1, file: !1, line: 102, type: !13, scopeLine: 102, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!422 = !DILocation(line: 103, column: 3, scope: !421)
!423 = !DILocation(line: 103, column: 12, scope: !421)
!424 = !DILocation(line: 103, column: 25, scope: !421)
!425 = !DILocation(line: 103, column: 38, scope: !421)
!426 = !DILocation(line: 103, column: 51, scope: !421)
!427 = !DILocation(line: 103, column: 63, scope: !421)
!428 = !DILocation(line: 103, column: 61, scope: !421)
!429 = !DILocation(line: 103, column: 49, scope: !421)
!430 = !DILocation(line: 103, column: 35, scope: !421)
!431 = !DILocation(line: 103, column: 23, scope: !421)
!432 = !DILocation(line: 103, column: 7, scope: !421)
!433 = !DILocation(line: 104, column: 3, scope: !421)
!434 = !DILocation(line: 104, column: 11, scope: !421)
!435 = !DILocation(line: 104, column: 25, scope: !421)
!436 = !DILocation(line: 104, column: 39, scope: !421)
!437 = !DILocation(line: 104, column: 53, scope: !421)
!438 = !DILocation(line: 104, column: 66, scope: !421)
!439 = !DILocation(line: 104, column: 64, scope: !421)
!440 = !DILocation(line: 104, column: 51, scope: !421)
!441 = !DILocation(line: 104, column: 36, scope: !421)
!442 = !DILocation(line: 104, column: 23, scope: !421)
!443 = !DILocation(line: 104, column: 7, scope: !421)
!444 = !DILocation(line: 105, column: 3, scope: !421)
!445 = !DILocation(line: 105, column: 11, scope: !421)
!446 = !DILocation(line: 105, column: 16, scope: !421)
!447 = !DILocation(line: 105, column: 14, scope: !421)
!448 = !DILocation(line: 105, column: 29, scope: !421)
!449 = !DILocation(line: 105, column: 27, scope: !421)
!450 = !DILocation(line: 105, column: 42, scope: !421)
!451 = !DILocation(line: 105, column: 40, scope: !421)
!452 = !DILocation(line: 105, column: 55, scope: !421)
!453 = !DILocation(line: 105, column: 53, scope: !421)
!454 = !DILocation(line: 105, column: 7, scope: !421)
!455 = !DILocation(line: 106, column: 12, scope: !421)
!456 = !DILocation(line: 106, column: 18, scope: !421)
!457 = !{!458, !9, i64 0}
!458 = !{!"_ZTS6Params", !9, i64 0, !16, i64 4}
!459 = !DILocation(line: 106, column: 14, scope: !421)
!460 = !DILocation(line: 106, column: 28, scope: !421)
!461 = !{!458, !16, i64 4}
!462 = !DILocation(line: 106, column: 24, scope: !421)
!463 = !DILocation(line: 106, column: 3, scope: !421)
!464 = !DILocation(line: 106, column: 7, scope: !421)
!465 = !DILocation(line: 106, column: 10, scope: !421)
!466 = !DILocation(line: 107, column: 1, scope: !421)
!467 = distinct !DISubprogram(name: "__fetch_builtin_x", scope: !176, file: !176, line: 92, type: !13, scopeLine: 92, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!468 = !DILocation(line: 92, column: 27, scope: !467)
!469 = !DILocation(line: 92, column: 3, scope: !467)
!470 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !176, file: !176, line: 93, type: !13, scopeLine: 93, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!471 = !DILocation(line: 93, column: 27, scope: !470)
!472 = !DILocation(line: 93, column: 3, scope: !470)
!473 = distinct !DISubprogram(name: "__fetch_builtin_z", scope: !176, file: !176, line: 68, type: !13, scopeLine: 68, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!474 = !DILocation(line: 68, column: 27, scope: !473)
!475 = !DILocation(line: 68, column: 3, scope: !473)
!476 = distinct !DISubprogram(name: "__fetch_builtin_y", scope: !176, file: !176, line: 80, type: !13, scopeLine: 80, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!477 = !DILocation(line: 80, column: 27, scope: !476)
!478 = !DILocation(line: 80, column: 3, scope: !476)
!479 = distinct !DISubprogram(name: "__fetch_builtin_z", scope: !176, file: !176, line: 55, type: !13, scopeLine: 55, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!480 = !DILocation(line: 55, column: 27, scope: !479)
!481 = !DILocation(line: 55, column: 3, scope: !479)
!482 = distinct !DISubprogram(name: "__fetch_builtin_z", scope: !176, file: !176, line: 81, type: !13, scopeLine: 81, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!483 = !DILocation(line: 81, column: 27, scope: !482)
!484 = !DILocation(line: 81, column: 3, scope: !482)
!485 = distinct !DISubprogram(name: "atomicSumCas", scope: !1, file: !1, line: 110, type: !13, scopeLine: 110, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!486 = !DILocation(line: 111, column: 3, scope: !485)
!487 = !DILocation(line: 111, column: 29, scope: !485)
!488 = !DILocation(line: 111, column: 13, scope: !485)
!489 = !DILocation(line: 111, column: 41, scope: !485)
!490 = !DILocation(line: 111, column: 40, scope: !485)
!491 = !DILocation(line: 111, column: 34, scope: !485)
!492 = !DILocation(line: 112, column: 3, scope: !485)
!493 = !DILocation(line: 113, column: 15, scope: !485)
!494 = !DILocation(line: 113, column: 13, scope: !485)
!495 = !DILocation(line: 114, column: 21, scope: !485)
!496 = !DILocation(line: 114, column: 24, scope: !485)
!497 = !DILocation(line: 115, column: 53, scope: !485)
!498 = !DILocation(line: 115, column: 37, scope: !485)
!499 = !DILocation(line: 115, column: 64, scope: !485)
!500 = !DILocation(line: 115, column: 66, scope: !485)
!501 = !DILocation(line: 115, column: 62, scope: !485)
!502 = !DILocation(line: 115, column: 21, scope: !485)
!503 = !DILocation(line: 114, column: 11, scope: !485)
!504 = !DILocation(line: 114, column: 9, scope: !485)
!505 = !DILocation(line: 116, column: 3, scope: !485)
!506 = !DILocation(line: 116, column: 12, scope: !485)
!507 = !DILocation(line: 116, column: 19, scope: !485)
!508 = !DILocation(line: 116, column: 16, scope: !485)
!509 = distinct !{!509, !492, !510, !31}
!510 = !DILocation(line: 116, column: 26, scope: !485)
!511 = !DILocation(line: 117, column: 1, scope: !485)
!512 = distinct !DISubprogram(name: "atomicCAS", scope: !337, file: !337, line: 205, type: !13, scopeLine: 206, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!513 = !DILocation(line: 207, column: 23, scope: !512)
!514 = !DILocation(line: 207, column: 32, scope: !512)
!515 = !DILocation(line: 207, column: 41, scope: !512)
!516 = !DILocation(line: 207, column: 10, scope: !512)
!517 = !DILocation(line: 207, column: 3, scope: !512)
!518 = distinct !DISubprogram(name: "__float_as_uint", scope: !519, file: !519, line: 264, type: !13, scopeLine: 264, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!519 = !DIFile(filename: "__clang_cuda_device_functions.h", directory: "")
!520 = !DILocation(line: 265, column: 29, scope: !518)
!521 = !DILocation(line: 265, column: 10, scope: !518)
!522 = !DILocation(line: 265, column: 3, scope: !518)
!523 = distinct !DISubprogram(name: "__uint_as_float", scope: !519, file: !519, line: 674, type: !13, scopeLine: 674, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!524 = !DILocation(line: 675, column: 29, scope: !523)
!525 = !DILocation(line: 675, column: 10, scope: !523)
!526 = !DILocation(line: 675, column: 3, scope: !523)
!527 = distinct !DISubprogram(name: "__iAtomicAdd", scope: !519, file: !519, line: 340, type: !13, scopeLine: 340, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!528 = !DILocation(line: 341, column: 32, scope: !527)
!529 = !DILocation(line: 341, column: 37, scope: !527)
!530 = !DILocation(line: 341, column: 10, scope: !527)
!531 = !DILocation(line: 341, column: 3, scope: !527)
!532 = distinct !DISubprogram(name: "__uAtomicCAS", scope: !519, file: !519, line: 568, type: !13, scopeLine: 569, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!533 = !DILocation(line: 570, column: 39, scope: !532)
!534 = !DILocation(line: 570, column: 44, scope: !532)
!535 = !DILocation(line: 570, column: 51, scope: !532)
!536 = !DILocation(line: 570, column: 10, scope: !532)
!537 = !DILocation(line: 570, column: 3, scope: !532)
