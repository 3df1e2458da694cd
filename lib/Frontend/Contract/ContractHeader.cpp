// Parser of the contract lines, one function a line kind.
#include "evo/Frontend/ContractHeader.h"
#include "Cursor.h"
#include "evo/Support/IntExpr.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace evo;

/// Element types by the names CUDA programmers know them under.
static Type parseElementType(MLIRContext *context, StringRef name) {
  Builder b(context);
  if (name == "f8E4M3FN")
    return Float8E4M3FNType::get(context);
  if (name == "f8E5M2")
    return Float8E5M2Type::get(context);
  if (name == "f16")
    return b.getF16Type();
  if (name == "bf16")
    return b.getBF16Type();
  if (name == "f32")
    return b.getF32Type();
  if (name == "f64")
    return b.getF64Type();
  for (unsigned width : {1, 8, 16, 32, 64}) {
    if (name == ("i" + Twine(width)).str())
      return b.getIntegerType(width);
    if (width > 1 && name == ("u" + Twine(width)).str())
      return IntegerType::get(context, width, IntegerType::Unsigned);
  }
  return {};
}

static FailureOr<IntExpr> parseExpr(Cursor cursor) {
  cursor.skipSpace();
  llvm::Expected<IntExpr> expr = IntExpr::parse(cursor.rest());
  if (expr)
    return *expr;
  llvm::handleAllErrors(expr.takeError(), [&](const ExprError &e) {
    cursor.error(e.getOffset()) << e.getMessage();
  });
  return failure();
}

static LogicalResult parseExprList(Cursor cursor,
                                   std::vector<IntExpr> &result) {
  for (Cursor item : cursor.splitList()) {
    FailureOr<IntExpr> expr = parseExpr(item);
    if (failed(expr))
      return failure();
    result.push_back(*expr);
  }
  return success();
}

static FailureOr<DomainAttr> parseDomain(Cursor &cursor) {
  std::optional<DomainKind> kind = symbolizeDomainKind(cursor.peekWord());
  if (!kind)
    return DomainAttr();
  Cursor at = cursor;
  cursor.takeWord();
  Attribute lower, upper;
  if (std::optional<Cursor> bounds = cursor.takeBracketed('(', ')')) {
    std::vector<Cursor> items = bounds->splitList();
    if (items.size() != 2)
      return bounds->error() << "expected two bounds, found " << items.size(),
             failure();
    MLIRContext *context = cursor.getContext();
    lower = DomainAttr::getBound(context, items[0].rest().trim());
    upper = DomainAttr::getBound(context, items[1].rest().trim());
  }
  DomainAttr domain = DomainAttr::getChecked(
      [&] { return at.error(); }, cursor.getContext(), *kind, lower, upper);
  if (!domain)
    return failure();
  return domain;
}

static FailureOr<Attribute> parseDefault(Cursor &cursor, Type type) {
  cursor.skipSpace();
  StringRef text = cursor.rest().trim();
  Builder b(cursor.getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    double value;
    if (!text.getAsDouble(value)) {
      cursor.skip(cursor.rest().size());
      return Attribute(b.getFloatAttr(floatType, value));
    }
  } else {
    int64_t value;
    if (!text.getAsInteger(10, value)) {
      cursor.skip(cursor.rest().size());
      return Attribute(b.getIntegerAttr(type, value));
    }
  }
  cursor.error() << "expected a number as default, found '" << text << "'";
  return failure();
}

