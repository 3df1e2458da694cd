// Validation, selection, evaluation and the JSON form.
#include "evo/Runtime/LaunchDescription.h"
#include "SampleDescription.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace evo;
using namespace llvm;

static Bindings bind(int64_t m, int64_t n, int64_t status) {
  Bindings dims;
  dims["M"] = m;
  dims["N"] = n;
  dims["status"] = status;
  return dims;
}

TEST(LaunchDescription, SampleIsValid) {
  Error error = makeSampleDescription().validate();
  EXPECT_FALSE(bool(error)) << toString(std::move(error));
}

TEST(LaunchDescription, MistakesAreNamed) {
  struct Case {
    void (*breakIt)(LaunchDescription &);
    const char *message;
  } cases[] = {
      {[](LaunchDescription &d) { d.name = "a-b"; },
       "'a-b' is not an identifier"},
      {[](LaunchDescription &d) { d.dimensions[1] = "M"; },
       "'M' is declared twice"},
      {[](LaunchDescription &d) { d.dimensions[2] = "int"; },
       "the name 'int' is reserved"},
      {[](LaunchDescription &d) { d.arguments[0].type = "f12"; },
       "unknown type 'f12'"},
      {[](LaunchDescription &d) { d.arguments[0].alignment = 12; },
       "the alignment of 'x' is no power of two"},
      {[](LaunchDescription &d) { d.arguments[3].dims = {"M"_f}; },
       "scalar 'lr' has dimensions"},
      {[](LaunchDescription &d) { d.arguments[0].dims[0] = "K"_f; },
       "'K' names 'K', which is no dimension"},
      {[](LaunchDescription &d) { d.requirements[0] = "K >= 1"_c; },
       "'K >= 1' names 'K', which is no dimension"},
      {[](LaunchDescription &d) { d.variants.clear(); }, "has no variant"},
      {[](LaunchDescription &d) { d.variants[1].ptxFile = ""; },
       "variant 'narrow' has no code file"},
      {[](LaunchDescription &d) { d.variants[0].launches.clear(); },
       "variant 'wide' launches nothing"},
      {[](LaunchDescription &d) { d.variants[0].launches[0].symbol = "a\"b"; },
       "'a\"b' is no symbol"},
      {[](LaunchDescription &d) {
         d.variants[0].launches[0].grid = {"1"_f, "1"_f, "1"_f, "1"_f};
       },
       "'stage1' has not one to three extents"},
      {[](LaunchDescription &d) {
         d.variants[0].launches[0].operands[0].name = "z";
       },
       "no argument 'z'"},
      {[](LaunchDescription &d) {
         d.variants[1].launches[0].operands[0] = {KernelOperand::Scratch,
                                                  "partial"};
       },
       "no scratch buffer 'partial'"},
      {[](LaunchDescription &d) {
         d.variants[0].launches[0].operands[2].type = "f32";
       },
       "'f32' is no integer type"},
  };
  for (auto &[breakIt, message] : cases) {
    LaunchDescription description = makeSampleDescription();
    breakIt(description);
    std::string text = toString(description.validate());
    EXPECT_NE(text.find(message), std::string::npos) << text << "\n" << message;
  }
}

TEST(LaunchDescription, Selection) {
  LaunchDescription d = makeSampleDescription();
  auto select = [&](Bindings dims, unsigned capability) {
    Expected<unsigned> index = d.select(dims, capability);
    return index ? std::to_string(*index) : toString(index.takeError());
  };
  EXPECT_EQ(select(bind(4, 2048, 1), 90), "0");
  EXPECT_EQ(select(bind(4, 512, 1), 90), "1");
  EXPECT_EQ(select(bind(4, 2048, 1), 100), "1");
  EXPECT_EQ(select(bind(4, 2048, 1), 75),
            "no variant of 'row_norm' can be used: "
            "the code for sm_80 does not run on sm_75");
  EXPECT_EQ(select(bind(4, 2047, 1), 90),
            "requirement 'N % 4 == 0' does not hold");
}

