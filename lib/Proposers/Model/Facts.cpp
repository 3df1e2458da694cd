// Facts out of the IR, and their files. A file is named by the hash of contract
// and candidate text, which another version of the tool computes alike.
#include "Facts.h"
#include "Text.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Support/CounterMetrics.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Files.h"
#include "evo/Support/Fixed.h"
#include "evo/Support/JSON.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace evo;
using llvm::json::Array;
using llvm::json::Object;

static void addResources(VariantOp variant, ResourcesAttr resources,
                         VariantFacts &facts) {
  StringRef symbol = resources.getKernel().getValue();
  std::string kernel = " of " + demangled(symbol);
  auto add = [&](StringRef metric, int64_t value) {
    facts.profile.emplace_back(metric.str() + kernel, std::to_string(value));
  };
  add("registers per thread", resources.getRegisters());
  add("bytes of shared memory per block",
      resources.getShared() + dynamicSharedBytes(variant, symbol));
  // no diagnostics: names of metrics
  if (resources.getSpillStores() || resources.getSpillLoads()) {
    add("bytes of spill stores", resources.getSpillStores());
    add("bytes of spill loads", resources.getSpillLoads());
  }
  if (resources.getStack())
    add("bytes of stack", resources.getStack());
}

/// What was counted on a device, by the words that people have for it.
static void addCounters(DictionaryAttr counters, VariantFacts &facts) {
  for (const CounterMetric &metric : getCounterMetrics()) {
    auto counted = counters.getAs<DenseF64ArrayAttr>(metric.name);
    if (!counted)
      continue;
    std::string text;
    for (double value : counted.asArrayRef())
      if (value != notServed)
        text += (text.empty() ? "" : ", ") + printFixed(value, 2);
    facts.profile.emplace_back(metric.title.str() + " (counted)", text);
  }
}

static void addDetails(CostAttr cost, VariantFacts &facts) {
  if (!cost || !cost.getDetails())
    return;
  if (auto counters = cost.getDetails().getAs<DictionaryAttr>(countersDetail))
    addCounters(counters, facts);
  for (NamedAttribute detail : cost.getDetails()) {
    std::string metric = detail.getName().getValue().str();
    if (cost.getSource() == CostSource::Estimated)
      metric += " (estimated)";
    if (auto text = dyn_cast<StringAttr>(detail.getValue()))
      facts.profile.emplace_back(metric, text.str());
    else if (auto number = dyn_cast<FloatAttr>(detail.getValue()))
      facts.profile.emplace_back(metric,
                                 printFixed(number.getValueAsDouble(), 2));
    else if (auto number = dyn_cast<IntegerAttr>(detail.getValue()))
      facts.profile.emplace_back(metric, std::to_string(number.getInt()));
  }
}

static VariantFacts readIR(VariantOp variant) {
  VariantFacts facts;
  if (CostAttr cost = variant.getEstimateAttr())
    facts.estimated = cost.getMicros().asArrayRef().vec();
  llvm::append_range(facts.arithmetic, arithmeticMicros(variant));
  if (CostAttr cost = variant.getMeasuredAttr())
    facts.measured = cost.getMicros().asArrayRef().vec();
  if (ArrayAttr all = variant.getResourcesAttr())
    for (auto resources : all.getAsRange<ResourcesAttr>())
      addResources(variant, resources, facts);
  addDetails(variant.getMeasuredAttr() ? variant.getMeasuredAttr()
                                       : variant.getEstimateAttr(),
             facts);
  return facts;
}

/// Hash of what makes the variant what it is: contract, text, options. The
/// requirements are part of the text.
static std::string keyOf(KernelOp kernel, VariantOp variant) {
  std::string text = printContractHeader(kernel, nullptr);
  llvm::raw_string_ostream os(text);
  ProposalOp proposal = variant.lookupProposal();
  os << '\0';
  if (proposal)
    os << stringifyGenome(proposal.getGenome()) << '\0' << proposal.getText();
  else if (variant.getSource())
    os << *variant.getSource();
  else
    for (Operation &op : variant.getBody().front())
      op.print(os, OpPrintingFlags().useLocalScope());
  os << '\0';
  if (variant.getOptions())
    os << variant.getOptionsAttr();
  return digest(text);
}

static llvm::json::Value toJSON(const VariantFacts &facts) {
  Array profile;
  for (const auto &[metric, value] : facts.profile)
    profile.push_back(
        Array{llvm::json::fixUTF8(metric), llvm::json::fixUTF8(value)});
  Object object{{"format", 1},
                {"estimatedMicros", Array(facts.estimated)},
                {"measuredMicros", Array(facts.measured)},
                {"profile", std::move(profile)}};
  if (!facts.arithmetic.empty())
    object["arithmeticMicros"] = Array(facts.arithmetic);
  return object;
}

