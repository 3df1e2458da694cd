// Which way loops branch, and that they do what they did.
#include "Target/NVPTX/LoopExits.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace {
class LoopExits : public ::testing::Test {
protected:
  /// The latch's branch of a loop, after it was turned.
  BranchInst *turn(StringRef condition, StringRef branch,
                   StringRef result = "0") {
    std::string text =
        ("define i32 @f(i32 %n, i1 %flag) {\n"
         "entry:\n  br label %loop\n"
         "loop:\n  %i = phi i32 [0, %entry], [%next, %loop]\n"
         "  %next = add i32 %i, 1\n  " +
         condition + "\n  " + branch + "\nexit:\n  ret i32 " + result + "\n}\n")
            .str();
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str() << text;
    Function &function = *module->getFunction("f");
    evo::branchBackWhereTrue(function);
    EXPECT_FALSE(verifyFunction(function, &errs()));
    for (BasicBlock &block : function)
      if (block.getName() == "loop")
        return cast<BranchInst>(block.getTerminator());
    return nullptr;
  }
  LLVMContext context;
  std::unique_ptr<Module> module;
};
} // namespace

TEST_F(LoopExits, AComparisonIsInverted) {
  BranchInst *branch = turn("%end = icmp eq i32 %next, %n",
                            "br i1 %end, label %exit, label %loop");
  EXPECT_EQ(branch->getSuccessor(0)->getName(), "loop");
  EXPECT_EQ(branch->getSuccessor(1)->getName(), "exit");
  auto *compare = cast<CmpInst>(branch->getCondition());
  EXPECT_EQ(compare->getPredicate(), CmpInst::ICMP_NE);
}

TEST_F(LoopExits, OneThatIsUsedElsewhereStays) {
  BranchInst *branch = turn("%end = icmp ugt i32 %next, %n\n"
                            "  %used = zext i1 %end to i32",
                            "br i1 %end, label %exit, label %loop", "%used");
  EXPECT_EQ(branch->getSuccessor(0)->getName(), "loop");
  EXPECT_EQ(cast<CmpInst>(branch->getCondition())->getPredicate(),
            CmpInst::ICMP_ULE);
  for (Instruction &instruction : *branch->getParent())
    if (instruction.getName() == "end")
      EXPECT_EQ(cast<CmpInst>(instruction).getPredicate(), CmpInst::ICMP_UGT);
}

TEST_F(LoopExits, OrderedFloatsBecomeUnordered) {
  BranchInst *branch = turn("%x = sitofp i32 %next to float\n"
                            "  %end = fcmp ogt float %x, 1.0",
                            "br i1 %end, label %exit, label %loop");
  EXPECT_EQ(cast<CmpInst>(branch->getCondition())->getPredicate(),
            CmpInst::FCMP_ULE);
}

TEST_F(LoopExits, WhatIsNoComparisonIsNegated) {
  BranchInst *branch = turn("%end = icmp eq i32 %next, %n\n"
                            "  %both = or i1 %end, %flag",
                            "br i1 %both, label %exit, label %loop");
  EXPECT_EQ(branch->getSuccessor(0)->getName(), "loop");
  auto *negated = cast<BinaryOperator>(branch->getCondition());
  EXPECT_EQ(negated->getOpcode(), Instruction::Xor);
  EXPECT_EQ(negated->getOperand(0)->getName(), "both");
}

TEST_F(LoopExits, WhatGoesOnWhereTrueIsLeftAlone) {
  BranchInst *branch = turn("%more = icmp ne i32 %next, %n",
                            "br i1 %more, label %loop, label %exit");
  EXPECT_EQ(branch->getSuccessor(0)->getName(), "loop");
  EXPECT_EQ(cast<CmpInst>(branch->getCondition())->getPredicate(),
            CmpInst::ICMP_NE);
}
