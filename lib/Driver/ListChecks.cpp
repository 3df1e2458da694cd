// evo-opt verify --list-checks: what the verifier tries, in its order, and what
// each check may spend.
#include "Verbs.h"
#include "evo/Verification/Checks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace evo;

static constexpr Effort efforts[] = {Effort::Quick, Effort::Default,
                                     Effort::Thorough};

/// The number of a budget, or "-" where the check does not run.
static std::string printNumber(const Check &check, const BudgetLine &line,
                               Effort effort) {
  return check.runsAt(effort) ? std::to_string(line.at(effort)) : "-";
}

static void printText(const Check &check) {
  llvm::raw_ostream &os = llvm::outs();
  os << check.name << "  (from effort " << stringifyEffort(check.from) << ")\n"
     << "  catches: " << check.catches << "\n  costs:   " << check.cost << '\n';
  for (const BudgetLine *line : check.budgets) {
    os << "  " << llvm::format("%-30s", line->name.data());
    for (Effort effort : efforts)
      os << llvm::format("%12s", printNumber(check, *line, effort).c_str());
    os << "  " << line->unit << '\n';
  }
}

static void printJSON(const Check &check) {
  llvm::json::Array budgets;
  for (const BudgetLine *line : check.budgets) {
    llvm::json::Object budget{{"name", line->name}, {"unit", line->unit}};
    for (Effort effort : efforts)
      if (check.runsAt(effort))
        budget[stringifyEffort(effort)] = line->at(effort);
    budgets.push_back(std::move(budget));
  }
  llvm::outs() << llvm::json::Value(
                      llvm::json::Object{{"event", "check"},
                                         {"name", check.name},
                                         {"catches", check.catches},
                                         {"costs", check.cost},
                                         {"from", stringifyEffort(check.from)},
                                         {"budgets", std::move(budgets)}})
               << '\n';
}

int evo::listChecks(const VerbOptions &options) {
  if (!options.json) {
    llvm::outs() << llvm::format("%-32s", "budgets at each effort:");
    for (Effort effort : efforts)
      llvm::outs() << llvm::right_justify(stringifyEffort(effort), 12);
    llvm::outs() << '\n';
  }
  for (const Check *check : getChecks())
    options.json ? printJSON(*check) : printText(*check);
  return Done;
}