static bool readNumbers(const Object &object, StringRef key,
                        std::vector<double> &numbers) {
  const Array *array = object.getArray(key);
  if (!array)
    return false;
  for (const llvm::json::Value &value : *array)
    if (auto number = value.getAsNumber())
      numbers.push_back(*number);
    else
      return false;
  return true;
}

static llvm::Expected<VariantFacts> readFacts(StringRef path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  auto bad = [&] {
    return llvm::createStringError("'" + path.str() +
                                   "' is not a record of facts");
  };
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return bad();
  }
  const Object *object = value->getAsObject();
  VariantFacts facts;
  if (!object || object->getInteger("format") != 1 ||
      !readNumbers(*object, "estimatedMicros", facts.estimated) ||
      !readNumbers(*object, "measuredMicros", facts.measured))
    return bad();
  // Older records have none.
  if (object->get("arithmeticMicros") &&
      !readNumbers(*object, "arithmeticMicros", facts.arithmetic))
    return bad();
  const Array *profile = object->getArray("profile");
  if (!profile)
    return bad();
  for (const llvm::json::Value &entry : *profile) {
    const Array *pair = entry.getAsArray();
    if (!pair || pair->size() != 2 || !(*pair)[0].getAsString() ||
        !(*pair)[1].getAsString())
      return bad();
    facts.profile.emplace_back(*(*pair)[0].getAsString(),
                               *(*pair)[1].getAsString());
  }
  return facts;
}

llvm::Expected<VariantFacts> FactStore::lookup(KernelOp kernel,
                                               VariantOp variant) const {
  if (source == FactSource::IR)
    return readIR(variant);
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "facts-" + keyOf(kernel, variant) + ".json");
  if (llvm::sys::fs::exists(path))
    return readFacts(path);
  if (source == FactSource::Replay)
    return VariantFacts();
  VariantFacts facts = readIR(variant);
  if (facts.empty())
    return facts;
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot create '" + folder +
                                   "': " + code.message());
  if (llvm::Error error = writeFileAtomically(
          path, llvm::formatv("{0:2}\n", toJSON(facts)).str()))
    return std::move(error);
  return facts;
}

static llvm::json::Value toJSON(const std::vector<ElsewhereProgram> &all) {
  Array programs;
  for (const ElsewhereProgram &program : all)
    programs.push_back(
        Object{{"kernel", llvm::json::fixUTF8(program.kernel)},
               {"candidate", llvm::json::fixUTF8(program.candidate)},
               {"language", llvm::json::fixUTF8(program.language)},
               {"code", llvm::json::fixUTF8(program.code)},
               {"rationale", llvm::json::fixUTF8(program.rationale)},
               {"speedup", program.speedup}});
  return Object{{"format", 1}, {"programs", std::move(programs)}};
}

static llvm::Expected<std::vector<ElsewhereProgram>>
readElsewhere(StringRef path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(*text);
  const Object *object = nullptr;
  if (value)
    object = value->getAsObject();
  else
    llvm::consumeError(value.takeError());
  const Array *programs = object && object->getInteger("format") == 1
                              ? object->getArray("programs")
                              : nullptr;
  std::vector<ElsewhereProgram> result;
  if (programs)
    for (const llvm::json::Value &entry : *programs) {
      const Object *program = entry.getAsObject();
      auto word = [&](StringRef key) {
        return program ? program->getString(key).value_or("").str()
                       : std::string();
      };
      result.push_back(
          {word("kernel"), word("candidate"), word("language"), word("code"),
           word("rationale"),
           program ? program->getNumber("speedup").value_or(1) : 1});
    }
  else
    return llvm::createStringError("'" + path.str() +
                                   "' is not a record of programs");
  return result;
}

llvm::Expected<std::vector<ElsewhereProgram>>
FactStore::elsewhere(KernelOp kernel, StringRef id, unsigned count,
                     const ModelProposerOptions &options) const {
  std::vector<ElsewhereProgram> nothing;
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "elsewhere-" + digest(id) + ".json");
  if (source != FactSource::IR && llvm::sys::fs::exists(path))
    return readElsewhere(path);
  if (source == FactSource::Replay || !options.archive)
    return nothing;
  auto found = options.archive(kernel, count);
  if (!found || found->empty() || source == FactSource::IR)
    return found;
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return llvm::createStringError("cannot create '" + folder +
                                   "': " + code.message());
  if (llvm::Error error = writeFileAtomically(
          path, llvm::formatv("{0:2}\n", toJSON(*found)).str()))
    return std::move(error);
  return found;
}
