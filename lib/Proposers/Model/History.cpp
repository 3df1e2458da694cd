// Attempts from proposals and variants.
#include "History.h"
#include "Text.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Interfaces/SearchTime.h"
#include "evo/Interfaces/Structure.h"
#include "evo/Interfaces/TimeVariant.h"
#include "evo/Support/Fixed.h"

using namespace mlir;
using namespace evo;

std::string Attempt::name() const {
  return proposal ? ProposalOp(proposal).getSymName().str()
                  : VariantOp(variant).getSymName().str();
}

std::string Attempt::rationale() const {
  ProposalOp proposal = this->proposal; // ops are handles, without const
  VariantOp variant = this->variant;
  if (proposal && proposal.getRationale())
    return proposal.getRationale()->str();
  OriginAttr origin = variant ? variant.getOriginAttr() : OriginAttr();
  return origin && origin.getRationale() ? origin.getRationale().str() : "";
}

int64_t Attempt::generation() const {
  ProposalOp proposal = this->proposal;
  auto number = proposal ? proposal->getAttrOfType<IntegerAttr>(generationAttr)
                         : IntegerAttr();
  return number ? number.getInt() : -1;
}

std::string Attempt::verdict() const {
  ProposalOp proposal = this->proposal;
  VariantOp variant = this->variant;
  EvidenceAttr evidence = variant ? variant.getEvidenceAttr() : EvidenceAttr();
  std::string reason =
      evidence ? withoutFolders(evidence.getDetail(evidence::reason))
               : std::string();
  switch (outcome) {
  case AttemptOutcome::Pending:
    return "is being tried"; // no diagnostic: of a prompt
  case AttemptOutcome::Failed:
    if (*proposal.getStage() == Stage::Answer)
      return "the answer could not be used";
    return ("failed at " + stringifyStage(*proposal.getStage())).str();
  case AttemptOutcome::Refuted:
    return "refuted: " + reason;
  case AttemptOutcome::Undecided:
    // no diagnostic: of a prompt
    return "undecided, so not accepted: " + reason;
  case AttemptOutcome::Accepted:
    return stringifyGrade(evidence.getGrade()).str();
  }
  llvm_unreachable("unknown outcome");
}

std::string Attempt::diagnostics() const {
  ProposalOp proposal = this->proposal;
  VariantOp variant = this->variant;
  if (outcome == AttemptOutcome::Failed)
    return withoutFolders(proposal.getFailure()->trim());
  if (outcome != AttemptOutcome::Refuted &&
      outcome != AttemptOutcome::Undecided)
    return "";
  EvidenceAttr evidence = variant.getEvidenceAttr();
  std::string text = evidence.getDetail(evidence::message).str();
  for (evidence::Text key :
       {evidence::location, evidence::at, evidence::values, evidence::argument})
    if (StringRef value = evidence.getDetail(key); !value.empty())
      text += ("\n" + key.name + ": " + value).str();
  if (std::optional<int64_t> index = evidence.getDetail(evidence::index))
    text += "\nindex: " + std::to_string(*index);
  return demangled(withoutFolders(StringRef(text).trim()));
}

std::string Attempt::describeOutcome() const {
  std::string text = verdict();
  if (outcome == AttemptOutcome::Accepted && time)
    text += ", " + printFixed(*time, 2) +
            (facts.measured.empty() ? " us (estimated)" : " us (measured)");
  return text;
}

size_t History::acceptedInNewest() const {
  return llvm::count_if(ranked, [&](const Attempt *attempt) {
    return attempt->generation() >= 0 &&
           attempt->generation() == newestGeneration;
  });
}

double History::minArithmetic(size_t index) const {
  double minimum = 0;
  for (const Attempt *attempt : ranked)
    if (index < attempt->facts.arithmetic.size())
      if (double time = attempt->facts.arithmetic[index];
          time > 0 && (minimum == 0 || time < minimum))
        minimum = time;
  return minimum;
}

