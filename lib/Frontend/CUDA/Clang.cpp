// From text to a module with Clang's code generator. Kernels named by launch
// lines are found through one device variable a launch, appended to the source:
// its initialiser instantiates the template and names the symbol, with Clang's
// own overload resolution and Clang's own error where that fails.
#include "ClangJob.h"
#include "CompilerMacros.h"
#include "DraftContracts.h"
#include "EmptyBraces.h"
#include "HostBodies.h"
#include "HostSymbols.h"
#include "InitialValues.h"
#include "OwnText.h"
#include "evo/Frontend/CUDAHeaders.h"
#include "evo/Support/Demangle.h"
#include "mlir/IR/Diagnostics.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include <set>

using namespace mlir;

/// What we declare for each launch line is called, with a number behind.
static constexpr StringLiteral launchVariablePrefix = "evo_launch_kernel_";

namespace {

/// Turns Clang's diagnostics into MLIR's.
class DiagnosticBridge : public clang::DiagnosticConsumer,
                         public evo::BrokenHostFunctions {
public:
  DiagnosticBridge(MLIRContext *context, bool confined)
      : context(context), confined(confined) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level == clang::DiagnosticsEngine::Note && isAboutError)
      return addPlace(info); // who asked for what is wrong
    isAboutError = level >= clang::DiagnosticsEngine::Error;
    if (!isAboutError)
      return; // warnings of the user's code are the user's compiler's business
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    if (std::optional<size_t> launch =
            info.getID() == clang::diag::err_auto_var_deduction_failure
                ? getLaunch(info)
                : std::nullopt) {
      overloaded.insert(*launch);
      text = "the name of the kernel is that of other functions, too, of a "
             "header for one, so that it names none of them: give the kernel "
             "another name";
    }
    if (info.getID() == clang::diag::err_pp_file_not_found) {
      if (!confined)
        text += " (-I names more folders to look for it in)";
      else
        text += " (a candidate reaches the headers of CUDA, Clang, C and C++ "
                "and those of folders given with -I)";
    }
    errors.push_back({UnknownLoc::get(context), text.str().str(), {}, {}});
    addPlace(info);
  }

  std::vector<std::vector<clang::SourceLocation>> getErrors() const override {
    std::vector<std::vector<clang::SourceLocation>> places;
    for (const Error &error : errors)
      places.push_back(error.places);
    return places;
  }
  void isIn(unsigned error,
            const evo::HostFunctions::value_type &host) override {
    errors[error].host.emplace(host);
  }

  /// Launches whose kernel has the name of other functions, too.
  const std::set<size_t> &getOverloaded() const { return overloaded; }

  /// The host functions in which errors are.
  evo::HostFunctions getBrokenHosts() const {
    evo::HostFunctions hosts;
    for (const Error &error : errors)
      if (error.host)
        hosts.insert(*error.host);
    return hosts;
  }
  bool isAllOfHosts() const {
    return llvm::all_of(
        errors, [](const Error &error) { return error.host.has_value(); });
  }
  /// Hands them on: not before it is clear that nothing else helps.
  void emit() {
    constexpr size_t enough = 20;
    for (const Error &error : ArrayRef(errors).take_front(enough))
      emitError(error.loc) << error.text;
  }
  /// Says of each host function, and of what is wrong elsewhere, once, that it
  /// is passed over.
  void warn() {
    llvm::StringSet<> said;
    for (const Error &error : errors) {
      std::string name = error.host ? error.host->second : "";
      if (!said.insert(name).second)
        continue;
      InFlightDiagnostic diag = emitWarning(error.loc);
      if (error.host)
        diag << "host function '" << name << "' is passed over: " << error.text;
      else
        diag << "host code is passed over: " << error.text;
      diag.attachNote(error.loc) << "kernels that it alone instantiates are "
                                    "missing, as is what it sets";
    }
  }

