// Fenced blocks and what stands before them. One pass over the lines with a
// small state: inside a block or not. A fence within a fence of the same length
// is not Markdown, but models write it, and code itself never begins a line
// with three backticks.
#include "MarkdownBlocks.h"

namespace evo::llm {

namespace {

struct Fence {
  char mark = 0; // 0: the line is no fence
  size_t length = 0;
  llvm::StringRef info;
};

Fence readFence(llvm::StringRef line) {
  line = line.trim();
  if (line.empty() || (line.front() != '`' && line.front() != '~'))
    return {};
  Fence fence;
  fence.mark = line.front();
  fence.length = line.size() - line.ltrim(fence.mark).size();
  fence.info = line.drop_front(fence.length).trim();
  // "```x```" on one line is inline code.
  if (fence.length < 3 || fence.info.contains('`'))
    return {};
  return fence;
}

/// "## Name" or "**Name**" alone on a line; empty for other lines.
llvm::StringRef readHeading(llvm::StringRef line) {
  line = line.trim();
  if (line.starts_with("#")) {
    llvm::StringRef rest = line.ltrim('#');
    // data format: Markdown
    return rest.starts_with(" ") ? rest.trim() : "";
  }
  if (line.size() > 4 && line.consume_front("**") && line.consume_back("**") &&
      !line.contains("**"))
    return line.trim();
  return "";
}

class Scanner {
public:
  std::vector<FencedBlock> run(llvm::StringRef text) {
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      text = rest;
      ++number;
      inside ? insideLine(line) : outsideLine(line);
    }
    // A stray fence after the last block opens an empty one: no loss.
    if (inside && !llvm::StringRef(current.body).trim().empty())
      blocks.push_back(std::move(current));
    return std::move(blocks);
  }

private:
  void outsideLine(llvm::StringRef line) {
    if (Fence fence = readFence(line); fence.mark) {
      open(fence);
      return;
    }
    if (llvm::StringRef found = readHeading(line); !found.empty()) {
      heading = found.str();
      ++section;
      prose.clear();
      return;
    }
    prose += line.str() + "\n";
  }

  void insideLine(llvm::StringRef line) {
    Fence fence = readFence(line);
    if (fence.mark == opening.mark && fence.length >= opening.length &&
        fence.info.empty()) {
      inside = false;
      current.closed = true;
      prose.clear();
      // An empty block is the trace of a wrapper around another one.
      if (!llvm::StringRef(current.body).trim().empty())
        blocks.push_back(std::move(current));
      return;
    }
    bool wrapper = current.tag == "markdown" || current.tag == "md";
    if (fence.mark && !fence.info.empty() &&
        (wrapper || llvm::StringRef(current.body).trim().empty())) {
      if (wrapper)
        readWrapped(current.body);
      open(fence);
      return;
    }
    current.body += line.str() + "\n";
  }

  /// What stood in a wrapper before the inner fence is heading and prose.
  void readWrapped(llvm::StringRef body) {
    while (!body.empty()) {
      auto [line, rest] = body.split('\n');
      body = rest;
      if (llvm::StringRef found = readHeading(line); !found.empty()) {
        heading = found.str();
        ++section;
        prose.clear();
      } else {
        prose += line.str() + "\n";
      }
    }
  }

  void open(const Fence &fence) {
    opening = fence;
    inside = true;
    llvm::StringRef tag = fence.info.split(' ').first.trim("{}.");
    current =
        FencedBlock{tag.lower(), "", number, false, section, heading, prose};
  }

  std::vector<FencedBlock> blocks;
  FencedBlock current{};
  Fence opening;
  bool inside = false;
  unsigned number = 0;
  unsigned section = 0;
  std::string heading;
  std::string prose;
};

} // namespace

std::vector<FencedBlock> findFencedBlocks(llvm::StringRef text) {
  return Scanner().run(text);
}

} // namespace evo::llm
