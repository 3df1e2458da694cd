// Precompiled headers save time and change nothing: neither the code, nor the
// diagnostics, nor what options mean.
#include "evo/Frontend/CUDAHeaders.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;

namespace {
const char *const kernels[] = {
    // Plain.
    R"(__global__ void f(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
})",
    // Builtins, libdevice, shuffles, shared memory, a template, a variable.
    R"(#include <cmath>
#include <cuda_runtime.h>
__device__ int counter;
template <int N> __device__ float sum(float v) {
  for (int i = N / 2; i; i /= 2) v += __shfl_xor_sync(~0u, v, i);
  return v;
}
template <int N> __global__ void g(const float *x, float *y) {
  __shared__ float part[N];
  part[threadIdx.x] = expf(x[threadIdx.x]) + rsqrtf(x[0]) + std::sqrt(x[1]);
  __syncthreads();
  atomicAdd(&counter, 1);
  __stcs(y + threadIdx.x, sum<N>(fmaxf(part[threadIdx.x], __ldg(x))));
}
template __global__ void g<32>(const float *, float *);)",
    // A header that is not among the precompiled ones.
    R"(#include <cuda_fp16.h>
#include <cstdint>
__global__ void h(const __half *x, __half *y, uint32_t n) {
  for (uint32_t i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = __hfma(x[i], x[i], __float2half(0.5f));
})",
};

std::string print(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

class CUDAHeadersTest : public testing::Test {
protected:
  void SetUp() override {
    auto toolkit = cuda::Toolkit::discover({});
    if (!toolkit || !toolkit->has(cuda::ToolkitPart::Headers)) {
      llvm::consumeError(toolkit.takeError());
      GTEST_SKIP() << "no CUDA headers here";
    }
    options.toolkit = toolkit->getRoot();
  }

  /// What compiling gives: the code, or the diagnostics.
  std::string compile(StringRef source, const CUDAOptions &options,
                      const CUDAHeaders *headers) {
    std::string messages;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(messages)
          << diagnostic.getLocation() << ' ' << diagnostic << '\n';
      return success();
    });
    llvm::LLVMContext llvmContext;
    FailureOr<CUDAModule> module = compileCUDA(
        &context, llvmContext, source, "test.cu", {}, {}, options, headers);
    EXPECT_EQ(failed(module), !messages.empty()) << messages;
    usedHeaders = succeeded(module) && module->usedHeaders;
    return succeeded(module) ? print(*module->module) : messages;
  }

  MLIRContext context;
  CUDAOptions options;
  bool usedHeaders = false; // by the last compilation
};

TEST_F(CUDAHeadersTest, CodeIsTheSame) {
  options.confined = true; // as for candidates
  auto headers = CUDAHeaders::parse(options);
  ASSERT_TRUE(headers);
  EXPECT_TRUE(headers->serve(options));
  for (const char *kernel : kernels) {
    std::string plain = compile(kernel, options, nullptr);
    EXPECT_NE(plain.find("ptx_kernel"), std::string::npos) << plain;
    EXPECT_FALSE(usedHeaders);
    EXPECT_EQ(compile(kernel, options, headers.get()), plain);
    EXPECT_TRUE(usedHeaders);
  }
}

TEST_F(CUDAHeadersTest, DiagnosticsAreTheSame) {
  auto headers = CUDAHeaders::parse(options);
  ASSERT_TRUE(headers);
  for (const char *wrong :
       {"__global__ void f(float *x) {\n  x[0] = nothing;\n}",
        "#include <no_such_header.h>\n", "#error stop\n",
        "__global__ int f() { return 1; }\n"}) {
    std::string plain = compile(wrong, options, nullptr);
    EXPECT_NE(plain.find("test.cu"), std::string::npos) << plain;
    EXPECT_EQ(compile(wrong, options, headers.get()), plain);
  }
}

TEST_F(CUDAHeadersTest, OtherOptionsAreHonoured) {
  auto headers = CUDAHeaders::parse(options);
  ASSERT_TRUE(headers);
  const char *source = R"(
#ifndef WIDTH
#define WIDTH 1
#endif
__global__ void f(long *y) {
  y[0] = WIDTH; y[1] = __CUDA_ARCH__; y[2] = __cplusplus;
})";
  std::string before = compile(source, options, headers.get());
  auto change = [&](auto apply) {
    CUDAOptions other = options;
    apply(other);
    EXPECT_FALSE(headers->serve(other));
    std::string with = compile(source, other, headers.get());
    EXPECT_FALSE(usedHeaders);
    EXPECT_EQ(with, compile(source, other, nullptr));
    EXPECT_NE(with, before);
  };
  change([](CUDAOptions &other) { other.defines.push_back("WIDTH=4"); });
  change([](CUDAOptions &other) { other.architecture = "sm_80"; });
  change([](CUDAOptions &other) { other.standard = "c++20"; });
  CUDAOptions folder = options;
  folder.includeDirectories.push_back(".");
  EXPECT_FALSE(headers->serve(folder));
}

TEST_F(CUDAHeadersTest, CannotBeParsedWithoutAToolkit) {
  options.toolkit = "/nonexistent";
  EXPECT_FALSE(CUDAHeaders::parse(options));
}
} // namespace
