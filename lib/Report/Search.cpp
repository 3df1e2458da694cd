// Questions that several sections of the page ask of a search.
#include "evo/Report/Search.h"
#include "evo/Dialect/Evo/IR/Evidence.h"
#include "evo/Dialect/Evo/IR/Grades.h"
#include "evo/Support/FaultKind.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace evo::report;

bool Candidate::isAccepted() const {
  return !failure && !stage && isAcceptedGrade(grade);
}

bool Candidate::isTried() const { return !grade.empty() || stage; }

std::string Candidate::cause() const {
  if (isAccepted() || !isTried())
    return "";
  if (stage) {
    std::string name = evo::stringifyStage(*stage).str();
    return fault.empty() ||
                   evo::faultFromName(fault) == evo::FaultKind::Candidate
               ? name
               : name + ", " + fault;
  }
  for (const Entry &entry : evidence)
    if (entry.name == evo::evidence::reason.name)
      return grade + ": " + entry.value;
  return grade;
}

const Candidate *Search::find(StringRef name) const {
  auto *found = const_cast<Search *>(this)->find(name);
  return found;
}

Candidate *Search::find(StringRef name) {
  auto found = find_if(candidates,
                       [&](const Candidate &one) { return one.name == name; });
  return found == candidates.end() ? nullptr : &*found;
}

Candidate &Search::get(StringRef name) {
  if (Candidate *found = find(name))
    return *found;
  candidates.emplace_back().name = name.str();
  return candidates.back();
}

bool Search::isMeasured() const {
  return any_of(candidates, [](const Candidate &one) {
    return one.isAccepted() && one.measured;
  });
}

const Candidate *Search::findBest() const {
  if (!best.empty())
    return find(best);
  const Candidate *fastest = nullptr;
  bool measured = isMeasured();
  for (const Candidate &one : candidates) {
    std::optional<double> time = one.time(measured);
    if (one.isAccepted() && one.requirements.empty() && time &&
        (!fastest || *time < *fastest->time(measured)))
      fastest = &one;
  }
  return fastest;
}

std::optional<double> Search::speedup(const Candidate &candidate) const {
  const Candidate *before = baseline();
  if (!before)
    return std::nullopt;
  for (bool measured : {true, false})
    if (auto old = before->time(measured), now = candidate.time(measured);
        old && now && *now > 0)
      return *old / *now;
  return std::nullopt;
}

bool Search::hasTimes() const {
  return !candidates.empty() && all_of(candidates, [](const Candidate &one) {
    return !one.isTried() || one.elapsed || one.stage == evo::Stage::Answer;
  });
}
