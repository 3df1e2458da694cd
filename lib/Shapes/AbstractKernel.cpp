// The contract of a kernel whose shapes are abstracted: names for extents, the
// caller's sizes as the workload that counts.
#include "evo/Shapes/AbstractShapes.h"

using namespace mlir;
using namespace evo;

bool evo::abstractKernel(KernelOp kernel, KernelOp like) {
  ReferenceOp reference = kernel.getReference();
  if (!kernel.hasContract() || !reference ||
      !kernel.getDimensionNames().empty() || reference.isLaunchPlan())
    return false;
  auto functions = reference.getBody().getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      (*functions.begin()).getNumArguments() != kernel.getArgsAttr().size())
    return false;
  Builder b(kernel.getContext());
  auto toStrings = [&](ArrayRef<std::string> texts) {
    SmallVector<StringRef> views(texts.begin(), texts.end());
    return b.getStrArrayAttr(views);
  };
  SmallVector<SmallVector<StringRef>> spelled;
  if (like)
    for (auto arg : like.getArgsAttr().getAsRange<ArgumentAttr>())
      spelled.push_back(arg.getDimStrings());
  func::FuncOp function = *functions.begin();
  OwningOpRef<func::FuncOp> before(function.clone());
  std::string why;
  SmallVector<unsigned> destinations;
  for (auto [i, arg] :
       llvm::enumerate(kernel.getArgsAttr().getAsRange<ArgumentAttr>()))
    if (arg.isWritten())
      destinations.push_back(i);
  FailureOr<ShapeNames> names =
      abstractShapes(function, destinations, spelled, why);
  if (failed(names)) {
    kernel->setAttr(fixedExtentsName, toStrings({"all extents: " + why}));
    return false;
  }
  SmallVector<Attribute> args;
  for (auto [i, arg, extents, extent] :
       llvm::enumerate(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                       names->extents, names->indexed)) {
    DomainAttr domain = arg.getDomain();
    if (like) // whose bounds may be formulas
      domain = cast<ArgumentAttr>(like.getArgsAttr()[i]).getDomain();
    // What indexes an axis stays within it.
    if (!like && !extent.empty() && arg.isRead() &&
        isa<IntegerType>(arg.getElementType()))
      domain = DomainAttr::get(b.getContext(), DomainKind::Range,
                               ExprAttr::get(b.getContext(), "0"),
                               ExprAttr::get(b.getContext(), extent));
    args.push_back(ArgumentAttr::get(
        b.getContext(), arg.getName(), arg.getRole(), arg.getElementType(),
        arg.getDims() ? ExprAttr::getArray(b.getContext(), extents)
                      : ArrayAttr(),
        domain, arg.getAlign(), arg.getDefaultValue()));
  }
  if (like && b.getArrayAttr(args) != like.getArgsAttr()) {
    function.getBody().takeBody(before->getBody());
    function.setFunctionType(before->getFunctionType());
    return false;
  }
  SmallVector<NamedAttribute> sizes;
  for (const auto &[name, size] : names->sizes)
    sizes.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(size)));
  DictionaryAttr dictionary = b.getDictionaryAttr(sizes);
  kernel.setArgsAttr(b.getArrayAttr(args));
  kernel.setWorkloadsAttr(
      b.getArrayAttr(WorkloadAttr::get(b.getContext(), dictionary, 1)));
  if (!names->requirements.empty())
    kernel.setRequirementsAttr(
        RequirementAttr::getArray(b.getContext(), names->requirements));
  kernel->setAttr(callerSizesName, dictionary);
  if (!names->fixed.empty())
    kernel->setAttr(fixedExtentsName, toStrings(names->fixed));
  return true;
}

std::optional<Bindings> evo::getCallerSizes(KernelOp kernel) {
  auto sizes = kernel->getAttrOfType<DictionaryAttr>(callerSizesName);
  if (!sizes)
    return std::nullopt;
  Bindings result;
  for (NamedAttribute size : sizes)
    if (auto number = dyn_cast<IntegerAttr>(size.getValue()))
      result[size.getName()] = number.getInt();
  return result;
}

/// The number that a formula is at `sizes`; itself where it has none.
static Attribute bindFormula(Attribute attr, const Bindings &sizes) {
  auto formula = dyn_cast_or_null<ExprAttr>(attr);
  if (!formula)
    return attr;
  llvm::Expected<int64_t> value = formula.getValue().evaluate(sizes);
  if (!value)
    return llvm::consumeError(value.takeError()), attr;
  return ExprAttr::get(attr.getContext(), std::to_string(*value));
}

SmallVector<Attribute> evo::bindArguments(ArrayAttr args,
                                          const Bindings &sizes) {
  SmallVector<Attribute> result;
  MLIRContext *context = args.getContext();
  for (auto arg : args.getAsRange<ArgumentAttr>()) {
    ArrayAttr dims = arg.getDims();
    if (dims)
      dims = ArrayAttr::get(context, llvm::map_to_vector(dims, [&](auto dim) {
                              return bindFormula(dim, sizes);
                            }));
    DomainAttr domain = arg.getDomain();
    if (domain && isa<IntegerType>(arg.getElementType()))
      domain = DomainAttr::get(context, domain.getKind(),
                               bindFormula(domain.getLower(), sizes),
                               bindFormula(domain.getUpper(), sizes));
    result.push_back(ArgumentAttr::get(context, arg.getName(), arg.getRole(),
                                       arg.getElementType(), dims, domain,
                                       arg.getAlign(), arg.getDefaultValue()));
  }
  return result;
}
