// SHA-256, BLAKE3 and XXH3 stop here.
#include "evo/Support/Digest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

static std::string inHexadecimal(ArrayRef<uint8_t> bytes) {
  return toHex(bytes, /*LowerCase=*/true);
}

std::string evo::digest(StringRef text, unsigned bytes) {
  return inHexadecimal(ArrayRef(sha256(text)).take_front(bytes));
}

std::array<uint8_t, 32> evo::sha256(StringRef text) {
  return SHA256::hash(arrayRefFromStringRef(text));
}

uint64_t evo::fingerprint(StringRef bytes) { return xxh3_64bits(bytes); }

std::string evo::codeDigest(StringRef text) {
  return inHexadecimal(ArrayRef(codeKey(text)).take_front(16));
}

std::array<uint8_t, 32> evo::codeKey(StringRef text) {
  return BLAKE3::hash<32>(arrayRefFromStringRef(text));
}
