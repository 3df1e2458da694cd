// Kernels over fields.
#include "Harness.h"
#include "evo/Analysis/FloatControl.h"
#include "evo/Simulator/Field.h"
#include <cmath>

using namespace evo::sim;
using namespace evo::sim::test;

namespace {

/// Runs kernel @k(ptr x, ptr y) on one warp, x holding variables.
struct FieldKernel : Fixture {
  std::unique_ptr<Field> field = std::make_unique<Field>(11);
  BufferId x = 0, y = 0;
  LaunchResult result;

  void start(const std::vector<float> &values, uint64_t outputBytes,
             const std::string &body, const std::string &globals = "") {
    ASSERT_TRUE(text(kernelIR("ptr %x, ptr %y", body, globals))) << error;
    x = floats("x", values);
    y = output("y", outputBytes, ElementKind::F32);
    memory.enableShadow(Shadow::ValueAndField);
    for (size_t i = 0; i < values.size(); ++i) {
      FieldValue v = variable(i);
      memory.setFieldHandle(x, 4 * i, field->store(v));
    }
    Options options;
    options.shadow = Shadow::ValueAndField;
    options.field = field.get();
    result = run("k", {1, 1, 1}, {32, 1, 1}, {ptr(x), ptr(y)}, options);
  }
  FieldValue variable(unsigned i) {
    FieldValue v = field->input(0, i);
    v.type = ElementKind::F32;
    return v;
  }
  FieldValue out(unsigned i) {
    uint64_t h = memory.fieldHandle(y, 4 * i);
    return h ? field->at(h)
             : field->literal(read<float>(y)[i], ElementKind::F32);
  }
  bool noted(FieldNote::Kind kind, const char *words = "") {
    for (const FieldNote &n : field->notes())
      if (n.kind == kind && n.str().find(words) != std::string::npos)
        return true;
    return false;
  }
};

std::vector<float> ramp(unsigned n) {
  std::vector<float> v(n);
  for (unsigned i = 0; i < n; ++i)
    v[i] = 0.25f * i - 3.1f + 0.001f * (i % 7);
  return v;
}

const char *address = R"(
  %px = getelementptr float, ptr %x, i32 %t
  %py = getelementptr float, ptr %y, i32 %t
  %a = load float, ptr %px
)";

TEST(FieldKernels, Arithmetic) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %i = sitofp i32 %t to float
  %b = fmul float %a, 3.0
  %c = call float @llvm.fma.f32(float %a, float %a, float %b)
  %d = fsub float %c, %i
  %n = fneg float %d
  %e = fdiv float %n, %a
  store float %e, ptr %py
  ret void
)");
  EXPECT_CLEAN(k.result);
  Field &f = *k.field;
  for (unsigned i = 0; i < 32; ++i) {
    FieldValue a = k.variable(i);
    FieldValue d =
        f.sub(f.add(f.mul(a, a), f.mul(a, f.integer(3))), f.integer(i));
    EXPECT_TRUE(f.equal(k.out(i), f.mul(f.neg(d), f.inverse(a)))) << i;
    EXPECT_EQ(k.out(i).type, ElementKind::F32);
  }
  EXPECT_TRUE(f.notes().empty());
}

TEST(FieldKernels, ExpByTwoAndByE) {
  FieldKernel k;
  k.start(ramp(32), 256, std::string(address) + R"(
  %e = call float @__nv_expf(float %a)
  store float %e, ptr %py
  %s = fmul float %a, 0x3FF7154760000000
  %p = call float @llvm.nvvm.ex2.approx.f(float %s)
  %q = getelementptr float, ptr %py, i32 32
  store float %p, ptr %q
  ret void
)");
  EXPECT_CLEAN(k.result);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_TRUE(k.field->equal(k.out(i), k.out(32 + i)));
    EXPECT_NE(k.out(i).expression, k.out(32 + i).expression);
  }
  EXPECT_EQ(k.field->snapped().size(), 1u);
}

TEST(FieldKernels, InfinityIsTheMaximumsIdentity) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %m = call float @llvm.maxnum.f32(float 0xFFF0000000000000, float %a)
  %d = fsub float 0xFFF0000000000000, %m
  %e = call float @__nv_expf(float %d)
  %r = fadd float %e, %m
  store float %r, ptr %py
  ret void
)");
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_TRUE(k.field->equal(k.out(i), k.variable(i)));
  EXPECT_TRUE(k.field->notes().empty());
}

