// Translation of device modules to LLVM IR and LLVM's own optimisation of them.
#include "evo/Lowering/DeviceBuilder.h"
#include "LowerToNVVM.h"
#include "evo/Analysis/SharedAlignment.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Libdevice.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Sort.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace evo;

/// LLVM's standard pipeline.
static void runPipeline(llvm::Module &module, llvm::TargetMachine &machine,
                        unsigned level) {
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  runModulePasses(
      module, machine,
      [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) {
        passes.addPass(
            level == 0 ? builder.buildO0DefaultPipeline(levels[0])
                       : builder.buildPerModuleDefaultPipeline(levels[level]));
      });
}

/// What several threads do together stays one instruction of the code: LLVM
/// must not copy it into the ways of a branch. The LLVM dialect's inline
/// assembly has no word for that.
static void keepTogether(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallInst>(&inst);
      if (!call || !call->isInlineAsm())
        continue;
      bool isJoint = false;
      device::forEachOperation(*call, [&](const device::Operation &operation) {
        isJoint |=
            !operation.isDirective &&
            (!operation.op || operation.op->scope != device::Scope::Thread);
      });
      if (isJoint)
        call->setConvergent();
    }
}

/// CUDA's roots are rounded correctly unless its compiler is told otherwise.
/// LLVM answers libdevice's question for that (__CUDA_PREC_SQRT) with no, which
/// would make them approximate; its own root is the right one.
static void roundRoots(llvm::Module &module) {
  auto isRoot = [](llvm::Function &function) {
    if (!device::isLibdeviceDeclaration(function) ||
        !function.getReturnType()->isFloatTy())
      return false;
    const device::Callee callee = device::lookupFunction(function.getName());
    return callee.op && callee.op->algebra == device::Algebra::SquareRoot;
  };
  for (llvm::Function &root : llvm::make_early_inc_range(module)) {
    if (!isRoot(root))
      continue;
    root.replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
        &module, llvm::Intrinsic::sqrt,
        {llvm::Type::getFloatTy(module.getContext())}));
    root.eraseFromParent();
  }
}

/// CUDA's headers name functions for the order of bytes that its compiler knows
/// by itself, and libdevice lacks.
static void swapBytes(llvm::Module &module) {
  for (llvm::Function &swap : llvm::make_early_inc_range(module)) {
    if (!device::isLibdeviceDeclaration(swap) ||
        !swap.getReturnType()->isIntegerTy())
      continue;
    const device::Callee callee = device::lookupFunction(swap.getName());
    if (!callee.op || callee.op->algebra != device::Algebra::ByteSwap)
      continue;
    swap.replaceAllUsesWith(llvm::Intrinsic::getOrInsertDeclaration(
        &module, llvm::Intrinsic::bswap, {swap.getReturnType()}));
    swap.eraseFromParent();
  }
}

/// Kernels are what a launch names: everything else may be inlined and dropped.
static void internalize(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() &&
        function.getCallingConv() != llvm::CallingConv::PTX_Kernel) {
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
      function.setComdat(nullptr);
    }
}

/// MLIR keeps no order of a block's predecessors but that in which branches to
/// it were made, which differs between IR that was parsed and the same IR that
/// was built. LLVM's passes follow the order of a phi's operands.
static void orderPhis(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::DenseMap<llvm::BasicBlock *, unsigned> numbers;
    for (llvm::BasicBlock &block : function)
      numbers.try_emplace(&block, numbers.size());
    for (llvm::BasicBlock &block : function)
      for (llvm::PHINode &phi : block.phis()) {
        SmallVector<std::pair<llvm::BasicBlock *, llvm::Value *>> incoming;
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
          incoming.emplace_back(phi.getIncomingBlock(i),
                                phi.getIncomingValue(i));
        stableSortBy(incoming, [&](const auto &edge) {
          return numbers.lookup(edge.first);
        });
        for (auto [i, edge] : llvm::enumerate(incoming)) {
          phi.setIncomingBlock(i, edge.first);
          phi.setIncomingValue(i, edge.second);
        }
      }
  }
}

std::unique_ptr<llvm::Module>
evo::translateDeviceModule(gpu::GPUModuleOp device,
                           llvm::TargetMachine &machine,
                           llvm::LLVMContext &context) {
  OwningOpRef<ModuleOp> frame;
  gpu::GPUModuleOp lowered = device;
  if (!isInLLVMDialect(device)) {
    // Passes look up data layouts through parents, so the copy needs one.
    frame = ModuleOp::create(device.getLoc());
    lowered = cast<gpu::GPUModuleOp>(
        OpBuilder::atBlockEnd(frame->getBody()).clone(*device));
    if (failed(lowerToNVVM(lowered, machine.getTargetCPU())))
      return nullptr;
  }
  FaultScope scope(device.getContext(), FaultKind::Unsupported);
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(lowered, context);
  if (!module) {
    device.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  roundRoots(*module);
  swapBytes(*module);
  device::annotateLibdevice(*module);
  keepTogether(*module);
  internalize(*module);
  orderPhis(*module);
  return module;
}

/// Bitcode. The order of uses is left to whoever reads it: it is then a
/// function of the text alone, whatever was done to `module` before.
static std::string writeBitcode(const llvm::Module &module) {
  std::string bitcode;
  llvm::raw_string_ostream os(bitcode);
  llvm::WriteBitcodeToFile(module, os);
  return bitcode;
}

static llvm::Expected<std::unique_ptr<llvm::Module>>
readBitcode(StringRef bitcode, const llvm::Module &input) {
  return llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bitcode, input.getModuleIdentifier()),
      input.getContext());
}

