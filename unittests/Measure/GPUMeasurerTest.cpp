// The measurer on a device of host memory: what becomes a cost, and what is
// refused.
#include "evo/Measure/GPUMeasurer.h"
#include "FakeCounters.h"
#include "FakeDriver.h"
#include "evo/Driver/Registration.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Verification/Verifier.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <set>

using namespace mlir;
using namespace evo;

namespace {
const char *contract = R"mlir(
evo.kernel @scale
    args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>,
          #evo.arg<"a" scalar f32 default = 3.0 : f32>]
    workloads [#evo.workload<{N = 64}>, #evo.workload<{N = 32}>]
)mlir";

/// A variant, or the reference, that launches `symbol`.
std::string plan(const std::string &head, const std::string &symbol,
                 bool code = true, const std::string &chip = "sm_90") {
  std::string text = head + R"mlir( {
    evo.launch @device::@SYMBOL grid ["1", "1", "1"] block ["N", "1", "1"]
        args ["x", "y", "a", "N"]
    gpu.module @device {
      llvm.func @SYMBOL(%x: !llvm.ptr, %y: !llvm.ptr, %a: f32, %n: i32)
          attributes {gpu.kernel, nvvm.kernel} { llvm.return }
    }
    CODE
  }
)mlir";
  std::string binary = "gpu.binary @code [#gpu.object<#nvvm.target<chip = \"" +
                       chip + "\">, assembly = \"ptx\">]";
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replaceAll("SYMBOL", symbol);
  replaceAll("CODE", code ? binary : "");
  return text;
}

class GPUMeasurer : public testing::Test {
protected:
  GPUMeasurer() {
    DialectRegistry registry;
    registerDialects(registry);
    attachBackends(registry, BackendOptions());
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
        remarks += diagnostic.str() + "\n";
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
    });
    addKernel("fast", 100, 1);
    addKernel("slow", 200, 1);
    addKernel("wrong", 100, 1.01f);
    addKernel("close", 100, 1.0000002f);
  }

  void addKernel(const std::string &name, double micros, float factor) {
    cuda::FakeKernel kernel;
    kernel.parameterSizes = {8, 8, 4, 4};
    kernel.micros = micros;
    kernel.body = [factor](const cuda::FakeLaunch &launch) {
      const float *x = launch.pointer<float>(0);
      float *y = launch.pointer<float>(1);
      for (int i = 0; i < launch.get<int>(3); ++i)
        y[i] = factor * launch.get<float>(2) * x[i];
    };
    device.kernels[name] = kernel;
  }

  GPUMeasureOptions options() {
    GPUMeasureOptions options;
    options.secondsPerWorkload = 0.2;
    options.open = [this](int) {
      return cuda::Session::open(makeFakeApi(device), nullptr);
    };
    return options;
  }

  FailureOr<CostAttr> measure(const std::string &plans,
                              StringRef name = "candidate") {
    if (!measurer)
      measurer = createGPUMeasurer(options());
    module =
        parseSourceString<ModuleOp>(contract + ("{" + plans + "}"), &context);
    EXPECT_TRUE(module) << errors;
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    return measurer->measure(kernel.lookupSymbol<VariantOp>(name),
                             TargetAttr::get(&context, "sm_90"));
  }
  /// The same with a reference that really is y = a * x, and evidence that the
  /// candidate was accepted on the CPU.
  bool measureVerified(const std::string &symbol,
                       const std::string &baseline = "slow") {
    const std::string body = R"mlir({
      %i = nvvm.read.ptx.sreg.ctaid.x : i32
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %to = llvm.getelementptr %y[%i] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %v = llvm.load %from : !llvm.ptr -> f32
      %r = llvm.fmul %a, %v : f32
      llvm.store %r, %to : f32, !llvm.ptr
      llvm.return })mlir";
    auto make = [&](const std::string &head, const std::string &kernel) {
      std::string text = plan(head, kernel);
      text.replace(text.find("{ llvm.return }"), 15, body);
      const std::string one = "grid [\"1\", \"1\", \"1\"] block [\"N\"";
      return text.replace(text.find(one), one.size(),
                          "grid [\"N\", \"1\", \"1\"] block [\"1\"");
    };
    GPUMeasureOptions verified = options();
    verified.builder = std::make_shared<DeviceBuilder>();
    if (startVerified)
      startVerified(verified);
    measurer = createGPUMeasurer(verified);
    module = parseSourceString<ModuleOp>(
        contract + ("{" + make("evo.reference", "slow") +
                    make("evo.variant @baseline", baseline) +
                    make("evo.variant @candidate", symbol) + "}"),
        &context);
    EXPECT_TRUE(module) << errors;
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    auto target = TargetAttr::get(&context, "sm_90");
    bool measured = true;
    for (VariantOp variant :
         {kernel.lookupSymbol<VariantOp>("baseline"), getCandidate()}) {
      if (variant != getCandidate() && !measuresBaseline)
        continue;
      auto hash = expectedEvidenceHash(variant, target, *verified.builder);
      EXPECT_TRUE(succeeded(hash)) << errors;
      variant.setEvidenceAttr(EvidenceAttr::get(
          &context, Grade::Numeric, StringAttr::get(&context, *hash),
          DictionaryAttr::get(&context)));
      measured = succeeded(measurer->measure(variant, target));
    }
    return measured;
  }
  VariantOp getCandidate() {
    return (*module->getOps<KernelOp>().begin())
        .lookupSymbol<VariantOp>("candidate");
  }
  std::string candidateDetail(evidence::Text key) {
    return getCandidate().getEvidenceAttr().getDetail(key).str();
  }
  static double detail(CostAttr cost, StringRef name, unsigned index = 0) {
    auto values = cost.getDetails().getAs<DenseF64ArrayAttr>(name);
    EXPECT_TRUE(values) << name.str();
    return values ? values[index] : 0;
  }

  /// Whether measureVerified measures the baseline before the candidate.
  bool measuresBaseline = true;
  /// Changes the options of measureVerified.
  std::function<void(GPUMeasureOptions &)> startVerified;
  cuda::FakeDevice device;
  MLIRContext context;
  std::string errors, remarks;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Measurer> measurer;
};