TEST(FieldKernels, MemoryShufflesSelectsAndPhis) {
  FieldKernel k;
  // Through shared memory, a shuffle, a select, and a loop's phis.
  k.start(ramp(32), 128, std::string(address) + R"(
  %ps = getelementptr float, ptr addrspace(3) @s, i32 %t
  store float %a, ptr addrspace(3) %ps
  %b = load float, ptr addrspace(3) %ps
  %c = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %b, i32 1, i32 31)
  %odd = trunc i32 %t to i1
  %d = select i1 %odd, float %a, float %c
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  %s = phi float [0.0, %entry], [%u, %loop]
  %u = fadd float %s, %d
  %j = add i32 %i, 1
  %go = icmp ult i32 %j, 3
  br i1 %go, label %loop, label %done
done:
  store float %u, ptr %py
  ret void
)",
          "@s = internal addrspace(3) global [32 x float] poison\n");
  EXPECT_CLEAN(k.result);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_TRUE(k.field->equal(
        k.out(i), k.field->mul(k.field->integer(3), k.variable(i | 1))));
}

TEST(FieldKernels, BitsInIntegersKeepTheirValues) {
  FieldKernel k;
  // Copied as i32, and summed by a compare-and-swap loop of all 32 lanes.
  k.start(ramp(32), 256, R"(
  %px = getelementptr i32, ptr %x, i32 %t
  %py = getelementptr i32, ptr %y, i32 %t
  %b = load i32, ptr %px
  %q = getelementptr i32, ptr %py, i32 1
  store i32 %b, ptr %q
  %one = icmp eq i32 %t, 0
  br i1 %one, label %zero, label %join
zero:
  store i32 0, ptr %y
  br label %join
join:
  %a = bitcast i32 %b to float
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %first = load i32, ptr %y
  br label %loop
loop:
  %old = phi i32 [%first, %join], [%seen, %loop]
  %of = bitcast i32 %old to float
  %nf = fadd float %of, %a
  %new = bitcast float %nf to i32
  %pair = cmpxchg ptr %y, i32 %old, i32 %new monotonic monotonic
  %seen = extractvalue {i32, i1} %pair, 0
  %same = icmp eq i32 %seen, %old
  br i1 %same, label %done, label %loop
done:
  ret void
)");
  EXPECT_CLEAN(k.result);
  FieldValue sum = k.field->integer(0);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_TRUE(k.field->equal(k.out(i + 1), k.variable(i))) << i;
    sum = k.field->add(sum, k.variable(i));
  }
  EXPECT_TRUE(k.field->equal(k.out(0), sum));
  for (const FieldNote &n : k.field->notes())
    ADD_FAILURE() << n.str();
}

TEST(FieldKernels, IntegerArithmeticOnBitsLosesTheValue) {
  FieldKernel k;
  // Twice a, by the exponent: right, and beyond the field.
  k.start(ramp(32), 128, std::string(address) + R"(
  %b = bitcast float %a to i32
  %c = add i32 %b, 8388608
  %d = bitcast i32 %c to float
  store float %d, ptr %py
  ret void
)");
  EXPECT_EQ(k.out(5).kind, FieldValue::Lost);
  EXPECT_TRUE(k.noted(FieldNote::ToInteger,
                      "the bits of a float are used as an integer"));
}

TEST(FieldKernels, IntegersOfAWarpMadeOfBitsAreNoted) {
  // Bits that are copied as they are, which is no use of them.
  const std::string bits = "%b = load i32, ptr %px\nstore i32 %b, ptr %py\n";
  const std::string end = "%o = getelementptr i32, ptr %py, i32 32\n"
                          "store i32 %r, ptr %o\nret void\n";
  // By all lanes, by those that take part in each half, and by a mask that the
  // kernel computes.
  const std::string half = "%h = and i32 %t, 16\n"
                           "%m = shl i32 65535, %h\n";
  for (const char *mask : {"-1", "%m"})
    for (const char *call :
         {"%r = call i32 @llvm.nvvm.redux.sync.add(i32 %b, i32 ",
          "%r = call i32 @llvm.nvvm.match.any.sync.i32(i32 "}) {
      std::string one = call;
      one += one.find("match") == std::string::npos
                 ? std::string(mask) + ")\n"
                 : std::string(mask) + ", i32 %b)\n";
      FieldKernel k;
      k.start(ramp(32), 256, std::string(address) + bits + half + one + end);
      EXPECT_CLEAN(k.result);
      EXPECT_TRUE(k.noted(FieldNote::ToInteger)) << one;
    }
  // Of integers there is nothing to note.
  FieldKernel k;
  k.start(ramp(32), 256,
          std::string(address) + bits + half +
              "%r = call i32 @llvm.nvvm.redux.sync.add(i32 %t, i32 %m)\n" +
              end);
  EXPECT_CLEAN(k.result);
  EXPECT_FALSE(k.noted(FieldNote::ToInteger));
}

