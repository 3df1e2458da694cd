// nlohmann/json reads the text, event by event: it does not recurse, and it
// says line and column of a mistake. What it reads becomes a value of LLVM's,
// which the program writes, too.
#include "evo/Support/JSON.h"
#include <nlohmann/json.hpp>

using namespace llvm;

size_t evo::findBracket(StringRef text, function_ref<bool(char)> stops) {
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString && c == '\\')
      ++i;
    else if (c == '"')
      inString = !inString;
    else if (!inString && StringRef("[]{}").contains(c) && stops(c))
      return i;
  }
  return StringRef::npos;
}

bool evo::isNestedTooDeep(StringRef text) {
  unsigned depth = 0;
  size_t tooDeep = findBracket(text, [&](char c) {
    if (c == '[' || c == '{')
      ++depth;
    else if (depth > 0)
      --depth;
    return depth > maxJSONNesting;
  });
  return tooDeep != StringRef::npos;
}

namespace {
/// Takes the events of a parse and makes a value of them.
class ValueBuilder : public nlohmann::json::json_sax_t {
public:
  json::Value root = nullptr;
  std::string problem;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(int64_t value) override { return add(value); }
  bool number_unsigned(uint64_t value) override {
    // As LLVM's own parser has it, which values from here are compared with.
    if (value <= INT64_MAX)
      return add(static_cast<int64_t>(value));
    return add(value);
  }
  bool number_float(double value, const std::string &) override {
    return add(value);
  }
  bool string(std::string &value) override { return add(std::move(value)); }
  // unreachable: of binary formats
  bool binary(nlohmann::json::binary_t &) override { return false; }
  bool start_object(size_t) override { return open(json::Object()); }
  bool start_array(size_t) override { return open(json::Array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string &name) override {
    member = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string &,
                   const nlohmann::json::exception &error) override {
    problem = describe(error.what());
    return false;
  }

private:
  /// What arrays and objects are being read, outermost first. Each is the last
  /// element of the one before, which does not grow meanwhile.
  SmallVector<json::Value *> holders;
  std::string member; ///< the key whose value comes next

  static std::string describe(StringRef what);

  json::Value *place(json::Value value) {
    if (holders.empty()) {
      root = std::move(value);
      return &root;
    }
    if (json::Array *array = holders.back()->getAsArray()) {
      array->push_back(std::move(value));
      return &array->back();
    }
    json::Value &slot = (*holders.back()->getAsObject())[std::move(member)];
    slot = std::move(value);
    return &slot;
  }
  bool add(json::Value value) {
    place(std::move(value));
    return true;
  }
  bool open(json::Value value) {
    holders.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    holders.pop_back();
    return true;
  }
};
} // namespace

/// The parser's message without the name of its class, and without the text
/// that it had read, which may be long and anything.
std::string ValueBuilder::describe(StringRef what) {
  constexpr size_t maxLength = 200;
  // data format: the parser's messages, which are only shown
  what = what.drop_front(what.find("] ") + 2);
  // data format: the same
  size_t read = what.find("; last read: '"), after = what.rfind("'; expected ");
  std::string text = what.take_front(read).str();
  if (read != StringRef::npos && after != StringRef::npos && after > read)
    text += what.drop_front(after + 1);
  return json::fixUTF8(StringRef(text).take_front(maxLength));
}

Expected<json::Value> evo::parseJSON(StringRef text) {
  if (isNestedTooDeep(text))
    return createStringError("nested deeper than %u", maxJSONNesting);
  ValueBuilder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder))
    return createStringError(builder.problem);
  return std::move(builder.root);
}
