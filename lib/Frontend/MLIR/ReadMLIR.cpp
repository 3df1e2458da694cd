// Parsing with whatever notes a front end left in the file.
#include "ReadMLIR.h"
#include "evo/Interfaces/Faults.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace evo;

/// Whether upstream, or this project, knows what the attribute means.
static bool isKnown(NamedAttribute attr, MLIRContext *context) {
  auto [dialect, name] = attr.getName().getValue().split('.');
  return name.empty() || context->getLoadedDialect(dialect);
}

/// Drops what other dialects noted on arguments or results.
static ArrayAttr dropForeign(ArrayAttr lists, MLIRContext *context) {
  SmallVector<Attribute> result;
  for (Attribute list : lists) {
    SmallVector<NamedAttribute> kept;
    for (NamedAttribute attr : cast<DictionaryAttr>(list))
      if (isKnown(attr, context))
        kept.push_back(attr);
    result.push_back(DictionaryAttr::get(context, kept));
  }
  return ArrayAttr::get(context, result);
}

static LogicalResult sanitize(ModuleOp module) {
  MLIRContext *context = module.getContext();
  bool ok = true;
  module.walk([&](Operation *op) {
    if (!op->isRegistered()) {
      markFault(op->emitError(), FaultKind::Unsupported)
          << "operation '" << op->getName()
          << "' is not of a dialect that is known here; have the "
             "front end lower it to linalg, arith, math and tensor";
      ok = false;
    }
    SmallVector<StringAttr> foreign;
    for (NamedAttribute attr : op->getDiscardableAttrs())
      if (!isKnown(attr, context))
        foreign.push_back(attr.getName());
    for (StringAttr name : foreign)
      op->removeDiscardableAttr(name);
    if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      if (ArrayAttr lists = function.getArgAttrsAttr())
        function.setArgAttrsAttr(dropForeign(lists, context));
      if (ArrayAttr lists = function.getResAttrsAttr())
        function.setResAttrsAttr(dropForeign(lists, context));
    }
  });
  return success(ok);
}

/// What a front end takes for granted is no part of what is computed: for
/// arguments with which an assertion fails the function promises nothing.
static void eraseAssertions(ModuleOp module) {
  SmallVector<cf::AssertOp> assertions;
  module.walk([&](cf::AssertOp op) { assertions.push_back(op); });
  for (cf::AssertOp op : assertions)
    op.erase();
}

/// Whether an error of the parser is at an operation of a dialect that is not
/// known here, in that dialect's own form, which only it can read: the text may
/// well be right.
static bool namesUnknownDialect(StringRef source, Diagnostic &diag) {
  auto place = dyn_cast<FileLineColLoc>(diag.getLocation());
  if (!place || place.getLine() == 0 || place.getColumn() == 0)
    return false;
  for (unsigned line = 1; line < place.getLine(); ++line)
    source = source.split('\n').second;
  StringRef word = source.split('\n').first.drop_front(
      std::min<size_t>(place.getColumn() - 1, source.split('\n').first.size()));
  word = word.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  auto [dialect, operation] = word.split('.');
  return !dialect.empty() && !operation.empty() &&
         !llvm::isDigit(dialect.front()) &&
         !diag.getLocation().getContext()->getLoadedDialect(dialect);
}

FailureOr<OwningOpRef<ModuleOp>>
evo::readMLIR(MLIRContext *context, StringRef source, StringRef fileName) {
  bool allowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true);
  OwnDiagnosticHandler ofUnknownDialects(context, [&](Diagnostic &diag) {
    if (namesUnknownDialect(source, diag))
      markFault(diag, FaultKind::Unsupported);
    return failure(); // it is for others
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(source, context, fileName);
  context->allowUnregisteredDialects(allowed);
  if (!module || failed(sanitize(*module)) || failed(convertScans(*module)) ||
      failed(verify(module->getOperation())))
    return failure();
  eraseAssertions(*module);
  squarePowers(*module);
  return module;
}
