// Serialisation and framing of worker messages.
#include "WorkerProtocol.h"
#include "evo/Support/JSON.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <unistd.h>

using namespace llvm;
using namespace evo;

json::Value WorkerRequest::toJSON() const {
  return json::Object{{"module", json::fixUTF8(module)},
                      {"pipeline", pipeline},
                      {"genomes", json::Array(genomes)},
                      {"seconds", limits.wallSeconds},
                      {"memory", int64_t(limits.addressSpaceBytes)},
                      {"file", int64_t(limits.fileBytes)}};
}

Expected<WorkerRequest> WorkerRequest::fromJSON(const json::Value &value) {
  WorkerRequest request;
  int64_t memory, file;
  json::Path::Root root("request");
  json::ObjectMapper map(value, root);
  if (!map || !map.map("module", request.module) ||
      !map.map("pipeline", request.pipeline) ||
      !map.map("genomes", request.genomes) ||
      !map.map("seconds", request.limits.wallSeconds) ||
      !map.map("memory", memory) || !map.map("file", file))
    return root.getError();
  request.limits.addressSpaceBytes = memory;
  request.limits.fileBytes = file;
  return request;
}

json::Value WorkerAnswer::toJSON() const {
  json::Array times;
  for (const auto &[name, seconds] : timings)
    times.push_back(json::Object{{"stage", name}, {"seconds", seconds}});
  json::Object answer{{"module", json::fixUTF8(module)},
                      {"stage", stage},
                      {"failure", json::fixUTF8(failure)},
                      {"timings", std::move(times)}};
  if (fault)
    answer["fault"] = faultName(*fault);
  return answer;
}

Expected<WorkerAnswer> WorkerAnswer::fromJSON(const json::Value &value) {
  WorkerAnswer answer;
  json::Path::Root root("answer");
  json::ObjectMapper map(value, root);
  if (!map || !map.map("module", answer.module) ||
      !map.map("stage", answer.stage) || !map.map("failure", answer.failure))
    return root.getError();
  if (auto name = value.getAsObject()->getString("fault")) {
    answer.fault = faultFromName(*name);
    if (!answer.fault) {
      json::Path(root).field("fault").report("unknown kind");
      return root.getError();
    }
  }
  if (const json::Array *times = value.getAsObject()->getArray("timings"))
    for (const json::Value &time : *times)
      if (const json::Object *entry = time.getAsObject())
        answer.timings.emplace_back(
            entry->getString("stage").value_or("").str(),
            entry->getNumber("seconds").value_or(0));
  return answer;
}

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
