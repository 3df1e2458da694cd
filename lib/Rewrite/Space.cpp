// Operators on points, and the spaces there are.
#include "Space.h"

using namespace evo;

Space::~Space() = default;

Point Space::usual() const {
  Point point;
  for (const Knob &knob : knobs)
    point[knob.name] = knob.values.front();
  return point;
}

Point Space::mutate(const Point &point, Random &random) const {
  Point result = point;
  // Mostly one knob, sometimes two: neighbours first, leaps now and then.
  for (unsigned turns = 1 + random.below(4) / 3; turns > 0; --turns) {
    const Knob &knob = knobs[random.below(knobs.size())];
    result[knob.name] = knob.values[random.below(knob.values.size())];
  }
  return result;
}

Point Space::cross(const Point &a, const Point &b, Random &random) const {
  Point result;
  for (const Knob &knob : knobs) {
    const Point &from = random.below(2) ? a : b;
    auto it = from.find(knob.name);
    result[knob.name] = it == from.end() ? knob.values.front() : it->second;
  }
  return result;
}

std::vector<std::unique_ptr<Space>> evo::getSpaces(KernelOp kernel) {
  std::vector<std::unique_ptr<Space>> spaces;
  // Schedules first: where they apply they lead further.
  addScheduleSpaces(kernel, spaces);
  if (auto launch = createLaunchSpace(kernel))
    spaces.push_back(std::move(launch));
  return spaces;
}