private:
  struct Error {
    Location loc;
    std::string text;
    std::vector<clang::SourceLocation> places;
    std::optional<evo::HostFunctions::value_type> host;
  };
  MLIRContext *context;
  bool confined;
  bool isAboutError = false;
  std::vector<Error> errors;
  std::set<size_t> overloaded;

  /// The launch for which we declared what it is about; none where its user
  /// did.
  static std::optional<size_t> getLaunch(const clang::Diagnostic &info) {
    using Engine = clang::DiagnosticsEngine;
    if (info.getNumArgs() == 0)
      return std::nullopt;
    clang::DeclarationName name;
    if (info.getArgKind(0) == Engine::ak_nameddecl)
      name = llvm::bit_cast<const clang::NamedDecl *>(info.getRawArg(0))
                 ->getDeclName();
    else if (info.getArgKind(0) == Engine::ak_declarationname)
      name = clang::DeclarationName::getFromOpaqueInteger(info.getRawArg(0));
    StringRef text = name && name.isIdentifier()
                         ? name.getAsIdentifierInfo()->getName()
                         : StringRef();
    size_t launch;
    if (!text.consume_front(launchVariablePrefix) ||
        text.getAsInteger(10, launch))
      return std::nullopt;
    return launch;
  }

  void addPlace(const clang::Diagnostic &info) {
    if (!info.hasSourceManager() || info.getLocation().isInvalid())
      return;
    Error &error = errors.back();
    error.places.push_back(info.getLocation());
    if (!isa<UnknownLoc>(error.loc))
      return;
    // What this tool puts before a file is none of its user's: who uses it is
    // where the fault is, or who includes it.
    const clang::SourceManager &sources = info.getSourceManager();
    clang::PresumedLoc at = sources.getPresumedLoc(info.getLocation());
    while (at.isValid() && evo::isOwnFile(at.getFilename()) &&
           at.getIncludeLoc().isValid())
      at = sources.getPresumedLoc(at.getIncludeLoc());
    if (at.isValid() && !evo::isOwnFile(at.getFilename()))
      error.loc = FileLineColLoc::get(context, at.getFilename(), at.getLine(),
                                      at.getColumn());
  }
};

} // namespace

/// The precompiled headers' place among the files of a run.
static constexpr StringLiteral precompiledName = "/evo/cuda_headers.pch";

static std::string launchVariable(size_t index) {
  return launchVariablePrefix.str() + std::to_string(index);
}
static std::string symbolVariable(size_t index) {
  return "evo_symbol_" + std::to_string(index);
}

/// Launches in `overloaded` get no variable.
static std::string withVariables(StringRef source,
                                 ArrayRef<evo::CUDALaunchName> launches,
                                 ArrayRef<evo::CUDALaunchName> variables,
                                 const std::set<size_t> &overloaded) {
  std::string text = source.str();
  // The spelling stands where it does in the header line, so that what Clang
  // says of it points there; and so does what it says of the variable.
  auto append = [&](const std::string &name, const evo::CUDALaunchName &what,
                    StringRef prefix) {
    const std::string place = "\n#line " + std::to_string(what.line) + " \"" +
                              what.file + "\"\n" +
                              std::string(what.column - 1, ' ');
    text += "\nextern \"C\" { __device__ auto *" + place + name + " =" +
            prefix.str() + place + what.spelling + "; }";
  };
  for (auto [index, launch] : llvm::enumerate(launches))
    if (!overloaded.count(index))
      append(launchVariable(index), launch, "");
  for (auto [index, variable] : llvm::enumerate(variables))
    append(symbolVariable(index), variable, " &");
  return text + "\n";
}

/// What the variable `name` of ours points to; the variable is gone.
static llvm::GlobalValue *takePointee(llvm::Module &module, StringRef name) {
  llvm::GlobalVariable *variable = module.getGlobalVariable(name, true);
  if (!variable || !variable->hasInitializer())
    return nullptr;
  auto *pointee = dyn_cast<llvm::GlobalValue>(
      variable->getInitializer()->stripPointerCasts());
  // An entry of llvm.compiler.used may still name the variable.
  variable->replaceAllUsesWith(
      llvm::ConstantPointerNull::get(variable->getType()));
  variable->eraseFromParent();
  return pointee;
}

/// The kernel of that name; null where there is none or more than one.
static llvm::Function *findKernelNamed(llvm::Module &module, StringRef name) {
  llvm::Function *found = nullptr;
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    const std::optional<std::string> own =
        evo::demangleFunction(function.getName());
    if ((own ? StringRef(*own) : function.getName()) != name)
      continue;
    if (found)
      return nullptr;
    found = &function;
  }
  return found;
}

/// Removes the marks by which this run of Clang alone would find the source of
/// inline assembly again.
static void dropSourceCookies(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &inst : llvm::instructions(function))
      inst.setMetadata("srcloc", nullptr);
}

