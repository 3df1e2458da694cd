// Proposals, variants and their attributes as texts and numbers.
#include "Kernel.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Emit/Artifacts.h"
#include "evo/Interfaces/AsJSON.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Proposers/Model/Floor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;
using namespace evo::report;

/// As JSON has it, without quotes around texts.
static std::string print(Attribute attr) {
  llvm::json::Value value = describeAttribute(attr);
  if (auto text = value.getAsString())
    return text->str();
  return llvm::formatv("{0}", value).str();
}

static std::vector<Entry> print(DictionaryAttr attrs) {
  std::vector<Entry> entries;
  if (attrs)
    for (NamedAttribute attr : attrs)
      entries.push_back({attr.getName().str(), print(attr.getValue())});
  return entries;
}

/// Whether a knob is turned: these are the values that leave a kernel as it is.
static bool saysSomething(StringRef value) {
  return !llvm::is_contained<StringRef>(
      {"default", "no", "none", llvmGenerator, "any", "near", "1 1 1"}, value);
}

/// Knobs and other options in a line; those that say nothing are left out.
static std::string printOptions(DictionaryAttr options) {
  std::string text;
  if (!options)
    return text;
  for (NamedAttribute option : options)
    if (auto nested = dyn_cast<DictionaryAttr>(option.getValue())) {
      for (NamedAttribute knob : nested)
        if (std::string value = print(knob.getValue()); saysSomething(value))
          text += knob.getName().str() + "=" + value + "  ";
    } else {
      text += option.getName().str() + "=" + print(option.getValue()) + "  ";
    }
  return StringRef(text).rtrim().str();
}

static std::optional<Resources> totals(ArrayAttr resources) {
  if (!resources || resources.empty())
    return std::nullopt;
  Resources result;
  for (auto entry : resources.getAsRange<ResourcesAttr>()) {
    result.registers = std::max(result.registers, entry.getRegisters());
    result.spillBytes += entry.getSpillStores() + entry.getSpillLoads();
    result.sharedBytes = std::max(result.sharedBytes, entry.getShared());
  }
  return result;
}

static void addVariant(Candidate &candidate, KernelOp kernel,
                       VariantOp variant) {
  if (EvidenceAttr evidence = variant.getEvidenceAttr()) {
    candidate.grade = stringifyGrade(evidence.getGrade()).str();
    candidate.evidence = print(evidence.getDetails());
    candidate.evidence.push_back({"hash", evidence.getHash().str()});
  }
  candidate.requirements.clear();
  if (ArrayAttr requirements = variant.getRequirementsAttr())
    for (auto need : requirements.getAsRange<RequirementAttr>())
      candidate.requirements.push_back(need.getText().str());
  if (auto sum = totals(variant.getResourcesAttr()))
    candidate.resources = sum;
  if (auto time = weightedTime(variant, /*measured=*/false))
    candidate.estimated = time;
  if (auto time = weightedTime(variant, /*measured=*/true))
    candidate.measured = time;
  candidate.arithmetic = weightedMean(kernel, arithmeticMicros(variant));
  if (CostAttr cost = variant.getMeasuredAttr(); cost && cost.getDetails())
    candidate.counters =
        print(cost.getDetails().getAs<DictionaryAttr>(countersDetail));
  if (CostAttr estimate = variant.getEstimateAttr()) {
    candidate.estimate.clear();
    for (Entry &entry : print(estimate.getDetails()))
      if (entry.name == bottleneckDetail || entry.name == occupancyDetail)
        candidate.estimate.push_back(std::move(entry));
  }
}

static void addProposal(Candidate &candidate, KernelOp kernel,
                        ProposalOp proposal) {
  // Proposers name what they change: a proposal, or the variant made of it.
  candidate.parent = proposal.getParent().value_or("").str();
  if (auto variant = kernel.lookupSymbol<VariantOp>(candidate.parent))
    if (ProposalOp parent = variant.lookupProposal())
      candidate.parent = parent.getSymName().str();
  candidate.proposer = proposal.getProposer().str();
  candidate.genome = proposal.getGenome();
  candidate.options = printOptions(proposal.getOptionsAttr());
  candidate.rationale = proposal.getRationale().value_or("").str();
  candidate.code = proposal.getText().str();
  if (auto model = proposal->getAttrOfType<StringAttr>(modelAttr))
    candidate.model = model.str();
  if (proposal.getFailure()) {
    candidate.stage = proposal.getStage();
    candidate.failure = proposal.getFailure()->str();
    if (auto fault = faultOf(proposal))
      candidate.fault = faultName(*fault).str();
  }
  if (VariantOp variant = proposal.lookupVariant())
    addVariant(candidate, kernel, variant);
}

