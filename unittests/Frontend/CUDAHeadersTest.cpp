// Precompiled headers save time and change nothing: neither the code, nor the
// diagnostics, nor what options mean.
#include "evo/Frontend/CUDAHeaders.h"
#include "evo/Support/Files.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
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
  options.defines = {"WRONG_OF_TEST=nothing"};
  for (const char *wrong :
       {"__global__ void f(float *x) {\n  x[0] = nothing;\n}",
        "#include <no_such_header.h>\n", "#error stop\n",
        "__global__ int f() { return 1; }\n",
        "__global__ void f(float *x) { *x = WRONG_OF_TEST; }",
        "#define WRONG_OF_TEST 1\n#error stop\n"}) {
    std::string plain = compile(wrong, options, nullptr);
    EXPECT_NE(plain.find("test.cu"), std::string::npos) << plain;
    EXPECT_EQ(compile(wrong, options, headers.get()), plain);
  }
}

TEST_F(CUDAHeadersTest, OtherOptionsAreHonoured) {
  auto headers = CUDAHeaders::parse(options);
  ASSERT_TRUE(headers);
  const char *source = R"(
#ifndef LIMIT_OF_TEST
#define LIMIT_OF_TEST 1
#endif
__global__ void f(long *y) {
  y[0] = LIMIT_OF_TEST; y[1] = __CUDA_ARCH__; y[2] = __cplusplus;
  assert(y[0]);
})";
  std::string before = compile(source, options, headers.get());
  auto change = [&](bool areServed, auto apply) {
    CUDAOptions other = options;
    apply(other);
    EXPECT_EQ(headers->serve(other), areServed);
    std::string with = compile(source, other, headers.get());
    EXPECT_EQ(usedHeaders, areServed);
    EXPECT_EQ(with, compile(source, other, nullptr));
    EXPECT_NE(with, before);
  };
  // No header knows the name; one that is asked for is another matter, if only
  // whether it is defined.
  change(true, [](CUDAOptions &other) {
    other.defines.push_back("LIMIT_OF_TEST=4");
  });
  change(false, [](CUDAOptions &other) { other.defines.push_back("NDEBUG"); });
  change(false, [](CUDAOptions &other) { other.architecture = "sm_80"; });
  change(false, [](CUDAOptions &other) { other.standard = "c++20"; });
  for (const char *known : {"min(A, B)=A", "NDEBUG=1", "_Tp"}) {
    CUDAOptions other = options;
    other.defines = {"LIMIT_OF_TEST=4", known};
    EXPECT_FALSE(headers->serve(other)) << known;
  }
}

TEST_F(CUDAHeadersTest, FoldersWithHeadersOfTheSameNameAreHonoured) {
  auto headers = CUDAHeaders::parse(options);
  ASSERT_TRUE(headers);
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("headers", folder));
  auto write = [&](const char *name, const char *text) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    llvm::consumeError(writeFileAtomically(path, text));
  };
  CUDAOptions other = options;
  other.includeDirectories.push_back(folder.str().str());
  EXPECT_TRUE(headers->serve(other));
  write("own.h", "#define OWN 7");
  EXPECT_TRUE(headers->serve(other));
  const char *source = "#include <own.h>\n#include <time.h>\n"
                       "__global__ void f(int *y) { *y = OWN; }";
  std::string with = compile(source, other, headers.get());
  EXPECT_TRUE(usedHeaders);
  EXPECT_EQ(with, compile(source, other, nullptr));
  write("time.h", "#define SHADOWED 1\n#include_next <time.h>");
  EXPECT_FALSE(headers->serve(other));
  (void)compile(source, other, headers.get());
  EXPECT_FALSE(usedHeaders);
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(CUDAHeadersTest, CacheServesAllThatItsHeadersDoNotKnow) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("cache", folder));
  options.cacheDirectory = folder.str().str();
  auto count = [&] {
    std::error_code code;
    unsigned files = 0;
    for (llvm::sys::fs::directory_iterator file(folder, code), end;
         file != end && !code; file.increment(code))
      files += llvm::StringRef(file->path()).ends_with(".pch");
    return files;
  };
  EXPECT_FALSE(CUDAHeaders::find(options)); // missed for the first time
  EXPECT_EQ(count(), 0u);
  EXPECT_TRUE(CUDAHeaders::find(options));
  EXPECT_EQ(count(), 1u);
  CUDAOptions other = options;
  other.defines.push_back("LIMIT_OF_TEST=4");
  auto found = CUDAHeaders::find(other);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->serve(other));
  EXPECT_EQ(count(), 1u);
  other.defines.push_back("NDEBUG");
  EXPECT_FALSE(CUDAHeaders::find(other));
  EXPECT_TRUE(CUDAHeaders::parse(other));
  EXPECT_EQ(count(), 2u);
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(CUDAHeadersTest, CannotBeParsedWithoutAToolkit) {
  options.toolkit = "/nonexistent";
  EXPECT_FALSE(CUDAHeaders::parse(options));
}
} // namespace
