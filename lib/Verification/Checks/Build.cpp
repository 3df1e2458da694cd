// The candidate's device code in both forms, and the hash of what is judged.
#include "Verification/Checks/Registry.h"
#include "Verification/Reference.h"
#include "evo/Analysis/MinTarget.h"
#include "evo/Interfaces/Faults.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

/// Why no thread can have the local variables of a kernel; empty where it can.
/// To run such code takes longer than to see it.
static std::string findHugeLocals(const llvm::Module &module) {
  constexpr uint64_t max = 512 * 1024;
  for (const llvm::Function &function : module) {
    uint64_t bytes = 0;
    for (const llvm::Instruction &inst : llvm::instructions(function))
      if (auto *local = dyn_cast<llvm::AllocaInst>(&inst))
        if (auto size = local->getAllocationSize(module.getDataLayout()))
          bytes += size->getFixedValue();
    if (bytes > max)
      return "'" + function.getName().str() + "' has " + std::to_string(bytes) +
             " bytes of local variables, a thread has " + std::to_string(max);
  }
  return "";
}

/// Diagnostics of a candidate are data, so they are caught.
static void buildForms(VerificationState &state) {
  std::string caught;
  FaultKind fault = FaultKind::Candidate; // the first that is none of it
  OwnDiagnosticHandler handler(state.kernel.getContext(),
                               [&](Diagnostic &diag) {
                                 if (!caught.empty())
                                   caught += "; ";
                                 caught += diag.str();
                                 if (fault == FaultKind::Candidate)
                                   fault = faultOf(diag);
                                 return success();
                               });
  const TargetAttrInterface target = state.options.target;
  auto refuse = [&](std::string message) {
    state.refutation = Refutation(Reason::DoesNotBuild, std::move(message));
  };
  auto giveUp = [&](std::string message) {
    state.refutation =
        Refutation(Reason::Unsupported, std::move(message), /*undecided=*/true);
  };
  FailureOr<CodegenOptions> codegen = CodegenOptions::parse(
      state.plan.getOptionsAttr(), target, state.plan->getLoc());
  if (failed(codegen))
    return refuse(caught);
  FailureOr<std::vector<DeviceModule>> modules =
      state.builder.build(state.plan, *codegen, state.llvmContext);
  if (failed(modules))
    return fault == FaultKind::Unsupported ? giveUp(caught) : refuse(caught);
  state.hash = hashPlan(state.plan, *modules, *codegen);
  for (const DeviceModule &module : *modules)
    if (auto lacking =
            sim::findInstructionsLacking(*module.optimized, target.getArch());
        !lacking.empty())
      return refuse(lacking.front().str());
  for (const DeviceModule &module : *modules)
    if (std::string huge = findHugeLocals(*module.optimized); !huge.empty()) {
      state.refutation = Refutation(Reason::LaunchFailure, std::move(huge));
      return;
    }
  for (auto [form, slot] :
       {std::pair(ExecutablePlan::Form::PreOptimisation, &state.preOptimised),
        std::pair(ExecutablePlan::Form::PostOptimisation,
                  &state.postOptimised)}) {
    llvm::Expected<ExecutablePlan> executable =
        ExecutablePlan::create(state.plan, *modules, form);
    if (!executable)
      return giveUp(llvm::toString(executable.takeError()));
    limitLaunches(*executable, target);
    *slot = std::move(*executable);
  }
  if (!state.preOptimised->getAddressControl().empty())
    giveUp("addresses differ from device to device and from run to run, but " +
           state.preOptimised->getAddressControl().front().str());
}

/// What a reference lacks is an error where it is wrong, and an obstacle where
/// it may well be right.
static LogicalResult buildReference(VerificationState &state) {
  OwnDiagnosticHandler handler(
      state.kernel.getContext(), [&](Diagnostic &diag) {
        if (faultOf(diag) != FaultKind::Unsupported)
          return failure();
        std::optional<std::string> &obstacle = state.referenceObstacle;
        obstacle = (obstacle ? *obstacle + "; " : "") + diag.str();
        return success();
      });
  FailureOr<ExecutablePlan> prepared =
      prepareReference(state.kernel, state.options.target, state.builder,
                       state.llvmContext, state.referenceObstacle);
  if (succeeded(prepared))
    state.reference = std::move(*prepared);
  return success(succeeded(prepared) || state.referenceObstacle);
}

static LogicalResult run(VerificationState &state, Budget) {
  if (failed(buildReference(state)))
    return failure();
  buildForms(state);
  if (state.refutation && !(state.refutation->undecided && !state.reference))
    return success();
  if (!state.reference) { // no fault of anybody, and no verdict
    state.refutation = Refutation(Reason::ReferenceUnsupported,
                                  "the reference cannot be executed: " +
                                      *state.referenceObstacle,
                                  /*undecided=*/true);
    return success();
  }
  // The candidate's own literals first; the optimiser has computed some.
  for (const ExecutablePlan *form :
       {&*state.preOptimised, &*state.postOptimised, &*state.reference})
    state.literals.append(form->getLiterals());
  return success();
}

constexpr Check evo::checks::build = {
    "build",
    "code that does not compile, instructions that the target lacks; no "
    "verdict on operations that the simulator does not know, or where "
    "addresses decide",
    "one compilation of the candidate and one of the reference",
    Effort::Quick,
    /*isEssential=*/true,
    {},
    run};
