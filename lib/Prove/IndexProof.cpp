// The two proofs: a thread whose accesses are in bounds, and two that meet.
#include "evo/Prove/IndexProof.h"
#include "Formula.h"
#include "Kernel.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace evo;
using namespace evo::prove;
using evo::target::TargetInfo;

static constexpr int64_t largestSize = INT32_MAX;

namespace {
class Prover {
public:
  Prover(LaunchPlanOpInterface plan, uint64_t effort)
      : plan(plan), kernel(plan.getKernel()), terms(plan.getContext(), effort) {
  }
  IndexProof run();

private:
  LaunchPlanOpInterface plan;
  KernelOp kernel;
  Terms terms;
  llvm::StringMap<Term> names;
  std::string open;
  unsigned accesses = 0, pairs = 0;

  void addNames();
  void addRequirements(ArrayAttr requirements);
  bool addLaunch(LaunchOp launch, gpu::GPUFuncOp kernel, LaunchTerms &result);
  SmallVector<Term> extentsOf(StringRef name, MemRefType type);
  SmallVector<Term> extentsOf(const Access &access, const LaunchTerms &launch);
  bool prove(LaunchOp launch, gpu::GPUFuncOp kernel);
  bool isInBounds(const Access &access, const LaunchTerms &launch);
  bool neverMeet(const Access &a, const ThreadTerms &x, const Access &b,
                 const ThreadTerms &y);
  static std::string placeOf(Operation *op);
};
} // namespace

std::string Prover::placeOf(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += " at " + at.getFilename().str() + ":" +
            std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn());
  return text;
}

void Prover::addRequirements(ArrayAttr requirements) {
  if (!requirements)
    return;
  // One that cannot be translated is left out: then more has to be shown.
  for (auto requirement : requirements.getAsRange<RequirementAttr>())
    if (Term fact = translateRequirement(requirement.getValue(), names, terms))
      terms.assume(fact);
}

void Prover::addNames() {
  auto range = [&](StringRef name, Term low, Term high) {
    Term term = terms.integer();
    terms.assume(terms.compare(Less::ge, term, low));
    terms.assume(terms.compare(Less::le, term, high));
    names[name] = term;
  };
  for (StringRef dim : kernel.getDimensionNames())
    range(dim, terms.number(1), terms.number(largestSize));
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    auto type = dyn_cast<IntegerType>(arg.getElementType());
    if (arg.isBuffer() || !type || type.isUnsigned() || type.getWidth() < 8)
      continue;
    llvm::APInt min = llvm::APInt::getSignedMinValue(type.getWidth())
                          .sext(type.getWidth() + 1);
    range(arg.getName().getValue(), terms.number(min), terms.number(-min - 1));
  }
  addRequirements(kernel.getRequirementsAttr());
  addRequirements(plan.getRequirementsAttr());
}

/// Extents of a buffer as a memref of that rank has them; empty: not known.
SmallVector<Term> Prover::extentsOf(StringRef name, MemRefType type) {
  SmallVector<IntExpr> dims;
  Type element;
  if (ArgumentAttr arg = kernel.lookupArgument(name)) {
    dims = arg.getExtents();
    element = arg.getElementType();
  } else if (ScratchOp scratch = plan.lookupScratch(name)) {
    element = scratch.getElementType();
    for (auto dim : scratch.getDims().getAsRange<ExprAttr>())
      dims.push_back(dim.getValue());
  }
  // Elements of another size are other elements.
  if (!element || !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() != element.getIntOrFloatBitWidth())
    return {};
  const unsigned rank = type.getRank();
  SmallVector<Term> result;
  for (const IntExpr &dim : dims) {
    Term term = translateFormula(dim, names, terms);
    if (!term)
      return {};
    if (rank == 1 && !result.empty())
      result.front() = terms.mul(result.front(), term);
    else
      result.push_back(term);
  }
  if (result.size() != rank)
    return {};
  // An extent in the type is a promise that the buffer need not keep.
  for (auto [extent, term] : llvm::zip(type.getShape(), result))
    if (!ShapedType::isDynamic(extent) &&
        !terms.isImpossible(
            {terms.negate(terms.equal(term, terms.number(extent)))}))
      return {};
  return result;
}

bool Prover::addLaunch(LaunchOp launch, gpu::GPUFuncOp function,
                       LaunchTerms &result) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    Term grid = translateFormula(
        cast<ExprAttr>(launch.getGrid()[axis]).getValue(), names, terms);
    Term block = translateFormula(
        cast<ExprAttr>(launch.getBlock()[axis]).getValue(), names, terms);
    if (!grid || !block) {
      open = "an extent of the launch is not understood";
      return false;
    }
    // What a device does not launch does nothing.
    terms.assume(
        terms.compare(Less::le, grid, terms.number(TargetInfo::maxGrid[axis])));
    terms.assume(terms.compare(Less::le, block,
                               terms.number(TargetInfo::maxThreadsPerBlock)));
    result.grid[axis] = grid;
    result.block[axis] = block;
  }
  if (launch.getArgs().size() != function.getNumArguments()) {
    // unreachable: the dialect's verifier counts them
    open = "the launch does not pass one argument for each parameter";
    return false;
  }
  for (auto [arg, parameter] :
       llvm::zip(launch.getArgs().getAsRange<ExprAttr>(),
                 function.getArgumentTypes())) {
    result.values.emplace_back();
    result.extents.emplace_back();
    if (auto memref = dyn_cast<MemRefType>(parameter)) {
      result.extents.back() = extentsOf(arg.getText(), memref);
      continue;
    }
    Term value = isa<FloatType>(parameter)
                     ? Term()
                     : translateFormula(arg.getValue(), names, terms);
    unsigned width = parameter.isIndex() ? 64
                     : parameter.isSignlessInteger()
                         ? parameter.getIntOrFloatBitWidth()
                         : 0;
    if (!value || width < 8)
      continue;
    llvm::APInt min = llvm::APInt::getSignedMinValue(width).sext(width + 1);
    if (terms.isImpossible({terms.either(
            {terms.compare(Less::lt, value, terms.number(min)),
             terms.compare(Less::ge, value, terms.number(-min))})}))
      result.values.back() = value;
  }
  return true;
}

