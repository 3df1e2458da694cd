// Where terms are, and what they are.
#include "FewTerms.h"
#include "PlanRun.h"
#include "evo/Support/Random.h"
#include "evo/Verification/Values.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace evo;

/// By chance. Of so many, each is more of the sum than rounding in any usual
/// order takes from it: in units of roundoff, less than their square root.
static constexpr unsigned manyTerms = 4096, termsOfNarrow = 64;
static constexpr uint64_t unit = sim::BufferSpec::repeatUnit;

/// Both ends, the middle, the ends of some rows, and around powers of two,
/// which is where counts and indices go wrong.
static void addUsual(uint64_t elements, uint64_t rowLength,
                     std::vector<uint64_t> &places) {
  constexpr unsigned firstPower = 10;
  for (uint64_t place :
       {uint64_t(0), elements / 2, elements - 1, rowLength - 1, rowLength,
        elements - rowLength, elements / rowLength / 2 * rowLength - 1})
    places.push_back(place);
  for (unsigned power = firstPower; elements >> power; ++power)
    for (uint64_t place : {-1, 0, 1})
      places.push_back((uint64_t(1) << power) + place);
}

FewTerms::FewTerms(ArgumentAttr arg, uint64_t elements, uint64_t rowLength,
                   double neutral, unsigned bits, uint64_t seed,
                   uint64_t ordinal)
    : arg(arg), elements(elements), neutral(neutral), ordinal(ordinal) {
  constexpr unsigned wide = 32;
  Random random(seed);
  const unsigned count = bits < wide ? termsOfNarrow : manyTerms;
  for (unsigned i = 0; i < count; ++i)
    places.push_back(random.below(elements));
  if (bits >= wide)
    addUsual(elements, rowLength, places);
  llvm::erase_if(places, [&](uint64_t place) { return place >= elements; });
  llvm::sort(places);
  places.erase(llvm::unique(places), places.end());
  const FloatDomain domain(arg.getElementType(), arg.getDomain());
  allowed = domain.fit(neutral) == neutral;
  for (uint64_t i = 0; i < places.size() && allowed; ++i)
    allowed = domain.fit(getTerm(i, ordinal, neutral)) ==
              getTerm(i, ordinal, neutral);
}

/// In steps that each type of floats has.
double FewTerms::getTerm(uint64_t index, uint64_t ordinal, double neutral) {
  constexpr unsigned steps = 128;
  const double term =
      1 +
      static_cast<double>(mixBits(index + (ordinal << 32) + 1) % steps) / steps;
  return neutral == 0 ? term : term / 2;
}

/// The bytes of whole elements from one on.
void FewTerms::fill(uint64_t offset, MutableArrayRef<char> bytes) const {
  const Type type = arg.getElementType();
  const unsigned size = getElementBytes(type);
  for (uint64_t at = 0; at < bytes.size(); at += size)
    encodeFloat(type, neutral, &bytes[at]);
  const uint64_t end = (offset + bytes.size()) / size;
  for (auto place = llvm::lower_bound(places, offset / size);
       place != places.end() && *place < end; ++place)
    encodeFloat(type, getTerm(place - places.begin(), ordinal, neutral),
                &bytes[*place * size - offset]);
}

sim::BufferSpec FewTerms::makeSparseSpec() const {
  sim::BufferSpec spec = makeBufferSpec(arg, elements);
  spec.readOnly = spec.sparse = true;
  spec.fill = [own = *this](uint64_t offset, char *bytes, uint64_t length) {
    own.fill(offset, {bytes, static_cast<size_t>(length)});
  };
  return spec;
}

sim::BufferSpec FewTerms::makeSpec() const {
  constexpr uint64_t repeatedBytes = uint64_t(4) << 20;
  const unsigned size = getElementBytes(arg.getElementType());
  sim::BufferSpec spec = makeSparseSpec();
  spec.sparse = false;
  spec.repeated.resize(repeatedBytes);
  for (uint64_t at = 0; at < repeatedBytes; at += size)
    encodeFloat(arg.getElementType(), neutral, spec.repeated.data() + at);
  for (uint64_t place : places)
    if (const uint64_t at = place * size / unit * unit;
        spec.apart.empty() || spec.apart.back() != at)
      spec.apart.push_back(at);
  return spec;
}
