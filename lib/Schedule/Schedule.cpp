// Parsing, checking and resolving of schedules.
#include "evo/Schedule/Schedule.h"
#include "evo/Dialect/Linalg/Scatter.h"
#include "evoSchedules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

static constexpr StringLiteral mainName = "__transform_main";

StringRef evo::getBuiltinSchedule(StringRef name) {
  for (size_t i = 0; i < embedded::evoSchedulesCount; ++i) {
    const embedded::File &file = embedded::evoSchedules[i];
    if (StringRef(file.name) == (name + ".mlir").str())
      return StringRef(file.data, file.size);
  }
  return "";
}

std::vector<StringRef> evo::getBuiltinScheduleNames() {
  std::vector<StringRef> names;
  for (size_t i = 0; i < embedded::evoSchedulesCount; ++i) {
    StringRef name = embedded::evoSchedules[i].name;
    name.consume_back(".mlir");
    if (!name.starts_with("lower-"))
      names.push_back(name);
  }
  return names;
}

func::FuncOp evo::getPayload(KernelOp kernel) {
  for (auto raised : kernel.getBody().getOps<RaisedOp>())
    for (auto function : raised.getBody().getOps<func::FuncOp>())
      return function;
  if (ReferenceOp reference = kernel.getReference())
    for (auto function : reference.getBody().getOps<func::FuncOp>())
      return function;
  return {};
}

static FailureOr<std::vector<Requirement>> parseRequirements(ArrayAttr texts,
                                                             Location loc) {
  std::vector<Requirement> result;
  for (Attribute text : texts) {
    auto string = dyn_cast<StringAttr>(text);
    if (!string)
      return emitError(loc) << "expected a requirement, found " << text,
             failure();
    llvm::Expected<Requirement> requirement = Requirement::parse(string);
    if (!requirement)
      return emitError(loc)
                 << "requirement \"" << string.getValue()
                 << "\": " << llvm::toString(requirement.takeError()),
             failure();
    result.push_back(*requirement);
  }
  return result;
}

FailureOr<Schedule> Schedule::parseLibrary(MLIRContext *context, StringRef text,
                                           StringRef fileName) {
  Schedule schedule;
  schedule.module = std::make_shared<OwningOpRef<ModuleOp>>(
      parseSourceString<ModuleOp>(text, context, fileName));
  if (!*schedule.module)
    return failure();
  return schedule;
}

FailureOr<Schedule> Schedule::parse(MLIRContext *context, StringRef text,
                                    StringRef fileName) {
  FailureOr<Schedule> parsed = parseLibrary(context, text, fileName);
  if (failed(parsed))
    return failure();
  Schedule &schedule = *parsed;
  ModuleOp module = **schedule.module;
  auto main = module.lookupSymbol<transform::NamedSequenceOp>(mainName);
  if (!main)
    return module.emitError()
               << "a schedule needs a named sequence @" << mainName,
           failure();
  bool ok = true;
  module.walk([&](transform::tune::KnobOp knob) {
    auto known = llvm::find_if(schedule.knobs, [&](const ScheduleKnob &other) {
      return other.name == knob.getName();
    });
    if (known != schedule.knobs.end())
      return;
    ScheduleKnob entry{knob.getName().str(), {}};
    if (auto meanings = module->getAttrOfType<DictionaryAttr>("evo.meanings"))
      if (auto meaning = meanings.getAs<StringAttr>(knob.getName()))
        entry.meaning = meaning.str();
    auto options = dyn_cast<ArrayAttr>(knob.getOptions());
    auto chosen = dyn_cast_or_null<IntegerAttr>(knob.getSelectedAttr());
    if (chosen)
      entry.values.push_back(chosen.getInt());
    for (Attribute option :
         options ? options.getValue() : ArrayRef<Attribute>()) {
      auto value = dyn_cast<IntegerAttr>(option);
      if (value && !llvm::is_contained(entry.values, value.getInt()))
        entry.values.push_back(value.getInt());
    }
    if (entry.values.empty()) {
      knob.emitError("a knob needs integer options");
      ok = false;
    }
    schedule.knobs.push_back(std::move(entry));
  });
  if (auto texts = main->getAttrOfType<ArrayAttr>("evo.constraints")) {
    FailureOr<std::vector<Requirement>> constraints =
        parseRequirements(texts, main.getLoc());
    if (failed(constraints))
      return failure();
    schedule.constraints = std::move(*constraints);
  }
  if (!ok)
    return failure();
  return parsed;
}

std::vector<std::string> Schedule::getConstraints() const {
  std::vector<std::string> texts;
  for (const Requirement &constraint : constraints)
    texts.push_back(constraint.str());
  return texts;
}

StringRef Schedule::getPayloadOp() const {
  auto name = (**module)->getAttrOfType<StringAttr>("evo.schedules");
  return name ? name.getValue() : StringRef();
}

bool Schedule::isForProducts() const {
  return (**module)->hasAttr("evo.products");
}

