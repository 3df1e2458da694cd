// Attributes of the evo dialect and the rules a contract's parts must obey.
#include "ParseQuoted.h"
#include "evo/Dialect/Evo/IR/Elements.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace evo;

// Parsed texts.

namespace evo::detail {
/// A text and what it says, which is a function of the text.
template <typename Storage, typename Parsed>
struct ParsedTextStorage : AttributeStorage {
  using KeyTy = std::pair<StringRef, Parsed>;
  bool operator==(const KeyTy &key) const { return text == key.first; }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_value(key.first);
  }
  static Storage *construct(AttributeStorageAllocator &allocator, KeyTy &&key) {
    key.first = allocator.copyInto(key.first);
    return new (allocator.allocate<Storage>()) Storage(std::move(key));
  }
  StringRef text;
  Parsed value;

private:
  friend Storage;
  explicit ParsedTextStorage(KeyTy key)
      : text(key.first), value(std::move(key.second)) {}
};
struct ExprAttrStorage : ParsedTextStorage<ExprAttrStorage, IntExpr> {
  explicit ExprAttrStorage(KeyTy key) : ParsedTextStorage(std::move(key)) {}
};
struct RequirementAttrStorage
    : ParsedTextStorage<RequirementAttrStorage, Requirement> {
  explicit RequirementAttrStorage(KeyTy key)
      : ParsedTextStorage(std::move(key)) {}
};
} // namespace evo::detail

Attribute evo::spellTexts(Attribute attr) {
  if (!attr)
    return attr;
  AttrTypeReplacer replacer;
  addTextReplacements(replacer);
  return replacer.replace(attr);
}

void evo::addTextReplacements(AttrTypeReplacer &replacer) {
  replacer.addReplacement([](ExprAttr expr) -> Attribute {
    return StringAttr::get(expr.getContext(), expr.getText());
  });
  replacer.addReplacement([](RequirementAttr requirement) -> Attribute {
    return StringAttr::get(requirement.getContext(), requirement.getText());
  });
  // It holds expressions, and prints them as texts.
  replacer.addReplacement(
      [](ArgumentAttr arg) -> std::optional<std::pair<Attribute, WalkResult>> {
        return std::pair<Attribute, WalkResult>(arg, WalkResult::skip());
      });
}

void evo::printTexts(raw_ostream &os, Attribute attr) {
  spellTexts(attr).print(os);
}

/// An expression, or else the text itself, which is up to the verifier.
static Attribute makeExpr(MLIRContext *context, StringRef text) {
  if (llvm::Expected<ExprAttr> parsed = ExprAttr::parseText(context, text))
    return *parsed;
  else
    llvm::consumeError(parsed.takeError());
  return StringAttr::get(context, text);
}

/// Extents, or nothing where there is no bracket.
static FailureOr<ArrayAttr> parseOptionalExprs(AsmParser &parser) {
  ArrayAttr array;
  OptionalParseResult result = parser.parseOptionalAttribute(array);
  if (result.has_value() && failed(*result))
    return failure();
  if (!array)
    return array;
  return ArrayAttr::get(
      parser.getContext(), llvm::map_to_vector(array, [](Attribute attr) {
        auto text = dyn_cast<StringAttr>(attr);
        return text ? makeExpr(attr.getContext(), text) : attr;
      }));
}

static FailureOr<Attribute> parseBound(AsmParser &parser) {
  std::string text;
  if (parser.parseString(&text))
    return failure();
  return makeExpr(parser.getContext(), text);
}

#include "evo/Dialect/Evo/IR/EvoEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "evo/Dialect/Evo/IR/EvoAttrs.cpp.inc"

void EvoDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "evo/Dialect/Evo/IR/EvoAttrs.cpp.inc"
      >();
}

