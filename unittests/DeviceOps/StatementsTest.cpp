// Splitting inline PTX into statements.
#include "evo/DeviceOps/Statements.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace evo;

namespace {

std::vector<std::string> statements(llvm::StringRef text) {
  std::vector<std::string> all;
  device::forEachStatement(text, [&](const device::Statement &s) {
    all.push_back(s.word.str() + "|" + s.operands.str() +
                  (s.isDirective() ? "|directive" : ""));
  });
  return all;
}

std::vector<std::string> registers(llvm::StringRef operands) {
  std::vector<std::string> all;
  device::forEachRegister(
      operands, [&](llvm::StringRef name) { all.push_back(name.str()); });
  return all;
}

using Texts = std::vector<std::string>;

TEST(Statements, GuardsLabelsScopesAndComments) {
  EXPECT_EQ(statements("{\n .reg .pred p; // why; not\n\tsetp.ne.b32 p, $0, 0;"
                       "\nAGAIN: @!p ld.global.v2.f32 {$1, $2}, [$3+8];}"),
            (Texts{".reg|.pred p|directive", "setp.ne.b32|p, $0, 0",
                   "ld.global.v2.f32|{$1, $2}, [$3+8]"}));
  EXPECT_EQ(statements("st.shared::cta.u32 [$0], $1"),
            Texts{"st.shared::cta.u32|[$0], $1"});
  EXPECT_EQ(statements("exit;"), Texts{"exit|"});
}

TEST(Statements, NothingIsNoStatement) {
  EXPECT_TRUE(statements("").empty());
  EXPECT_TRUE(statements(" ; {} // mov.u32 a, b;").empty());
  EXPECT_TRUE(statements("@p").empty());
}

TEST(Statements, Registers) {
  EXPECT_EQ(registers("$0, %tid.x, [%r1+4], {%lanemask_lt,%}"),
            (Texts{"%tid.x", "%r1", "%lanemask_lt", "%"}));
  EXPECT_TRUE(registers("$0, [$1]").empty());
}

} // namespace
