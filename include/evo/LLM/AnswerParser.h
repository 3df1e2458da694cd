// Candidates out of a model's answer. Models are asked for one form and answer
// in many: a JSON object, the same inside a fence or after chatter, fenced code
// under headings, fences within fences. This parser takes what is clear and
// says precisely what is not, in words that go back to the model in one repair
// request. It never completes or guesses code: an answer that was cut off is an
// error.
#ifndef EVO_LLM_ANSWERPARSER_H
#define EVO_LLM_ANSWERPARSER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evo::llm {

/// What a candidate is written in.
enum class GenomeLanguage {
  CUDA,     ///< CUDA C++ with `// evo.` header lines
  Schedule, ///< a transform-dialect sequence, or values for its knobs alone
  MLIR,     ///< a device program in upstream dialects
  Options,  ///< options for the kernel as it is, no code
};

/// "cuda", "schedule", "mlir", "options".
llvm::StringRef languageName(GenomeLanguage language);
std::optional<GenomeLanguage> languageFromName(llvm::StringRef name);

struct ParsedCandidate {
  GenomeLanguage language = GenomeLanguage::CUDA;
  /// [A-Za-z0-9_.-]+, at most 48 characters, unique within one answer.
  std::string name;
  std::string rationale;
  /// UTF-8 without NUL and carriage returns; empty for Options, and for a
  /// Schedule that only sets knobs.
  std::string code;
  std::map<std::string, std::string> options;
};

struct ParsedAnswer {
  std::vector<ParsedCandidate> candidates; // never empty
  /// What was left out, and why; a candidate that was dropped, for example.
  std::vector<std::string> problems;
};

struct AnswerLimits {
  size_t maxAnswerBytes = 4u << 20;
  size_t maxCodeBytes = 256u << 10;
  size_t maxCandidates = 16;
  size_t maxOptions = 64;
  size_t maxRationaleBytes = 4000;
  /// A CUDA candidate needs a `// evo.launch` line.
  bool requireLaunchLine = true;
  /// The languages that are taken; empty takes all.
  std::vector<GenomeLanguage> languages;
};

/// All candidates of one answer. Without any, the error (ModelError of kind
/// BadAnswer) lists what was wrong, one problem per line.
llvm::Expected<ParsedAnswer> parseAnswer(llvm::StringRef text,
                                         const AnswerLimits &limits = {});

} // namespace evo::llm

#endif
