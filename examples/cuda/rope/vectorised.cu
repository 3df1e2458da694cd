// Rotary embedding in place, a pair an access; a thread turns the same pair of
// all heads, so an angle is read once.
// evo.kernel rope(x: inout f32[S, H, D], cosine: in f32[S, D / 2] range(-1, 1), sine: in f32[S, D / 2] range(-1, 1))
// evo.launch rope<<<(ceildiv(D / 2, 64), S), 64>>>(x, cosine, sine, H, D / 2)
// evo.workload S = 4096, H = 32, D = 128
// evo.require D % 2 == 0, S <= 65535

__global__ void rope(float2 *x, const float *cosine, const float *sine, int H,
                     int half) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= half)
    return;
  size_t s = blockIdx.y;
  float c = cosine[s * half + pair], d = sine[s * half + pair];
  for (int h = 0; h < H; ++h) {
    float2 &v = x[(s * H + h) * half + pair];
    v = make_float2(v.x * c - v.y * d, v.x * d + v.y * c);
  }
}
