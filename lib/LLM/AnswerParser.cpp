// Candidates out of a model's answer. Three readings in order: the whole text
// as JSON, its fenced blocks, and JSON somewhere in the prose. The first that
// yields candidates wins. Every raw candidate then passes one gate, so that the
// same rules hold for each form.
#include "evo/LLM/AnswerParser.h"
#include "CandidateGate.h"
#include "JsonAnswer.h"
#include "MarkdownBlocks.h"
#include "Redaction.h"
#include "evo/LLM/ModelClient.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace evo::llm {

namespace {

bool startsJson(llvm::StringRef text) {
  text = text.ltrim();
  return text.starts_with("{") || text.starts_with("[");
}

bool isJsonBlock(const FencedBlock &block) {
  if (block.tag == "json" || block.tag == "jsonc" || block.tag == "json5")
    return true;
  return block.tag.empty() && startsJson(block.body);
}

bool isOptionsBlock(const FencedBlock &block) {
  return block.tag == "options" || block.tag == "knobs";
}

/// A JSON block that holds neither code nor candidates sets options.
bool isOptionsJson(const FencedBlock &block) {
  llvm::StringRef body = block.body;
  return isJsonBlock(block) && body.ltrim().starts_with("{") &&
         !body.contains("\"candidates\"") && !body.contains("\"code\"") &&
         !body.contains("\"options\"");
}

/// Blocks that are no part of a proposal: commands, output, snippets of other
/// things.
bool isForeign(const FencedBlock &block) {
  static constexpr llvm::StringLiteral tags[] = {
      "bash", "sh",  "shell", "console", "python", "py",  "text",
      "txt",  "ptx", "sass",  "diff",    "asm",    "yaml"};
  return llvm::is_contained(tags, block.tag);
}

class BlockReader {
public:
  explicit BlockReader(JsonReading &reading) : reading(reading) {}

  void read(const std::vector<FencedBlock> &blocks) {
    bool anyCode = llvm::any_of(blocks, [](const FencedBlock &block) {
      return !isJsonBlock(block) && !isOptionsBlock(block) && !isForeign(block);
    });
    for (const FencedBlock &block : blocks) {
      std::string where = "the block at line " + std::to_string(block.line);
      if (!block.closed)
        reading.problems.push_back(where +
                                   " is not closed: the answer was cut off");
      else if (isOptionsBlock(block) || (anyCode && isOptionsJson(block)))
        readOptionsBlock(block, where);
      else if (isJsonBlock(block))
        readJsonBlock(block);
      else if (isForeign(block))
        reading.problems.push_back(where + " ('" + excerpt(block.tag, 20) +
                                   "') was ignored");
      else
        readCodeBlock(block, where);
    }
    finishOptions();
  }

private:
  struct Owner {
    size_t candidate;
    unsigned section;
  };
  struct Waiting {
    RawCandidate options;
    unsigned section;
  };

  void readJsonBlock(const FencedBlock &block) {
    JsonReading inner = readJsonAnswer(block.body);
    llvm::append_range(reading.candidates, inner.candidates);
    llvm::append_range(reading.problems, inner.problems);
  }

  void readCodeBlock(const FencedBlock &block, const std::string &where) {
    RawCandidate candidate;
    candidate.language = block.tag;
    candidate.name = block.heading;
    candidate.rationale = block.prose;
    candidate.code = block.body;
    candidate.where = where;
    if (waiting && waiting->section == block.section) {
      candidate.options = std::move(waiting->options.options);
      if (llvm::StringRef(candidate.rationale).trim().empty())
        candidate.rationale = waiting->options.rationale;
      waiting.reset();
    }
    finishOptions();
    owner = Owner{reading.candidates.size(), block.section};
    reading.candidates.push_back(std::move(candidate));
  }

  /// Options belong to the code before them in the same section, unless that
  /// has some already; else to the code after them; else they stand alone.
  void readOptionsBlock(const FencedBlock &block, const std::string &where) {
    std::map<std::string, std::string> options =
        readOptions(block.body, reading.problems);
    if (options.empty())
      return;
    if (owner && owner->section == block.section &&
        reading.candidates[owner->candidate].options.empty()) {
      reading.candidates[owner->candidate].options = std::move(options);
      return;
    }
    finishOptions();
    waiting = Waiting{
        {"options", block.heading, block.prose, "", std::move(options), where},
        block.section};
  }

  void finishOptions() {
    if (waiting)
      reading.candidates.push_back(std::move(waiting->options));
    waiting.reset();
  }

  JsonReading &reading;
  std::optional<Owner> owner;
  std::optional<Waiting> waiting;
};

std::string normalise(llvm::StringRef text) {
  std::string clean = llvm::json::fixUTF8(text);
  llvm::StringRef rest = clean;
  rest.consume_front("\xef\xbb\xbf");
  std::string result;
  result.reserve(rest.size());
  for (size_t i = 0; i < rest.size(); ++i)
    if (rest[i] != '\r')
      result += rest[i];
    else if (i + 1 == rest.size() || rest[i + 1] != '\n')
      result += '\n';
  return result;
}

JsonReading readAnswer(llvm::StringRef text) {
  JsonReading whole;
  if (startsJson(text)) {
    whole = readJsonAnswer(text);
    if (!whole.candidates.empty())
      return whole;
  }
  JsonReading reading;
  BlockReader(reading).read(findFencedBlocks(text));
  if (!reading.candidates.empty())
    return reading;
  if (!whole.problems.empty())
    return whole;
  JsonReading found = findJsonAnswer(text);
  if (!found.candidates.empty() || reading.problems.empty())
    return found;
  return reading;
}

} // namespace

llvm::Expected<ParsedAnswer> parseAnswer(llvm::StringRef text,
                                         const AnswerLimits &limits) {
  constexpr auto bad = ModelError::Kind::BadAnswer;
  if (text.size() > limits.maxAnswerBytes)
    return modelError(bad, "the answer has " + llvm::Twine(text.size()) +
                               " bytes, more than the " +
                               llvm::Twine(limits.maxAnswerBytes) + " allowed");
  if (text.trim().empty())
    return modelError(bad, "the answer is empty");

  JsonReading reading = readAnswer(normalise(text));
  CandidateGate gate(limits, std::move(reading.problems));
  for (RawCandidate &raw : reading.candidates)
    gate.admit(std::move(raw));
  ParsedAnswer answer = gate.take();
  if (!answer.candidates.empty())
    return answer;
  if (answer.problems.empty())
    return modelError(bad, "the answer holds neither a fenced code block nor a "
                           "JSON object with candidates");
  return modelError(bad, llvm::join(answer.problems, "\n"));
}

} // namespace evo::llm
