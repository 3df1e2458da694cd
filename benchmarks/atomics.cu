// Times what atomics cost on shared and on global memory, by how many lanes of
// a warp meet at one address, in one bank or in one sector, and by how small
// the array is. The constants of lib/Cost/TimeModel.cpp come from it.
//
// usage: nvcc -O3 -arch=native benchmarks/atomics.cu -o atomics && ./atomics
#include <cstdio>
#include <cuda_runtime.h>

enum Kind { Count, CountAndAsk, Sum, Largest };

/// Lane l of each warp joins something at element ((l * scale) >> shift) of a
/// shared array.
template <class T, Kind kind>
__global__ void onShared(T *out, unsigned scale, unsigned shift) {
  __shared__ T array[1024];
  unsigned lane = threadIdx.x & 31, at = ((lane * scale) >> shift) & 1023;
  array[threadIdx.x] = 0;
  __syncthreads();
  T answers = 0;
  for (int k = 0; k < 512; ++k) {
    if (kind == Count)
      atomicAdd(&array[at], T(1));
    else if (kind == CountAndAsk)
      answers += atomicAdd(&array[at], T(1));
    else if (kind == Sum)
      atomicAdd(&array[at], T(lane + k));
    else if constexpr (kind == Largest)
      atomicMax(&array[at], T(lane + k));
  }
  __syncthreads();
  out[blockIdx.x * 1024 + threadIdx.x] = array[threadIdx.x] + answers;
}

/// The same on an array of `elements` (a power of two), warps apart.
__global__ void onGlobal(int *array, unsigned scale, unsigned shift,
                         unsigned elements) {
  constexpr unsigned apart = 37 * 8;
  unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5,
           lane = threadIdx.x & 31;
  for (int k = 0; k < 32; ++k)
    atomicAdd(array + ((((lane * scale) >> shift) + (warp + 7 * k) * apart) &
                       (elements - 1)),
              1);
}

template <class Run> static float micros(Run run) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  float best = 1e30f;
  for (int round = 0; round < 3; ++round) {
    cudaEventRecord(begin);
    run();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, begin, end);
    best = milliseconds < best ? milliseconds : best;
  }
  return best * 1e3f;
}

template <class T, Kind kind>
static void timeShared(void *memory, const char *what) {
  T *out = static_cast<T *>(memory);
  for (unsigned shift : {0, 1, 3, 5})
    printf("shared, %s, %2u lanes at one address: %.1f us\n", what, 1u << shift,
           micros([&] { onShared<T, kind><<<264, 1024>>>(out, 1, shift); }));
  for (unsigned scale : {2, 8, 32})
    printf("shared, %s, %2u lanes in one bank: %.1f us\n", what, scale,
           micros([&] { onShared<T, kind><<<264, 1024>>>(out, scale, 0); }));
}

int main() {
  void *memory;
  cudaMalloc(&memory, 256 << 20);
  cudaMemset(memory, 0, 256 << 20);
  timeShared<int, Count>(memory, "counting");
  timeShared<int, CountAndAsk>(memory, "counting with answers");
  timeShared<int, Sum>(memory, "sum of int");
  timeShared<int, Largest>(memory, "largest int");
  timeShared<float, Sum>(memory, "sum of float");
  timeShared<unsigned long long, Sum>(memory, "sum of 64 bits");
  timeShared<double, Sum>(memory, "sum of double");
  int *array = static_cast<int *>(memory);
  for (unsigned elements : {1u << 6, 1u << 8, 1u << 12, 1u << 20, 1u << 25}) {
    for (unsigned shift : {0, 1, 2, 3, 4, 5})
      printf("global, %8u elements, %2u lanes at one address: %.1f us\n",
             elements, 1u << shift, micros([&] {
               onGlobal<<<2112, 256>>>(array, 1, shift, elements);
             }));
    printf("global, %8u elements, a sector for each lane: %.1f us\n", elements,
           micros([&] { onGlobal<<<2112, 256>>>(array, 8, 0, elements); }));
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
