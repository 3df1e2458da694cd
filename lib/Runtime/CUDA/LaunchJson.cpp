// launch.json, written and read. The format carries a version, and reading is
// strict about what is there but ignores fields it does not know, so that a
// later writer may add some.
#include "evo/Runtime/LaunchDescription.h"

using namespace llvm;

namespace evo {

static constexpr int64_t formatVersion = 1;

static json::Array toArray(ArrayRef<std::string> texts) {
  json::Array array;
  for (const std::string &text : texts)
    array.push_back(text);
  return array;
}

template <typename T> static json::Array toArray(ArrayRef<Parsed<T>> all) {
  json::Array array;
  for (const Parsed<T> &one : all)
    array.push_back(one.getText());
  return array;
}

static StringRef getKindName(KernelOperand::Kind kind) {
  switch (kind) {
  case KernelOperand::Argument:
    return "argument";
  case KernelOperand::Scratch:
    return "scratch";
  case KernelOperand::Formula:
    return "formula";
  }
  return "unknown";
}

static json::Object toObject(const KernelLaunch &launch) {
  json::Array operands;
  for (const KernelOperand &operand : launch.operands) {
    const bool isFormula = operand.kind == KernelOperand::Formula;
    json::Object object{{getKindName(operand.kind),
                         isFormula ? operand.formula.getText() : operand.name}};
    if (isFormula)
      object["type"] = operand.type;
    operands.push_back(std::move(object));
  }
  return json::Object{{"kernel", launch.symbol},
                      {"grid", toArray<IntExpr>(launch.grid)},
                      {"block", toArray<IntExpr>(launch.block)},
                      {"shared_bytes", launch.sharedBytes.getText()},
                      {"operands", std::move(operands)}};
}

static json::Object toObject(const LaunchVariant &variant) {
  json::Array scratch, launches;
  for (const ScratchBuffer &buffer : variant.scratch)
    scratch.push_back(json::Object{{"name", buffer.name},
                                   {"type", buffer.type},
                                   {"dims", toArray<IntExpr>(buffer.dims)}});
  for (const KernelLaunch &launch : variant.launches)
    launches.push_back(toObject(launch));
  return json::Object{
      {"name", variant.name},
      {"target", variant.target.str()},
      {"ptx", variant.ptxFile},
      {"cubin", variant.cubinFile},
      {"requirements", toArray<Requirement>(variant.requirements)},
      {"used_when", toArray<Requirement>(variant.usedWhen)},
      {"scratch", std::move(scratch)},
      {"launches", std::move(launches)}};
}

json::Value LaunchDescription::toJSON() const {
  json::Array args, choices;
  for (const LaunchArgument &argument : arguments) {
    json::Object object{{"name", argument.name},
                        {"role", getName(argument.role)},
                        {"type", argument.type}};
    if (argument.role != ArgumentRole::Scalar) {
      object["dims"] = toArray<IntExpr>(argument.dims);
      object["alignment"] = argument.alignment;
    }
    args.push_back(std::move(object));
  }
  for (const LaunchVariant &variant : variants)
    choices.push_back(toObject(variant));
  return json::Object{{"version", formatVersion},
                      {"name", name},
                      {"dimensions", toArray(dimensions)},
                      {"arguments", std::move(args)},
                      {"requirements", toArray<Requirement>(requirements)},
                      {"variants", std::move(choices)}};
}

namespace {
/// Reads fields one by one and remembers the first that is wrong, so that the
/// reading code below stays a plain list of fields.
class Reader {
public:
  std::string error;

  void fail(const Twine &what) {
    if (error.empty())
      error = what.str();
  }

  const json::Object *object(const json::Value &value, StringRef what) {
    const json::Object *result = value.getAsObject();
    if (!result)
      fail("'" + what + "' holds something that is no object");
    return result;
  }

  std::string text(const json::Object &object, StringRef key) {
    if (std::optional<StringRef> value = object.getString(key))
      return value->str();
    fail("field '" + key + "' is missing or no string");
    return {};
  }

  /// Nothing where the text is missing, or is no T.
  template <typename T> std::optional<Parsed<T>> parsed(StringRef text) {
    Expected<Parsed<T>> value = Parsed<T>::parse(text);
    if (value)
      return std::move(*value);
    fail("in '" + text + "': " + toString(value.takeError()));
    return std::nullopt;
  }

  const json::Array &array(const json::Object &object, StringRef key) {
    static const json::Array empty;
    if (const json::Array *value = object.getArray(key))
      return *value;
    fail("field '" + key + "' is missing or no array");
    return empty;
  }

