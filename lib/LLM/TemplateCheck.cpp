// Finds mistakes in a Mustache template. One pass over the tags with a stack of
// open sections.
#include "TemplateCheck.h"
#include "llvm/ADT/StringExtras.h"

namespace evo::llm {

namespace {

struct Open {
  std::string name;
  unsigned line;
};

bool isName(llvm::StringRef name) {
  if (name == ".")
    return true;
  return !name.empty() && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '-';
  });
}

class Checker {
public:
  TemplateFacts run(llvm::StringRef text) {
    llvm::StringRef rest = text;
    while (true) {
      size_t start = rest.find("{{");
      if (start == llvm::StringRef::npos)
        break;
      line += rest.take_front(start).count('\n');
      rest = rest.drop_front(start + 2);
      bool triple = rest.consume_front("{");
      size_t end = rest.find(triple ? "}}}" : "}}");
      if (end == llvm::StringRef::npos) {
        report("the tag is not closed");
        return std::move(facts);
      }
      tag(rest.take_front(end), triple);
      line += rest.take_front(end).count('\n');
      rest = rest.drop_front(end + (triple ? 3 : 2));
    }
    for (const Open &open : sections)
      facts.problems.push_back("line " + std::to_string(open.line) +
                               ": section '" + open.name + "' is not closed");
    return std::move(facts);
  }

private:
  void report(const std::string &what) {
    facts.problems.push_back("line " + std::to_string(line) + ": " + what);
  }

  void tag(llvm::StringRef content, bool triple) {
    content = content.trim();
    char sigil = content.empty() || triple ? 0 : content.front();
    if (sigil == '!')
      return;
    if (sigil == '=')
      return report("delimiters cannot be changed");
    bool hasSigil = llvm::StringRef("#^/>&").contains(sigil) && sigil;
    llvm::StringRef name = (hasSigil ? content.drop_front() : content).trim();
    if (!isName(name))
      return report("'" + content.str() + "' is no name");
    switch (sigil) {
    case '#':
    case '^':
      sections.push_back({name.str(), line});
      return;
    case '/':
      return close(name);
    case '>':
      facts.partials.push_back(name.str());
      return;
    case '&':
      return;
    default:
      if (!triple)
        report("'{{" + content.str() +
               "}}' would be escaped as HTML; write '{{{" + content.str() +
               "}}}'");
    }
  }

  void close(llvm::StringRef name) {
    if (sections.empty())
      return report("section '" + name.str() + "' is closed but not open");
    if (sections.back().name != name)
      return report("section '" + name.str() + "' is closed where '" +
                    sections.back().name + "' is open");
    sections.pop_back();
  }

  TemplateFacts facts;
  std::vector<Open> sections;
  unsigned line = 1;
};

} // namespace

TemplateFacts checkTemplate(llvm::StringRef text) {
  return Checker().run(text);
}

} // namespace evo::llm
