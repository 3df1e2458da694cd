// Launch descriptions and artifacts from MLIR text.
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Emit/Artifacts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;

namespace {
const char *header = R"mlir(
evo.kernel @axpby
    args [#evo.arg<"x" in f16 ["M", "N"]>,
          #evo.arg<"y" inout f32 ["M", "ceildiv(N, 2)"] align = 32>,
          #evo.arg<"mask" in i1 ["M"]>,
          #evo.arg<"codes" in ui8 ["k"]>,
          #evo.arg<"alpha" scalar f32>,
          #evo.arg<"k" scalar i32>]
    workloads [#evo.workload<{M = 4, N = 8, k = 2}>]
    requires ["N % 4 == 0"]
)mlir";

const char *body = R"mlir(
  evo.scratch "t" : f32 ["M", "k"]
  evo.launch @device::@first grid ["ceildiv(N, 128)", "M", "1"]
      block ["128", "1", "1"] shared "4 * k"
      args ["x", "t", "N", "M * N + k", "alpha", "k"]
  evo.launch @device::@second grid ["M", "1", "1"] block ["32", "4", "1"]
      args ["t", "y", "mask", "codes", "N > 1"]
)mlir";

const char *device = R"mlir(
  gpu.module @device {
    llvm.func @first(%x: !llvm.ptr, %t: !llvm.ptr, %n: i32, %all: i64,
                     %alpha: f32, %k: i16) { llvm.return }
    llvm.func @second(%t: !llvm.ptr, %y: !llvm.ptr, %mask: !llvm.ptr,
                      %codes: !llvm.ptr, %flag: i1) { llvm.return }
  }
)mlir";

const char *code = R"mlir(
  gpu.binary @code [
    #gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "the ptx">,
    #gpu.object<#nvvm.target<chip = "sm_90a">, bin = "the cubin">]
)mlir";