/// name: role type[dims] domain? align(B)?   |   name: type domain? = default?
static FailureOr<Attribute> parseArgument(Cursor cursor) {
  Cursor start = cursor;
  start.skipSpace();
  StringRef name = cursor.takeWord();
  if (name.empty())
    return cursor.error() << "expected the name of an argument", failure();
  if (!cursor.consume(":"))
    return cursor.error() << "expected ':' after '" << name << "'", failure();
  Role role = Role::Scalar;
  if (cursor.consumeWord("in"))
    role = Role::In;
  else if (cursor.consumeWord("out"))
    role = Role::Out;
  else if (cursor.consumeWord("inout"))
    role = Role::InOut;
  cursor.skipSpace();
  Cursor typeStart = cursor;
  StringRef typeName = cursor.takeWord();
  Type type = parseElementType(cursor.getContext(), typeName);
  if (!type)
    return typeStart.error() << "expected an element type such as f32, found '"
                             << typeName << "'",
           failure();
  ArrayAttr dims;
  if (std::optional<Cursor> inner = cursor.takeBracketed('[', ']')) {
    std::vector<IntExpr> extents;
    if (!inner->atEnd() && failed(parseExprList(*inner, extents)))
      return failure();
    dims = ExprAttr::getArray(cursor.getContext(), extents);
  }
  FailureOr<DomainAttr> domain = parseDomain(cursor);
  if (failed(domain))
    return failure();
  int64_t align = 16;
  if (cursor.consumeWord("align")) {
    std::optional<Cursor> inner = cursor.takeBracketed('(', ')');
    if (!inner || inner->rest().trim().getAsInteger(10, align))
      return (inner ? *inner : cursor).error() << "expected align(<bytes>)",
             failure();
  }
  Attribute defaultValue;
  if (cursor.consume("=")) {
    FailureOr<Attribute> value = parseDefault(cursor, type);
    if (failed(value))
      return failure();
    defaultValue = *value;
  }
  if (!cursor.atEnd())
    return cursor.error() << "unexpected '" << cursor.rest().trim()
                          << "' after argument '" << name << "'",
           failure();
  Attribute result = ArgumentAttr::getChecked(
      [&] { return start.error(); }, cursor.getContext(),
      StringAttr::get(cursor.getContext(), name), role, type, dims, *domain,
      align, defaultValue);
  if (!result)
    return failure();
  return result;
}

static LogicalResult parseKernelLine(Cursor cursor, ContractHeader &header) {
  if (header.name)
    return cursor.error() << "second evo.kernel line in one file";
  cursor.skipSpace();
  header.loc = cursor.getLoc();
  StringRef name = cursor.takeWord();
  if (name.empty())
    return cursor.error() << "expected the name of the kernel";
  std::optional<Cursor> args = cursor.takeBracketed('(', ')');
  if (!args)
    return cursor.error() << "expected '(' arguments ')'";
  if (!cursor.atEnd())
    return cursor.error() << "unexpected '" << cursor.rest().trim()
                          << "' after the arguments";
  header.name = StringAttr::get(cursor.getContext(), name);
  if (!args->atEnd())
    for (Cursor item : args->splitList()) {
      FailureOr<Attribute> arg = parseArgument(item);
      if (failed(arg))
        return failure();
      header.args.push_back(*arg);
    }
  return success();
}

/// What an expression or a tuple of extents stands for: "(M + 1) * 2" also
/// begins with a bracket, so a tuple is bracketed whole, with `dim3` before it
/// or not.
static Cursor unwrapExtents(Cursor cursor) {
  Cursor inside = cursor;
  bool isCall = inside.consumeWord("dim3");
  std::optional<Cursor> inner = inside.takeBracketed('(', ')');
  if (!inner && isCall)
    inner = inside.takeBracketed('{', '}');
  return inner && inside.atEnd() ? *inner : cursor;
}

static LogicalResult parseExtents(Cursor cursor,
                                  std::vector<IntExpr> &extents) {
  Cursor inner = unwrapExtents(cursor);
  if (failed(parseExprList(inner, extents)))
    return failure();
  if (extents.size() > 3)
    return inner.error() << "expected up to three extents, found "
                         << extents.size();
  extents.resize(3, IntExpr::constant(1));
  return success();
}

