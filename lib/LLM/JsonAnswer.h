// Finds and reads JSON in an answer. The JSON half of the answer parser: where
// an object begins and ends within chatter, small mistakes that models make in
// writing it, and the members that a candidate has. It yields raw candidates;
// what makes one acceptable is the parser's business.
#ifndef EVO_LIB_LLM_JSONANSWER_H
#define EVO_LIB_LLM_JSONANSWER_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace evo::llm {

/// A candidate as the answer has it: language and name may be missing or
/// unknown.
struct RawCandidate {
  std::string language;
  std::string name;
  std::string rationale;
  std::string code;
  std::map<std::string, std::string> options;
  std::string where; ///< for messages: "candidate 2", "the block at line 7"
};

struct JsonReading {
  std::vector<RawCandidate> candidates;
  std::vector<std::string> problems;
};

/// Reads a text that should be one JSON value and perhaps chatter after it: an
/// object with `candidates`, an array of candidates, or one candidate.
JsonReading readJsonAnswer(llvm::StringRef text);

/// Looks for such objects within prose; both lists stay empty where nothing
/// resembles one.
JsonReading findJsonAnswer(llvm::StringRef text);

/// Reads a flat object of options: JSON, or lines of `key = value` or
/// `key: value`. Problems are appended.
std::map<std::string, std::string>
readOptions(llvm::StringRef text, std::vector<std::string> &problems);

} // namespace evo::llm

#endif
