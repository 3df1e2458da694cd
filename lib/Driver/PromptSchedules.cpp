// The built-in schedules that fit a kernel, as a model is told of them.
#include "PromptSchedules.h"
#include "evo/Schedule/Schedule.h"

using namespace mlir;
using namespace evo;

std::vector<PromptSchedule> evo::getPromptSchedules(KernelOp kernel) {
  std::vector<PromptSchedule> result;
  func::FuncOp payload = getPayload(kernel);
  if (!payload)
    return result;
  for (StringRef name : getBuiltinScheduleNames()) {
    StringRef text = getBuiltinSchedule(name);
    FailureOr<Schedule> schedule =
        Schedule::parse(kernel.getContext(), text, name);
    if (failed(schedule))
      continue;
    if (!schedule->fits(payload))
      continue;
    PromptSchedule entry{name.str(), text.str(), {}};
    for (const ScheduleKnob &knob : schedule->getKnobs()) {
      PromptKnob offered{knob.name, {}};
      for (int64_t value : knob.values)
        offered.values.push_back(std::to_string(value));
      entry.knobs.push_back(std::move(offered));
    }
    result.push_back(std::move(entry));
  }
  return result;
}
