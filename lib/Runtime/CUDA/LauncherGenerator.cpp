// Writes the host launcher: the fixed prelude, then what a description decides.
// Geometry and requirements are one generated function that needs no device, so
// that the launch and a test read the same extents. Formulas are printed by the
// expression library and evaluated over checked integers; its `std::min` and
// `std::max` are turned into the checked ones.
#include "LauncherPrelude.h"
#include "evo/Runtime/LaunchDescription.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace evo {

namespace {
std::string replaceAll(std::string text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to.str());
  return text;
}

std::string toChecked(std::string cxx) {
  cxx = replaceAll(std::move(cxx), "std::min<int64_t>", "min");
  return replaceAll(std::move(cxx), "std::max<int64_t>", "max");
}

std::string formulaCxx(const Formula &formula) {
  return "Int(" + toChecked(formula->cxx()) + ")";
}

StringRef elementCxx(StringRef type) {
  if (type == "f32")
    return "float";
  if (type == "f64")
    return "double";
  bool isSigned = type.starts_with("i") && type != "i1";
  switch (getElementBits(type)) {
  case 8:
    return isSigned ? "int8_t" : "uint8_t";
  case 16:
    return isSigned ? "int16_t" : "uint16_t";
  case 32:
    return isSigned ? "int32_t" : "uint32_t";
  default:
    return isSigned ? "int64_t" : "uint64_t";
  }
}

/// Of the function that a caller names its memory by.
constexpr StringLiteral allocatorParameters =
    "int (*allocate)(void *state, uint64_t *address, uint64_t bytes, void "
    "*stream), int (*release)(void *state, uint64_t address, void *stream), "
    "void *state";

class Generator {
public:
  explicit Generator(const LaunchDescription &description)
      : description(description), os(source) {}

  std::string run() {
    os << "// Launcher of '" << description.name
       << "', generated; see launch.json beside it. Build: c++ -std=c++17 "
          "-shared -fPIC\n// launcher.cpp -ldl. Sizes, alignment and "
          "requirements are checked on each call;\n// the code files are "
          "looked "
          "for beside this library unless evo_load_"
       << description.name << "\n// names another folder.\n";
    os << launcherPrelude;
    emitGeometry();
    emitEntryPoints();
    return std::move(source);
  }

private:
  std::string dimParameters(bool named) {
    std::string text;
    for (const std::string &dim : description.dimensions)
      text += (named ? "int64_t " : "") + dim + ", ";
    return text;
  }

  /// Dimensions as checked integers, under their own names, in a new scope.
  void emitChecked() {
    for (const std::string &dim : description.dimensions)
      os << "  const Int " << dim << "(evoSize_" << dim << ");\n  (void)" << dim
         << ";\n";
  }

  std::string quoted(StringRef text) {
    std::string result = "\"";
    raw_string_ostream stream(result);
    printEscapedString(text, stream);
    return result + "\"";
  }

  /// A condition on sizes or on the device.
  std::string conditionCxx(const Condition &requirement) {
    if (!requirement->isOnTarget())
      return toChecked(requirement->cxx());
    std::optional<target::Arch> asked =
        target::Arch::parse(requirement->getTargetName());
    return asked ? ("Int(evo_capability) == Int(" + Twine(asked->capability) +
                    "LL)")
                       .str()
                 : "false";
  }

  std::string runsOnCxx(const target::Arch &arch) {
    return ("evo_capability " + Twine(arch.suffix ? "==" : ">=") + " " +
            Twine(arch.capability))
        .str();
  }

  void emitSet(StringRef slot, const Formula &formula, StringRef min,
               StringRef max) {
    // no diagnostic: code
    os << "    if (int evo_status = evoSet(" << slot << ", "
       << formulaCxx(formula) << ", " << min << ", " << max << ", "
       << quoted(formula.getText()) << "))\n      return evo_status;\n";
  }

  void emitGeometry() {
    os << "\nnamespace {\n\n// Chooses the variant and evaluates its launches."
       << "\nint evoGeometry(int evo_capability, ";
    for (const std::string &dim : description.dimensions)
      os << "int64_t evoSize_" << dim << ", ";
    os << "int &evo_variant,\n                std::vector<Extents> "
          "&evo_launches) {\n";
    os << "  (void)evo_capability;\n";
    for (const std::string &dim : description.dimensions)
      os << "  if (evoSize_" << dim
         << " < 0)\n    return evoFail(evoArgument, \"" << dim
         << " is negative\");\n";
    emitChecked();
    for (const Condition &requirement : description.requirements)
      // no diagnostic: code
      os << "  if (int evo_holds = " << conditionCxx(requirement)
         << "; evo_holds != 1)\n    return evoFail(evo_holds < 0 ? "
            "evoArithmetic : "
            "evoRequirement, \"%s\", "
         << quoted("requirement '" + requirement.getText() + "' does not hold")
         << ");\n";
    os << "  const char *evo_reason = \"no variant\";\n";
    for (auto [index, variant] : enumerate(description.variants))
      emitVariantGeometry(index, variant);
    os << "  return evoFail(evoRequirement, \"no variant can be used: %s\", "
          "evo_reason);\n}\n\n} // namespace\n";
  }

