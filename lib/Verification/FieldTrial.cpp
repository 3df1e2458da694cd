// Samples for the field: generic data, since its word is about the path that
// data take, and inputs drawn in the field independently of their numbers.
#include "FieldTrial.h"
#include "Compare.h"
#include "Verification/Sampling/Shapes.h"
#include <cmath>

using namespace mlir;
using namespace evo;
using sim::Field;
using sim::FieldNote;
using sim::FieldValue;

/// A sample whose decisions rounding or ties made does not count; other data
/// may well.
static constexpr unsigned maxDraws = 4;
/// Half of all outputs behind a root count in one run of a sample.
static constexpr unsigned maxRepetitions = 24;

static const FieldNote *findForfeit(const Field &field) {
  for (const FieldNote &note : field.notes())
    if (note.forfeits())
      return &note;
  return nullptr;
}

/// The value of an element of a plan's memory after its run.
static FieldValue readValue(Field &field, const sim::GlobalMemory &memory,
                            sim::BufferId id, Type type, uint64_t index) {
  uint64_t at = index * getElementBytes(type);
  Field::Handle handle = memory.fieldHandle(id, at);
  sim::ElementKind kind = getElementKind(type);
  FieldValue value =
      handle == Field::literalHandle
          ? field.literal(decodeFloat(type, memory.bytes(id) + at), kind)
          : field.at(handle);
  if (handle != Field::literalHandle && value.type != kind)
    return field.lost(FieldNote::Lost,
                      "an output's bytes were not stored as its type", {});
  return value;
}

void FieldTrial::limit(const Field &field, StringRef whose) {
  for (const FieldNote &note : field.notes()) {
    if (note.kind == FieldNote::ToInteger && notAlgebraic.empty())
      notAlgebraic = (whose + ": " + note.str()).str();
    if (note.kind == FieldNote::Contraction && notExact.empty())
      notExact = (whose + ": " + note.str()).str();
  }
  for (const std::string &text : field.snapped())
    if (!llvm::is_contained(snapped, text))
      snapped.push_back(text);
}

bool FieldTrial::compare(const TrialInputs &inputs, const TrialRun &wanted,
                         const TrialRun &got, Field &wantedField,
                         Field &gotField,
                         llvm::StringMap<std::vector<bool>> &pending) {
  bool complete = true;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    Type type = buffer.arg.getElementType();
    if (!buffer.arg.isWritten() || !isa<FloatType>(type))
      continue;
    StringRef name = buffer.arg.getName().getValue();
    sim::BufferId wantedId = wanted.values.buffers.lookup(name),
                  gotId = got.values.buffers.lookup(name);
    std::vector<bool> &open = pending[name];
    if (open.empty())
      open.assign(buffer.elements, true);
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      if (!wanted.memory->isInitialized(wantedId, i * getElementBytes(type))) {
        open[i] = false;
        continue;
      }
      FieldValue r = readValue(wantedField, *wanted.memory, wantedId, type, i);
      FieldValue c = readValue(gotField, *got.memory, gotId, type, i);
      std::string where = name.str() + "[" + std::to_string(i) + "] at " +
                          printBindings(inputs.sizes);
      if (r.expression != c.expression && notExact.empty())
        notExact = "other operations lead to " + where;
      for (auto [value, field, whose] :
           {std::tuple(&r, &wantedField, "the reference"),
            std::tuple(&c, &gotField, "the candidate")})
        if (value->kind == FieldValue::Lost) {
          if (!notAlgebraic.empty())
            return false;
          notAlgebraic = std::string(whose) + " has no formula for " + where;
          if (value->note)
            notAlgebraic += ": " + field->notes()[value->note - 1].str();
          return false;
        }
      if (r.uncounted || c.uncounted) {
        complete &= !open[i];
        continue;
      }
      if (!wantedField.equal(r, c)) {
        if (!notAlgebraic.empty())
          return false;
        notAlgebraic = "another function than the reference's at " + where +
                       ", though within the bound";
        differsAt = inputs;
        return false;
      }
      open[i] = false;
    }
  }
  return complete;
}

