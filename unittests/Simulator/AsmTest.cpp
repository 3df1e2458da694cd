// Inline PTX. The statements that CUDA's headers put into LLVM IR: each must
// compute what the same code in LLVM instructions computes, and unknown ones
// are refused.
#include "Harness.h"
#include "evo/DeviceOps/DeviceOps.h"

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Value of %r (an i32) in thread 3, and the shadow values of the bits stored.
struct Result {
  unsigned bits = 0;
  double low = -1, high = -1;
  std::string error;
};
Result run(const std::string &body) {
  Result out;
  Fixture f;
  if (!f.text(kernelIR("ptr %p", body +
                                     "%o_ = getelementptr i32, ptr %p, i32 %t\n"
                                     "store i32 %r, ptr %o_\nret void\n"))) {
    out.error = f.error;
    return out;
  }
  BufferId b = f.output("p", 128, ElementKind::F16);
  Options o;
  o.shadow = Shadow::ShadowValue;
  auto r = f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}, o);
  EXPECT_CLEAN(r);
  out.bits = f.read<unsigned>(b)[3];
  out.low = f.memory.shadowValue(b, 12, -1);
  out.high = f.memory.shadowValue(b, 14, -1);
  return out;
}

TEST(InlineAsm, HalfHeaders) {
  // 0.1 as a pair of halves, as __float2half2_rn writes it; then y = x x + x.
  Result r =
      run("%x = fdiv float 1.0, 10.0\n"
          "%h = call i32 asm \"{.reg .f16 low;\\0A  cvt.rn.f16.f32 low, $1;\\0A"
          "  mov.b32 $0, {low,low};}\\0A\", \"=r,f\"(float %x)\n"
          "%r = call i32 asm \"{fma.rn.f16x2 $0,$1,$2,$3;\\0A}\", \"=r,r,r,r\""
          "(i32 %h, i32 %h, i32 %h)\n");
  ASSERT_EQ(r.error, "");
  _Float16 x = _Float16(0.1f);
  _Float16 y = _Float16(double(x) * double(x) + double(x));
  uint16_t bits;
  std::memcpy(&bits, &y, 2);
  EXPECT_EQ(r.bits, bits * 0x10001u);
  EXPECT_EQ(r.low,
            0.1 * 0.1 + 0.1); // the shadow values went through the packing
  EXPECT_EQ(r.high, 0.1 * 0.1 + 0.1);
  r = run(
      "%h = call i16 asm \"{  cvt.rn.bf16.f32 $0, $1;}\\0A\", \"=h,f\"(float "
      "3.0)\n"
      "%m = call i16 asm \"{ mul.bf16 $0,$1,$2; }\\0A\", \"=h,h,h\"(i16 %h, "
      "i16 %h)\n"
      "%f = call float asm \"{ cvt.f32.bf16 $0, $1;}\\0A\", \"=f,h\"(i16 %m)\n"
      "%r = fptosi float %f to i32\n");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.bits, 9u);
}

TEST(InlineAsm, PredicatesScopesAndRegisters) {
  Result r = run(
      "%a = call i16 asm \"{ .reg .pred __$$temp3;\\0A"
      "  setp.gt.f16  __$$temp3, $1, $2;\\0A  selp.u16 $0, 1, 0, __$$temp3;}\","
      " \"=h,h,h\"(i16 16384, i16 15360)\n" // 2 > 1
      "%b = call i16 asm \"{ .reg .pred __$$temp3;\\0A"
      "  setp.gt.f16  __$$temp3, $1, $2;\\0A  selp.u16 $0, 1, 0, __$$temp3;}\","
      " \"=h,h,h\"(i16 15360, i16 16384)\n"
      "%a4 = zext i16 %a to i32\n%b4 = zext i16 %b to i32\n"
      "%b5 = shl i32 %b4, 1\n%ab = or i32 %a4, %b5\n"
      "%l = call i32 asm \"mov.u32 $0, %laneid;\", \"=r\"()\n"
      "%l8 = shl i32 %l, 8\n%r = or i32 %ab, %l8\n");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.bits, 0x301u);
}

/// One statement of three i32 operands, $1 to $3.
unsigned bitsOf(const std::string &text, unsigned a, unsigned b, unsigned c) {
  Result r = run("%r = call i32 asm sideeffect \"" + text +
                 "\", \"=r,r,r,r\"(i32 " + std::to_string(a) + ", i32 " +
                 std::to_string(b) + ", i32 " + std::to_string(c) + ")\n");
  EXPECT_EQ(r.error, "") << text;
  return r.bits;
}

