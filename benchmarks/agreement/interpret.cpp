// Operations as the interpreter computes them. Runs each kernel of a module on
// the tables of a file and prints a line for it: its name and the results as
// hexadecimal words, or why there are none.
#include "evo/Simulator/Launch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace evo::sim;

static constexpr unsigned numTables = 3, blockSize = 128;

static void run(const Program &program, const std::string &name,
                llvm::StringRef tables) {
  const uint64_t bytes = tables.size() / numTables;
  GlobalMemory memory;
  LaunchParams params;
  params.kernel = name;
  params.grid = {bytes / 8 / blockSize, 1, 1};
  params.block = {blockSize, 1, 1};
  for (unsigned table = 0; table <= numTables; ++table) {
    BufferSpec spec;
    spec.bytes = bytes;
    spec.initialized = table < numTables;
    BufferId id = memory.addBuffer(spec);
    if (table < numTables)
      memory.write(id, 0, tables.data() + table * bytes, bytes);
    params.args.emplace_back(memory.address(id), 8);
  }
  LaunchResult result = launch(program, params, memory, Options());
  llvm::outs() << name;
  if (!result.clean()) {
    std::string why = result.findings.empty() ? "" : result.findings[0].str();
    llvm::outs() << " error " << llvm::StringRef(why).split('\n').first << "\n";
    return;
  }
  std::vector<uint64_t> words(bytes / 8);
  std::memcpy(words.data(), memory.bytes(numTables), bytes);
  for (uint64_t word : words)
    llvm::outs() << llvm::format(" %llx", (unsigned long long)word);
  llvm::outs() << "\n";
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: interpret-operations operations.ll inputs.bin\n";
    return 3;
  }
  auto tables = llvm::MemoryBuffer::getFile(argv[2]);
  if (!tables || (*tables)->getBufferSize() == 0) {
    llvm::errs() << "cannot read '" << argv[2] << "'\n";
    return 3;
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], llvm::errs());
    return 3;
  }
  std::vector<std::string> kernels;
  for (const llvm::Function &function : *module)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
      kernels.push_back(function.getName().str());
  // One kernel that is not known must not keep the others from running.
  for (const std::string &name : kernels) {
    auto own = llvm::parseIRFile(argv[1], diagnostic, context);
    for (llvm::Function &function : llvm::make_early_inc_range(*own))
      if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
          function.getName() != name) {
        function.replaceAllUsesWith(llvm::PoisonValue::get(function.getType()));
        function.eraseFromParent();
      }
    llvm::Error error = prepareForExecution(*own, Prepare::DetectorsForm);
    auto program =
        error ? llvm::Expected<std::unique_ptr<Program>>(std::move(error))
              : Program::decode(*own);
    if (!program) {
      const std::string why = llvm::toString(program.takeError());
      llvm::outs() << name << " error "
                   << llvm::StringRef(why).split('\n').first << "\n";
      continue;
    }
    run(**program, name, (*tables)->getBuffer());
  }
  return 0;
}