  void emitVariantGeometry(size_t index, const LaunchVariant &variant) {
    os << "  // Variant " << index << ".\n  if (!(" << runsOnCxx(variant.target)
       << ")) {\n    evo_reason = "
       << quoted("the code for " + variant.target.str() +
                 " does not run on this device")
       << ";\n  }";
    // Elsewhere another variant is faster; where that cannot be told, too.
    for (const Condition &when : variant.usedWhen)
      // no diagnostic: code
      os << " else if ((" << conditionCxx(when)
         << ") != 1) {\n    evo_reason = "
         << quoted("'" + when.getText() + "' does not hold") << ";\n  }";
    for (const Condition &requirement : variant.requirements)
      // no diagnostic: code
      os << " else if (int evo_holds = " << conditionCxx(requirement)
         << "; evo_holds != 1) {\n    if (evo_holds < 0)\n      return "
            "evoFail(evoArithmetic, \"%s\", "
         << quoted("'" + requirement.getText() +
                   "' overflows or divides by zero")
         << ");\n    evo_reason = "
         << quoted("requirement '" + requirement.getText() + "' does not hold")
         << ";\n  }";
    os << " else {\n    evo_variant = " << index
       << ";\n    evo_launches.assign(" << variant.launches.size()
       << ", Extents{{1, 1, 1}, {1, 1, 1}, 0});\n";
    // Bounds of the launch interface; the device's own are tighter.
    for (auto [number, launch] : enumerate(variant.launches)) {
      std::string slot = "evo_launches[" + std::to_string(number) + "]";
      for (auto [axis, formula] : enumerate(launch.grid))
        emitSet(slot + ".grid[" + std::to_string(axis) + "]", formula, "0",
                std::to_string(target::TargetInfo::maxGrid[axis]));
      for (auto [axis, formula] : enumerate(launch.block))
        emitSet(slot + ".block[" + std::to_string(axis) + "]", formula, "1",
                std::to_string(target::TargetInfo::maxBlock[axis]));
      emitSet(slot + ".shared", launch.sharedBytes, "0", "INT32_MAX");
    }
    os << "    return evoOk;\n  }\n";
  }

  void emitEntryPoints() {
    const std::string &name = description.name;
    os << "\nextern \"C\" {\n\n// All that this file exports.\n"
       << "const char *evo_error_" << name << "(void);\nint evo_load_" << name
       << "(const char *folder);\nint evo_geometry_" << name
       << "(int evo_capability, " << dimParameters(true)
       << "int64_t *evo_out, int evo_capacity);\nint evo_prepare_" << name
       << "(void);\nint evo_allocator_" << name << "(" << allocatorParameters
       << ");\nint evo_launch_" << name << "(void *evo_stream" << signature()
       << ");\n\n";
    os << "const char *evo_error_" << name
       << "(void) { return evoMessage.c_str(); }\n\n";
    os << "int evo_load_" << name
       << "(const char *folder) {\n  std::lock_guard<std::mutex> "
          "evo_lock(evoMutex);\n  if (!folder)\n    return "
          "evoFail(evoArgument, "
          "\"the folder is null\");\n  evoFolder() = folder;\n  return "
          "evoOk;\n}\n\n";
    os << "int evo_geometry_" << name << "(int evo_capability, "
       << dimParameters(true)
       << "int64_t *evo_out, int evo_capacity) {\n  int evo_variant = -1;\n  "
          "std::vector<Extents> evo_launches;\n  if (int evo_status = "
          "evoGeometry(evo_capability, "
       << dimParameters(false)
       << "evo_variant, evo_launches))\n    return evo_status;\n"
          "  if (evo_capacity < 2 + 7 * "
          "static_cast<int>(evo_launches.size()))\n"
          "    return evoFail(evoCapacity, \"the output is too short\");\n"
          "  *evo_out++ = evo_variant;\n"
          "  *evo_out++ = static_cast<int64_t>(evo_launches.size());\n"
          "  for (const Extents &evo_extents : evo_launches) {\n"
          "    for (int64_t evo_extent : evo_extents.grid)\n      *evo_out++ = "
          "evo_extent;\n"
          "    for (int64_t evo_extent : evo_extents.block)\n      *evo_out++ "
          "= evo_extent;\n"
          "    *evo_out++ = evo_extents.shared;\n  }\n  return evoOk;\n}\n\n";
    os << "int evo_allocator_" << name << "(" << allocatorParameters
       << ") {\n  std::lock_guard<std::mutex> evo_lock(evoMutex);\n"
          "  if (!allocate != !release)\n    return evoFail(evoArgument, "
          "\"an allocator has both functions, or neither\");\n"
          "  evoAllocator = {allocate, release, state};\n  return "
          "evoOk;\n}\n\n";
    emitPrepare();
    emitLaunch();
    os << "} // extern \"C\"\n";
  }

