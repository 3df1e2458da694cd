// Names of dimensions that no caller knows of become the sizes that he has.
#include "evo/Emit/BindSizes.h"
#include "evo/Support/IntExpr.h"

using namespace evo;

static llvm::Error bindFormula(Formula &formula, const Bindings &sizes) {
  IntExpr bound =
      formula->substitute([&](llvm::StringRef name) -> std::optional<IntExpr> {
        auto size = sizes.find(name);
        if (size == sizes.end())
          return std::nullopt;
        return IntExpr::constant(size->second);
      });
  bool isNumber = true;
  bound.forEachName([&](llvm::StringRef) { isNumber = false; });
  if (!isNumber) { // an integer scalar is among its names
    formula = Formula(bound.str(), bound);
    return llvm::Error::success();
  }
  llvm::Expected<int64_t> value = bound.evaluate({});
  if (!value)
    return value.takeError();
  formula = makeFormula(*value);
  return llvm::Error::success();
}

static llvm::Error bindAll(std::vector<Formula> &formulas,
                           const Bindings &sizes) {
  for (Formula &formula : formulas)
    if (llvm::Error error = bindFormula(formula, sizes))
      return error;
  return llvm::Error::success();
}

/// Drops conditions that hold; whether one is left that does not.
static llvm::Expected<bool> bindRequirements(std::vector<Condition> &all,
                                             const Bindings &sizes) {
  std::vector<Condition> left;
  for (const Condition &requirement : all) {
    bool isDecided = !requirement->isOnTarget();
    requirement->forEachName(
        [&](llvm::StringRef name) { isDecided &= sizes.contains(name); });
    if (!isDecided) {
      left.push_back(requirement);
      continue;
    }
    llvm::Expected<bool> holds = requirement->holds(sizes, "");
    if (!holds)
      return holds.takeError();
    if (!*holds)
      return false;
  }
  all = std::move(left);
  return true;
}

static llvm::Error bindLaunch(KernelLaunch &launch, const Bindings &sizes) {
  if (llvm::Error error = bindAll(launch.grid, sizes))
    return error;
  if (llvm::Error error = bindAll(launch.block, sizes))
    return error;
  if (llvm::Error error = bindFormula(launch.sharedBytes, sizes))
    return error;
  for (KernelOperand &operand : launch.operands)
    if (operand.kind == KernelOperand::Formula)
      if (llvm::Error error = bindFormula(operand.formula, sizes))
        return error;
  return llvm::Error::success();
}

llvm::Error evo::bindSizes(LaunchDescription &description,
                           const Bindings &sizes) {
  auto isBound = [&](const std::string &name) { return sizes.contains(name); };
  llvm::erase_if(description.dimensions, isBound);
  for (LaunchArgument &argument : description.arguments)
    if (llvm::Error error = bindAll(argument.dims, sizes))
      return error;
  llvm::Expected<bool> isMet =
      bindRequirements(description.requirements, sizes);
  if (!isMet)
    return isMet.takeError();
  if (!*isMet)
    return llvm::createStringError(
        "the caller's sizes do not meet the contract's requirements");
  std::vector<LaunchVariant> variants;
  for (LaunchVariant &variant : description.variants) {
    llvm::Expected<bool> serves = bindRequirements(variant.requirements, sizes);
    if (!serves)
      return serves.takeError();
    if (!*serves)
      continue;
    for (ScratchBuffer &scratch : variant.scratch)
      if (llvm::Error error = bindAll(scratch.dims, sizes))
        return error;
    for (KernelLaunch &launch : variant.launches)
      if (llvm::Error error = bindLaunch(launch, sizes))
        return error;
    variants.push_back(std::move(variant));
  }
  description.variants = std::move(variants);
  return llvm::Error::success();
}
