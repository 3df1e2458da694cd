// Precompilation of an empty CUDA file: what is left is what Clang and this
// tool put before every file.
#include "evo/Frontend/CUDAHeaders.h"
#include "ClangJob.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/ModuleCache.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace evo;

namespace {
/// Notes what headers ask for.
struct Asked {
  std::string identifiers = "\n";
  std::set<std::string> files;
};

/// Notes the files, found or not.
class AskedFiles : public clang::PPCallbacks {
public:
  explicit AskedFiles(Asked &asked) : asked(asked) {}
  void InclusionDirective(clang::SourceLocation, const clang::Token &,
                          llvm::StringRef name, bool, clang::CharSourceRange,
                          clang::OptionalFileEntryRef, llvm::StringRef,
                          llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    asked.files.insert(name.str());
  }
  void HasInclude(clang::SourceLocation, llvm::StringRef name, bool,
                  clang::OptionalFileEntryRef,
                  clang::SrcMgr::CharacteristicKind) override {
    asked.files.insert(name.str());
  }

private:
  Asked &asked;
};

/// Leaves out the lists of declarations of which Clang asks something at the
/// end of each file, for it reads all of them to do so: which may be called
/// from where they must not be (headers that do so are not parsed, and what a
/// file instantiates is in that file's own list), and which nobody uses.
class Generator : public clang::PCHGenerator {
public:
  template <class... Args>
  explicit Generator(Asked &asked, Args &&...args)
      : PCHGenerator(std::forward<Args>(args)...), asked(asked) {}
  void InitializeSema(clang::Sema &toUse) override {
    sema = &toUse;
    PCHGenerator::InitializeSema(toUse);
  }
  void HandleTranslationUnit(clang::ASTContext &context) override {
    sema->DeclsToCheckForDeferredDiags.clear();
    sema->UnusedFileScopedDecls = {};
    // Whatever a macro could stand for was looked up here, those too that are
    // pasted together or asked for by #ifdef; what is skipped asks nothing.
    for (const auto &identifier :
         sema->getPreprocessor().getIdentifierTable()) {
      asked.identifiers += identifier.getKey();
      asked.identifiers += '\n';
    }
    PCHGenerator::HandleTranslationUnit(context);
  }

private:
  Asked &asked;
  clang::Sema *sema = nullptr;
};

/// As Clang's own action for precompiled headers, without a file at its end.
class PrecompileAction : public clang::ASTFrontendAction {
public:
  PrecompileAction(std::shared_ptr<clang::PCHBuffer> buffer, Asked &asked)
      : buffer(std::move(buffer)), asked(asked) {}

  clang::TranslationUnitKind getTranslationUnitKind() override {
    return clang::TU_Prefix;
  }
  bool hasASTFileSupport() const override { return false; }
  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    // Once, instead of at the end of each file.
    compiler.getLangOpts().PCHInstantiateTemplates = true;
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<AskedFiles>(asked));
    return true;
  }
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &compiler,
                    llvm::StringRef) override {
    return std::make_unique<Generator>(
        asked, compiler.getPreprocessor(), compiler.getModuleCache(),
        /*OutputFile=*/"", /*isysroot=*/"", buffer, compiler.getCodeGenOpts(),
        compiler.getFrontendOpts().ModuleFileExtensions);
  }

private:
  std::shared_ptr<clang::PCHBuffer> buffer;
  Asked &asked;
};
} // namespace

/// Whether a list, of which each line is one of them, has a name.
static bool lists(llvm::StringRef list, llvm::StringRef name) {
  return list.contains(("\n" + name + "\n").str());
}

CUDAOptions CUDAHeaders::withoutParticulars(CUDAOptions options) {
  options.defines.clear();
  options.includeDirectories.clear();
  return options;
}

bool CUDAHeaders::serve(const CUDAOptions &other) const {
  if (other == options)
    return true;
  if (!(withoutParticulars(other) == options) || identifiers.empty())
    return false;
  for (llvm::StringRef define : other.defines)
    if (lists(identifiers,
              define.take_until([](char c) { return c == '=' || c == '('; })))
      return false;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(files).split(names, '\n', /*MaxSplit=*/-1,
                               /*KeepEmpty=*/false);
  for (const std::string &folder : other.includeDirectories)
    for (llvm::StringRef name : names) {
      llvm::SmallString<256> path(folder);
      llvm::sys::path::append(path, name);
      if (llvm::sys::fs::access(path, llvm::sys::fs::AccessMode::Exist) !=
          std::errc::no_such_file_or_directory)
        return false;
    }
  return true;
}

std::unique_ptr<CUDAHeaders>
CUDAHeaders::parseAnew(const CUDAOptions &options) {
  ClangFiles files;
  clang::IgnoringDiagConsumer quiet;
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files.all, diagnosticOptions, &quiet, /*ShouldOwnClient=*/false);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      createClangInvocation(emptyCUDAName, options, files, *diagnostics);
  if (!invocation)
    return nullptr;
  auto visible = files.visibleTo(*invocation, options);
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(visible);
  compiler.setDiagnostics(diagnostics);
  compiler.createFileManager();
  auto buffer = std::make_shared<clang::PCHBuffer>();
  Asked asked;
  PrecompileAction action(buffer, asked);
  if (!compiler.ExecuteAction(action) || diagnostics->hasErrorOccurred() ||
      !buffer->IsComplete)
    return nullptr;
  auto headers = std::make_unique<CUDAHeaders>();
  headers->options = options;
  headers->bytes.assign(buffer->Data.begin(), buffer->Data.end());
  headers->identifiers = std::move(asked.identifiers);
  for (const std::string &file : asked.files)
    headers->files += file + '\n';
  return headers;
}
