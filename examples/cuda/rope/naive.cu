// Rotary embedding in place: neighbours in a row are turned by the angle of
// their position; one thread a pair, angles from tables.
// evo.kernel rope(x: inout f32[S, H, D], cosine: in f32[S, D / 2] range(-1, 1), sine: in f32[S, D / 2] range(-1, 1))
// evo.launch rope<<<ceildiv(S * H * (D / 2), 256), 256>>>(x, cosine, sine, S, H, D)
// evo.workload S = 4096, H = 32, D = 128
// evo.require D % 2 == 0

__global__ void rope(float *x, const float *cosine, const float *sine, int S,
                     int H, int D) {
  int half = D / 2;
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (size_t)S * H * half)
    return;
  size_t angle = i / half / H * half + i % half;
  float a = x[2 * i], b = x[2 * i + 1];
  x[2 * i] = a * cosine[angle] - b * sine[angle];
  x[2 * i + 1] = a * sine[angle] + b * cosine[angle];
}
