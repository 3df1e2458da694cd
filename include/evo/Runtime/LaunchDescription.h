// How compiled kernels are launched, as data: what stands beside best.ptx in
// launch.json. Formulas are of the contract's expression language (see
// evo/Support/IntExpr.h) over dimension names, so that the tool, the JSON file
// and the generated host launcher evaluate one and the same thing; they are
// read once, where the text comes in.
#ifndef EVO_RUNTIME_LAUNCHDESCRIPTION_H
#define EVO_RUNTIME_LAUNCHDESCRIPTION_H

#include "evo/Support/IntExpr.h"
#include "evo/Target/Arch.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace evo {

enum class ArgumentRole { In, Out, InOut, Scalar };
llvm::StringRef getName(ArgumentRole role);

/// Bits of an element of a contract type (f16 bf16 f32 f64 f8E4M3FN f8E5M2 i1
/// i8 i16 i32 i64 u8 u16 u32 u64) in memory, where i1 takes 8; 0 for others.
unsigned getElementBits(llvm::StringRef type);

/// What was read of a text, and the text as it was.
template <typename T> class Parsed {
public:
  Parsed(std::string text, T value)
      : text(std::move(text)), value(std::move(value)) {}
  /// Errors are ExprError.
  static llvm::Expected<Parsed> parse(llvm::StringRef text) {
    llvm::Expected<T> value = T::parse(text);
    if (!value)
      return value.takeError();
    return Parsed(text.str(), std::move(*value));
  }

  const std::string &getText() const { return text; }
  const T &operator*() const { return value; }
  const T *operator->() const { return &value; }

private:
  std::string text;
  T value;
};
using Formula = Parsed<IntExpr>;
using Condition = Parsed<Requirement>;
Formula makeFormula(int64_t value);

/// An argument of the launcher: a device pointer, or a scalar.
struct LaunchArgument {
  std::string name;
  ArgumentRole role = ArgumentRole::In;
  std::string type = "f32";
  /// Empty for scalars.
  std::vector<Formula> dims = {};
  /// Of the pointer, in bytes; a power of two.
  unsigned alignment = 16;
};

/// Device memory that exists during one call.
struct ScratchBuffer {
  std::string name;
  std::string type = "f32";
  std::vector<Formula> dims;
};

/// What is passed for one kernel parameter.
struct KernelOperand {
  enum Kind {
    /// An argument of the launcher, by name.
    Argument,
    /// A scratch buffer, by name.
    Scratch,
    /// An integer formula, passed in the width of `type`.
    Formula
  };
  Kind kind = Argument;
  /// Of an argument or a scratch buffer.
  std::string name = {};
  /// Formula only: i8 to u64.
  std::string type = "i32";
  evo::Formula formula = makeFormula(0);
};

struct KernelLaunch {
  /// Symbol in the module.
  std::string symbol;
  /// One to three formulas each, x first.
  std::vector<Formula> grid = {makeFormula(1)};
  std::vector<Formula> block = {makeFormula(1)};
  /// Dynamic shared memory, bytes.
  Formula sharedBytes = makeFormula(0);
  std::vector<KernelOperand> operands;
};

/// One compiled form of the kernel and the sizes it may be used on.
struct LaunchVariant {
  std::string name = "best";
  /// What the code is compiled for.
  target::Arch target = *target::Arch::parse(target::getDefaultArch());
  /// File names relative to launch.json; either may be empty.
  std::string ptxFile = "best.ptx";
  std::string cubinFile = "best.cubin";
  /// All must hold for this variant to be chosen.
  std::vector<Condition> requirements = {};
  /// The same of these, where it would be right but not the fastest elsewhere:
  /// an overflow is no failure then.
  std::vector<Condition> usedWhen = {};
  std::vector<ScratchBuffer> scratch = {};
  /// In order.
  std::vector<KernelLaunch> launches = {};
};

/// A launch with its formulas evaluated.
struct LaunchGeometry {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  int64_t sharedBytes = 0;
  /// Whether an extent of the grid is zero: nothing is launched.
  bool isEmpty() const { return !grid[0] || !grid[1] || !grid[2]; }
};

struct LaunchDescription {
  /// A C identifier; names the generated functions.
  std::string name;
  /// In the order in which the launcher takes them.
  std::vector<std::string> dimensions;
  std::vector<LaunchArgument> arguments;
  /// Requirements of the contract, for all variants.
  std::vector<Condition> requirements;
  /// The first whose requirements hold and whose code the device runs is used.
  std::vector<LaunchVariant> variants;

  /// That names resolve and are unique identifiers, formulas are over the
  /// dimensions, and types are known. Errors name the place.
  llvm::Error validate() const;

  /// Index of the variant used for these sizes on a device of the given
  /// compute capability (90 for 9.0); an error says which requirement failed.
  llvm::Expected<unsigned> select(const Bindings &dims,
                                  unsigned capability) const;
  /// Evaluates one launch of a variant. Errors: overflow, division by zero, an
  /// extent below zero, a block extent of zero.
  llvm::Expected<LaunchGeometry> evaluate(const KernelLaunch &launch,
                                          const Bindings &dims) const;

  llvm::json::Value toJSON() const;
  /// Errors name the missing or mistyped field.
  static llvm::Expected<LaunchDescription>
  fromJSON(const llvm::json::Value &value);
};

/// C++17 source of a host launcher on the driver API, which it opens at run
/// time; compiles without CUDA headers. It defines, with C linkage,
/// - int evo_launch_<name>(void *stream, pointers and scalars, int64_t dims...)
/// - int evo_load_<name>(const char *folder): where the code files are
/// - int evo_geometry_<name>(int capability, int64_t dims..., int64_t *out,
///   int capacity): without a device
/// - int evo_prepare_<name>(void): loads all code now; after that a call can be
///   captured in a CUDA graph
/// - int evo_allocator_<name>(int (*allocate)(void *state, uint64_t *address,
///   uint64_t bytes, void *stream), int (*release)(void *state, uint64_t
///   address, void *stream), void *state): where scratch memory is from,
///   aligned to 256 bytes; null: the stream's pool
/// - const char *evo_error_<name>(void): of this thread's last failure
///
/// The status is 0, a CUresult (> 0), or one of the negative codes listed in
/// the source. evo_geometry writes: variant, number of launches, and for each
/// launch three grid extents, three block extents, and the shared bytes.
/// The description must be valid.
llvm::Expected<std::string>
generateLauncher(const LaunchDescription &description);

} // namespace evo

#endif
