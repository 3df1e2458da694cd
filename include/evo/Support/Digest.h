// Names for what is told apart by its contents. All hashes are made here;
// recordings, journals, evidence and the draws of samples depend on their
// values.
#ifndef EVO_SUPPORT_DIGEST_H
#define EVO_SUPPORT_DIGEST_H

#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <string>

namespace evo {

/// The first `bytes` (at most 32) of the SHA-256 of `text`, in lower-case
/// hexadecimal: what other tools can compute, too.
std::string digest(llvm::StringRef text, unsigned bytes = 16);

/// The 32 bytes of it.
std::array<uint8_t, 32> sha256(llvm::StringRef text);

/// A number for `bytes` that others hardly share (XXH3): for what nobody
/// forges, compared within a process or drawn from.
uint64_t fingerprint(llvm::StringRef bytes);

/// The first 16 bytes of the BLAKE3 of `text`, in lower-case hexadecimal: for
/// code, which is large and hashed for each candidate.
std::string codeDigest(llvm::StringRef text);

/// The 32 bytes of the BLAKE3 of `text`: a key of a table in memory.
std::array<uint8_t, 32> codeKey(llvm::StringRef text);

} // namespace evo

#endif