bool evo::isSupportedElement(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
    return true;
  if (isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

LogicalResult DomainAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 DomainKind kind, Attribute lower,
                                 Attribute upper) {
  bool bounded = kind == DomainKind::Range || kind == DomainKind::Monotone;
  if (bounded != (lower && upper))
    return emitError() << "domain '" << stringifyDomainKind(kind) << "' "
                       << (bounded ? "needs" : "takes no") << " bounds";
  return success();
}

Attribute DomainAttr::getBound(MLIRContext *context, StringRef text) {
  return makeExpr(context, text); // a number with a fraction is no expression
}

static StringRef spell(Attribute bound) {
  if (auto expr = dyn_cast<ExprAttr>(bound))
    return expr.getText();
  return cast<StringAttr>(bound).getValue();
}

StringRef DomainAttr::getLowerText() const { return spell(getLower()); }

StringRef DomainAttr::getUpperText() const { return spell(getUpper()); }

const IntExpr &DomainAttr::getLowerExpr() const {
  return cast<ExprAttr>(getLower()).getValue();
}

const IntExpr &DomainAttr::getUpperExpr() const {
  return cast<ExprAttr>(getUpper()).getValue();
}

llvm::Error DomainAttr::evaluate(const Bindings &sizes, int64_t &lower,
                                 int64_t &upper) const {
  for (auto [expr, bound] : {std::pair(&getLowerExpr(), &lower),
                             std::pair(&getUpperExpr(), &upper)}) {
    llvm::Expected<int64_t> value = expr->evaluate(sizes);
    if (!value)
      return value.takeError();
    *bound = *value;
  }
  return llvm::Error::success();
}

/// Says what is wrong with a text that is no expression.
static LogicalResult refuse(function_ref<InFlightDiagnostic()> emitError,
                            Attribute text) {
  (void)ExprAttr::getChecked(emitError, text.getContext(), spell(text));
  return failure();
}

LogicalResult ArgumentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringAttr name, Role role, Type elementType,
                                   ArrayAttr dims, DomainAttr domain,
                                   int64_t align, Attribute defaultValue) {
  if (name.getValue().empty())
    return emitError() << "an argument needs a name";
  if (!isSupportedElement(elementType))
    return emitError() << "argument '" << name.getValue()
                       << "' has unsupported element type " << elementType;
  if (role == Role::Scalar && dims)
    return emitError() << "scalar argument '" << name.getValue()
                       << "' takes no dimensions";
  if (role != Role::Scalar && !dims)
    return emitError() << "buffer argument '" << name.getValue()
                       << "' needs dimensions";
  if (role != Role::Scalar && defaultValue)
    return emitError() << "only a scalar takes a default, '" << name.getValue()
                       << "' is a buffer";
  if (align < 1 || align > 4096 || !llvm::isPowerOf2_64(align))
    return emitError() << "alignment of '" << name.getValue()
                       << "' must be a power of two up to 4096, found "
                       << align;
  for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>()) {
    if (isa<ExprAttr>(dim))
      continue;
    if (!isa<StringAttr>(dim))
      return emitError() << "dimensions of '" << name.getValue()
                         << "' must be strings";
    return refuse(emitError, dim);
  }
  bool isInteger = isa<IntegerType>(elementType);
  DomainKind kind = domain ? domain.getKind() : DomainKind::Finite;
  bool integersOnly =
      kind == DomainKind::Permutation || kind == DomainKind::Monotone;
  bool floatsOnly =
      domain && (kind == DomainKind::Any || kind == DomainKind::Finite ||
                 kind == DomainKind::Probability);
  if ((integersOnly && !isInteger) || (floatsOnly && isInteger))
    return emitError() << "domain '" << stringifyDomainKind(kind)
                       << "' does not apply to " << elementType;
  if (domain && domain.getLower() && isInteger) {
    for (Attribute bound : {domain.getLower(), domain.getUpper()})
      if (!isa<ExprAttr>(bound))
        return refuse(emitError, bound);
  } else if (domain && domain.getLower()) {
    double lower, upper;
    if (domain.getLowerText().getAsDouble(lower) ||
        domain.getUpperText().getAsDouble(upper))
      return emitError() << "bounds of '" << name.getValue()
                         << "' must be decimal numbers";
    if (!(lower <= upper))
      return emitError() << "empty range for '" << name.getValue() << "'";
  }
  return success();
}

SmallVector<IntExpr> ArgumentAttr::getExtents() const {
  SmallVector<IntExpr> result;
  if (ArrayAttr dims = getDims())
    for (auto dim : dims.getAsRange<ExprAttr>())
      result.push_back(dim.getValue());
  return result;
}

SmallVector<StringRef> ArgumentAttr::getDimStrings() const {
  SmallVector<StringRef> result;
  if (ArrayAttr dims = getDims())
    for (auto dim : dims.getAsRange<ExprAttr>())
      result.push_back(dim.getText());
  return result;
}

LogicalResult WorkloadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr sizes, int64_t weight) {
  if (weight <= 0)
    return emitError() << "weight of a workload must be positive, found "
                       << weight;
  for (NamedAttribute size : sizes) {
    auto value = dyn_cast<IntegerAttr>(size.getValue());
    if (!value || value.getInt() < 0)
      return emitError() << "size '" << size.getName().getValue()
                         << "' of a workload must be a non-negative integer";
  }
  return success();
}

LogicalResult AccuracyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   TypeAttr multiply, TypeAttr accumulate,
                                   FloatAttr rtol, FloatAttr atol,
                                   FloatAttr norm) {
  for (TypeAttr type : {multiply, accumulate})
    if (type && !isa<FloatType>(type.getValue()))
      return emitError() << "accuracy allows float types, found "
                         << type.getValue();
  for (FloatAttr tolerance : {rtol, atol, norm})
    if (tolerance && !(tolerance.getValueAsDouble() >= 0))
      return emitError() << "a tolerance must not be negative";
  return success();
}