TEST_F(GPUMeasurer, AgainstTheBaselineVariant) {
  auto cost = measure(plan("evo.variant @baseline", "slow") +
                      plan("evo.variant @candidate", "fast"));
  ASSERT_TRUE(succeeded(cost)) << errors;
  EXPECT_EQ(cost->getSource(), CostSource::Measured);
  EXPECT_EQ(cost->getMachine().getValue(), "fake");
  ASSERT_EQ(cost->getMicros().size(), 2);
  EXPECT_NEAR(cost->getMicros()[0], 100, 1);
  for (unsigned workload : {0u, 1u}) {
    EXPECT_NEAR(detail(*cost, "baseline_us", workload), 200, 2);
    EXPECT_NEAR(detail(*cost, "speedup", workload), 2, 0.05);
    EXPECT_GT(detail(*cost, "checked_calls", workload), 0);
  }
  EXPECT_EQ(cost->getDetails().getAs<StringAttr>("baseline").getValue(),
            "baseline");
}

TEST_F(GPUMeasurer, SamplesRunOnTheDevice) {
  ASSERT_TRUE(measureVerified("fast")) << errors;
  EvidenceAttr evidence = getCandidate().getEvidenceAttr();
  EXPECT_TRUE(evidence.isAccepted());
  EXPECT_EQ(candidateDetail(evidence::processors), "both");
  EXPECT_GE(evidence.getDetail(evidence::deviceSamples).value_or(0), 4);
  EXPECT_EQ(remarks, "");
}

