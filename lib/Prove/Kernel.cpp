// The walk over a kernel. Integers are mathematical ones: a result is the exact
// one only where that is shown to fit its type, else it is any number. What the
// walk does not know (loads, floats, what loops carry) is any number too, which
// can only make a proof fail.
#include "Kernel.h"
#include "evo/Lowering/DeviceOperations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace evo::prove;

/// Bits of an integer or index type; 0 for others.
static unsigned widthOf(Type type) {
  if (type.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

ThreadTerms::ThreadTerms(gpu::GPUFuncOp kernel, const LaunchTerms &launch,
                         Terms &terms, Fits &fits)
    : kernel(kernel), launch(launch), terms(terms), fits(fits) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    blockId[axis] = between(0, launch.grid[axis]);
    threadId[axis] = between(0, launch.block[axis]);
  }
  for (auto [argument, value] : llvm::zip(kernel.getArguments(), launch.values))
    values[argument] = value;
}

bool ThreadTerms::refuse(Operation *op, const Twine &text) {
  std::string place;
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    place = " at " + at.getFilename().str() + ":" +
            std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn());
  why = (text + " '" + op->getName().getStringRef() + "'" + place).str();
  return false;
}

/// Whether `claim` follows from facts and conditions.
bool ThreadTerms::holds(Term claim) {
  SmallVector<Term> also = conditions;
  also.push_back(terms.negate(claim));
  return terms.isImpossible(also);
}

/// Any number from `low` up to and without `high`.
Term ThreadTerms::between(int64_t low, Term high) {
  Term term = terms.integer();
  terms.assume(terms.compare(Less::ge, term, terms.number(low)));
  terms.assume(terms.compare(Less::lt, term, high));
  return term;
}

/// Any value of an integer type, as signed; null for other types.
Term ThreadTerms::anyOf(Type type) {
  unsigned width = widthOf(type);
  if (width == 0)
    return Term();
  if (width == 1)
    return terms.truth();
  Term term = terms.integer();
  llvm::APInt minimum = llvm::APInt::getSignedMinValue(width).sext(width + 1);
  terms.assume(terms.compare(Less::ge, term, terms.number(minimum)));
  terms.assume(terms.compare(Less::lt, term, terms.number(-minimum)));
  return term;
}

Term ThreadTerms::valueOf(Value value) {
  auto [at, isNew] = values.try_emplace(value);
  if (!at->second) {
    Term any = anyOf(value.getType());
    values[value] = any;
    return any;
  }
  return at->second;
}

Term ThreadTerms::fitted(Operation *op, Term exact) {
  unsigned width = widthOf(op->getResult(0).getType());
  auto known = fits.find(op);
  if (known == fits.end()) {
    llvm::APInt minimum = llvm::APInt::getSignedMinValue(width).sext(width + 1);
    bool fit = holds(
        terms.both({terms.compare(Less::ge, exact, terms.number(minimum)),
                    terms.compare(Less::lt, exact, terms.number(-minimum))}));
    known = fits.try_emplace(op, fit).first;
  }
  return known->second ? exact : anyOf(op->getResult(0).getType());
}

bool ThreadTerms::isNotNegative(Term term) {
  return holds(terms.compare(Less::ge, term, terms.number(0)));
}

Term ThreadTerms::translateCompare(Operation *op, Term a, Term b) {
  auto compare = cast<arith::CmpIOp>(op);
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  if (isa<smt::BoolType>(a.getType()))
    return predicate == P::eq   ? terms.equal(a, b)
           : predicate == P::ne ? terms.negate(terms.equal(a, b))
                                : terms.truth();
  switch (predicate) {
  case P::ult:
  case P::ule:
  case P::ugt:
  case P::uge:
    if (!isNotNegative(a) || !isNotNegative(b))
      return terms.truth();
    break;
  default:
    break;
  }
  switch (predicate) {
  case P::eq:
    return terms.equal(a, b);
  case P::ne:
    return terms.negate(terms.equal(a, b));
  case P::slt:
  case P::ult:
    return terms.compare(Less::lt, a, b);
  case P::sle:
  case P::ule:
    return terms.compare(Less::le, a, b);
  case P::sgt:
  case P::ugt:
    return terms.compare(Less::gt, a, b);
  case P::sge:
  case P::uge:
    return terms.compare(Less::ge, a, b);
  }
  return terms.truth();
}

