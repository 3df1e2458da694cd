// What a GPU's approximate instructions are really off by, against the bounds that
// the verifier lets them have (lib/Simulator/Interp/Approximate.cpp): of functions of one
// float all arguments are tried, of quotients 2^32 drawn ones. Prints a line for each
// and fails where the device is further off than the bound, or is not exact where
// the verifier says that there is nothing to approximate.
//
//   nvcc -O2 -arch=native benchmarks/approximations.cu -o approximations && ./approximations
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

struct Worst {
  double ratio;      // of error and bound
  double relative;   // error, where that is largest
  double absolute;
  double x, y;       // its arguments
  unsigned long long tried, inexact; // inexact: where it should be exact
};

__device__ double spacing(double r, int fractionBits, int minExponent) {
  int exponent;
  frexp(r, &exponent);
  return ldexp(1.0, max(r == 0 ? minExponent : exponent - 1, minExponent) - fractionBits);
}
__device__ bool isPower(int of, double x) {
  int exponent;
  return frexp(x, &exponent) == 0.5 && (exponent - 1) % of == 0;
}
__device__ double circular(double x) { return fabs(x) <= 2 * M_PI ? exp2(-20.4) : exp2(-14.7); }

#define FLOAT_ASM(name, text)                                                                \
  __device__ float name(float x) {                                                           \
    float r;                                                                                 \
    asm(text " %0, %1;" : "=f"(r) : "f"(x));                                                 \
    return r;                                                                                \
  }
FLOAT_ASM(ex2, "ex2.approx.f32")
FLOAT_ASM(lg2, "lg2.approx.f32")
FLOAT_ASM(rcp, "rcp.approx.f32")
FLOAT_ASM(rsqrt_, "rsqrt.approx.f32")
FLOAT_ASM(sqrt_, "sqrt.approx.f32")
FLOAT_ASM(sin_, "sin.approx.f32")
FLOAT_ASM(cos_, "cos.approx.f32")
FLOAT_ASM(tanh_, "tanh.approx.f32")
#define HALF_ASM(name, text)                                                                 \
  __device__ float name(float x) {                                                           \
    unsigned short r, h = __half_as_ushort(__float2half_rn(x));                              \
    asm(text " %0, %1;" : "=h"(r) : "h"(h));                                                 \
    return __half2float(__ushort_as_half(r));                                                \
  }
HALF_ASM(ex2h, "ex2.approx.f16")
HALF_ASM(tanhh, "tanh.approx.f16")

struct Judgement {
  double exact, bound;
  bool plain; // nothing to approximate
};
enum Function { Ex2, Lg2, Rcp, Rsqrt, Sqrt, Sin, Cos, Tanh, Ex2Half, TanhHalf, DivApprox, DivFull, Count };
const char *const names[] = {"ex2.approx.f32",   "lg2.approx.f32",  "rcp.approx.f32",  "rsqrt.approx.f32",
                             "sqrt.approx.f32",  "sin.approx.f32",  "cos.approx.f32",  "tanh.approx.f32",
                             "ex2.approx.f16",   "tanh.approx.f16", "div.approx.f32",  "div.full.f32"};

