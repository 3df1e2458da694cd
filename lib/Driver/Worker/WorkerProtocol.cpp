// Serialisation and framing of worker messages.
#include "WorkerProtocol.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace evo;

json::Value WorkerRequest::toJSON() const {
  return json::Object{{"module", json::fixUTF8(module)},
                      {"pipeline", pipeline},
                      {"genomes", json::Array(genomes)},
                      {"seconds", limits.wallSeconds},
                      {"memory", int64_t(limits.memoryBytes)},
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
  request.limits.memoryBytes = memory;
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
