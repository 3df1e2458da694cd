// Terms over integers and truth values, as ops of MLIR's smt dialect, and the
// one question that is asked about them.
#ifndef EVO_LIB_PROVE_TERMS_H
#define EVO_LIB_PROVE_TERMS_H

#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo::prove {

/// A term: a value of type !smt.int or !smt.bool; null: not known.
using Term = mlir::Value;
using Less = mlir::smt::IntPredicate;

class Terms {
public:
  /// `effort`: Z3's resource units for a question. After a few on which it
  /// gives up no more are asked.
  Terms(mlir::MLIRContext *context, uint64_t effort);
  ~Terms();
  Terms(const Terms &) = delete;
  Terms &operator=(const Terms &) = delete;

  Term number(const llvm::APInt &value);
  Term number(int64_t value) {
    return number(llvm::APInt(65, static_cast<uint64_t>(value), true));
  }
  Term integer(); ///< any
  Term truth();   ///< any
  Term add(Term a, Term b);
  Term sub(Term a, Term b);
  Term mul(Term a, Term b);
  /// Of a divisor that is known to be positive, towards minus infinity.
  Term div(Term a, Term b);
  Term mod(Term a, Term b);
  Term compare(Less predicate, Term a, Term b);
  Term equal(Term a, Term b);
  Term negate(Term a);
  Term both(llvm::ArrayRef<Term> terms);
  Term either(llvm::ArrayRef<Term> terms);
  Term choose(Term condition, Term a, Term b);

  /// From here on `fact` holds.
  void assume(Term fact) { facts.push_back(fact); }
  /// Whether no integers satisfy all facts and `also`. False where the solver
  /// does not know.
  bool isImpossible(llvm::ArrayRef<Term> also);
  unsigned questions = 0;

private:
  struct Solver;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::smt::SolverOp scope;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::SmallVector<Term> facts;
  uint64_t effort;
  unsigned giveUpsLeft = 6;
  /// Made at the first question, for it costs more than most of them.
  std::unique_ptr<Solver> solver;
};

} // namespace evo::prove

#endif
