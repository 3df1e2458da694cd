// Names of C++ functions as a person writes them.
#ifndef EVO_SUPPORT_DEMANGLE_H
#define EVO_SUPPORT_DEMANGLE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace evo {

/// The name of the function with this symbol, with its namespaces and template
/// arguments, without parameters and return type; none where the symbol is no
/// mangled name of a function.
std::optional<std::string> demangleFunction(llvm::StringRef symbol);

} // namespace evo

#endif
