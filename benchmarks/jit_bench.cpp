// The fast path against the interpreter. Runs a tiled product and a softmax by
// rows in both engines, in one process, and prints the times of both, bits
// alone, and their ratio; and what compiling took. The module is a file given
// on the command line that has the kernels sgemm(const float *a, const float
// *b, float *c, int n) in blocks of 16 x 16, and softmax(const float *x, float
// *y, int n), a block of 128 threads per row.
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Lowering/DeviceModule.h"
#include "evo/Simulator/JIT.h"
#include "evo/Target/Arch.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <chrono>

using namespace evo;
using namespace evo::sim;

/// The passes of the post-optimisation form; false where there is no such back
/// end.
static bool optimize(llvm::Module &module) {
  mlir::MLIRContext context;
  context.loadDialect<EvoDialect, mlir::NVVM::NVVMDialect>();
  auto machine =
      createTargetMachine(parseTarget(&context, target::getDefaultArch()),
                          /*optLevel=*/3, mlir::UnknownLoc::get(&context));
  if (failed(machine))
    return false;
  runModulePasses(
      module, **machine,
      [](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) {
        passes.addPass(
            builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3));
      });
  return true;
}

namespace {
struct Case {
  const char *kernel;
  int n;
  unsigned inputs; ///< of n x n floats, before one output
  Dim3 grid, block;
};
} // namespace

/// Microseconds, the best of three; what was computed is put into `result`.
static uint64_t measure(const Program &program, const Case &c,
                        const NativeKernel *native, std::vector<char> &result) {
  GlobalMemory memory;
  LaunchParams params;
  params.kernel = c.kernel;
  params.grid = c.grid;
  params.block = c.block;
  const uint64_t elements = uint64_t(c.n) * c.n;
  for (unsigned b = 0; b <= c.inputs; ++b) {
    BufferSpec spec;
    spec.bytes = elements * 4;
    spec.kind = ElementKind::F32;
    spec.initialized = true;
    BufferId id = memory.addBuffer(spec);
    auto *data = reinterpret_cast<float *>(memory.bytes(id));
    for (uint64_t i = 0; b < c.inputs && i < elements; ++i)
      data[i] = static_cast<float>(i * (7 - 2 * b) % 31) / 31.0f;
    params.args.emplace_back(memory.address(id), 8);
  }
  params.args.emplace_back(c.n, 4);
  Options options;
  options.checkUninitialized = false;
  options.native = native;
  uint64_t best = ~0ull;
  for (int round = 0; round < 3; ++round) {
    LaunchResult r = launch(program, params, memory, options);
    for (const Finding &f : r.findings)
      llvm::errs() << f.str() << "\n";
    best = std::min(best, r.stats.wallMicroseconds);
  }
  const char *bytes = memory.bytes(c.inputs);
  result.assign(bytes, bytes + elements * 4);
  return best;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: jit-bench kernels.ll\n";
    return 3;
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseIRFile(argv[1], diagnostic, context);
  if (!module) {
    diagnostic.print(argv[0], llvm::errs());
    return 3;
  }
  for (bool optimized : {false, true}) {
    if (llvm::Error e = prepareForExecution(
            *module, optimized ? Prepare::AsIs : Prepare::DetectorsForm)) {
      llvm::errs() << llvm::toString(std::move(e)) << "\n";
      return 3;
    }
    if (optimized && !optimize(*module))
      return 4;
    auto program = Program::decode(*module);
    if (!program) {
      llvm::errs() << llvm::toString(program.takeError()) << "\n";
      return 2;
    }
    for (const Case &c :
         {Case{"sgemm", 256, 2, {16, 16, 1}, {16, 16, 1}},
          Case{"softmax", 1024, 1, {1024, 1, 1}, {128, 1, 1}}}) {
      auto begin = std::chrono::steady_clock::now();
      auto native = jit::compile(**program, c.kernel, c.block);
      if (!native) {
        llvm::errs() << llvm::toString(native.takeError()) << "\n";
        return 2;
      }
      const double compile = std::chrono::duration<double, std::milli>(
                                 std::chrono::steady_clock::now() - begin)
                                 .count();
      std::vector<char> ours, theirs;
      const uint64_t fast = measure(**program, c, native->get(), ours),
                     faithful = measure(**program, c, nullptr, theirs);
      llvm::outs() << llvm::format(
          "%-8s %-17s fast %8.2f ms  faithful %8.2f ms  ratio %6.1f  "
          "compiled in %6.1f ms%s\n",
          c.kernel, optimized ? "post-optimisation" : "pre-optimisation",
          fast / 1e3, faithful / 1e3, static_cast<double>(faithful) / fast,
          compile, ours == theirs ? "" : "  DIFFERENT BITS");
      if (ours != theirs)
        return 1;
    }
  }
  return 0;
}