__device__ bool judge(int f, float x, float y, float &got, Judgement &j) {
  double d = x;
  switch (f) {
  case Ex2:
    got = ex2(x), j.exact = exp2(d);
    j.bound = exp2(-22.5) * j.exact, j.plain = d == rint(d);
    return true;
  case Lg2: {
    got = lg2(x), j.exact = log2(d);
    double bound = exp2(-22.0);
    j.bound = d > 0.5 && d < 2 ? bound : bound * fabs(j.exact), j.plain = d == 1;
    return d > 0;
  }
  case Rcp:
    got = rcp(x), j.exact = 1 / d, j.bound = spacing(j.exact, 23, -126), j.plain = isPower(1, fabs(d));
    return true;
  case Rsqrt:
    got = rsqrt_(x), j.exact = 1 / sqrt(d), j.bound = exp2(-22.9) * j.exact, j.plain = isPower(2, d);
    return d > 0;
  case Sqrt:
    got = sqrt_(x), j.exact = sqrt(d), j.bound = exp2(-23.0) * j.exact, j.plain = isPower(2, d);
    return d > 0;
  case Sin:
    got = sin_(x), j.exact = sin(d), j.bound = circular(d), j.plain = d == 0;
    return fabs(d) <= 100 * M_PI;
  case Cos:
    got = cos_(x), j.exact = cos(d), j.bound = circular(d), j.plain = d == 0;
    return fabs(d) <= 100 * M_PI;
  case Tanh:
    got = tanh_(x), j.exact = tanh(d), j.bound = exp2(-11.0) * fabs(j.exact), j.plain = d == 0;
    return true;
  case Ex2Half:
    x = __half2float(__float2half_rn(x)), d = x;
    got = ex2h(x), j.exact = exp2(d), j.bound = exp2(-9.9) * j.exact, j.plain = d == rint(d);
    return d >= -14 && d < 15.99;
  case TanhHalf:
    x = __half2float(__float2half_rn(x)), d = x;
    got = tanhh(x), j.exact = tanh(d), j.bound = exp2(-10.987), j.plain = d == 0;
    return isfinite(d);
  case DivApprox:
  case DivFull:
    if (f == DivApprox)
      asm("div.approx.f32 %0, %1, %2;" : "=f"(got) : "f"(x), "f"(y));
    else
      asm("div.full.f32 %0, %1, %2;" : "=f"(got) : "f"(x), "f"(y));
    j.exact = d / y, j.bound = 2.5 * spacing(j.exact, 23, -126) /* two from the rounded quotient */, j.plain = isPower(1, fabs((double)y));
    return fabs(y) >= 0x1p-126 && fabs(y) <= 0x1p126;
  }
  return false;
}

__device__ uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

__global__ void sweep(int f, Worst *worst) {
  Worst w = {};
  uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x; i < (1ull << 32); i += stride) {
    float x = __uint_as_float((uint32_t)i), y = 1;
    if (f >= DivApprox) {
      uint64_t bits = mix(i + 0x9e3779b97f4a7c15ull);
      x = __uint_as_float((uint32_t)bits), y = __uint_as_float((uint32_t)(bits >> 32));
    }
    // Subnormal arguments and results may be flushed, and infinities are rules.
    if (!isfinite(x) || !isfinite(y) || (x != 0 && fabsf(x) < 0x1p-126f))
      continue;
    float got;
    Judgement j;
    if (!judge(f, x, y, got, j) || !(fabs(j.exact) >= 0x1p-126 || j.exact == 0) ||
        fabs(j.exact) >= 0x1.fffffep127)
      continue;
    ++w.tried;
    double error = fabs(got - j.exact);
    if (j.plain) {
      w.inexact += error != 0;
      continue;
    }
    if (error > 0 && !(error / j.bound <= w.ratio))
      w.ratio = error / j.bound, w.x = x, w.y = y;
    w.absolute = fmax(w.absolute, error);
    if (j.exact != 0)
      w.relative = fmax(w.relative, error / fabs(j.exact));
  }
  worst[blockIdx.x * blockDim.x + threadIdx.x] = w;
}

int main() {
  const int blocks = 1056, threads = 256;
  Worst *worst;
  cudaMallocManaged(&worst, sizeof(Worst) * blocks * threads);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  printf("%s\n%-18s %12s %10s %14s %10s %10s %10s\n", device.name, "instruction", "tried", "of bound", "at",
         "relative", "absolute", "not exact");
  bool fails = false;
  for (int f = 0; f < Count; ++f) {
    sweep<<<blocks, threads>>>(f, worst);
    if (cudaDeviceSynchronize() != cudaSuccess)
      return fprintf(stderr, "%s: %s\n", names[f], cudaGetErrorString(cudaGetLastError())), 1;
    Worst all = {};
    for (int i = 0; i < blocks * threads; ++i) {
      all.tried += worst[i].tried, all.inexact += worst[i].inexact;
      if (!(worst[i].ratio <= all.ratio))
        all.ratio = worst[i].ratio, all.x = worst[i].x, all.y = worst[i].y;
      all.relative = fmax(all.relative, worst[i].relative), all.absolute = fmax(all.absolute, worst[i].absolute);
    }
    printf("%-18s %12llu %10.3f %14.7g   2^%-7.2f  2^%-7.2f %10llu\n", names[f], all.tried, all.ratio, all.x,
           log2(all.relative), log2(all.absolute), all.inexact);
    fails |= !(all.ratio <= 1) || all.inexact;
  }
  return fails;
}