/// A statement with registers of the types that a row of the table names, or
/// with operands of other widths.
std::string statementOf(const evo::device::Spelling &spelling,
                        llvm::StringRef word, bool mistyped) {
  std::string operands, constraints, arguments, types;
  unsigned number = 0;
  auto add = [&](llvm::StringRef type, bool isResult, const char *separator) {
    const bool isOther = mistyped && !isResult;
    const bool isWide = isOther != type.ends_with("64");
    const bool isHalf = !isOther && type.ends_with("16");
    const bool isPredicate = !isOther && type == "pred";
    const std::string irType = isWide        ? "i64"
                               : isHalf      ? "i16"
                               : isPredicate ? "i1"
                                             : "i32";
    operands += (number ? separator : "") + ("$" + std::to_string(number));
    constraints += (number ? "," : "") + std::string(isResult ? "=" : "") +
                   (isWide        ? "l"
                    : isHalf      ? "h"
                    : isPredicate ? "b"
                                  : "r");
    std::string &list = isResult ? types : arguments;
    list += (list.empty() ? "" : ", ") + irType + (isResult ? "" : " 1");
    ++number;
  };
  for (llvm::StringRef result : spelling.listResults())
    add(result, true, "|");
  for (const auto &source : spelling.listOperands())
    add(source.type, false, ", ");
  return "%x = call {" + types + "} asm sideeffect \"" + word.str() + " " +
         operands + ";\", \"" + constraints + "\"(" + arguments + ")\n";
}

TEST(InlineAsm, StatementsThatAreCalls) {
  for (const evo::device::Spelling &spelling : evo::device::allSpellings()) {
    llvm::SmallVector<llvm::StringRef> words;
    spelling.words.split(words, ' ');
    for (llvm::StringRef word : words)
      for (bool mistyped : {false, true}) {
        std::string text = statementOf(spelling, word, mistyped);
        if (spelling.results.empty())
          text.replace(0, text.find("call"), "").replace(5, 2, "void");
        else if (!spelling.results.contains('|'))
          text.erase(text.find('}'), 1).erase(text.find('{'), 1);
        Fixture f;
        EXPECT_EQ(f.text(kernelIR("", text + "ret void\n")),
                  !mistyped || spelling.operands.empty())
            << text << f.error;
      }
  }
}

TEST(InlineAsm, WhatLiteralsRuleOutNeedNotBeKnown) {
  // The CUDA C++ library asks so: a flag that is known after inlining, and then
  // something that is not.
  auto text = [](const std::string &flags) {
    return kernelIR(
        "ptr %p, i32 %n",
        "%bit = and i32 " + flags +
            ", 4\n"
            "%may = icmp ne i32 %bit, 0\n"
            "br i1 %may, label %ask, label %decide\nask:\n"
            "%odd = trunc i32 %t to i1\nbr label %decide\ndecide:\n"
            "%use = phi i1 [%odd, %ask], [%may, %entry]\n"
            "br i1 %use, label %bulk, label %end\nbulk:\n"
            "call void asm sideeffect \"wgmma.fence.sync.aligned;\", "
            "\"\"()\nbr label %end\nend:\nret void\n");
  };
  Fixture f;
  EXPECT_TRUE(f.text(text("3"), Prepare::DetectorsForm)) << f.error;
  for (const char *flags : {"7", "%n", "undef"}) {
    Fixture g;
    EXPECT_FALSE(g.text(text(flags), Prepare::DetectorsForm)) << flags;
    EXPECT_NE(g.error.find("wgmma.fence"), std::string::npos) << g.error;
  }
}

TEST(InlineAsm, LogicOfThree) {
  // With these operands the table is the result, as the ISA defines it.
  for (unsigned table = 0; table < 256; ++table)
    EXPECT_EQ(bitsOf("lop3.b32 $0, $1, $2, $3, " + std::to_string(table) + ";",
                     0xf0, 0xcc, 0xaa) &
                  0xff,
              table);
}

TEST(InlineAsm, BitFieldsBytesAndWideProducts) {
  EXPECT_EQ(bitsOf("bfe.u32 $0, $1, 4, 8;", 0x12f45, 0, 0), 0xf4u);
  EXPECT_EQ(bitsOf("bfe.s32 $0, $1, 4, 8;", 0x12f45, 0, 0), 0xfffffff4u);
  EXPECT_EQ(bitsOf("bfe.u32 $0, $1, 0, 32;", 0x12f45, 0, 0), 0x12f45u);
  EXPECT_EQ(bitsOf("bfi.b32 $0, $1, $2, 8, 4;", 0xab, 0x12345678, 0),
            0x12345b78u);
  EXPECT_EQ(bitsOf("prmt.b32 $0, $1, $2, 0x7614;", 0x33221100, 0x77665544, 0),
            0x77661144u);
  const std::string wide = "{ .reg .b64 w; mul.wide.";
  EXPECT_EQ(bitsOf(wide + "u32 w, $1, $2; shr.u64 w, w, 32; cvt.u32.u64 $0, "
                          "w; }",
                   0x80000000, 6, 0),
            3u);
  EXPECT_EQ(bitsOf(wide + "s32 w, $1, $2; shr.u64 w, w, 32; cvt.u32.u64 $0, "
                          "w; }",
                   0x80000000, 6, 0),
            0xfffffffdu);
  EXPECT_EQ(bitsOf("{ .reg .pred p; setp.lt.u32 p, %laneid, 5; "
                   "vote.sync.ballot.b32 $0, p, 0xffffffff; }",
                   0, 0, 0),
            0x1fu);
  EXPECT_EQ(bitsOf("redux.sync.add.u32 $0, $1, 0xffffffff;", 3, 0, 0), 96u);
  Result r = run("%r = call i32 asm \"bfe.b32 $0, $1, $1, 8;\", \"=r,r\"(i32 "
                 "%t)\n");
  EXPECT_NE(r.error.find("unsupported: inline asm 'bfe.b32"), std::string::npos)
      << r.error;
}

