// LLVM's parser and verifier in front of the importer. The parser ends the
// process over an invalid module that carries debug information, so such text
// is first read and verified without it.
#include "ReadLLVMIR.h"
#include "evo/Target/Triple.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/AsmParser/AsmParserContext.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace evo;

namespace {
class Reader {
public:
  Reader(MLIRContext *context, StringRef fileName, const FloatLiterals &text)
      : context(context), fileName(fileName), text(text) {}

  /// Parses `source`, a form of the text that keeps its lines and columns.
  std::unique_ptr<llvm::Module> parse(llvm::LLVMContext &llvmContext,
                                      StringRef source,
                                      llvm::AsmParserContext &places) const;
  LogicalResult verify(const llvm::Module &module,
                       const llvm::AsmParserContext &places) const;
  InFlightDiagnostic error(unsigned line, unsigned column) const {
    return emitError(FileLineColLoc::get(context, fileName, line,
                                         text.getOriginalColumn(line, column)));
  }

private:
  MLIRContext *context;
  StringRef fileName;
  const FloatLiterals &text;
};
} // namespace

std::unique_ptr<llvm::Module>
Reader::parse(llvm::LLVMContext &llvmContext, StringRef source,
              llvm::AsmParserContext &places) const {
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(source, problem, llvmContext, nullptr, &places);
  if (!module)
    error(std::max(problem.getLineNo(), 1),
          std::max(problem.getColumnNo() + 1, 1))
        << problem.getMessage();
  return module;
}

LogicalResult Reader::verify(const llvm::Module &module,
                             const llvm::AsmParserContext &places) const {
  std::string message;
  llvm::raw_string_ostream os(message);
  for (const llvm::Function &function : module) {
    if (!llvm::verifyFunction(function, &os))
      continue;
    auto place = places.getFunctionLocation(&function);
    return error(place ? place->Start.Line + 1 : 1,
                 place ? place->Start.Col + 1 : 1)
           << "invalid function '" << function.getName()
           << "': " << StringRef(message).rtrim();
  }
  if (llvm::verifyModule(module, &os))
    return error(1, 1) << "invalid module: " << StringRef(message).rtrim();
  return success();
}

/// Gives each instruction the place where it is written.
static void addDebugLocations(llvm::Module &module, StringRef fileName,
                              const llvm::AsmParserContext &places) {
  llvm::DIBuilder builder(module);
  llvm::DIFile *file =
      builder.createFile(llvm::sys::path::filename(fileName), ".");
  builder.createCompileUnit(
      llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), file, "evo",
      /*isOptimized=*/true, "", 0, "",
      llvm::DICompileUnit::DebugEmissionKind::LineTablesOnly);
  llvm::DISubroutineType *type =
      builder.createSubroutineType(builder.getOrCreateTypeArray({}));
  for (llvm::Function &function : module) {
    auto start = places.getFunctionLocation(&function);
    if (function.isDeclaration() || !start)
      continue;
    unsigned line = start->Start.Line + 1;
    llvm::DISubprogram *scope = builder.createFunction(
        file, function.getName(), function.getName(), file, line, type, line,
        llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
    function.setSubprogram(scope);
    for (llvm::Instruction &inst : llvm::instructions(function))
      if (auto place = places.getInstructionLocation(&inst))
        inst.setDebugLoc(llvm::DILocation::get(module.getContext(),
                                               place->Start.Line + 1,
                                               place->Start.Col + 1, scope));
  }
  builder.finalize();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                       llvm::DEBUG_METADATA_VERSION);
}

/// `text` with the flag that announces debug information misspelt, so that the
/// parser drops all of it.
static std::string withoutDebugInfo(StringRef text) {
  constexpr StringLiteral flag = "\"Debug Info Version\"";
  std::string result = text.str();
  for (size_t at = 0; (at = result.find(flag, at)) != std::string::npos;)
    result[at + 1] = 'd';
  return result;
}

FailureOr<std::unique_ptr<llvm::Module>>
evo::readLLVMIR(MLIRContext *context, llvm::LLVMContext &llvmContext,
                StringRef source, StringRef fileName) {
  FloatLiterals text(source);
  Reader reader(context, fileName, text);
  // data format: LLVM IR
  if (text.getText().contains("\"Debug Info Version\"")) {
    llvm::LLVMContext scratch;
    // That debug information is dropped is no news to the user.
    scratch.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *, void *) {});
    llvm::AsmParserContext places;
    std::unique_ptr<llvm::Module> bare =
        reader.parse(scratch, withoutDebugInfo(text.getText()), places);
    if (!bare || failed(reader.verify(*bare, places)))
      return failure();
  }
  llvm::AsmParserContext places;
  std::unique_ptr<llvm::Module> module =
      reader.parse(llvmContext, text.getText(), places);
  if (!module || failed(reader.verify(*module, places)))
    return failure();
  const llvm::Triple &triple = module->getTargetTriple();
  if (!triple.str().empty() && !triple.isNVPTX()) {
    // data format: LLVM IR
    size_t at = text.getText().find("target triple");
    unsigned line = 1 + text.getText().take_front(at).count('\n');
    return reader.error(line, 1) << "code for '" << triple.str()
                                 << "', expected target " << target::triple,
           failure();
  }
  if (module->debug_compile_units().empty())
    addDebugLocations(*module, fileName, places);
  return module;
}
