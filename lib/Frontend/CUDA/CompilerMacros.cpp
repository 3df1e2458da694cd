// The text is preprocessed again with the macros of other compilers, which hold
// in the text and not in its headers, and its tokens are compared. A file that
// names none of these macros, and pastes no names together, is not.
#include "CompilerMacros.h"
#include "ClangJob.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace evo;
using llvm::StringLiteral;
using llvm::StringRef;

namespace {
enum class Macro {
  OfClang,     ///< nobody else has it
  OfNvcc,      ///< nvcc alone has it, as 1
  OfNvrtc,     ///< NVRTC alone has it, as 1
  OfNvidia,    ///< both have it, as 1
  Version,     ///< a number, of the toolkit
  HostVersion, ///< a number, of nvcc's host compiler and of Clang's disguise
  Text,        ///< a string: of the file, the time or the compiler
  Number,      ///< a number that hangs on what stands before it
};
struct KnownMacro {
  StringLiteral name;
  Macro kind;
};
} // namespace

static constexpr KnownMacro knownMacros[] = {
    {"__clang__", Macro::OfClang},
    {"__clang_major__", Macro::OfClang},
    {"__clang_minor__", Macro::OfClang},
    {"__clang_patchlevel__", Macro::OfClang},
    {"__clang_version__", Macro::OfClang},
    {"__clang_cuda_runtime_wrapper_h__", Macro::OfClang},
    {"__CLANG_CUDA_RUNTIME_WRAPPER_H__", Macro::OfClang},
    {"__llvm__", Macro::OfClang},
    {"__CUDA__", Macro::OfClang},
    {"__NVPTX__", Macro::OfClang},
    {"__nvptx__", Macro::OfClang},
    {"__nvptx64__", Macro::OfClang},
    {"__PTX__", Macro::OfClang},
    {"__CUDA_FTZ", Macro::OfClang},
    {"__CUDA_PREC_DIV", Macro::OfClang},
    {"__has_builtin", Macro::OfClang},
    {"__has_constexpr_builtin", Macro::OfClang},
    {"__has_feature", Macro::OfClang},
    {"__has_extension", Macro::OfClang},
    {"__has_warning", Macro::OfClang},
    {"__has_declspec_attribute", Macro::OfClang},
    {"__is_identifier", Macro::OfClang},
    {"__has_attribute", Macro::OfClang},
    {"__NVCC__", Macro::OfNvcc},
    {"__CUDACC_RELAXED_CONSTEXPR__", Macro::OfNvcc},
    {"__CUDACC_EXTENDED_LAMBDA__", Macro::OfNvcc},
    {"__CUDACC_RTC__", Macro::OfNvrtc},
    {"__CUDACC_RTC_INT128__", Macro::OfNvrtc},
    {"__EDG__", Macro::OfNvidia},
    {"__CUDACC_RDC__", Macro::OfNvidia},
    {"__CUDACC_EWP__", Macro::OfNvidia},
    {"__CUDACC_DEBUG__", Macro::OfNvidia},
    {"__NVCC_DIAG_PRAGMA_SUPPORT__", Macro::OfNvidia},
    {"__CUDACC_VER__", Macro::Version},
    {"__CUDACC_VER_MAJOR__", Macro::Version},
    {"__CUDACC_VER_MINOR__", Macro::Version},
    {"__CUDACC_VER_BUILD__", Macro::Version},
    {"__EDG_VERSION__", Macro::Version},
    {"__GNUC__", Macro::HostVersion},
    {"__GNUG__", Macro::HostVersion},
    {"__GNUC_MINOR__", Macro::HostVersion},
    {"__GNUC_PATCHLEVEL__", Macro::HostVersion},
    {"__VERSION__", Macro::Text},
    {"__DATE__", Macro::Text},
    {"__TIME__", Macro::Text},
    {"__TIMESTAMP__", Macro::Text},
    {"__FILE__", Macro::Text},
    {"__FILE_NAME__", Macro::Text},
    {"__BASE_FILE__", Macro::Text},
    {"__COUNTER__", Macro::Number},
    {"__INCLUDE_LEVEL__", Macro::Number},
};
/// Words of the language that say the same, and cannot be defined otherwise.
static constexpr StringLiteral knownWords[] = {
    "__builtin_FILE", "__builtin_FILE_NAME", "__builtin_source_location",
    "__builtin_FUNCSIG", "__PRETTY_FUNCTION__"};

namespace {
/// What the known macros are in a text.
struct World {
  bool isNvcc = false, isNvrtc = false;
  unsigned version = 0;         ///< of the toolkit; 0: not said
  bool isSomewhereElse = false; ///< another file, at another time

