// What the one call for other compilers says of an input that is none.
#include "evo/Driver/Compiler.h"
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
} // namespace
