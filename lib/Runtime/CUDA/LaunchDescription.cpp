// Checks and evaluates launch descriptions. Everything that can be wrong with
// one is found here, once, so that the generator and the runtime may rely on
// it: they share no other gate.
#include "evo/Runtime/LaunchDescription.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace evo {

StringRef getName(ArgumentRole role) {
  switch (role) {
  case ArgumentRole::In:
    return "in";
  case ArgumentRole::Out:
    return "out";
  case ArgumentRole::InOut:
    return "inout";
  case ArgumentRole::Scalar:
    return "scalar";
  }
  return "unknown";
}

unsigned getElementBits(StringRef type) {
  return StringSwitch<unsigned>(type)
      .Cases({"i1", "i8", "u8", "f8E4M3FN", "f8E5M2"}, 8)
      .Cases({"f16", "bf16", "i16", "u16"}, 16)
      .Cases({"f32", "i32", "u32"}, 32)
      .Cases({"f64", "i64", "u64"}, 64)
      .Default(0);
}

namespace {
/// Names that cannot be identifiers of generated C++.
bool isReserved(StringRef name) {
  static constexpr StringLiteral words[] = {
      "alignas",  "alignof",  "and",       "asm",       "auto",     "bool",
      "break",    "case",     "catch",     "char",      "class",    "const",
      "continue", "default",  "delete",    "do",        "double",   "else",
      "enum",     "explicit", "export",    "extern",    "false",    "float",
      "for",      "friend",   "goto",      "if",        "inline",   "int",
      "long",     "mutable",  "namespace", "new",       "not",      "nullptr",
      "operator", "or",       "private",   "protected", "public",   "register",
      "return",   "short",    "signed",    "sizeof",    "static",   "struct",
      "switch",   "template", "this",      "throw",     "true",     "try",
      "typedef",  "typeid",   "typename",  "union",     "unsigned", "using",
      "virtual",  "void",     "volatile",  "while",     "xor",      "min",
      "Int",      "Extents",  "Driver",    "Loaded",    "max",      "ceildiv",
      "floordiv", "floormod", "target",    "std"};
  return is_contained(words, name) || name.starts_with("evo") ||
         name.contains("__");
}

bool isIdentifier(StringRef name) {
  return !name.empty() && (isAlpha(name[0]) || name[0] == '_') &&
         all_of(name, [](char c) { return isAlnum(c) || c == '_'; });
}

class Validator {
public:
  explicit Validator(const LaunchDescription &description)
      : description(description) {
    for (const std::string &name : description.dimensions)
      dimensions.insert(name);
  }

  Error run() {
    if (!isIdentifier(description.name))
      return fail("'%s' is not an identifier", description.name);
    StringSet<> names;
    for (const std::string &name : description.dimensions)
      if (Error error = declare(name, names))
        return error;
    for (const LaunchArgument &argument : description.arguments) {
      if (Error error = declare(argument.name, names))
        return error;
      if (!getElementBits(argument.type))
        return fail("unknown type '%s'", argument.type);
      if (!isPowerOf2_32(argument.alignment))
        return fail("the alignment of '%s' is no power of two", argument.name);
      if (argument.role == ArgumentRole::Scalar && !argument.dims.empty())
        return fail("scalar '%s' has dimensions", argument.name);
      if (Error error = checkAll<IntExpr>(argument.dims))
        return error;
    }
    if (Error error = checkAll<Requirement>(description.requirements))
      return error;
    if (description.variants.empty())
      return createStringError("launch description '%s' has no variant",
                               description.name.c_str());
    for (const LaunchVariant &variant : description.variants)
      if (Error error = checkVariant(variant, names))
        return error;
    return Error::success();
  }

private:
  Error fail(const char *format, const std::string &what) {
    return createStringError(
        ("launch description: " + std::string(format)).c_str(), what.c_str());
  }

  Error declare(const std::string &name, StringSet<> &names) {
    if (!isIdentifier(name))
      return fail("'%s' is not an identifier", name);
    if (isReserved(name))
      return fail("the name '%s' is reserved", name);
    if (!names.insert(name).second)
      return fail("'%s' is declared twice", name);
    return Error::success();
  }

  template <typename T> Error checkNames(const Parsed<T> &one) {
    std::string unknown;
    one->forEachName([&](StringRef name) {
      if (!dimensions.contains(name))
        unknown = name.str();
    });
    if (unknown.empty())
      return Error::success();
    return createStringError(
        "launch description: '%s' names '%s', which is no dimension",
        one.getText().c_str(), unknown.c_str());
  }

  /// Of formulas, or of conditions.
  template <typename T> Error checkAll(ArrayRef<Parsed<T>> all) {
    for (const Parsed<T> &one : all)
      if (Error error = checkNames(one))
        return error;
    return Error::success();
  }