TEST(InlineAsm, BitFieldsWhereverTheyLie) {
  // Position and length in registers; only their low bytes count.
  auto extracted = [](const char *type, uint32_t a, uint32_t at, uint32_t n) {
    return bitsOf(std::string("bfe.") + type + " $0, $1, $2, $3;", a, at, n);
  };
  EXPECT_EQ(extracted("u32", 0x12f45, 4, 8), 0xf4u);
  EXPECT_EQ(extracted("s32", 0x12f45, 4, 8), 0xfffffff4u);
  EXPECT_EQ(extracted("s32", 0x12f45, 0x104, 0x208), 0xfffffff4u);
  for (const char *type : {"u32", "s32"}) {
    EXPECT_EQ(extracted(type, ~0u, 7, 0), 0u);
    EXPECT_EQ(extracted(type, 0x80000001, 0, 255), 0x80000001u);
  }
  EXPECT_EQ(extracted("u32", ~0u, 30, 8), 3u);
  EXPECT_EQ(extracted("s32", 0x80000000, 30, 8), 0xfffffffeu);
  EXPECT_EQ(extracted("u32", ~0u, 200, 8), 0u);
  EXPECT_EQ(extracted("s32", ~0u, 200, 8), ~0u);
  EXPECT_EQ(bitsOf("bfi.b32 $0, $1, $2, $3, 12;", ~0u, 0, 28), 0xf0000000u);
  EXPECT_EQ(bitsOf("bfi.b32 $0, $1, $2, 8, $3;", ~0u, 0x1234, 0), 0x1234u);
  EXPECT_EQ(bitsOf("bfi.b32 $0, $1, $2, 77, $3;", ~0u, 0x1234, 9), 0x1234u);
}

TEST(InlineAsm, LanesOfWords) {
  const uint32_t a = 0x80ff7f01, b = 0x017f8002; // -128 -1 127 1, 1 127 -128 2
  EXPECT_EQ(bitsOf("dp4a.s32.s32 $0, $1, $2, $3;", a, b, 100),
            uint32_t(-128 - 127 - 127 * 128 + 2 + 100));
  EXPECT_EQ(bitsOf("dp4a.u32.s32 $0, $1, $2, $3;", a, b, 0),
            uint32_t(128 + 255 * 127 - 127 * 128 + 2));
  EXPECT_EQ(
      bitsOf("dp2a.lo.s32.u32 $0, $1, $2, $3;", a, b, 5),
      uint32_t(0x7f01 * 2 - 0x7f01 + 0x7f01 + (int16_t(0x80ff)) * 128 + 5));
  EXPECT_EQ(bitsOf("dp2a.hi.s32.s32 $0, $1, $2, $3;", a, b, 0),
            uint32_t(0x7f01 * 127 + int16_t(0x80ff)));
  auto lanes = [&](const char *instruction, uint32_t c = 0) {
    return bitsOf(std::string(instruction) + " $0, $1, $2, $3;", a, b, c);
  };
  EXPECT_EQ(lanes("vadd4.u32.u32.u32"), 0x817eff03u);
  EXPECT_EQ(lanes("vadd4.s32.s32.s32.sat"), 0x817eff03u);
  EXPECT_EQ(lanes("vadd4.u32.u32.u32.sat"), 0x81ffff03u);
  EXPECT_EQ(lanes("vsub4.s32.s32.s32.sat"), 0x80807fffu);
  EXPECT_EQ(lanes("vsub4.u32.u32.u32.sat"), 0x7f800000u);
  EXPECT_EQ(lanes("vadd2.s32.s32.s32.sat"), 0x827eff03u);
  EXPECT_EQ(lanes("vabsdiff4.u32.u32.u32"), 0x7f800101u);
  EXPECT_EQ(lanes("vabsdiff4.u32.u32.u32.add", 7), 0x7fu + 0x80 + 1 + 1 + 7);
  EXPECT_EQ(lanes("vmax4.s32.s32.s32"), 0x017f7f02u);
  EXPECT_EQ(lanes("vmin2.u32.u32.u32"), 0x017f7f01u);
  EXPECT_EQ(lanes("vset4.u32.u32.gt"), 0x01010000u);
  EXPECT_EQ(lanes("vset4.s32.s32.gt"), 0x00000100u);
  // Averages go away from zero: -63.5, 63, -0.5, 1.5.
  EXPECT_EQ(lanes("vavrg4.s32.s32.s32"), 0xc03fff02u);
  EXPECT_EQ(lanes("vavrg4.u32.u32.u32"), 0x41bf8002u);
  // What the lanes are merged into is said by no mask here.
  for (const char *instruction :
       {"vadd4.u32.s32.u32", "vmul4.u32.u32.u32", "vset4.u32.u32.gt.sat",
        "vadd4.u32.u32.u32.cap", "dp2a.s32.s32", "dp4a.s32.f32"}) {
    Result r = run("%r = call i32 asm \"" + std::string(instruction) +
                   " $0, $1, $1, $1;\", \"=r,r\"(i32 %t)\n");
    EXPECT_NE(
        r.error.find("unsupported: inline asm '" + std::string(instruction)),
        std::string::npos)
        << instruction << ": " << r.error;
  }
}

