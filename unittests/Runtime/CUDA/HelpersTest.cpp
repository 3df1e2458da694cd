// What the helper kernels compute, run by the host: the values of inputs, and
// which outputs are apart.
#include "FakePlans.h"
#include "Runtime/CUDA/Helpers/HelperCode.h"
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "evo/Support/Digest.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

using namespace evo::cuda;
using namespace llvm;

namespace {
const ElementFormat f64 = {8, 11, 52, 0x7fefffffffffffffull};
const ElementFormat f32 = {4, 8, 23, 0x7f7fffff};
const ElementFormat f16 = {2, 5, 10, 0x7bff};
const ElementFormat bf16 = {2, 8, 7, 0x7f7f};
const ElementFormat e4m3 = {1, 4, 3, 0x7e};
const ElementFormat e5m2 = {1, 5, 2, 0x7b};
const ElementFormat i32 = {4, 0, 0, 1};

std::string generate(InputValues values, uint64_t elements, uint64_t key = 7) {
  std::string bytes(elements * values.format.bytes, 0);
  generateValues(values, key, {bytes.data(), bytes.size()});
  return bytes;
}
template <typename T> std::vector<T> read(const std::string &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
InputValues of(ValueKind kind, const ElementFormat &format) {
  InputValues values;
  values.kind = kind;
  values.format = format;
  return values;
}
} // namespace

TEST(Helpers, NarrowFloatsRoundAsAPFloatDoes) {
  for (auto [format, semantics] : {std::pair(f16, &APFloat::IEEEhalf()),
                                   {bf16, &APFloat::BFloat()},
                                   {f32, &APFloat::IEEEsingle()},
                                   {e4m3, &APFloat::Float8E4M3FN()},
                                   {e5m2, &APFloat::Float8E5M2()}})
    for (uint64_t i = 0; i < 20000; ++i) {
      // Of all sizes down to numbers below the normal ones; ties, too.
      double value = helper::drawNormal(helper::draw(1, i));
      value = std::ldexp(value, -int(i % 40));
      if (i % 3 == 0)
        value = std::ldexp(std::round(std::ldexp(value, 12)), -12);
      APFloat expected(value);
      bool lossy;
      expected.convert(*semantics, APFloat::rmNearestTiesToEven, &lossy);
      uint64_t bits = helper::encode(format, value);
      ASSERT_EQ(bits, expected.bitcastToAPInt().getZExtValue()) << value;
      expected.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                       &lossy);
      ASSERT_EQ(helper::decode(format, bits), expected.convertToDouble());
    }
  EXPECT_EQ(helper::encode(e4m3, -1e9), 0xfeu); // the largest, not a NaN
  EXPECT_EQ(helper::encode(f64, 1e300), helper::bitsOf(1e300));
}

TEST(Helpers, ValuesOfEveryKind) {
  auto normal = read<float>(generate(of(ValueKind::Normal, f32), 1 << 16));
  double sum = 0, squares = 0;
  for (float value : normal) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / normal.size(), 0, 0.02);
  EXPECT_NEAR(squares / normal.size(), 1, 0.02);

  InputValues range = of(ValueKind::Range, f32);
  range.lower = -2;
  range.upper = 5;
  for (float value : read<float>(generate(range, 4096))) {
    EXPECT_GE(value, -2);
    EXPECT_LE(value, 5);
  }
  for (float value :
       read<float>(generate(of(ValueKind::NonNegative, f32), 4096)))
    EXPECT_GE(value, 0);
  for (uint8_t value :
       read<uint8_t>(generate(of(ValueKind::NonZero, e4m3), 1 << 16)))
    ASSERT_NE(value & 0x7f, 0);

  for (uint64_t row : {1, 2, 5, 64}) {
    InputValues shares = of(ValueKind::Probability, f64);
    shares.rowLength = row;
    auto values = read<double>(generate(shares, 100 * row));
    for (uint64_t at = 0; at < values.size(); at += row) {
      double total = 0;
      for (uint64_t i = 0; i < row; ++i) {
        EXPECT_GE(values[at + i], 0);
        total += values[at + i];
      }
      ASSERT_NEAR(total, 1, 1e-12) << row;
    }
  }
  InputValues integers = of(ValueKind::Integers, i32);
  integers.first = -8;
  integers.span = 17;
  auto small = read<int>(generate(integers, 4096));
  EXPECT_EQ(std::set<int>(small.begin(), small.end()).size(), 17u);
  EXPECT_EQ(*std::min_element(small.begin(), small.end()), -8);
  integers.kind = ValueKind::NonZeroIntegers;
  for (int value : read<int>(generate(integers, 4096)))
    EXPECT_NE(value, 0);

  for (unsigned count : {1, 2, 5, 1000, 4097}) {
    auto order = read<int>(generate(of(ValueKind::Permutation, i32), count));
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), count);
    EXPECT_EQ(*std::max_element(order.begin(), order.end()), int(count) - 1);
    InputValues rising = of(ValueKind::Monotone, i32);
    rising.span = 10001;
    auto rows = read<int>(generate(rising, count));
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(rows.back(), 10000);
    if (count > 1)
      EXPECT_EQ(rows.front(), 0);
  }
}

