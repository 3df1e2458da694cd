// Textual LLVM IR to a verified module, with MLIR's diagnostics.
#ifndef EVO_LIB_FRONTEND_LLVMIR_READLLVMIR_H
#define EVO_LIB_FRONTEND_LLVMIR_READLLVMIR_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace evo {

/// Float literals as later LLVMs print them (`f0x3FB8AA3B`, `-inf`), rewritten
/// to what this LLVM reads. Text without such literals is returned as it is.
class FloatLiterals {
public:
  explicit FloatLiterals(llvm::StringRef text);
  llvm::StringRef getText() const { return text; }
  /// The column in the original of `column` (both from 1) of a rewritten line.
  unsigned getOriginalColumn(unsigned line, unsigned column) const;

private:
  struct Edit {
    unsigned line, column; // in the rewritten text, behind the literal
    int grown;             // characters that the literal gained
  };
  std::string text;
  std::vector<Edit> edits;
};

/// Parses and verifies `source`, which must be for NVPTX. Errors are emitted at
/// their line and column. Code without debug locations gets those of its own
/// text, so that findings name a line of the file.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
readLLVMIR(mlir::MLIRContext *context, llvm::LLVMContext &llvmContext,
           llvm::StringRef source, llvm::StringRef fileName);

} // namespace evo

#endif
