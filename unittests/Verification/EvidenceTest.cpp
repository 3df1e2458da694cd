// Evidence is bound to what it judged, also where the builder has just built
// both: a store of modules must never vouch for a plan that it was not asked
// of.
#include "Registered.h"
#include "evo/Verification/Verifier.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

namespace {
/// y = 2 x: the reference and two variants, of which @sum adds instead.
std::string makeKernel() {
  auto plan = [](StringRef op) {
    return (R"mlir({
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %i = llvm.sext %b : i32 to i64
        %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        %two = llvm.mlir.constant(2.0 : f32) : f32
        %e = )mlir" +
            op + R"mlir( : f32
        llvm.store %e, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  })mlir")
        .str();
  };
  return "evo.kernel @scale args [#evo.arg<\"x\" in f32 [\"N\"]>, "
         "#evo.arg<\"y\" out f32 [\"N\"]>] {\nevo.reference " +
         plan("llvm.fmul %v, %two") + "\nevo.variant @product " +
         plan("llvm.fmul %two, %v") + "\nevo.variant @sum " +
         plan("llvm.fadd %v, %v") + "\n}";
}

class EvidenceTest : public test::RegisteredTest {
protected:
  EvidenceTest() {
    module = parseSourceString<ModuleOp>(makeKernel(), &context);
    EXPECT_TRUE(module);
    kernel = *module->getOps<KernelOp>().begin();
    product = kernel.lookupSymbol<VariantOp>("product");
    sum = kernel.lookupSymbol<VariantOp>("sum");
    for (VariantOp variant : {product, sum}) {
      FailureOr<EvidenceAttr> evidence = verifyPlan(
          kernel, variant, VerificationOptions(parseTarget(&context, "sm_90")),
          builder);
      EXPECT_TRUE(succeeded(evidence) && evidence->isAccepted());
      variant.setEvidenceAttr(*evidence);
    }
  }

  bool isValid(VariantOp variant) {
    std::string why;
    return hasValidEvidence(variant, parseTarget(&context, "sm_90"), builder,
                            why);
  }

  DeviceBuilder builder; // warm: it has built both
  OwningOpRef<ModuleOp> module;
  KernelOp kernel;
  VariantOp product, sum;
};

TEST_F(EvidenceTest, HoldsForWhatWasJudgedAndSparesThePipeline) {
  EXPECT_EQ(builder.getNumPipelineRuns(), 2u);
  EXPECT_TRUE(isValid(product));
  EXPECT_TRUE(isValid(sum));
  EXPECT_EQ(builder.getNumPipelineRuns(), 2u);
}

TEST_F(EvidenceTest, OfOnePlanIsRefusedForAnother) {
  EvidenceAttr own = sum.getEvidenceAttr();
  sum.setEvidenceAttr(product.getEvidenceAttr());
  EXPECT_FALSE(isValid(sum));
  sum.setEvidenceAttr(own);
  EXPECT_TRUE(isValid(sum));
}

TEST_F(EvidenceTest, IsRefusedOnceTheCodeIsSwapped) {
  // All but the device code stays: the name, the launch, the evidence.
  auto take = [](VariantOp variant) {
    return *variant.getBody().getOps<gpu::GPUModuleOp>().begin();
  };
  gpu::GPUModuleOp mine = take(sum), other = take(product);
  OpBuilder(mine).clone(*other);
  mine.erase();
  EXPECT_FALSE(isValid(sum));
}

TEST_F(EvidenceTest, IsRefusedOnceALiteralChanges) {
  product.walk([&](LLVM::ConstantOp constant) {
    constant.setValueAttr(FloatAttr::get(Float32Type::get(&context), 2.5));
  });
  EXPECT_FALSE(isValid(product));
}

TEST_F(EvidenceTest, IsRefusedForAnotherTarget) {
  std::string why;
  EXPECT_FALSE(
      hasValidEvidence(product, parseTarget(&context, "sm_80"), builder, why));
}
} // namespace