/// Bytes as host code states them, with sizes of types.
static FailureOr<IntExpr> parseBytes(Cursor cursor) {
  static constexpr std::pair<StringLiteral, unsigned> sizes[] = {
      {"sizeof(float)", 4},        {"sizeof(double)", 8},
      {"sizeof(int)", 4},          {"sizeof(unsigned)", 4},
      {"sizeof(unsigned int)", 4}, {"sizeof(half)", 2},
      {"sizeof(__half)", 2},       {"sizeof(nv_bfloat16)", 2},
      {"sizeof(char)", 1},         {"sizeof(unsigned char)", 1},
      {"sizeof(short)", 2},        {"sizeof(long)", 8},
      {"sizeof(long long)", 8},    {"sizeof(int64_t)", 8},
      {"sizeof(int32_t)", 4},      {"sizeof(uint8_t)", 1},
  };
  std::string text = cursor.rest().str();
  for (const auto &[name, size] : sizes)
    for (size_t at; (at = text.find(name.str())) != std::string::npos;)
      text.replace(at, name.size(), std::to_string(size));
  llvm::Expected<IntExpr> expr = IntExpr::parse(text);
  if (expr)
    return *expr;
  llvm::handleAllErrors(expr.takeError(), [&](const ExprError &e) {
    cursor.error() << e.getMessage();
  });
  return failure();
}

/// cudaMemset(to, value, bytes) or cudaMemcpy(to, from, bytes, kind), with
/// Async behind the name and a stream or not.
static LogicalResult parseStep(Cursor cursor, ContractHeader &header) {
  Location loc = cursor.getLoc();
  StringRef call = cursor.takeWord();
  const bool isCopy = call.starts_with("cudaMemcpy");
  std::optional<Cursor> args = cursor.takeBracketed('(', ')');
  if (!args || !cursor.atEnd())
    return cursor.error() << "expected '" << call << "(' arguments ')'";
  std::vector<Cursor> items = args->splitList();
  if (items.size() < 3 || items.size() > 5)
    return args->error() << "expected "
                         << (isCopy ? "two buffers" : "a buffer, a byte")
                         << " and a number of bytes";
  std::string to = items[0].takeWord().str(), from;
  uint8_t byte = 0;
  if (to.empty() || !items[0].atEnd())
    return items[0].error() << "expected the name of a buffer";
  if (isCopy) {
    from = items[1].takeWord().str();
    if (from.empty() || !items[1].atEnd())
      return items[1].error() << "expected the name of a buffer";
    StringRef kind = items.size() > 3 ? items[3].rest().trim() : "";
    if (!kind.empty() && kind != "cudaMemcpyDeviceToDevice" &&
        kind != "cudaMemcpyDefault")
      return items[3].error()
             << "'" << kind << "' is no copy between buffers of the device, "
             << "expected cudaMemcpyDeviceToDevice";
  } else {
    items[1].skipSpace();
    int64_t value;
    if (items[1].rest().trim().getAsInteger(0, value))
      return items[1].error() << "expected a byte";
    byte = value; // of an int the runtime takes the lowest byte
  }
  FailureOr<IntExpr> bytes = parseBytes(items[2]);
  if (failed(bytes))
    return failure();
  ContractHeader::Launch launch{loc, call.str()};
  launch.step = ContractHeader::Step{to, from, byte, *bytes};
  header.launches.push_back(std::move(launch));
  return success();
}

static bool isStep(Cursor cursor) {
  return llvm::is_contained(
      {"cudaMemset", "cudaMemsetAsync", "cudaMemcpy", "cudaMemcpyAsync"},
      cursor.takeWord());
}

/// kernel<<<grid, block[, sharedBytes]>>>(args)
static LogicalResult parseLaunchLine(Cursor cursor, ContractHeader &header) {
  cursor.skipSpace();
  if (isStep(cursor))
    return parseStep(cursor, header);
  ContractHeader::Launch launch{cursor.getLoc(), ""};
  size_t open = cursor.rest().find("<<<");
  if (open == StringRef::npos)
    return cursor.error() << "expected kernel<<<grid, block>>>(arguments)";
  launch.kernel = cursor.take(open).rest().trim().str();
  if (launch.kernel.empty())
    return cursor.error() << "expected the name of a kernel before '<<<'";
  cursor.skip(3);
  size_t close = cursor.rest().find(">>>");
  if (close == StringRef::npos)
    return cursor.error() << "expected '>>>'";
  Cursor configuration = cursor.take(close);
  cursor.skip(3);
  std::vector<Cursor> parts = configuration.splitList();
  if (parts.size() < 2 || parts.size() > 3)
    return parts[0].error() << "expected grid, block and optionally shared "
                               "bytes, found "
                            << parts.size() << " parts";
  if (failed(parseExtents(parts[0], launch.grid)) ||
      failed(parseExtents(parts[1], launch.block)))
    return failure();
  if (parts.size() == 3) {
    FailureOr<IntExpr> shared = parseExpr(parts[2]);
    if (failed(shared))
      return failure();
    if (shared->getAsConstant() != 0)
      launch.shared = *shared;
  }
  std::optional<Cursor> args = cursor.takeBracketed('(', ')');
  if (!args)
    return cursor.error() << "expected '(' arguments ')'";
  if (!args->atEnd() && failed(parseExprList(*args, launch.args)))
    return failure();
  if (!cursor.atEnd())
    return cursor.error() << "unexpected '" << cursor.rest().trim()
                          << "' after the launch";
  header.launches.push_back(std::move(launch));
  return success();
}