TEST(LaunchDescription, Evaluation) {
  LaunchDescription d = makeSampleDescription();
  auto stage1 = d.evaluate(d.variants[0].launches[0], bind(5, 3000, 7));
  ASSERT_TRUE(bool(stage1)) << toString(stage1.takeError());
  EXPECT_EQ(stage1->grid, (std::array<int64_t, 3>{5, 3, 1}));
  EXPECT_EQ(stage1->block, (std::array<int64_t, 3>{128, 1, 1}));
  EXPECT_EQ(stage1->sharedBytes, 12007);
  EXPECT_FALSE(stage1->isEmpty());
  auto empty = d.evaluate(d.variants[0].launches[1], bind(0, 4, 7));
  ASSERT_TRUE(bool(empty)) << toString(empty.takeError());
  EXPECT_TRUE(empty->isEmpty());
  for (Bindings dims :
       {bind(1ll << 40, 64, 1), bind(0, 64, 1), bind(4, 0, 1)}) {
    auto bad = d.evaluate(d.variants[1].launches[0], dims);
    ASSERT_FALSE(bool(bad));
    consumeError(bad.takeError());
  }
}

TEST(LaunchDescription, JsonRoundTrip) {
  json::Value written = makeSampleDescription().toJSON();
  std::string text = formatv("{0:2}", written).str();
  Expected<json::Value> parsed = json::parse(text);
  ASSERT_TRUE(bool(parsed));
  auto read = LaunchDescription::fromJSON(*parsed);
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->toJSON(), written);
}

TEST(LaunchDescription, JsonMistakesAreNamed) {
  struct Case {
    void (*breakIt)(json::Object &);
    const char *message;
  } cases[] = {
      {[](json::Object &o) { o.erase("name"); },
       "launch description: field 'name' is missing or no string"},
      {[](json::Object &o) {
         (*(*o.getArray("arguments"))[0].getAsObject())["alignment"] = 0;
       },
       "field 'alignment' is missing or no positive integer"},
      {[](json::Object &o) {
         json::Object &variant = *(*o.getArray("variants"))[0].getAsObject();
         json::Object &launch =
             *(*variant.getArray("launches"))[0].getAsObject();
         (*launch.getArray("operands"))[0] = json::Object{{"number", 3}};
       },
       "an operand is neither 'argument', 'scratch' nor 'formula'"},
      {[](json::Object &o) { o["requirements"] = json::Array{"N %"}; },
       "launch description: in 'N %': "},
      {[](json::Object &o) {
         (*(*o.getArray("arguments"))[0].getAsObject())["dims"] =
             json::Array{"M +"};
       },
       "launch description: in 'M +': "},
      {[](json::Object &o) {
         (*(*o.getArray("variants"))[0].getAsObject())["target"] = "gfx90a";
       },
       "unknown target 'gfx90a'"},
      {[](json::Object &o) { o["version"] = 9; }, "field 'version' is not 1"},
      {[](json::Object &o) { o["variants"] = "x"; },
       "field 'variants' is missing or no array"},
      {[](json::Object &o) { o["dimensions"] = json::Array{1}; },
       "field 'dimensions' holds something that is no string"},
      {[](json::Object &o) { o["arguments"] = json::Array{"x"}; },
       "'arguments' holds something that is no object"},
      {[](json::Object &o) {
         (*(*o.getArray("arguments"))[0].getAsObject())["role"] = "inward";
       },
       "unknown role 'inward'"},
      {[](json::Object &o) { o["dimensions"] = json::Array{"M"}; },
       "which is no dimension"},
  };
  for (auto &[breakIt, message] : cases) {
    json::Value value = makeSampleDescription().toJSON();
    breakIt(*value.getAsObject());
    auto read = LaunchDescription::fromJSON(value);
    ASSERT_FALSE(bool(read)) << message;
    std::string text = toString(read.takeError());
    EXPECT_NE(text.find(message), std::string::npos) << text;
  }
  auto read = LaunchDescription::fromJSON(json::Value(3));
  ASSERT_FALSE(bool(read));
  consumeError(read.takeError());
}
