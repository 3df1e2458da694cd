// Statements of inline PTX for what LLVM has no instruction: rewrites that
// write one ask here for its text. Texts of PTX are read by Statements.h.
#ifndef EVO_DEVICEOPS_INLINEPTX_H
#define EVO_DEVICEOPS_INLINEPTX_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace evo::device {

/// A load of global memory that caches give up first, of `count` words of
/// `type` ("f32"), such as "ld.global.cs.v2.f32 {$0, $1}, [$2];": the results
/// come first, then the address.
std::string spellStreamedLoad(llvm::StringRef type, unsigned count);

/// Adds `count` floats, of which there are several, to global memory, each
/// atomically, such as "red.global.add.v2.f32 [$0], {$1, $2};": the address
/// comes first, then the floats.
std::string spellVectorAdd(unsigned count);

} // namespace evo::device

#endif
