// Takes secrets out of texts. A provider may echo a key in an error page, and a
// prompt may quote a log. So every text that leaves the client passes through
// one set of known secrets.
#ifndef EVO_LIB_LLM_REDACTION_H
#define EVO_LIB_LLM_REDACTION_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace evo::llm {

class SecretSet {
public:
  /// Shorter ones are the dummies that servers without keys want ("EMPTY",
  /// "none"); taking those words out of every text would only do harm.
  static constexpr size_t shortestSecret = 8;

  /// Remembers a secret, and with it the forms in which a URL or a JSON text
  /// quotes it.
  void add(llvm::StringRef secret);
  bool empty() const { return secrets.empty(); }
  std::string redact(llvm::StringRef text) const;

private:
  std::vector<std::string> secrets; // longest first
};

/// At most `limit` bytes of a foreign text, on one line, printable: for quoting
/// in an error message.
std::string excerpt(llvm::StringRef text, size_t limit = 300);

} // namespace evo::llm

#endif
