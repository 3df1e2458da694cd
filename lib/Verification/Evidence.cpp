// Keys and values of evidence. docs/Verify.md has a table of them.
#include "Evidence.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

/// "f.cu:12:7 never true; ...": each place once, the first few.
static std::string printBranches(ArrayRef<exec::OneWayBranch> branches,
                                 exec::BranchInput input) {
  constexpr size_t maxBranches = 6;
  SmallVector<std::string> texts;
  for (const exec::OneWayBranch &branch : branches)
    if (branch.input == input && !llvm::is_contained(texts, branch.str()))
      texts.push_back(branch.str());
  size_t more = texts.size() > maxBranches ? texts.size() - maxBranches : 0;
  texts.truncate(std::min(maxBranches, texts.size()));
  std::string text = llvm::join(texts, "; ");
  return more ? text + "; and " + std::to_string(more) + " more" : text;
}

/// What a device does though nothing promises it, or a contract does not say.
static std::string printAssumptions(const Tally &tally) {
  SmallVector<std::string> assumed;
  if (tally.inOrder)
    assumed.push_back("blocks start in the order of their numbers");
  for (const std::string &dim : tally.launchesNothingAt)
    assumed.push_back(dim + " > 0, for it has a launch without blocks there");
  return llvm::join(assumed, "; ");
}

namespace {
class Writer {
public:
  Writer(MLIRContext *context) : b(context) {}

  void number(StringRef key, uint64_t value) {
    details.append(key, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  }
  /// Zero is not worth a key.
  void count(StringRef key, uint64_t value) {
    if (value)
      number(key, value);
  }
  /// Nor is an empty text.
  void text(StringRef key, StringRef value) {
    if (!value.empty())
      details.append(key, b.getStringAttr(value));
  }
  void attribute(StringRef key, Attribute value) {
    if (value)
      details.append(key, value);
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
  number("seed", state.options.seed);
  number("samples", state.tally.samples);
  number("shapes", state.tally.shapes);
  count("dropped", state.tally.dropped);
  count("ill_conditioned", state.tally.illConditioned);
  count("over_budget", state.tally.overBudget);
}

void Writer::writeRefutation(const Refutation &refutation) {
  attribute("reason", b.getStringAttr(refutation.reason));
  attribute("message", b.getStringAttr(refutation.message));
  text("at", refutation.at);
  text("values", refutation.values);
  text("location", refutation.location);
  text("other_location", refutation.otherLocation);
  text("argument", refutation.argument);
  if (refutation.index)
    number("index", *refutation.index);
  attribute("expected", refutation.expected);
  attribute("found", refutation.found);
  if (refutation.call)
    number("call", *refutation.call);
}

void Writer::writeAcceptance(const VerificationState &state) {
  const Tally &tally = state.tally;
  const FieldTrial &field = *state.field;
  attribute("worst_ratio", b.getF64FloatAttr(tally.worstRatio));
  attribute("bit_identical", b.getBoolAttr(tally.bitIdentical));
  text("assumes", printAssumptions(tally));
  count("only_as_shipped", tally.onlyPostOptimised);
  count("races_not_watched", tally.unwatched);
  number("field_samples", field.counted);
  count("field_forfeited", field.forfeited);
  count("literal_samples", tally.literalSamples);
  count("sizes_left_out", tally.sizesLeftOut);
  count("values_left_out", tally.valuesLeftOut);
  count("two_orders", tally.orders);
  count("repeated_calls", tally.repeatedCalls);
  text("sampled_blocks", llvm::join(tally.sampledBlocks, "; "));
  text("full_grid", llvm::join(tally.fullGrid, "; "));
  count("beyond_32_bits", tally.indexOverflowShapes);
  std::vector<exec::OneWayBranch> open = state.getOpenBranches();
  text("one_way_on_data", printBranches(open, exec::BranchInput::Data));
  text("one_way_on_sizes", printBranches(open, exec::BranchInput::Launch));
  text("snapped", llvm::join(field.snapped, "; "));
  text("proved", tally.proved);
  text("not_proved", tally.notProved);
  if (state.grade == Grade::Numeric)
    attribute("not_algebraic", b.getStringAttr(field.notAlgebraic));
  if (state.grade == Grade::Algebraic)
    attribute("not_exact", b.getStringAttr(field.notExact));
}

EvidenceAttr evo::writeEvidence(const VerificationState &state) {
  MLIRContext *context = state.plan->getContext();
  Writer writer(context);
  writer.writeSamples(state);
  Grade grade;
  if (state.refutation) {
    writer.writeRefutation(*state.refutation);
    grade = state.refutation->undecided ? Grade::Unsupported : Grade::Refuted;
  } else {
    writer.writeAcceptance(state);
    grade = *state.grade;
  }
  return EvidenceAttr::get(context, grade, StringAttr::get(context, state.hash),
                           writer.take());
}
