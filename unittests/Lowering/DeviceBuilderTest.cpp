// The builder spares LLVM's pipeline where it has just run on the very same
// module, and only there: each thing that the result depends on is changed
// once.
#include "evo/Lowering/DeviceBuilder.h"
#include "../WideTarget.h"
#include "evo/Driver/Registration.h"
#include "evo/Interfaces/Faults.h"
#include "mlir/Parser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;

namespace {
const char *text = R"mlir(
evo.kernel @scale args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %factor = llvm.mlir.constant(3.0 : f32) : f32
        %e = llvm.fmul %v, %factor : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
}
)mlir";

std::string print(const llvm::Module &module) {
  std::string result;
  llvm::raw_string_ostream(result) << module;
  return result;
}

class DeviceBuilderTest : public testing::Test {
protected:
  DeviceBuilderTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The plan of `text`, with `from` replaced by `to`.
  LaunchPlanOpInterface parse(StringRef from = "", StringRef to = "") {
    std::string source = text;
    if (!from.empty()) {
      size_t at = source.find(from.str());
      EXPECT_NE(at, std::string::npos) << from.str();
      source.replace(at, from.size(), to.str());
    }
    modules.push_back(parseSourceString<ModuleOp>(source, &context));
    EXPECT_TRUE(modules.back());
    auto kernel = *modules.back()->getOps<KernelOp>().begin();
    return *kernel.getBody().getOps<VariantOp>().begin();
  }

  struct Built {
    std::string optimized, hash;
  };
  CodegenOptions optionsFor(StringRef target) {
    return CodegenOptions(parseTarget(&context, target));
  }
  Built build(LaunchPlanOpInterface plan) {
    return build(plan, optionsFor("sm_90"));
  }
  Built build(LaunchPlanOpInterface plan, const CodegenOptions &options) {
    llvm::LLVMContext llvmContext;
    auto result = builder.build(plan, options, llvmContext);
    EXPECT_TRUE(succeeded(result));
    EXPECT_EQ(result->size(), 1u);
    return {print(*result->front().optimized),
            hashPlan(plan, *result, options)};
  }

  MLIRContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
  DeviceBuilder builder;
};

TEST_F(DeviceBuilderTest, SamePlanIsOptimisedOnce) {
  Built first = build(parse()), second = build(parse());
  EXPECT_EQ(builder.getNumPipelineRuns(), 1u);
  EXPECT_EQ(first.optimized, second.optimized);
  EXPECT_EQ(first.hash, second.hash);
  // And as without any store.
  DeviceBuilder fresh;
  llvm::LLVMContext llvmContext;
  auto alone = fresh.build(parse(), optionsFor("sm_90"), llvmContext);
  ASSERT_TRUE(succeeded(alone));
  EXPECT_EQ(print(*alone->front().optimized), first.optimized);
}

/// What the code is judged by has warps of one width.
TEST_F(DeviceBuilderTest, OtherWarpsAreRefused) {
  auto refusal = [&](const test::WideTarget::Widths &widths) {
    std::string said;
    FaultKind fault = FaultKind::Candidate;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      said = diagnostic.str();
      fault = faultOf(diagnostic);
      return success();
    });
    CodegenOptions options(test::makeWideTarget(context, widths));
    llvm::LLVMContext llvmContext;
    EXPECT_TRUE(failed(builder.build(parse(), options, llvmContext)));
    EXPECT_EQ(fault, FaultKind::Unsupported);
    return said;
  };
  EXPECT_EQ(refusal({64, 64}),
            "target 'wide' has warps of 64 threads and lane masks of 64 bits, "
            "expected 32 and 32");
  EXPECT_EQ(refusal({32, 64}),
            "target 'wide' has warps of 32 threads and lane masks of 64 bits, "
            "expected 32 and 32");
}

TEST_F(DeviceBuilderTest, ChangedCodeIsAnother) {
  Built first = build(parse());
  for (auto [from, to] :
       {std::pair("3.0 : f32", "3.5 : f32"), std::pair("fmul %v", "fadd %v"),
        std::pair("ctaid.x", "ctaid.y"),
        std::pair("ptx_kernelcc @f(", "ptx_kernelcc @f(")}) {
    unsigned runs = builder.getNumPipelineRuns();
    Built other = build(parse(from, to));
    bool same = StringRef(from) == to;
    EXPECT_EQ(builder.getNumPipelineRuns(), runs + !same) << from;
    EXPECT_EQ(other.optimized == first.optimized, same) << from;
    EXPECT_EQ(other.hash == first.hash, same) << from;
  }
}