std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class DescribeLaunch : public testing::Test {
protected:
  DescribeLaunch() {
    context.loadDialect<EvoDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }

  /// A kernel whose variants, by name, have the given bodies.
  KernelOp parse(ArrayRef<std::pair<std::string, std::string>> variants,
                 const std::string &attributes = "") {
    std::string text = header + attributes + " {\n";
    for (auto &[head, contents] : variants)
      text += "evo.variant " + head + " {" + contents + "}\n";
    module = parseSourceString<ModuleOp>(text + "}", &context);
    EXPECT_TRUE(module);
    return *module->getOps<KernelOp>().begin();
  }

  std::string plan = replace(body, "\"N > 1\"", "\"min(N, 1)\"");
  std::string whole = plan + device + code;

  static SmallVector<VariantOp> variantsOf(KernelOp kernel) {
    auto range = kernel.getBody().getOps<VariantOp>();
    return SmallVector<VariantOp>(range.begin(), range.end());
  }
  std::string errorOf(KernelOp kernel) {
    auto description = describeLaunch(kernel, variantsOf(kernel));
    if (description)
      return "none";
    return llvm::toString(description.takeError());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DescribeLaunch, Contract) {
  auto d = describeContract(parse({}));
  ASSERT_TRUE(bool(d)) << llvm::toString(d.takeError());
  EXPECT_EQ(d->name, "axpby");
  // Integer scalars are formulas' names, hence among the dimensions.
  EXPECT_EQ(d->dimensions, (std::vector<std::string>{"M", "N", "k"}));
  ASSERT_EQ(d->arguments.size(), 5u);
  EXPECT_EQ(d->arguments[0].type, "f16");
  EXPECT_EQ(d->arguments[1].role, ArgumentRole::InOut);
  EXPECT_EQ(d->arguments[1].alignment, 32u);
  EXPECT_EQ(d->arguments[1].dims[1].getText(), "ceildiv(N, 2)");
  EXPECT_EQ(d->arguments[2].type, "i1");
  EXPECT_EQ(d->arguments[3].type, "u8");
  EXPECT_EQ(d->arguments[4].role, ArgumentRole::Scalar);
  ASSERT_EQ(d->requirements.size(), 1u);
  EXPECT_EQ(d->requirements[0].getText(), "N % 4 == 0");
}

TEST_F(DescribeLaunch, WidthsComeFromSignatures) {
  KernelOp kernel = parse({{"@v", whole}});
  auto d = describeLaunch(kernel, variantsOf(kernel));
  ASSERT_TRUE(bool(d)) << llvm::toString(d.takeError());
  ASSERT_EQ(d->variants.size(), 1u);
  const LaunchVariant &v = d->variants[0];
  EXPECT_EQ(v.name, "best");
  EXPECT_EQ(v.target.str(), "sm_90a");
  EXPECT_EQ(v.ptxFile, "best.ptx");
  EXPECT_EQ(v.cubinFile, "best.cubin");
  ASSERT_EQ(v.scratch.size(), 1u);
  ASSERT_EQ(v.scratch[0].dims.size(), 2u);
  EXPECT_EQ(v.scratch[0].dims[0].getText(), "M");
  EXPECT_EQ(v.scratch[0].dims[1].getText(), "k");
  ASSERT_EQ(v.launches.size(), 2u);
  const KernelLaunch &first = v.launches[0];
  EXPECT_EQ(first.symbol, "first");
  EXPECT_EQ(first.sharedBytes.getText(), "4 * k");
  EXPECT_EQ(first.grid[1].getText(), "M");
  ASSERT_EQ(first.operands.size(), 6u);
  EXPECT_EQ(first.operands[0].kind, KernelOperand::Argument);
  EXPECT_EQ(first.operands[1].kind, KernelOperand::Scratch);
  EXPECT_EQ(first.operands[2].kind, KernelOperand::Formula);
  EXPECT_EQ(first.operands[2].type, "i32");
  EXPECT_EQ(first.operands[3].type, "i64");
  EXPECT_EQ(first.operands[4].kind, KernelOperand::Argument);
  EXPECT_EQ(first.operands[5].kind, KernelOperand::Formula);
  EXPECT_EQ(first.operands[5].type, "i16");
  EXPECT_EQ(v.launches[1].sharedBytes.getText(), "0");
  EXPECT_EQ(v.launches[1].operands[4].type, "u8");
}

TEST_F(DescribeLaunch, SpecialisedBeforeBest) {
  KernelOp kernel =
      parse({{"@general", whole}, {"@wide requires [\"N >= 1024\"]", whole}},
            " best @general attributes "
            "{evo.specialized = [@wide]}");
  SmallVector<VariantOp> shipped = findShippedVariants(kernel);
  ASSERT_EQ(shipped.size(), 2u);
  auto d = describeLaunch(kernel, shipped);
  ASSERT_TRUE(bool(d)) << llvm::toString(d.takeError());
  EXPECT_EQ(d->variants[0].name, "wide");
  EXPECT_EQ(d->variants[0].ptxFile, "wide.ptx");
  EXPECT_EQ(d->variants[1].name, "best");
  Bindings dims;
  dims["M"] = 4;
  dims["k"] = 1;
  dims["N"] = 2048;
  EXPECT_EQ(llvm::cantFail(d->select(dims, 90)), 0u);
  dims["N"] = 64;
  EXPECT_EQ(llvm::cantFail(d->select(dims, 90)), 1u);
}

// A variant that would serve all sizes is used where it is said to be faster.
TEST_F(DescribeLaunch, UsedWhereItIsTheFastest) {
  KernelOp kernel = parse({{"@general", whole}, {"@small", whole}},
                          " best @general attributes "
                          "{evo.specialized = [@small]}");
  auto small = kernel.lookupSymbol<VariantOp>("small");
  Builder b(kernel.getContext());
  small->setAttr(usedWhenAttr, b.getArrayAttr(RequirementAttr::get(
                                   kernel.getContext(), "N <= 100")));
  auto d = describeLaunch(kernel, findShippedVariants(kernel));
  ASSERT_TRUE(bool(d)) << llvm::toString(d.takeError());
  EXPECT_EQ(d->variants[0].name, "small");
  EXPECT_EQ(d->variants[1].name, "best");
  Bindings dims;
  dims["M"] = 4;
  dims["k"] = 1;
  for (auto [size, wanted] : {std::pair(100, 0u), {104, 1u}}) {
    dims["N"] = size;
    EXPECT_EQ(llvm::cantFail(d->select(dims, 90)), wanted);
  }
  // Where it cannot be told, the best serves.
  small->setAttr(usedWhenAttr,
                 b.getArrayAttr(RequirementAttr::get(
                     kernel.getContext(), "N * N * N * N <= 100000000")));
  d = describeLaunch(kernel, findShippedVariants(kernel));
  ASSERT_TRUE(bool(d)) << llvm::toString(d.takeError());
  auto read = LaunchDescription::fromJSON(d->toJSON());
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  for (auto [size, wanted] : {std::pair(100, 0u), {104, 1u}, {1 << 20, 1u}}) {
    dims["N"] = size;
    EXPECT_EQ(llvm::cantFail(read->select(dims, 90)), wanted) << size;
  }
  // What no choice names is no condition.
  kernel->removeAttr(specializedAttr);
  d = describeLaunch(kernel,
                     {small, kernel.lookupSymbol<VariantOp>("general")});
  ASSERT_TRUE(bool(d)) << llvm::toString(d.takeError());
  EXPECT_EQ(llvm::cantFail(d->select(dims, 90)), 0u);
  // Alone it serves all.
  auto alone = describeLaunch(kernel, {small});
  ASSERT_TRUE(bool(alone)) << llvm::toString(alone.takeError());
  EXPECT_EQ(llvm::cantFail(alone->select(dims, 90)), 0u);
}

TEST_F(DescribeLaunch, NothingSelectedShipsNothing) {
  EXPECT_TRUE(findShippedVariants(parse({{"@v", whole}})).empty());
}

TEST_F(DescribeLaunch, Artifacts) {
  KernelOp kernel = parse({{"@v", whole}});
  auto files = emitArtifacts(kernel, variantsOf(kernel));
  ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError());
  ASSERT_EQ(files->size(), 4u);
  EXPECT_EQ((*files)[0].fileName, "best.ptx");
  EXPECT_EQ((*files)[0].contents, "the ptx");
  EXPECT_EQ((*files)[1].fileName, "best.cubin");
  EXPECT_EQ((*files)[1].contents, "the cubin");
  EXPECT_EQ((*files)[2].fileName, "launch.json");
  auto value = llvm::json::parse((*files)[2].contents);
  ASSERT_TRUE(bool(value));
  auto read = LaunchDescription::fromJSON(*value);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(printLaunchJSON(*read), (*files)[2].contents);
  EXPECT_NE((*files)[3].contents.find("evo_launch_axpby"), std::string::npos);
}

