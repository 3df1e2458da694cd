// Blocks of launches at the places of terms, and what they leave.
#include "LongScratch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cstring>

using namespace mlir;
using namespace evo;

/// Elements that are looked at together. Pages of sparse buffers have as many
/// bytes, or a multiple of that.
static constexpr uint64_t unitOfElements = 256;
/// Bytes of each, and of all scratch that is not long.
static constexpr uint64_t storage = uint64_t(256) << 20, maxOther = uint64_t(64)
                                                                    << 20;

static uint64_t readBits(const char *bytes, unsigned size) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, size);
  return bits;
}

/// What a launch is handed that others leave, but for long scratch: it could
/// not be there yet.
std::optional<std::string> LongScratch::findShortUse(size_t launch) const {
  for (const auto &[name, id] : at.values.buffers)
    if (at.plan.isHanded(launch, name) && !at.memory.spec(id).readOnly &&
        llvm::none_of(filled,
                      [&, id = id](const Filled &one) { return one.id == id; }))
      return ("a launch that fills long scratch is handed '" + name + "'")
          .str();
  return std::nullopt;
}

/// Of elements that were touched, in ascending order.
std::vector<uint64_t> LongScratch::listUnits(sim::BufferId id,
                                             unsigned size) const {
  std::vector<uint64_t> units;
  for (uint64_t page : at.memory.listTouched(id))
    if (const uint64_t unit = page / size / unitOfElements;
        units.empty() || units.back() != unit)
      units.push_back(unit);
  return units;
}

/// The blocks that are to write the units in which terms are, by their share of
/// all, and the first, the middle and the last one.
std::optional<std::string> LongScratch::runLaunch(size_t launch) {
  if (auto why = findShortUse(launch))
    return why;
  const uint64_t all = at.plan.countBlocks(at.values.sizes, launch);
  assert(all && "such a size is skipped");
  auto getBlock = [&](uint64_t place) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(place) * all /
                                 elements);
  };
  std::vector<uint64_t> blocks = {0, all / 2, all - 1};
  for (uint64_t place : places) {
    const uint64_t begin = place / unitOfElements * unitOfElements,
                   last = std::min(elements, begin + unitOfElements) - 1;
    for (uint64_t block = getBlock(begin); block <= getBlock(last); ++block)
      blocks.push_back(block);
  }
  llvm::sort(blocks);
  blocks.erase(llvm::unique(blocks), blocks.end());
  const size_t launches[] = {launch};
  auto result = engine.run({.plan = at.plan,
                            .values = at.values,
                            .memory = at.memory,
                            .options = options,
                            .blocks = blocks,
                            .launches = launches});
  if (!result)
    return llvm::toString(result.takeError());
  if (!result->clean())
    return result->findings.front().message;
  return std::nullopt;
}

/// Fails where not all of what was touched was written, or is no term and
/// another number.
std::optional<std::string> LongScratch::readNumber(Filled &of) const {
  llvm::MapVector<uint64_t, uint64_t> counts;
  bool isWritten = true;
  auto forEach = [&](llvm::function_ref<void(uint64_t, uint64_t)> f) {
    for (uint64_t unit : listUnits(of.id, of.size))
      for (uint64_t i = unit * unitOfElements,
                    end = std::min(elements, i + unitOfElements);
           i < end; ++i) {
        const char *bytes = at.memory.touched(of.id, i * of.size);
        const uint64_t bits = bytes ? readBits(bytes, of.size) : 0;
        isWritten &= bytes && bits != poisonOf(of.size, i);
        f(i, bits);
      }
  };
  forEach([&](uint64_t, uint64_t bits) { ++counts[bits]; });
  if (!isWritten || counts.empty())
    return "blocks at terms do not write all of '" + of.spec.name +
           "' that they touch";
  of.number = llvm::max_element(counts, llvm::less_second())->first;
  bool isEven = true;
  forEach([&](uint64_t place, uint64_t bits) {
    if (bits == of.number)
      return;
    isEven &= llvm::binary_search(places, place);
    if (const uint64_t unit = place * of.size / sim::BufferSpec::repeatUnit *
                              sim::BufferSpec::repeatUnit;
        of.apart.empty() || of.apart.back() != unit)
      of.apart.push_back(unit);
  });
  if (!isEven)
    return "'" + of.spec.name + "' is not one number where no term is";
  return std::nullopt;
}