  std::vector<std::string> texts(const json::Object &object, StringRef key) {
    std::vector<std::string> result;
    for (const json::Value &value : array(object, key)) {
      std::optional<StringRef> text = value.getAsString();
      if (!text)
        fail("field '" + key + "' holds something that is no string");
      result.push_back(text.value_or("").str());
    }
    return result;
  }
};

/// A field that is an array of formulas or of conditions.
template <typename T>
std::vector<Parsed<T>> readAll(const json::Object &object, StringRef key,
                               Reader &in) {
  std::vector<Parsed<T>> result;
  for (const std::string &text : in.texts(object, key))
    if (std::optional<Parsed<T>> one = in.parsed<T>(text))
      result.push_back(std::move(*one));
  return result;
}

Formula readFormula(const json::Object &object, StringRef key, Reader &in) {
  return in.parsed<IntExpr>(in.text(object, key)).value_or(makeFormula(0));
}

KernelOperand readOperand(const json::Object &object, Reader &in) {
  KernelOperand operand;
  for (KernelOperand::Kind kind :
       {KernelOperand::Argument, KernelOperand::Scratch,
        KernelOperand::Formula}) {
    if (!object.get(getKindName(kind)))
      continue;
    operand.kind = kind;
    if (kind != KernelOperand::Formula) {
      operand.name = in.text(object, getKindName(kind));
      return operand;
    }
    operand.formula = readFormula(object, getKindName(kind), in);
    operand.type = in.text(object, "type");
    return operand;
  }
  in.fail("an operand is neither 'argument', 'scratch' nor 'formula'");
  return operand;
}

LaunchVariant readVariant(const json::Object &object, Reader &in) {
  LaunchVariant variant;
  variant.name = in.text(object, "name");
  const std::string target = in.text(object, "target");
  if (std::optional<target::Arch> arch = target::Arch::parse(target))
    variant.target = *arch;
  else
    in.fail("unknown target '" + target + "'");
  variant.ptxFile = in.text(object, "ptx");
  variant.cubinFile = in.text(object, "cubin");
  variant.requirements = readAll<Requirement>(object, "requirements", in);
  if (object.get("used_when")) // which older writers had not
    variant.usedWhen = readAll<Requirement>(object, "used_when", in);
  for (const json::Value &value : in.array(object, "scratch"))
    if (auto *buffer = in.object(value, "scratch"))
      variant.scratch.push_back({in.text(*buffer, "name"),
                                 in.text(*buffer, "type"),
                                 readAll<IntExpr>(*buffer, "dims", in)});
  for (const json::Value &value : in.array(object, "launches")) {
    auto *fields = in.object(value, "launches");
    if (!fields)
      continue;
    KernelLaunch launch;
    launch.symbol = in.text(*fields, "kernel");
    launch.grid = readAll<IntExpr>(*fields, "grid", in);
    launch.block = readAll<IntExpr>(*fields, "block", in);
    launch.sharedBytes = readFormula(*fields, "shared_bytes", in);
    for (const json::Value &operand : in.array(*fields, "operands"))
      if (auto *entry = in.object(operand, "operands"))
        launch.operands.push_back(readOperand(*entry, in));
    variant.launches.push_back(std::move(launch));
  }
  return variant;
}

LaunchArgument readArgument(const json::Object &object, Reader &in) {
  LaunchArgument argument;
  argument.name = in.text(object, "name");
  argument.type = in.text(object, "type");
  std::string role = in.text(object, "role");
  bool known = false;
  for (ArgumentRole candidate : {ArgumentRole::In, ArgumentRole::Out,
                                 ArgumentRole::InOut, ArgumentRole::Scalar})
    if (getName(candidate) == role) {
      argument.role = candidate;
      known = true;
    }
  if (!known)
    in.fail("unknown role '" + role + "'");
  if (argument.role == ArgumentRole::Scalar)
    return argument;
  argument.dims = readAll<IntExpr>(object, "dims", in);
  if (auto alignment = object.getInteger("alignment");
      alignment && *alignment > 0)
    argument.alignment = *alignment;
  else
    in.fail("field 'alignment' is missing or no positive integer");
  return argument;
}
} // namespace

Expected<LaunchDescription>
LaunchDescription::fromJSON(const json::Value &value) {
  Reader in;
  LaunchDescription description;
  if (auto *object = in.object(value, "launch.json")) {
    if (object->getInteger("version") != formatVersion)
      in.fail("field 'version' is not " + Twine(formatVersion));
    description.name = in.text(*object, "name");
    description.dimensions = in.texts(*object, "dimensions");
    description.requirements =
        readAll<Requirement>(*object, "requirements", in);
    for (const json::Value &entry : in.array(*object, "arguments"))
      if (auto *fields = in.object(entry, "arguments"))
        description.arguments.push_back(readArgument(*fields, in));
    for (const json::Value &entry : in.array(*object, "variants"))
      if (auto *fields = in.object(entry, "variants"))
        description.variants.push_back(readVariant(*fields, in));
  }
  if (!in.error.empty())
    return createStringError("launch description: %s", in.error.c_str());
  if (Error error = description.validate())
    return std::move(error);
  return description;
}

} // namespace evo
