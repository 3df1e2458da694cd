// Kernels for the execution tests. kernels.ll is made from this file by
//   clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudalib
//     -std=c++17 -O3 -Xclang -disable-llvm-passes -gline-tables-only
//     -S -emit-llvm kernels.cu
// (unoptimised, as the detectors run it), with paths cut from debug info.
#define FULL 0xffffffffu

__device__ float warpMax(float v) {
  for (int o = 16; o; o >>= 1)
    v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
  return v;
}
__device__ float warpSum(float v) {
  for (int o = 16; o; o >>= 1)
    v += __shfl_xor_sync(FULL, v, o);
  return v;
}

// One block of 128 threads per row; shuffles within warps, shared between.
extern "C" __global__ void softmax(const float *x, float *y, int n) {
  __shared__ float part[4];
  const float *row = x + (size_t)blockIdx.x * n;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    m = fmaxf(m, row[i]);
  m = warpMax(m);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = m;
  __syncthreads();
  m = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  __syncthreads();
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s += expf(row[i] - m);
  s = warpSum(s);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = s;
  __syncthreads();
  s = part[0] + part[1] + part[2] + part[3];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[(size_t)blockIdx.x * n + i] = expf(row[i] - m) / s;
}

// C = A B, square of size n, tiles of 16 x 16 with tails.
extern "C" __global__ void sgemm(const float *a, const float *b, float *c,
                                 int n) {
  __shared__ float ta[16][16], tb[16][16];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    ta[threadIdx.y][threadIdx.x] =
        row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
    tb[threadIdx.y][threadIdx.x] =
        col < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n)
    c[row * n + col] = sum;
}

extern "C" __global__ void histogram(const int *x, int *h, int n) {
  extern __shared__ int local[];
  for (int i = threadIdx.x; i < 16; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&local[x[i] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&h[threadIdx.x], local[threadIdx.x]);
}

// Lanes run loops of different lengths and must meet again for the ballot.
extern "C" __global__ void trips(const int *count, int *out, unsigned *together) {
  int s = 0;
  for (int i = 0; i < count[threadIdx.x]; ++i)
    s += (i & 1) ? 3 : 5;
  out[threadIdx.x] = s;
  together[threadIdx.x] = __activemask();
}

extern "C" __global__ void saxpy4(float4 *y, const float4 *x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = x[i], w = y[i];
    w.x += a * v.x;
    w.y += a * v.y;
    w.z += a * v.z;
    w.w += a * v.w;
    y[i] = w;
  }
}

struct Params {
  int scale;
  float add;
};
extern "C" __global__ void index3(float *out, Params p) {
  int bx = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int i = bx * blockDim.x * blockDim.y * blockDim.z + t;
  out[i] = i * p.scale + p.add;
}

// A float maximum by compare-and-swap on the bits.
extern "C" __global__ void atomicSumCas(const float *x, float *sum) {
  unsigned *p = (unsigned *)sum, old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed,
                    __float_as_uint(__uint_as_float(assumed) + x[threadIdx.x]));
  } while (old != assumed);
}