std::optional<std::string> LongScratch::takeTerms() {
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    for (const auto &[name, ofOne] : terms) {
      if (arg.getName().getValue() != name)
        continue;
      if (elements && at.elements(arg) != elements)
        return "long buffers differ in length";
      elements = at.elements(arg);
      places.insert(places.end(), ofOne.begin(), ofOne.end());
    }
  llvm::sort(places);
  places.erase(llvm::unique(places), places.end());
  return std::nullopt;
}

llvm::Expected<std::vector<size_t>>
LongScratch::run(ArrayRef<ExecutablePlan::ScratchBuffer> scratch) {
  if (auto why = takeTerms())
    return llvm::createStringError(*why);
  for (auto [spec, size] : scratch) {
    if (spec.bytes != elements * size)
      continue;
    spec.sparse = true;
    spec.storage = storage;
    spec.fill = repeatPoison();
    const sim::BufferId id = at.memory.addBuffer(spec);
    at.values.buffers[spec.name] = id;
    filled.push_back({std::move(spec), id, size, 0, {}});
  }
  if (filled.empty())
    return llvm::createStringError("scratch is too large");
  if (llvm::Error error =
          at.plan.addPlainScratch(at.values, at.memory, maxOther))
    return error;
  std::vector<size_t> left;
  for (size_t launch = 0; launch < at.plan.getNumLaunches(); ++launch) {
    if (llvm::none_of(filled, [&](const Filled &one) {
          return at.plan.mayWrite(launch, one.spec.name);
        }))
      left.push_back(launch);
    else if (auto why = runLaunch(launch))
      return llvm::createStringError(*why);
  }
  // Elements are made of those at the same place, or something else would have
  // been touched.
  const std::vector<uint64_t> written =
      listUnits(filled.front().id, filled.front().size);
  auto isElsewhere = [&](ArrayRef<uint64_t> units) {
    return !llvm::includes(written, units);
  };
  for (const Filled &one : filled)
    if (const auto units = listUnits(one.id, one.size);
        isElsewhere(units) || units.size() != written.size())
      return llvm::createStringError(
          "long scratch is not read where it is written");
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (llvm::is_contained(llvm::make_first_range(terms),
                           arg.getName().getValue()) &&
        isElsewhere(
            listUnits(at.id(arg), getElementBytes(arg.getElementType()))))
      return llvm::createStringError("'" + arg.getName().getValue() +
                                     "' is read elsewhere than at the terms");
  if (!llvm::all_of(places, [&](uint64_t place) {
        return llvm::binary_search(written, place / unitOfElements);
      }))
    return llvm::createStringError("blocks are not in the order of places");
  for (Filled &one : filled)
    if (auto why = readNumber(one))
      return llvm::createStringError(*why);
  return left;
}

std::vector<sim::BufferSpec> LongScratch::makeSpecs() const {
  constexpr uint64_t repeatedBytes = uint64_t(4) << 20;
  std::vector<sim::BufferSpec> specs;
  for (const Filled &one : filled) {
    sim::BufferSpec spec;
    spec.name = one.spec.name;
    spec.bytes = one.spec.bytes;
    spec.kind = one.spec.kind;
    spec.initialized = spec.readOnly = true;
    spec.repeated.resize(repeatedBytes);
    auto repeat = [number = one.number, size = one.size](char *bytes,
                                                         uint64_t length) {
      for (uint64_t i = 0; i < length; i += size)
        std::memcpy(bytes + i, &number, size);
    };
    repeat(spec.repeated.data(), repeatedBytes);
    spec.apart = one.apart;
    const uint64_t page = unitOfElements; // bytes: a part of each unit
    spec.fill = [&memory = at.memory, id = one.id, repeat,
                 page](uint64_t offset, char *bytes, uint64_t length) {
      for (uint64_t i = 0; i < length; i += page) {
        const uint64_t own = std::min(page, length - i);
        if (const char *known = memory.touched(id, offset + i))
          std::memcpy(bytes + i, known, own);
        else
          repeat(bytes + i, own);
      }
    };
    specs.push_back(std::move(spec));
  }
  return specs;
}
