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

/// What is left of a call, as text.
std::string imported(const std::string &operation) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(
      "define void @f(i16 %h, i32 %a, i32 %b, i64 %l, float %x, double %d, "
      "i1 %c, ptr %p) {\n%r = call " +
          operation + "\nret void\n}",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str() << operation;
  if (!module)
    return "";
  callSpelled(*module);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::string text;
  for (const Instruction &inst : instructions(*module->getFunction("f")))
    if (!inst.isTerminator())
      raw_string_ostream(text) << inst << ";";
  return text;
}

/// An operation, and what stands for it.
using Import = std::pair<const char *, const char *>;

void expectImports(std::initializer_list<Import> imports) {
  for (auto [operation, expected] : imports) {
    const std::string text = imported(operation);
    EXPECT_TRUE(StringRef(text).contains(expected)) << text;
    EXPECT_FALSE(StringRef(text).contains(" asm ")) << text;
  }
}

TEST(SpelledCalls, IntegersBecomeInstructions) {
  expectImports(
      {{"i32 asm \"add.s32 $0, $1, $2;\", \"=r,r,r\"(i32 %a, i32 %b)",
        " = add i32 %a, %b;"},
       {"i32 asm \"sub.u32 $0, $2, $1;\", \"=r,r,r\"(i32 %a, i32 %b)",
        " = sub i32 %b, %a;"},
       {"i64 asm sideeffect \"mul.lo.s64 $0, $1, 3;\", \"=l,l\"(i64 %l)",
        " = mul i64 %l, 3;"},
       {"i32 asm \"xor.b32 $0, $1, -1;\", \"=r,r\"(i32 %a)",
        " = xor i32 %a, -1;"},
       {"i32 asm \"{ not.b32 $0, $1; }\", \"=r,r\"(i32 %a)",
        " = xor i32 %a, -1;"},
       {"i16 asm \"neg.s16 $0, $1;\", \"=h,h\"(i16 %h)", " = sub i16 0, %h;"},
       {"i32 asm \"mad.lo.s32 $0, $1, $2, $1;\", \"=r,r,r\"(i32 %a, i32 "
        "%b)",
        "  %1 = mul i32 %a, %b;  %2 = add i32 %1, %a;"},
       {"i32 asm \"min.s32 $0, $1, $2;\", \"=r,r,r\"(i32 %a, i32 %b)",
        "@llvm.smin.i32(i32 %a, i32 %b)"},
       {"i32 asm \"max.u32 $0, $1, $2;\", \"=r,r,r\"(i32 %a, i32 %b)",
        "@llvm.umax.i32(i32 %a, i32 %b)"},
       {"i32 asm \"abs.s32 $0, $1;\", \"=r,r\"(i32 %a)",
        "@llvm.abs.i32(i32 %a, i1 false)"},
       {"i32 asm \"clz.b32 $0, $1;\", \"=r,r\"(i32 %a)",
        "@llvm.ctlz.i32(i32 %a, i1 false)"},
       {"i32 asm \"popc.b64 $0, $1;\", \"=r,l\"(i64 %l)",
        "@llvm.ctpop.i64(i64 %l);  %2 = trunc i64 %1 to i32;"},
       {"i32 asm \"brev.b32 $0, $1;\", \"=r,r\"(i32 %a)",
        "@llvm.bitreverse.i32(i32 %a)"}});
}

TEST(SpelledCalls, FloatsThatNameTheirRounding) {
  expectImports(
      {{"float asm \"add.rn.f32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "@llvm.nvvm.add.rn.f(float %x, float %x)"},
       {"double asm \"mul.rz.f64 $0, $1, $1;\", \"=d,d\"(double %d)",
        "@llvm.nvvm.mul.rz.d(double %d, double %d)"},
       {"float asm \"fma.rn.ftz.f32 $0, $1, $1, $1;\", \"=f,f\"(float %x)",
        "@llvm.nvvm.fma.rn.ftz.f(float %x, float %x, float %x)"},
       {"float asm \"min.ftz.NaN.f32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "@llvm.nvvm.fmin.ftz.nan.f(float %x, float %x)"},
       {"float asm \"div.full.f32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "@llvm.nvvm.div.full(float %x, float %x)"},
       {"double asm \"rcp.approx.ftz.f64 $0, $1;\", \"=d,d\"(double %d)",
        "@llvm.nvvm.rcp.approx.ftz.d(double %d)"}});
}

TEST(SpelledCalls, ArithmeticThatStays) {
  for (const char *operation :
       {// It may be fused with a product; it saturates; LLVM has no form of it.
        "float asm \"add.f32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "float asm \"mul.f32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "float asm \"mul.ftz.f32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "i32 asm \"add.sat.s32 $0, $1, $1;\", \"=r,r\"(i32 %a)",
        "i32 asm \"sad.s32 $0, $1, $1, $1;\", \"=r,r\"(i32 %a)",
        "i32 asm \"min.s32.relu $0, $1, $1;\", \"=r,r\"(i32 %a)",
        // Two numbers in one register, and halves in integers.
        "i32 asm \"add.s16x2 $0, $1, $1;\", \"=r,r\"(i32 %a)",
        "i32 asm \"max.u16x2 $0, $1, $1;\", \"=r,r\"(i32 %a)",
        "i32 asm \"fma.rn.f16x2 $0, $1, $1, $1;\", \"=r,r\"(i32 %a)",
        "i16 asm \"fma.rn.f16 $0, $1, $1, $1;\", \"=h,h\"(i16 %h)",
        // Registers of another type.
        "float asm \"add.s32 $0, $1, $1;\", \"=f,f\"(float %x)",
        "i32 asm \"add.rn.f32 $0, $1, $1;\", \"=r,r\"(i32 %a)",
        "i64 asm \"add.s32 $0, $1, $1;\", \"=l,l\"(i64 %l)",
        "i32 asm \"add.s32 $0, $1, $1;\", \"=r,l\"(ptr %p)",
        // Amounts past the width, carries, and what is no arithmetic.
        "i32 asm \"shl.b32 $0, $1, $2;\", \"=r,r,r\"(i32 %a, i32 %b)",
        "i32 asm \"add.cc.u32 $0, $1, $1;\", \"=r,r\"(i32 %a)",
        "i32 asm \"addc.u32 $0, $1, $1;\", \"=r,r\"(i32 %a)",
        "i32 asm \"add.s32 $0, $1, %laneid;\", \"=r,r\"(i32 %a)",
        // A guard, memory, a tied operand, a result that is read.
        "i32 asm \"@$2 add.s32 $0, $1, $1;\", \"=r,r,b\"(i32 %a, i1 %c)",
        "i32 asm \"add.s32 $0, $1, $1;\", \"=r,r,~{memory}\"(i32 %a)",
        "i32 asm \"add.s32 $0, $0, $1;\", \"=r,0\"(i32 %a)",
        "i32 asm \"add.s32 $0, $0, $1;\", \"=r,r\"(i32 %a)"}) {
    const std::string text = imported(operation);
    EXPECT_TRUE(StringRef(text).contains(" asm ")) << text;
    // And nothing is left of a try.
    EXPECT_EQ(StringRef(text).count(';'), StringRef(operation).count(';') + 1)
        << text;
  }
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
        "call void asm sideeffect \"bar.sync 0;\", \"\"()"})
    EXPECT_TRUE(StringRef(call(body)).contains(" asm ")) << body;
}

} // namespace