/// A machine, a compiler or an edit that makes others is found here.
TEST(Helpers, ValuesAreFixed) {
  std::string all;
  for (const ElementFormat &format : {f64, f32, f16, bf16, e4m3, e5m2})
    for (ValueKind kind :
         {ValueKind::Normal, ValueKind::Range, ValueKind::NonNegative,
          ValueKind::NonZero, ValueKind::Probability}) {
      InputValues values = of(kind, format);
      values.lower = 0.5;
      values.upper = 3;
      values.rowLength = 33;
      all += generate(values, 1000);
    }
  for (ValueKind kind : {ValueKind::Integers, ValueKind::NonZeroIntegers,
                         ValueKind::Permutation, ValueKind::Monotone}) {
    InputValues values = of(kind, i32);
    values.first = -3;
    values.span = 100;
    all += generate(values, 1000);
  }
  EXPECT_EQ(evo::digest(all, 8), "f5c0f581f5e5568f");
}

TEST(Helpers, ThreadsShareTheWork) {
  std::string bytes = generate(of(ValueKind::Normal, f32), 1003);
  const auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
  for (uint64_t threads : {1, 7, 5000}) {
    std::string part(bytes.size(), 0);
    uint64_t print = 0, count = 0;
    InputValues values = of(ValueKind::Normal, f32);
    values.elements = 1003;
    for (uint64_t thread = 0; thread < threads; ++thread) {
      helper::fill(thread, threads,
                   reinterpret_cast<unsigned char *>(part.data()), values, 7);
      print += helper::fingerprint(thread, threads, data, bytes.size());
      count += helper::sumSquares(thread, threads, data, 1003, f32).count;
    }
    EXPECT_EQ(part, bytes);
    EXPECT_EQ(print, helper::fingerprint(0, 1, data, bytes.size()));
    EXPECT_EQ(count, 1003u);
  }
}

TEST(Helpers, TheCheckOfADevice) {
  FakeDevice device;
  auto session = Session::open(makeFakeApi(device), nullptr);
  ASSERT_TRUE(bool(session));
  Error error = (*session)->checkHelpers();
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
  // One that rounds in another way, or counts otherwise.
  auto fill = device.kernels["evo_fill"].body;
  device.kernels["evo_fill"].body = [&](const FakeLaunch &launch) {
    fill(launch);
    *launch.pointer<unsigned char>(0) ^= 1;
  };
  EXPECT_EQ(toString((*session)->checkHelpers()),
            "f64 of kind 0: the device's values are not the host's");
  device.kernels["evo_fill"].body = fill;
  for (auto [kernel, text] :
       {std::pair("evo_fingerprint", "f64: another fingerprint"),
        {"evo_squares", "f64: the root mean square is 0"},
        {"evo_compare", "f64: 0 elements are suspected, not 1"}}) {
    auto body = device.kernels[kernel].body;
    device.kernels[kernel].body = [](const FakeLaunch &) {};
    std::string found = toString((*session)->checkHelpers());
    EXPECT_EQ(found.rfind(text, 0), 0u) << found;
    device.kernels[kernel].body = body;
  }
}

TEST(Helpers, AFingerprintSeesEachByteAndPlace) {
  std::string bytes = generate(of(ValueKind::Normal, f32), 21);
  auto print = [&] {
    return helper::fingerprint(
        0, 1, reinterpret_cast<const unsigned char *>(bytes.data()),
        bytes.size());
  };
  std::set<uint64_t> prints = {print()};
  for (char &byte : bytes) {
    byte ^= 1;
    EXPECT_TRUE(prints.insert(print()).second);
    byte ^= 1;
  }
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
  EXPECT_TRUE(prints.insert(print()).second);
}
