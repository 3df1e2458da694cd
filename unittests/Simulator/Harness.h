// Shared by the execution tests. Parses IR, runs kernels and compares; small
// enough that a test reads as the kernel, the launch and the expectation.
#ifndef EVO_UNITTESTS_EXECUTION_HARNESS_H
#define EVO_UNITTESTS_EXECUTION_HARNESS_H

#include "evo/Simulator/Launch.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <gtest/gtest.h>

namespace evo::sim::test {

/// LLVM's own pipeline for -O3: values are judged on optimised modules.
inline void optimize(llvm::Module &module) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cgam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cgam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cgam, mam);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, mam);
}

struct Fixture {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<Program> program;
  GlobalMemory memory;
  std::string error;

  bool decode(Prepare form) {
    if (llvm::Error e = prepareForExecution(*module, form)) {
      error = llvm::toString(std::move(e));
      return false;
    }
    auto p = Program::decode(*module);
    if (!p) {
      error = llvm::toString(p.takeError());
      return false;
    }
    program = std::move(*p);
    return true;
  }
  bool text(const std::string &ir, Prepare form = Prepare::AsIs) {
    llvm::SMDiagnostic d;
    module = llvm::parseAssemblyString(ir, d, context);
    if (!module) {
      error =
          d.getMessage().str() + " in line " + std::to_string(d.getLineNo());
      return false;
    }
    return decode(form);
  }
  bool file(const std::string &name, Prepare form = Prepare::DetectorsForm) {
    llvm::SMDiagnostic d;
    module = llvm::parseIRFile(
        std::string(EVO_SIMULATOR_TEST_INPUTS "/") + name, d, context);
    if (!module) {
      error = d.getMessage().str();
      return false;
    }
    return decode(form);
  }

  template <class T>
  BufferId buffer(const char *name, const std::vector<T> &data,
                  ElementKind kind = ElementKind::Bytes) {
    BufferSpec s;
    s.name = name;
    s.bytes = data.size() * sizeof(T);
    s.kind = kind;
    BufferId id = memory.addBuffer(s);
    memory.write(id, 0, data.data(), s.bytes);
    return id;
  }
  BufferId output(const char *name, uint64_t bytes,
                  ElementKind kind = ElementKind::Bytes) {
    BufferSpec s;
    s.name = name;
    s.bytes = bytes;
    s.kind = kind;
    return memory.addBuffer(s);
  }
  BufferId floats(const char *name, const std::vector<float> &v) {
    return buffer(name, v, ElementKind::F32);
  }
  template <class T> std::vector<T> read(BufferId id) const {
    std::vector<T> v(memory.spec(id).bytes / sizeof(T));
    std::memcpy(v.data(), memory.bytes(id), v.size() * sizeof(T));
    return v;
  }

  LaunchResult run(const std::string &kernel, Dim3 grid, Dim3 block,
                   std::vector<Argument> args, const Options &options = {},
                   uint64_t dynamicShared = 0) {
    LaunchParams p;
    p.kernel = kernel;
    p.grid = grid;
    p.block = block;
    p.args = std::move(args);
    p.dynamicSharedBytes = dynamicShared;
    return launch(*program, p, memory, options);
  }
  Argument ptr(BufferId id) const { return Argument(memory.address(id), 8); }
};

inline std::string all(const LaunchResult &r) {
  std::string s;
  for (const Finding &f : r.findings)
    s += f.str() + "\n";
  return s;
}

#define EXPECT_CLEAN(R) EXPECT_TRUE((R).clean()) << all(R)
#define EXPECT_FINDING(R, KIND)                                                \
  do {                                                                         \
    ASSERT_EQ((R).findings.size(), 1u) << all(R);                              \
    EXPECT_EQ(std::string(findingKindName((R).findings[0].kind)),              \
              std::string(findingKindName(FindingKind::KIND)))                 \
        << all(R);                                                             \
  } while (0)

/// Wraps a kernel body; %t is the thread number within the block.
inline std::string kernelIR(const std::string &params, const std::string &body,
                            const std::string &globals = "") {
  return globals + R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.and.aligned.all(i32, i1)
declare i1 @llvm.nvvm.barrier.cta.red.or.aligned.all(i32, i1)
declare float @llvm.fma.f32(float, float, float)
declare half @llvm.fma.f16(half, half, half)
declare float @__nv_expf(float)
declare float @llvm.nvvm.ex2.approx.f(float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare void @llvm.trap()
define ptx_kernel void @k)" +
         ("(" + params + ")") + R"( {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
)" + body +
         "}\n";
}

} // namespace evo::sim::test

#endif