/// A loop's metadata is a node of its own, so that no two loops share one. How
/// many of them do depends on debug locations, which may stand in it; what it
/// says of the loop counts.
static void forgetLoopIdentity(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      if (llvm::Instruction *end = block.getTerminator())
        if (llvm::MDNode *loop = end->getMetadata(llvm::LLVMContext::MD_loop)) {
          SmallVector<llvm::Metadata *> said(
              llvm::drop_begin(loop->operands()));
          end->setMetadata(llvm::LLVMContext::MD_loop,
                           llvm::MDNode::get(module.getContext(), said));
        }
}

/// Of the text, read back once more: comments name a block's predecessors in
/// the order that passes have left.
static llvm::Expected<std::string> makeDigest(llvm::Module &module) {
  llvm::StripDebugInfo(module);
  forgetLoopIdentity(module);
  module.setModuleIdentifier("");
  module.setSourceFileName("");
  llvm::LLVMContext context;
  auto read = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(writeBitcode(module), ""), context);
  if (!read)
    return read.takeError();
  std::string text;
  llvm::raw_string_ostream os(text);
  (*read)->print(os, nullptr);
  return codeDigest(text);
}

/// Input and result go through bitcode whether they were kept or made, so that
/// equal input has equal results to the last detail.
llvm::Expected<OptimizedModules::Entry>
DeviceBuilder::optimize(const llvm::Module &input,
                        const CodegenOptions &options,
                        llvm::TargetMachine &machine) {
  std::string bitcode = writeBitcode(input);
  OptimizedModules::Key key = OptimizedModules::makeKey(bitcode, options);
  OptimizedModules::Entry entry = results.find(key);
  if (!entry.bitcode.empty())
    return entry;
  auto module = readBitcode(bitcode, input);
  if (!module)
    return module.takeError();
  runPipeline(**module, machine, options.optLevel);
  raiseSharedAlignment(**module);
  ++pipelineRuns;
  entry.bitcode = writeBitcode(**module);
  llvm::Expected<std::string> digest = makeDigest(**module);
  if (!digest)
    return digest.takeError();
  entry.digest = std::move(*digest);
  results.insert(key, entry);
  return entry;
}

/// What reads this code, the simulator above all, is built for one width.
static LogicalResult expectKnownWarps(TargetAttrInterface target,
                                      Location loc) {
  constexpr unsigned maskBits = 8 * sizeof(target::LaneMask);
  if (target.getWarpSize() == target::warpSize &&
      target.getLaneMaskBits() == maskBits)
    return success();
  FaultScope scope(loc.getContext(), FaultKind::Unsupported);
  return emitError(loc) << "target '" << target.getName() << "' has warps of "
                        << target.getWarpSize() << " threads and lane masks of "
                        << target.getLaneMaskBits() << " bits, expected "
                        << target::warpSize << " and " << maskBits;
}

FailureOr<std::vector<DeviceModule>>
DeviceBuilder::build(LaunchPlanOpInterface plan, const CodegenOptions &options,
                     llvm::LLVMContext &context, Forms forms) {
  if (failed(expectKnownWarps(options.target, plan.getLoc())))
    return failure();
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(options.target, options.optLevel, plan.getLoc());
  if (failed(machine))
    return failure();
  std::vector<DeviceModule> result;
  for (gpu::GPUModuleOp device : plan.getDeviceModules()) {
    DeviceModule module;
    module.name = device.getName().str();
    module.unoptimized = translateDeviceModule(device, **machine, context);
    if (!module.unoptimized)
      return failure();
    if (forms != Forms::Unoptimized) {
      auto fail = [&](llvm::Error error) {
        device.emitError() << "cannot be read back around LLVM's pipeline: "
                           << llvm::toString(std::move(error));
        return failure();
      };
      llvm::Expected<OptimizedModules::Entry> optimized =
          optimize(*module.unoptimized, options, **machine);
      if (!optimized)
        return fail(optimized.takeError());
      module.digest = optimized->digest;
      if (forms != Forms::Digest) {
        auto read = readBitcode(optimized->bitcode, *module.unoptimized);
        if (!read)
          return fail(read.takeError());
        module.optimized = std::move(*read);
      }
    }
    if (forms == Forms::Optimized || forms == Forms::Digest)
      module.unoptimized.reset();
    result.push_back(std::move(module));
  }
  if (result.empty())
    return emitError(plan.getLoc()) << "the plan holds no gpu.module",
           failure();
  return result;
}
