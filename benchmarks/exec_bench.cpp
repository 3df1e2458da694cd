// Speed of the SIMT interpreter. Runs a 256 x 256 x 256 product (96 cubed with
// field values) with 16 x 16 shared tiles and prints nanoseconds per lane
// instruction, for each shadow mode and interpreter. The module is a file given
// on the command line that has a kernel sgemm(const float *a, const float *b,
// float *c, int n).
#include "evo/Simulator/Field.h"
#include "evo/Simulator/Launch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace evo::sim;

int main(int argc, char **argv) {
  if (argc < 2) {
    llvm::errs() << "usage: exec-bench kernels.ll [as-is]\n";
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
  if (llvm::Error e = prepareForExecution(
          *module, argc > 2 ? Prepare::AsIs : Prepare::DetectorsForm)) {
    llvm::errs() << llvm::toString(std::move(e)) << "\n";
    return 3;
  }
  llvm::Expected<std::unique_ptr<Program>> program = Program::decode(*module);
  if (!program) {
    llvm::errs() << llvm::toString(program.takeError()) << "\n";
    return 2;
  }
  std::vector<float> a(256 * 256), b(256 * 256);
  for (int i = 0; i < 256 * 256; ++i) {
    a[i] = (i * 7 % 31) / 31.0f;
    b[i] = (i * 5 % 29) / 29.0f;
  }
  const struct {
    const char *name;
    Shadow shadow;
    bool baseline, counters;
  } modes[] = {{"bits", Shadow::None, false, false},
               {"bits, baseline ISA", Shadow::None, true, false},
               {"bits, counters", Shadow::None, false, true},
               {"shadow value", Shadow::ShadowValue, false, false},
               {"shadow value and error", Shadow::ValueAndError, false, false},
               {"shadow value and field", Shadow::ValueAndField, false, false}};
  for (auto &mode : modes) {
    // What the arena of the field holds bounds the size.
    const bool inField = mode.shadow == Shadow::ValueAndField;
    const int n = inField ? 96 : 256;
    GlobalMemory memory;
    auto buffer = [&](const char *name, const std::vector<float> *data) {
      BufferSpec s;
      s.name = name;
      s.bytes = n * n * 4;
      s.kind = ElementKind::F32;
      BufferId id = memory.addBuffer(s);
      if (data)
        memory.write(id, 0, data->data(), s.bytes);
      return memory.address(id);
    };
    LaunchParams p;
    p.kernel = "sgemm";
    p.grid = {uint64_t(n / 16), uint64_t(n / 16), 1};
    p.block = {16, 16, 1};
    p.args = {buffer("a", &a), buffer("b", &b), buffer("c", nullptr),
              Argument(n, 4)};
    Options options;
    Counters counters;
    options.shadow = mode.shadow;
    options.forceBaseline = mode.baseline;
    if (mode.counters)
      options.counters = &counters;
    LaunchResult best;
    for (int round = 0; round < 3; ++round) {
      std::unique_ptr<Field> field;
      if (inField)
        field = std::make_unique<Field>(1);
      options.field = field.get();
      if (inField) {
        memory.enableShadow(mode.shadow);
        for (BufferId id : {0u, 1u})
          for (int i = 0; i < n * n; ++i) {
            FieldValue v = field->input(id, i);
            v.type = ElementKind::F32;
            memory.setFieldHandle(id, 4 * i, field->store(v));
          }
      }
      LaunchResult r = launch(**program, p, memory, options);
      for (const Finding &f : r.findings)
        llvm::outs() << f.str() << "\n";
      if (!r.clean())
        return 1;
      if (round == 0 || r.stats.wallMicroseconds < best.stats.wallMicroseconds)
        best = r;
    }
    llvm::outs() << llvm::format(
        "%-20s %8.2f ms  %6.3f ns per lane instruction  %6.1f M\n", mode.name,
        best.stats.wallMicroseconds / 1e3,
        best.stats.wallMicroseconds * 1e3 / best.stats.laneInstructions,
        best.stats.laneInstructions / 1e6);
  }
  return 0;
}
