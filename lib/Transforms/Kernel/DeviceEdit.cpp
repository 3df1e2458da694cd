// Opening and closing of device code, and facts of the contract as LLVM's
// attributes and assumptions.
#include "DeviceEdit.h"
#include "PrivateArrays.h"
#include "evo/DeviceOps/Statements.h"
#include "evo/Lowering/DeviceBuilder.h"
#include "mlir/IR/Builders.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace evo;

static void addCleanup(llvm::FunctionPassManager &passes) {
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
}

/// Marks assembly without side effects and memory constraints by what its
/// statements do to memory: the LLVM dialect cannot carry Clang's attributes of
/// it, and arithmetic on halves is made of such calls.
static void markAssembly(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function)) {
      auto *call = dyn_cast<llvm::CallInst>(&inst);
      auto *text =
          call ? dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      if (text && !text->hasSideEffects() && !call->getType()->isVoidTy() &&
          !StringRef(text->getConstraintString()).contains("memory"))
        call->setMemoryEffects(device::getMemoryEffects(text->getAsmString()));
    }
}

FailureOr<std::unique_ptr<DeviceEdit>> DeviceEdit::open(VariantOp variant,
                                                        Location loc) {
  auto devices = variant.getBody().getOps<gpu::GPUModuleOp>();
  if (!llvm::hasSingleElement(devices))
    return emitError(loc) << "expected one device module, found "
                          << llvm::range_size(devices),
           failure();
  std::unique_ptr<DeviceEdit> edit(new DeviceEdit(variant, loc));
  // What is edited is not optimised for any.
  CodegenOptions options(
      parseTarget(variant.getContext(), target::getDefaultArch()));
  FailureOr<std::unique_ptr<llvm::TargetMachine>> machine =
      createTargetMachine(options.target, options.optLevel, loc);
  if (failed(machine))
    return failure();
  edit->machine = std::move(*machine);
  FailureOr<std::vector<DeviceModule>> modules = DeviceBuilder().build(
      variant, options, edit->context, DeviceBuilder::Forms::Unoptimized);
  if (failed(modules))
    return failure();
  edit->module = std::move(modules->front().unoptimized);
  markAssembly(*edit->module);
  for (llvm::Function &function : *edit->module) {
    function.removeFnAttr(llvm::Attribute::NoInline);
    if (!function.isDeclaration() &&
        function.getCallingConv() != llvm::CallingConv::PTX_Kernel &&
        !function.hasFnAttribute(llvm::Attribute::OptimizeNone))
      function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  runModulePasses(
      *edit->module, *edit->machine,
      [](llvm::PassBuilder &, llvm::ModulePassManager &passes) {
        passes.addPass(llvm::AlwaysInlinerPass());
        llvm::FunctionPassManager functions;
        functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
        addCleanup(functions);
        passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
        passes.addPass(llvm::GlobalDCEPass());
      });
  // The code takes a memref as several parameters.
  Builder b(variant.getContext());
  for (auto launch : variant.getBody().getOps<LaunchOp>())
    launch.setArgsAttr(
        b.getArrayAttr(llvm::to_vector_of<Attribute>(launch.getLoweredArgs())));
  return edit;
}

LogicalResult DeviceEdit::commit() {
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(*module, &os))
    // unreachable: unless a rewrite is at fault
    return emitError(loc) << "the rewritten code is malformed: " << problem;
  runModulePasses(
      *module, *machine,
      [](llvm::PassBuilder &, llvm::ModulePassManager &passes) {
        llvm::FunctionPassManager functions;
        addCleanup(functions);
        functions.addPass(llvm::InferAlignmentPass());
        passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
        passes.addPass(llvm::GlobalDCEPass());
      });
  gpu::GPUModuleOp old = *variant.getBody().getOps<gpu::GPUModuleOp>().begin();
  OpBuilder b(old);
  std::string name = old.getName().str();
  if (failed(importDevice(b, old.getLoc(), name, std::move(module))))
    return failure();
  old.erase();
  return success();
}

