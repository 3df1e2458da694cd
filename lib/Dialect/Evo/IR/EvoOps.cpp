// Operations of the evo dialect: what a well-formed kernel, plan and proposal
// are. Every rule has a case in test/Dialect/Evo/invalid.mlir.
#include "ParseQuoted.h"
#include "evo/Dialect/Evo/IR/Elements.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

/// A word of an enumeration, quoted like the texts beside it.
template <typename Attr, typename Enum>
static ParseResult parseQuotedWord(OpAsmParser &parser, Attr &attr,
                                   StringRef what,
                                   std::optional<Enum> (*symbolize)(StringRef),
                                   StringRef (*stringify)(Enum), Enum last) {
  std::string name;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  if (std::optional<Enum> known = symbolize(name)) {
    attr = Attr::get(parser.getContext(), *known);
    return success();
  }
  InFlightDiagnostic diag = parser.emitError(place);
  diag << "unknown " << what << " '" << name << "', expected ";
  for (unsigned i = 0; i < static_cast<unsigned>(last); ++i)
    diag << (i ? ", " : "") << stringify(static_cast<Enum>(i));
  return diag << " or " << stringify(last);
}

static ParseResult parseQuotedGenome(OpAsmParser &parser, GenomeAttr &genome) {
  return parseQuotedWord(parser, genome, "genome", symbolizeGenome,
                         stringifyGenome, Genome::LLVMIR);
}

static void printQuotedGenome(OpAsmPrinter &printer, ProposalOp,
                              GenomeAttr genome) {
  printer << '"' << stringifyGenome(genome.getValue()) << '"';
}

static ParseResult parseQuotedStage(OpAsmParser &parser, StageAttr &stage) {
  return parseQuotedWord(parser, stage, "stage", symbolizeStage, stringifyStage,
                         Stage::Pipeline);
}

static void printQuotedStage(OpAsmPrinter &printer, ProposalOp,
                             StageAttr stage) {
  printer << '"' << stringifyStage(stage.getValue()) << '"';
}