TEST_F(DescribeLaunch, NoCubin) {
  std::string ptxOnly = R"mlir(gpu.binary @code [
    #gpu.object<#nvvm.target<chip = "sm_80">, assembly = "the ptx">])mlir";
  KernelOp kernel = parse({{"@v", plan + device + ptxOnly}});
  auto files = emitArtifacts(kernel, variantsOf(kernel));
  ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError());
  EXPECT_EQ(files->size(), 3u);
}

TEST_F(DescribeLaunch, Errors) {
  EXPECT_EQ(errorOf(parse({{"@v", plan + device}})),
            "variant 'v' has no code (run evo-lower first)");
  EXPECT_EQ(
      errorOf(parse({{"@v", replace(whole, "%alpha: f32", "%alpha: f64")}})),
      "'alpha' of 'first' is a scalar of type f32, the kernel's parameter is "
      "f64");
  EXPECT_EQ(errorOf(parse({{"@v", replace(whole, "%n: i32", "%n: f32")}})),
            "'N' of 'first' is an integer, the kernel's parameter is f32");
  EXPECT_EQ(
      errorOf(parse({{"@v", replace(whole, "%x: !llvm.ptr", "%x: i64")}})),
      "'x' of 'first' is a buffer, the kernel's parameter is i64");
  EXPECT_EQ(errorOf(parse({{"@v", replace(whole, "sm_90a", "sm_next")}})),
            "unknown target 'sm_next'");
  EXPECT_EQ(errorOf(parse({})), "launch description 'axpby' has no variant");
  // A plan may name its code alone, which does not tell what a kernel takes.
  std::string code = replace(replace(plan, "@device::@first", "@code::@first"),
                             "@device::@second", "@code::@second") +
                     ::code;
  EXPECT_EQ(errorOf(parse({{"@v", code}})),
            "the signature of 'first' is not known, for the plan does not hold "
            "its device module");
  module = parseSourceString<ModuleOp>("evo.kernel @bare {}", &context);
  auto bare = describeContract(*module->getOps<KernelOp>().begin());
  ASSERT_FALSE(bool(bare));
  EXPECT_EQ(llvm::toString(bare.takeError()), "kernel 'bare' has no contract");
}
} // namespace