TEST_F(GPUMeasurer, SamplesOnTheDeviceRefute) {
  // Each is right at the sizes of the workloads, which are even.
  auto addOdd = [&](const std::string &name, auto spoil) {
    addKernel(name, 100, 1);
    device.kernels[name].body = [right = device.kernels[name].body,
                                 spoil](const cuda::FakeLaunch &launch) {
      right(launch);
      if (launch.get<int>(3) % 2)
        spoil(launch, launch.pointer<float>(1), launch.get<int>(3));
    };
  };
  addOdd("off",
         [](const cuda::FakeLaunch &, float *y, int n) { y[n - 1] *= 1.001f; });
  addOdd("outside",
         [](const cuda::FakeLaunch &, float *y, int n) { y[n] = 0; });
  addOdd("scribbles", [](const cuda::FakeLaunch &launch, float *, int) {
    launch.pointer<float>(0)[0] += 1;
  });
  addKernel("lazy", 100, 1);
  device.kernels["lazy"].body = [](const cuda::FakeLaunch &launch) {
    const int n = launch.get<int>(3);
    for (int i = 0; i < (n % 2 ? n - 1 : n); ++i)
      launch.pointer<float>(1)[i] =
          launch.get<float>(2) * launch.pointer<float>(0)[i];
  };
  addKernel("late", 100, 1);
  device.kernels["late"].late = [](const cuda::FakeLaunch &launch) {
    launch.pointer<float>(1)[0] += 1;
  };
  struct Case {
    const char *name, *reason, *message;
  };
  for (auto [name, reason, message] :
       {Case{"off", "different-result", ": expected "},
        Case{"lazy", "different-result", "(element is never written)"},
        Case{"outside", "out-of-bounds", "writes outside 'y'"},
        Case{"scribbles", "read-only-write", "writes 'x', which is only read"},
        Case{"late", "late-write",
             "goes on writing when its stream is done"}}) {
    errors.clear();
    EXPECT_FALSE(measureVerified(name)) << name;
    EXPECT_NE(errors.find("is refuted: on the device "), std::string::npos)
        << errors;
    EXPECT_NE(errors.find(message), std::string::npos) << errors;
    EXPECT_FALSE(getCandidate().getEvidenceAttr().isAccepted()) << name;
    EXPECT_EQ(candidateDetail(evidence::reason), reason) << name;
    EXPECT_EQ(candidateDetail(evidence::processors), "gpu") << name;
  }
}

/// A fault is the candidate's only where the device runs something else.
TEST_F(GPUMeasurer, FaultsAreOfWhoCausesThem) {
  addKernel("faults", 100, 1);
  device.kernels["faults"].neverEnds = true;
  auto measureBeside = [&](const std::string &baseline) {
    startVerified = [this](GPUMeasureOptions &options) {
      options.open = nullptr;
      options.worker = [this](int) -> WorkerStart {
        return [this](int in, int out) {
          return cuda::serveTiming(
              [this] {
                return cuda::Session::open(makeFakeApi(device), nullptr);
              },
              in, out);
        };
      };
    };
    errors.clear();
    remarks.clear();
    return measureVerified("faults", baseline);
  };
  EXPECT_FALSE(measureBeside("slow"));
  EXPECT_NE(errors.find("is refuted: on the device fails: the kernel did not "
                        "end within 10 s"),
            std::string::npos)
      << errors;
  EXPECT_EQ(candidateDetail(evidence::reason), "device-fault");
  EXPECT_FALSE(measureBeside("faults"));
  EXPECT_NE(remarks.find("; nobody is held to the device's results"),
            std::string::npos)
      << remarks;
  EXPECT_TRUE(getCandidate().getEvidenceAttr().isAccepted());
  measuresBaseline = false;
  EXPECT_FALSE(measureBeside("faults"));
  EXPECT_NE(remarks.find("could not be verified on the device: the kernel as "
                         "it is fails: the kernel did not end"),
            std::string::npos)
      << remarks;
  EXPECT_TRUE(getCandidate().getEvidenceAttr().isAccepted());
}

TEST_F(GPUMeasurer, WhereTheBaselineFailsSamplesRefuteNobody) {
  EXPECT_TRUE(measureVerified("wrong", "wrong")) << errors;
  EXPECT_NE(remarks.find("the kernel as it is does other than its reference: "
                         "on the device "),
            std::string::npos)
      << remarks;
  EXPECT_TRUE(getCandidate().getEvidenceAttr().isAccepted());
  EXPECT_EQ(candidateDetail(evidence::processors), "");
}