TEST(FieldKernels, FloatToIntegerIsNoted) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %b = fptosi float %a to i32
  %c = sitofp i32 %b to float
  store float %c, ptr %py
  ret void
)");
  EXPECT_TRUE(k.noted(FieldNote::ToInteger));
}

TEST(FieldKernels, LoadOfAFloatAsAnIntegerIsNoted) {
  FieldKernel k;
  k.start(ramp(32), 128, R"(
  %px = getelementptr i32, ptr %x, i32 %t
  %py = getelementptr i32, ptr %y, i32 %t
  %b = load i32, ptr %px
  %c = icmp eq i32 %b, 1234
  %d = zext i1 %c to i32
  store i32 %d, ptr %py
  ret void
)");
  EXPECT_TRUE(k.noted(FieldNote::ToInteger,
                      "the bits of a float are loaded as an integer"));
}

TEST(FieldKernels, RoundingDecides) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %b = fadd float %a, 134217728.0
  %c = fsub float %b, 134217728.0
  %z = fcmp oeq float %c, 0.0
  %d = select i1 %z, float 0.0, float %a
  store float %d, ptr %py
  ret void
)");
  EXPECT_TRUE(
      k.noted(FieldNote::Decision,
              "rounding decides: floats and exact values compare differently"));
  EXPECT_FALSE(k.noted(FieldNote::Tie));
}

TEST(FieldKernels, TiesDoNotCount) {
  FieldKernel k;
  k.start(std::vector<float>(33, 1.5f), 128, std::string(address) + R"(
  %qx = getelementptr float, ptr %px, i32 1
  %b = load float, ptr %qx
  %m = call float @llvm.maxnum.f32(float %a, float %b)
  store float %m, ptr %py
  ret void
)");
  EXPECT_TRUE(k.noted(FieldNote::Tie,
                      "a tie decides between values of different formulas"));
}

TEST(FieldKernels, MaximumOfOneValueIsNoTie) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %m = call float @llvm.maxnum.f32(float %a, float %a)
  store float %m, ptr %py
  ret void
)");
  EXPECT_TRUE(k.field->notes().empty());
}

TEST(FieldKernels, ZeroDenominators) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %z = fsub float %a, %a
  %d = fdiv float %a, %z
  store float %d, ptr %py
  ret void
)");
  EXPECT_TRUE(
      k.noted(FieldNote::ZeroDivide, "a denominator is zero in the field"));
}

TEST(FieldKernels, WhatTheFieldHasNoValueOf) {
  // Infinity is no number of it, unless bits and shadow value agree what
  // becomes of it.
  FieldKernel infinite;
  infinite.start(ramp(32), 128, std::string(address) + R"(
  %d = fdiv float %a, 0x7FF0000000000000
  %e = fadd float %d, %a
  %m = fmul float %e, 0x7FF0000000000000
  %n = fsub float %m, %m
  store float %n, ptr %py
  ret void
)");
  EXPECT_EQ(infinite.out(5).kind, FieldValue::Lost);
  EXPECT_TRUE(infinite.noted(FieldNote::Lost, "arithmetic with an infinity"));
  // Two halves are no float.
  FieldKernel bytes;
  bytes.start(ramp(32), 128, std::string(address) + R"(
  %i = bitcast float %a to i32
  %l = trunc i32 %i to i16
  %s = lshr i32 %i, 16
  %h = trunc i32 %s to i16
  store i16 %l, ptr %py
  %pz = getelementptr i16, ptr %py, i32 1
  store i16 %h, ptr %pz
  %b = load float, ptr %py
  %c = fadd float %b, %b
  store float %c, ptr %py
  ret void
)");
  EXPECT_TRUE(bytes.noted(
      FieldNote::Lost, "a float is loaded whose bytes were not stored as one"))
      << (bytes.field->notes().empty() ? ""
                                       : bytes.field->notes().front().str());
  // Nor is a sum of bits.
  FieldKernel made;
  made.start(ramp(32), 128, std::string(address) + R"(
  %i = fptosi float %a to i32
  %j = add i32 %i, 1065353216
  %b = bitcast i32 %j to float
  store float %b, ptr %py
  ret void
)");
  EXPECT_TRUE(made.noted(FieldNote::Lost,
                         "integer arithmetic makes the bits of a float"));
}

