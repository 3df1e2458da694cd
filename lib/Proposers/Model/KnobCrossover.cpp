// Options of code generation are handed down from the faster parent.
#include "KnobCrossover.h"

using namespace mlir;
using namespace evo;

/// The knobs of a schedule; null for anything else.
static DictionaryAttr knobsOf(const Attempt &attempt) {
  ProposalOp proposal = attempt.proposal;
  if (!proposal || proposal.getGenome() != Genome::Schedule ||
      !proposal.getOptionsAttr())
    return nullptr;
  return proposal.getOptionsAttr().getAs<DictionaryAttr>("knobs");
}

std::pair<const Attempt *, const Attempt *>
evo::findSchedules(ArrayRef<const Attempt *> members) {
  for (size_t i = 0; i < members.size(); ++i)
    for (size_t j = i + 1; j < members.size(); ++j) {
      DictionaryAttr one = knobsOf(*members[i]), other = knobsOf(*members[j]);
      if (one && other && one != other &&
          ProposalOp(members[i]->proposal).getText() ==
              ProposalOp(members[j]->proposal).getText())
        return {members[i], members[j]};
    }
  return {nullptr, nullptr};
}

bool evo::crossKnobs(KernelOp kernel, const Attempt &one, const Attempt &other,
                     StringRef operation, ProposalWriter &writer,
                     Random &random) {
  ProposalOp first = one.proposal, second = other.proposal;
  VariantOp variant = one.variant;
  auto wasTried = [&](DictionaryAttr options) {
    return llvm::any_of(kernel.getBody().getOps<ProposalOp>(),
                        [&](ProposalOp proposal) {
                          return proposal.getText() == first.getText() &&
                                 proposal.getOptionsAttr() == options;
                        });
  };
  for (unsigned draw = 0; draw < 16; ++draw) {
    NamedAttrList knobs(knobsOf(one));
    for (NamedAttribute knob : knobsOf(other))
      if (!knobs.get(knob.getName()) || random.below(2))
        knobs.set(knob.getName(), knob.getValue());
    NamedAttrList options(first.getOptionsAttr());
    options.set("knobs", knobs.getDictionary(first.getContext()));
    DictionaryAttr child = options.getDictionary(first.getContext());
    if (wasTried(child))
      continue;
    writer.addUnasked(
        Genome::Schedule, first.getText(), child, variant.getSymName(),
        ("knobs of " + first.getSymName() + " and " + second.getSymName())
            .str(),
        operation);
    return true;
  }
  return false;
}
