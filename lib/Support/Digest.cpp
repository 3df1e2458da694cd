// SHA-256 and BLAKE3 stop here.
#include "evo/Support/Digest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/SHA256.h"

using namespace llvm;

static std::string inHexadecimal(ArrayRef<uint8_t> bytes) {
  return toHex(bytes, /*LowerCase=*/true);
}

std::string evo::digest(StringRef text, unsigned bytes) {
  auto hash = SHA256::hash(arrayRefFromStringRef(text));
  return inHexadecimal(ArrayRef<uint8_t>(hash).take_front(bytes));
}

std::string evo::codeDigest(StringRef text) {
  return inHexadecimal(ArrayRef(codeKey(text)).take_front(16));
}

std::array<uint8_t, 32> evo::codeKey(StringRef text) {
  return BLAKE3::hash<32>(arrayRefFromStringRef(text));
}
