// What may hold between sizes that host code does not relate.
#ifndef EVO_LIB_DRAFT_RELATIONS_H
#define EVO_LIB_DRAFT_RELATIONS_H

#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace evo {

/// Requirements to be tried, each a list of some that belong together, those
/// that ask for less before those that ask for more. `shapes` are extents of
/// buffers: sizes at the same places of two of them are likely to be related;
/// then any two of `sizes` are.
std::vector<std::vector<std::string>>
proposeRelations(llvm::ArrayRef<std::vector<std::string>> shapes,
                 llvm::ArrayRef<std::string> sizes);

} // namespace evo

#endif
