// Goes through the bodies of host functions once the file is parsed, those of
// instantiated templates included: each launch there names a kernel with its
// template arguments, its extents and what it is given.
#include "DraftContracts.h"
#include "HostCalls.h"
#include "HostFlow.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;
using namespace evo;

static const ValueDecl *refereeOf(const Expr *expr) {
  const auto *name = dyn_cast<DeclRefExpr>(expr->IgnoreParenCasts());
  return name ? name->getDecl() : nullptr;
}

namespace {
/// What a kernel does with its parameters and with variables of the device.
class KernelBody : public DynamicRecursiveASTVisitor {
public:
  llvm::DenseMap<const ValueDecl *, unsigned> uses, writes;

  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    ++uses[name->getDecl()];
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->getOpcode() != BO_Assign)
      return true;
    const Expr *place = op->getLHS()->IgnoreParenImpCasts();
    const Expr *base = nullptr;
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(place))
      base = element->getBase();
    if (const auto *deref = dyn_cast<UnaryOperator>(place))
      base = deref->getSubExpr();
    if (const ValueDecl *decl = base ? refereeOf(base) : nullptr)
      ++writes[decl];
    return true;
  }
  bool isOnlyWritten(const ValueDecl *decl) const {
    return writes.lookup(decl) > 0 && writes.lookup(decl) == uses.lookup(decl);
  }
};

/// The launches of one host function, in order, with what it allocates before.
class HostBody : public HostFlow {
public:
  HostBody(ASTContext &context, FunctionDecl *function, const HostCalls &calls,
           const std::vector<CUDAHostSymbol> &symbols, llvm::StringSet<> &seen,
           std::vector<CUDADraft> &drafts)
      : HostFlow(context, function->getBody()), function(function),
        calls(calls), symbols(symbols), seen(seen), drafts(drafts) {}

protected:
  void visitCall(const CallExpr *call) override;

private:
  const FunctionDecl *function;
  const HostCalls &calls;
  const std::vector<CUDAHostSymbol> &symbols;
  llvm::StringSet<> &seen;
  std::vector<CUDADraft> &drafts;
  std::vector<std::pair<const ValueDecl *, std::string>> steps;

  void draft(const CUDAKernelCallExpr &launch);
};

} // namespace

/// Buffers that are passed twice are one argument.
static CUDADraft::Argument &argumentOf(CUDADraft &draft,
                                       const std::string &name) {
  for (CUDADraft::Argument &argument : draft.arguments)
    if (argument.name == name)
      return argument;
  draft.arguments.emplace_back().name = name;
  return draft.arguments.back();
}

/// The contract's name of a type, and its bytes; none: "?".
static std::pair<std::string, unsigned> elementType(const ASTContext &context,
                                                    QualType type) {
  unsigned bytes =
      type->isIncompleteType()
          ? 1
          : unsigned(context.getTypeSizeInChars(type).getQuantity());
  if (const auto *record = type->getAsCXXRecordDecl()) {
    std::string name =
        llvm::StringSwitch<std::string>(record->getName().ltrim('_'))
            .Cases({"half", "Half", "half2"}, "f16")
            .Cases({"nv_bfloat16", "BFloat16", "nv_bfloat162"}, "bf16")
            .Cases({"float2", "float3", "float4"}, "f32")
            .Cases({"double2", "double3", "double4"}, "f64")
            .Cases({"int2", "int3", "int4"}, "i32")
            .Cases({"uint2", "uint3", "uint4"}, "u32")
            .Default("?");
    return {name, bytes};
  }
  const auto *builtin = type.getCanonicalType()->getAs<BuiltinType>();
  if (!builtin)
    return {"?", bytes};
  if (builtin->isBooleanType())
    return {"i1", bytes};
  std::string width = std::to_string(bytes * 8);
  if (builtin->isInteger())
    return {(builtin->isUnsignedInteger() ? "u" : "i") + width, bytes};
  return {builtin->isFloatingPoint() ? "f" + width : "?", bytes};
}

void HostBody::visitCall(const CallExpr *call) {
  if (const auto *launch = dyn_cast<CUDAKernelCallExpr>(call)) {
    draft(*launch);
    return;
  }
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee || !callee->getIdentifier())
    return;
  StringRef name = callee->getName();
  if ((name == "cudaMalloc" || name == "cudaMallocManaged" ||
       name == "cudaMallocAsync") &&
      call->getNumArgs() >= 2) {
    const Expr *place = call->getArg(0)->IgnoreParenCasts();
    if (const auto *address = dyn_cast<UnaryOperator>(place))
      if (const ValueDecl *buffer = refereeOf(address->getSubExpr()))
        expressions.allocate(buffer, call->getArg(1));
  }
  if ((name == "cudaMemset" || name == "cudaMemsetAsync") &&
      call->getNumArgs() >= 3)
    if (const ValueDecl *buffer = HostExpressions::buffer(call->getArg(0))) {
      auto value = expressions.integer(call->getArg(1));
      auto bytes = expressions.integer(call->getArg(2));
      steps.emplace_back(buffer, "cudaMemset(" + buffer->getNameAsString() +
                                     ", " + value.value_or("?") + ", " +
                                     bytes.value_or("?") + ")");
    }
}

