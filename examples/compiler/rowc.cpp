// rowc FILE -o DIR [--emit-mlir] [--rowc-target=ARCH] [--budget=N]: compiles the
// row language to PTX and a launcher. Parsing and emission are its own; what
// makes the result fast, and checks it, is libEvo.
#include "Row.h"
#include "evo/Driver/Compiler.h"
#include "evo/Target/Arch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static int fail(const llvm::Twine &why) {
  llvm::errs() << "rowc: " << why << '\n';
  return 1;
}

int main(int argc, char **argv) {
  // LLVM's own options are many, and registered in the same table.
  cl::OptionCategory category("rowc");
  cl::opt<std::string> input(cl::Positional, cl::Required, cl::desc("<file>"),
                             cl::cat(category));
  cl::opt<std::string> output("o", cl::desc("Folder for the results"),
                              cl::init("out"), cl::cat(category));
  cl::opt<std::string> target("rowc-target", cl::desc("Architecture"),
                              cl::init(evo::target::getDefaultArch()),
                              cl::cat(category));
  cl::opt<unsigned> budget("budget", cl::desc("Candidates to try"),
                           cl::init(12), cl::cat(category));
  cl::opt<bool> emitOnly("emit-mlir", cl::desc("Print linalg and stop"),
                         cl::cat(category));
  cl::ParseCommandLineOptions(argc, argv);

  auto text = llvm::MemoryBuffer::getFile(input);
  if (!text)
    return fail(input + ": " + text.getError().message());
  row::Kernel kernel;
  std::string mlir, why;
  if (!row::parse((*text)->getBuffer().str(), kernel, why) ||
      !row::emit(kernel, mlir, why))
    return fail(input + ": " + why);
  if (emitOnly) {
    llvm::outs() << mlir;
    return 0;
  }
  evo::CompileOptions options;
  options.target = target;
  options.budget = budget;
  auto files = evo::compileMLIR(mlir, kernel.name + ".mlir", options);
  if (!files)
    return fail(llvm::toString(files.takeError()));
  if (std::error_code error = llvm::sys::fs::create_directories(output))
    return fail(output + ": " + error.message());
  for (const evo::CompiledFile &file : *files) {
    std::error_code error;
    llvm::raw_fd_ostream os(output + "/" + file.name, error);
    if (error)
      return fail(file.name + ": " + error.message());
    os << file.contents;
    llvm::outs() << file.name << '\n';
  }
  return 0;
}
