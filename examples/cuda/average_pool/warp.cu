// Average of each plane, a tile of 32 threads of a cooperative group each.
// evo.kernel average_pool(x: in f32[P, S], y: out f32[P])
// evo.launch average_pool<<<ceildiv(P, 8), 256>>>(x, y, P, S)
// evo.workload P = 16384, S = 3136
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void average_pool(const float *x, float *y, int P, int S) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int plane = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (plane >= P)
    return;
  float sum = 0.0f;
  for (int i = tile.thread_rank(); i < S; i += tile.size())
    sum += x[(size_t)plane * S + i];
  for (int offset = tile.size() / 2; offset > 0; offset /= 2)
    sum += tile.shfl_down(sum, offset);
  if (tile.thread_rank() == 0)
    y[plane] = sum / S;
}