static Attempt makeAttempt(ProposalOp proposal, VariantOp variant) {
  Attempt attempt{proposal, variant, AttemptOutcome::Pending, {}, {}};
  EvidenceAttr evidence = variant ? variant.getEvidenceAttr() : EvidenceAttr();
  if (proposal && proposal.getFailure())
    attempt.outcome = AttemptOutcome::Failed;
  else if (evidence && evidence.isAccepted())
    attempt.outcome = AttemptOutcome::Accepted;
  else if (evidence)
    attempt.outcome = evidence.getGrade() == Grade::Refuted
                          ? AttemptOutcome::Refuted
                          : AttemptOutcome::Undecided;
  return attempt;
}

static void rank(KernelOp kernel, History &history) {
  for (const Attempt &attempt : history.attempts)
    if (attempt.outcome == AttemptOutcome::Accepted)
      history.ranked.push_back(&attempt);
  history.measured = llvm::all_of(history.ranked, [](const Attempt *attempt) {
    VariantOp variant = attempt->variant;
    return !attempt->facts.measured.empty() ||
           (variant && variant->hasAttr(notMeasuredAttr));
  });
  const bool isAnyMeasured =
      llvm::any_of(history.ranked, [](const Attempt *attempt) {
        return !attempt->facts.measured.empty();
      });
  for (Attempt &attempt : history.attempts) {
    if (attempt.outcome != AttemptOutcome::Accepted)
      continue;
    attempt.time = isAnyMeasured
                       ? expectedTime(attempt.variant)
                       : weightedMean(kernel, attempt.facts.estimated);
  }
  auto order = [](const Attempt *attempt) {
    return std::tuple(attempt->isSpecialized(), !attempt->time.has_value(),
                      attempt->time.value_or(0));
  };
  llvm::sort(history.ranked, [&](const Attempt *a, const Attempt *b) {
    return order(a) < order(b);
  });
}

llvm::Expected<History> History::read(KernelOp kernel, const FactStore &store) {
  History history;
  llvm::DenseSet<Operation *> proposed;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>()) {
    VariantOp variant = proposal.lookupVariant();
    if (variant)
      proposed.insert(variant);
    history.attempts.push_back(makeAttempt(proposal, variant));
  }
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (!proposed.contains(variant))
      history.attempts.push_back(makeAttempt(ProposalOp(), variant));
  for (Attempt &attempt : history.attempts) {
    history.newestGeneration =
        std::max(history.newestGeneration, attempt.generation());
    if (attempt.outcome != AttemptOutcome::Accepted)
      continue;
    llvm::Expected<VariantFacts> facts = store.lookup(kernel, attempt.variant);
    if (!facts)
      return facts.takeError();
    attempt.facts = std::move(*facts);
  }
  rank(kernel, history);
  return history;
}

/// How many corrections in a row led to `proposal`. The parent of a correction
/// is a proposal, of all others a variant.
static unsigned correctionsBefore(KernelOp kernel, ProposalOp proposal) {
  unsigned count = 0;
  while (std::optional<StringRef> parent = proposal.getParent()) {
    proposal = kernel.lookupSymbol<ProposalOp>(*parent);
    if (!proposal || ++count == 1000) // a file may claim a circle
      break;
  }
  return count;
}

std::vector<const Attempt *> History::toRepair(KernelOp kernel,
                                               unsigned repairs) const {
  std::vector<const Attempt *> result;
  for (const Attempt &attempt : attempts) {
    if (attempt.generation() < 0 || attempt.generation() != newestGeneration)
      continue;
    ProposalOp proposal = attempt.proposal;
    bool judged = attempt.outcome == AttemptOutcome::Refuted ||
                  attempt.outcome == AttemptOutcome::Undecided;
    if (attempt.outcome == AttemptOutcome::Failed)
      judged = *proposal.getStage() != Stage::Answer &&
               *proposal.getStage() != Stage::Judged &&
               *proposal.getStage() != Stage::Duplicate;
    if (judged && correctionsBefore(kernel, proposal) < repairs)
      result.push_back(&attempt);
  }
  return result;
}

static const Attempt *lastWithNotes(const History &history) {
  for (const Attempt &attempt : llvm::reverse(history.attempts))
    if (attempt.proposal && ProposalOp(attempt.proposal)->hasAttr(insightsAttr))
      return &attempt;
  return nullptr;
}