TEST(InlineAsm, SumsAndSearches) {
  EXPECT_EQ(bitsOf("sad.s32 $0, $1, $2, $3;", -3, 4, 10), 17u);
  EXPECT_EQ(bitsOf("sad.u32 $0, $1, $2, $3;", 3, 0xfffffffe, 1), 0xfffffffcu);
  EXPECT_EQ(bitsOf("mad.hi.s32 $0, $1, $2, $3;", -1, 1, 5), 4u);
  EXPECT_EQ(bitsOf("mad.hi.u32 $0, $1, $2, $3;", ~0u, 2, 5), 6u);
  EXPECT_EQ(bitsOf("add.sat.s32 $0, $1, $2;", 0x7fffffff, 1, 0), 0x7fffffffu);
  EXPECT_EQ(bitsOf("sub.sat.s32 $0, $1, $2;", 0x80000000, 1, 0), 0x80000000u);
  EXPECT_EQ(bitsOf("bfind.u32 $0, $1;", 0x00ffffff, 0, 0), 23u);
  EXPECT_EQ(bitsOf("bfind.u32 $0, $1;", 0, 0, 0), ~0u);
  EXPECT_EQ(bitsOf("bfind.s32 $0, $1;", 0xfffffff0, 0, 0), 3u);
  EXPECT_EQ(bitsOf("bfind.shiftamt.u32 $0, $1;", 1, 0, 0), 31u);
  EXPECT_EQ(bitsOf("bfind.shiftamt.u32 $0, $1;", 0, 0, 0), ~0u);
  const std::string wide = "{ .reg .b64 w; mov.b64 w, {$1, $2}; ";
  EXPECT_EQ(bitsOf(wide + "clz.b64 $0, w; }", 0, 0x10000, 0), 15u);
  EXPECT_EQ(bitsOf(wide + "popc.b64 $0, w; }", 7, 0x10000, 0), 4u);
  EXPECT_EQ(bitsOf(wide + "bfind.u64 $0, w; }", 7, 0x10000, 0), 48u);
}

TEST(InlineAsm, Carries) {
  // (a, b) + (c, c) in two words, the high one of which is given out.
  EXPECT_EQ(
      bitsOf("{ .reg .u32 t; add.cc.u32 t, $1, $3; addc.u32 $0, $2, $3; }",
             0xffffffff, 5, 1),
      7u);
  EXPECT_EQ(
      bitsOf("{ .reg .u32 t; add.cc.u32 t, $1, $3; addc.u32 $0, $2, $3; }",
             0xfffffffe, 5, 1),
      6u);
  EXPECT_EQ(
      bitsOf("{ .reg .u32 t; sub.cc.u32 t, $1, $3; subc.u32 $0, $2, $3; }", 0,
             5, 1),
      3u);
  EXPECT_EQ(bitsOf("{ .reg .u32 t; mad.lo.cc.u32 t, $1, $2, $3; "
                   "madc.hi.u32 $0, $1, $2, $3; }",
                   0xffffffff, 3, 2),
            4u);
  // Three words: the middle one gives the carry on.
  EXPECT_EQ(bitsOf("{ .reg .u32 t; add.cc.u32 t, $1, $2; addc.cc.u32 t, $1, 0; "
                   "addc.u32 $0, $3, 0; }",
                   0xffffffff, 1, 8),
            9u);
}