/// As header lines name it. Nobody can write the name of an unnamed namespace.
static std::string spellingOf(const ASTContext &context,
                              const FunctionDecl &kernel) {
  std::string spelling;
  llvm::raw_string_ostream os(spelling);
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.SuppressUnwrittenScope = true;
  kernel.getNameForDiagnostic(os, policy, /*Qualified=*/true);
  return spelling;
}

/// Adds the variables that the host sets and `body` uses.
static void addSymbols(CUDADraft &draft, const KernelBody &body,
                       const std::vector<CUDAHostSymbol> &symbols) {
  for (const CUDAHostSymbol &symbol : symbols)
    for (const auto &[decl, count] : body.uses)
      if (isa<VarDecl>(decl) && !symbol.declaration.empty() &&
          cast<VarDecl>(decl)->hasGlobalStorage() &&
          decl->getQualifiedNameAsString() == symbol.spelling &&
          !llvm::is_contained(draft.symbols, symbol.declaration))
        draft.symbols.push_back(symbol.declaration);
}

static KernelBody readBody(const FunctionDecl &kernel) {
  KernelBody body;
  if (const FunctionDecl *definition = kernel.getDefinition())
    body.TraverseStmt(definition->getBody());
  return body;
}

/// Of a kernel that nothing in the file launches: its signature.
static CUDADraft draftAlone(const ASTContext &context,
                            const FunctionDecl &kernel,
                            const std::vector<CUDAHostSymbol> &symbols) {
  CUDADraft draft;
  draft.isLaunched = false;
  draft.kernel = spellingOf(context, kernel);
  KernelBody body = readBody(kernel);
  for (const ParmVarDecl *param : kernel.parameters()) {
    std::string name = param->getNameAsString();
    QualType type = param->getType();
    draft.passed.push_back(name);
    if (type->isIntegralOrEnumerationType()) {
      draft.numbers.emplace_back(name, elementType(context, type).first);
      continue;
    }
    CUDADraft::Argument &argument = argumentOf(draft, name);
    argument.isBuffer = type->isPointerType();
    if (!argument.isBuffer) {
      argument.element = elementType(context, type).first;
      continue;
    }
    QualType element = type->getPointeeType();
    argument.element = elementType(context, element).first;
    argument.isWritten = !element.isConstQualified();
    argument.isRead = !argument.isWritten || !body.isOnlyWritten(param);
    argument.dims = std::string("?");
  }
  addSymbols(draft, body, symbols);
  draft.grid = draft.block = "?";
  draft.shared = "0";
  return draft;
}

/// Says where it is; false where no line of a file says it.
static bool locate(CUDADraft &draft, const SourceManager &sources,
                   clang::SourceLocation loc) {
  PresumedLoc place = sources.getPresumedLoc(loc);
  if (place.isInvalid())
    return false;
  draft.file = place.getFilename();
  draft.line = place.getLine();
  draft.column = place.getColumn();
  return true;
}

void HostBody::draft(const CUDAKernelCallExpr &launch) {
  const FunctionDecl *kernel = launch.getDirectCallee();
  if (!kernel || kernel->isDependentContext())
    return;
  CUDADraft draft;
  draft.kernel = spellingOf(context, *kernel);
  if (!seen.insert(draft.kernel).second)
    return;
  KernelBody body = readBody(*kernel);
  const FunctionDecl *defined =
      kernel->getDefinition() ? kernel->getDefinition() : kernel;

  expressions.assumed.clear();
  // Numbers first: they may name sizes of buffers that come before them.
  for (const Expr *arg : launch.arguments())
    if (arg->getType()->isIntegralOrEnumerationType()) {
      if (auto size = expressions.nameSize(arg))
        draft.values.insert(*size);
      (void)expressions.integer(arg);
    }
  // So may what was checked of them.
  const std::vector<std::string> here = requirements();
  const CallExpr *config = launch.getConfig();
  draft.grid = expressions.extents(config->getArg(0)).value_or("?");
  draft.block = expressions.extents(config->getArg(1)).value_or("?");
  draft.shared =
      config->getNumArgs() > 2 && !isa<CXXDefaultArgExpr>(config->getArg(2))
          ? expressions.integer(config->getArg(2)).value_or("?")
          : "0";
  for (unsigned i = 0; i < launch.getNumArgs() && i < kernel->getNumParams();
       ++i) {
    const Expr *arg = expressions.takenOf(launch.getArg(i));
    const ParmVarDecl *param = defined->getParamDecl(i);
    QualType type = param->getType();
    if (!type->isPointerType()) {
      std::optional<std::string> text;
      if (type->isIntegralOrEnumerationType())
        text = expressions.integer(arg);
      if (!text) {
        const ValueDecl *decl = refereeOf(arg);
        text = decl ? decl->getNameAsString() : param->getNameAsString();
        argumentOf(draft, *text).element = elementType(context, type).first;
      } else if (type->isIntegralOrEnumerationType())
        draft.numbers.emplace_back(*text, elementType(context, type).first);
      draft.passed.push_back(*text);
      continue;
    }
    if (arg->isNullPointerConstant(context, Expr::NPC_ValueDependentIsNull)) {
      draft.passed.push_back("0");
      continue;
    }
    const ValueDecl *buffer = HostExpressions::buffer(arg);
    std::string name = (buffer ? buffer : param)->getNameAsString();
    auto [element, bytes] = elementType(context, type->getPointeeType());
    CUDADraft::Argument &argument = argumentOf(draft, name);
    const bool isConst = type->getPointeeType().isConstQualified();
    const bool isSet = buffer && HostExpressions::isZeroed(buffer);
    argument.isBuffer = true;
    argument.isRead |= isConst || (!body.isOnlyWritten(param) && !isSet);
    argument.isWritten |= !isConst;
    argument.element = element;
    argument.dims = buffer ? expressions.dims(buffer, bytes) : "?";
    draft.passed.push_back(name);
    if (isSet && !isConst)
      argument.zeroed = bytes;
    for (const auto &[set, text] : steps)
      if (set == buffer)
        draft.steps.push_back(text);
  }
  addSymbols(draft, body, symbols);
  for (const std::vector<std::string> &known :
       {calls.conditionsOf(function, expressions), here, expressions.assumed})
    for (const std::string &text : known)
      if (!llvm::is_contained(draft.conditions, text))
        draft.conditions.push_back(text);
  if (locate(draft, context.getSourceManager(), launch.getBeginLoc()))
    drafts.push_back(std::move(draft));
}