namespace {
/// Code generation of files that state no gigantic tables.
class BoundedCodeGenAction : public clang::EmitLLVMOnlyAction {
public:
  BoundedCodeGenAction(llvm::LLVMContext &context, const evo::HostBodies &hosts,
                       evo::BrokenHostFunctions &errors, bool wantsDrafts)
      : EmitLLVMOnlyAction(&context), hosts(hosts), errors(errors),
        wantsDrafts(wantsDrafts) {}
  std::vector<evo::CUDAHostSymbol> hostSymbols;
  std::vector<evo::CUDADraft> drafts;
  evo::OwnText own;

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    StringRef file) override {
    auto consumer = EmitLLVMOnlyAction::CreateASTConsumer(compiler, file);
    consumer =
        evo::collectHostSymbols(compiler, hostSymbols, std::move(consumer));
    if (wantsDrafts)
      consumer = evo::draftContracts(compiler, hostSymbols, drafts,
                                     std::move(consumer));
    consumer = evo::readOwnText(compiler, own, std::move(consumer));
    consumer = evo::boundInitialValues(compiler, std::move(consumer));
    consumer =
        evo::findBrokenHostFunctions(compiler, errors, std::move(consumer));
    consumer = evo::preferMoveOfPairs(std::move(consumer));
    return evo::passOverHostBodies(hosts, std::move(consumer));
  }

private:
  const evo::HostBodies &hosts;
  evo::BrokenHostFunctions &errors;
  bool wantsDrafts;
};

/// What all runs of the front end for one text have in common.
struct Job {
  llvm::LLVMContext &llvmContext;
  StringRef text, fileName;
  const evo::CUDAOptions &options;
  bool wantsDrafts;
};
} // namespace

/// One run of the front end; its module is null where it failed. `own` is what
/// the file itself says, where it did not.
static evo::CUDAModule runClang(const Job &job, const evo::CUDAHeaders *headers,
                                const evo::HostBodies &hosts,
                                DiagnosticBridge &bridge, evo::OwnText &own) {
  evo::ClangFiles files;
  files.add(job.fileName, job.text);
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files.all, diagnosticOptions, &bridge, /*ShouldOwnClient=*/false);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      evo::createClangInvocation(job.fileName, job.options, files,
                                 *diagnostics);
  if (!invocation)
    return {};
  // Those that the command line asks for.
  clang::ProcessWarningOptions(*diagnostics, invocation->getDiagnosticOpts(),
                               *files.all);
  invocation->getFrontendOpts().SkipFunctionBodies =
      hosts.areAllPassedOver || !hosts.passedOver.empty();
  if (headers) {
    files.add(precompiledName, headers->getBytes());
    invocation->getPreprocessorOpts().ImplicitPCHInclude =
        precompiledName.str();
  }
  auto visible = files.visibleTo(*invocation, job.options);
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(visible);
  compiler.setDiagnostics(diagnostics);
  compiler.createFileManager();
  BoundedCodeGenAction action(job.llvmContext, hosts, bridge, job.wantsDrafts);
  bool ok = compiler.ExecuteAction(action);
  evo::CUDAModule result;
  result.module = action.takeModule();
  if (!ok || diagnostics->hasErrorOccurred())
    return {};
  if (result.module)
    dropSourceCookies(*result.module);
  result.hostSymbols = std::move(action.hostSymbols);
  result.drafts = std::move(action.drafts);
  own = std::move(action.own);
  return result;
}

/// Runs the front end until what is wrong in bodies of host functions, or in
/// the libraries that they call, is passed over: it is no matter of the
/// device's. Bodies without faults are parsed, since they instantiate kernels.
/// `said` has the errors of the first run.
static evo::CUDAModule runPastHostErrors(const Job &job,
                                         const evo::CUDAHeaders *headers,
                                         MLIRContext *context,
                                         DiagnosticBridge &said,
                                         evo::OwnText &own) {
  // One more where a body that was passed over leaves another in the lurch.
  constexpr unsigned maxRuns = 3;
  evo::HostBodies hosts;
  evo::CUDAModule result = runClang(job, headers, hosts, said, own);
  hosts.passedOver = said.getBrokenHosts();
  bool isOfHosts = said.isAllOfHosts();
  for (unsigned run = 1; !result.module && isOfHosts && run < maxRuns; ++run) {
    DiagnosticBridge bridge(context, job.options.confined);
    result = runClang(job, headers, hosts, bridge, own);
    isOfHosts = bridge.isAllOfHosts();
    hosts.passedOver.merge(bridge.getBrokenHosts());
  }
  if (result.module)
    return result;
  hosts.areAllPassedOver = true;
  DiagnosticBridge bridge(context, job.options.confined);
  return runClang(job, headers, hosts, bridge, own);
}

