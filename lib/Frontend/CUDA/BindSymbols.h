// Device variables that hold arguments of a contract.
#ifndef EVO_LIB_FRONTEND_CUDA_BINDSYMBOLS_H
#define EVO_LIB_FRONTEND_CUDA_BINDSYMBOLS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include <map>
#include <string>
#include <vector>

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace evo {

struct BoundSymbol {
  llvm::GlobalVariable *variable; // in the module
  std::string name;               // as the source spells it
  ArgumentAttr argument;          // what it holds
  mlir::Location loc;
};

/// The arguments that each kernel takes behind its own, by its symbol.
using SymbolArguments = std::map<std::string, std::vector<IntExpr>>;

/// Makes parameters of the variables: each kernel of `module` that reads one,
/// itself or through what it calls, takes the argument behind its own, and the
/// variable is gone. A diagnostic where the types do not match, or where the
/// variable is read by what cannot be given a parameter.
mlir::FailureOr<SymbolArguments>
bindSymbols(llvm::Module &module, llvm::ArrayRef<BoundSymbol> symbols);

} // namespace evo

#endif
