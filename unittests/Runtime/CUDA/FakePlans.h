// The plans that the session's tests run on the fake device: y = a * x + y over
// n floats.
#ifndef EVO_UNITTESTS_RUNTIME_CUDA_FAKEPLANS_H
#define EVO_UNITTESTS_RUNTIME_CUDA_FAKEPLANS_H

#include "FakeDriver.h"
#include "evo/Runtime/CUDA/Session.h"

namespace evo::cuda {

constexpr unsigned fakeSize = 64;

inline void fakeSaxpy(const FakeLaunch &launch) {
  float *y = launch.pointer<float>(0);
  const float *x = launch.pointer<float>(1);
  for (unsigned i = 0; i < launch.get<unsigned>(3); ++i)
    y[i] += launch.get<float>(2) * x[i];
}

inline FakeKernel makeSaxpyKernel(double micros) {
  FakeKernel kernel;
  kernel.parameterSizes = {8, 8, 4, 4};
  kernel.body = fakeSaxpy;
  kernel.micros = micros;
  return kernel;
}

inline DevicePlan makeSaxpyPlan(std::string kernel) {
  DevicePlan plan;
  plan.name = kernel;
  plan.image = "ptx";
  plan.buffers = {{"x", 4 * fakeSize, BufferRole::In, "f32"},
                  {"y", 4 * fakeSize, BufferRole::InOut, "f32"}};
  plan.buffers[1].tolerance.relative = 0x1p-12;
  PlanLaunch launch;
  launch.kernel = kernel;
  launch.block = {fakeSize, 1, 1};
  launch.arguments = {PlanArgument::ofBuffer(1), PlanArgument::ofBuffer(0),
                      PlanArgument::ofScalar(2.0f),
                      PlanArgument::ofScalar(fakeSize)};
  plan.launches = {launch};
  return plan;
}

inline std::string makeFloats(float first) {
  std::vector<float> values(fakeSize);
  for (unsigned i = 0; i < fakeSize; ++i)
    values[i] = first + i;
  return std::string(reinterpret_cast<const char *>(values.data()),
                     4 * fakeSize);
}

inline float floatAt(const std::string &bytes, unsigned index) {
  float value;
  memcpy(&value, bytes.data() + 4 * index, 4);
  return value;
}

} // namespace evo::cuda

#endif
