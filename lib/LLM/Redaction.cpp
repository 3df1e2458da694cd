// Takes secrets out of texts. Plain substring replacement, longest secret first
// so that one secret which contains another leaves nothing behind.
#include "Redaction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace evo::llm {

static std::string percentEncode(llvm::StringRef text) {
  std::string result;
  for (unsigned char c : text) {
    if (llvm::isAlnum(c) || llvm::StringRef("-_.~").contains(c)) {
      result += c;
      continue;
    }
    result += '%';
    result += llvm::hexdigit(c >> 4);
    result += llvm::hexdigit(c & 15);
  }
  return result;
}

void SecretSet::add(llvm::StringRef secret) {
  if (secret.size() < shortestSecret)
    return;
  std::string slashesEscaped;
  for (char c : secret) {
    if (c == '/')
      slashesEscaped += '\\';
    slashesEscaped += c;
  }
  for (std::string form : {secret.str(), percentEncode(secret), slashesEscaped})
    if (!llvm::is_contained(secrets, form))
      secrets.push_back(std::move(form));
  llvm::sort(secrets, [](const std::string &a, const std::string &b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
}

std::string SecretSet::redact(llvm::StringRef text) const {
  std::string result = text.str();
  for (const std::string &secret : secrets) {
    static constexpr llvm::StringLiteral mark = "[redacted]";
    for (size_t at = result.find(secret); at != std::string::npos;
         at = result.find(secret, at + mark.size()))
      result.replace(at, secret.size(), mark.data(), mark.size());
  }
  return result;
}

std::string excerpt(llvm::StringRef text, size_t limit) {
  std::string result;
  bool space = false;
  for (char c : text.take_front(4 * limit)) {
    // Bytes above 127 stay: they may be part of a UTF-8 sequence.
    if (c == ' ' || (static_cast<unsigned char>(c) < 32) || c == 127) {
      space = !result.empty();
      continue;
    }
    if (space)
      result += ' ';
    space = false;
    result += c;
  }
  if (result.size() > limit) {
    result.resize(limit);
    result += " ...";
  }
  return llvm::json::fixUTF8(result);
}

} // namespace evo::llm