TEST(InlineAsm, ChoicesAndClasses) {
  EXPECT_EQ(bitsOf("slct.u32.s32 $0, $1, $2, $3;", 4, 7, 0), 4u);
  EXPECT_EQ(bitsOf("slct.u32.s32 $0, $1, $2, $3;", 4, 7, ~0u), 7u);
  EXPECT_EQ(bitsOf("cnot.b32 $0, $1;", 0, 0, 0), 1u);
  EXPECT_EQ(bitsOf("cnot.b32 $0, $1;", 12, 0, 0), 0u);
  auto isOf = [](const char *name, unsigned bits) {
    return bitsOf("{ .reg .pred p; .reg .f32 f; mov.b32 f, $1; testp." +
                      std::string(name) + ".f32 p, f; selp.u32 $0, 1, 0, p; }",
                  bits, 0, 0);
  };
  EXPECT_EQ(isOf("normal", 0x3f800000), 1u);
  EXPECT_EQ(isOf("normal", 0x80000000), 1u); // as zeros are
  EXPECT_EQ(isOf("normal", 1), 0u);
  EXPECT_EQ(isOf("subnormal", 1), 1u);
  EXPECT_EQ(isOf("subnormal", 0), 0u);
  EXPECT_EQ(isOf("infinite", 0xff800000), 1u);
  EXPECT_EQ(isOf("finite", 0xff800000), 0u);
  EXPECT_EQ(isOf("notanumber", 0x7f800001), 1u);
  EXPECT_EQ(isOf("number", 0x7f800001), 0u);
  const std::string both =
      "{ .reg .pred p, q; setp.gt.s32 q, $1, 0; "
      "setp.lt.and.s32 p, $1, $2, q; selp.u32 $0, 1, 0, p; }";
  EXPECT_EQ(bitsOf(both, 3, 4, 0), 1u);
  EXPECT_EQ(bitsOf(both, ~0u, 4, 0), 0u);
}

TEST(InlineAsm, ExtentsAndProducts) {
  EXPECT_EQ(bitsOf("szext.clamp.s32 $0, $1, $2;", 0xf8, 5, 0), 0xfffffff8u);
  EXPECT_EQ(bitsOf("szext.clamp.s32 $0, $1, $2;", 0xf8, 0, 0), 0u);
  EXPECT_EQ(bitsOf("szext.clamp.u32 $0, $1, $2;", ~0u, 99, 0), ~0u);
  EXPECT_EQ(bitsOf("szext.wrap.u32 $0, $1, $2;", ~0u, 36, 0), 0xfu);
  EXPECT_EQ(bitsOf("bmsk.clamp.b32 $0, $1, $2;", 4, 3, 0), 0x70u);
  EXPECT_EQ(bitsOf("bmsk.clamp.b32 $0, $1, $2;", 40, 3, 0), 0u);
  EXPECT_EQ(bitsOf("bmsk.wrap.b32 $0, $1, $2;", 36, 3, 0), 0x70u);
  EXPECT_EQ(bitsOf("mul24.hi.u32 $0, $1, $2;", 0xffffff, 0xffffff, 0),
            static_cast<unsigned>(0xffffffull * 0xffffff >> 16));
  EXPECT_EQ(bitsOf("mad24.lo.s32 $0, $1, $2, $3;", 0xffffff, 5, 7), 2u);
  EXPECT_EQ(bitsOf("prmt.b32.f4e $0, $1, $2, $3;", 0x33221100, 0x77665544, 1),
            0x44332211u);
  EXPECT_EQ(bitsOf("prmt.b32.rc16 $0, $1, $2, $3;", 0x33221100, 0, 3),
            0x33223322u);
}

TEST(InlineAsm, LoadsAndStoresAreChecked) {
  auto text = [](int shift) {
    return "%a0 = getelementptr i8, ptr %p, i64 " + std::to_string(shift) + R"(
      %a = ptrtoint ptr %a0 to i64
      %v = call {float, float} asm "ld.global.nc.v2.f32 {$0,$1}, [$2+8];", "=f,=f,l"(i64 %a)
      %x = extractvalue {float, float} %v, 1
      call void asm sideeffect "st.global.cs.f32 [$0], $1;", "l,f"(i64 %a, float %x)
      ret void
    )";
  };
  for (int shift : {0, 4, 64}) {
    Fixture f;
    ASSERT_TRUE(f.text(kernelIR("ptr %p", text(shift)))) << f.error;
    BufferId b = f.floats("p", {1, 2, 3, 4, 5, 6, 7, 8});
    auto r = f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)});
    if (shift == 0) {
      EXPECT_CLEAN(r);
      EXPECT_EQ(f.read<float>(b)[0], 4.0f);
    } else if (shift == 4) {
      EXPECT_FINDING(r, Misaligned);
    } else {
      EXPECT_FINDING(r, OutOfBounds);
    }
  }
}

