// What the comparison of device outputs admits, and what it does not.
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "Measure/WorkloadInputs.h"
#include "mlir/IR/Builders.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace evo;

namespace {
class OutputCheck : public testing::Test {
protected:
  OutputCheck() : b(&context) { context.loadDialect<EvoDialect>(); }

  std::string check(Type type, StringRef baseline, StringRef other,
                    AccuracyAttr accuracy = {}, double scale = 0) {
    auto arg = ArgumentAttr::get(&context, b.getStringAttr("y"), Role::Out,
                                 type, ExprAttr::getArray(&context, {"N"}),
                                 DomainAttr(), 16, Attribute());
    cuda::PlanBuffer buffer{"y", baseline.size(), cuda::BufferRole::Out};
    buffer.values = llvm::cantFail(describeValues(arg, {{"N", 1}}));
    buffer.tolerance = describeTolerance(arg, accuracy);
    llvm::Error error = cuda::checkOutput(buffer, baseline, other, scale);
    return error ? llvm::toString(std::move(error)) : "";
  }
  template <typename T> static std::string pack(std::vector<T> values) {
    return std::string(reinterpret_cast<const char *>(values.data()),
                       values.size() * sizeof(T));
  }

  MLIRContext context;
  Builder b;
};

TEST_F(OutputCheck, HalfTheDigitsOfTheType) {
  Type f32 = b.getF32Type();
  EXPECT_EQ(check(f32, pack<float>({1, 2}), pack<float>({1.0001f, 2})), "");
  EXPECT_NE(check(f32, pack<float>({1, 2}), pack<float>({1.001f, 2})), "");
  Type f64 = b.getF64Type();
  EXPECT_EQ(check(f64, pack<double>({1}), pack<double>({1 + 1e-9})), "");
  EXPECT_NE(check(f64, pack<double>({1}), pack<double>({1.0001})), "");
  Type bf16 = b.getBF16Type(); // 1, 1.03125, 1.125
  EXPECT_EQ(check(bf16, pack<uint16_t>({0x3f80}), pack<uint16_t>({0x3f84})),
            "");
  EXPECT_NE(check(bf16, pack<uint16_t>({0x3f80}), pack<uint16_t>({0x3f90})),
            "");
  Type f8 = b.getType<Float8E4M3FNType>(); // 1, 1.125, 2
  EXPECT_EQ(check(f8, pack<uint8_t>({0x38}), pack<uint8_t>({0x39})), "");
  EXPECT_NE(check(f8, pack<uint8_t>({0x38}), pack<uint8_t>({0x40})), "");
}

// A sum whose terms cancel on one of the inputs: its error is that of the
// terms.
TEST_F(OutputCheck, ASumIsHeldToWhatItIsOnAllInputs) {
  Type f32 = b.getF32Type();
  std::string wanted = pack<float>({361.0f}), is = pack<float>({361.3f});
  EXPECT_NE(check(f32, wanted, is), "");
  EXPECT_EQ(check(f32, wanted, is, {}, 2048), "");
  EXPECT_NE(check(f32, wanted, pack<float>({0.0f}), {}, 2048), "");
}

TEST_F(OutputCheck, SizesAreNotCutToFit) {
  Type f32 = b.getF32Type();
  EXPECT_EQ(check(f32, pack<float>({1, 2}), pack<float>({1})),
            "sizes of 'y' differ");
}

TEST_F(OutputCheck, SmallElementsAreHeldToTheTensor) {
  Type f32 = b.getF32Type();
  EXPECT_EQ(check(f32, pack<float>({0, 100}), pack<float>({0.01f, 100})), "");
  EXPECT_NE(check(f32, pack<float>({0, 100}), pack<float>({0.1f, 100})), "");
  EXPECT_NE(check(f32, pack<float>({0, 0}), pack<float>({1e-30f, 0})), "");
}

TEST_F(OutputCheck, AccuracyOfTheContract) {
  auto half =
      AccuracyAttr::get(&context, TypeAttr::get(b.getF16Type()), TypeAttr(),
                        FloatAttr(), FloatAttr(), FloatAttr());
  auto loose =
      AccuracyAttr::get(&context, TypeAttr(), TypeAttr(),
                        b.getF64FloatAttr(0.5), FloatAttr(), FloatAttr());
  auto norm = AccuracyAttr::get(&context, TypeAttr(), TypeAttr(), FloatAttr(),
                                FloatAttr(), b.getF64FloatAttr(0.01));
  Type f32 = b.getF32Type();
  EXPECT_EQ(check(f32, pack<float>({1}), pack<float>({1.01f}), half), "");
  EXPECT_NE(check(f32, pack<float>({1}), pack<float>({1.1f}), half), "");
  EXPECT_EQ(check(f32, pack<float>({1}), pack<float>({1.4f}), loose), "");
  EXPECT_NE(check(f32, pack<float>({1}), pack<float>({1.6f}), loose), "");
  EXPECT_EQ(check(f32, pack<float>({1}), pack<float>({1.009f}), norm), "");
  EXPECT_NE(check(f32, pack<float>({1}), pack<float>({1.02f}), norm), "");
}

TEST_F(OutputCheck, NotFinite) {
  Type f32 = b.getF32Type();
  float inf = HUGE_VALF, nan = std::nanf("");
  EXPECT_EQ(check(f32, pack<float>({inf, nan}), pack<float>({inf, -nan})), "");
  EXPECT_NE(check(f32, pack<float>({inf}), pack<float>({-inf})), "");
  EXPECT_NE(check(f32, pack<float>({nan}), pack<float>({1})), "");
  EXPECT_EQ(check(f32, pack<float>({1, 2}), pack<float>({1, nan})),
            "element 1 of 'y' is nan, the baseline's is 2, allowed are 0");
}

TEST_F(OutputCheck, PoisonIsNoResult) {
  Type f32 = b.getF32Type();
  std::string untouched("\xff\xff\xff\xff", 4);
  EXPECT_EQ(check(f32, untouched + pack<float>({1}), pack<float>({5, 1})), "");
  EXPECT_NE(check(f32, pack<float>({5, 1}), untouched + pack<float>({1})), "");
}

TEST_F(OutputCheck, Integers) {
  Type i32 = b.getI32Type();
  EXPECT_EQ(check(i32, pack<int>({1, -7}), pack<int>({1, -7})), "");
  EXPECT_EQ(check(i32, pack<int>({1, -7}), pack<int>({1, -8})),
            "element 1 of 'y' is -8, the baseline's is -7, allowed are 0");
}
} // namespace
