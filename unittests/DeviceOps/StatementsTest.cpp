// Splitting inline PTX into statements.
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace evo;

namespace {

/// "guard word|operands"; scopes are braces, labels end with a colon.
std::vector<std::string> statements(llvm::StringRef text) {
  using Kind = device::Statement::Kind;
  std::vector<std::string> all;
  for (const device::Statement &s : device::readPTX(text)) {
    std::string one;
    if (s.kind == Kind::ScopeBegin || s.kind == Kind::ScopeEnd)
      one = s.text.str();
    else if (s.kind == Kind::Label)
      one = s.word.str() + ":";
    else
      one = (s.guard.empty() ? ""
             : s.isNegated   ? "!"
                             : "@") +
            s.guard.str() + " " + s.word.str() + "|" + llvm::join(s.list, ";") +
            (s.isDirective() ? "|directive" : "");
    all.push_back(one);
  }
  return all;
}

std::vector<std::string> registers(llvm::StringRef operands) {
  std::vector<std::string> all;
  device::forEachRegister(
      operands, [&](llvm::StringRef name) { all.push_back(name.str()); });
  return all;
}

/// "name|names of the record" of each operation of the calls in `body`.
std::vector<std::string> operations(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(
      "declare float @__nv_expf(float)\ndeclare void @mine()\n"
      "declare void @llvm.nvvm.bar.warp.sync(i32)\n"
      "define void @f(ptr %p, float %x) {\n" +
          body + "\nret void\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  std::vector<std::string> all;
  for (const llvm::Instruction &inst :
       llvm::instructions(*module->getFunction("f")))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst))
      device::forEachOperation(*call, [&](const device::Operation &operation) {
        llvm::StringRef spelled;
        if (operation.op)
          spelled = operation.op->names.empty() ? operation.op->words
                                                : operation.op->names;
        all.push_back((operation.name + "|" + spelled.split(' ').first).str() +
                      (operation.isDirective ? "|directive" : ""));
      });
  return all;
}

using Texts = std::vector<std::string>;

TEST(Operations, InAllSpellings) {
  EXPECT_EQ(operations("call float @__nv_expf(float %x)"),
            Texts{"__nv_expf|exp"});
  EXPECT_EQ(operations("call void @llvm.nvvm.bar.warp.sync(i32 -1)"),
            Texts{"llvm.nvvm.bar.warp.sync|bar.warp.sync"});
  EXPECT_EQ(
      operations("call void asm sideeffect \"{ .reg .pred p; "
                 "bar.warp.sync $0; nonsense.b32 $0; }\", \"r\"(i32 1)"),
      (Texts{".reg||directive", "bar.warp.sync|bar.warp", "nonsense.b32|"}));
}

TEST(Operations, MemoryOfInlinePTX) {
  using llvm::MemoryEffects;
  using llvm::ModRefInfo;
  for (const char *text :
       {"", "cvt.rn.f16.f32 $0, $1;", "{.reg .f16 a; mov.b16 a, $0;}"})
    EXPECT_EQ(device::getMemoryEffects(text), MemoryEffects::none()) << text;
  // An address may be a number, so that no argument says where it leads.
  EXPECT_EQ(device::getMemoryEffects("ld.global.nc.f32 $0, [$1];"),
            MemoryEffects::readOnly());
  EXPECT_EQ(device::getMemoryEffects("mov.b32 $0, 1; st.shared.b32 [$1], $0;"),
            MemoryEffects::writeOnly());
  EXPECT_EQ(device::getMemoryEffects("shfl.sync.up.b32 $0, $1, 1, 0, -1;"),
            MemoryEffects::inaccessibleMemOnly());
  for (const char *text :
       {"atom.global.add.u32 $0, [$1], 1;", "bar.sync 0;", "membar.gl;",
        "ld.global.f32 $0, [$1]; st.global.f32 [$1], $0;",
        "ld.acquire.gpu.global.b32 $0, [$1];", "ld.volatile.f32 $0, [$1];",
        "mov.b32 $0, $1; nonsense.b32 $0, $1;", "call f, ($0);"})
    EXPECT_EQ(device::getMemoryEffects(text), MemoryEffects::unknown()) << text;
}

TEST(Operations, OfNone) {
  EXPECT_EQ(operations("call void asm sideeffect \"\", \"~{memory}\"()"),
            Texts{});
  EXPECT_EQ(operations("call void @mine()"), Texts{"mine|"});
  EXPECT_EQ(operations("call void %p()"), Texts{"|"});
}

TEST(Statements, GuardsLabelsScopesAndComments) {
  EXPECT_EQ(statements("{\n .reg .pred p; // why; not\n\tsetp.ne.b32 p, $0, 0;"
                       "\nAGAIN: @!p ld.global.v2.f32 {$1, $2}, [$3+8];}"),
            (Texts{"{", " .reg|.pred p|directive", " setp.ne.b32|p;$0;0",
                   "AGAIN:", "!p ld.global.v2.f32|{$1, $2};[$3+8]", "}"}));
  EXPECT_EQ(statements("st.shared::cta.u32 [$0], $1"),
            Texts{" st.shared::cta.u32|[$0];$1"});
  EXPECT_EQ(statements("$$L1:exit; @%p\texit"),
            (Texts{"$$L1:", " exit|", "@%p exit|"}));
}

TEST(Statements, NothingIsNoStatement) {
  EXPECT_TRUE(statements("").empty());
  EXPECT_EQ(statements(" ; {} // mov.u32 a, b;"), (Texts{"{", "}"}));
  EXPECT_EQ(statements("@p"), Texts{"@p |"});
  // A guard of nothing does nothing.
  EXPECT_EQ(operations("call void asm sideeffect \"@$0\", \"b\"(i1 true)"),
            Texts{});
}

TEST(Statements, OperandsInBraces) {
  EXPECT_EQ(statements("f {a, {b, c}}, [d, {e}], (g, h) , i;"),
            Texts{" f|{a, {b, c}};[d, {e}];(g, h);i"});
  // What does not close goes to the end of the statement.
  EXPECT_EQ(statements("f {a, b; g}, c;"), (Texts{" f|{a, b", " g},|c"}));
}

/// With operands as "$0".
std::string plain(const std::string &text) {
  llvm::LLVMContext context;
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  return device::plainText(
      *llvm::InlineAsm::get(type, text, "", /*hasSideEffects=*/true));
}

TEST(Statements, OperandsHaveOneName) {
  EXPECT_EQ(plain("f ${0}, ${12:h}, $3;"), "f $0, $12, $3;");
  EXPECT_EQ(plain("f $$x, $${0}, $$$1;"), "f $$x, $${0}, $$$1;");
  EXPECT_EQ(plain("f ${0"), "f $0");
  EXPECT_EQ(plain("$"), "$");
}

TEST(Statements, Registers) {
  EXPECT_EQ(registers("$0, %tid.x, [%r1+4], {%lanemask_lt,%}"),
            (Texts{"%tid.x", "%r1", "%lanemask_lt", "%"}));
  EXPECT_TRUE(registers("$0, [$1]").empty());
}

} // namespace