  Error checkVariant(const LaunchVariant &variant, StringSet<> names) {
    if (variant.ptxFile.empty() && variant.cubinFile.empty())
      return fail("variant '%s' has no code file", variant.name);
    if (Error error = checkAll<Requirement>(variant.usedWhen))
      return error;
    if (Error error = checkAll<Requirement>(variant.requirements))
      return error;
    StringSet<> scratch;
    for (const ScratchBuffer &buffer : variant.scratch) {
      if (Error error = declare(buffer.name, names))
        return error;
      if (!getElementBits(buffer.type))
        return fail("unknown type '%s'", buffer.type);
      if (Error error = checkAll<IntExpr>(buffer.dims))
        return error;
      scratch.insert(buffer.name);
    }
    if (variant.launches.empty())
      return fail("variant '%s' launches nothing", variant.name);
    for (const KernelLaunch &launch : variant.launches)
      if (Error error = checkLaunch(launch, scratch))
        return error;
    return Error::success();
  }

  Error checkLaunch(const KernelLaunch &launch, const StringSet<> &scratch) {
    if (launch.symbol.empty() || StringRef(launch.symbol).contains('"') ||
        StringRef(launch.symbol).contains('\\'))
      return fail("'%s' is no symbol", launch.symbol);
    for (auto *extents : {&launch.grid, &launch.block}) {
      if (extents->empty() || extents->size() > 3)
        return fail("'%s' has not one to three extents", launch.symbol);
      if (Error error = checkAll<IntExpr>(*extents))
        return error;
    }
    if (Error error = checkNames(launch.sharedBytes))
      return error;
    for (const KernelOperand &operand : launch.operands) {
      switch (operand.kind) {
      case KernelOperand::Argument:
        if (none_of(description.arguments, [&](const LaunchArgument &argument) {
              return argument.name == operand.name;
            }))
          return fail("no argument '%s'", operand.name);
        break;
      case KernelOperand::Scratch:
        if (!scratch.contains(operand.name))
          return fail("no scratch buffer '%s'", operand.name);
        break;
      case KernelOperand::Formula:
        if (!getElementBits(operand.type) ||
            (operand.type[0] != 'i' && operand.type[0] != 'u') ||
            operand.type == "i1")
          return fail("'%s' is no integer type", operand.type);
        if (Error error = checkNames(operand.formula))
          return error;
        break;
      }
    }
    return Error::success();
  }

  const LaunchDescription &description;
  StringSet<> dimensions;
};
} // namespace

Formula makeFormula(int64_t value) {
  return Formula(std::to_string(value), IntExpr::constant(value));
}

Error LaunchDescription::validate() const { return Validator(*this).run(); }

Expected<unsigned> LaunchDescription::select(const Bindings &dims,
                                             unsigned capability) const {
  const target::Arch device{capability};
  // The first requirement that does not hold, or empty.
  auto findUnmet = [&](ArrayRef<Condition> all) -> Expected<std::string> {
    for (const Condition &requirement : all) {
      if (requirement->isOnTarget()) {
        // One for the code of a capability alone holds on its devices.
        std::optional<target::Arch> asked =
            target::Arch::parse(requirement->getTargetName());
        if (!asked || asked->capability != capability)
          return requirement.getText();
        continue;
      }
      Expected<bool> holds = requirement->holds(dims, device.str());
      if (!holds)
        return holds.takeError();
      if (!*holds)
        return requirement.getText();
    }
    return std::string();
  };
  Expected<std::string> unmet = findUnmet(requirements);
  if (!unmet)
    return unmet.takeError();
  if (!unmet->empty())
    return createStringError("requirement '%s' does not hold", unmet->c_str());
  std::string reason;
  for (auto [index, variant] : enumerate(variants)) {
    if (!variant.target.runsOn(capability)) {
      reason = "the code for " + variant.target.str() + " does not run on " +
               device.str();
      continue;
    }
    unmet = findUnmet(variant.usedWhen);
    if (!unmet) {
      // Where that cannot be told, another one is used.
      reason = toString(unmet.takeError());
      unmet = std::string();
      continue;
    }
    if (unmet->empty())
      unmet = findUnmet(variant.requirements);
    if (!unmet)
      return unmet.takeError();
    if (unmet->empty())
      return index;
    reason = "requirement '" + *unmet + "' does not hold";
  }
  return createStringError("no variant of '%s' can be used: %s", name.c_str(),
                           reason.c_str());
}

Expected<LaunchGeometry>
LaunchDescription::evaluate(const KernelLaunch &launch,
                            const Bindings &dims) const {
  LaunchGeometry geometry;
  auto fill = [&](ArrayRef<Formula> formulas, std::array<int64_t, 3> &extents,
                  int64_t min) -> Error {
    for (auto [index, formula] : enumerate(formulas)) {
      Expected<int64_t> value = formula->evaluate(dims);
      if (!value)
        return value.takeError();
      if (*value < min)
        return createStringError(
            "extent '%s' of '%s' is %lld", formula.getText().c_str(),
            launch.symbol.c_str(), static_cast<long long>(*value));
      extents[index] = *value;
    }
    return Error::success();
  };
  if (Error error = fill(launch.grid, geometry.grid, 0))
    return std::move(error);
  if (Error error = fill(launch.block, geometry.block, 1))
    return std::move(error);
  Expected<int64_t> shared = launch.sharedBytes->evaluate(dims);
  if (!shared)
    return shared.takeError();
  if (*shared < 0)
    return createStringError("the shared bytes of '%s' are %lld",
                             launch.symbol.c_str(),
                             static_cast<long long>(*shared));
  geometry.sharedBytes = *shared;
  return geometry;
}

} // namespace evo