FieldTrial::Outcome FieldTrial::trySample(const TrialInputs &inputs,
                                          sim::Options engine, Random random) {
  engine.shadow = sim::Shadow::ValueAndField;
  llvm::StringMap<std::vector<bool>> pending;
  for (unsigned repetition = 0; repetition < maxRepetitions; ++repetition) {
    uint64_t seed = random.next();
    Field wantedField(seed), gotField(seed);
    engine.field = &wantedField;
    llvm::Expected<TrialRun> wanted = runTrial(reference, inputs, engine, 0);
    if (!wanted)
      return llvm::consumeError(wanted.takeError()), Outcome();
    if (!wanted->result.clean())
      return Outcome();
    for (const TrialInputs::Buffer &buffer : inputs.buffers)
      if (buffer.arg.isWritten() &&
          !isFiniteOutput(
              buffer.arg, buffer.elements, *wanted->memory,
              wanted->values.buffers.lookup(buffer.arg.getName().getValue())))
        return Outcome();
    engine.field = &gotField;
    engine.poison = random.next();
    uint64_t order = random.next() | 1;
    llvm::Expected<TrialRun> got =
        runTrial(candidate, inputs, engine, inOrder ? 0 : order);
    if (!got)
      return llvm::consumeError(got.takeError()), Outcome();
    if (!got->result.clean()) {
      const sim::Finding &finding = got->result.findings.front();
      if (sim::isNoFault(finding.kind))
        return {Outcome::Dropped, finding.str(), std::nullopt};
      return {Outcome::Faulty, std::nullopt, finding};
    }
    uint64_t used = wanted->result.stats.laneInstructions +
                    got->result.stats.laneInstructions;
    instructionsLeft -= std::min(instructionsLeft, used);
    limit(wantedField, "the reference");
    limit(gotField, "the candidate");
    for (auto [field, whose] : {std::pair(&wantedField, "the reference"),
                                std::pair(&gotField, "the candidate")})
      if (const FieldNote *note = findForfeit(*field)) {
        if (note->kind == FieldNote::TooLarge)
          return {Outcome::Dropped, note->str(), std::nullopt};
        return {Outcome::Forfeited, std::string(whose) + ": " + note->str(),
                std::nullopt};
      }
    for (auto [field, all] : {std::pair(&wantedField, &decisions[0]),
                              std::pair(&gotField, &decisions[1])})
      for (auto &[instruction, decision] : field->decisions()) {
        (*all)[instruction].ways |= decision.ways;
        (*all)[instruction].location = decision.location;
      }
    if (compare(inputs, *wanted, *got, wantedField, gotField, pending))
      return {Outcome::Counted, std::nullopt, std::nullopt};
    if (!notAlgebraic.empty())
      return {Outcome::Counted, std::nullopt, std::nullopt};
  }
  return {Outcome::Forfeited,
          "roots of what is no square in the field keep outputs from counting",
          std::nullopt};
}

std::optional<sim::Finding> FieldTrial::tryShape(const Bindings &sizes,
                                                 const sim::Options &engine,
                                                 Random random) {
  for (const ExecutablePlan *plan : {&reference, &candidate})
    if (!plan->getFloatControl().empty()) {
      notAlgebraic = std::string(plan == &reference ? "the reference: "
                                                    : "the candidate: ") +
                     plan->getFloatControl().front().str();
      return std::nullopt;
    }
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isWritten() && !isa<FloatType>(arg.getElementType())) {
      notAlgebraic = "the integers of '" + arg.getName().getValue().str() +
                     "' have no formula, and are only compared";
      return std::nullopt;
    }
  static constexpr Distribution kinds[] = {
      Distribution::Normal, Distribution::Uniform, Distribution::Large};
  std::optional<std::string> why;
  for (unsigned draw = 0; draw < maxDraws; ++draw) {
    Distribution kind = draw ? Distribution::Normal : kinds[shapes % 3];
    llvm::Expected<TrialInputs> inputs =
        drawInputs(kernel, sizes, kind, {}, random.split(), /*generic=*/true);
    if (!inputs) {
      llvm::consumeError(inputs.takeError());
      return std::nullopt;
    }
    Outcome outcome = trySample(*inputs, engine, random.split());
    switch (outcome.kind) {
    case Outcome::Faulty:
      return outcome.finding;
    case Outcome::Counted:
      ++counted;
      ++shapes;
      return std::nullopt;
    case Outcome::Forfeited:
      ++forfeited;
      why = outcome.why;
      break;
    case Outcome::Dropped:
      // A shape too large says nothing; one of them may be all there is.
      if (outcome.why) {
        lastDropped = *outcome.why + ": " + printBindings(sizes);
        return std::nullopt;
      }
      break;
    }
  }
  if (why)
    notAlgebraic = "no sample at " + printBindings(sizes) + " counts; " + *why;
  return std::nullopt;
}

/// A comparison that always went one way hides what happens on the other.
void FieldTrial::finish() {
  if (!counted && notAlgebraic.empty())
    notAlgebraic = lastDropped.empty()
                       ? "every sample is over budget for the field"
                       : "no sample counts; " + lastDropped;
  for (unsigned plan : {1, 0})
    for (auto &[instruction, decision] : decisions[plan])
      if (decision.ways != 3 && notAlgebraic.empty()) {
        notAlgebraic = plan ? "the candidate: " : "the reference: ";
        notAlgebraic += "a comparison of floats went one way on all samples";
        if (decision.location.line)
          notAlgebraic += " at " + decision.location.str();
      }
}
