// The operations that a call performs, in whatever spelling: an analysis asks
// for them and does not look whether they are functions, intrinsics or the
// statements of inline PTX. The one reader of the syntax of PTX is here, too:
// whoever executes, splits or looks through its text does so by statements.
#ifndef EVO_DEVICEOPS_STATEMENTS_H
#define EVO_DEVICEOPS_STATEMENTS_H

#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class CallInst;
class InlineAsm;
class Module;
} // namespace llvm

namespace evo::device {

/// A statement of PTX, or what stands between statements. All texts are parts
/// of the one that was read.
struct Statement {
  enum class Kind : uint8_t {
    Instruction,
    Directive, ///< its word begins with a point
    Label,     ///< its word is the name
    ScopeBegin,
    ScopeEnd,
  };
  Kind kind = Kind::Instruction;
  bool isNegated = false;   ///< the guard
  llvm::StringRef text;     ///< the whole, without the semicolon
  llvm::StringRef guard;    ///< the predicate of "@p" or "@!p"
  llvm::StringRef word;     ///< "ld.global.f32"; empty: a guard of nothing
  llvm::StringRef operands; ///< "{$0, $1}, [$2]"
  /// The operands one by one: "{$0, $1}" and "[$2]".
  llvm::SmallVector<llvm::StringRef, 4> list;
  bool isDirective() const { return kind == Kind::Directive; }
};

/// Reads inline PTX; comments are left out. Any text is a list of statements:
/// what its words mean is not looked at.
std::vector<Statement> readPTX(llvm::StringRef text);
/// The instruction that `text` consists of, braces around it aside; nothing
/// where it is none or several, or declares or labels anything.
std::optional<Statement> readOneStatement(llvm::StringRef text);

/// What ".reg .b32 a, b" declares: "b32", "a" and "b".
struct Registers {
  llvm::StringRef type;
  llvm::SmallVector<llvm::StringRef, 4> names;
};
/// Nothing where a directive declares no registers.
std::optional<Registers> readRegisters(const Statement &directive);

/// The calls of inline assembly in `module`.
llvm::SmallVector<llvm::CallInst *> listInlineAssembly(llvm::Module &module);

/// The text of `assembly` in which "${0}" and "${0:h}" are "$0". A dollar sign
/// that means none stays "$$".
std::string plainText(const llvm::InlineAsm &assembly);

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

/// The same of the text of inline PTX.
void forEachOperation(llvm::StringRef assembly,
                      llvm::function_ref<void(const Operation &)> f);

/// What a statement of PTX does to memory: any of it where it may be given an
/// address, as that may be a number; and all where the table does not have it.
llvm::MemoryEffects getMemoryEffects(const Operation &statement);
/// The same of the text of inline PTX.
llvm::MemoryEffects getMemoryEffects(llvm::StringRef assembly);

/// Calls `f` for what may be a register of PTX in `operands`: names that begin
/// with a percent sign.
void forEachRegister(llvm::StringRef operands,
                     llvm::function_ref<void(llvm::StringRef)> f);

} // namespace evo::device

#endif
