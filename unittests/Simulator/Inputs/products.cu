// Prints what a device computes by mma.sync: one line a product, with the shape's
// name and the registers of A, B, C and D, lane by lane, as hexadecimal words.
// MatrixTest.cpp compares the engine with it, bit by bit:
//
//   nvcc -arch=sm_90 -o products products.cu && ./products > products.txt
//   EVO_DEVICE_PRODUCTS=products.txt EvoExecutionTests --gtest_filter=Matrices.*Device*
//
// Each shape meets operands of five kinds: like numbers of a normal distribution,
// of very different sizes, whose products cancel, below the normal range, and few
// that are not zero beside a large sum.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector>

#define BODY(TEXT, NA, NB, NC, LETTER, TYPE, ...)                                        \
  __global__ void __VA_ARGS__(const uint32_t *a, const uint32_t *b, const TYPE *c, TYPE *d) { \
    a += threadIdx.x * NA, b += threadIdx.x * NB;                                        \
    c += threadIdx.x * NC, d += threadIdx.x * NC;                                        \
    TEXT                                                                                 \
  }
#define MMA4(NAME, SHAPE)                                                                \
  BODY(asm volatile("mma.sync.aligned." SHAPE                                            \
                    " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"         \
                    : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                     \
                    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),  \
                      "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));                       \
       , 4, 2, 4, "f", float, NAME)
#define MMA2(NAME, SHAPE)                                                                \
  BODY(asm volatile("mma.sync.aligned." SHAPE                                            \
                    " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                     \
                    : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])                     \
                    : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(c[0]), "f"(c[1]), "f"(c[2]),  \
                      "f"(c[3]));                                                        \
       , 2, 1, 4, "f", float, NAME)
#define HALF4(NAME, SHAPE)                                                               \
  BODY(asm volatile("mma.sync.aligned." SHAPE                                            \
                    " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"                         \
                    : "=r"(d[0]), "=r"(d[1])                                             \
                    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),  \
                      "r"(c[0]), "r"(c[1]));                                             \
       , 4, 2, 2, "r", uint32_t, NAME)
#define HALF2(NAME, SHAPE)                                                               \
  BODY(asm volatile("mma.sync.aligned." SHAPE " {%0,%1}, {%2,%3}, {%4}, {%5,%6};"        \
                    : "=r"(d[0]), "=r"(d[1])                                             \
                    : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]));            \
       , 2, 1, 2, "r", uint32_t, NAME)

#define F16_8 "m16n8k8.row.col.f32.f16.f16.f32"
#define F16_16 "m16n8k16.row.col.f32.f16.f16.f32"
#define BF16_8 "m16n8k8.row.col.f32.bf16.bf16.f32"
#define BF16_16 "m16n8k16.row.col.f32.bf16.bf16.f32"
#define TF32_4 "m16n8k4.row.col.f32.tf32.tf32.f32"
#define TF32_8 "m16n8k8.row.col.f32.tf32.tf32.f32"
#define H16_8 "m16n8k8.row.col.f16.f16.f16.f16"
#define H16_16 "m16n8k16.row.col.f16.f16.f16.f16"
MMA2(f16k8, F16_8)
MMA4(f16k16, F16_16)
MMA2(bf16k8, BF16_8)
MMA4(bf16k16, BF16_16)
MMA2(tf32k4, TF32_4)
MMA4(tf32k8, TF32_8)
HALF2(h16k8, H16_8)
HALF4(h16k16, H16_16)

static uint64_t state = 88172645463325252ull;
static double uniform() {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (state >> 11) * 0x1p-53;
}
static double draw(int kind, char type, bool isSum) {
  double sign = uniform() < 0.5 ? -1 : 1, v = 1 + uniform();
  switch (kind) {
  case 0:
    return std::sqrt(-2 * std::log(uniform() + 1e-300)) * std::cos(6.283185307 * uniform());
  case 1:
    return sign * std::ldexp(v, int(uniform() * 20) - 10);
  case 2:
    return sign * (isSum ? 0 : 1 + std::floor(uniform() * 4) * 0x1p-9);
  case 3:
    return sign * std::ldexp(v, type == 'h' ? int(uniform() * 12) - 24 : int(uniform() * 20) - 75);
  default:
    return isSum ? sign * std::ldexp(v, 12)
                 : (uniform() < 0.7 ? 0 : sign * std::ldexp(v, int(uniform() * 8) - 8));
  }
}
static uint32_t word(int kind, char type, bool isSum) {
  uint32_t bits = 0;
  if (type == 't' || type == 'f') {
    float f = float(draw(kind, 't', isSum));
    memcpy(&bits, &f, 4);
    return bits; // the low bits too: they must not matter
  }
  for (int i = 0; i < 2; ++i) {
    float f = float(draw(kind, type, isSum));
    uint16_t half;
    if (type == 'h') {
      __half h = __float2half(f);
      memcpy(&half, &h, 2);
    } else {
      __nv_bfloat16 h = __float2bfloat16(f);
      memcpy(&half, &h, 2);
    }
    bits |= uint32_t(half) << 16 * i;
  }
  return bits;
}

template <class T>
static int run(const char *name, void (*kernel)(const uint32_t *, const uint32_t *, const T *, T *),
               char type, char sum, int na, int nb, int nc) {
  const int words = 32 * (na + nb + 2 * nc);
  std::vector<uint32_t> host(words);
  uint32_t *a, *c = host.data() + 32 * (na + nb);
  if (cudaMalloc(&a, words * 4))
    return 1;
  uint32_t *b = a + 32 * na, *sums = b + 32 * nb, *d = sums + 32 * nc;
  for (int n = 0; n < 40; ++n) {
    for (int i = 0; i < 32 * (na + nb); ++i)
      host[i] = word(n % 5, type, false);
    for (int i = 0; i < 32 * nc; ++i)
      c[i] = word(n % 5, sum, true);
    cudaMemcpy(a, host.data(), words * 4, cudaMemcpyHostToDevice);
    kernel<<<1, 32>>>(a, b, (const T *)sums, (T *)d);
    if (cudaError_t e = cudaMemcpy(host.data(), a, words * 4, cudaMemcpyDeviceToHost))
      return fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(e)), 1;
    printf("%s", name);
    for (uint32_t v : host)
      printf(" %x", v);
    printf("\n");
  }
  cudaFree(a);
  return 0;
}

int main() {
  return run(F16_8, f16k8, 'h', 'f', 2, 1, 4) | run(F16_16, f16k16, 'h', 'f', 4, 2, 4) |
         run(BF16_8, bf16k8, 'b', 'f', 2, 1, 4) | run(BF16_16, bf16k16, 'b', 'f', 4, 2, 4) |
         run(TF32_4, tf32k4, 't', 'f', 2, 1, 4) | run(TF32_8, tf32k8, 't', 'f', 4, 2, 4) |
         run(H16_8, h16k8, 'h', 'h', 2, 1, 2) | run(H16_16, h16k16, 'h', 'h', 4, 2, 2);
}
