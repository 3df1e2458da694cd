// Extents as formulas of the sizes at which they were seen.
#ifndef EVO_LIB_DRAFT_FITEXTENTS_H
#define EVO_LIB_DRAFT_FITEXTENTS_H

#include "evo/Frontend/CUDA.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evo {

/// Something that an extent may be made of, with its value in each trial.
struct ExtentTerm {
  std::string text;
  std::vector<int64_t> values;
};

struct FittedExtent {
  DraftExtents dims;
  std::vector<size_t> terms; ///< what it is made of
};

/// The simplest formula that is `ends` in each trial: a number, a product of
/// terms, if possible of the first `numFirst` alone, such a product plus or
/// times a small number. None where none is.
std::optional<FittedExtent> fitExtent(llvm::ArrayRef<ExtentTerm> terms,
                                      size_t numFirst,
                                      llvm::ArrayRef<uint64_t> ends);

/// The product of terms that is at least `ends` in each trial, and no more than
/// twice as much in one of them: of stencils, which leave out a rim. None where
/// none is.
std::optional<FittedExtent> boundExtent(llvm::ArrayRef<ExtentTerm> terms,
                                        llvm::ArrayRef<uint64_t> ends);

} // namespace evo

#endif