  /// What `macro` is: no value where it is not defined, nothing where it is
  /// what it is for Clang.
  std::optional<std::string> valueOf(const KnownMacro &macro,
                                     bool &changes) const {
    auto defined = [](bool is) {
      return is ? std::optional<std::string>("1") : std::nullopt;
    };
    changes = isNvcc || isNvrtc;
    switch (macro.kind) {
    case Macro::OfClang:
      return std::nullopt;
    case Macro::OfNvcc:
      return defined(isNvcc);
    case Macro::OfNvrtc:
      return defined(isNvrtc);
    case Macro::OfNvidia:
      return defined(true);
    case Macro::Version:
      return std::to_string(version);
    case Macro::HostVersion:
      changes &= isNvcc;
      return std::to_string(version);
    case Macro::Text:
      changes = isSomewhereElse;
      return "\"elsewhere, later\"";
    case Macro::Number:
      changes = isSomewhereElse;
      return "1234567";
    }
    llvm_unreachable("a kind of macro");
  }
};

/// Lists what the text asks for.
using Asked = llvm::MapVector<StringRef, unsigned>; ///< names, first offsets

/// Whether a place, of a macro's name, is the text's own: it stands there, or
/// was pasted together on its way.
bool isOwn(const clang::SourceManager &sources, clang::SourceLocation at) {
  return sources.isInMainFile(sources.getExpansionLoc(at)) &&
         (sources.isInMainFile(sources.getSpellingLoc(at)) ||
          sources.isWrittenInScratchSpace(sources.getSpellingLoc(at)));
}

/// Sets the macros of `world` where the text is read, and puts those of Clang
/// back where headers are.
class InOwnText : public clang::PPCallbacks {
public:
  InOwnText(clang::Preprocessor &pp, const World &world,
            const llvm::StringSet<> &only, Asked &asked)
      : pp(pp), asked(asked) {
    for (const KnownMacro &macro : knownMacros) {
      names[macro.name] = macro.name;
      if (!only.empty() && !only.contains(macro.name))
        continue;
      bool changes = false;
      std::optional<std::string> value = world.valueOf(macro, changes);
      if (changes)
        replaced.push_back({pp.getIdentifierInfo(macro.name), value, nullptr});
    }
  }

  void FileChanged(clang::SourceLocation at, FileChangeReason reason,
                   clang::SrcMgr::CharacteristicKind, clang::FileID) override {
    if (reason != EnterFile && reason != ExitFile)
      return;
    const clang::SourceManager &sources = pp.getSourceManager();
    const bool is = sources.getFileID(sources.getExpansionLoc(at)) ==
                    sources.getMainFileID();
    if (std::exchange(isInside, is) == is)
      return;
    for (Replaced &macro : replaced) {
      clang::MacroInfo *now = pp.getMacroInfo(macro.name);
      if (is && !macro.wasSet)
        set(macro.name, make(macro.value));
      else
        set(macro.name, macro.other);
      macro.wasSet |= is;
      macro.other = now;
    }
  }

  void Defined(const clang::Token &name, const clang::MacroDefinition &,
               clang::SourceRange) override {
    ask(name);
  }
  void Ifdef(clang::SourceLocation, const clang::Token &name,
             const clang::MacroDefinition &) override {
    ask(name);
  }
  void Ifndef(clang::SourceLocation, const clang::Token &name,
              const clang::MacroDefinition &) override {
    ask(name);
  }
  using clang::PPCallbacks::Elifdef;
  using clang::PPCallbacks::Elifndef;
  void Elifdef(clang::SourceLocation, const clang::Token &name,
               const clang::MacroDefinition &) override {
    ask(name);
  }
  void Elifndef(clang::SourceLocation, const clang::Token &name,
                const clang::MacroDefinition &) override {
    ask(name);
  }
  void MacroExpands(const clang::Token &name, const clang::MacroDefinition &,
                    clang::SourceRange, const clang::MacroArgs *) override {
    ask(name);
  }

private:
  struct Replaced {
    clang::IdentifierInfo *name;
    std::optional<std::string> value;
    clang::MacroInfo *other; ///< what holds where we are not
    bool wasSet = false;
  };
  clang::Preprocessor &pp;
  Asked &asked;
  llvm::StringMap<StringRef> names;
  std::vector<Replaced> replaced;
  bool isInside = false;

  void ask(const clang::Token &token) {
    const clang::SourceManager &sources = pp.getSourceManager();
    if (!token.getIdentifierInfo() || !isOwn(sources, token.getLocation()))
      return;
    auto known = names.find(token.getIdentifierInfo()->getName());
    if (known != names.end())
      asked.insert(
          {known->second,
           sources.getDecomposedExpansionLoc(token.getLocation()).second});
  }