TEST(FieldKernels, WhatTheCodeGeneratorChooses) {
  FieldKernel k;
  k.start(ramp(32), 128, std::string(address) + R"(
  %b = call float asm "add.f32 $0, $1, $1;", "=f,f"(float %a)
  store float %b, ptr %py
  ret void
)");
  EXPECT_TRUE(k.noted(FieldNote::Contraction,
                      "the code generator chooses what to fuse"));
}

TEST(FieldKernels, ExpressionTellsAssociationApart) {
  FieldKernel k;
  k.start(ramp(34), 384, std::string(address) + R"(
  %p1 = getelementptr float, ptr %px, i32 1
  %p2 = getelementptr float, ptr %px, i32 2
  %b = load float, ptr %p1
  %c = load float, ptr %p2
  %ab = fadd float %a, %b
  %bc = fadd float %b, %c
  %ba = fadd float %b, %a
  %l = fadd float %ab, %c
  %r = fadd float %a, %bc
  %k = fadd float %c, %ba
  store float %l, ptr %py
  %q1 = getelementptr float, ptr %py, i32 32
  store float %r, ptr %q1
  %q2 = getelementptr float, ptr %py, i32 64
  store float %k, ptr %q2
  ret void
)");
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_TRUE(k.field->equal(k.out(i), k.out(32 + i)));
    EXPECT_NE(k.out(i).expression, k.out(32 + i).expression);
    EXPECT_EQ(k.out(i).expression, k.out(64 + i).expression);
  }
}

TEST(FieldKernels, PackedHalves) {
  Fixture f;
  Field field(5);
  // Two halves as one i32, swapped by shifts, then multiplied as a vector.
  ASSERT_TRUE(f.text(kernelIR("ptr %x, ptr %y", R"(
  %px = getelementptr i32, ptr %x, i32 %t
  %py = getelementptr i32, ptr %y, i32 %t
  %b = load i32, ptr %px
  %lo = shl i32 %b, 16
  %hi = lshr i32 %b, 16
  %s = or i32 %lo, %hi
  %v = bitcast i32 %s to <2 x half>
  %w = fmul <2 x half> %v, <half 2.0, half 3.0>
  %r = bitcast <2 x half> %w to i32
  store i32 %r, ptr %py
  ret void
)"))) << f.error;
  std::vector<uint16_t> bits(64, 0x3c00);
  BufferId x = f.buffer("x", bits, ElementKind::F16),
           y = f.output("y", 128, ElementKind::F16);
  f.memory.enableShadow(Shadow::ValueAndField);
  auto variable = [&](unsigned i) {
    FieldValue v = field.input(0, i);
    v.type = ElementKind::F16;
    return v;
  };
  for (unsigned i = 0; i < 64; ++i)
    f.memory.setFieldHandle(x, 2 * i, field.store(variable(i)));
  Options options;
  options.shadow = Shadow::ValueAndField;
  options.field = &field;
  EXPECT_CLEAN(
      f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(x), f.ptr(y)}, options));
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_TRUE(
        field.equal(field.at(f.memory.fieldHandle(y, 2 * i)),
                    field.mul(variable(i ^ 1), field.integer(i % 2 ? 3 : 2))))
        << i;
  EXPECT_TRUE(field.notes().empty());
}

// Control --------------------------------------------------------------------

std::vector<std::string> control(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic d;
  auto module = llvm::parseAssemblyString(
      kernelIR("ptr %x, ptr %y", std::string(address) + body), d, context);
  EXPECT_TRUE(module) << d.getMessage().str() << " " << d.getLineNo();
  std::vector<std::string> out;
  if (module)
    for (const CodeNote &c : findFloatControl(*module))
      out.push_back(c.str());
  return out;
}

