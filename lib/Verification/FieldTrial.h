// The field's word on a candidate: whether it and the reference are the same
// functions of real numbers, and whether they are the same operations.
#ifndef EVO_LIB_VERIFICATION_FIELDTRIAL_H
#define EVO_LIB_VERIFICATION_FIELDTRIAL_H

#include "Trial.h"
#include "evo/Simulator/Field.h"

namespace evo {

/// Runs reference and candidate on field values (Field.h) and collects what
/// they agree on. Samples are added one shape at a time; the verdict is about
/// all of them.
class FieldTrial {
public:
  /// `instructions` bounds the lane instructions of all samples together, so
  /// that a verdict does not depend on the clock. `inOrder`: blocks of the
  /// candidate wait for blocks of smaller numbers.
  FieldTrial(KernelOp kernel, const ExecutablePlan &reference,
             const ExecutablePlan &candidate, uint64_t instructions,
             bool inOrder)
      : kernel(kernel), reference(reference), candidate(candidate),
        instructionsLeft(instructions), inOrder(inOrder) {}

  /// False once the candidate cannot be better than numeric, or where a sample
  /// of so many lane instructions goes beyond the budget.
  bool wantsMore(uint64_t instructions) const {
    return notAlgebraic.empty() && instructions <= instructionsLeft;
  }

  /// One sample at these sizes, drawn again where it does not count. A finding
  /// of the candidate is answered, for it is a refutation.
  std::optional<sim::Finding>
  tryShape(const Bindings &sizes, const sim::Options &engine, Random random);

  /// Looks back on all samples.
  void finish();
  /// Every counted output of every sample was the same function.
  bool isAlgebraic() const { return notAlgebraic.empty() && counted; }
  /// And each came out of the same IEEE operations. Whether bits agreed is the
  /// caller's to know.
  bool isSameExpression() const { return isAlgebraic() && notExact.empty(); }

  /// Samples that counted, shapes they are of, samples that did not count.
  unsigned counted = 0, shapes = 0, forfeited = 0;
  /// Why the grade is not better; empty where it is.
  std::string notAlgebraic, notExact;
  /// The sample at which the candidate is another function.
  std::optional<TrialInputs> differsAt;
  /// Literals that were taken for what they round.
  std::vector<std::string> snapped;

private:
  KernelOp kernel;
  const ExecutablePlan &reference, &candidate;
  uint64_t instructionsLeft;
  bool inOrder;
  std::string lastDropped;

  struct Outcome {
    enum { Counted, Forfeited, Dropped, Faulty } kind = Dropped;
    std::optional<std::string> why;
    std::optional<sim::Finding> finding;
  };
  Outcome trySample(const TrialInputs &inputs, sim::Options engine,
                    Random random);
  /// `pending` holds, for each float output, which elements have not counted.
  bool compare(const TrialInputs &inputs, const TrialRun &wanted,
               const TrialRun &got, sim::Field &wantedField,
               sim::Field &gotField,
               llvm::StringMap<std::vector<bool>> &pending);
  std::map<const void *, sim::FieldDecision> decisions[2];
  void limit(const sim::Field &field, llvm::StringRef whose);
};

} // namespace evo

#endif
