// Decoding of launch plans.
#include "evo/Analysis/AddressControl.h"
#include "evo/Analysis/DataAddresses.h"
#include "evo/Analysis/FloatControl.h"
#include "evo/Analysis/KeptFloats.h"
#include "evo/Analysis/SharedAlignment.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Simulator/ExpandVectors.h"
#include "evo/Simulator/LastRounds.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Simulator/StoreSlice.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace evo;

/// What the literal of an instruction says about sizes. A mask of low bits is a
/// remainder, one of higher bits picks a field of a number: where it begins is
/// a boundary, the mask is none.
static llvm::APInt boundaryOf(const llvm::Instruction &inst,
                              const llvm::APInt &literal) {
  if (inst.getOpcode() != llvm::Instruction::And || !literal.isShiftedMask() ||
      literal.isMask())
    return literal;
  return llvm::APInt::getOneBitSet(literal.getBitWidth(),
                                   literal.countr_zero());
}

/// Literals in device code between 2 and 4096: tile sizes, thresholds, shifts
/// are where behaviour changes.
static void collectConstants(const llvm::Module &module,
                             std::vector<int64_t> &constants) {
  for (const llvm::Function &function : module)
    for (const llvm::Instruction &inst : llvm::instructions(function)) {
      // The lower of a size and a literal is a call.
      auto *call = dyn_cast<llvm::CallBase>(&inst);
      const bool isFunction =
          call && call->doesNotAccessMemory() && !call->isConvergent();
      if (!isa<llvm::ICmpInst, llvm::BinaryOperator>(inst) && !isFunction)
        continue;
      for (const llvm::Use &use : inst.operands())
        if (auto *literal = dyn_cast<llvm::ConstantInt>(use)) {
          llvm::APInt value = boundaryOf(inst, literal->getValue());
          if (value.getBitWidth() <= 64 && value.sgt(1) && value.slt(4097))
            constants.push_back(value.getSExtValue());
        }
    }
}

static void collectFromText(StringRef text, std::vector<int64_t> &constants) {
  while (!text.empty()) {
    text = text.drop_until([](char c) { return isdigit(c); });
    StringRef digits = text.take_while([](char c) { return isdigit(c); });
    int64_t value;
    if (!digits.empty() && !digits.getAsInteger(10, value) && value > 1)
      constants.push_back(value);
    text = text.drop_front(digits.size());
  }
}

/// Extents in an attribute, such as "32,4"; those that are missing are 1.
static std::optional<sim::Dim3> readExtents(const llvm::Function &function,
                                            device::LaunchAttribute which) {
  StringRef attribute = getName(which);
  if (!function.hasFnAttribute(attribute))
    return std::nullopt;
  SmallVector<StringRef, 3> texts;
  function.getFnAttribute(attribute).getValueAsString().split(texts, ',');
  uint64_t extents[3] = {1, 1, 1};
  for (size_t i = 0; i < std::min<size_t>(3, texts.size()); ++i)
    if (texts[i].trim().getAsInteger(10, extents[i]))
      return std::nullopt;
  return sim::Dim3{extents[0], extents[1], extents[2]};
}

llvm::Error ExecutablePlan::addProgram(const DeviceModule &module, Form form,
                                       bool isChain) {
  const bool isPreOptimised = form == Form::PreOptimisation;
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(
      isPreOptimised ? *module.unoptimized : *module.optimized);
  expandVectorIntrinsics(*copy);
  if (llvm::Error error = sim::prepareForExecution(
          *copy,
          isPreOptimised ? sim::Prepare::DetectorsForm : sim::Prepare::AsIs))
    return error;
  if (isPreOptimised) {
    raiseSharedAlignment(*copy); // as code generation will place them
    for (const llvm::Function &function : *copy)
      if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel)
        conditions.push_back(collectConditions(function));
    narrowCounts |= sim::findNarrowCounts(*copy);
  }
  std::vector<int64_t> own;
  collectConstants(*copy, own);
  llvm::append_range(ofCode, own);
  llvm::append_range(constants, own);
  literals.append(collectLiterals(*copy));
  llvm::append_range(floatControl, sim::findFloatControl(*copy));
  llvm::append_range(addressControl, sim::findAddressControl(*copy));
  addsUpFloats |= sim::keepsFloats(*copy);
  placesFromData |= sim::takesPlacesFromData(*copy);
  auto program = sim::Program::decode(*copy);
  if (!program)
    return program.takeError();
  programs.push_back(std::move(*program));
  if (form != Form::PostOptimisation) {
    lastRounds.push_back(programs.back());
    if (auto skipped = sim::copyWithLastRounds(*copy)) {
      auto last = sim::Program::decode(*skipped);
      if (!last)
        // unreachable: it has nothing but arithmetic besides
        return last.takeError();
      lastRounds.back() = std::move(*last);
    }
  }
  // Of one launch what was shipped alone is asked where it stores.
  if (!isChain && form != Form::PostOptimisation)
    return llvm::Error::success();
  sim::keepWhatPlacesStores(*copy);
  auto slice = sim::Program::decode(*copy);
  if (!slice)
    // unreachable: it has nothing that the whole does not have
    return slice.takeError();
  storeSlices.push_back(std::move(*slice));
  return llvm::Error::success();
}