  clang::MacroInfo *make(const std::optional<std::string> &value) {
    if (!value)
      return nullptr;
    clang::MacroInfo *info = pp.AllocateMacroInfo(place());
    clang::Token token;
    token.startToken();
    token.setKind(value->front() == '"' ? clang::tok::string_literal
                                        : clang::tok::numeric_constant);
    pp.CreateString(*value, token);
    info->setTokens({token}, pp.getPreprocessorAllocator());
    return info;
  }

  /// A place to have been defined at: some valid one is asked for.
  clang::SourceLocation place() const {
    const clang::SourceManager &sources = pp.getSourceManager();
    return sources.getLocForStartOfFile(sources.getMainFileID());
  }

  void set(clang::IdentifierInfo *name, clang::MacroInfo *info) {
    if (info)
      pp.appendMacroDirective(name,
                              new (pp.getPreprocessorAllocator())
                                  clang::DefMacroDirective(info, place()));
    else if (pp.getMacroInfo(name))
      pp.appendMacroDirective(name, new (pp.getPreprocessorAllocator())
                                        clang::UndefMacroDirective(place()));
  }
};

/// A pragma that changes what arithmetic means, for Clang alone.
class ArithmeticPragma : public clang::PragmaHandler {
public:
  ArithmeticPragma(StringRef name, StringRef words, Asked &found)
      : PragmaHandler(name), words(words), found(found) {}
  void HandlePragma(clang::Preprocessor &pp, clang::PragmaIntroducer introducer,
                    clang::Token &) override {
    const clang::SourceManager &sources = pp.getSourceManager();
    if (sources.isInMainFile(sources.getExpansionLoc(introducer.Loc)))
      found.insert(
          {words, sources.getDecomposedExpansionLoc(introducer.Loc).second});
  }

private:
  StringRef words;
  Asked &found;
};

struct OwnTokens {
  std::vector<std::string> tokens;
  Asked asked, pragmas;
};

/// Collects the tokens of the text itself, those that it names macros of
/// headers for included.
class CollectTokens : public clang::PreprocessorFrontendAction {
public:
  CollectTokens(const World &world, const llvm::StringSet<> &only,
                const OwnText &own, OwnTokens &out)
      : world(world), only(only), own(own), printed(own.printed), out(out) {}

protected:
  void ExecuteAction() override {
    clang::Preprocessor &pp = getCompilerInstance().getPreprocessor();
    pp.addPPCallbacks(std::make_unique<InOwnText>(pp, world, only, out.asked));
    using Handler = ArithmeticPragma;
    // The preprocessor owns them.
    pp.AddPragmaHandler("clang",
                        new Handler("fp", "#pragma clang fp", out.pragmas));
    pp.AddPragmaHandler("STDC",
                        new Handler("FP_CONTRACT", "FP_CONTRACT", out.pragmas));
    pp.AddPragmaHandler("STDC",
                        new Handler("FENV_ROUND", "FENV_ROUND", out.pragmas));
    pp.AddPragmaHandler(
        new Handler("float_control", "#pragma float_control", out.pragmas));
    pp.AddPragmaHandler(
        new Handler("fp_contract", "#pragma fp_contract", out.pragmas));
    pp.EnterMainSourceFile();
    clang::Token token;
    for (pp.Lex(token); token.isNot(clang::tok::eof); pp.Lex(token))
      if (!token.isAnnotation())
        add(pp, token);
  }

private:
  const World &world;
  const llvm::StringSet<> &only;
  const OwnText &own;
  std::map<std::pair<unsigned, unsigned>, unsigned> printed;
  OwnTokens &out;

  void add(clang::Preprocessor &pp, const clang::Token &token) {
    const clang::SourceManager &sources = pp.getSourceManager();
    clang::SourceLocation at = token.getLocation();
    auto [file, offset] = sources.getDecomposedExpansionLoc(at);
    if (file != sources.getMainFileID() || own.isInHostBody(offset))
      return;
    std::string spelling = pp.getSpelling(token);
    clang::SourceLocation name =
        at.isMacroID() ? sources.getImmediateExpansionRange(at).getBegin() : at;
    // What a macro of a header says of itself is the header's.
    if (at.isMacroID() &&
        sources.isWrittenInScratchSpace(sources.getSpellingLoc(at)) &&
        !isOwn(sources, name))
      return;
    const bool isWord = llvm::is_contained(knownWords, spelling);
    auto found =
        printed.find({offset, sources.getDecomposedSpellingLoc(name).second});
    if ((clang::tok::isStringLiteral(token.getKind()) || isWord) &&
        found != printed.end() && found->second > 0) {
      --found->second;
      return;
    }
    if (isWord && isOwn(sources, at))
      out.pragmas.insert({*llvm::find(knownWords, spelling), offset});
    out.tokens.push_back(std::move(spelling));
  }
};
} // namespace

