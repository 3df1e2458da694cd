// Formulas of a contract as terms.
#ifndef EVO_LIB_PROVE_FORMULA_H
#define EVO_LIB_PROVE_FORMULA_H

#include "Terms.h"
#include "evo/Support/IntExpr.h"
#include "llvm/ADT/StringMap.h"

namespace evo::prove {

/// The term of an integer expression over `names`; null where it divides by
/// what is not known to be positive, or names something else.
Term translateFormula(const IntExpr &expr, const llvm::StringMap<Term> &names,
                      Terms &terms);
/// The same of a requirement; null where it is about the target.
Term translateRequirement(const Requirement &requirement,
                          const llvm::StringMap<Term> &names, Terms &terms);

} // namespace evo::prove

#endif