TEST(InlineAsm, AccessesOfThirtyTwoBytesAreOfGlobalMemory) {
  auto text = [](const std::string &space) {
    return "%a = mul i32 %t, 4\n%q = getelementptr double, ptr %p, i32 %a\n"
           "%v = call {double, double, double, double} asm sideeffect \"ld" +
           space +
           ".v4.f64 {$0, $1, $2, $3}, [$4];\", \"=d,=d,=d,=d,l\"(ptr %q)\n"
           "%x = extractvalue {double, double, double, double} %v, 3\n"
           "call void asm sideeffect \"st" +
           space +
           ".v4.f64 [$0], {$1, $1, $1, $1};\", \"l,d\"(ptr %q, double %x)\n"
           "ret void\n";
  };
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", text(".global")))) << f.error;
  std::vector<double> values(128);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = i;
  BufferId b = f.buffer("p", values, ElementKind::F64);
  Options o;
  o.detectRaces = true;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}, o));
  for (unsigned i = 0; i < values.size(); ++i)
    EXPECT_EQ(f.read<double>(b)[i], i | 3);
  for (const char *space : {"", ".shared"}) {
    Fixture g;
    EXPECT_FALSE(g.text(kernelIR("ptr %p", text(space))));
    EXPECT_NE(g.error.find("inline asm 'ld"), std::string::npos) << g.error;
  }
}

TEST(InlineAsm, TwoPredicatesOfOneComparison) {
  auto both = [](const std::string &type, const std::string &where,
                 const std::string &a, const std::string &b) {
    return bitsOf("{ .reg .pred p, q; .reg .b32 u; setp.eq.u32 p, 1, 1; "
                  "setp.ne.u32 q, 1, 1; setp.lt." +
                      type + " " + where + ", " + a + ", " + b +
                      "; selp.u32 $0, 10, 20, p; selp.u32 u, 1, 2, q; "
                      "add.u32 $0, $0, u; }",
                  1, 2, 0);
  };
  EXPECT_EQ(both("u32", "p|q", "$1", "$2"), 12u);
  EXPECT_EQ(both("u32", "p | q", "$2", "$1"), 21u);
  EXPECT_EQ(both("u32", "q|p", "$1", "$2"), 21u);
  EXPECT_EQ(both("u32", "p|_", "$2", "$1"), 22u);
  EXPECT_EQ(both("u32", "_|q", "$2", "$1"), 11u);
  // What does not compare is not less, and so is its opposite.
  EXPECT_EQ(both("f32", "p|q", "0f7fc00000", "0f00000000"), 21u);
  // A guard may be either.
  EXPECT_EQ(bitsOf("{ .reg .pred p, q; setp.lt.u32 p|q, $1, $2; mov.b32 $0, 7; "
                   "@p mov.b32 $0, 8; @q mov.b32 $0, 9; }",
                   3, 2, 0),
            9u);
}

TEST(InlineAsm, OnlyWhatIsDeclaredIsWritten) {
  for (const char *s :
       {"mov.b32 t, $1; mov.b32 $0, t;", "add.u32 $0|t, $1, $1;",
        "{ .reg .b32 r<2>; mov.b32 r2, $1; mov.b32 $0, r2; }",
        "mov.b32 5, $1; mov.b32 $0, $1;", "set.lt.u32.u32 $0|t, $1, $1;"}) {
    Result r =
        run(std::string("%r = call i32 asm \"") + s + "\", \"=r,r\"(i32 %t)\n");
    EXPECT_NE(r.error.find("unsupported: inline asm"), std::string::npos)
        << s << ": " << r.error;
  }
  EXPECT_EQ(bitsOf("{ .reg .b32 r<3>; mov.b32 r0, $1; mov.b32 r2, $2; "
                   "add.u32 $0, r0, r2; mov.b32 _, r2; }",
                   1, 2, 3),
            3u);
}

TEST(InlineAsm, GuardsBecomeBranches) {
  // Only lanes with the predicate access memory; the others keep what was in
  // the register before.
  auto text = [](const char *guard, const char *bound) {
    return std::string("%in = icmp slt i32 %t, ") + bound +
           "\n%a0 = getelementptr i32, ptr %p, i32 %t\n"
           "%v = call i32 asm sideeffect \"mov.u32 $0, 0x7;\\0A\\09" +
           guard +
           "$2 ld.global.b32 { $0 }, [ $1 + 0 ];\", \"=r,l,b\""
           "(ptr %a0, i1 %in)\n%w = add i32 %v, 100\n"
           "call void asm sideeffect \"@$2 st.global.b32 [ $1 + 0 ], { $0 };\""
           ", \"r,l,b\"(i32 %w, ptr %a0, i1 %in)\nret void\n";
  };
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR("ptr %p", text("@", "4")))) << f.error;
  BufferId b = f.floats("p", {0, 0, 0, 0});
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(b)}));
  EXPECT_EQ(f.read<unsigned>(b)[3], 100u);
  // One lane too many, and the wrong sense of the guard, are found.
  for (auto [guard, bound] : {std::pair("@", "5"), std::pair("@!", "4")}) {
    Fixture g;
    ASSERT_TRUE(g.text(kernelIR("ptr %p", text(guard, bound)))) << g.error;
    BufferId c = g.floats("p", {0, 0, 0, 0});
    auto r = g.run("k", {1, 1, 1}, {32, 1, 1}, {g.ptr(c)});
    EXPECT_FINDING(r, OutOfBounds);
  }
}

