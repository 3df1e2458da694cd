// The statements of inline PTX. Enough of the syntax of PTX to tell which
// operations a text has.
#ifndef EVO_DEVICEOPS_STATEMENTS_H
#define EVO_DEVICEOPS_STATEMENTS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace evo::device {

/// A statement or a directive (whose word begins with a point).
struct Statement {
  llvm::StringRef word;     ///< "ld.global.f32"
  llvm::StringRef operands; ///< "$0, [$1]"
  bool isDirective() const { return word.starts_with("."); }
};

/// Calls `f` for each statement of `text`; guards, labels, scopes and comments
/// are left out.
void forEachStatement(llvm::StringRef text,
                      llvm::function_ref<void(const Statement &)> f);

/// Calls `f` for what may be a register of PTX in `operands`: names that begin
/// with a percent sign.
void forEachRegister(llvm::StringRef operands,
                     llvm::function_ref<void(llvm::StringRef)> f);

} // namespace evo::device

#endif
