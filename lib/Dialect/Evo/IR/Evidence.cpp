// Values of details to attributes and back, and what evidence may hold.
#include "evo/Dialect/Evo/IR/Evo.h"

using namespace mlir;
using namespace evo;

NamedAttribute evidence::Integer::of(Builder &b, int64_t value) const {
  return b.getNamedAttr(name, b.getI64IntegerAttr(value));
}

NamedAttribute evidence::Number::of(Builder &b, double value) const {
  return b.getNamedAttr(name, b.getF64FloatAttr(value));
}

NamedAttribute evidence::Flag::of(Builder &b, bool value) const {
  return b.getNamedAttr(name, b.getBoolAttr(value));
}

NamedAttribute evidence::Text::of(Builder &b, const Twine &value) const {
  return b.getNamedAttr(name, b.getStringAttr(value));
}

NamedAttribute evidence::Value::of(Builder &b, Attribute value) const {
  return b.getNamedAttr(name, value);
}

static std::optional<evidence::Kind> kindOf(StringRef key) {
#define EVIDENCE_KEY(KIND, VARIABLE, KEY, MEANING, WHEN)                       \
  if (key == KEY)                                                              \
    return evidence::Kind::KIND;
#include "evo/Dialect/Evo/IR/EvidenceKeys.def"
#undef EVIDENCE_KEY
  return std::nullopt;
}

static StringRef describe(evidence::Kind kind) {
  switch (kind) {
  case evidence::Kind::Integer:
    return "a 64-bit integer";
  case evidence::Kind::Number:
    return "a 64-bit float";
  case evidence::Kind::Flag:
    return "a truth value";
  case evidence::Kind::Text:
    return "text";
  case evidence::Kind::Value:
    return "a 64-bit number or text";
  }
  llvm_unreachable("unknown kind of detail");
}

static bool isOfKind(Attribute value, evidence::Kind kind) {
  auto number = dyn_cast<TypedAttr>(value);
  bool isInteger = isa<IntegerAttr>(value) && number.getType().isInteger(64);
  bool isDouble = isa<FloatAttr>(value) && number.getType().isF64();
  switch (kind) {
  case evidence::Kind::Integer:
    return isInteger;
  case evidence::Kind::Number:
    return isDouble;
  case evidence::Kind::Flag:
    return isa<BoolAttr>(value);
  case evidence::Kind::Text:
    return isa<StringAttr>(value);
  case evidence::Kind::Value:
    return isInteger || isDouble || isa<StringAttr>(value);
  }
  llvm_unreachable("unknown kind of detail");
}

LogicalResult EvidenceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   Grade grade, StringAttr hash,
                                   DictionaryAttr details) {
  for (NamedAttribute detail : details) {
    StringRef key = detail.getName();
    std::optional<evidence::Kind> kind = kindOf(key);
    if (!kind)
      return emitError() << "evidence has no detail '" << key << "'";
    if (!isOfKind(detail.getValue(), *kind))
      return emitError() << "detail '" << key << "' of evidence is "
                         << describe(*kind) << ", found " << detail.getValue();
  }
  return success();
}

StringRef EvidenceAttr::getDetail(evidence::Text key) const {
  auto text = getDetails().getAs<StringAttr>(key.name);
  return text ? text.getValue() : StringRef();
}

std::optional<int64_t> EvidenceAttr::getDetail(evidence::Integer key) const {
  auto number = getDetails().getAs<IntegerAttr>(key.name);
  return number ? std::optional(number.getInt()) : std::nullopt;
}

std::optional<Reason> EvidenceAttr::getReason() const {
  return reasonFromName(getDetail(evidence::reason));
}
