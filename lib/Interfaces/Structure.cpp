// The canonical form is a text: ops in order, values, blocks and the symbols
// that the plan defines by number. It is only ever hashed.
#include "evo/Interfaces/Structure.h"
#include "evo/Support/Digest.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace evo;

namespace {
class CanonicalForm {
public:
  CanonicalForm(VariantOp variant, bool withConstants);
  std::string digest();

private:
  VariantOp variant;
  bool withConstants;
  std::string text;
  llvm::raw_string_ostream os{text};
  llvm::StringSet<> defined;
  llvm::StringMap<unsigned> symbols;
  DenseMap<Value, unsigned> values;
  DenseMap<Block *, unsigned> blocks;
  AttrTypeReplacer replacer;

  StringAttr canonicalName(StringAttr name);
  void addRegion(Region &region);
  void add(Operation *op);
  void add(NamedAttribute attribute);
};
} // namespace

/// Attributes that say where code comes from, or what an optimizer may assume
/// of it by names alone.
static bool isIncidental(StringRef name) {
  return name == "tbaa" || name == "alias_scopes" || name == "noalias_scopes" ||
         name == "access_groups" || name == "loc";
}

CanonicalForm::CanonicalForm(VariantOp variant, bool withConstants)
    : variant(variant), withConstants(withConstants) {
  variant.walk([&](Operation *op) {
    // A declaration means something by its name; a definition does not.
    bool isDeclaration = op->getNumRegions() == 1 && op->getRegion(0).empty() &&
                         op->hasTrait<OpTrait::IsIsolatedFromAbove>();
    if (auto name = SymbolTable::getSymbolName(op);
        op != variant.getOperation() && name && !isDeclaration)
      defined.insert(name.getValue());
  });
  addTextReplacements(replacer);
  replacer.addReplacement([&](SymbolRefAttr reference) -> Attribute {
    SmallVector<FlatSymbolRefAttr> nested;
    for (FlatSymbolRefAttr part : reference.getNestedReferences())
      nested.push_back(FlatSymbolRefAttr::get(canonicalName(part.getAttr())));
    return SymbolRefAttr::get(canonicalName(reference.getRootReference()),
                              nested);
  });
  replacer.addReplacement([](LocationAttr location) -> Attribute {
    return UnknownLoc::get(location.getContext());
  });
}

StringAttr CanonicalForm::canonicalName(StringAttr name) {
  if (!defined.contains(name.getValue()))
    return name;
  unsigned number =
      symbols.try_emplace(name.getValue(), symbols.size()).first->second;
  return StringAttr::get(name.getContext(), "#" + std::to_string(number));
}

void CanonicalForm::add(NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (isIncidental(name))
    return;
  os << ' ' << name << '=';
  if (name == SymbolTable::getSymbolAttrName()) {
    os << canonicalName(cast<StringAttr>(attribute.getValue())).getValue();
    return;
  }
  Attribute value = attribute.getValue();
  if (!withConstants && isa<TypedAttr>(value) && !isa<StringAttr>(value)) {
    os << cast<TypedAttr>(value).getType();
    return;
  }
  os << replacer.replace(value);
}

void CanonicalForm::add(Operation *op) {
  os << op->getName() << '(';
  for (Value operand : op->getOperands())
    os << values.try_emplace(operand, values.size()).first->second << ' ';
  os << ')';
  for (Value result : op->getResults())
    os << values.try_emplace(result, values.size()).first->second << ':'
       << result.getType() << ' ';
  for (Block *successor : op->getSuccessors())
    os << '^' << blocks.try_emplace(successor, blocks.size()).first->second;
  bool isLaunch = isa<LaunchOp, ScratchOp>(op);
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (withConstants || !isLaunch || attribute.getName() == "callee" ||
        attribute.getName() == "args")
      add(attribute);
  os << '\n';
  for (Region &region : op->getRegions())
    addRegion(region);
}

void CanonicalForm::addRegion(Region &region) {
  os << "{\n";
  for (Block &block : region) {
    os << '^' << blocks.try_emplace(&block, blocks.size()).first->second;
    for (BlockArgument argument : block.getArguments())
      os << ' ' << values.try_emplace(argument, values.size()).first->second
         << ':' << argument.getType();
    os << '\n';
    for (Operation &op : block)
      if (!isa<gpu::BinaryOp>(op))
        add(&op);
  }
  os << "}\n";
}

std::string CanonicalForm::digest() {
  if (withConstants) {
    os << describeCodegen(variant.getOptionsAttr()) << '\n'
       << spellTexts(variant.getRequirementsAttr()) << '\n';
  }
  addRegion(variant.getBody());
  return evo::digest(text, 8);
}

std::string evo::describeCodegen(DictionaryAttr options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (options)
    for (NamedAttribute option : options)
      if (option.getName() != "knobs")
        os << option.getName().getValue() << '=' << option.getValue() << ' ';
  return text;
}

StructureHash evo::hashStructure(VariantOp variant) {
  return {CanonicalForm(variant, /*withConstants=*/true).digest(),
          CanonicalForm(variant, /*withConstants=*/false).digest()};
}
