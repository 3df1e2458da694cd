// Names for what is told apart by its contents.
#ifndef EVO_SUPPORT_DIGEST_H
#define EVO_SUPPORT_DIGEST_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include <string>

namespace evo {

/// The first `bytes` (at most 32) of the SHA-256 of `text`, in lower-case
/// hexadecimal.
inline std::string digest(llvm::StringRef text, unsigned bytes = 16) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(text));
  return llvm::toHex(llvm::ArrayRef<uint8_t>(hash).take_front(bytes),
                     /*LowerCase=*/true);
}

} // namespace evo

#endif
