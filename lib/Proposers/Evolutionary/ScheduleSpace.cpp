// The space of a built-in schedule's knobs.
#include "Features.h"
#include "Space.h"
#include "evo/Schedule/Schedule.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

namespace {
class ScheduleSpace : public Space {
public:
  ScheduleSpace(StringRef scheduleName, Schedule parsed, KernelOp kernel,
                func::FuncOp payload)
      : schedule(std::move(parsed)) {
    name = scheduleName.str();
    for (const ScheduleKnob &knob : schedule.getKnobs()) {
      Knob entry{knob.name, {}};
      for (int64_t value : knob.values)
        entry.values.push_back(std::to_string(value));
      knobs.push_back(std::move(entry));
    }
    for (StringRef feature : findFeatures(kernel, payload)) {
      DictionaryAttr start = schedule.getStart(feature);
      if (!start)
        continue; // one of another schedule
      Point point = usual();
      set(point, start);
      if (contains(point))
        starts.push_back(std::move(point));
    }
  }

  std::vector<Point> getStarts() const override { return starts; }

  bool isSensible(const Point &point) const override {
    Bindings values;
    for (const auto &[knob, value] : point)
      values[knob] = std::stoll(value);
    std::string why;
    return schedule.isSensible(values, why);
  }

  Point vary(const Point &from, const Knob &knob,
             const std::string &value) const override {
    Point point = Space::vary(from, knob, value);
    set(point, schedule.getCompanions(knob.name));
    return point;
  }

  ProposalOp propose(OpBuilder &b, KernelOp kernel, StringRef symbol,
                     const Point &point, StringRef parent) const override {
    return createProposal(b, kernel, symbol, Genome::Schedule, name, {}, point,
                          parent);
  }

private:
  static void set(Point &point, DictionaryAttr values) {
    for (NamedAttribute knob :
         values ? values.getValue() : ArrayRef<NamedAttribute>())
      if (auto number = dyn_cast<IntegerAttr>(knob.getValue()))
        point[knob.getName().str()] = std::to_string(number.getInt());
  }

  Schedule schedule;
  std::vector<Point> starts;
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
      spaces.push_back(std::make_unique<ScheduleSpace>(
          name, std::move(*schedule), kernel, payload));
  }
}