bool Schedule::isForScatters() const {
  return (**module)->hasAttr("evo.scatters");
}

DictionaryAttr Schedule::getPlainKnobs() const {
  return (**module)->getAttrOfType<DictionaryAttr>("evo.plain");
}

DictionaryAttr Schedule::getCompanions(StringRef knob) const {
  auto all = (**module)->getAttrOfType<DictionaryAttr>("evo.with");
  return all ? all.getAs<DictionaryAttr>(knob) : DictionaryAttr();
}

DictionaryAttr Schedule::getStart(StringRef feature) const {
  auto all = (**module)->getAttrOfType<DictionaryAttr>("evo.starts");
  return all ? all.getAs<DictionaryAttr>(feature) : DictionaryAttr();
}

/// A product: each of two operands lies along results that the other one does
/// not, and both along what is added up. Where there is one of these, as in a
/// product with a vector, rows are summed up.
static bool isProduct(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands())
    if (isa<ShapedType>(input->get().getType()))
      maps.push_back(op.getMatchingIndexingMap(input));
  if (maps.size() != 2 || op.getNumReductionLoops() == 0)
    return false;
  auto hasOwn = [&](AffineMap mine, AffineMap other) {
    return llvm::any_of(parallel, [&](unsigned dim) {
      return extents[dim] != 1 && mine.isFunctionOfDim(dim) &&
             !other.isFunctionOfDim(dim);
    });
  };
  return hasOwn(maps[0], maps[1]) && hasOwn(maps[1], maps[0]);
}

/// A sum of products of two matrices, either of which may be transposed.
static bool isMatrixProduct(Operation *op) {
  auto product = dyn_cast<linalg::LinalgOp>(op);
  if (!product || !isProduct(product) || product.getNumParallelLoops() != 2 ||
      product.getNumReductionLoops() != 1)
    return false;
  Operation *sum =
      product.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) &&
         llvm::any_of(sum->getOperands(),
                      [](Value value) {
                        return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(
                            value.getDefiningOp());
                      }) &&
         llvm::all_of(product.getIndexingMapsArray(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

bool Schedule::fits(func::FuncOp payload) const {
  SmallVector<Operation *> ops;
  payload.walk([&](Operation *op) {
    if (isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()) &&
        !op->hasTrait<OpTrait::IsTerminator>() && !isa<linalg::IndexOp>(op))
      ops.push_back(op);
  });
  StringRef wanted = getPayloadOp();
  if (isForProducts())
    return llvm::any_of(ops, [](Operation *op) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      return structured && isProduct(structured);
    });
  if (isForScatters())
    return llvm::any_of(ops, [](Operation *op) {
      auto structured = dyn_cast<linalg::LinalgOp>(op);
      return structured && matchScatter(structured);
    });
  if (wanted != linalg::LinalgDialect::getDialectNamespace())
    return llvm::any_of(ops, [&](Operation *op) {
      return op->getName().getStringRef() == wanted;
    });
  // Where there is nothing but products of matrices, those have their own.
  return !ops.empty() && (llvm::none_of(ops, isMatrixProduct) ||
                          !llvm::all_of(ops, [](Operation *op) {
                            return isa<linalg::FillOp>(op) ||
                                   isMatrixProduct(op);
                          }));
}

bool Schedule::isSensible(const Bindings &values, std::string &why) const {
  for (const Requirement &constraint : constraints) {
    llvm::Expected<bool> holds = constraint.holds(values, "");
    if (holds && *holds)
      continue;
    why = "constraint '" + constraint.str() + "' does not hold";
    if (!holds)
      why += ": " + llvm::toString(holds.takeError());
    return false;
  }
  return true;
}

static FailureOr<int64_t> evaluate(StringRef text, const Bindings &values,
                                   Operation *op) {
  llvm::Expected<IntExpr> expr = IntExpr::parse(text);
  if (!expr)
    return op->emitError() << "evo.bind \"" << text
                           << "\": " << llvm::toString(expr.takeError()),
           failure();
  llvm::Expected<int64_t> value = expr->evaluate(values);
  if (!value)
    return op->emitError() << "evo.bind \"" << text
                           << "\": " << llvm::toString(value.takeError()),
           failure();
  return *value;
}

