// Bits of short floats against the arithmetic of LLVM.
#include "evo/Support/Random.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace mlir;
using namespace evo;

namespace {

class FloatBits : public testing::Test {
protected:
  MLIRContext context;
  FloatType types[2] = {Float16Type::get(&context),
                        BFloat16Type::get(&context)};

  static uint16_t encodeByLLVM(FloatType type, double value) {
    llvm::APFloat number(value);
    bool ignored;
    number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                   &ignored);
    return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
  }
  static uint16_t encode(FloatType type, double value) {
    uint16_t bits = 0;
    encodeFloat(type, value, reinterpret_cast<char *>(&bits));
    return bits;
  }
  static double decode(FloatType type, uint16_t bits) {
    return decodeFloat(type, reinterpret_cast<const char *>(&bits));
  }
};

TEST_F(FloatBits, EveryNumberKeepsItsBits) {
  for (FloatType type : types)
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
      const auto number = static_cast<uint16_t>(bits);
      llvm::APFloat value(type.getFloatSemantics(), llvm::APInt(16, bits));
      const double decoded = decode(type, number);
      if (value.isNaN()) {
        EXPECT_TRUE(std::isnan(decoded)) << bits;
        EXPECT_TRUE(std::isnan(decode(type, encode(type, decoded)))) << bits;
        continue;
      }
      bool ignored;
      value.convert(llvm::APFloat::IEEEdouble(),
                    llvm::APFloat::rmNearestTiesToEven, &ignored);
      ASSERT_EQ(decoded, value.convertToDouble()) << bits;
      ASSERT_EQ(std::signbit(decoded), value.isNegative()) << bits;
      ASSERT_EQ(encode(type, decoded), number);
    }
}

TEST_F(FloatBits, RoundsOnceToTheNearest) {
  Random random(1);
  for (FloatType type : types)
    for (unsigned i = 0; i < 200'000; ++i) {
      // Halfway between two numbers, as near to it as doubles and floats are,
      // and anything.
      const auto bits = static_cast<uint16_t>(random.below(1 << 16));
      const double a = decode(type, bits), b = decode(type, bits + 1);
      double value = (a + b) / 2;
      switch (random.below(4)) {
      case 0:
        value = std::nextafter(value, random.below(2) ? 1e300 : -1e300);
        break;
      case 1:
        value = std::nextafterf(static_cast<float>(value),
                                random.below(2) ? 1e30F : -1e30F);
        break;
      case 2:
        value = std::ldexp(random.normal(),
                           static_cast<int>(random.below(320)) - 160);
        break;
      default:
        break;
      }
      if (std::isnan(value))
        continue;
      ASSERT_EQ(encode(type, value), encodeByLLVM(type, value)) << value;
    }
}

} // namespace