TEST(FloatControlTest, ChoosingValuesIsFine) {
  EXPECT_TRUE(control(R"(
  %c = fcmp ogt float %a, 0.0
  %r = select i1 %c, float %a, float 0.0
  store float %r, ptr %py
  ret void
)")
                  .empty());
  EXPECT_TRUE(control(R"(
  %c = fcmp ogt float %a, 0.0
  br i1 %c, label %then, label %join
then:
  %e = call float @__nv_expf(float %a)
  br label %join
join:
  %r = phi float [%a, %entry], [%e, %then]
  store float %r, ptr %py
  ret void
)")
                  .empty());
}

TEST(FloatControlTest, SteeringIsNot) {
  using Found = std::vector<std::string>;
  EXPECT_EQ(control(R"(
  %c = fcmp ogt float %a, 0.0
  br i1 %c, label %then, label %join
then:
  store float %a, ptr %py
  br label %join
join:
  ret void
)"),
            Found{"a comparison of floats decides a branch around a store"});
  EXPECT_EQ(control(R"(
  br label %loop
loop:
  %v = phi float [%a, %entry], [%h, %loop]
  %h = fmul float %v, 0.5
  %c = fcmp ogt float %h, 1.0
  br i1 %c, label %loop, label %done
done:
  store float %h, ptr %py
  ret void
)"),
            Found{"a comparison of floats decides how often a loop runs"});
  EXPECT_EQ(control(R"(
  %c = fcmp ogt float %a, 0.0
  %i = zext i1 %c to i32
  %q = getelementptr float, ptr %y, i32 %i
  store float %a, ptr %q
  ret void
)"),
            Found{"a comparison of floats decides an address"});
  EXPECT_EQ(control(R"(
  %c = fcmp ogt float %a, 0.0
  %i = zext i1 %c to i32
  store i32 %i, ptr %py
  ret void
)"),
            Found{"a comparison of floats is stored as an integer"});
  EXPECT_EQ(control(R"(
  %c = fcmp ogt float %a, 0.0
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %n = phi i32 [0, %entry], [1, %then]
  %q = getelementptr float, ptr %y, i32 %n
  store float %a, ptr %q
  ret void
)"),
            Found{"a comparison of floats decides an address"});
}

/// Whoever is told more than a value hears of it.
TEST(FloatControlTest, CallsAndEndsAreNot) {
  auto first = [](const std::string &body) {
    std::vector<std::string> found =
        control("  %c = fcmp ogt float %a, 0.0\n" + body);
    return found.empty() ? "" : found.front();
  };
  const std::string branch = "  br i1 %c, label %then, label %join\nthen:\n";
  EXPECT_EQ(first(branch + "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n"
                           "  br label %join\njoin:\n  ret void\n"),
            "a comparison of floats decides a branch around a call that does "
            "more than compute");
  EXPECT_EQ(first(branch + "  call void @llvm.trap()\n  unreachable\n"
                           "join:\n  ret void\n"),
            "a comparison of floats decides which way the kernel ends");
  EXPECT_EQ(first("  %i = zext i1 %c to i32\n"
                  "  call void @llvm.nvvm.bar.warp.sync(i32 %i)\n"
                  "  ret void\n"),
            "a comparison of floats is handed to 'llvm.nvvm.bar.warp.sync'");
  EXPECT_EQ(first("  %i = zext i1 %c to i32\n"
                  "  call void asm sideeffect \"st.global.u32 [$0], $1;\", "
                  "\"l,r\"(ptr %y, i32 %i)\n  ret void\n"),
            "a comparison of floats is handed to 'inline asm'");
  EXPECT_EQ(first("  %i = zext i1 %c to i32\n"
                  "  %r = call float asm \"cvt.rn.f32.s32 $0, $1;\", "
                  "\"=f,r\"(i32 %i)\n  ret void\n"),
            "a comparison of floats is handed to a call whose result is a "
            "float");
  EXPECT_EQ(first("  %i = zext i1 %c to i32\n"
                  "  %o = atomicrmw add ptr %y, i32 %i seq_cst\n"
                  "  ret void\n"),
            "a comparison of floats decides an atomic operation");
}

} // namespace