void DeviceEdit::prepareLoops() {
  runModulePasses(
      *module, *machine,
      [](llvm::PassBuilder &, llvm::ModulePassManager &passes) {
        llvm::FunctionPassManager functions;
        functions.addPass(PromotePrivateArrays());
        functions.addPass(llvm::createFunctionToLoopPassAdaptor(
            llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
        passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
      });
}

bool DeviceEdit::fullyUnrollLoops() {
  bool any = false;
  runModulePasses(
      *module, *machine,
      [&](llvm::PassBuilder &, llvm::ModulePassManager &passes) {
        llvm::FunctionPassManager functions;
        functions.addPass(FullUnroll(any));
        addCleanup(functions);
        passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
      });
  return any;
}

llvm::Function *DeviceEdit::getKernel(LaunchOp launch) {
  return module->getFunction(launch.getCallee().getLeafReference());
}

/// Calls `visit` with each parameter of `kernel` and what the launches of
/// `variant` pass to it.
static void forEachParameter(
    VariantOp variant, llvm::Function &kernel,
    llvm::function_ref<void(llvm::Argument &, ArrayRef<ExprAttr>)> visit) {
  for (llvm::Argument &parameter : kernel.args()) {
    SmallVector<ExprAttr> passed;
    for (auto launch : variant.getBody().getOps<LaunchOp>())
      if (launch.getCallee().getLeafReference().getValue() ==
              kernel.getName() &&
          parameter.getArgNo() < launch.getArgs().size())
        passed.push_back(
            cast<ExprAttr>(launch.getArgs()[parameter.getArgNo()]));
    if (!passed.empty())
      visit(parameter, passed);
  }
}

/// Makes `known`, 0 if nothing is known, a multiple of `other` as well.
static void addDivisor(int64_t &known, int64_t other) {
  if (other < 1)
    return;
  int64_t both = std::max<int64_t>(1, known);
  if (!llvm::MulOverflow(both / std::gcd(both, other), other, both))
    known = both;
}

/// The divisors that requirements `E % n == 0` state, by the text of E: all of
/// them hold.
static llvm::StringMap<int64_t> getDivisors(VariantOp variant) {
  llvm::StringMap<int64_t> divisors;
  auto kernel = cast<KernelOp>(variant->getParentOp());
  for (ArrayAttr list :
       {kernel.getRequirementsAttr(), variant.getRequirementsAttr()}) {
    if (!list)
      continue;
    for (auto requirement : list.getAsRange<RequirementAttr>())
      if (auto divisor = requirement.getValue().getDivisor())
        addDivisor(divisors[divisor->first], divisor->second);
  }
  return divisors;
}

/// The sizes that requirements `N == n` of the variant state.
static Bindings getFixedSizes(VariantOp variant) {
  Bindings sizes;
  if (ArrayAttr list = variant.getRequirementsAttr())
    for (auto requirement : list.getAsRange<RequirementAttr>())
      if (auto size = requirement.getValue().getFixedSize())
        sizes[size->first] = size->second;
  return sizes;
}

/// The common value of `passed`, formulas of `sizes`; none if they differ or
/// one names something else.
static std::optional<int64_t> evaluateAlike(ArrayRef<ExprAttr> passed,
                                            const Bindings &sizes) {
  std::optional<int64_t> common;
  for (ExprAttr formula : passed) {
    llvm::Expected<int64_t> value = formula.getValue().evaluate(sizes);
    if (!value)
      return llvm::consumeError(value.takeError()), std::nullopt;
    if (common && *common != *value)
      return std::nullopt;
    common = *value;
  }
  return common;
}

void DeviceEdit::addFacts() {
  auto contract = cast<KernelOp>(variant->getParentOp());
  llvm::StringMap<int64_t> divisors = getDivisors(variant);
  Bindings sizes = getFixedSizes(variant);
  auto factOf = [&](llvm::Argument &parameter, ExprAttr passed) -> uint64_t {
    if (parameter.getType()->isPointerTy()) {
      ArgumentAttr argument = contract.lookupArgument(passed.getText());
      return argument && argument.isBuffer() ? argument.getAlign() : 1;
    }
    return std::max<int64_t>(1, divisors.lookup(passed.getValue().str()));
  };
  for (llvm::Function &kernel : *module) {
    if (kernel.isDeclaration() ||
        kernel.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    llvm::IRBuilder<> b(&*kernel.getEntryBlock().getFirstInsertionPt());
    forEachParameter(
        variant, kernel,
        [&](llvm::Argument &parameter, ArrayRef<ExprAttr> passed) {
          if (parameter.getType()->isIntegerTy() && !sizes.empty())
            if (std::optional<int64_t> value = evaluateAlike(passed, sizes))
              return parameter.replaceAllUsesWith(llvm::ConstantInt::get(
                  parameter.getType(), *value, /*IsSigned=*/true));
          uint64_t fact = factOf(parameter, passed.front());
          for (ExprAttr other : passed.drop_front())
            fact = std::gcd(fact, factOf(parameter, other));
          if (fact <= 1)
            return;
          if (parameter.getType()->isPointerTy()) {
            parameter.addAttr(
                llvm::Attribute::getWithAlignment(context, llvm::Align(fact)));
          } else if (auto *type =
                         dyn_cast<llvm::IntegerType>(parameter.getType())) {
            // Known bits are derived from a mask, not from a remainder.
            llvm::Value *rest =
                llvm::isPowerOf2_64(fact)
                    ? b.CreateAnd(&parameter, fact - 1)
                    : b.CreateURem(&parameter,
                                   llvm::ConstantInt::get(type, fact));
            b.CreateAssumption(
                b.CreateICmpEQ(rest, llvm::ConstantInt::get(type, 0)));
          }
        });
  }
}