/// Each device in a process of its own, which has a copy of the fake.
TEST_F(GPUMeasurer, SeveralDevices) {
  auto start = [&](std::vector<std::string> names) {
    GPUMeasureOptions several = options();
    several.open = nullptr;
    several.devices = {0, 1};
    several.worker = [this, names](int number) -> WorkerStart {
      return [this, names, number](int in, int out) {
        device.name = names[number];
        device.busId = "bus " + std::to_string(number);
        return cuda::serveTiming(
            [this] {
              return cuda::Session::open(makeFakeApi(device), nullptr);
            },
            in, out);
      };
    };
    measurer = createGPUMeasurer(several);
  };
  std::string why;
  start({"one", "another"});
  EXPECT_FALSE(measurer->isAvailable(why));
  EXPECT_EQ(why, "times of different devices cannot be compared: one and "
                 "another");
  start({"same", "same"});
  ASSERT_TRUE(measurer->isAvailable(why)) << why;
  ASSERT_EQ(measurer->width(), 2u);
  ASSERT_TRUE(succeeded(measure(plan("evo.variant @baseline", "slow") +
                                    plan("evo.variant @candidate", "fast") +
                                    plan("evo.variant @other", "close"),
                                "baseline")))
      << errors;
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  VariantOp variants[] = {getCandidate(),
                          kernel.lookupSymbol<VariantOp>("other")};
  auto taken = timeVariants(*measurer, variants,
                            TargetAttr::get(&context, "sm_90"), nullptr);
  ASSERT_TRUE(succeeded(taken));
  std::set<std::string> used;
  for (VariantOp variant : variants) {
    CostAttr cost = variant.getMeasuredAttr();
    ASSERT_TRUE(cost) << errors;
    EXPECT_NEAR(detail(cost, "speedup"), 2, 0.05);
    used.insert(cost.getDetails().getAs<StringAttr>("device").getValue().str());
  }
  EXPECT_EQ(used, (std::set<std::string>{"bus 0", "bus 1"}));
}

TEST_F(GPUMeasurer, CountsWhatWasTimed) {
  GPUMeasureOptions with = options();
  with.openCounters = [&](cuda::DriverHandle, int) {
    return std::make_unique<cuda::FakeCounters>(device);
  };
  measurer = createGPUMeasurer(with);
  auto cost = measure(plan("evo.variant @baseline", "slow") +
                      plan("evo.variant @candidate", "fast"));
  ASSERT_TRUE(succeeded(cost)) << errors;
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  auto variant = kernel.lookupSymbol<VariantOp>("candidate");
  auto target = TargetAttr::get(&context, "sm_90");
  // Nothing is said of what has no time.
  measurer->count(variant, target);
  EXPECT_FALSE(variant.getMeasured());
  variant.setMeasuredAttr(*cost);
  measurer->count(variant, target);
  CostAttr counted = variant.getMeasuredAttr();
  EXPECT_EQ(counted.getMicros(), cost->getMicros());
  EXPECT_EQ(counterAt(variant, "dram_read_bytes", 0), 1);
  EXPECT_EQ(counterAt(variant, "dram_read_bytes", 1), 1);
  EXPECT_FALSE(counterAt(variant, "dram_read_bytes", 2));
  EXPECT_FALSE(counterAt(variant, "joules", 0));
  EXPECT_EQ(counted.getDetails().getAs<StringAttr>(notCountedDetail).getValue(),
            "energy: no monitor was given");
}

TEST_F(GPUMeasurer, WhyNothingIsCountedIsKept) {
  GPUMeasureOptions without = options();
  without.openCounters =
      [&](cuda::DriverHandle,
          int) -> llvm::Expected<std::unique_ptr<cuda::CounterReader>> {
    return llvm::createStringError("reserved");
  };
  measurer = createGPUMeasurer(without);
  auto cost = measure(plan("evo.variant @candidate", "fast"));
  ASSERT_TRUE(succeeded(cost)) << errors;
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  auto variant = kernel.lookupSymbol<VariantOp>("candidate");
  variant.setMeasuredAttr(*cost);
  auto target = TargetAttr::get(&context, "sm_90");
  auto why = [&] {
    measurer->count(variant, target);
    return variant.getMeasuredAttr()
        .getDetails()
        .getAs<StringAttr>(notCountedDetail)
        .getValue();
  };
  EXPECT_EQ(why(), "energy: no monitor was given; counters: reserved");
  EXPECT_FALSE(counterAt(variant, "dram_read_bytes", 0));
  // Fifty calls of such a kernel would take a second.
  Builder b(&context);
  variant.setMeasuredAttr(CostAttr::get(
      &context, CostSource::Measured, b.getDenseF64ArrayAttr({25000, 1}),
      b.getStringAttr("fake"), cost->getDetails()));
  EXPECT_EQ(why(), "a call takes 25 ms, and counters need some fifty");
}