TEST(InlineAsm, GuardsByDeclaredPredicates) {
  // Thread 3 takes the second and the fourth statement.
  Result r = run("%r = call i32 asm \"{ .reg .pred p, q; .reg .b32 t;\\0A"
                 "  setp.lt.s32 p, $1, 3; setp.eq.s32 q, $1, 3;\\0A"
                 "  mov.b32 $0, 1; @p mov.b32 $0, 2; @q mov.b32 t, 40;\\0A"
                 "  @!p add.u32 $0, $0, 4; @q add.u32 $0, $0, t; }\","
                 " \"=r,r\"(i32 %t)\n");
  ASSERT_EQ(r.error, "");
  EXPECT_EQ(r.bits, 45u);
}

TEST(InlineAsm, PaddingWithInfinityKeepsErrorsFinite) {
  // exp2(-inf * c - top) + x, as a padded softmax has it.
  Fixture f;
  ASSERT_TRUE(f.text(kernelIR(
      "ptr %p",
      "%x = load float, ptr %p\n"
      "%d = fsub float 0xFFF0000000000000, %x\n"
      "%m = fmul float %d, 1.5\n"
      "%e = call float asm \"ex2.approx.f32 $0, $1;\", \"=f,f\"(float %m)\n"
      "%s = fadd float %e, %x\nstore float %s, ptr %p\nret void\n")))
      << f.error;
  BufferId b = f.floats("p", {0.1f});
  Options o;
  o.shadow = Shadow::ValueAndError;
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {1, 1, 1}, {f.ptr(b)}, o));
  double error = f.memory.error(b, 0);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-6);
}

TEST(InlineAsm, UnknownStatementsAreRefused) {
  for (const char *s : {"bogus $0;", "@$0 bogus $0;", "@p add.f32 $0, $0, $0;",
                        "L: add.u32 $0, $0, $0;", "add.rz.f16 $0, $0, $0;",
                        "cp.async.ca.shared.global [$0], [$0], 4;",
                        "mov.u32 $0, %gridid_unknown;"}) {
    Result r =
        run(std::string("%r = call i32 asm \"") + s + "\", \"=r,0\"(i32 %t)\n");
    EXPECT_NE(r.error.find("unsupported: inline asm"), std::string::npos)
        << s << ": " << r.error;
  }
  Result r =
      run("%r = call i32 asm \"add.u32 $0, $1, $1;\", \"=r,0\"(i32 %t)\n");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.bits, 6u);
}

TEST(InlineAsm, NothingIsDoneByNoStatement) {
  for (const char *s : {"", ";", "{ }", "// nothing"})
    EXPECT_EQ(run(std::string("call void asm sideeffect \"") + s +
                  "\", \"~{memory}\"()\n%r = add i32 0, 0\n")
                  .error,
              "")
        << s;
  // What is to have a value gets it from a statement.
  EXPECT_NE(run("%r = call i32 asm sideeffect \";\", \"=r\"()\n").error, "");
}

