// Causes are told apart by what is data: kinds of faults, stages, and reasons
// of evidence. Messages are for people alone.
#include "Causes.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Structure.h"
#include "evo/Support/Sort.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

static constexpr llvm::StringLiteral adviceOnTime =
    "judge it by itself, with 'verify --seconds'";
static constexpr llvm::StringLiteral adviceOnUnsupported =
    "write what is named with other operations; docs/Limits.md has more";

/// What may help against a fault; empty where nothing is known.
static StringRef adviceOn(FaultKind fault) {
  switch (fault) {
  case FaultKind::OutOfMemory:
    return "use a machine with more memory, or fewer --jobs";
  case FaultKind::OutOfTime:
    return adviceOnTime;
  case FaultKind::Crashed:
    return "this is a defect of the tool, not of the kernel: please report it "
           "with the file";
  case FaultKind::Unsupported:
    return adviceOnUnsupported;
  case FaultKind::Server:
    return "what answers at --base-url is no model's server, or does not end "
           "what it says: look at the address, and at what is between";
  case FaultKind::Candidate:
  case FaultKind::Reference:
  case FaultKind::Machine:
  case FaultKind::Request:
    return "";
  }
  llvm_unreachable("unknown kind of fault");
}

/// The same for a reason of evidence.
static StringRef adviceOn(Reason reason) {
  switch (reason) {
  case Reason::OutOfTime:
    return adviceOnTime;
  case Reason::BudgetExceeded:
    return "state smaller sizes with evo.workload";
  case Reason::Unsupported:
    return adviceOnUnsupported;
  case Reason::ReferenceUnsupported:
    return "write the reference without the operation that is named, since "
           "nothing can be judged against it";
  case Reason::DifferentResult:
    return "where the kernel as it is is refuted, its contract promises more "
           "than it keeps: look at domains, evo.require and evo.accuracy";
  default:
    return "";
  }
}

static StringRef adviceOn(const Cause &cause) {
  if (auto *fault = std::get_if<FaultKind>(&cause.why))
    return adviceOn(*fault);
  if (auto *reason = std::get_if<Reason>(&cause.why))
    return adviceOn(*reason);
  return "";
}

/// The word for the fault or the reason.
static std::string nameOfWhy(const Cause &cause) {
  if (auto *fault = std::get_if<FaultKind>(&cause.why))
    return faultName(*fault).str();
  if (auto *reason = std::get_if<Reason>(&cause.why))
    return reasonName(*reason).str();
  return *std::get_if<std::string>(&cause.why);
}

/// Whether nothing else is known than that it was the candidate.
static bool isOfCandidate(const Cause &cause) {
  auto *fault = std::get_if<FaultKind>(&cause.why);
  return fault && *fault == FaultKind::Candidate;
}

/// In the words of the report, which readers of files may look for.
static StringRef nameOf(Cause::Outcome outcome) {
  switch (outcome) {
  case Cause::Outcome::Refuted:
    return "refuted";
  case Cause::Outcome::Undecided:
    return "undecided";
  case Cause::Outcome::NotBuilt:
    return "not built";
  case Cause::Outcome::NotTried:
    return "not tried";
  case Cause::Outcome::NotAnswered:
    return "not answered";
  }
  llvm_unreachable("an outcome without a name");
}

static Cause causeOf(ProposalOp proposal) {
  Cause cause;
  FaultKind fault = faultOf(proposal).value_or(FaultKind::Candidate);
  cause.stage = proposal.getStage();
  cause.why = fault;
  if (fault == FaultKind::Server)
    cause.outcome = Cause::Outcome::NotAnswered;
  else if (fault != FaultKind::Candidate)
    cause.outcome = Cause::Outcome::Undecided;
  else if (proposal.getStage() == Stage::Duplicate)
    cause.outcome = Cause::Outcome::NotTried;
  else
    cause.outcome = Cause::Outcome::NotBuilt;
  cause.candidate = proposal.getSymName().str();
  cause.message = proposal.getFailure()->str();
  return cause;
}

