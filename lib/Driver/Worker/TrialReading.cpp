// The child says each error as a line of JSON, at once: it may be its last.
#include "TrialReading.h"
#include "Driver/Diagnostics.h"
#include "evo/Support/Isolation.h"
#include "evo/Support/JSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

static std::string describe(Diagnostic &diagnostic) {
  llvm::json::Object object{{"message", llvm::json::fixUTF8(diagnostic.str())}};
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    object["file"] = llvm::json::fixUTF8(place.getFilename().getValue());
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
  }
  return llvm::formatv("{0}\n", llvm::json::Value(std::move(object))).str();
}

/// Says here what the child has said; false: nothing.
static bool emitAgain(MLIRContext &context, StringRef lines) {
  bool any = false;
  for (StringRef line : llvm::split(lines, '\n')) {
    llvm::Expected<llvm::json::Value> value = evo::parseJSON(line);
    const llvm::json::Object *said = value ? value->getAsObject() : nullptr;
    if (said) {
      Location loc = UnknownLoc::get(&context);
      if (auto file = said->getString("file"))
        loc = FileLineColLoc::get(&context, *file,
                                  said->getInteger("line").value_or(0),
                                  said->getInteger("column").value_or(0));
      emitError(loc) << said->getString("message").value_or("");
      any = true;
    }
    if (!value) // the last one's beginning
      llvm::consumeError(value.takeError());
  }
  return any;
}

ExitCode evo::tryReading(MLIRContext &context, StringRef path,
                         const VerbOptions &options,
                         llvm::function_ref<void()> read) {
  llvm::Expected<IsolatedResult> result = runIsolated(
      [&](int descriptor) {
        llvm::remove_fatal_error_handler(); // it answers in the verb's name
        ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            writeAll(descriptor, describe(diagnostic));
          return success();
        });
        read();
        return 0;
      },
      IsolationLimits());
  if (!result) // the machine has no room for a child: be it read here
    return llvm::consumeError(result.takeError()), Done;
  if (!result->fault())
    return Done;
  if (emitAgain(context, result->output))
    return WrongInput;
  reportError(options, "cannot read '" + path.str() +
                           "': its reader died: " + result->describe() +
                           ": this is a defect of the tool or of a compiler "
                           "that it uses: please report it with the file");
  return Infrastructure;
}
