// What searches of two kernels share besides the context, in two threads at
// once: who makes device code and keeps it, devices, workers, accounts.
#include "Driver/Worker/WorkerPool.h"
#include "Measure/DevicePool.h"
#include "evo/LLM/Ledger.h"
#include "evo/Lowering/DeviceBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"
#include <atomic>
#include <thread>

using namespace evo;

namespace {

/// Runs `body` for 0 and 1, each in a thread of its own.
void runTwice(llvm::function_ref<void(unsigned)> body) {
  std::thread other([&] { body(1); });
  body(0);
  other.join();
}

constexpr llvm::StringLiteral kernel = R"mlir(
evo.kernel @scale args [#evo.arg<"x" out f32 ["N"]>] {
  evo.variant @v {
    gpu.module @device {
      llvm.func ptx_kernelcc @f(%x: !llvm.ptr) {
        %factor = llvm.mlir.constant(3.0 : f32) : f32
        %v = llvm.load %x : !llvm.ptr -> f32
        %e = llvm.fmul %v, %factor : f32
        llvm.store %e, %x : f32, !llvm.ptr
        llvm.return
      }
    }
    evo.launch @device::@f grid ["1", "1", "1"] block ["1", "1", "1"] args ["x"]
  }
}
)mlir";

TEST(SharedParts, OneBuilderMakesCodeOfTwoKernels) {
  mlir::DialectRegistry registry;
  registry.insert<EvoDialect, mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerGPUDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> modules[2];
  LaunchPlanOpInterface plans[2];
  for (unsigned i : {0, 1}) {
    modules[i] = mlir::parseSourceString<mlir::ModuleOp>(kernel, &context);
    ASSERT_TRUE(modules[i]);
    auto op = *modules[i]->getOps<KernelOp>().begin();
    plans[i] = *op.getBody().getOps<VariantOp>().begin();
  }
  const CodegenOptions options(parseTarget(&context, target::getDefaultArch()));
  DeviceBuilder builder;
  std::string digests[2];
  // At each level both make the same code, which one of them may find made.
  constexpr unsigned numLevels = 4;
  runTwice([&](unsigned thread) {
    for (unsigned level = 0; level < numLevels; ++level) {
      CodegenOptions own = options;
      own.optLevel = level;
      llvm::LLVMContext llvmContext;
      auto made = builder.build(plans[thread], own, llvmContext);
      ASSERT_TRUE(succeeded(made));
      ASSERT_TRUE(made->front().optimized);
      digests[thread] += made->front().digest + "\n";
    }
  });
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_GE(builder.getNumPipelineRuns(), numLevels);
  EXPECT_LE(builder.getNumPipelineRuns(), 2 * numLevels);
}

constexpr unsigned numTurns = 100;

TEST(SharedParts, ADeviceIsOfOneThreadAtATime) {
  DevicePool pool({7}, [](int) { return nullptr; });
  unsigned numTaken = 0; // by who has the device
  runTwice([&](unsigned thread) {
    const std::string own = std::to_string(thread);
    for (unsigned i = 0; i < numTurns; ++i) {
      DevicePool::Taken device = i % 2 ? pool.take(own) : pool.take(size_t(0));
      EXPECT_EQ(device->number, 7);
      EXPECT_FALSE(pool.tryTake(own));
      device->kept.kernel = own;
      ++numTaken;
    }
  });
  EXPECT_EQ(numTaken, 2 * numTurns);
}

TEST(SharedParts, NoMoreWorkersThanThereAre) {
  constexpr unsigned numWorkers = 2;
  WorkerPool pool({"/nowhere/worker"}, numWorkers);
  std::atomic<unsigned> numTaken = 0;
  runTwice([&](unsigned) {
    WorkerPool::Share share(pool);
    constexpr std::chrono::seconds patience(1);
    for (unsigned i = 0; i < numTurns;) {
      std::vector<std::unique_ptr<WorkerProcess>> workers;
      while (auto worker =
                 share.take(workers.empty() ? patience : patience.zero())) {
        EXPECT_LE(++numTaken, numWorkers);
        workers.push_back(std::move(worker));
        ++i;
      }
      share.leaveLine();
      for (auto &worker : workers) {
        --numTaken;
        share.giveBack(std::move(worker));
      }
    }
  });
  EXPECT_EQ(numTaken, 0u);
}

/// Answers at once.
class FakeClient : public llm::ModelClient {
public:
  llvm::Expected<llm::ModelAnswer>
  complete(const llm::ModelRequest &) override {
    llm::ModelAnswer answer;
    answer.text = "fine";
    answer.usage = {10, 5, 0, 0};
    return answer;
  }
};

TEST(SharedParts, OneLedgerHasWhatBothAsked) {
  auto ledger = std::make_shared<llm::Ledger>(
      llvm::cantFail(llm::PriceTable::parse(
          R"({"date": "2026-01-02", "currency": "EUR", "per": 1000,
              "models": {"m": {"input": 1, "output": 2}}})")),
      llm::BudgetCaps());
  unsigned numEntered = 0; // once when it is sent, once when it is answered
  ledger->setSink([&](unsigned, const llm::Charge &, const llm::ModelRequest *,
                      const llm::ModelAnswer *) {
    ++numEntered;
    return llvm::Error::success();
  });
  llm::MeteredClient client(std::make_unique<FakeClient>(), ledger, "m",
                            /*isBilled=*/true);
  runTwice([&](unsigned thread) {
    for (unsigned i = 0; i < numTurns; ++i) {
      llm::ModelRequest request;
      request.messages = {{llm::Role::User, std::to_string(thread)}};
      request.stage = "stage" + std::to_string(thread);
      request.maxTokens = 100;
      auto answer = client.complete(request);
      EXPECT_TRUE(bool(answer));
      EXPECT_LE(ledger->totals().requests, 2 * numTurns);
    }
  });
  EXPECT_EQ(numEntered, 4 * numTurns);
  EXPECT_EQ(ledger->totals().tokens(), 2 * numTurns * 15);
  auto stages = ledger->byStage();
  ASSERT_EQ(stages.size(), 2u);
  for (const auto &[stage, totals] : stages)
    EXPECT_EQ(totals.requests, numTurns);
}

} // namespace