/// Null: not known.
Term ThreadTerms::translateArith(Operation *op, Term a, Term b) {
  if (isa<arith::AddIOp>(op))
    return fitted(op, terms.add(a, b));
  if (isa<arith::SubIOp>(op))
    return fitted(op, terms.sub(a, b));
  if (isa<arith::MulIOp>(op))
    return fitted(op, terms.mul(a, b));
  if (isa<arith::CmpIOp>(op))
    return translateCompare(op, a, b);
  bool isMin = isa<arith::MinSIOp, arith::MinUIOp>(op);
  if (isMin || isa<arith::MaxSIOp, arith::MaxUIOp>(op)) {
    if (isa<arith::MinUIOp, arith::MaxUIOp>(op) &&
        !(isNotNegative(a) && isNotNegative(b)))
      return Term();
    return terms.choose(terms.compare(isMin ? Less::lt : Less::gt, a, b), a, b);
  }
  // Divisions of numbers that are not negative round alike.
  bool isQuotient =
      isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op);
  if (isQuotient || isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    if (!isNotNegative(a) ||
        !holds(terms.compare(Less::gt, b, terms.number(0))))
      return Term();
    return isQuotient ? terms.div(a, b) : terms.mod(a, b);
  }
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op)) {
    if (!isNotNegative(a) ||
        !holds(terms.compare(Less::gt, b, terms.number(0))))
      return Term();
    return terms.div(terms.add(a, terms.sub(b, terms.number(1))), b);
  }
  // Masks of low bits and shifts by literals are divisions in other words.
  llvm::APInt literal;
  if (!matchPattern(op->getOperand(1), m_ConstantInt(&literal)) ||
      !isNotNegative(a))
    return Term();
  if (isa<arith::AndIOp>(op) && literal.isMask())
    return terms.mod(
        a, terms.number(llvm::APInt::getOneBitSet(66, literal.countr_one())));
  unsigned width = widthOf(op->getResult(0).getType());
  if (literal.uge(width))
    return Term();
  Term power =
      terms.number(llvm::APInt::getOneBitSet(66, literal.getZExtValue()));
  if (isa<arith::ShLIOp>(op))
    return fitted(op, terms.mul(a, power));
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return terms.div(a, power);
  return Term();
}

/// The term of an op's only result; null: not known.
Term ThreadTerms::translate(Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned width = widthOf(type);
  llvm::APInt literal;
  if (matchPattern(op, m_ConstantInt(&literal)))
    return width == 1 ? terms.equal(terms.number(literal.isZero() ? 1 : 0),
                                    terms.number(0))
                      : terms.number(literal.sext(width + 1));
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return threadId[static_cast<unsigned>(id.getDimension())];
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return blockId[static_cast<unsigned>(id.getDimension())];
  if (auto id = dyn_cast<gpu::BlockDimOp>(op))
    return launch.block[static_cast<unsigned>(id.getDimension())];
  if (auto id = dyn_cast<gpu::GridDimOp>(op))
    return launch.grid[static_cast<unsigned>(id.getDimension())];
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Term condition = valueOf(select.getCondition());
    Term a = valueOf(select.getTrueValue()),
         b = valueOf(select.getFalseValue());
    return condition && a && b && isa<smt::BoolType>(condition.getType())
               ? terms.choose(condition, a, b)
               : Term();
  }
  if (isa<arith::IndexCastOp, arith::TruncIOp, arith::ExtSIOp>(op)) {
    Term from = valueOf(op->getOperand(0));
    return from && isa<smt::IntType>(from.getType()) && width > 1
               ? fitted(op, from)
               : Term();
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    Term from = valueOf(op->getOperand(0));
    if (!from)
      return Term();
    if (isa<smt::BoolType>(from.getType()))
      return terms.choose(from, terms.number(1), terms.number(0));
    return isNotNegative(from) ? fitted(op, from) : Term();
  }
  if (op->getNumOperands() != 2 ||
      op->getDialect() != op->getContext()->getLoadedDialect("arith"))
    return Term();
  Term a = valueOf(op->getOperand(0)), b = valueOf(op->getOperand(1));
  if (!a || !b)
    return Term();
  if (isa<smt::BoolType>(a.getType()) && !isa<arith::CmpIOp>(op)) {
    if (isa<arith::AndIOp>(op))
      return terms.both({a, b});
    if (isa<arith::OrIOp>(op))
      return terms.either({a, b});
    if (isa<arith::XOrIOp>(op))
      return terms.negate(terms.equal(a, b));
    return Term();
  }
  return translateArith(op, a, b);
}

bool ThreadTerms::access(Operation *op, Value memref, ValueRange indices,
                         int64_t length, bool writes, bool atomic) {
  Access found{op, memref, {}, length, conditions, writes, atomic};
  for (Value index : indices)
    found.indices.push_back(valueOf(index));
  auto type = cast<MemRefType>(memref.getType());
  if (!type.getLayout().isIdentity())
    return refuse(op, "memory that is laid out in another way is accessed by");
  accesses.push_back(std::move(found));
  return true;
}

bool ThreadTerms::walkUnder(Term condition, Region &region) {
  conditions.push_back(condition);
  bool ok = region.empty() || walk(region.front());
  conditions.pop_back();
  return ok;
}

