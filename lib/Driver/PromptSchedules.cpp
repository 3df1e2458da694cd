// The built-in schedules that fit a kernel, as a model is told of them.
#include "PromptSchedules.h"
#include "evo/Schedule/Schedule.h"
#include "mlir/IR/OperationSupport.h"
#include <mutex>

using namespace mlir;
using namespace evo;

static std::vector<PromptSchedule> findFitting(func::FuncOp payload) {
  std::vector<PromptSchedule> result;
  for (StringRef name : getBuiltinScheduleNames()) {
    StringRef text = getBuiltinSchedule(name);
    FailureOr<Schedule> schedule =
        Schedule::parse(payload.getContext(), text, name);
    if (failed(schedule))
      continue;
    if (!schedule->fits(payload))
      continue;
    PromptSchedule entry{name.str(), text.str(), {}};
    entry.constraints = schedule->getConstraints();
    for (const ScheduleKnob &knob : schedule->getKnobs()) {
      PromptKnob offered{knob.name, {}, knob.meaning};
      for (int64_t value : knob.values)
        offered.values.push_back(std::to_string(value));
      entry.knobs.push_back(std::move(offered));
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::function<std::vector<PromptSchedule>(KernelOp)>
evo::makePromptSchedules() {
  struct Kept {
    std::mutex mutex;
    std::optional<OperationFingerPrint> payload;
    std::vector<PromptSchedule> schedules;
  };
  return [kept = std::make_shared<Kept>()](KernelOp kernel) {
    func::FuncOp payload = getPayload(kernel);
    if (!payload)
      return std::vector<PromptSchedule>();
    std::lock_guard<std::mutex> lock(kept->mutex);
    OperationFingerPrint now(payload);
    if (!kept->payload || *kept->payload != now) {
      kept->schedules = findFitting(payload);
      kept->payload = now;
    }
    return kept->schedules;
  };
}
