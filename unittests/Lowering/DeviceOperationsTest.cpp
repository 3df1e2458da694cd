// One operation in all spellings that MLIR has for it, and what is none.
#include "evo/Lowering/DeviceOperations.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/Driver/Registration.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace evo;

namespace {
class DeviceOperationsTest : public testing::Test {
protected:
  DeviceOperationsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The op that `text` begins with, in a function of a pointer %p and a word
  /// %w.
  Operation *parse(const std::string &text) {
    module =
        parseSourceString<ModuleOp>("llvm.func @g()\n"
                                    "llvm.func @f(%p: !llvm.ptr, %w: i32) {\n" +
                                        text + "\nllvm.return\n}",
                                    &context);
    EXPECT_TRUE(module) << text;
    if (!module)
      return nullptr;
    auto function = module->lookupSymbol<LLVM::LLVMFuncOp>("f");
    return &function.getBody().front().front();
  }

  /// Their names, each with a star behind it where the table has it.
  std::string operations(const std::string &text) {
    std::string names;
    if (Operation *op = parse(text))
      forEachDeviceOperation(op, [&](const device::Operation &operation) {
        names += (names.empty() ? "" : " ") + operation.name.str() +
                 (operation.op ? "*" : "");
      });
    return names;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DeviceOperationsTest, InAllSpellings) {
  EXPECT_EQ(operations("nvvm.barrier0"), "nvvm.barrier0*");
  EXPECT_EQ(operations("%s = llvm.call_intrinsic "
                       "\"llvm.nvvm.shfl.sync.down.i32\"(%w, %w, %w, %w) : "
                       "(i32, i32, i32, i32) -> i32"),
            "llvm.nvvm.shfl.sync.down.i32*");
  // Without the types of the call.
  EXPECT_EQ(operations("%s = llvm.call_intrinsic "
                       "\"llvm.nvvm.atomic.add.gen.i.cta.i32.p0\"(%p, %w) : "
                       "(!llvm.ptr, i32) -> i32"),
            "llvm.nvvm.atomic.add.gen.i.cta*");
  EXPECT_EQ(operations("llvm.inline_asm has_side_effects \"bar.sync 0; "
                       "nonsense [$0];\", \"l\" %p : (!llvm.ptr) -> ()"),
            "bar.sync* nonsense");
  EXPECT_EQ(operations("nvvm.inline_ptx \"red.global.add.u32 [$0], 1;\" "
                       "ro(%p : !llvm.ptr)"),
            "red.global.add.u32*");
  EXPECT_EQ(operations("%s = llvm.add %w, %w : i32"), "");
  EXPECT_EQ(operations("llvm.call @g() : () -> ()"), "");
}

TEST_F(DeviceOperationsTest, Intrinsics) {
  using device::Tells;
  auto find = [&](const std::string &text) {
    Operation *op = parse(text);
    return op ? findIntrinsic(op) : llvm::Intrinsic::not_intrinsic;
  };
  for (auto [name, tells] : {std::pair("tid", Tells::ThreadId),
                             {"ntid", Tells::BlockDim},
                             {"ctaid", Tells::BlockId},
                             {"nctaid", Tells::GridDim}})
    for (unsigned axis = 0; axis < 3; ++axis)
      EXPECT_EQ(find("%i = nvvm.read.ptx.sreg." + std::string(name) + "." +
                     "xyz"[axis] + " : i32"),
                device::getIntrinsic({tells, axis}));
  EXPECT_NE(find("%i = nvvm.read.ptx.sreg.laneid : i32"),
            llvm::Intrinsic::not_intrinsic);
  EXPECT_EQ(find("llvm.call_intrinsic "
                 "\"llvm.nvvm.barrier.cta.sync.aligned.all\"(%w) : (i32) -> "
                 "()"),
            device::getBlockBarrier());
  for (const char *text :
       {"nvvm.barrier0", "nvvm.barrier", "%s = llvm.add %w, %w : i32"})
    EXPECT_EQ(find(text), llvm::Intrinsic::not_intrinsic) << text;
}

TEST_F(DeviceOperationsTest, InlinePTX) {
  EXPECT_TRUE(isInlinePTX(parse("llvm.inline_asm \"\", \"\" : () -> ()")));
  EXPECT_TRUE(isInlinePTX(parse("nvvm.inline_ptx \"exit;\"")));
  EXPECT_FALSE(isInlinePTX(parse("nvvm.barrier0")));
}
} // namespace
