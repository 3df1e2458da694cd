// A header with every kind of line, before and after includes and code, becomes
// the contract and the launch plan of the reference, in order.
// REQUIRES: cuda
// RUN: evo-opt lift %s -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: evo-opt %t.mlir | FileCheck %s
// RUN: evo-opt lift %t.mlir | FileCheck %s
// RUN: evo-opt lift %t.mlir | diff %t.mlir -
// RUN: sed -e 's/$/\r/' %s > %t.cu
// RUN: evo-opt lift %t.cu | FileCheck %s

// CHECK: evo.kernel @mixed args [
// CHECK-SAME: #evo.arg<"h" in f16 ["M", "N"] domain = <nonneg>>
// CHECK-SAME: #evo.arg<"b" in bf16 ["M", "N"] domain = <any>>
// CHECK-SAME: #evo.arg<"d" in f64 ["ceildiv(N, 4)"] domain = <range, "-1.5" to "2e3"> align = 32>
// CHECK-SAME: #evo.arg<"e" in f8E4M3FN ["N"]>
// CHECK-SAME: #evo.arg<"f" in f8E5M2 ["N"] domain = <nonzero>>
// CHECK-SAME: #evo.arg<"p" in f32 ["M", "N"] domain = <probability>>
// CHECK-SAME: #evo.arg<"t" in i1 ["N"]>
// CHECK-SAME: #evo.arg<"i" in i8 ["N"]>
// CHECK-SAME: #evo.arg<"u" in ui8 ["N"]>
// CHECK-SAME: #evo.arg<"v" in ui32 ["N"] domain = <range, "0" to "M">>
// CHECK-SAME: #evo.arg<"r" in i64 ["M + 1"] domain = <monotone, "0" to "N">>
// CHECK-SAME: #evo.arg<"s" in i32 ["N"] domain = <permutation>>
// CHECK-SAME: #evo.arg<"w" inout f32 ["N"]>
// CHECK-SAME: #evo.arg<"y" out f32 ["M", "max(N - 1, 1)", "2 * (M + N) % 7"]>
// CHECK-SAME: #evo.arg<"lr" scalar f32 default = 1.000000e-03 : f32>
// CHECK-SAME: #evo.arg<"k" scalar i32 domain = <range, "1" to "9"> default = 3 : i32>
// CHECK-SAME: #evo.arg<"c" scalar ui16>
// CHECK-SAME: workloads [#evo.workload<{M = 4096 : i64, N = 4096 : i64} weight = 2>, #evo.workload<{M = 1 : i64, N = 7 : i64, k = 5 : i64}>]
// CHECK-SAME: requires ["N % 4 == 0", "N <= 65536", "k != M"]
// CHECK-SAME: accuracy <multiply = f16, accumulate = f32, rtol = 1.000000e-02 : f64, atol = 1.000000e-03 : f64>

// CHECK: evo.reference attributes {evo.kernel_names = ["first<4, true>", "second", "second", "second", "second"], source = "// A header
// CHECK: evo.scratch "q" : f32 ["4", "M"]
// CHECK-NEXT: evo.scratch "z" : ui8 []
// CHECK-NEXT: evo.launch @device::@[[FIRST:.*first.*]] grid ["ceildiv(M, 4)", "1", "1"] block ["32", "4", "1"] args ["p", "y", "q", "M", "N"]
// CHECK-NEXT: evo.launch @device::@[[SECOND:.*second.*]] grid ["(M + 1) * 2", "1", "1"] block ["64", "1", "1"] shared "4 * N" args ["w", "lr", "k", "N * 2"]
// CHECK-NEXT: evo.launch @device::@[[SECOND]] grid ["1", "2", "3"] block ["1", "1", "1"] args ["w", "lr", "k", "N"]
// CHECK-NEXT: evo.launch @device::@[[SECOND]] grid ["ceildiv(M, 4)", "N", "1"] block ["8", "4", "2"] shared "4 * N" args ["w", "lr", "k", "N"]
// CHECK-NEXT: evo.launch @device::@[[SECOND]] grid ["M", "1", "1"] block ["32", "2", "1"] args ["w", "lr", "k", "N"]
// CHECK: gpu.module @device
// CHECK-DAG: llvm.func ptx_kernelcc @[[FIRST]](
// CHECK-DAG: llvm.func ptx_kernelcc @[[SECOND]](

// evo.kernel mixed(h: in f16[M, N] nonneg, b: in bf16[M, N] any, d: in f64[ceildiv(N, 4)] range(-1.5, 2e3) align(32), e: in f8E4M3FN[N], f: in f8E5M2[N] nonzero, p: in f32[M, N] probability, t: in i1[N], i: in i8[N], u: in u8[N], v: in u32[N] range(0, M), r: in i64[M + 1] monotone(0, N), s: in i32[N] permutation, w: inout f32[N], y: out f32[M, max(N - 1, 1), 2 * (M + N) % 7], lr: f32 = 1e-3, k: i32 range(1, 9) = 3, c: u16)
// evo.launch first<4, true><<<ceildiv(M, 4), (32, 4), 0>>>(p, y, q, M, N)
#include <cuda_runtime.h>
  //evo.workload M = 4096, N = 4096 weight 2
//   evo.workload M=1,N=7,k=5
template <int T, bool B>
__global__ void first(const float *p, float *y, float *q, int M, long long N) {
  if (B && threadIdx.x % T == 0)
    y[blockIdx.x] = p[0] + q[N - N];
}
__global__ void second(float *w, float lr, int k, int N) { w[0] += lr * k; }
// evo.launch second<<<(M + 1) * 2, 64, 4 * N>>>(w, lr, k, N * 2)
// evo.launch second<<<(1, 2, 3), 1>>>(w, lr, k, N)
// evo.launch second<<<dim3(ceildiv(M, 4), N), dim3(8, 4, 2), 4 * N>>>(w, lr, k, N)
// evo.launch second<<<dim3( M ), dim3 {32, 2}>>>(w, lr, k, N)
// evo.require N % 4 == 0, N<=65536
// evo.require k != M
// evo.scratch q: f32[4, M]
// evo.scratch z: u8[]
// evo.accuracy multiply f16 accumulate f32 rtol = 1e-2 atol = 1e-3
// evolution is no header line, and neither is "evo.kernel" in prose.
