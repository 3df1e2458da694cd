// What a candidate of an answer must be. Checks that cost nothing and save a
// build: a missing launch line or code that was abbreviated with "rest
// unchanged" would only fail later, with a worse message.
#include "CandidateGate.h"
#include "MarkdownBlocks.h"
#include "Redaction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

namespace evo::llm {

using Language = GenomeLanguage;

llvm::StringRef languageName(Language language) {
  switch (language) {
  case Language::CUDA:
    return "cuda";
  case Language::Schedule:
    return "schedule";
  case Language::MLIR:
    return "mlir";
  case Language::Options:
    return "options";
  }
  llvm_unreachable("unknown language");
}

std::optional<Language> languageFromName(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Language>>(name.trim().lower())
      .Cases({"cuda", "cu", "c++", "cpp", "c", "cuda-c++", "cuda c++"},
             Language::CUDA)
      .Cases({"schedule", "transform"}, Language::Schedule)
      .Case("mlir", Language::MLIR)
      .Case("options", Language::Options)
      .Default(std::nullopt);
}

namespace {

/// By what only that language has.
std::optional<Language> guessLanguage(llvm::StringRef code) {
  if (code.contains("__global__"))
    return Language::CUDA;
  if (code.contains("transform.named_sequence") ||
      code.contains("transform.sequence"))
    return Language::Schedule;
  if (code.contains("gpu.module") || code.contains("gpu.func") ||
      code.contains("func.func"))
    return Language::MLIR;
  return std::nullopt;
}

/// Calls `visit` with each line, trimmed, and its number; stops at true.
template <typename Visit> bool anyLine(llvm::StringRef text, Visit visit) {
  for (unsigned number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (visit(line.trim(), number))
      return true;
  }
  return false;
}

/// A comment that stands for code which the model did not repeat.
bool isElision(llvm::StringRef line) {
  if (!line.starts_with("//") && !line.starts_with("/*"))
    return false;
  if (!line.contains("...") && !line.contains("\xe2\x80\xa6"))
    return false;
  std::string lower = line.lower();
  for (llvm::StringRef phrase :
       {"unchanged", "rest of", "same as", "existing code", "as before",
        "remains the same", "omitted", "your code", "previous code"})
    if (llvm::StringRef(lower).contains(phrase))
      return true;
  return false;
}

std::string sanitiseName(llvm::StringRef wish) {
  std::string name;
  for (char c : wish.trim()) {
    bool plain = llvm::isAlnum(c) || c == '_' || c == '.';
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
    if (name.size() == 40) // leaves room for a number
      break;
  }
  return llvm::StringRef(name).rtrim("-.").str();
}

/// Code in a JSON string is sometimes fenced once more.
std::string unwrapCode(std::string code) {
  if (!llvm::StringRef(code).ltrim().starts_with("```"))
    return code;
  std::vector<FencedBlock> blocks = findFencedBlocks(code);
  return blocks.size() == 1 && blocks.front().closed ? blocks.front().body
                                                     : code;
}

} // namespace

CandidateGate::CandidateGate(const AnswerLimits &limits,
                             std::vector<std::string> problems)
    : limits(limits), answer{{}, std::move(problems)} {}

void CandidateGate::refuse(const RawCandidate &raw, const std::string &why) {
  answer.problems.push_back(raw.where + ": " + why);
}

std::string CandidateGate::uniqueName(llvm::StringRef wish) const {
  std::string name = sanitiseName(wish);
  bool taken = llvm::any_of(answer.candidates, [&](const ParsedCandidate &c) {
    return c.name == name;
  });
  if (!name.empty() && !taken)
    return name;
  // Candidates have distinct numbers, but a model may have used one itself.
  for (size_t number = answer.candidates.size() + 1;; ++number) {
    std::string numbered =
        (name.empty() ? "candidate" : name) + "-" + std::to_string(number);
    if (llvm::none_of(answer.candidates, [&](const ParsedCandidate &c) {
          return c.name == numbered;
        }))
      return numbered;
  }
}

bool CandidateGate::checkCode(const RawCandidate &raw,
                              const ParsedCandidate &candidate) {
  llvm::StringRef code = candidate.code;
  if (code.trim().empty()) {
    refuse(raw, ("no code, which a '" + languageName(candidate.language) +
                 "' candidate needs")
                    .str());
    return false;
  }
  if (code.size() > limits.maxCodeBytes) {
    refuse(raw, "the code has " + std::to_string(code.size()) +
                    " bytes, more than the " +
                    std::to_string(limits.maxCodeBytes) + " allowed");
    return false;
  }
  if (code.contains('\0')) {
    refuse(raw, "the code contains a NUL character");
    return false;
  }
  if (anyLine(code, [&](llvm::StringRef line, unsigned number) {
        if (!isElision(line))
          return false;
        refuse(raw, "the code is abbreviated at its line " +
                        std::to_string(number) + " ('" + excerpt(line, 60) +
                        "'); give the whole file");
        return true;
      }))
    return false;
  if (candidate.language != Language::CUDA)
    return true;
  if (!code.contains("__global__")) {
    refuse(raw, "the CUDA code has no '__global__' function");
    return false;
  }
  if (limits.requireLaunchLine &&
      !anyLine(code, [](llvm::StringRef line, unsigned) {
        // data format: a header line
        return line.starts_with("// evo.launch ");
      })) {
    refuse(raw, "the CUDA code has no '// evo.launch' line that says how its "
                "kernels are started");
    return false;
  }
  return true;
}

void CandidateGate::admit(RawCandidate raw) {
  ParsedCandidate candidate;
  candidate.code = unwrapCode(std::move(raw.code));
  candidate.options = std::move(raw.options);
  bool hasCode = !llvm::StringRef(candidate.code).trim().empty();

  std::optional<Language> language = languageFromName(raw.language);
  std::optional<Language> guess = guessLanguage(candidate.code);
  // A schedule is MLIR too, and is often fenced as such.
  if (!language || (language == Language::MLIR && guess == Language::Schedule))
    language = guess;
  if (!language && !hasCode && !candidate.options.empty())
    language = Language::Options;
  if (!language)
    return refuse(raw, raw.language.empty()
                           ? "names no language and none can be told from it"
                           : "unknown language '" + excerpt(raw.language, 40) +
                                 "'; expected cuda, schedule, mlir or options");
  candidate.language = *language;
  if (!limits.languages.empty() &&
      !llvm::is_contained(limits.languages, *language))
    return refuse(raw, ("language '" + languageName(*language) +
                        "' is not among those asked for")
                           .str());

  bool optionsSuffice = *language == Language::Options ||
                        (*language == Language::Schedule && !hasCode);
  if (optionsSuffice && candidate.options.empty())
    return refuse(raw, "neither code nor options");
  if (*language == Language::Options)
    candidate.code.clear();
  if (!optionsSuffice && !checkCode(raw, candidate))
    return;
  if (candidate.options.size() > limits.maxOptions)
    return refuse(raw, "more than " + std::to_string(limits.maxOptions) +
                           " options");
  if (llvm::any_of(answer.candidates, [&](const ParsedCandidate &other) {
        return other.language == candidate.language &&
               other.code == candidate.code &&
               other.options == candidate.options;
      }))
    return refuse(raw, "repeats an earlier candidate of the same answer");
  if (answer.candidates.size() == limits.maxCandidates)
    return refuse(raw, "more than " + std::to_string(limits.maxCandidates) +
                           " candidates in one answer");

  candidate.name = uniqueName(raw.name);
  llvm::StringRef rationale = llvm::StringRef(raw.rationale).trim();
  rationale.consume_front_insensitive("rationale:");
  candidate.rationale = llvm::json::fixUTF8(
      rationale.trim().take_front(limits.maxRationaleBytes));
  answer.candidates.push_back(std::move(candidate));
}

} // namespace evo::llm