TEST_F(GPUMeasurer, AtTheEndTheBaselineIsTimedAgain) {
  std::string text = plan("evo.variant @baseline", "slow") +
                     plan("evo.variant @candidate", "fast");
  ASSERT_TRUE(succeeded(measure(text))) << errors;
  KernelOp kernel = *module->getOps<KernelOp>().begin();
  measurer->finish(kernel);
  EXPECT_EQ(remarks, "");
  device.kernels["slow"].micros = 230;
  measurer->finish(kernel);
  EXPECT_NE(remarks.find("at the end the baseline took 1.150 times what it "
                         "took at first, at "),
            std::string::npos)
      << remarks;
  EXPECT_NE(remarks.find(": the device has changed its speed"),
            std::string::npos);
  device.launchCode = 700;
  measurer->finish(kernel);
  EXPECT_NE(remarks.find("the baseline could not be timed once more: "),
            std::string::npos)
      << remarks;
}

TEST_F(GPUMeasurer, WhatIsMeasuredIsKept) {
  std::string text = plan("evo.variant @baseline", "slow") +
                     plan("evo.variant @candidate", "fast");
  ASSERT_TRUE(succeeded(measure(text, "baseline"))) << errors;
  auto countSlow = [&] {
    return std::count(device.order.begin(), device.order.end(), "slow");
  };
  auto before = countSlow();
  ASSERT_TRUE(succeeded(measure(text, "baseline"))) << errors;
  EXPECT_EQ(countSlow(), before);
  ASSERT_TRUE(succeeded(measure(text))) << errors;
  EXPECT_GT(countSlow(), before); // in turn with the candidate
  // Another kernel has another baseline.
  before = countSlow();
  auto cost = measure(plan("evo.variant @baseline", "fast") +
                      plan("evo.variant @candidate", "close"));
  ASSERT_TRUE(succeeded(cost)) << errors;
  EXPECT_EQ(countSlow(), before);
  EXPECT_NEAR(detail(*cost, "baseline_us"), 100, 1);
}

TEST_F(GPUMeasurer, TheBaselineAgainstItself) {
  auto cost = measure(plan("evo.variant @baseline", "slow"), "baseline");
  ASSERT_TRUE(succeeded(cost)) << errors;
  EXPECT_NEAR(cost->getMicros()[0], 200, 2);
  EXPECT_EQ(cost->getDetails().getAs<StringAttr>("baseline").getValue(),
            "none");
  EXPECT_FALSE(cost->getDetails().get("speedup"));
}

TEST_F(GPUMeasurer, ReferenceIsCompiled) {
  auto cost = measure(plan("evo.reference", "slow", /*code=*/false) +
                      plan("evo.variant @candidate", "fast"));
  ASSERT_TRUE(succeeded(cost)) << errors;
  EXPECT_EQ(cost->getDetails().getAs<StringAttr>("baseline").getValue(),
            "reference");
  EXPECT_NEAR(detail(*cost, "speedup"), 2, 0.05);
}

TEST_F(GPUMeasurer, RoundingIsNoDefect) {
  auto cost = measure(plan("evo.variant @baseline", "slow") +
                      plan("evo.variant @candidate", "close"));
  EXPECT_TRUE(succeeded(cost)) << errors;
}

TEST_F(GPUMeasurer, WrongOutputsAreRefused) {
  auto cost = measure(plan("evo.variant @baseline", "slow") +
                      plan("evo.variant @candidate", "wrong"));
  EXPECT_TRUE(failed(cost));
  EXPECT_NE(errors.find("candidate: judged_wrong: set 0: element"),
            std::string::npos)
      << errors;
}

