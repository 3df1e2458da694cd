// From what checks found to evidence; its keys are those of EvidenceKeys.def.
#include "Evidence.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

/// "f.cu:12:7 never true; ...": each place once, the first few.
static std::string printBranches(ArrayRef<sim::OneWayBranch> branches,
                                 sim::BranchInput input) {
  constexpr size_t maxBranches = 6;
  SmallVector<std::string> texts;
  for (const sim::OneWayBranch &branch : branches)
    if (branch.input == input && !llvm::is_contained(texts, branch.str()))
      texts.push_back(branch.str());
  size_t more = texts.size() > maxBranches ? texts.size() - maxBranches : 0;
  texts.truncate(std::min(maxBranches, texts.size()));
  std::string text = llvm::join(texts, "; ");
  return more ? text + "; and " + std::to_string(more) + " more" : text;
}

/// "f.cu:12:7; ...": each place once, the first few.
static std::string printLoops(ArrayRef<sim::WaitingLoop> loops) {
  constexpr size_t maxLoops = 6;
  SmallVector<std::string> texts;
  for (const sim::WaitingLoop &loop : loops)
    if (std::string text = loop.location.str();
        !llvm::is_contained(texts, text) && texts.size() < maxLoops)
      texts.push_back(std::move(text));
  return llvm::join(texts, "; ");
}

/// What a device does though nothing promises it, or a contract does not say.
static std::string printAssumptions(const Tally &tally) {
  SmallVector<std::string> assumed;
  if (tally.inOrder)
    assumed.push_back("blocks start in the order of their numbers");
  if (tally.together)
    assumed.push_back("all blocks of a launch run at once");
  if (tally.readerWithoutFence)
    assumed.push_back("reader without fence");
  for (const auto &[dim, why] : tally.notAtExtent0)
    assumed.push_back(dim + " > 0, for it has " + why + " there");
  if (!tally.notAssembled.empty())
    assumed.push_back("registers and memory suffice for its launches, for it "
                      "was not assembled: " +
                      tally.notAssembled);
  return llvm::join(assumed, "; ");
}

namespace {
class Writer {
public:
  Writer(MLIRContext *context) : b(context) {}

  void number(evidence::Integer key, uint64_t value) {
    details.append(key.of(b, static_cast<int64_t>(value)));
  }
  /// Zero is not worth a key.
  void count(evidence::Integer key, uint64_t value) {
    if (value)
      number(key, value);
  }
  /// Nor is an empty text.
  void text(evidence::Text key, StringRef value) {
    if (!value.empty())
      details.append(key.of(b, value));
  }
  void value(evidence::Value key, Attribute value) {
    if (value)
      details.append(key.of(b, value));
  }
  void writeSamples(const VerificationState &state);
  void writeRefutation(const Refutation &refutation);
  void writeAcceptance(const VerificationState &state);
  DictionaryAttr take() { return details.getDictionary(b.getContext()); }

private:
  Builder b;
  NamedAttrList details;
};
} // namespace

void Writer::writeSamples(const VerificationState &state) {
  number(evidence::seed, state.options.seed);
  text(evidence::processors, state.tally.samples ? "cpu" : "");
  number(evidence::samples, state.tally.samples);
  number(evidence::shapes, state.tally.shapes);
  count(evidence::dropped, state.tally.dropped);
  count(evidence::illConditioned, state.tally.illConditioned);
  count(evidence::overBudget, state.tally.overBudget);
}

void Writer::writeRefutation(const Refutation &refutation) {
  details.append(evidence::reason.of(b, reasonName(refutation.reason)));
  details.append(evidence::message.of(b, refutation.message));
  text(evidence::at, refutation.at);
  text(evidence::values, refutation.values);
  text(evidence::location, refutation.location);
  text(evidence::otherLocation, refutation.otherLocation);
  text(evidence::argument, refutation.argument);
  if (refutation.index)
    number(evidence::index, *refutation.index);
  value(evidence::expected, refutation.expected);
  value(evidence::found, refutation.found);
  if (refutation.call)
    number(evidence::call, *refutation.call);
}

void Writer::writeAcceptance(const VerificationState &state) {
  const Tally &tally = state.tally;
  const FieldTrial &field = *state.field;
  details.append(evidence::worstRatio.of(b, tally.worstRatio));
  details.append(evidence::bitIdentical.of(b, tally.bitIdentical));
  text(evidence::assumes, printAssumptions(tally));
  count(evidence::onlyPostOptimised, tally.onlyPostOptimised);
  count(evidence::racesNotWatched, tally.unwatched);
  number(evidence::fieldSamples, field.counted);
  count(evidence::fieldForfeited, field.forfeited);
  count(evidence::literalSamples, tally.literalSamples);
  count(evidence::sizesLeftOut, tally.sizesLeftOut);
  count(evidence::valuesLeftOut, tally.valuesLeftOut);
  count(evidence::twoOrders, tally.orders);
  count(evidence::interleavings, tally.interleavings);
  text(evidence::notTurned, tally.notTurned);
  count(evidence::repeatedCalls, tally.repeatedCalls);
  text(evidence::sampledBlocks, llvm::join(tally.sampledBlocks, "; "));
  text(evidence::notCompared, tally.notCompared);
  text(evidence::covered, tally.covered);
  text(evidence::notCovered, tally.notCovered);
  text(evidence::fullGrid, llvm::join(tally.fullGrid, "; "));
  count(evidence::beyond32Bits, tally.indexOverflowShapes);
  std::vector<sim::OneWayBranch> open = state.getOpenBranches();
  text(evidence::oneWayOnData, printBranches(open, sim::BranchInput::Data));
  text(evidence::oneWayOnSizes, printBranches(open, sim::BranchInput::Launch));
  text(evidence::fewRounds,
       printLoops(state.preOptimised->getFewRounds(state.coverage)));
  text(evidence::wholeRange, llvm::join(tally.wholeRange, "; "));
  text(evidence::snapped, llvm::join(field.snapped, "; "));
  text(evidence::proved, tally.proved);
  text(evidence::notProved, tally.notProved);
  if (state.grade == Grade::Numeric)
    details.append(evidence::notAlgebraic.of(b, field.notAlgebraic));
  if (state.grade == Grade::Algebraic)
    details.append(evidence::notExact.of(b, field.notExact));
}

EvidenceAttr evo::writeEvidence(const VerificationState &state) {
  MLIRContext *context = state.plan->getContext();
  Writer writer(context);
  writer.writeSamples(state);
  Grade grade;
  if (state.refutation) {
    writer.writeRefutation(*state.refutation);
    writer.text(evidence::check, state.decidedBy);
    grade = state.refutation->undecided ? Grade::Unsupported : Grade::Refuted;
  } else {
    writer.writeAcceptance(state);
    grade = *state.grade;
  }
  return EvidenceAttr::get(context, grade, StringAttr::get(context, state.hash),
                           writer.take());
}
