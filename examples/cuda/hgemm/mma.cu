// C = A B on tensor cores by mma.sync: 64 x 64 a block, 32 x 32 a warp. The tiles
// of the next step are copied while those of this one are multiplied.
// evo.kernel hgemm(a: in f16[M, K] align(32), b: in f16[K, N] align(32), c: out f32[M, N] align(32))
// evo.launch hgemm<<<(ceildiv(N, 64), ceildiv(M, 64)), 128>>>(a, b, c, M, N, K)
// evo.workload M = 4096, N = 4096, K = 4096
// evo.require N % 8 == 0, K % 8 == 0
#include <cuda_fp16.h>

constexpr int Tile = 64, Depth = 32, Pad = 8;

/// Starts a copy of 16 bytes to shared memory; zeros where there is nothing.
__device__ void copy(__half *to, const __half *from, bool inside) {
  unsigned at = __cvta_generic_to_shared(to);
  int bytes = inside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(bytes));
}

__global__ void hgemm(const __half *a, const __half *b, float *c, int M, int N, int K) {
  __shared__ __align__(16) __half left[2][Tile][Depth + Pad];
  __shared__ __align__(16) __half right[2][Depth][Tile + Pad];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int row0 = blockIdx.y * Tile, col0 = blockIdx.x * Tile;
  int warpRow = warp / 2 * 32, warpCol = warp % 2 * 32;

  auto fetch = [&](int step) {
    for (int i = thread; i < Tile * Depth / 8; i += 128) {
      int row = i / (Depth / 8), k = i % (Depth / 8) * 8;
      copy(&left[step % 2][row][k], a + (size_t)(row0 + row) * K + step * Depth + k,
           row0 + row < M && step * Depth + k < K);
      int depth = i / (Tile / 8), col = i % (Tile / 8) * 8;
      copy(&right[step % 2][depth][col], b + (size_t)(step * Depth + depth) * N + col0 + col,
           step * Depth + depth < K && col0 + col < N);
    }
  };

  float sums[2][4][4] = {};
  int steps = (K + Depth - 1) / Depth;
  if (steps > 0)
    fetch(0);
  asm volatile("cp.async.commit_group;");
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps)
      fetch(step + 1);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;"); // all groups but the newest
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Depth; k += 16) {
      unsigned as[2][4], bs[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        unsigned at = __cvta_generic_to_shared(
            &left[step % 2][warpRow + i * 16 + lane % 16][k + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(as[i][0]), "=r"(as[i][1]), "=r"(as[i][2]), "=r"(as[i][3])
                     : "r"(at));
        at = __cvta_generic_to_shared(
            &right[step % 2][k + lane % 16][warpCol + i * 16 + lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(bs[i][0]), "=r"(bs[i][1]), "=r"(bs[i][2]), "=r"(bs[i][3])
                     : "r"(at));
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          float *d = sums[i][j];
          unsigned *l = as[i], *r = bs[j / 2] + j % 2 * 2;
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                       : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                       : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]));
        }
    }
    __syncthreads(); // before the next copies come to these tiles
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        int row = row0 + warpRow + i * 16 + half * 8 + lane / 4;
        int col = col0 + warpCol + j * 8 + lane % 4 * 2;
        if (row < M && col < N)
          *(float2 *)&c[(size_t)row * N + col] =
              make_float2(sums[i][j][half * 2], sums[i][j][half * 2 + 1]);
      }
}
