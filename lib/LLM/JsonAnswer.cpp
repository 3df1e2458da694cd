// Finds and reads JSON in an answer. nlohmann/json parses without recursion, so
// depth is no danger; time is bound by trying only so many starting points. Two
// mistakes are mended before a text is given up: raw line ends inside strings
// (code pasted unescaped) and commas before a closing bracket.
#include "JsonAnswer.h"
#include "Redaction.h"
#include "evo/Support/JSON.h"
#include "llvm/ADT/Twine.h"
#include <nlohmann/json.hpp>
#include <optional>

namespace evo::llm {

using json = nlohmann::json;

namespace {

constexpr unsigned maxStarts = 32;

/// The end of the value whose bracket opens at 0; npos where it never closes.
size_t balancedEnd(llvm::StringRef text) {
  size_t depth = 0;
  size_t last = findBracket(text, [&](char c) {
    if (c == '{' || c == '[') {
      ++depth;
      return false;
    }
    return --depth == 0;
  });
  return last == llvm::StringRef::npos ? last : last + 1;
}

std::string mend(llvm::StringRef text) {
  std::string result;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\n')
        result += "\\n";
      else if (c == '\t')
        result += "\\t";
      else
        result += c;
      if (c == '\\' && i + 1 < text.size())
        result += text[++i];
      else if (c == '"')
        inString = false;
      continue;
    }
    if (c == '"')
      inString = true;
    if (c == ',') {
      llvm::StringRef next = text.drop_front(i + 1).ltrim();
      if (next.starts_with("}") || next.starts_with("]"))
        continue;
    }
    result += c;
  }
  return result;
}

std::optional<json> parseTolerantly(llvm::StringRef text) {
  json value = json::parse(text.begin(), text.end(), nullptr, false);
  if (!value.is_discarded())
    return value;
  value = json::parse(mend(text), nullptr, false);
  if (!value.is_discarded())
    return value;
  return std::nullopt;
}

/// A string, or a list of lines.
std::optional<std::string> textOf(const json &value) {
  if (value.is_string())
    return value.get<std::string>();
  if (!value.is_array())
    return std::nullopt;
  std::string joined;
  for (const json &line : value) {
    if (!line.is_string())
      return std::nullopt;
    joined += line.get<std::string>() + "\n";
  }
  return joined;
}

std::map<std::string, std::string>
optionsOf(const json &value, const std::string &where,
          std::vector<std::string> &problems) {
  std::map<std::string, std::string> options;
  if (!value.is_object()) {
    problems.push_back(where + ": 'options' is not an object");
    return options;
  }
  for (const auto &[key, entry] : value.items()) {
    if (entry.is_string())
      options[key] = entry.get<std::string>();
    else if (entry.is_number() || entry.is_boolean())
      options[key] = entry.dump();
    else
      problems.push_back(where + ": option '" + excerpt(key, 60) +
                         "' is neither a string, a number nor a boolean");
  }
  return options;
}

bool resemblesCandidate(const json &value) {
  return value.is_object() &&
         (value.contains("code") || value.contains("options") ||
          value.contains("language"));
}

void readCandidate(const json &value, const std::string &where,
                   JsonReading &reading) {
  if (!resemblesCandidate(value)) {
    reading.problems.push_back(
        where + ": not an object with 'language', 'code' or 'options'");
    return;
  }
  RawCandidate candidate;
  candidate.where = where;
  auto take = [&](const char *key, std::string &into) {
    auto found = value.find(key);
    if (found == value.end() || found->is_null())
      return true;
    std::optional<std::string> text = textOf(*found);
    if (text)
      into = std::move(*text);
    else
      reading.problems.push_back(where + ": '" + key + "' is not a string");
    return text.has_value();
  };
  bool fine = take("language", candidate.language);
  fine &= take("name", candidate.name);
  fine &= take("rationale", candidate.rationale);
  fine &= take("code", candidate.code);
  if (auto found = value.find("options");
      found != value.end() && !found->is_null())
    candidate.options = optionsOf(*found, where, reading.problems);
  if (fine)
    reading.candidates.push_back(std::move(candidate));
}

void readValue(const json &value, JsonReading &reading) {
  const json *list = value.is_array() ? &value : nullptr;
  if (value.is_object())
    if (auto found = value.find("candidates"); found != value.end()) {
      if (!found->is_array()) {
        reading.problems.push_back("'candidates' is not an array");
        return;
      }
      list = &*found;
    }
  if (!list) {
    readCandidate(value, "the JSON object", reading);
    return;
  }
  if (list->empty())
    reading.problems.push_back("the list of candidates is empty");
  for (size_t i = 0; i < list->size(); ++i)
    readCandidate((*list)[i], "candidate " + std::to_string(i + 1), reading);
}

bool hasCandidateKey(llvm::StringRef text) {
  return text.contains("\"candidates\"") || text.contains("\"code\"") ||
         text.contains("\"options\"");
}

} // namespace

JsonReading readJsonAnswer(llvm::StringRef text) {
  JsonReading reading;
  text = text.trim();
  size_t end = balancedEnd(text);
  if (end == llvm::StringRef::npos) {
    reading.problems.push_back("the JSON is not closed: the answer was cut off "
                               "or a string in it is not terminated");
    return reading;
  }
  std::optional<json> value = parseTolerantly(text.take_front(end));
  if (!value) {
    reading.problems.push_back("the JSON is not valid; code in a JSON string "
                               "needs its quotes and backslashes escaped");
    return reading;
  }
  readValue(*value, reading);
  return reading;
}

JsonReading findJsonAnswer(llvm::StringRef text) {
  JsonReading reading;
  size_t at = text.find('{');
  for (unsigned tries = 0; at != llvm::StringRef::npos && tries < maxStarts;
       ++tries) {
    llvm::StringRef rest = text.drop_front(at);
    size_t end = balancedEnd(rest);
    if (hasCandidateKey(rest.take_front(end))) {
      reading = readJsonAnswer(rest);
      if (!reading.candidates.empty() || end == llvm::StringRef::npos)
        return reading;
    }
    at = text.find('{', end == llvm::StringRef::npos ? at + 1 : at + end);
  }
  return reading;
}

std::map<std::string, std::string>
readOptions(llvm::StringRef text, std::vector<std::string> &problems) {
  text = text.trim();
  if (text.starts_with("{")) {
    if (std::optional<json> value = parseTolerantly(text))
      return optionsOf(*value, "the options", problems);
    problems.push_back("the options are not valid JSON");
    return {};
  }
  std::map<std::string, std::string> options;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (line.empty() || line.starts_with("#") || line.starts_with("//"))
      continue;
    size_t middle = line.find_first_of("=:");
    llvm::StringRef key = line.take_front(middle).trim(" \t\"'`");
    if (middle == llvm::StringRef::npos || key.empty()) {
      problems.push_back("option line '" + excerpt(line, 60) +
                         "' is not of the form 'key = value'");
      continue;
    }
    options[key.str()] = line.drop_front(middle + 1).trim(" \t\"'`,;").str();
  }
  return options;
}

} // namespace evo::llm
