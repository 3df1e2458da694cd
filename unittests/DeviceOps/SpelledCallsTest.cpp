// Inline PTX that is a call in other words becomes the call; what does not
// stays.
#include "evo/DeviceOps/SpelledCalls.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace evo::device;
using namespace llvm;

namespace {

/// The first call of a function after that, as text.
std::string call(const std::string &body) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(
      "define void @f(i32 %a, float %x, i1 %c) {\n" + body + "\n  ret void\n}",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  callSpelled(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  for (const Instruction &inst : instructions(*module->getFunction("f")))
    if (isa<CallBase>(&inst)) {
      std::string text;
      raw_string_ostream(text) << inst;
      return text;
    }
  return "";
}

bool isCallOf(const std::string &intrinsic, const std::string &arguments,
              const std::string &body) {
  const std::string text = call(body);
  const bool is = StringRef(text).contains("@llvm.nvvm." + intrinsic + "(" +
                                           arguments + ")");
  EXPECT_TRUE(is) << text;
  return is;
}

TEST(SpelledCalls, WhatWarpsDoBecomesIntrinsics) {
  EXPECT_TRUE(isCallOf(
      "shfl.sync.bfly.i32", "i32 -1, i32 %a, i32 16, i32 31",
      "%r = call i32 asm sideeffect \"shfl.sync.bfly.b32 $0, $1, 16, 31, -1;\","
      " \"=r,r\"(i32 %a) convergent"));
  EXPECT_TRUE(isCallOf(
      "shfl.sync.down.i32p", "i32 %a, i32 %a, i32 1, i32 31",
      "%r = call { i32, i1 } asm \"{ shfl.sync.down.b32 $0|$1, $2, 1, 31, $3; "
      "}\", \"=r,=b,r,r\"(i32 %a, i32 %a)"));
  EXPECT_TRUE(isCallOf("vote.any.sync", "i32 -1, i1 %c",
                       "%r = call i1 asm \"vote.sync.any.pred $0, $1, -1;\", "
                       "\"=b,b\"(i1 %c)"));
  EXPECT_TRUE(isCallOf("redux.sync.add", "i32 %a, i32 -1",
                       "%r = call i32 asm \"redux.sync.add.s32 $0, $1, "
                       "0xffffffff;\", \"=r,r\"(i32 %a)"));
}

TEST(SpelledCalls, BitsOfFloatsAreCast) {
  EXPECT_TRUE(
      isCallOf("shfl.sync.idx.i32", "i32 -1, i32 %1, i32 0, i32 31",
               "%r = call float asm \"shfl.sync.idx.b32 $0, $1, 0, 31, -1;\", "
               "\"=f,f\"(float %x)\n  %s = fadd float %r, %r"));
}

TEST(SpelledCalls, OthersStay) {
  for (const char *body :
       {// A guard, memory, two statements, an operand that is tied.
        "%r = call i32 asm \"@$2 shfl.sync.bfly.b32 $0, $1, 16, 31, -1;\", "
        "\"=r,r,b\"(i32 %a, i1 %c)",
        "%r = call i32 asm \"shfl.sync.bfly.b32 $0, $1, 16, 31, -1;\", "
        "\"=r,r,~{memory}\"(i32 %a)",
        "%r = call i32 asm \"shfl.sync.bfly.b32 $0, $1, 16, 31, -1; add.u32 $0,"
        " $0, 1;\", \"=r,r\"(i32 %a)",
        "%r = call i32 asm \"shfl.sync.bfly.b32 $0, $0, 16, 31, -1;\", "
        "\"=r,0\"(i32 %a)",
        // No intrinsic has its code: a barrier that is aligned.
        "call void asm sideeffect \"bar.sync 0;\", \"\"()",
        "%r = call i32 asm \"popc.b32 $0, $1;\", \"=r,r\"(i32 %a)"})
    EXPECT_TRUE(StringRef(call(body)).contains(" asm ")) << body;
}

} // namespace
