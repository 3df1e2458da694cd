// The target attribute against the tables that it names.
#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace evo;

namespace {
struct TargetAttrs : testing::Test {
  TargetAttrs() { context.loadDialect<EvoDialect, NVVM::NVVMDialect>(); }
  MLIRContext context;
  TargetAttrInterface get(StringRef name) {
    return TargetAttr::get(&context, name);
  }
};
} // namespace

TEST_F(TargetAttrs, AnswersForAnArchitecture) {
  TargetAttrInterface target = get("sm_103f");
  EXPECT_EQ(target.getName(), "sm_103f");
  EXPECT_EQ(target.getArch(), "sm_103f");
  EXPECT_EQ(target.getPTXVersion(), 88u);
  EXPECT_EQ(target.getInfo(), nullptr); // no card of it is in the table
  EXPECT_EQ(get("sm_90").getInfo(), target::findTarget("h200"));
}

TEST_F(TargetAttrs, ACardStandsForItsOwnArchitecture) {
  TargetAttrInterface target = get("l4");
  EXPECT_EQ(target.getName(), "l4");
  EXPECT_EQ(target.getArch(), "sm_89");
  EXPECT_EQ(target.getPTXVersion(), 81u);
  EXPECT_EQ(target.getInfo(), target::findTarget("l4"));
}

TEST_F(TargetAttrs, BecomesAnNVVMTarget) {
  auto object = dyn_cast<NVVM::NVVMTargetAttr>(get("h200").getObjectTarget());
  ASSERT_TRUE(object);
  EXPECT_EQ(object.getChip(), "sm_90a");
  EXPECT_EQ(object.getTriple(), "nvptx64-nvidia-cuda");
}

TEST_F(TargetAttrs, SaysHowWarpsAndMemoriesAre) {
  TargetAttrInterface target = get("h200");
  EXPECT_EQ(target.getWarpSize(), 32u);
  EXPECT_EQ(target.getLaneMaskBits(), 32u);
  EXPECT_EQ(target.getAddressSpace(target::Memory::Generic), 0u);
  EXPECT_EQ(target.getAddressSpace(target::Memory::Global), 1u);
  EXPECT_EQ(target.getAddressSpace(target::Memory::Shared), 3u);
  EXPECT_EQ(target.getAddressSpace(target::Memory::Constant), 4u);
  EXPECT_EQ(target.getAddressSpace(target::Memory::Local), 5u);
}

TEST_F(TargetAttrs, ParsesTheOptionOfAPass) {
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  EXPECT_EQ(parseTarget(&context, "sm_90"), get("sm_90"));
  EXPECT_EQ(said, "");
  EXPECT_FALSE(parseTarget(&context, "x86"));
  EXPECT_EQ(said, "unknown target 'x86', expected one such as sm_90");
}
