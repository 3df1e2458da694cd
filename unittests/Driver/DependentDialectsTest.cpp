// Passes run where no dialect is loaded but those of their input and those that
// they name as dependent: none is loaded while they run, which MLIR itself only
// notices where it was built with assertions.
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {
constexpr llvm::StringLiteral kernel = R"mlir(
evo.kernel @copy args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {
  evo.reference {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr, %y: !llvm.ptr) {
        %b = nvvm.read.ptx.sreg.ctaid.x : i32
        %p = llvm.getelementptr %x[%b] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %q = llvm.getelementptr %y[%b] : (!llvm.ptr, i32) -> !llvm.ptr, f32
        %v = llvm.load %p : !llvm.ptr -> f32
        llvm.store %v, %q : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["N", "1", "1"] block ["1", "1", "1"] args ["x", "y"]
  }
}
)mlir";

/// What `pass` makes of a file, in a context of its own.
std::string runAlone(const std::string &text, const std::string &pass) {
  DialectRegistry registry, dependent;
  evo::registerDialects(registry);
  evo::attachBackends(registry, evo::BackendOptions());
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context, ModuleOp::getOperationName());
  if (!module || failed(parsePassPipeline("evo.kernel(" + pass + ")", passes)))
    return "failed: " + pass;
  passes.getDependentDialects(dependent);
  for (llvm::StringRef name : dependent.getDialectNames())
    context.getOrLoadDialect(name);
  const std::vector<Dialect *> loaded = context.getLoadedDialects();
  EXPECT_TRUE(succeeded(passes.run(*module))) << pass;
  for (Dialect *dialect : context.getLoadedDialects())
    EXPECT_TRUE(llvm::is_contained(loaded, dialect))
        << pass << ": " << dialect->getNamespace().str();
  std::string made;
  llvm::raw_string_ostream(made) << *module;
  return made;
}

TEST(DependentDialects, AreAllThatPassesLoad) {
  evo::registerPasses();
  std::string text = runAlone(kernel.str(), "evo-raise-structured");
  EXPECT_NE(text.find("evo.variant @l1"), std::string::npos) << text;
  text = runAlone(text, "evo-verify{effort=quick force=true}");
  EXPECT_NE(text.find("evidence <"), std::string::npos) << text;
  for (const char *pass : {"evo-audit", "evo-prove", "evo-raise"})
    text = runAlone(text, pass);
}
} // namespace
