// Names of C++ functions by LLVM's demangler.
#include "evo/Support/Demangle.h"
#include "llvm/Demangle/Demangle.h"
#include <cstdlib>

std::optional<std::string> evo::demangleFunction(llvm::StringRef symbol) {
  if (!symbol.starts_with("_Z"))
    return std::nullopt;
  const std::string mangled = symbol.str(); // outlives the demangler
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(mangled.c_str()) || !demangler.isFunction())
    return std::nullopt;
  size_t length = 0;
  char *name = demangler.getFunctionName(nullptr, &length);
  if (!name)
    return std::nullopt;
  std::string result = name;
  std::free(name); // allocated so by the demangler's contract
  return result;
}