/// Equal inputs, other bits: a defect where nothing in the plan leaves order to
/// chance.
TEST_F(GPUMeasurer, OnlyAtomicsMayVary) {
  addKernel("unsteady", 100, 1);
  auto steady = device.kernels["unsteady"].body;
  auto calls = std::make_shared<unsigned>(0);
  device.kernels["unsteady"].body = [=](const cuda::FakeLaunch &launch) {
    steady(launch);
    launch.pointer<float>(1)[0] *= ++*calls % 2 ? 1 : 1.0000002f;
  };
  auto measureWith = [&](const std::string &op) {
    std::string text = plan("evo.variant @candidate", "unsteady");
    text.insert(text.find("llvm.return"), op + " ");
    measurer.reset();
    errors.clear();
    return succeeded(measure(plan("evo.variant @baseline", "slow") + text));
  };
  EXPECT_FALSE(measureWith(""));
  EXPECT_NE(errors.find("candidate: "), std::string::npos) << errors;
  EXPECT_FALSE(measureWith("nvvm.barrier"));
  EXPECT_TRUE(measureWith("%c = llvm.mlir.constant(1 : i32) : i32 "
                          "%old = llvm.atomicrmw add %x, %c monotonic : "
                          "!llvm.ptr, i32"))
      << errors;
  EXPECT_TRUE(measureWith("%c = llvm.mlir.constant(1 : i32) : i32 "
                          "%old = llvm.call_intrinsic "
                          "\"llvm.nvvm.atomic.add.gen.i.cta\"(%x, %c) : "
                          "(!llvm.ptr, i32) -> i32"))
      << errors;
  // Of inline PTX, what an atomic is in or may be.
  for (auto [text, mayVary] :
       {std::pair("red.global.add.u32 [$0], 1;", true),
        std::pair("wgmma.fence.sync.aligned;", true),
        std::pair("nonsense [$0];", true),
        std::pair("{ .reg .b32 t; ld.global.b32 t, [$0]; }", false),
        std::pair("bar.sync 0;", false)})
    EXPECT_EQ(measureWith(std::string("llvm.inline_asm has_side_effects \"") +
                          text + "\", \"l\" %x : (!llvm.ptr) -> ()"),
              mayVary)
        << text << errors;
}

TEST_F(GPUMeasurer, ImpossiblyFastIsRefused) {
  // 256 MiB each way in 100 us.
  std::string text = plan("evo.variant @candidate", "fast");
  auto cost = measure(text);
  ASSERT_TRUE(succeeded(cost)) << errors;
  device.kernels["fast"].micros = 1e-9;
  device.kernels["fast"].coldMicros = 0;
  measurer.reset(); // which has measured it
  EXPECT_TRUE(failed(measure(text)));
  EXPECT_NE(errors.find("below_floor"), std::string::npos) << errors;
}

TEST_F(GPUMeasurer, AFloorThatTheBaselinePassesIsNone) {
  auto makeFast = [&](const char *name) {
    device.kernels[name].micros = 1e-9;
    device.kernels[name].coldMicros = 0;
  };
  std::string text = plan("evo.variant @baseline", "slow") +
                     plan("evo.variant @candidate", "fast");
  makeFast("fast");
  EXPECT_TRUE(failed(measure(text)));
  EXPECT_NE(errors.find("below_floor"), std::string::npos) << errors;
  EXPECT_TRUE(remarks.empty()) << remarks;
  makeFast("slow");
  auto cost = measure(text);
  ASSERT_TRUE(succeeded(cost)) << errors;
  EXPECT_EQ(detail(*cost, "floor_us"), 0);
  EXPECT_NE(remarks.find("is none for this kernel: the kernel as it was given "
                         "is faster; no time was held against it"),
            std::string::npos)
      << remarks;
  EXPECT_TRUE(succeeded(measure(text, "baseline"))) << errors;
}