/// M = 4096, N = 4096 weight 2
static LogicalResult parseWorkloadLine(Cursor cursor, ContractHeader &header) {
  Builder b(cursor.getContext());
  Cursor start = cursor;
  NamedAttrList sizes;
  int64_t weight = 1;
  while (true) {
    StringRef name = cursor.takeWord();
    if (name.empty() || !cursor.consume("="))
      return cursor.error() << "expected '<dimension> = <size>'";
    int64_t value;
    Cursor at = cursor;
    if (cursor.takeWord().getAsInteger(10, value))
      return at.error() << "expected a size";
    if (sizes.get(name))
      return at.error() << "'" << name << "' has a size already";
    sizes.append(name, b.getI64IntegerAttr(value));
    if (cursor.consumeWord("weight")) {
      Cursor weightAt = cursor;
      if (cursor.takeWord().getAsInteger(10, weight))
        return weightAt.error() << "expected a weight";
    }
    if (cursor.atEnd())
      break;
    if (!cursor.consume(","))
      return cursor.error() << "expected ',' between sizes";
  }
  Attribute workload = WorkloadAttr::getChecked(
      [&] { return start.error(); }, cursor.getContext(),
      sizes.getDictionary(cursor.getContext()), weight);
  if (!workload)
    return failure();
  header.workloads.push_back(workload);
  return success();
}

static LogicalResult parseRequireLine(Cursor cursor, ContractHeader &header) {
  for (Cursor item : cursor.splitList()) {
    item.skipSpace();
    llvm::Expected<Requirement> requirement = Requirement::parse(item.rest());
    if (!requirement) {
      llvm::handleAllErrors(requirement.takeError(), [&](const ExprError &e) {
        item.error(e.getOffset()) << e.getMessage();
      });
      return failure();
    }
    header.requirements.push_back(
        RequirementAttr::get(item.getContext(), *requirement));
  }
  return success();
}

/// t: f32[4, M]
static LogicalResult parseScratchLine(Cursor cursor, ContractHeader &header) {
  cursor.skipSpace();
  ContractHeader::Scratch scratch{cursor.getLoc(), "", {}, {}};
  scratch.name = cursor.takeWord().str();
  if (scratch.name.empty() || !cursor.consume(":"))
    return cursor.error() << "expected '<name>: <type>[<dims>]'";
  Cursor typeStart = cursor;
  scratch.elementType =
      parseElementType(cursor.getContext(), cursor.takeWord());
  if (!scratch.elementType)
    return typeStart.error() << "expected an element type such as f32";
  std::optional<Cursor> dims = cursor.takeBracketed('[', ']');
  if (!dims || !cursor.atEnd())
    return cursor.error() << "expected '[' dimensions ']'";
  if (!dims->atEnd() && failed(parseExprList(*dims, scratch.dims)))
    return failure();
  header.scratch.push_back(std::move(scratch));
  return success();
}