SmallVector<Term> Prover::extentsOf(const Access &access,
                                    const LaunchTerms &launch) {
  auto argument = dyn_cast<BlockArgument>(access.memref);
  // Arguments come first, then the block's own memory.
  if (argument && argument.getArgNumber() < launch.extents.size())
    return launch.extents[argument.getArgNumber()];
  auto type = cast<MemRefType>(access.memref.getType());
  SmallVector<Term> result;
  if (type.hasStaticShape())
    for (int64_t extent : type.getShape())
      result.push_back(terms.number(extent));
  return result;
}

bool Prover::isInBounds(const Access &access, const LaunchTerms &launch) {
  SmallVector<Term> extents = extentsOf(access, launch);
  if (extents.size() != access.indices.size())
    return false;
  for (auto [n, index] : llvm::enumerate(access.indices)) {
    bool isLast = n + 1 == access.indices.size();
    Term end = terms.add(index, terms.number(isLast ? access.length : 1));
    SmallVector<Term> also = access.conditions;
    also.push_back(
        terms.either({terms.compare(Less::lt, index, terms.number(0)),
                      terms.compare(Less::gt, end, extents[n])}));
    if (!terms.isImpossible(also))
      return false;
  }
  return true;
}

/// Whether two different threads never touch one element by these accesses.
bool Prover::neverMeet(const Access &a, const ThreadTerms &x, const Access &b,
                       const ThreadTerms &y) {
  SmallVector<Term> also = a.conditions;
  llvm::append_range(also, b.conditions);
  SmallVector<Term> differ;
  for (unsigned axis = 0; axis < 3; ++axis) {
    differ.push_back(
        terms.negate(terms.equal(x.blockId[axis], y.blockId[axis])));
    differ.push_back(
        terms.negate(terms.equal(x.threadId[axis], y.threadId[axis])));
  }
  also.push_back(terms.either(differ));
  for (auto [n, i, j] : llvm::enumerate(a.indices, b.indices)) {
    if (n + 1 < a.indices.size() || (a.length == 1 && b.length == 1)) {
      also.push_back(terms.equal(i, j));
      continue;
    }
    also.push_back(
        terms.compare(Less::lt, i, terms.add(j, terms.number(b.length))));
    also.push_back(
        terms.compare(Less::lt, j, terms.add(i, terms.number(a.length))));
  }
  return terms.isImpossible(also);
}

bool Prover::prove(LaunchOp launch, gpu::GPUFuncOp function) {
  LaunchTerms sizes;
  if (!addLaunch(launch, function, sizes))
    return false;
  Fits fits;
  ThreadTerms one(function, sizes, terms, fits);
  ThreadTerms other(function, sizes, terms, fits);
  if (!one.run() || !other.run()) {
    open = one.why.empty() ? other.why : one.why;
    return false;
  }
  for (const Access &access : one.accesses)
    if (!isInBounds(access, sizes)) {
      open = "it is not shown that " + placeOf(access.op) +
             " is in bounds for all sizes";
      return false;
    }
  accesses += one.accesses.size();
  // One buffer under two names would need more.
  llvm::StringSet<> passed;
  for (auto [arg, type] : llvm::zip(launch.getArgs().getAsRange<ExprAttr>(),
                                    function.getArgumentTypes()))
    if (isa<MemRefType>(type) && !passed.insert(arg.getText()).second) {
      open = "'" + arg.getText().str() + "' is passed twice";
      return false;
    }
  auto isGlobal = [&](const Access &access) {
    auto argument = dyn_cast<BlockArgument>(access.memref);
    return argument && argument.getArgNumber() < sizes.extents.size();
  };
  for (auto [n, a] : llvm::enumerate(one.accesses))
    for (const Access &b : ArrayRef(other.accesses).drop_front(n)) {
      if (!isGlobal(a) || a.memref != b.memref || !(a.writes || b.writes) ||
          (a.atomic && b.atomic))
        continue;
      ++pairs;
      if (!neverMeet(a, one, b, other)) {
        open = "it is not shown that no two threads meet by " + placeOf(a.op) +
               (a.op == b.op ? "" : " and " + placeOf(b.op));
        return false;
      }
    }
  return true;
}

IndexProof Prover::run() {
  SmallVector<std::pair<LaunchOp, gpu::GPUFuncOp>> launches;
  for (LaunchOp launch : plan.getLaunches()) {
    auto function = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getCallee());
    if (!function)
      return {}; // another level
    launches.emplace_back(launch, function);
  }
  addNames();
  for (auto [launch, function] : launches)
    if (!prove(launch, function))
      return {"", open};
  if (launches.empty() || accesses == 0)
    return {};
  SmallVector<StringRef> dims = kernel.getDimensionNames();
  return {"all " + std::to_string(accesses) +
              " accesses are in bounds, and no two threads of a launch touch "
              "one element of a buffer, but to read or by atomics, for all " +
              llvm::join(dims, ", ") + " from 1 to " +
              std::to_string(largestSize) + " that are required of them",
          ""};
}

bool evo::canProve() { return true; }

IndexProof evo::proveIndices(LaunchPlanOpInterface plan, uint64_t effort) {
  return Prover(plan, effort).run();
}