/// Overwrites one bound attribute, keeping its kind.
static LogicalResult bind(Operation *op, NamedAttribute bound,
                          const Bindings &values) {
  Attribute old = op->getAttr(bound.getName());
  Builder b(op->getContext());
  Attribute replacement;
  if (auto texts = dyn_cast<ArrayAttr>(bound.getValue())) {
    SmallVector<int64_t> numbers;
    for (Attribute entry : texts) {
      auto text = dyn_cast<StringAttr>(entry);
      if (!text)
        return op->emitError() << "evo.bind of '" << bound.getName().getValue()
                               << "' takes formulas in quotes, found " << entry;
      FailureOr<int64_t> value = evaluate(text, values, op);
      if (failed(value))
        return failure();
      numbers.push_back(*value);
    }
    if (isa_and_nonnull<DenseI64ArrayAttr>(old))
      replacement = b.getDenseI64ArrayAttr(numbers);
    else if (isa_and_nonnull<ArrayAttr>(old))
      replacement = b.getI64ArrayAttr(numbers);
  } else if (auto text = dyn_cast<StringAttr>(bound.getValue())) {
    FailureOr<int64_t> value = evaluate(text, values, op);
    if (failed(value))
      return failure();
    if (auto integer = dyn_cast_or_null<IntegerAttr>(old))
      replacement = IntegerAttr::get(integer.getType(), *value);
    else if (auto map = dyn_cast_or_null<AffineMapAttr>(old))
      replacement = AffineMapAttr::get(AffineMap::get(
          map.getValue().getNumDims(), map.getValue().getNumSymbols(),
          getAffineConstantExpr(*value, op->getContext())));
  }
  if (!replacement)
    return op->emitError() << "evo.bind cannot set attribute '"
                           << bound.getName().getValue() << "'";
  op->setAttr(bound.getName(), replacement);
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> Schedule::resolve(const Bindings &values,
                                                   Location loc) const {
  for (const auto &entry : values) {
    auto knob = llvm::find_if(knobs, [&](const ScheduleKnob &knob) {
      return knob.name == entry.getKey();
    });
    if (knob == knobs.end())
      return emitError(loc)
                 << "the schedule has no knob '" << entry.getKey() << "'",
             failure();
    if (!llvm::is_contained(knob->values, entry.getValue()))
      return emitError(loc) << "knob '" << knob->name << "' has no option "
                            << entry.getValue(),
             failure();
  }
  std::string why;
  if (!isSensible(values, why))
    return emitError(loc) << why, failure();
  OwningOpRef<ModuleOp> copy = (**module).clone();
  WalkResult result = copy->walk([&](Operation *op) {
    if (auto knob = dyn_cast<transform::tune::KnobOp>(op))
      knob.setSelectedAttr(
          IntegerAttr::get(IntegerType::get(op->getContext(), 64),
                           values.lookup(knob.getName())));
    if (auto bounds = op->getAttrOfType<DictionaryAttr>("evo.bind")) {
      for (NamedAttribute bound : bounds)
        if (failed(bind(op, bound, values)))
          return WalkResult::interrupt();
      op->removeAttr("evo.bind");
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return copy;
}

FailureOr<std::vector<Requirement>>
Schedule::getRequirements(const Bindings &values, KernelOp kernel,
                          Location loc) const {
  std::vector<Requirement> result;
  auto dimensions = (**module)->getAttrOfType<DictionaryAttr>("evo.dimensions");
  bool ok = true;
  // A name is a knob, or a dimension of one of the contract's arguments.
  auto replace = [&](StringRef name) -> std::optional<IntExpr> {
    if (values.contains(name))
      return IntExpr::constant(values.lookup(name));
    auto place = dimensions ? dimensions.getAs<ArrayAttr>(name) : ArrayAttr();
    if (!place || place.size() != 2)
      return std::nullopt;
    auto argument = dyn_cast<IntegerAttr>(place[0]),
         dim = dyn_cast<IntegerAttr>(place[1]);
    if (!argument || !dim) {
      emitError(loc) << "evo.dimensions of '" << name
                     << "' takes the numbers of an argument and of its "
                        "dimension, found "
                     << place;
      ok = false;
      return std::nullopt;
    }
    if (argument.getValue().uge(kernel.getArgsAttr().size()))
      return std::nullopt;
    auto dims = cast<ArgumentAttr>(kernel.getArgsAttr()[argument.getInt()])
                    .getExtents();
    if (dim.getValue().uge(dims.size()))
      return std::nullopt;
    return dims[dim.getInt()];
  };
  (**module).walk([&](transform::tune::AlternativesOp alternatives) {
    auto lists = alternatives->getAttrOfType<ArrayAttr>("evo.require");
    auto knob = alternatives.getSelectedRegionParam()
                    ? alternatives.getSelectedRegionParam()
                          .getDefiningOp<transform::tune::KnobOp>()
                    : transform::tune::KnobOp();
    if (!lists || !knob)
      return;
    size_t chosen = values.lookup(knob.getName());
    if (chosen >= lists.size())
      return;
    auto list = dyn_cast<ArrayAttr>(lists[chosen]);
    if (!list)
      emitError(loc) << "evo.require takes a list of requirements for each "
                        "alternative, found "
                     << lists[chosen];
    FailureOr<std::vector<Requirement>> requirements = failure();
    if (list)
      requirements = parseRequirements(list, loc);
    if (failed(requirements)) {
      ok = false;
      return;
    }
    for (const Requirement &requirement : *requirements)
      result.push_back(requirement.substitute(replace));
  });
  if (!ok)
    return failure();
  return result;
}