template <typename Attr>
static ParseResult parseArray(OpAsmParser &parser, ArrayAttr &array) {
  SmallVector<Attribute> elements;
  auto parseElement = [&]() -> ParseResult {
    elements.push_back(parseQuoted<Attr>(parser));
    return success(bool(elements.back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseElement))
    return failure();
  array = parser.getBuilder().getArrayAttr(elements);
  return success();
}

static ParseResult parseExprs(OpAsmParser &parser, ArrayAttr &exprs) {
  return parseArray<ExprAttr>(parser, exprs);
}

static void printExprs(OpAsmPrinter &printer, Operation *, ArrayAttr exprs) {
  printTexts(printer.getStream(), exprs);
}

static ParseResult parseRequirements(OpAsmParser &parser,
                                     ArrayAttr &requirements) {
  return parseArray<RequirementAttr>(parser, requirements);
}

static void printRequirements(OpAsmPrinter &printer, Operation *,
                              ArrayAttr requirements) {
  printTexts(printer.getStream(), requirements);
}

static ParseResult parseExpr(OpAsmParser &parser, ExprAttr &expr) {
  expr = parseQuoted<ExprAttr>(parser);
  return success(bool(expr));
}

static void printExpr(OpAsmPrinter &printer, Operation *, ExprAttr expr) {
  printTexts(printer.getStream(), expr);
}

#define GET_OP_CLASSES
#include "evo/Dialect/Evo/IR/EvoOps.cpp.inc"

namespace {
/// The names a contract gives meaning to.
struct Names {
  llvm::StringSet<> integers; // dimensions and integer scalars
  llvm::StringSet<> others;   // buffers and float scalars
};
} // namespace

static Names collectNames(KernelOp kernel) {
  Names names;
  for (StringRef dim : kernel.getDimensionNames())
    names.integers.insert(dim);
  if (ArrayAttr args = kernel.getArgsAttr())
    for (auto arg : args.getAsRange<ArgumentAttr>()) {
      if (!arg.isBuffer() && isa<IntegerType>(arg.getElementType()))
        names.integers.insert(arg.getName().getValue());
      else
        names.others.insert(arg.getName().getValue());
    }
  return names;
}

/// Checks that an expression or requirement names integers of the contract
/// only.
template <typename Attr>
static LogicalResult checkNames(Operation *op, StringRef what, Attr attr,
                                const Names &names) {
  std::string unknown;
  attr.getValue().forEachName([&](StringRef name) {
    if (unknown.empty() && !names.integers.contains(name))
      unknown = name.str();
  });
  if (!unknown.empty())
    return op->emitOpError()
           << what << " \"" << attr.getText() << "\": '" << unknown
           << "' is no dimension and no integer argument";
  return success();
}

static LogicalResult checkRequirements(Operation *op, ArrayAttr requirements,
                                       const Names &names) {
  if (requirements)
    for (auto requirement : requirements.getAsRange<RequirementAttr>())
      if (failed(checkNames(op, "requirement", requirement, names)))
        return failure();
  return success();
}

// KernelOp.

ReferenceOp KernelOp::getReference() {
  auto references = getBody().getOps<ReferenceOp>();
  return references.empty() ? ReferenceOp() : *references.begin();
}

VariantOp KernelOp::lookupBaseline() {
  auto proposal = lookupSymbol<ProposalOp>(baselineName);
  return proposal ? proposal.lookupVariant() : VariantOp();
}

ArgumentAttr KernelOp::lookupArgument(StringRef name) {
  if (ArrayAttr args = getArgsAttr())
    for (auto arg : args.getAsRange<ArgumentAttr>())
      if (arg.getName().getValue() == name)
        return arg;
  return {};
}

SmallVector<StringRef> KernelOp::getDimensionNames() {
  SmallVector<StringRef> result;
  if (!getArgs())
    return result;
  auto isScalar = [&](StringRef name) {
    ArgumentAttr arg = lookupArgument(name);
    return arg && !arg.isBuffer();
  };
  for (auto arg : getArgsAttr().getAsRange<ArgumentAttr>())
    for (const IntExpr &dim : arg.getExtents())
      // Names live as long as the attribute that holds the expression.
      dim.forEachName([&](StringRef name) {
        if (!isScalar(name) && !llvm::is_contained(result, name))
          result.push_back(name);
      });
  return result;
}

LogicalResult KernelOp::verify() {
  llvm::StringSet<> seen;
  if (ArrayAttr args = getArgsAttr()) {
    bool writes = false;
    for (auto arg : args.getAsRange<ArgumentAttr>()) {
      if (!seen.insert(arg.getName().getValue()).second)
        return emitOpError() << "argument '" << arg.getName().getValue()
                             << "' is declared twice";
      writes |= arg.isWritten();
    }
    if (!writes)
      return emitOpError("needs an 'out' or 'inout' argument");
  }
  Names names = collectNames(*this);
  for (StringRef dim : getDimensionNames())
    if (seen.contains(dim))
      return emitOpError() << "'" << dim
                           << "' is both a dimension and an argument";
  if (ArrayAttr args = getArgsAttr())
    for (auto arg : args.getAsRange<ArgumentAttr>())
      if (DomainAttr domain = arg.getDomain();
          domain && domain.getLower() && isa<IntegerType>(arg.getElementType()))
        for (Attribute bound : {domain.getLower(), domain.getUpper()})
          if (failed(checkNames(*this, "domain", cast<ExprAttr>(bound), names)))
            return failure();
  if (ArrayAttr workloads = getWorkloadsAttr())
    for (auto workload : workloads.getAsRange<WorkloadAttr>()) {
      for (NamedAttribute size : workload.getSizes())
        if (!names.integers.contains(size.getName().getValue()))
          return emitOpError()
                 << "workload gives a size to '" << size.getName().getValue()
                 << "', which is no dimension and no integer argument";
      for (StringRef dim : getDimensionNames())
        if (!workload.getSizes().contains(dim))
          return emitOpError()
                 << "workload gives no size to dimension '" << dim << "'";
    }
  if (failed(checkRequirements(*this, getRequirementsAttr(), names)))
    return failure();
  // The sizes of the caller of a kernel whose shapes were abstracted.
  if (Attribute attr = (*this)->getAttr("evo.sizes")) {
    auto sizes = dyn_cast<DictionaryAttr>(attr);
    bool isWhole =
        sizes && llvm::all_of(getDimensionNames(), [&](StringRef dim) {
          auto size = sizes.getAs<IntegerAttr>(dim);
          return size && size.getInt() >= 0;
        });
    if (!isWhole)
      return emitOpError()
             << "'evo.sizes' has to give each dimension its size, found "
             << attr;
  }
  if (llvm::range_size(getBody().getOps<ReferenceOp>()) > 1)
    return emitOpError("holds more than one evo.reference");
  if (FlatSymbolRefAttr best = getBestAttr())
    if (!isa_and_nonnull<VariantOp>(
            mlir::SymbolTable::lookupSymbolIn(*this, best.getAttr())))
      return emitOpError() << "best names '" << best.getValue()
                           << "', which is no variant of this kernel";
  return success();
}

// ReferenceOp and VariantOp.

bool ReferenceOp::isLaunchPlan() {
  return !getBody().getOps<LaunchOp>().empty();
}

LogicalResult ReferenceOp::verify() {
  auto functions = getBody().getOps<func::FuncOp>();
  if (isLaunchPlan() && !functions.empty())
    return emitOpError(
        "is either a launch plan or tensor-level IR, found both");
  if (DictionaryAttr options = getOptionsAttr())
    for (NamedAttribute option : options)
      if (!isCodegenOption(option))
        return emitOpError() << "has no option '" << option.getName().getValue()
                             << "' = " << option.getValue() << ": known are "
                             << codegenOptionsKnown;
  return success();
}

bool evo::isCodegenOption(NamedAttribute option) {
  StringRef key = option.getName().getValue();
  auto number = dyn_cast<IntegerAttr>(option.getValue());
  auto text = dyn_cast<StringAttr>(option.getValue());
  auto isWithin = [&](int64_t min, int64_t max) {
    return number && number.getInt() >= min && number.getInt() <= max;
  };
  if (key == "opt")
    return isWithin(0, 3);
  if (key == "maxnreg")
    return isWithin(16, target::TargetInfo::maxRegistersPerThread);
  return key == "codegen" && text &&
         (text.getValue() == llvmGenerator ||
          text.getValue() == nvrtcGenerator);
}

LogicalResult VariantOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  return checkRequirements(*this, getRequirementsAttr(), collectNames(kernel));
}