TEST_F(DeviceBuilderTest, ChangedLaunchSharesTheModuleNotTheHash) {
  Built first = build(parse());
  Built other = build(parse(R"(block ["1")", R"(block ["2")"));
  EXPECT_EQ(builder.getNumPipelineRuns(), 1u);
  EXPECT_EQ(first.optimized, other.optimized);
  EXPECT_NE(first.hash, other.hash);
}

TEST_F(DeviceBuilderTest, TargetAndLevelAreOfTheKey) {
  Built first = build(parse());
  Built older = build(parse(), optionsFor("sm_80"));
  EXPECT_EQ(builder.getNumPipelineRuns(), 2u);
  EXPECT_NE(first.hash, older.hash);
  CodegenOptions options = optionsFor("sm_90");
  options.optLevel = 0;
  build(parse(), options);
  EXPECT_EQ(builder.getNumPipelineRuns(), 3u);
}

TEST_F(DeviceBuilderTest, WhoGetsAModuleMayNotChangeTheStore) {
  LaunchPlanOpInterface plan = parse();
  llvm::LLVMContext llvmContext;
  auto first = builder.build(plan, optionsFor("sm_90"), llvmContext);
  ASSERT_TRUE(succeeded(first));
  std::string before = print(*first->front().optimized);
  for (llvm::Function &function : *first->front().optimized)
    function.deleteBody();
  EXPECT_EQ(build(plan).optimized, before);
  EXPECT_EQ(builder.getNumPipelineRuns(), 1u);
}

TEST_F(DeviceBuilderTest, OnlyTheLatestAreKept) {
  build(parse());
  for (const char *factor :
       {"4.0 : f32", "5.0 : f32", "6.0 : f32", "7.0 : f32"})
    build(parse("3.0 : f32", factor));
  EXPECT_EQ(builder.getNumPipelineRuns(), 5u);
  build(parse("3.0 : f32", "7.0 : f32"));
  EXPECT_EQ(builder.getNumPipelineRuns(), 5u);
  build(parse());
  EXPECT_EQ(builder.getNumPipelineRuns(), 6u);
}

/// IR that was built lists the branches to a block in another order than the
/// same IR parsed from text.
TEST_F(DeviceBuilderTest, OrderOfPredecessorsDoesNotCount) {
  StringRef from = "llvm.return";
  StringRef to = R"(%n = llvm.fptosi %v : f32 to i32
          %c = llvm.icmp "slt" %n, %n : i32
          llvm.cond_br %c, ^left, ^right
        ^left:
          llvm.br ^join(%n : i32)
        ^right:
          %m = llvm.mul %n, %n : i32
          llvm.br ^join(%m : i32)
        ^join(%r: i32):
          %w = llvm.sitofp %r : i32 to f32
          llvm.store %w, %p : f32, !llvm.ptr
          llvm.return)";
  LaunchPlanOpInterface plan = parse(from, to);
  Built first = build(plan);
  unsigned reversed = 0;
  plan->walk([&](Block *block) {
    SmallVector<unsigned> order;
    for (BlockOperand &use : block->getUses())
      order.push_back((void(use), order.size()));
    std::reverse(order.begin(), order.end());
    if (order.size() > 1) {
      block->shuffleUseList(order);
      ++reversed;
    }
  });
  EXPECT_EQ(reversed, 1u);
  EXPECT_EQ(build(plan).hash, first.hash);
  EXPECT_EQ(builder.getNumPipelineRuns(), 1u);
}

TEST_F(DeviceBuilderTest, DigestAlone) {
  LaunchPlanOpInterface plan = parse();
  std::string hash = build(plan).hash;
  llvm::LLVMContext llvmContext;
  auto digest = builder.build(plan, optionsFor("sm_90"), llvmContext,
                              DeviceBuilder::Forms::Digest);
  ASSERT_TRUE(succeeded(digest));
  EXPECT_FALSE(digest->front().unoptimized);
  EXPECT_FALSE(digest->front().optimized);
  EXPECT_EQ(hashPlan(plan, *digest, optionsFor("sm_90")), hash);
}

TEST_F(DeviceBuilderTest, FormsNotAskedForAreNotMade) {
  llvm::LLVMContext llvmContext;
  auto written = builder.build(parse(), optionsFor("sm_90"), llvmContext,
                               DeviceBuilder::Forms::Unoptimized);
  ASSERT_TRUE(succeeded(written));
  EXPECT_TRUE(written->front().unoptimized);
  EXPECT_FALSE(written->front().optimized);
  EXPECT_EQ(builder.getNumPipelineRuns(), 0u);
  auto shipped = builder.build(parse(), optionsFor("sm_90"), llvmContext,
                               DeviceBuilder::Forms::Optimized);
  ASSERT_TRUE(succeeded(shipped));
  EXPECT_FALSE(shipped->front().unoptimized);
  EXPECT_TRUE(shipped->front().optimized);
}
} // namespace