/// Refuses a text that is not its user's own and that others would make another
/// program of than what is judged; of others, says why NVRTC would.
static LogicalResult checkSameForAll(MLIRContext *context, StringRef text,
                                     StringRef fileName,
                                     const evo::CUDAOptions &options,
                                     const evo::OwnText &own,
                                     evo::CUDAModule &result) {
  auto at = [&](unsigned line, unsigned column) {
    return FileLineColLoc::get(context, fileName, line, column);
  };
  if (options.confined)
    for (const evo::OwnText::Refusal &refusal : own.refusals)
      return emitError(at(refusal.line, refusal.column)) << refusal.text;
  std::optional<evo::CompilerChoice> choice = evo::findCompilerChoice(
      text, fileName, options, own,
      options.confined ? evo::OtherCompilers::All : evo::OtherCompilers::NVRTC);
  if (!choice)
    return success();
  if (!options.confined) {
    result.whyNotNVRTC = "'" + choice->name + "' at " + fileName.str() + ":" +
                         std::to_string(choice->line);
    return success();
  }
  return emitError(at(choice->line, choice->column))
         << "'" << choice->name
         << "' chooses code: another compiler, or another day, would make "
            "another program of the text than the one that is judged";
}

FailureOr<evo::CUDAModule>
evo::compileCUDA(MLIRContext *context, llvm::LLVMContext &llvmContext,
                 StringRef source, StringRef fileName,
                 ArrayRef<CUDALaunchName> launches,
                 ArrayRef<CUDALaunchName> variables, const CUDAOptions &options,
                 const CUDAHeaders *headers) {
  std::set<size_t> overloaded;
  CUDAModule result;
  std::unique_ptr<llvm::Module> &module = result.module;
  OwnText own;
  std::unique_ptr<CUDAHeaders> kept;
  if (!headers) {
    kept = CUDAHeaders::find(options);
    headers = kept.get();
  }
  auto runWithout = [&](const std::set<size_t> &named,
                        const CUDAHeaders *headers, DiagnosticBridge &bridge) {
    const std::string text = withVariables(source, launches, variables, named);
    const Job job{llvmContext, text, fileName, options,
                  launches.empty() && !options.confined};
    return runPastHostErrors(job, headers, context, bridge, own);
  };
  bool usedHeaders = headers && headers->serve(options);
  // What fails with precompiled headers is judged without them: a header that
  // has changed since is no fault of the text, and the messages are Clang's
  // own.
  auto attempt = [&](const CUDAHeaders *headers) {
    DiagnosticBridge bridge(context, options.confined);
    result = runWithout({}, headers, bridge);
    // CUDA's headers have a `norm`, which no launch can mean: a kernel is
    // looked for among kernels where its name alone names none.
    if (!module && !bridge.getOverloaded().empty()) {
      DiagnosticBridge again(context, options.confined);
      CUDAModule other = runWithout(bridge.getOverloaded(), headers, again);
      if (other.module &&
          llvm::all_of(bridge.getOverloaded(), [&](size_t launch) {
            return findKernelNamed(*other.module, launches[launch].spelling);
          })) {
        overloaded = bridge.getOverloaded();
        result = std::move(other);
        if (!options.confined)
          again.warn();
        return;
      }
    }
    if (module && !options.confined)
      bridge.warn();
    if (module || (headers && options.doubtsHeaders))
      return;
    bridge.emit();
    if (bridge.getNumErrors() == 0)
      emitError(FileLineColLoc::get(context, fileName, 1, 1))
          << "the CUDA compiler produced no code"; // unreachable: it says why
  };
  if (usedHeaders)
    attempt(headers);
  if (!module) {
    bool wereUseless = usedHeaders;
    usedHeaders = false;
    if (!wereUseless || options.doubtsHeaders)
      attempt(nullptr);
    if (!module)
      return failure();
    if (wereUseless)
      headers->forget();
  }

  if (!launches.empty() &&
      failed(checkSameForAll(context, source, fileName, options, own, result)))
    return failure();
  result.usedHeaders = usedHeaders;
  auto placeOf = [&](const CUDALaunchName &name) {
    return FileLineColLoc::get(context, name.file, name.line, name.column);
  };
  for (auto [index, launch] : llvm::enumerate(launches)) {
    auto *kernel = overloaded.count(index)
                       ? findKernelNamed(*module, launch.spelling)
                       : dyn_cast_or_null<llvm::Function>(
                             takePointee(*module, launchVariable(index)));
    if (!kernel || kernel->getCallingConv() != llvm::CallingConv::PTX_Kernel)
      return emitError(placeOf(launch))
                 << "'" << launch.spelling << "' is no __global__ function",
             failure();
    result.launchSymbols.push_back(kernel->getName().str());
  }
  for (auto [index, variable] : llvm::enumerate(variables)) {
    auto *global = dyn_cast_or_null<llvm::GlobalVariable>(
        takePointee(*module, symbolVariable(index)));
    if (!global)
      return emitError(placeOf(variable)) << "'" << variable.spelling
                                          << "' is no variable of the device",
             failure();
    result.variableSymbols.push_back(global->getName().str());
  }
  for (StringRef used : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *list = module->getGlobalVariable(used, true))
      list->eraseFromParent();
  return result;
}
