// Attributes of the evo dialect and the rules a contract's parts must obey.
#include "evo/Dialect/Evo/IR/Elements.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/IntExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace evo;

#include "evo/Dialect/Evo/IR/EvoEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "evo/Dialect/Evo/IR/EvoAttrs.cpp.inc"

void EvoDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "evo/Dialect/Evo/IR/EvoAttrs.cpp.inc"
      >();
}

/// Parses an integer expression held in an attribute; emits what is wrong.
static LogicalResult
checkExpression(function_ref<InFlightDiagnostic()> emitError, StringRef text) {
  llvm::Expected<IntExpr> expr = IntExpr::parse(text);
  if (expr)
    return success();
  return emitError() << "malformed expression \"" << text
                     << "\": " << llvm::toString(expr.takeError());
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
                                 DomainKind kind, StringAttr lower,
                                 StringAttr upper) {
  bool bounded = kind == DomainKind::Range || kind == DomainKind::Monotone;
  if (bounded != (lower && upper))
    return emitError() << "domain '" << stringifyDomainKind(kind) << "' "
                       << (bounded ? "needs" : "takes no") << " bounds";
  return success();
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
    auto text = dyn_cast<StringAttr>(dim);
    if (!text)
      return emitError() << "dimensions of '" << name.getValue()
                         << "' must be strings";
    if (failed(checkExpression(emitError, text.getValue())))
      return failure();
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
    if (failed(checkExpression(emitError, domain.getLower().getValue())) ||
        failed(checkExpression(emitError, domain.getUpper().getValue())))
      return failure();
  } else if (domain && domain.getLower()) {
    double lower, upper;
    if (domain.getLower().getValue().getAsDouble(lower) ||
        domain.getUpper().getValue().getAsDouble(upper))
      return emitError() << "bounds of '" << name.getValue()
                         << "' must be decimal numbers";
    if (!(lower <= upper))
      return emitError() << "empty range for '" << name.getValue() << "'";
  }
  return success();
}

llvm::SmallVector<StringRef> ArgumentAttr::getDimStrings() const {
  llvm::SmallVector<StringRef> result;
  if (ArrayAttr dims = getDims())
    for (Attribute dim : dims)
      result.push_back(cast<StringAttr>(dim).getValue());
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
                                   FloatAttr rtol, FloatAttr atol) {
  for (TypeAttr type : {multiply, accumulate})
    if (type && !isa<FloatType>(type.getValue()))
      return emitError() << "accuracy allows float types, found "
                         << type.getValue();
  for (FloatAttr tolerance : {rtol, atol})
    if (tolerance && !(tolerance.getValueAsDouble() >= 0))
      return emitError() << "a tolerance must not be negative";
  return success();
}