static std::string print(WorkloadAttr workload) {
  std::string text;
  for (const Entry &size : print(workload.getSizes()))
    text += (text.empty() ? "" : ", ") + size.name + " = " + size.value;
  return text;
}

/// Names the card that was measured on, or else the one that estimates are for.
/// The latter is returned; null where there is none of that name.
static TargetAttrInterface findMachine(Search &search, KernelOp kernel) {
  StringAttr estimatedFor;
  for (auto variant : kernel.getBody().getOps<VariantOp>()) {
    if (CostAttr cost = variant.getMeasuredAttr())
      search.machine = cost.getMachine().str();
    if (CostAttr cost = variant.getEstimateAttr())
      estimatedFor = cost.getMachine();
  }
  if (search.machine.empty() || !search.isMeasured())
    search.machine = estimatedFor ? estimatedFor.str() : "";
  if (!estimatedFor || !target::findTarget(estimatedFor))
    return {};
  return parseTarget(kernel.getContext(), estimatedFor);
}

void evo::report::addKernel(Search &search, KernelOp kernel) {
  search.kernel = kernel.getSymName().str();
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    addProposal(search.get(proposal.getSymName()), kernel, proposal);
  auto nameOf = [&](StringRef symbol) {
    auto variant = kernel.lookupSymbol<VariantOp>(symbol);
    ProposalOp proposal = variant ? variant.lookupProposal() : ProposalOp();
    return (proposal ? proposal.getSymName() : symbol).str();
  };
  if (kernel.getBest())
    search.best = nameOf(*kernel.getBest());
  if (auto names = kernel->getAttrOfType<ArrayAttr>(specializedAttr)) {
    search.specialized.clear();
    for (auto name : names.getAsRange<FlatSymbolRefAttr>())
      search.specialized.push_back(nameOf(name.getValue()));
  }
  const TargetAttrInterface device = findMachine(search, kernel);
  search.workloads.clear();
  std::vector<double> bytes;
  if (ArrayAttr workloads = kernel.getWorkloadsAttr();
      workloads && kernel.getArgsAttr())
    for (auto workload : workloads.getAsRange<WorkloadAttr>()) {
      search.workloads.push_back(print(workload));
      auto floor =
          device ? floorMicros(kernel, workload, device) : std::nullopt;
      bytes.push_back(floor.value_or(-1));
    }
  search.bytesFloor = weightedMean(kernel, bytes);
  if (auto floor = device ? floorMicros(kernel, device) : std::nullopt)
    search.floor = floor;
}

/// A launch plan as MLIR, without what was found out about it.
static std::string printPlan(LaunchPlanOpInterface plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Operation &op : plan.getBody().front()) {
    if (op.getName().getStringRef() == "gpu.binary")
      continue; // machine code
    op.print(os, OpPrintingFlags().useLocalScope().elideLargeElementsAttrs());
    os << '\n';
  }
  return text;
}

void evo::report::addSources(Search &search, KernelOp kernel) {
  const Candidate *best = search.findBest();
  VariantOp variant;
  if (auto proposal =
          best ? kernel.lookupSymbol<ProposalOp>(best->name) : ProposalOp())
    variant = proposal.lookupVariant();
  ReferenceOp reference = kernel.getReference();
  std::optional<std::string> source;
  if (variant)
    source = findSource(variant);
  if (reference && reference.getSource() && (source || !variant)) {
    search.input = reference.getSource()->str();
  } else if (reference) {
    // Against a winner that has no source, both as the plans they are.
    search.input = printPlan(reference);
  }
  if (variant) {
    search.winner = source ? *source : printPlan(variant);
    search.areBothPlans = !source;
  }
}
