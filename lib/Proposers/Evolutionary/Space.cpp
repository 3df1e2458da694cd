// Operators on points, and the spaces there are.
#include "Space.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

Space::~Space() = default;

Point Space::usual() const {
  Point point;
  for (const Knob &knob : knobs)
    point[knob.name] = knob.values.front();
  return point;
}

bool Space::contains(const Point &point) const {
  return point.size() == knobs.size() &&
         llvm::all_of(knobs, [&](const Knob &knob) {
           auto it = point.find(knob.name);
           return it != point.end() &&
                  llvm::is_contained(knob.values, it->second);
         });
}

Point Space::vary(const Point &from, const Knob &knob,
                  const std::string &value) const {
  Point point = from;
  point[knob.name] = value;
  return point;
}

Point Space::mutate(const Point &point, Random &random) const {
  Point result = point;
  // Usually one knob, sometimes two; a neighbouring value as often as any.
  for (unsigned turns = 1 + random.below(4) / 3; turns > 0; --turns) {
    const Knob &knob = knobs[random.below(knobs.size())];
    auto at = llvm::find(knob.values, result[knob.name]);
    size_t place = at == knob.values.end() ? 0 : at - knob.values.begin();
    size_t size = knob.values.size();
    if (random.below(2))
      place = random.below(size);
    else
      place = random.below(2) ? std::min(place + 1, size - 1)
                              : place - std::min<size_t>(place, 1);
    result[knob.name] = knob.values[place];
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

uint64_t Space::getNumPoints(uint64_t limit) const {
  uint64_t count = 1;
  for (const Knob &knob : knobs)
    count = std::min<uint64_t>(limit, count * knob.values.size());
  return count;
}

Point Space::getPoint(uint64_t number) const {
  Point point;
  for (const Knob &knob : knobs) {
    point[knob.name] = knob.values[number % knob.values.size()];
    number /= knob.values.size();
  }
  return point;
}

ProposalOp Space::createProposal(OpBuilder &b, KernelOp kernel,
                                 StringRef symbol, Genome genome,
                                 StringRef text, NamedAttrList options,
                                 const Point &point, StringRef parent) const {
  NamedAttrList chosen;
  for (const auto &[knob, value] : point)
    chosen.append(knob, b.getStringAttr(value));
  options.append("knobs", chosen.getDictionary(b.getContext()));
  return ProposalOp::create(
      b, kernel.getLoc(), b.getStringAttr(symbol),
      GenomeAttr::get(b.getContext(), genome), b.getStringAttr(text),
      options.getDictionary(b.getContext()),
      parent.empty() ? StringAttr() : b.getStringAttr(parent), StringAttr(),
      b.getStringAttr("search:" + name), StageAttr(), StringAttr());
}

std::vector<std::unique_ptr<Space>> evo::getSpaces(KernelOp kernel) {
  std::vector<std::unique_ptr<Space>> spaces;
  // Schedules first: where they apply they achieve more.
  addScheduleSpaces(kernel, spaces);
  if (auto distribution = createDistributionSpace(kernel))
    spaces.push_back(std::move(distribution));
  if (auto remapping = createRemappingSpace(kernel))
    spaces.push_back(std::move(remapping));
  if (auto launch = createLaunchSpace(kernel))
    spaces.push_back(std::move(launch));
  return spaces;
}
