// Machine code for a kernel. One LLJIT for each kernel: what it holds dies with
// the process of the candidate. Little is optimised, since the translator
// leaves little to do and compile time counts.
#include "evo/Simulator/JIT.h"
#include "Translator.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace evo::jit {

/// Beyond it compiling takes longer than most launches.
static constexpr size_t maxInstructions = 20'000;

/// Why it does not pay, or cannot be done, if so.
static std::optional<std::string> findObstacle(const sim::KernelCode &code,
                                               sim::Dim3 block) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("f16c"))
    return "this machine lacks AVX2, FMA or F16C";
  const uint64_t threads = block.x * block.y * block.z;
  if (threads > 1 && threads < sim::warpSize)
    return "blocks have fewer than " + std::to_string(sim::warpSize) +
           " threads";
  if (code.code.size() > maxInstructions)
    return "it has " + std::to_string(code.code.size()) + " instructions";
  return std::nullopt;
}

/// As the source has it, without its parameters.
static std::string readableName(StringRef kernel) {
  return StringRef(demangle(kernel)).split('(').first.str();
}

static Expected<std::unique_ptr<orc::LLJIT>> createJIT(CodeFor runs) {
  static const bool isInitialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)isInitialized;
  auto machine = orc::JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  machine->setCodeGenOptLevel(runs == CodeFor::LongRuns
                                  ? CodeGenOptLevel::Default
                                  : CodeGenOptLevel::None);
  machine->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*machine))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

static void describe(const Analysis &analysis, sim::NativeKernel &result) {
  result.segmentAt = analysis.segmentAt;
  result.roots = analysis.roots;
  result.isLone = analysis.isLone();
  std::map<const Shape *, uint32_t> numbers;
  for (const Segment &segment : analysis.segments) {
    if (!segment.isReached)
      result.segmentAt[segment.begin] = -1;
    auto &expected = result.expected.emplace_back();
    for (const auto &[unit, fact] : segment.facts) {
      if (!fact.shape)
        continue;
      auto [number, isNew] = numbers.try_emplace(fact.shape, numbers.size());
      if (isNew) {
        sim::NativeKernel::Shape shape{*fact.shape, {}};
        llvm::copy(*fact.shape, shape.narrow.begin());
        result.shapes.push_back(shape);
      }
      expected.push_back({unit, fact.wide, number->second});
    }
  }
}

static Expected<std::unique_ptr<sim::NativeKernel>>
compileFor(const sim::Program &program, StringRef kernel, sim::Dim3 block,
           bool isLone, CodeFor runs) {
  const auto &kernels = program.impl().kernels;
  auto found = kernels.find(kernel.str());
  if (found == kernels.end())
    return createStringError("no kernel named '" + kernel + "'");
  const sim::KernelCode &code = found->second;
  if (auto obstacle = findObstacle(code, block))
    return createStringError("'" + readableName(kernel) + "': " + *obstacle);
  // Optimisation takes more than in proportion.
  constexpr size_t maxCode = 1500;
  if (code.code.size() > maxCode)
    return createStringError("'" + readableName(kernel) + "' is too long (" +
                             std::to_string(code.code.size()) +
                             " instructions) to be compiled");

  auto result = std::make_unique<sim::NativeKernel>();
  result->code = &code;
  result->block[0] = block.x;
  result->block[1] = block.y;
  result->block[2] = block.z;
  const Analysis analysis(code, result->block, isLone);
  describe(analysis, *result);

  auto jit = createJIT(runs);
  if (!jit)
    return jit.takeError();
  auto context = std::make_unique<LLVMContext>();
  auto module = std::make_unique<Module>("kernel", *context);
  module->setDataLayout((*jit)->getDataLayout());
  module->setTargetTriple((*jit)->getTargetTriple());
  Translator(*module, analysis).translate();
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(*module, &os)) // unreachable: else the translator is wrong
    return createStringError("'" + kernel + "': " + problem);
  if (Error error = (*jit)->addIRModule(
          orc::ThreadSafeModule(std::move(module), std::move(context))))
    return std::move(error);
  auto address = (*jit)->lookup("run");
  if (!address)
    return address.takeError();
  result->run = address->toPtr<uint64_t (*)(sim::NativeFrame *, uint64_t)>();
  result->owner = std::shared_ptr<orc::LLJIT>(std::move(*jit));
  return result;
}

Expected<std::unique_ptr<sim::NativeKernel>>
compile(const sim::Program &program, StringRef kernel, sim::Dim3 block,
        CodeFor runs) {
  const bool isLone = block.x * block.y * block.z == 1;
  auto result = compileFor(program, kernel, block, isLone, runs);
  if (!result || isLone)
    return result;
  using Kept = std::optional<std::unique_ptr<sim::NativeKernel>>;
  (*result)->getLone = [&program, name = kernel.str(), block, runs,
                        kept = std::make_shared<Kept>()] {
    if (!*kept) {
      auto lone = compileFor(program, name, block, /*isLone=*/true, runs);
      kept->emplace(lone ? std::move(*lone) : nullptr);
      if (!lone)
        // unreachable: what is compiled for full warps is for one thread, too
        consumeError(lone.takeError());
    }
    return (*kept)->get();
  };
  return result;
}

} // namespace evo::jit
