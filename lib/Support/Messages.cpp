// Framing of messages.
#include "evo/Support/Messages.h"
#include "evo/Support/Isolation.h"
#include "evo/Support/JSON.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace llvm;
using namespace evo;

bool evo::sendMessage(int descriptor, const json::Value &message) {
  std::string text = formatv("{0}", message).str();
  std::string header = formatv("{0:x-16}\n", text.size()).str();
  return writeAll(descriptor, header + text);
}

/// Reads exactly `size` bytes; false at the end of the input.
static bool readExactly(int descriptor, char *data, size_t size) {
  while (size > 0) {
    ssize_t count = ::read(descriptor, data, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    data += count;
    size -= count;
  }
  return true;
}

Expected<json::Value> evo::receiveMessage(int descriptor) {
  char header[17];
  if (!readExactly(descriptor, header, sizeof(header)))
    return createStringError("the other side has closed the connection");
  uint64_t size;
  if (header[16] != '\n' || StringRef(header, 16).getAsInteger(16, size) ||
      size > (uint64_t(1) << 30))
    return createStringError("malformed message header");
  std::string text(size, '\0');
  if (!readExactly(descriptor, text.data(), size))
    return createStringError("the other side closed within a message");
  return evo::parseJSON(text);
}
