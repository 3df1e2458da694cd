// Diagnostics as text and as JSON: {"event": "diagnostic", "severity": "error",
// "file": ..., "line": ..., "column": ..., "message": ...}. Without a place in
// a file its three keys are left out.
#include "Diagnostics.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace evo;

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("unknown severity");
}

static llvm::json::Object describe(StringRef severity, StringRef message) {
  return llvm::json::Object{{"event", "diagnostic"},
                            {"severity", severity},
                            {"message", llvm::json::fixUTF8(message)}};
}

static llvm::json::Object describe(Diagnostic &diag) {
  llvm::json::Object object =
      describe(severityName(diag.getSeverity()), diag.str());
  if (auto place = diag.getLocation()->findInstanceOf<FileLineColLoc>()) {
    object["file"] = llvm::json::fixUTF8(place.getFilename().getValue());
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
  }
  llvm::json::Array notes;
  for (Diagnostic &note : diag.getNotes())
    notes.push_back(describe(note));
  if (!notes.empty())
    object["notes"] = std::move(notes);
  return object;
}

static void printLine(llvm::json::Object object) {
  llvm::outs() << llvm::json::Value(std::move(object)) << '\n';
}

static void printText(StringRef severity, StringRef message) {
  llvm::errs() << "evo-opt: " << severity << ": " << message << '\n';
}

DiagnosticReporter::DiagnosticReporter(MLIRContext &context, bool json)
    : text(sources, &context), special(&context, [json](Diagnostic &diag) {
        if (json) {
          printLine(describe(diag));
          return success();
        }
        // Of the command line, say: no file has a line that could be shown.
        if (diag.getLocation()->findInstanceOf<FileLineColLoc>())
          return failure();
        printText(severityName(diag.getSeverity()), diag.str());
        return success();
      }) {
  context.printOpOnDiagnostic(false);
}

void evo::reportError(bool json, StringRef message) {
  if (json)
    printLine(describe("error", message));
  else
    printText("error", message);
}

void evo::reportWarning(const VerbOptions &options, StringRef message) {
  if (options.json)
    printLine(describe("warning", message));
  else
    printText("warning", message);
}

void evo::reportFault(const VerbOptions &options, StringRef message,
                      FaultKind fault, Stage stage) {
  if (!options.json)
    return printText("error", message);
  llvm::json::Object object = describe("error", message);
  object["fault"] = faultName(fault);
  object["stage"] = stringifyStage(stage);
  printLine(std::move(object));
}
