// Inline PTX of several statements becomes one of each; what does not stays.
#include "evo/DeviceOps/SplitStatements.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace evo::device;
using namespace llvm;

namespace {
using Texts = std::vector<std::string>;

/// "text constraints" of each inline assembly after splitting one.
Texts split(const std::string &text, const std::string &constraints,
            const std::string &arguments, Carry carry = Carry::Hidden,
            const std::string &result = "i32",
            const std::string &attributes = "") {
  const std::string name = result == "void" ? "" : "%r = ";
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(
      "define void @f(i32 %a, i32 %b, ptr %p, i1 %c) {\n" + name + "call " +
          result + " asm sideeffect \"" + text + "\", \"" + constraints +
          "\"(" + arguments + ")" + attributes + "\n  ret void\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  splitStatements(*module, carry);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  Texts all;
  for (const Instruction &inst : instructions(*module->getFunction("f")))
    if (auto *call = dyn_cast<CallBase>(&inst)) {
      auto *assembly = cast<InlineAsm>(call->getCalledOperand());
      EXPECT_TRUE(assembly->hasSideEffects());
      EXPECT_EQ(call->isConvergent(), !attributes.empty());
      all.push_back(
          (assembly->getAsmString() + " " + assembly->getConstraintString())
              .str());
    }
  return all;
}

TEST(SplitStatements, DeclaredRegistersBecomeValues) {
  EXPECT_EQ(split("{ .reg .pred p; .reg.b32 t<2>; setp.eq.s32 p, $1, 3; "
                  "add.u32 t1, $1, $2; selp.b32 $0, t1, 7, p; }",
                  "=r,r,r", "i32 %a, i32 %b"),
            (Texts{"setp.eq.s32 $0, $1, 3; =b,r", "add.u32 $0, $1, $2; =r,r,r",
                   "selp.b32 $0, $1, 7, $2; =r,r,b"}));
  // An inner scope hides a name until it ends.
  EXPECT_EQ(split("{ .reg .b32 t; mov.b32 t, $1; { .reg .b64 t; mov.b64 t, 0; "
                  "} mov.b32 $0, t; }",
                  "=r,r", "i32 %a"),
            (Texts{"mov.b32 $0, $1; =r,r", "mov.b64 $0, 0; =l",
                   "mov.b32 $0, $1; =r,r"}));
}

TEST(SplitStatements, EachKeepsItsWordsGuardAndEffects) {
  // What a guard does not let be written keeps what it was.
  EXPECT_EQ(split("mov.u32 $0, 7; @!$2 ld.global.cg.L2::128B.b32 { $0 }, [ $1 "
                  "+ 8 ]; @$2 st.volatile.global.b32 [$1], $0;",
                  "=r,l,b,~{memory}", "ptr %p, i1 %c", Carry::Hidden, "i32",
                  " convergent"),
            (Texts{"mov.u32 $0, 7; =r,~{memory}",
                   "@!$2 ld.global.cg.L2::128B.b32 { $0 }, [ $1 + 8 ]; "
                   "=r,l,b,0,~{memory}",
                   "@$2 st.volatile.global.b32 [$0], $1; l,r,b,~{memory}"}));
}

TEST(SplitStatements, SeveralResultsAndTiedOperands) {
  EXPECT_EQ(split("ld.global.v2.b32 {$0, $1}, [$2]; add.u32 $0, $0, $1;",
                  "=r,=r,l,0", "ptr %p, i32 %a", Carry::Hidden, "{i32, i32}"),
            (Texts{"ld.global.v2.b32 {$0, $1}, [$2]; =r,=r,l",
                   "add.u32 $0, $1, $2; =r,r,r"}));
}

TEST(SplitStatements, NoOperandsAtAll) {
  EXPECT_EQ(split("cp.async.commit_group; cp.async.wait_group 0;", "", "",
                  Carry::Hidden, "void"),
            (Texts{"cp.async.commit_group; ", "cp.async.wait_group 0; "}));
}

TEST(SplitStatements, CarriesAreValuesOnlyWhereAskedFor) {
  const std::string text = "add.cc.u32 $0, $1, $2; addc.u32 $0, $1, $0;";
  EXPECT_EQ(split(text, "=r,r,r", "i32 %a, i32 %b", Carry::Value),
            (Texts{"add.cc.u32 $0|$1, $2, $3; =r,=r,r,r",
                   "addc.u32 $0, $1, $2, $3; =r,r,r,r"}));
  EXPECT_EQ(split(text, "=r,r,r", "i32 %a, i32 %b"), Texts{text + " =r,r,r"});
}

TEST(SplitStatements, TextsThatStayWhole) {
  for (const char *text :
       {"mov.b32 $0, $1;",                                // one already
        "{ add.u32 $0, $1, 1; }",                         //
        "L: mov.b32 $0, $1; mov.b32 $0, 2;",              // a label
        "mov.b32 $0, $1; bra L;", "ret; mov.b32 $0, $1;", // jumps
        "mov.b32 $0, $1; bogus.b32 $0, $1;",              // not in the table
        "mov.b32 $0, $1; wgmma.fence.sync.aligned;",      // not supported
        "mov.b32 $0, $1; call f;",                        //
        "mov.b32 $0, $1; @p mov.b32 $0, 1;",              // whose guard?
        "mov.b32 $0, $1; @$1 mov.b32 $0, 1;",             // no predicate
        "{ .reg .pred p; mov.b32 $0, 1; @p mov.b32 $0, 2; }", // not written
        "{ .reg .b32 t; mov.b32 $0, t; mov.b32 $0, 1; }",     //
        "{ .reg .b32 t; .reg .b32 t; mov.b32 t, $1; mov.b32 $0, t; }",
        "{ .reg .b8 t; mov.b32 $0, $1; mov.b32 $0, 1; }", // no such type
        "{ .shared .b32 t; mov.b32 $0, $1; mov.b32 $0, 1; }",
        "mov.b32 $0, $1; } mov.b32 $0, 1;",                //
        "{ .reg .b32 t; mov.b32 t, $1; mov.b32 t, $1; }"}) // no result
    EXPECT_EQ(split(text, "=r,r", "i32 %a"),
              Texts{text + std::string(" =r,r")});
}

} // namespace