std::vector<std::string> History::notes() const {
  if (!freshNotes.empty())
    return freshNotes;
  std::vector<std::string> lines;
  if (const Attempt *attempt = lastWithNotes(*this))
    if (auto list = ProposalOp(attempt->proposal)
                        ->getAttrOfType<ArrayAttr>(insightsAttr))
      for (auto line : list.getAsRange<StringAttr>())
        lines.push_back(line.str());
  return lines;
}

int64_t History::notesGeneration() const {
  const Attempt *attempt = lastWithNotes(*this);
  return attempt ? attempt->generation() : 0;
}

std::string History::repetitions() const {
  unsigned same = 0;
  std::string last, likes;
  unsigned alike = 0;
  for (const Attempt &attempt : attempts) {
    ProposalOp proposal = attempt.proposal;
    if (!proposal || attempt.generation() < 0)
      continue;
    if (proposal.getStage() == Stage::Duplicate) {
      ++same;
      last = (proposal.getSymName() + ": " + *proposal.getFailure()).str();
    } else if (auto like = proposal->getAttrOfType<StringAttr>(likeAttr)) {
      ++alike;
      likes = (proposal.getSymName() + " of " + like.getValue()).str();
    }
  }
  std::string text;
  if (same)
    text =
        std::to_string(same) +
        (same == 1 ? " candidate was" : " candidates were") +
        " the same code as an earlier one (the last: " + firstLine(last, 80) +
        "). ";
  if (alike)
    text +=
        std::to_string(alike) +
        (alike == 1 ? " candidate had" : " candidates had") +
        " the structure of an earlier one with other constants (the last: " +
        likes + "). ";
  return text;
}

/// The ops of a region, as text without locations.
static std::string printBody(Region &region) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!region.empty())
    for (Operation &op : region.front()) {
      op.print(os, OpPrintingFlags().useLocalScope());
      os << '\n';
    }
  return text;
}

ProgramText evo::referenceProgram(KernelOp kernel) {
  ReferenceOp reference = kernel.getReference();
  if (!reference)
    return {"mlir", "", {}};
  bool isPlan = reference.isLaunchPlan();
  if (reference.getSource())
    return {isPlan ? "cuda" : "mlir", reference.getSource()->trim().str(), {}};
  return {"mlir", StringRef(printBody(reference.getBody())).trim().str(), {}};
}

static std::string printOption(Attribute value) {
  if (auto text = dyn_cast<StringAttr>(value))
    return text.str();
  if (auto number = dyn_cast<IntegerAttr>(value))
    return std::to_string(number.getInt());
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

ProgramText evo::programOf(KernelOp kernel, const Attempt &attempt) {
  ProgramText program;
  ProposalOp proposal = attempt.proposal;
  VariantOp variant = attempt.variant;
  if (proposal && proposal.getGenome() == Genome::Options) {
    program = referenceProgram(kernel);
    SmallVector<StringRef> lines;
    proposal.getText().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines)
      program.settings.emplace_back(line.split(' ').first.str(),
                                    line.split(' ').second.str());
  } else if (proposal) {
    program.language = stringifyGenome(proposal.getGenome()).str();
    program.code = proposal.getText().trim().str();
  } else if (variant.getSource()) {
    program.language = "cuda";
    program.code = variant.getSource()->trim().str();
  } else {
    program.language = "mlir";
    program.code = StringRef(printBody(variant.getBody())).trim().str();
  }
  DictionaryAttr options =
      proposal ? proposal.getOptionsAttr() : variant.getOptionsAttr();
  if (options)
    for (NamedAttribute option : options) {
      if (auto knobs = dyn_cast<DictionaryAttr>(option.getValue())) {
        // The knobs of a schedule; of a rewrite they only repeat its text.
        if (proposal && proposal.getGenome() == Genome::Schedule)
          for (NamedAttribute knob : knobs)
            program.settings.emplace_back(knob.getName().str(),
                                          printOption(knob.getValue()));
        continue;
      }
      program.settings.emplace_back(option.getName().str(),
                                    printOption(option.getValue()));
    }
  return program;
}