static OwnTokens preprocess(StringRef text, StringRef fileName,
                            const CUDAOptions &options, const OwnText &own,
                            const World &world,
                            const llvm::StringSet<> &only = {}) {
  ClangFiles files;
  files.add(fileName, text);
  clang::DiagnosticOptions diagnosticOptions;
  clang::IgnoringDiagConsumer quiet; // errors are what differs, too
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files.all, diagnosticOptions, &quiet, /*ShouldOwnClient=*/false);
  OwnTokens out;
  std::shared_ptr<clang::CompilerInvocation> invocation =
      createClangInvocation(fileName, options, files, *diagnostics);
  if (!invocation)
    return out;
  auto visible = files.visibleTo(*invocation, options);
  clang::CompilerInstance compiler(std::move(invocation));
  compiler.setVirtualFileSystem(visible);
  compiler.setDiagnostics(diagnostics);
  compiler.createFileManager();
  CollectTokens action(world, only, own, out);
  compiler.ExecuteAction(action);
  return out;
}

/// Whether the text has a word that may make a difference.
static bool mayChoose(StringRef source) {
  llvm::StringSet<> words({"pragma", "_Pragma"});
  for (const KnownMacro &macro : knownMacros)
    words.insert(macro.name);
  for (StringRef word : knownWords)
    words.insert(word);
  clang::LangOptions language;
  language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus17 = true;
  language.RawStringLiterals = language.LineComment = language.Digraphs = true;
  std::string text = source.str(); // the lexer wants a zero at the end
  clang::Lexer lexer(clang::SourceLocation(), language, text.data(),
                     text.data(), text.data() + text.size());
  clang::Token token;
  bool isPragma = false;
  auto isIn = [&](std::initializer_list<StringRef> some) {
    return llvm::is_contained(some, token.getRawIdentifier());
  };
  while (!lexer.LexFromRawLexer(token)) {
    if (token.is(clang::tok::hashhash))
      return true;
    if (token.isNot(clang::tok::raw_identifier))
      continue;
    // A name over two lines is none that the table would have.
    if (token.needsCleaning())
      return true;
    if (std::exchange(isPragma, isIn({"pragma"})) &&
        isIn({"clang", "STDC", "float_control", "fp_contract"}))
      return true;
    if (!isIn({"pragma"}) && words.contains(token.getRawIdentifier()))
      return true;
  }
  return false;
}

static CompilerChoice choiceAt(StringRef text, StringRef name,
                               unsigned offset) {
  StringRef before = text.take_front(offset);
  const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  return {name.str(), unsigned(before.count('\n') + 1),
          unsigned(offset - lineStart + 1)};
}

std::optional<CompilerChoice>
evo::findCompilerChoice(StringRef text, StringRef fileName,
                        const CUDAOptions &options, const OwnText &own,
                        OtherCompilers others) {
  if (!mayChoose(text))
    return std::nullopt;
  const OwnTokens here = preprocess(text, fileName, options, own, World());
  if (!here.pragmas.empty())
    return choiceAt(text, here.pragmas.front().first,
                    here.pragmas.front().second);
  // Numbers of versions are small, those of today, and large ones.
  constexpr unsigned old = 1, today = 13, late = 9999;
  std::vector<World> worlds{{false, true, today}};
  if (others == OtherCompilers::All)
    worlds = {{true, false, today}, {true, false, old},
              {true, false, late},  {false, true, today},
              {false, true, late},  {false, false, 0, true}};
  for (const World &world : worlds) {
    OwnTokens there = preprocess(text, fileName, options, own, world);
    if (!there.pragmas.empty())
      return choiceAt(text, there.pragmas.front().first,
                      there.pragmas.front().second);
    if (there.tokens == here.tokens)
      continue;
    // Both sides ask: which branch is read hangs on what was asked before.
    Asked asked = here.asked;
    for (const auto &[name, offset] : there.asked)
      asked.insert({name, offset});
    constexpr unsigned max = 6; // each is a run of the preprocessor
    if (asked.size() > 1 && asked.size() <= max)
      for (const auto &[name, offset] : asked) {
        llvm::StringSet<> only;
        only.insert(name);
        if (preprocess(text, fileName, options, own, world, only).tokens !=
            here.tokens)
          return choiceAt(text, name, offset);
      }
    if (!asked.empty())
      return choiceAt(text, asked.front().first, asked.front().second);
    return choiceAt(text, "the compiler", 0);
  }
  return std::nullopt;
}
