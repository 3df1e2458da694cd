// Prompts as templates, built in or from a folder. Templates are kept as text
// and parsed for each rendering: that takes well under a millisecond, and the
// engine's parsed form holds rendering state.
#include "evo/LLM/PromptLibrary.h"
#include "TemplateCheck.h"
#include "TextFiles.h"
#include "evo/LLM/ModelClient.h"
#include "evo/Support/JSON.h"
#include "evoPrompts.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Mustache.h"
#include "llvm/Support/Path.h"

namespace evo::llm {

using Kind = ModelError::Kind;

static constexpr uint64_t maxTemplateBytes = 1u << 20;

llvm::Error PromptLibrary::add(llvm::StringRef fileName, llvm::StringRef text) {
  llvm::StringRef name = fileName;
  if (name.consume_back(".json")) {
    llvm::Expected<llvm::json::Value> value = evo::parseJSON(text);
    if (!value)
      return modelError(Kind::Configuration,
                        "schema '" + fileName +
                            "': " + llvm::toString(value.takeError()));
    schemas[name.str()] = text.str();
    return llvm::Error::success();
  }
  if (name.consume_back(".mustache"))
    templates[name.str()] = text.str();
  return llvm::Error::success();
}

/// Whether `name` reaches itself through partials.
static bool isRecursive(const std::map<std::string, TemplateFacts> &facts,
                        const std::string &name) {
  llvm::StringSet<> seen;
  std::vector<std::string> work = facts.at(name).partials;
  while (!work.empty()) {
    std::string next = std::move(work.back());
    work.pop_back();
    if (next == name)
      return true;
    auto found = facts.find(next);
    if (found == facts.end() || !seen.insert(next).second)
      continue;
    work.insert(work.end(), found->second.partials.begin(),
                found->second.partials.end());
  }
  return false;
}

llvm::Error PromptLibrary::check() const {
  std::map<std::string, TemplateFacts> facts;
  for (const auto &[name, text] : templates)
    facts[name] = checkTemplate(text);
  for (const auto &entry : facts) {
    const std::string &name = entry.first;
    const TemplateFacts &found = entry.second;
    auto bad = [&](const llvm::Twine &what) {
      return modelError(Kind::Configuration,
                        "template '" + name + ".mustache': " + what);
    };
    if (!found.problems.empty())
      return bad(found.problems.front());
    for (const std::string &partial : found.partials)
      if (!templates.count(partial))
        return bad("there is no partial '" + partial + "'");
    if (isRecursive(facts, name))
      return bad("it includes itself");
  }
  return llvm::Error::success();
}

llvm::Expected<PromptLibrary> PromptLibrary::builtin() {
  PromptLibrary library;
  for (size_t i = 0; i < embedded::evoPromptsCount; ++i) {
    const embedded::File &file = embedded::evoPrompts[i];
    if (llvm::Error error =
            library.add(file.name, llvm::StringRef(file.data, file.size)))
      return std::move(error);
  }
  if (llvm::Error error = library.check())
    return std::move(error);
  return library;
}

llvm::Expected<PromptLibrary>
PromptLibrary::withFolder(llvm::StringRef folder) {
  namespace fs = llvm::sys::fs;
  llvm::Expected<PromptLibrary> library = builtin();
  if (!library)
    return library.takeError();
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    llvm::StringRef name = llvm::sys::path::filename(entry->path());
    if (!name.ends_with(".mustache") && !name.ends_with(".json"))
      continue;
    llvm::Expected<std::string> text =
        readTextFile(entry->path(), maxTemplateBytes);
    if (!text)
      return text.takeError();
    if (llvm::Error error = library->add(name, *text))
      return std::move(error);
  }
  if (code)
    return modelError(Kind::Files, "cannot read the folder of prompts '" +
                                       folder + "': " + code.message());
  if (llvm::Error error = library->check())
    return std::move(error);
  return library;
}

std::vector<std::string> PromptLibrary::names() const {
  std::vector<std::string> result;
  for (const auto &entry : templates)
    result.push_back(entry.first);
  return result;
}

llvm::Expected<std::string>
PromptLibrary::render(llvm::StringRef name,
                      const llvm::json::Value &context) const {
  namespace mustache = llvm::mustache;
  auto found = templates.find(name.str());
  if (found == templates.end())
    return modelError(Kind::Configuration,
                      "there is no template '" + name + "'");
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  mustache::MustacheContext state(allocator, saver);
  mustache::Template parsed(found->second, state);
  for (const auto &[partial, text] : templates)
    parsed.registerPartial(partial, text);
  std::string result;
  llvm::raw_string_ostream os(result);
  parsed.render(context, os);
  return llvm::json::fixUTF8(result);
}

llvm::Expected<llvm::json::Value>
PromptLibrary::schema(llvm::StringRef name) const {
  auto found = schemas.find(name.str());
  if (found == schemas.end())
    return modelError(Kind::Configuration, "there is no schema '" + name + "'");
  return evo::parseJSON(found->second);
}

} // namespace evo::llm