namespace {
/// Each host function that is no pattern of others.
class HostFunctionVisitor : public DynamicRecursiveASTVisitor {
public:
  HostFunctionVisitor(ASTContext &context,
                      const std::vector<CUDAHostSymbol> &symbols,
                      std::vector<CUDADraft> &drafts)
      : context(context), symbols(symbols), drafts(drafts) {
    ShouldVisitTemplateInstantiations = true;
  }
  void draftLaunches() {
    HostCalls calls;
    // Callers stand behind what they call.
    for (FunctionDecl *function : llvm::reverse(hosts))
      calls.read(context, function);
    for (FunctionDecl *function : hosts)
      HostBody(context, function, calls, symbols, seen, drafts).walk();
  }
  /// Kernels that nothing was seen to launch.
  void draftOthers() {
    for (const FunctionDecl *kernel : kernels) {
      CUDADraft draft = draftAlone(context, *kernel, symbols);
      if (seen.insert(draft.kernel).second &&
          locate(draft, context.getSourceManager(), kernel->getLocation()))
        drafts.push_back(std::move(draft));
    }
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->hasAttr<CUDAGlobalAttr>() &&
        !function->isDependentContext() &&
        function->isThisDeclarationADefinition())
      kernels.push_back(function);
    if (function->doesThisDeclarationHaveABody() &&
        !function->isDependentContext() &&
        !function->hasAttr<CUDADeviceAttr>() &&
        !function->hasAttr<CUDAGlobalAttr>())
      hosts.push_back(function);
    return true;
  }

private:
  ASTContext &context;
  const std::vector<CUDAHostSymbol> &symbols;
  std::vector<CUDADraft> &drafts;
  llvm::StringSet<> seen;
  std::vector<const FunctionDecl *> kernels;
  std::vector<FunctionDecl *> hosts;
};

class Drafts : public ASTConsumer {
public:
  Drafts(CompilerInstance &compiler, const std::vector<CUDAHostSymbol> &symbols,
         std::vector<CUDADraft> &drafts)
      : compiler(compiler), symbols(symbols), drafts(drafts) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    decls.insert(decls.end(), group.begin(), group.end());
    return true;
  }
  void HandleTranslationUnit(ASTContext &context) override {
    if (compiler.getDiagnostics().hasErrorOccurred())
      return;
    HostFunctionVisitor visitor(context, symbols, drafts);
    for (Decl *decl : decls)
      if (!context.getSourceManager().isInSystemHeader(decl->getLocation()))
        visitor.TraverseDecl(decl);
    visitor.draftLaunches();
    visitor.draftOthers();
  }

private:
  CompilerInstance &compiler;
  const std::vector<CUDAHostSymbol> &symbols;
  std::vector<CUDADraft> &drafts;
  std::vector<Decl *> decls;
};
} // namespace

std::unique_ptr<ASTConsumer> evo::draftContracts(
    CompilerInstance &compiler, const std::vector<CUDAHostSymbol> &symbols,
    std::vector<CUDADraft> &drafts, std::unique_ptr<ASTConsumer> rest) {
  std::vector<std::unique_ptr<ASTConsumer>> consumers;
  consumers.push_back(std::make_unique<Drafts>(compiler, symbols, drafts));
  consumers.push_back(std::move(rest));
  return std::make_unique<MultiplexConsumer>(std::move(consumers));
}
