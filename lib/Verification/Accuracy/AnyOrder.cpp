// A reference that adds in one order well must not refute code that adds in
// another, and one that adds badly must not accept narrower arithmetic. So
// where it matters, the errors of its sums become those of any order. Terms are
// carried only then, for most results are well within all bounds.
#include "AnyOrder.h"

using namespace mlir;
using namespace evo;

sim::SumModel evo::modelSums(KernelOp kernel, const ExecutablePlan &candidate,
                             bool isIndependent) {
  const bool isShort = llvm::any_of(
      kernel.getArgsAttr().getAsRange<ArgumentAttr>(), [](ArgumentAttr arg) {
        auto type = dyn_cast<FloatType>(arg.getElementType());
        return type && type.getWidth() <= 16;
      });
  sim::SumModel model;
  model.isIndependent = isIndependent && !kernel.getAccuracyAttr();
  model.isTruncated = isShort || candidate.multipliesMatrices();
  return model;
}

bool evo::mayDependOnOrder(KernelOp kernel, const Comparison &comparison,
                           bool isIndependent) {
  if (!comparison.withinBound)
    return comparison.byBound;
  return isIndependent && comparison.seemsNarrow && !kernel.getAccuracyAttr();
}

void evo::setErrorOfAnyOrder(Type type, sim::SumModel model,
                             sim::GlobalMemory &wanted, sim::BufferId wantedId,
                             uint64_t wantedAt, const sim::GlobalMemory &terms,
                             sim::BufferId termsId, uint64_t termsAt,
                             const sim::TermsArena &arena) {
  const uint64_t handle = terms.fieldHandle(termsId, termsAt);
  if (!arena.holds(handle))
    return;
  const double own = decodeFloat(type, wanted.bytes(wantedId) + wantedAt);
  const double value =
      type.isF64() ? own : wanted.shadowValue(wantedId, wantedAt, own);
  const double error = arena.at(handle).errorInAnyOrder(value, model),
               before = wanted.error(wantedId, wantedAt);
  if (std::isfinite(error) && (model.isIndependent || error > before))
    wanted.setError(wantedId, wantedAt, error);
}

bool evo::takeAnyOrder(const ExecutablePlan &reference,
                       const TrialInputs &inputs, sim::SumModel model,
                       sim::Options engine, TrialRun &wanted) {
  sim::TermsArena arena;
  engine.shadow = sim::Shadow::ValueAndTerms;
  engine.terms = &arena;
  llvm::Expected<TrialRun> terms = runTrial(reference, inputs, engine, 0);
  if (!terms)
    return llvm::consumeError(terms.takeError()), false;
  if (!terms->result.clean() || arena.isFull())
    return false;
  auto idIn = [](const TrialRun &run, const TrialInputs::Buffer &buffer) {
    return run.values.buffers.lookup(buffer.arg.getName().getValue());
  };
  for (const TrialInputs::Buffer &buffer : inputs.buffers)
    if (buffer.arg.isWritten() &&
        findDifferentElement(buffer.arg, buffer.elements, *wanted.memory,
                             idIn(wanted, buffer), *terms->memory,
                             idIn(*terms, buffer)))
      return false;
  for (const TrialInputs::Buffer &buffer : inputs.buffers)
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      const Type type = buffer.arg.getElementType();
      const sim::BufferId id = idIn(wanted, buffer);
      const uint64_t at = i * getElementBytes(type);
      if (buffer.arg.isWritten() && isa<FloatType>(type) &&
          wanted.memory->isInitialized(id, at)) {
        model.isInPlace = buffer.arg.isRead();
        setErrorOfAnyOrder(type, model, *wanted.memory, id, at, *terms->memory,
                           idIn(*terms, buffer), at, arena);
      }
    }
  return true;
}