  std::string signature() {
    std::string text;
    for (const LaunchArgument &argument : description.arguments) {
      text += ", ";
      if (argument.role == ArgumentRole::In)
        text += "const ";
      text += elementCxx(argument.type).str();
      text += argument.role == ArgumentRole::Scalar ? " " : " *";
      text += argument.name;
    }
    for (const std::string &dim : description.dimensions)
      text += ", int64_t " + dim;
    return text;
  }

  void emitPointerChecks() {
    for (const LaunchArgument &argument : description.arguments) {
      if (argument.role == ArgumentRole::Scalar)
        continue;
      os << "  if (reinterpret_cast<uintptr_t>(" << argument.name << ") % "
         << argument.alignment << " != 0)\n    return evoFail(evoArgument, \""
         << argument.name << " is not aligned to " << argument.alignment
         << " bytes\");\n";
      os << "  {\n    int64_t evo_elements = 1;\n";
      emitElements(argument.dims, "evo_elements");
      os << "    if (evo_elements != 0 && !" << argument.name
         << ")\n      return evoFail(evoArgument, \"" << argument.name
         << " is null\");\n  }\n";
    }
  }

  /// Sets `slot` to the product of the dimensions.
  void emitElements(ArrayRef<Formula> dims, StringRef slot) {
    std::string product = "Int(1)", text;
    for (const Formula &dim : dims) {
      product += " * " + checkedFormula(dim);
      text += (text.empty() ? "" : " * ") + dim.getText();
    }
    // no diagnostic: code
    os << "    if (int evo_status = evoSet(" << slot << ", " << product
       << ", 0, INT64_MAX / 8, " << quoted(text)
       << "))\n      return evo_status;\n";
  }

  /// A formula as it stands in the launch function, where dimensions have
  /// their plain names and are raw integers: evaluated by a lambda.
  std::string checkedFormula(const Formula &formula) {
    std::string parameters, arguments;
    StringSet<> seen;
    formula->forEachName([&](StringRef name) {
      if (!seen.insert(name).second)
        return;
      parameters += (parameters.empty() ? "Int " : ", Int ") + name.str();
      arguments += (arguments.empty() ? "" : ", ") + name.str();
    });
    return "[](" + parameters + ") { return " + formulaCxx(formula) + "; }(" +
           arguments + ")";
  }

  /// The driver, the lock, and the context with its capability.
  void emitContext() {
    os << "  const Driver *evo_driver = evoDriver();\n  if (!evo_driver)\n    "
          "return evoFail(evoUnavailable, \"no CUDA driver\");\n"
          "  std::lock_guard<std::mutex> evo_lock(evoMutex);\n"
          "  void *evo_context = nullptr;\n  int evo_capability = 0;\n"
          "  if (int evo_status = evoContext(*evo_driver, evo_context, "
          "evo_capability))\n    return evo_status;\n";
  }

  /// `evo_module` is that of the variant.
  void emitModule(size_t index, const LaunchVariant &variant) {
    os << "evoModule(*evo_driver, evo_context, " << index << ", "
       << quoted(variant.cubinFile) << ", " << quoted(variant.ptxFile)
       << ", evo_module)";
  }

  void emitPrepare() {
    os << "int evo_prepare_" << description.name << "(void) {\n";
    emitContext();
    os << "  void *evo_module = nullptr;\n  int evo_status = evoOk;\n"
          "  bool evo_any = false;\n";
    for (auto [index, variant] : enumerate(description.variants)) {
      // no diagnostic: code
      os << "  if (evo_status == evoOk && " << runsOnCxx(variant.target)
         << ") {\n    evo_any = true;\n    evo_status = ";
      emitModule(index, variant);
      os << ";\n";
      for (const KernelLaunch &launch : variant.launches)
        // no diagnostic: code
        os << "    if (evo_status == evoOk)\n      evo_status = "
              "evoFunction(*evo_driver, evo_module, "
           << quoted(launch.symbol) << ");\n";
      os << "  }\n";
    }
    // no diagnostic: code
    os << "  if (!evo_any)\n    return evoFail(evoNoCode, \"no variant runs on "
          "this device\");\n  return evo_status;\n}\n\n";
  }

