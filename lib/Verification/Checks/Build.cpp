// The candidate's device code in both forms, and the hash of what is judged.
#include "Verification/Checks/Registry.h"
#include "Verification/Reference.h"
#include "evo/Analysis/MinTarget.h"
#include "evo/Support/OwnDiagnostics.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

/// Diagnostics of a candidate are data, so they are caught.
static void buildForms(VerificationState &state) {
  std::string caught;
  OwnDiagnosticHandler handler(state.kernel.getContext(),
                               [&](Diagnostic &diag) {
                                 if (!caught.empty())
                                   caught += "; ";
                                 caught += diag.str();
                                 return success();
                               });
  const std::string &target = state.options.target;
  auto refuse = [&](std::string message) {
    state.refutation = Refutation("does-not-build", std::move(message));
  };
  auto giveUp = [&](std::string message) {
    state.refutation =
        Refutation("unsupported", std::move(message), /*undecided=*/true);
  };
  FailureOr<CodegenOptions> codegen = CodegenOptions::parse(
      state.plan.getOptionsAttr(), target, state.plan->getLoc());
  if (failed(codegen))
    return refuse(caught);
  FailureOr<std::vector<DeviceModule>> modules =
      state.builder.build(state.plan, *codegen, state.llvmContext);
  if (failed(modules))
    return refuse(caught);
  state.hash = hashPlan(state.plan, *modules, *codegen);
  for (const DeviceModule &module : *modules)
    if (auto lacking = exec::findInstructionsLacking(*module.optimized, target);
        !lacking.empty())
      return refuse(lacking.front().str());
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

static LogicalResult run(VerificationState &state, Budget) {
  FailureOr<ExecutablePlan> prepared =
      prepareReference(state.kernel, state.options.target, state.builder,
                       state.llvmContext, state.referenceObstacle);
  if (succeeded(prepared))
    state.reference = std::move(*prepared);
  else if (state.referenceObstacle.empty())
    return failure();
  buildForms(state);
  if (state.refutation)
    return success();
  if (!state.reference) { // no fault of anybody, and no verdict
    state.refutation = Refutation("unsupported",
                                  "the reference cannot be executed: " +
                                      state.referenceObstacle,
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
