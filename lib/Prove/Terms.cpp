// Terms become SMT-LIB text by MLIR's exporter; Z3 reads that.
#include "Terms.h"
#include "mlir/Dialect/SMT/IR/SMTDialect.h"
#include "mlir/Target/SMTLIB/ExportSMTLIB.h"
#include <z3.h>

using namespace mlir;
using namespace evo::prove;

/// Against what is not counted; far above what the effort amounts to.
static constexpr unsigned maxMilliseconds = 20'000;

struct Terms::Solver {
  Z3_context context;
  Solver() {
    Z3_config config = Z3_mk_config();
    context = Z3_mk_context(config);
    Z3_del_config(config);
    // An error is an answer that is not "unsat".
    Z3_set_error_handler(context, [](Z3_context, Z3_error_code) {});
  }
  ~Solver() { Z3_del_context(context); }
};

Terms::Terms(MLIRContext *context, uint64_t effort)
    : b(context), loc(UnknownLoc::get(context)), effort(effort) {
  context->loadDialect<smt::SMTDialect>();
  module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  scope = smt::SolverOp::create(b, loc, TypeRange(), ValueRange());
  b.createBlock(&scope.getBodyRegion());
  smt::YieldOp::create(b, loc);
  b.setInsertionPoint(scope.getBody()->getTerminator());
}
Terms::~Terms() = default;

Term Terms::number(const llvm::APInt &value) {
  return smt::IntConstantOp::create(
      b, loc, b.getIntegerAttr(b.getIntegerType(value.getBitWidth()), value));
}
Term Terms::integer() {
  return smt::DeclareFunOp::create(b, loc, smt::IntType::get(b.getContext()));
}
Term Terms::truth() {
  return smt::DeclareFunOp::create(b, loc, smt::BoolType::get(b.getContext()));
}
Term Terms::add(Term x, Term y) {
  return smt::IntAddOp::create(b, loc, ValueRange{x, y});
}
Term Terms::sub(Term x, Term y) { return smt::IntSubOp::create(b, loc, x, y); }
Term Terms::mul(Term x, Term y) {
  return smt::IntMulOp::create(b, loc, ValueRange{x, y});
}
Term Terms::div(Term x, Term y) { return smt::IntDivOp::create(b, loc, x, y); }
Term Terms::mod(Term x, Term y) { return smt::IntModOp::create(b, loc, x, y); }
Term Terms::compare(Less predicate, Term x, Term y) {
  return smt::IntCmpOp::create(b, loc, predicate, x, y);
}
Term Terms::equal(Term x, Term y) { return smt::EqOp::create(b, loc, x, y); }
Term Terms::negate(Term x) { return smt::NotOp::create(b, loc, x); }
Term Terms::both(ArrayRef<Term> terms) {
  if (terms.empty())
    return smt::BoolConstantOp::create(b, loc, true);
  return terms.size() == 1
             ? terms.front()
             : Term(smt::AndOp::create(b, loc, ValueRange(terms)));
}
Term Terms::either(ArrayRef<Term> terms) {
  if (terms.empty())
    return smt::BoolConstantOp::create(b, loc, false);
  return terms.size() == 1 ? terms.front()
                           : Term(smt::OrOp::create(b, loc, ValueRange(terms)));
}
Term Terms::choose(Term condition, Term x, Term y) {
  return smt::IteOp::create(b, loc, condition, x, y);
}

bool Terms::isImpossible(ArrayRef<Term> also) {
  if (giveUpsLeft == 0)
    return false;
  ++questions;
  SmallVector<Operation *> asserted;
  for (ArrayRef<Term> terms : {ArrayRef<Term>(facts), also})
    for (Term term : terms)
      asserted.push_back(smt::AssertOp::create(b, loc, term));
  std::string text;
  llvm::raw_string_ostream os(text);
  bool printed = succeeded(smt::exportSMTLIB(*module, os));
  for (Operation *op : asserted)
    op->erase();
  if (!printed)
    return false;
  StringRef body = StringRef(text).rtrim();
  body.consume_back("(reset)");
  // Counted effort, not time, so that an answer does not hang on the machine.
  std::string question = "(set-option :rlimit " + std::to_string(effort) +
                         ")\n(set-option :timeout " +
                         std::to_string(maxMilliseconds) + ")\n" + body.str() +
                         "\n(check-sat)\n(reset)\n";
  if (!solver)
    solver = std::make_unique<Solver>();
  StringRef answer = Z3_eval_smtlib2_string(solver->context, question.c_str());
  if (answer.trim() == "unsat") // data format: answers of SMT-LIB
    return true;
  giveUpsLeft -= answer.trim() != "sat"; // data format: as above
  return false;
}
