// Budgets that checks share; each other one is declared where it is spent.
#ifndef EVO_LIB_VERIFICATION_BUDGETS_H
#define EVO_LIB_VERIFICATION_BUDGETS_H

#include "evo/Verification/Checks.h"

namespace evo::budgets {

/// Spent by whatever runs a sample in both forms; listed with the first check
/// that does. A third of it is for one sample, but for the very first one; a
/// quarter is added for runs that look for races in optimised code.
inline constexpr BudgetLine preOptimisation{
    "pre-optimisation-instructions",
    "lane instructions of the candidate before optimisation, in this and all "
    "later checks",
    12'000'000, 32'000'000, 4'000'000'000};

/// A block that goes through all rows of its share may take long where rows
/// are many, whatever the reference takes: that is no reason to refuse it.
inline constexpr BudgetLine longLoops{
    "sample-instructions",
    "lane instructions of the candidate at one shape; one that takes more is "
    "dropped",
    60'000'000};

/// Data beyond the usual are worth their time where a way that no sample took
/// would leave the verdict open, and beyond that where there is time.
inline constexpr BudgetLine closedBranches{
    "closed-branches",
    "1: tried as well where all branches on data went all their ways; 0: not",
    0, 1, 1};

} // namespace evo::budgets

#endif
