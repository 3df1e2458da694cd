// The space of a built-in schedule's knobs.
#include "Space.h"
#include "evo/Schedule/Schedule.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

namespace {
class ScheduleSpace : public Space {
public:
  ScheduleSpace(StringRef scheduleName, Schedule parsed)
      : schedule(std::move(parsed)) {
    name = scheduleName.str();
    for (const ScheduleKnob &knob : schedule.getKnobs()) {
      Knob entry{knob.name, {}};
      for (int64_t value : knob.values)
        entry.values.push_back(std::to_string(value));
      knobs.push_back(std::move(entry));
    }
  }

  bool isSensible(const Point &point) const override {
    Bindings values;
    for (const auto &[knob, value] : point)
      values[knob] = std::stoll(value);
    std::string why;
    return schedule.isSensible(values, why);
  }

  Point vary(const Knob &knob, const std::string &value) const override {
    Point point = Space::vary(knob, value);
    if (DictionaryAttr others = schedule.getCompanions(knob.name))
      for (NamedAttribute other : others)
        if (auto number = dyn_cast<IntegerAttr>(other.getValue()))
          point[other.getName().str()] = std::to_string(number.getInt());
    return point;
  }

  ProposalOp propose(OpBuilder &b, KernelOp kernel, StringRef symbol,
                     const Point &point, StringRef parent) const override {
    return createProposal(b, kernel, symbol, Genome::Schedule, name, {}, point,
                          parent);
  }

private:
  Schedule schedule;
};
} // namespace

void evo::addScheduleSpaces(KernelOp kernel,
                            std::vector<std::unique_ptr<Space>> &spaces) {
  func::FuncOp payload = getPayload(kernel);
  if (!payload)
    return;
  for (StringRef name : getBuiltinScheduleNames()) {
    FailureOr<Schedule> schedule =
        Schedule::parse(kernel.getContext(), getBuiltinSchedule(name), name);
    if (failed(schedule))
      continue;
    if (schedule->fits(payload))
      spaces.push_back(
          std::make_unique<ScheduleSpace>(name, std::move(*schedule)));
  }
}
