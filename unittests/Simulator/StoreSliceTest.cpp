// What is left of kernels where only places of stores are asked for.
#include "evo/Simulator/StoreSlice.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

class StoreSlice : public testing::Test {
protected:
  LLVMContext context;
  std::unique_ptr<Module> module;
  const Function &slice(StringRef text) {
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    evo::sim::keepWhatPlacesStores(*module);
    return *module->getFunction("k");
  }
  template <class Inst> static unsigned count(const Function &function) {
    unsigned found = 0;
    for (const Instruction &i : instructions(function))
      found += isa<Inst>(i);
    return found;
  }
};

/// y[row] = x[0] + x[1] + ... in a loop of n rounds.
constexpr const char *sum = R"(
define ptx_kernel void @k(ptr %x, ptr %y, i64 %row, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %t = fadd float %s, %v
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %y, i64 %row
  store float %t, ptr %q
  ret void
})";

TEST_F(StoreSlice, SumsGoWithTheirLoops) {
  const Function &k = slice(sum);
  EXPECT_EQ(count<LoadInst>(k), 0u);
  EXPECT_EQ(count<PHINode>(k), 0u);
  EXPECT_EQ(count<StoreInst>(k), 1u);
}

TEST_F(StoreSlice, WhatPlacesAStoreStays) {
  const Function &k = slice(R"(
define ptx_kernel void @k(ptr %x, ptr %y, ptr %at, float %limit) {
  %v = load float, ptr %x
  %small = fcmp olt float %v, %limit
  br i1 %small, label %store, label %done
store:
  %i = load i64, ptr %at
  %q = getelementptr float, ptr %y, i64 %i
  store float %v, ptr %q
  br label %done
done:
  ret void
})");
  EXPECT_EQ(count<LoadInst>(k), 2u);
  EXPECT_EQ(count<StoreInst>(k), 1u);
}

/// Tiles of a product, copied and added up round by round.
TEST_F(StoreSlice, TilesGoWithTheirLoops) {
  const Function &k = slice(R"(
@tile = internal addrspace(3) global [32 x float] undef
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %x, ptr %y, i64 %row, i64 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %own = getelementptr float, ptr addrspace(3) @tile, i32 %t
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %u, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %own
  call void asm sideeffect "cp.async.ca.shared.global [$0], [$1], 4;", "r,l"(i32 %t, ptr %p)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) @tile
  %u = fadd float %s, %w
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %q = getelementptr float, ptr %y, i64 %row
  store float %u, ptr %q
  ret void
})");
  EXPECT_EQ(count<LoadInst>(k), 0u);
  EXPECT_EQ(count<PHINode>(k), 0u);
  EXPECT_EQ(count<CallInst>(k), 0u);
  EXPECT_EQ(count<StoreInst>(k), 1u);
}

TEST_F(StoreSlice, SharedMemoryKeepsItsValues) {
  const Function &k = slice(R"(
define ptx_kernel void @k(ptr %x, ptr addrspace(3) %s, ptr %y) {
  %v = load i64, ptr %x
  store i64 %v, ptr addrspace(3) %s
  %i = load i64, ptr addrspace(3) %s
  %q = getelementptr float, ptr %y, i64 %i
  store float 1.0, ptr %q
  ret void
})");
  EXPECT_EQ(count<LoadInst>(k), 2u);
  EXPECT_EQ(count<StoreInst>(k), 2u);
}

TEST_F(StoreSlice, SharedMemoryKeepsItsValuesByGenericPointersToo) {
  const Function &k = slice(R"(
@s = internal addrspace(3) global [4 x i64] undef
define ptx_kernel void @k(i64 %v, ptr %y) {
  %g = addrspacecast ptr addrspace(3) @s to ptr
  store i64 %v, ptr %g
  %i = load i64, ptr addrspace(3) @s
  %q = getelementptr float, ptr %y, i64 %i
  store float 1.0, ptr %q
  ret void
})");
  const auto *first = cast<StoreInst>(&*find_if(
      k.front(), [](const Instruction &i) { return isa<StoreInst>(i); }));
  EXPECT_EQ(first->getValueOperand(), k.getArg(0));
}

} // namespace