LogicalResult VariantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (FlatSymbolRefAttr proposal = getProposalAttr())
    if (!isa_and_nonnull<ProposalOp>(
            symbols.lookupSymbolIn((*this)->getParentOp(), proposal.getAttr())))
      return emitOpError() << "is of '" << proposal.getValue()
                           << "', which is no proposal of this kernel";
  return success();
}

ProposalOp VariantOp::lookupProposal() {
  if (!getProposal())
    return {};
  return cast<KernelOp>((*this)->getParentOp())
      .lookupSymbol<ProposalOp>(*getProposal());
}

VariantOp ProposalOp::lookupVariant() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (variant.getProposal() == getSymName())
      return variant;
  return {};
}

LogicalResult ProposalOp::verify() {
  if (getStage().has_value() != getFailure().has_value())
    return emitOpError("a failure needs both its stage and its text");
  return success();
}

// ScratchOp and LaunchOp.

static KernelOp enclosingKernel(Operation *op) {
  return op->getParentOfType<KernelOp>();
}

LogicalResult ScratchOp::verify() {
  Names names = collectNames(enclosingKernel(*this));
  if (names.integers.contains(getName()) || names.others.contains(getName()))
    return emitOpError() << "'" << getName()
                         << "' is already a name of the contract";
  for (ScratchOp other : getPlan().getScratches())
    if (other != *this && other.getName() == getName())
      return emitOpError() << "'" << getName() << "' is declared twice";
  if (!isSupportedElement(getElementType()))
    return emitOpError() << "'" << getName()
                         << "' has unsupported element type "
                         << getElementType();
  for (auto dim : getDims().getAsRange<ExprAttr>())
    if (failed(checkNames(*this, "dimension", dim, names)))
      return failure();
  return success();
}

SmallVector<StringRef> ScratchOp::getDimStrings() {
  return llvm::map_to_vector(getDims().getAsRange<ExprAttr>(),
                             [](ExprAttr dim) { return dim.getText(); });
}

LogicalResult LaunchOp::verify() {
  KernelOp kernel = enclosingKernel(*this);
  if (!kernel.hasContract())
    return emitOpError("needs a contract on the enclosing evo.kernel");
  Names names = collectNames(kernel);
  for (ScratchOp scratch : getPlan().getScratches())
    names.others.insert(scratch.getName());
  auto checkExtents = [&](ArrayAttr extents, StringRef what) -> LogicalResult {
    if (extents.size() != 3)
      return emitOpError() << what << " needs three extents, found "
                           << extents.size();
    for (auto extent : extents.getAsRange<ExprAttr>())
      if (failed(checkNames(*this, what, extent, names)))
        return failure();
    return success();
  };
  if (failed(checkExtents(getGrid(), "grid")) ||
      failed(checkExtents(getBlock(), "block")))
    return failure();
  if (getShared() && failed(checkNames(*this, "shared", *getShared(), names)))
    return failure();
  for (auto arg : getArgs().getAsRange<ExprAttr>())
    if (!names.others.contains(arg.getValue().getAsName()) &&
        failed(checkNames(*this, "argument", arg, names)))
      return failure();
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  LaunchPlanOpInterface plan = getPlan();
  auto module = dyn_cast_or_null<gpu::GPUModuleOp>(
      symbols.lookupSymbolIn(plan, getCallee().getRootReference()));
  auto binary = dyn_cast_or_null<gpu::BinaryOp>(
      symbols.lookupSymbolIn(plan, getCallee().getRootReference()));
  if (binary)
    return success();
  if (!module)
    return emitOpError() << "'" << getCallee().getRootReference().getValue()
                         << "' names no gpu.module of this plan";
  Operation *function = symbols.lookupSymbolIn(plan, getCallee());
  if (!function)
    return emitOpError() << "'" << getCallee() << "' is not defined";
  auto kernel = dyn_cast<FunctionOpInterface>(function);
  if (!kernel)
    return emitOpError() << "'" << getCallee() << "' is no function";
  size_t passed = getLoweredArgs().size(), taken = getLoweredTypes().size();
  if (passed != taken)
    return emitOpError() << "passes " << passed << " arguments, '"
                         << kernel.getName() << "' takes " << taken;
  return success();
}