static Cause causeOf(VariantOp variant) {
  Cause cause;
  EvidenceAttr evidence = variant.getEvidenceAttr();
  cause.outcome = evidence.getGrade() == Grade::Refuted
                      ? Cause::Outcome::Refuted
                      : Cause::Outcome::Undecided;
  if (std::optional<Reason> reason = evidence.getReason())
    cause.why = *reason;
  else
    cause.why = evidence.getDetail(evidence::reason).str();
  cause.candidate = variant.getSymName().str();
  cause.message = evidence.getDetail(evidence::message).str();
  return cause;
}

std::vector<Cause> evo::collectCauses(KernelOp kernel) {
  std::vector<Cause> causes;
  auto add = [&](Cause cause) {
    auto same = llvm::find_if(causes, [&](const Cause &known) {
      return known.outcome == cause.outcome && known.why == cause.why &&
             known.stage == cause.stage;
    });
    if (same == causes.end()) {
      cause.message = StringRef(cause.message).split('\n').first.str();
      cause.advice = adviceOn(cause);
      causes.push_back(std::move(cause));
      same = std::prev(causes.end());
    }
    ++same->count;
  };
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (proposal.getFailure())
      add(causeOf(proposal));
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (EvidenceAttr evidence = variant.getEvidenceAttr();
        evidence && !evidence.isAccepted())
      add(causeOf(variant));
  stableSortBy(causes, [](const Cause &cause) { return -int(cause.count); });
  return causes;
}

llvm::json::Array evo::describeCauses(ArrayRef<Cause> causes) {
  llvm::json::Array array;
  for (const Cause &cause : causes) {
    llvm::json::Object object{{"count", cause.count},
                              {"outcome", nameOf(cause.outcome)},
                              {"reason", nameOfWhy(cause)},
                              {"candidate", cause.candidate},
                              {"message", llvm::json::fixUTF8(cause.message)}};
    if (cause.stage)
      object["stage"] = stringifyStage(*cause.stage);
    if (!cause.advice.empty())
      object["advice"] = cause.advice;
    array.push_back(std::move(object));
  }
  return array;
}

/// A line for each reason that something is known to help against, of causes
/// that `counts` takes; says whether there is one.
static bool printAdvice(raw_ostream &os, ArrayRef<Cause> causes,
                        llvm::function_ref<bool(const Cause &)> counts) {
  llvm::SmallVector<StringRef> advised;
  for (const Cause &cause : causes)
    if (counts(cause) && !cause.advice.empty() &&
        !llvm::is_contained(advised, cause.advice)) {
      advised.push_back(cause.advice);
      os << "what to do about " << nameOfWhy(cause) << ": " << cause.advice
         << '\n';
    }
  return !advised.empty();
}

void evo::printAdviceBesideBaseline(raw_ostream &os, KernelOp kernel,
                                    const SearchSummary &summary) {
  // What refutes a candidate is the candidate's where the kernel as it is
  // was accepted.
  bool isSaid = printAdvice(os, collectCauses(kernel), [](const Cause &cause) {
    return cause.outcome != Cause::Outcome::Refuted;
  });
  if (!isSaid && summary.spent >= summary.budget)
    os << "what to do: try a larger --budget or another --seed, or have a "
          "model propose (--proposer llm)\n";
}

void evo::printCauses(raw_ostream &os, KernelOp kernel,
                      const SearchSummary &summary) {
  std::vector<Cause> causes = collectCauses(kernel);
  os << "no variant was accepted";
  if (summary.stopped)
    os << "; the search ended early: "
       << StringRef(summary.stopped.text).split('\n').first;
  os << '\n';
  for (const Cause &cause : causes) {
    os << llvm::formatv("  {0,4} {1}", cause.count, nameOf(cause.outcome));
    if (!isOfCandidate(cause))
      os << ": " << nameOfWhy(cause);
    if (cause.stage)
      os << " in " << stringifyStage(*cause.stage);
    os << " (" << cause.candidate << ": " << cause.message << ")\n";
  }
  printAdvice(os, causes, [](const Cause &) { return true; });
}