/// table: in f32[K]   |   inner::table = argument
static LogicalResult parseSymbolLine(Cursor cursor, ContractHeader &header) {
  cursor.skipSpace();
  ContractHeader::Symbol symbol{cursor.getLoc(), "", ""};
  Cursor declaration = cursor;
  do {
    declaration = cursor;
    StringRef name = cursor.takeWord();
    if (name.empty())
      return cursor.error() << "expected the name of a device variable";
    symbol.variable += symbol.variable.empty() ? "" : "::";
    symbol.variable += name;
    symbol.argument = name.str();
  } while (cursor.consume("::"));
  if (cursor.consume("=")) {
    cursor.skipSpace();
    symbol.argument = cursor.takeWord().str();
    if (symbol.argument.empty() || !cursor.atEnd())
      return cursor.error() << "expected the name of an argument";
  } else {
    FailureOr<Attribute> arg = parseArgument(declaration);
    if (failed(arg))
      return failure();
    header.symbolArgs.push_back(*arg);
  }
  header.symbols.push_back(std::move(symbol));
  return success();
}

/// multiply f16 accumulate f32   |   rtol = 1e-2, atol = 1e-3   |
/// norm rtol = 1e-5. A comma between two parts may be left out.
static LogicalResult parseAccuracyLine(Cursor cursor, ContractHeader &header) {
  if (header.accuracy)
    return cursor.error() << "second evo.accuracy line in one file";
  Builder b(cursor.getContext());
  TypeAttr types[2];
  FloatAttr rtol, atol, norm;
  Cursor start = cursor;
  while (!cursor.atEnd()) {
    cursor.skipSpace();
    Cursor at = cursor;
    StringRef word = cursor.takeWord();
    const bool isOfNorm = word == "norm";
    if (isOfNorm) {
      cursor.skipSpace();
      word = cursor.takeWord();
    }
    if (!isOfNorm && (word == "multiply" || word == "accumulate")) {
      // Arithmetic may be of a type that no buffer has.
      StringRef name = cursor.takeWord();
      Type type = name == "tf32" ? FloatTF32Type::get(cursor.getContext())
                                 : parseElementType(cursor.getContext(), name);
      if (!type)
        return at.error() << "expected a type after '" << word << "'";
      types[word == "accumulate"] = TypeAttr::get(type);
    } else if (word == "rtol" || (word == "atol" && !isOfNorm)) {
      double value;
      bool equals = cursor.consume("=");
      cursor.skipSpace();
      StringRef number = cursor.rest().take_until(
          [](char c) { return isspace(c) || c == ','; });
      if (!equals || number.getAsDouble(value))
        return at.error() << "expected '" << word << " = <number>'";
      cursor.skip(number.size());
      FloatAttr &tolerance = isOfNorm ? norm : word == "atol" ? atol : rtol;
      tolerance = b.getF64FloatAttr(value);
    } else {
      return at.error()
             << "expected multiply, accumulate, rtol, atol or norm rtol";
    }
    Cursor comma = cursor;
    if (cursor.consume(",") && cursor.atEnd())
      return comma.error() << "expected another part after ','";
  }
  header.accuracy = AccuracyAttr::getChecked([&] { return start.error(); },
                                             cursor.getContext(), types[0],
                                             types[1], rtol, atol, norm);
  return success(header.accuracy != nullptr);
}

/// maxnreg = 64, codegen = nvrtc
static LogicalResult parseOptionsLine(Cursor cursor, ContractHeader &header) {
  if (header.options)
    return cursor.error() << "second evo.options line in one file";
  Builder b(cursor.getContext());
  header.optionsLoc = cursor.getLoc();
  NamedAttrList options;
  for (Cursor item : cursor.splitList()) {
    item.skipSpace();
    Cursor start = item;
    StringRef key = item.takeWord();
    if (key.empty() || !item.consume("="))
      return start.error() << "expected '<option> = <value>'";
    StringRef value = item.rest().trim();
    int64_t number;
    NamedAttribute option(b.getStringAttr(key),
                          value.getAsInteger(10, number)
                              ? Attribute(b.getStringAttr(value))
                              : b.getI64IntegerAttr(number));
    if (!isCodegenOption(option))
      return start.error() << "there is no option '" << key << "' with the "
                           << "value '" << value << "': known are "
                           << codegenOptionsKnown;
    if (options.get(key))
      return start.error() << "'" << key << "' has a value already";
    options.append(option);
  }
  header.options = options.getDictionary(cursor.getContext());
  return success();
}

