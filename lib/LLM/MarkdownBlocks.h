// Fenced blocks and what stands before them. The little of Markdown that
// answers of models need: fences, headings, and the prose between them.
#ifndef EVO_LIB_LLM_MARKDOWNBLOCKS_H
#define EVO_LIB_LLM_MARKDOWNBLOCKS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace evo::llm {

struct FencedBlock {
  std::string tag;  ///< first word of the info string, lower case
  std::string body; ///< with a line end after each line
  unsigned line;    ///< of the opening fence, from 1
  bool closed;
  unsigned section;    ///< number of headings before the block
  std::string heading; ///< the last one of them, without marks
  std::string prose;   ///< since that heading or the previous block
};

/// All blocks in order, in time linear in the text. A tagged fence that opens
/// within a block which holds nothing yet replaces that block: so
/// "```markdown" around "```cuda" yields the inner one.
std::vector<FencedBlock> findFencedBlocks(llvm::StringRef text);

} // namespace evo::llm

#endif