TEST(InlineAsm, UnknownWordsAreRefused) {
  // Each computes something else without the word, or nothing that is known.
  for (const char *s : {"min.xorsign.f32 $0, $0, $0;",
                        "max.abs.f32 $0, $0, $0;",
                        "fma.rn.oob.f16x2 $0, $0, $0, $0;",
                        "fma.rn.relu.f32 $0, $0, $0, $0;",
                        "fma.rn.bogus.f32 $0, $0, $0, $0;",
                        "min.relu.u32 $0, $0, $0;",
                        "max.u16x2.relu $0, $0, $0;",
                        "add.s32.relu $0, $0, $0;",
                        "add.rz.rn.f32 $0, $0, $0;",
                        "add.rz.bf16x2 $0, $0, $0;",
                        "rcp.rz.approx.f32 $0, $0;",
                        "add.sat.u32 $0, $0, $0;",
                        "addc.u32 $0, $0, $0;", // without a carry
                        "add.cc.u16 $0, $0, $0;",
                        "mad.hi.sat.s32 $0, $0, $0, $0;",
                        "add.rn.sat.bf16x2 $0, $0, $0;",
                        "rcp.f32 $0, $0;",
                        "rcp.rn.approx.f32 $0, $0;",
                        "div.f32 $0, $0, $0;",
                        "sin.rn.f32 $0, $0;",
                        "tanh.approx.ftz.f32 $0, $0;",
                        "neg.sat.f32 $0, $0;",
                        "add.sat.ftz.f32 $0, $0, $0;", // in another order
                        "add.ftz.f64 $0, $0, $0;",
                        "mul.rz.f16x2 $0, $0, $0;",
                        "and.u32 $0, $0, $0;",
                        "abs.u32 $0, $0;",
                        "sad.b32 $0, $0, $0, $0;",
                        "not.rn.b32 $0, $0;",
                        "popc.sat.b32 $0, $0;",
                        "setp.lt.and.f32 p, $0, $0, q;",
                        "cvt.rn.relu.s32.f32 $0, $0;",
                        "cvt.rn.bogus.f16x2.f32 $0, $0, $0;",
                        "atom.weak.global.add.u32 $0, [$0], 1;",
                        "mov.u32 $0, %warpid;",
                        "mov.u32 $0, %smid;",
                        "mov.u32 $0, %clock;",
                        "membar.proxy.alias;",
                        "fence.proxy.async;",
                        "fence.acquire.gpu;",
                        "fence.gl;",
                        "membar.gpu;",
                        "membar;",
                        "fence;",
                        "fence.sc;"}) {
    Result r =
        run(std::string("%r = call i32 asm \"") + s + "\", \"=r,0\"(i32 %t)\n");
    EXPECT_NE(r.error.find("unsupported: inline asm"), std::string::npos)
        << s << ": " << r.error;
  }
  // Words that are known.
  for (const char *s :
       {"fma.rn.relu.f16x2 $0, $0, $0, $0;",
        "fma.rn.ftz.sat.f32 $0, $0, $0, $0;", "min.NaN.f32 $0, $0, $0;",
        "ex2.approx.ftz.bf16x2 $0, $0;", "add.rn.ftz.f32 $0, $0, $0;",
        "add.rz.f32 $0, $0, $0;", "sqrt.rp.ftz.f32 $0, $0;",
        "min.xorsign.abs.f32 $0, $0, $0;", "min.relu.s32 $0, $0, $0;",
        "max.s16x2.relu $0, $0, $0;", "add.ftz.f16x2 $0, $0, $0;",
        "mul.hi.s32 $0, $0, $0;", "membar.gl;", "fence.sc.gpu;",
        "fence.acq_rel.cta;", "fence.cluster;", "mov.u32 $0, %nctaid.y;"}) {
    Result r =
        run(std::string("%r = call i32 asm \"") + s + "\", \"=r,0\"(i32 %t)\n");
    EXPECT_EQ(r.error, "") << s;
  }
}

TEST(InlineAsm, NoNameHidesAnother) {
  // One scope after another may use a name again, and so may one within
  // another: what it hides comes back at its end.
  EXPECT_EQ(bitsOf("{ .reg .b32 t; mov.b32 t, $1; mov.b32 $0, t; } "
                   "{ .reg .b32 t; add.u32 t, $0, $2; mov.b32 $0, t; }",
                   1, 2, 3),
            3u);
  EXPECT_EQ(
      bitsOf("{ .reg .b32 t; mov.b32 t, $1; { .reg .b32 t; mov.b32 t, $2; "
             "} add.u32 $0, t, $3; }",
             1, 2, 3),
      4u);
  EXPECT_EQ(bitsOf("{ .reg .pred p; .reg .b32 t; setp.eq.u32 p, $1, 3; mov.b32 "
                   "t, 1; { .reg .b32 t; @p mov.b32 t, 2; } mov.b32 $0, t; }",
                   3, 0, 0),
            1u);
  for (const char *s :
       {"{ .reg .b32 t; .reg .b32 t; mov.b32 t, $1; mov.b32 $0, t; }",
        "{ .reg .b32 t; mov.b32 t, $1; } mov.b32 $0, t;", "mov.f32 $0, 2;",
        "mov.b64 $0, 0f3f800000;"}) {
    Result r =
        run(std::string("%r = call i32 asm \"") + s + "\", \"=r,r\"(i32 %t)\n");
    EXPECT_NE(r.error.find("unsupported: inline asm"), std::string::npos)
        << s << ": " << r.error;
  }
}

TEST(InlineAsm, ReluKeepsWhatIsNotANumber) {
  EXPECT_EQ(
      bitsOf("fma.rn.relu.f16x2 $0, $1, $2, $3;", 0x7e003c00, 0xbc00bc00, 0),
      0x7fff0000u);
}

} // namespace
