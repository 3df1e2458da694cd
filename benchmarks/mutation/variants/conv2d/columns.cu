// Patches are laid out as columns of a matrix in scratch, then multiplied.
// evo.scratch patches: f32[B, C * R * S, (H - R + 1) * (W - S + 1)]
// evo.launch unfold<<<(ceildiv((H - R + 1) * (W - S + 1), 64), C * R * S, B), 64>>>(x, patches, C, H, W, R, S)
// evo.launch multiply<<<(ceildiv((H - R + 1) * (W - S + 1), 64), K, B), 64>>>(patches, w, y, C * R * S, (H - R + 1) * (W - S + 1))
// evo.require R <= H, S <= W, C * R * S <= 65535, K <= 65535, B <= 65535

__global__ void unfold(const float *x, float *patches, int C, int H, int W,
                       int R, int S) {
  int P = H - R + 1, Q = W - S + 1, at = blockIdx.x * 64 + threadIdx.x;
  if (at >= P * Q)
    return;
  int s = blockIdx.y % S, r = blockIdx.y / S % R, c = blockIdx.y / S / R;
  size_t b = blockIdx.z;
  patches[(b * gridDim.y + blockIdx.y) * P * Q + at] =
      x[((b * C + c) * H + at / Q + r) * W + at % Q + s];
}

__global__ void multiply(const float *patches, const float *w, float *y,
                         int depth, int pixels) {
  int at = blockIdx.x * 64 + threadIdx.x;
  if (at >= pixels)
    return;
  size_t b = blockIdx.z, k = blockIdx.y;
  float sum = 0.0f;
  for (int i = 0; i < depth; ++i)
    sum += w[k * depth + i] * patches[(b * depth + i) * pixels + at];
  y[(b * gridDim.y + k) * pixels + at] = sum;
}