TEST_F(GPUMeasurer, FloorCountsWhatHasToMove) {
  module = parseSourceString<ModuleOp>(R"mlir(
    evo.kernel @a args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {}
    evo.kernel @b args [#evo.arg<"x" in f32 ["N"]>,
        #evo.arg<"i" in i32 ["N"] domain = <range, "0" to "N">>,
        #evo.arg<"y" out f32 ["N"]>] {}
  )mlir",
                                       &context);
  auto kernels = llvm::to_vector(module->getOps<KernelOp>());
  cuda::DevicePlan plan;
  constexpr uint64_t bytes = 48'000'000'000;
  plan.buffers = {{"x", bytes, cuda::BufferRole::In, "f32"},
                  {"y", bytes, cuda::BufferRole::Out, "f32"},
                  {"t", bytes, cuda::BufferRole::Scratch, "f32"}};
  cuda::DeviceFacts facts;
  facts.name = "NVIDIA H200";
  facts.capability = 90;
  facts.l2Bytes = 4'800'000'000;
  EXPECT_NEAR(getColdFloorMicros(kernels[0], plan, facts), 19000, 1);
  facts.name = "NVIDIA H100 80GB HBM3"; // 3.35 TB/s
  EXPECT_NEAR(getColdFloorMicros(kernels[0], plan, facts), 91.2e9 / 3.35e6, 1);
  facts.name = "another"; // the fastest known
  EXPECT_NEAR(getColdFloorMicros(kernels[0], plan, facts), 19000, 1);
  plan.buffers.push_back({"i", bytes, cuda::BufferRole::In, "i32"});
  EXPECT_NEAR(getColdFloorMicros(kernels[1], plan, facts), 19000, 1);
  facts.capability = 10;
  EXPECT_EQ(getColdFloorMicros(kernels[1], plan, facts), 0);
}

TEST_F(GPUMeasurer, Refusals) {
  EXPECT_TRUE(failed(measure(plan("evo.variant @candidate", "fast", false))));
  EXPECT_NE(errors.find("has no code (run evo-lower first)"), std::string::npos)
      << errors;
  errors.clear();
  EXPECT_TRUE(
      failed(measure(plan("evo.variant @candidate", "fast", true, "sm_100"))));
  EXPECT_NE(errors.find("its code is for sm_100, the device is an sm_90"),
            std::string::npos)
      << errors;
  errors.clear();
  EXPECT_TRUE(failed(
      measure(plan("evo.variant @candidate requires [\"N < 0\"]", "fast"))));
  EXPECT_NE(errors.find("cannot be measured: it serves no workload"),
            std::string::npos)
      << errors;
}

TEST_F(GPUMeasurer, WorkloadsAndBaselinesAreNamed) {
  EXPECT_TRUE(
      failed(measure(plan("evo.variant @baseline", "slow", true, "sm_100") +
                     plan("evo.variant @candidate", "fast"))));
  EXPECT_EQ(errors, "cannot be the baseline: its code is for sm_100, the "
                    "device is an sm_90\n");
  errors.clear();
  EXPECT_TRUE(failed(measure(plan("evo.variant @candidate", "absent"))));
  EXPECT_NE(
      errors.find("cannot be measured at #evo.workload<{N = 64 : i64}>: "),
      std::string::npos)
      << errors;
}

TEST_F(GPUMeasurer, AfterAKernelThatDoesNotEndNothingRuns) {
  device.kernels["fast"].neverEnds = true;
  EXPECT_TRUE(failed(measure(plan("evo.variant @candidate", "fast"))));
  std::string why;
  EXPECT_FALSE(measurer->isAvailable(why));
  EXPECT_EQ(why, "an earlier kernel did not end");
}

TEST_F(GPUMeasurer, NoDevice) {
  device.devices = 0;
  auto none = createGPUMeasurer(options());
  std::string why;
  EXPECT_FALSE(none->isAvailable(why));
  EXPECT_NE(why, "");
  device.devices = 1;
  auto some = createGPUMeasurer(options());
  EXPECT_TRUE(some->isAvailable(why));
}

TEST_F(GPUMeasurer, AfterALostContextNothingRuns) {
  device.launchCode = 700; // illegal address
  std::string text = plan("evo.variant @candidate", "fast");
  EXPECT_TRUE(failed(measure(text)));
  device.launchCode = 0;
  std::string why;
  EXPECT_FALSE(measurer->isAvailable(why));
  EXPECT_NE(why.find("broke the device's context"), std::string::npos) << why;
}
} // namespace