/// The callee of `launch`, null where the plan does not hold it.
static FunctionOpInterface calleeOf(LaunchOp launch) {
  return dyn_cast_or_null<FunctionOpInterface>(
      mlir::SymbolTable::lookupSymbolIn(launch->getParentOp(),
                                        launch.getCallee()));
}

/// The dimensions of a buffer of the contract or of the plan; none where
/// `name` is neither.
static std::optional<SmallVector<StringRef>> dimsOf(LaunchOp launch,
                                                    StringRef name) {
  if (ArgumentAttr argument = enclosingKernel(launch).lookupArgument(name))
    return argument.isBuffer() ? std::optional(argument.getDimStrings())
                               : std::nullopt;
  if (ScratchOp scratch = launch.getPlan().lookupScratch(name))
    return scratch.getDimStrings();
  return std::nullopt;
}

/// Product of expressions; "1" of none.
static std::string product(ArrayRef<StringRef> factors) {
  std::string text;
  for (StringRef factor : factors)
    text += (text.empty() ? "(" : " * (") + factor.str() + ")";
  return text.empty() ? "1" : text;
}

static void appendDescriptor(StringRef name, ArrayRef<StringRef> dims,
                             int64_t rank, SmallVectorImpl<std::string> &args) {
  llvm::append_values(args, name.str(), name.str(), std::string("0"));
  if (rank == 1 && dims.size() != 1) {
    llvm::append_values(args, product(dims), std::string("1"));
    return;
  }
  for (StringRef dim : dims)
    args.push_back(dim.str());
  for (size_t i = 0; i < dims.size(); ++i)
    args.push_back(product(dims.drop_front(i + 1)));
}

SmallVector<ExprAttr> LaunchOp::getLoweredArgs() {
  SmallVector<ExprAttr> args;
  FunctionOpInterface callee = calleeOf(*this);
  ArrayRef<Type> types = callee ? callee.getArgumentTypes() : ArrayRef<Type>();
  bool oneByOne = types.size() == getArgs().size();
  for (auto [i, arg] : llvm::enumerate(getArgs().getAsRange<ExprAttr>())) {
    auto memref = oneByOne ? dyn_cast<MemRefType>(types[i]) : MemRefType();
    std::optional<SmallVector<StringRef>> dims;
    if (memref)
      dims = dimsOf(*this, arg.getText());
    if (!dims) {
      args.push_back(arg);
      continue;
    }
    SmallVector<std::string> descriptor;
    ::appendDescriptor(arg.getText(), *dims, memref.getRank(), descriptor);
    for (const std::string &text : descriptor)
      args.push_back(ExprAttr::get(getContext(), text));
  }
  return args;
}

SmallVector<Type> LaunchOp::getLoweredTypes() {
  SmallVector<Type> types;
  FunctionOpInterface callee = calleeOf(*this);
  if (!callee)
    return types;
  auto integer = IntegerType::get(getContext(), 64);
  auto pointer = LLVM::LLVMPointerType::get(getContext());
  for (Type type : callee.getArgumentTypes()) {
    if (auto memref = dyn_cast<MemRefType>(type)) {
      types.append(2, pointer);
      types.append(1 + 2 * memref.getRank(), integer);
    } else {
      types.push_back(type.isIndex() ? Type(integer) : type);
    }
  }
  return types;
}

void evo::appendDescriptor(ArgumentAttr arg,
                           SmallVectorImpl<std::string> &args) {
  SmallVector<StringRef> dims = arg.getDimStrings();
  ::appendDescriptor(arg.getName(), dims, dims.size(), args);
}
