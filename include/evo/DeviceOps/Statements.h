// The operations that a call performs, in whatever spelling: an analysis asks
// for them and does not look whether they are functions, intrinsics or the
// statements of inline PTX. Here is enough of the syntax of PTX to tell these.
#ifndef EVO_DEVICEOPS_STATEMENTS_H
#define EVO_DEVICEOPS_STATEMENTS_H

#include "evo/DeviceOps/DeviceOps.h"
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

/// What a call does, or one of the things that inline PTX does.
struct Operation {
  const DeviceOp *op; ///< null: the table does not have it
  /// The first word of a statement, or the name of a function or intrinsic;
  /// empty where a pointer is called.
  llvm::StringRef name;
  llvm::StringRef operands; ///< of a statement
  bool isDirective;         ///< of PTX, which does nothing
};

/// Calls `f` for each operation of `call`: one of a function, any number of
/// inline PTX.
void forEachOperation(const llvm::CallBase &call,
                      llvm::function_ref<void(const Operation &)> f);

/// Calls `f` for what may be a register of PTX in `operands`: names that begin
/// with a percent sign.
void forEachRegister(llvm::StringRef operands,
                     llvm::function_ref<void(llvm::StringRef)> f);

} // namespace evo::device

#endif
