// Inline PTX of one statement each. A text of several statements is no
// operation that anybody could look up; where code is imported it therefore
// becomes one inline assembly a statement, whose row of the table its first
// word finds and whose operands have types. What is declared in the text
// becomes a value.
#ifndef EVO_DEVICEOPS_SPLITSTATEMENTS_H
#define EVO_DEVICEOPS_SPLITSTATEMENTS_H

#include <cstdint>

namespace llvm {
class Module;
}

namespace evo::device {

/// The flag that a statement with ".cc" hands to a later one.
enum class Carry : uint8_t {
  Hidden, ///< as PTX has it: such statements stay in one text
  Value,  ///< for simulation: "add.cc.u32 $0|$1, $2, $3" gives it as $1, and
          ///< "addc.u32 $0, $1, $2, $3" takes it as $3
};

/// Splits the inline PTX of `module`. Each statement stays the one that it was,
/// with its guard, in the same order and with the same effects. A text is left
/// whole that has labels or branches, an instruction that the table lacks or
/// does not support, or a name that it does not declare.
void splitStatements(llvm::Module &module, Carry carry);

} // namespace evo::device

#endif