  void emitLaunch() {
    os << "int evo_launch_" << description.name << "(void *evo_stream"
       << signature() << ") {\n";
    emitPointerChecks();
    emitContext();
    os << "  int evo_variant = -1;\n  std::vector<Extents> evo_launches;\n"
          "  if (int evo_status = evoGeometry(evo_capability, "
       << dimParameters(false)
       << "evo_variant, evo_launches))\n    return evo_status;\n"
       << "  void *evo_module = nullptr;\n  int evo_status = evoOk;\n"
          "  switch (evo_variant) {\n";
    for (auto [index, variant] : enumerate(description.variants))
      emitVariantLaunch(index, variant);
    os << "  default:\n    evo_status = evoRequirement;\n    break;\n  }\n"
          "  return evo_status;\n}\n\n";
  }

  void emitVariantLaunch(size_t index, const LaunchVariant &variant) {
    os << "  case " << index << ": {\n    if ((evo_status = ";
    emitModule(index, variant);
    os << "))\n      return evo_status;\n";
    // All sizes first: nothing may fail between an allocation and its release.
    for (const ScratchBuffer &buffer : variant.scratch) {
      os << "    int64_t evoCount_" << buffer.name << " = 0;\n";
      emitElements(buffer.dims, "evoCount_" + buffer.name);
    }
    for (auto [number, launch] : enumerate(variant.launches))
      for (auto [position, operand] : enumerate(launch.operands))
        if (operand.kind == KernelOperand::Formula)
          emitIntegerOperand(number, position, operand);
    for (const ScratchBuffer &buffer : variant.scratch)
      os << "    uint64_t evoScratch_" << buffer.name
         << " = 0;\n    if (evo_status == evoOk && evoCount_" << buffer.name
         << ")\n      evo_status = evoAllocate(*evo_driver, evoScratch_"
         << buffer.name << ",\n          static_cast<uint64_t>(evoCount_"
         << buffer.name << ") * " << getElementBits(buffer.type) / 8
         << ", evo_stream);\n";
    for (auto [number, launch] : enumerate(variant.launches)) {
      os << "    if (evo_status == evoOk) {\n      void *evo_parameters[] = {";
      for (auto [position, operand] : enumerate(launch.operands))
        os << operandAddress(number, position, operand) << ", ";
      os << "nullptr};\n      evo_status = evoLaunch(*evo_driver, evo_module, "
         << quoted(launch.symbol) << ", evo_launches[" << number
         << "], evo_stream, evo_parameters);\n    }\n";
    }
    for (const ScratchBuffer &buffer : variant.scratch)
      os << "    evoRelease(*evo_driver, evoScratch_" << buffer.name
         << ", evo_stream);\n";
    os << "    break;\n  }\n";
  }

  std::string operandName(size_t launch, size_t position) {
    return "evoOperand_" + std::to_string(launch) + "_" +
           std::to_string(position);
  }

  void emitIntegerOperand(size_t launch, size_t position,
                          const KernelOperand &operand) {
    std::string name = operandName(launch, position);
    StringRef type = elementCxx(operand.type);
    unsigned bits = getElementBits(operand.type);
    bool isSigned = operand.type[0] == 'i';
    std::string width = std::to_string(bits);
    std::string min = isSigned ? "INT" + width + "_MIN" : "0";
    std::string max = isSigned     ? "INT" + width + "_MAX"
                      : bits == 64 ? "INT64_MAX"
                                   : "UINT" + width + "_MAX";
    os << "    int64_t " << name << "_wide = 0;\n    if ((evo_status = evoSet("
       << name << "_wide, " << checkedFormula(operand.formula) << ", " << min
       << ", " << max << ", " << quoted(operand.formula.getText())
       << ")))\n      return evo_status;\n    " << type << " " << name
       << " = static_cast<" << type << ">(" << name << "_wide);\n";
  }

  std::string operandAddress(size_t launch, size_t position,
                             const KernelOperand &operand) {
    switch (operand.kind) {
    case KernelOperand::Formula:
      return "&" + operandName(launch, position);
    case KernelOperand::Scratch:
      return "&evoScratch_" + operand.name;
    case KernelOperand::Argument:
      break;
    }
    // The driver reads the parameter through the address; for a pointer to
    // const the cast drops the const of the pointee only.
    return "const_cast<void *>(static_cast<const void *>(&" + operand.name +
           "))";
  }

  const LaunchDescription &description;
  std::string source;
  raw_string_ostream os;
};
} // namespace

Expected<std::string> generateLauncher(const LaunchDescription &description) {
  if (Error error = description.validate())
    return std::move(error);
  return Generator(description).run();
}

} // namespace evo