bool ThreadTerms::walkFor(scf::ForOp op) {
  Term low = valueOf(op.getLowerBound()), high = valueOf(op.getUpperBound()),
       step = valueOf(op.getStep());
  Type type = op.getInductionVar().getType();
  // The variable must not run past the end of its type.
  llvm::APInt end = llvm::APInt::getSignedMaxValue(widthOf(type));
  if (op.getUnsignedCmp() ||
      !holds(terms.both(
          {terms.compare(Less::gt, step, terms.number(0)),
           terms.compare(Less::le, terms.add(high, step),
                         terms.number(end.sext(widthOf(type) + 1)))})))
    return refuse(op,
                  "a step that is not known to be positive, or a bound that "
                  "may overflow, is in");
  Term round = terms.integer();
  terms.assume(terms.compare(Less::ge, round, terms.number(0)));
  Term variable = terms.add(low, terms.mul(step, round));
  values[op.getInductionVar()] = variable;
  return walkUnder(terms.compare(Less::lt, variable, high), op.getRegion());
}

bool ThreadTerms::walkIf(scf::IfOp op) {
  Term condition = valueOf(op.getCondition());
  if (!walkUnder(condition, op.getThenRegion()) ||
      !walkUnder(terms.negate(condition), op.getElseRegion()))
    return false;
  if (op.getNumResults() == 0)
    return true;
  for (auto [result, a, b] :
       llvm::zip(op.getResults(), op.thenYield().getOperands(),
                 op.elseYield().getOperands()))
    if (widthOf(result.getType()))
      values[result] = terms.choose(condition, valueOf(a), valueOf(b));
  return true;
}

bool ThreadTerms::walkWhile(scf::WhileOp op) {
  // What a round begins with is any value; the body runs where the condition
  // held for it.
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  if (!walk(before))
    return false;
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  for (auto [argument, value] :
       llvm::zip(after.getArguments(), condition.getArgs()))
    if (widthOf(argument.getType()))
      values[argument] = valueOf(value);
  return walkUnder(valueOf(condition.getCondition()), op.getAfter());
}

bool ThreadTerms::walk(Block &block) {
  for (Operation &op : block)
    if (!walk(op))
      return false;
  return true;
}

/// Whether inline PTX has a statement that accesses memory, or an unknown one.
static bool mayAccessByAssembly(Operation &op) {
  if (!evo::isInlinePTX(&op))
    return false;
  auto effects = llvm::MemoryEffects::none();
  evo::forEachDeviceOperation(
      &op, [&](const evo::device::Operation &operation) {
        effects |= evo::device::getMemoryEffects(operation);
      });
  return !effects.onlyAccessesInaccessibleMem();
}

bool ThreadTerms::walk(Operation &op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return walkFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return walkIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return walkWhile(loop);
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return access(&op, load.getMemRef(), load.getIndices(), 1, false, false);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return access(&op, store.getMemRef(), store.getIndices(), 1, true, false);
  if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
    return access(&op, atomic.getMemref(), atomic.getIndices(), 1, true, true);
  if (auto load = dyn_cast<vector::LoadOp>(op))
    return load.getVectorType().getRank() == 1 &&
                   !load.getVectorType().isScalable()
               ? access(&op, load.getBase(), load.getIndices(),
                        load.getVectorType().getNumElements(), false, false)
               : refuse(&op, "a vector of several dimensions is moved by");
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return store.getVectorType().getRank() == 1 &&
                   !store.getVectorType().isScalable()
               ? access(&op, store.getBase(), store.getIndices(),
                        store.getVectorType().getNumElements(), true, false)
               : refuse(&op, "a vector of several dimensions is moved by");
  if (auto alloca = dyn_cast<memref::AllocaOp>(op))
    return alloca.getType().hasStaticShape() ||
           refuse(&op, "memory of no fixed size is made by");
  auto isMemory = [](Type type) {
    return isa<BaseMemRefType, LLVM::LLVMPointerType>(type);
  };
  // Assembly may be given an address as an integer.
  if (mayAccessByAssembly(op) || op.getNumRegions() ||
      llvm::any_of(op.getOperandTypes(), isMemory) ||
      llvm::any_of(op.getResultTypes(), isMemory))
    return refuse(&op, "memory may be accessed, in a way not understood, by");
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    auto callee = dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
    if (!callee || !callee.isExternal())
      return refuse(&op, "memory may be accessed by");
  }
  if (op.getNumResults() == 1 && widthOf(op.getResult(0).getType()))
    if (Term term = translate(&op))
      values[op.getResult(0)] = term;
  return true;
}

bool ThreadTerms::run() {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return refuse(kernel, "several blocks make up");
  return walk(kernel.getBody().front());
}
