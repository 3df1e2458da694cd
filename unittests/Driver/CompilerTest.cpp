// What the one call for other compilers says of an input that is none.
#include "evo/Driver/Compiler.h"
#include "evo/Driver/Registration.h"
#include "evo/Interfaces/Backends.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace evo;

namespace {
std::string problemOf(llvm::StringRef text) {
  auto files = compileMLIR(text, "input.mlir", CompileOptions());
  return files ? "" : llvm::toString(files.takeError());
}

TEST(Compiler, NamesWhatIsWrongWithItsInput) {
  EXPECT_EQ(problemOf("evo.kernel @k {}\nevo.kernel @l {}\n"),
            "holds 2 kernels, expected one");
  EXPECT_EQ(problemOf("evo.kernel @k {}\n"), "the kernel has no contract");
  EXPECT_NE(problemOf("nothing").find("\"input.mlir\":1:1"), std::string::npos);
}

/// A process that has the dialect, and nobody who plays a role of its own.
TEST(Backends, AreMissed) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          said += diagnostic.str();
                                          return mlir::success();
                                        });
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>("evo.kernel @k {}", &context);
  ASSERT_TRUE(module);
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  EXPECT_EQ(BackendInterface::get(&context, kernel.getLoc()), nullptr);
  EXPECT_EQ(said, "no backends are attached to the evo dialect in this "
                  "process");
  said.clear();
  auto *dialect = context.getLoadedDialect<EvoDialect>();
  dialect->addInterface(std::make_unique<BackendInterface>(dialect));
  EXPECT_EQ(BackendInterface::getVerifier(kernel), nullptr);
  EXPECT_EQ(said, "no verifier is attached to the evo dialect in this "
                  "process");
}
} // namespace