void ExecutablePlan::addScratch(ScratchOp op) {
  Scratch scratch{op.getName().str(), op.getElementType(), {}};
  for (auto dim : op.getDims().getAsRange<ExprAttr>())
    scratch.dims.push_back(dim.getValue());
  scratches.push_back(std::move(scratch));
}

void ExecutablePlan::addLaunch(LaunchOp op, KernelOp kernel, unsigned program,
                               const llvm::Module &code) {
  Launch launch;
  launch.program = program;
  launch.kernel = op.getCallee().getLeafReference().str();
  if (const llvm::Function *function = code.getFunction(launch.kernel)) {
    launch.requiredBlock =
        readExtents(*function, device::LaunchAttribute::RequiredBlock);
    launch.largestBlock =
        readExtents(*function, device::LaunchAttribute::LargestBlock);
  }
  for (auto [extents, exprs] : {std::pair(&launch.grid, op.getGrid()),
                                std::pair(&launch.block, op.getBlock())})
    for (auto expr : exprs.getAsRange<ExprAttr>()) {
      extents->push_back(expr.getValue());
      collectFromText(expr.getText(), constants);
    }
  if (op.getShared())
    launch.shared = op.getShared()->getValue();
  for (ExprAttr arg : op.getLoweredArgs()) {
    const IntExpr &expr = arg.getValue();
    StringRef name = expr.getAsName();
    ArgumentAttr argument = kernel.lookupArgument(name);
    const bool isScratch = llvm::any_of(
        scratches, [&](const Scratch &s) { return s.name == name; });
    const bool byIdentity =
        isScratch ||
        (argument &&
         (argument.isBuffer() || !isa<IntegerType>(argument.getElementType())));
    if (byIdentity)
      launch.args.push_back({name.str(), std::nullopt,
                             argument ? argument.getElementType() : Type()});
    else
      launch.args.push_back({"", expr, Type()});
  }
  launches.push_back(std::move(launch));
}

llvm::Expected<ExecutablePlan>
ExecutablePlan::create(LaunchPlanOpInterface plan,
                       ArrayRef<DeviceModule> modules, Form form) {
  ExecutablePlan result;
  llvm::StringMap<unsigned> byName;
  const bool isChain =
      llvm::hasNItemsOrMore(plan.getBody().getOps<LaunchOp>(), 2);
  for (auto [number, module] : llvm::enumerate(modules)) {
    if (llvm::Error error = result.addProgram(module, form, isChain))
      return std::move(error);
    byName[module.name] = number;
  }
  for (Operation &op : plan.getBody().front()) {
    if (auto scratch = dyn_cast<ScratchOp>(op))
      result.addScratch(scratch);
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch)
      continue;
    auto module = byName.find(launch.getCallee().getRootReference());
    if (module == byName.end())
      // unreachable: an evo.launch names a gpu.module of its plan
      return llvm::createStringError("launch of a module without device code");
    const DeviceModule &code = modules[module->second];
    result.addLaunch(launch, plan.getKernel(), module->second,
                     form == Form::PreOptimisation ? *code.unoptimized
                                                   : *code.optimized);
  }
  result.nameLiterals();
  return result;
}

/// Which dimensions and scalars the literals of kernels' arguments belong to.
void ExecutablePlan::nameLiterals() {
  Literals named;
  for (const Literals::OfArgument &literal : literals.ofArguments) {
    bool isNamed = false, isOther = false;
    for (const Launch &launch : launches) {
      if (launch.kernel != literal.kernel ||
          literal.argument >= launch.args.size())
        continue;
      const auto &expr = launch.args[literal.argument].expr;
      StringRef name = expr ? expr->getAsName() : "";
      (name.empty() ? isOther : isNamed) = true;
      if (!name.empty())
        named.ofNames.emplace_back(name, literal.value);
    }
    if (isOther || !isNamed)
      named.ofAnySize.push_back(literal.value);
  }
  literals.append(named);
}