FailureOr<ContractHeader> evo::parseContractHeader(MLIRContext *context,
                                                   StringRef text,
                                                   StringRef fileName,
                                                   StringRef leader) {
  ContractHeader header;
  bool ok = true;
  unsigned lineNumber = 0;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++lineNumber;
    line = line.rtrim("\r");
    StringRef body = line.ltrim();
    if (!body.consume_front(leader))
      continue;
    body = body.ltrim();
    if (!body.consume_front("evo."))
      continue;
    unsigned column = body.data() - line.data() + 1;
    Cursor cursor(context, fileName, lineNumber, column, body);
    Cursor start = cursor;
    StringRef kind = cursor.takeWord();
    LogicalResult result = failure();
    if (kind == "kernel")
      result = parseKernelLine(cursor, header);
    else if (kind == "launch")
      result = parseLaunchLine(cursor, header);
    else if (kind == "workload")
      result = parseWorkloadLine(cursor, header);
    else if (kind == "require")
      result = parseRequireLine(cursor, header);
    else if (kind == "scratch")
      result = parseScratchLine(cursor, header);
    else if (kind == "symbol")
      result = parseSymbolLine(cursor, header);
    else if (kind == "accuracy")
      result = parseAccuracyLine(cursor, header);
    else if (kind == "options")
      result = parseOptionsLine(cursor, header);
    else
      start.error() << "unknown header line 'evo." << kind
                    << "', expected kernel, launch, workload, require, "
                       "scratch, symbol, accuracy or options";
    ok &= succeeded(result);
  }
  if (!ok)
    return failure();
  // Behind the others wherever their lines stand.
  header.args.append(header.symbolArgs);
  return header;
}

KernelOp evo::createKernel(OpBuilder &builder, Location loc,
                           const ContractHeader &header) {
  auto kernel = KernelOp::create(
      builder, loc, header.name, builder.getArrayAttr(header.args),
      header.workloads.empty() ? ArrayAttr()
                               : builder.getArrayAttr(header.workloads),
      header.requirements.empty() ? ArrayAttr()
                                  : builder.getArrayAttr(header.requirements),
      header.accuracy, FlatSymbolRefAttr());
  kernel.getBody().emplaceBlock();
  return kernel;
}

void evo::takeOptions(LaunchPlanOpInterface plan,
                      const ContractHeader &header) {
  if (!header.options)
    return;
  NamedAttrList options(header.options);
  if (DictionaryAttr own = plan.getOptionsAttr())
    for (NamedAttribute option : own)
      options.set(option.getName(), option.getValue());
  DictionaryAttr all = options.getDictionary(plan.getContext());
  if (auto variant = dyn_cast<VariantOp>(plan.getOperation()))
    variant.setOptionsAttr(all);
  else
    cast<ReferenceOp>(plan.getOperation()).setOptionsAttr(all);
}

void evo::createPlan(OpBuilder &builder, const ContractHeader &header,
                     StringRef deviceModule, ArrayRef<std::string> symbols) {
  MLIRContext *context = builder.getContext();
  takeOptions(
      cast<LaunchPlanOpInterface>(builder.getInsertionBlock()->getParentOp()),
      header);
  for (const ContractHeader::Scratch &scratch : header.scratch)
    ScratchOp::create(builder, scratch.loc, builder.getStringAttr(scratch.name),
                      TypeAttr::get(scratch.elementType),
                      ExprAttr::getArray(context, scratch.dims));
  for (auto [launch, symbol] : llvm::zip_equal(header.launches, symbols)) {
    auto kernel = SymbolRefAttr::get(builder.getStringAttr(deviceModule),
                                     FlatSymbolRefAttr::get(context, symbol));
    LaunchOp::create(
        builder, launch.loc, kernel, ExprAttr::getArray(context, launch.grid),
        ExprAttr::getArray(context, launch.block),
        launch.shared ? ExprAttr::get(context, *launch.shared) : ExprAttr(),
        ExprAttr::getArray(context, launch.args));
  }
}
