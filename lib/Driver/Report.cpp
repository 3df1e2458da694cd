// Table and JSON report of a search.
#include "Report.h"
#include "Causes.h"
#include "Driver/Optimize/Wording.h"
#include "evo/Dialect/Evo/IR/Shipped.h"
#include "evo/Driver/Headline.h"
#include "evo/Interfaces/AsJSON.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Interfaces/Fitness.h"
#include "evo/Proposers/Model/Floor.h"
#include "evo/Support/Counted.h"
#include "evo/Support/CounterMetrics.h"
#include "evo/Support/Fixed.h"
#include "evo/Support/Sort.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

static StringRef getObject(VariantOp variant, gpu::CompilationTarget format) {
  for (auto binary : variant.getBody().getOps<gpu::BinaryOp>())
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      if (object.getFormat() == format)
        return object.getObject().getValue();
  return "";
}

StringRef evo::getPTX(VariantOp variant) {
  return getObject(variant, gpu::CompilationTarget::Assembly);
}
StringRef evo::getCubin(VariantOp variant) {
  return getObject(variant, gpu::CompilationTarget::Binary);
}

std::string evo::describeOrigin(KernelOp kernel, VariantOp variant) {
  ProposalOp proposal = variant.lookupProposal();
  if (!proposal)
    return variant.getOrigin() ? variant.getOrigin()->getProposer().str() : "";
  std::string text = proposal.getProposer().str();
  if (DictionaryAttr options = proposal.getOptionsAttr()) {
    if (auto knobs = options.getAs<DictionaryAttr>("knobs"))
      for (NamedAttribute knob : knobs) {
        std::string value;
        if (auto string = dyn_cast<StringAttr>(knob.getValue()))
          value = string.str();
        else if (auto number = dyn_cast<IntegerAttr>(knob.getValue()))
          value = std::to_string(number.getInt());
        if (value != "default" && value != "no" && value != "none" &&
            value != llvmGenerator && value != "any" && value != "near" &&
            // data format: values of knobs
            value != "1 1 1")
          text += " " + knob.getName().str() + "=" + value;
      }
  }
  if (proposal.getRationale())
    text += ": " + proposal.getRationale()->split('\n').first.str();
  return text;
}

namespace {
/// Sums over the kernels of a variant.
struct Totals {
  int64_t registers = 0, spills = 0, shared = 0;
};
} // namespace

static std::optional<Totals> totals(VariantOp variant) {
  ArrayAttr resources = variant.getResourcesAttr();
  if (!resources || resources.empty())
    return std::nullopt;
  Totals result;
  for (auto entry : resources.getAsRange<ResourcesAttr>()) {
    result.registers = std::max(result.registers, entry.getRegisters());
    result.spills += entry.getSpillStores() + entry.getSpillLoads();
    result.shared =
        std::max(result.shared,
                 entry.getShared() +
                     dynamicSharedBytes(variant, entry.getKernel().getValue()));
  }
  return result;
}

/// Variants with accepting evidence, fastest first.
static SmallVector<VariantOp> ranked(KernelOp kernel, bool &measured) {
  SmallVector<VariantOp> variants;
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (variant.getEvidence() && variant.getEvidenceAttr().isAccepted())
      variants.push_back(variant);
  measured =
      llvm::any_of(variants, [](VariantOp v) { return v.getMeasured(); });
  // Measured before estimated, each by its own time.
  stableSortBy(variants, [](VariantOp variant) {
    bool own = variant.getMeasured().has_value();
    return std::pair(!own, weightedTime(variant, own).value_or(HUGE_VAL));
  });
  return variants;
}

/// How much faster than the baseline, by times of the same source.
static std::optional<double> speedUp(KernelOp kernel, VariantOp variant) {
  VariantOp baseline = kernel.lookupBaseline();
  for (bool measured : {true, false}) {
    std::optional<double> before, after = weightedTime(variant, measured);
    if (baseline)
      before = weightedTime(baseline, measured);
    if (before && after && *after > 0)
      return *before / *after;
  }
  return std::nullopt;
}

namespace {
/// One line of the table, cut to a terminal. Numbers are of more use than
/// words, and a line that is broken in two of none: a terminal without room for
/// all columns has those that say least left out.
class TableRow {
public:
  /// `columns`: 0, or those of the terminal.
  TableRow(unsigned columns, bool anyMeasured)
      : columns(columns), hasMeasured(anyMeasured || isWide(96)),
        hasResources(isWide(72)) {}

  void addNames(StringRef variant, StringRef grade) {
    addCell(variant, 14);
    addCell(grade, 9);
  }
  void addResources(StringRef registers, StringRef spills, StringRef shared) {
    if (!hasResources)
      return;
    addCell(registers, 5);
    addCell(spills, 6);
    addCell(shared, 7);
  }
  void addTimes(StringRef estimated, StringRef measured, StringRef factor) {
    addCell(estimated, 12);
    if (hasMeasured)
      addCell(measured, 12);
    addCell(factor, 8);
  }
  void print(raw_ostream &os, StringRef words) const {
    os << StringRef(columns ? fit((row + words).str(), columns)
                            : (row + words).str())
              .rtrim()
       << '\n';
  }

private:
  unsigned columns;
  bool hasMeasured, hasResources;
  std::string row;

  bool isWide(unsigned enough) const { return !columns || columns >= enough; }
  void addCell(StringRef text, unsigned width) {
    std::string cut = text.size() > width
                          ? text.take_front(width - 1).str() + "~"
                          : text.str();
    llvm::raw_string_ostream(row) << llvm::left_justify(cut, width) << ' ';
  }
};
} // namespace

static void printRow(raw_ostream &terminal, KernelOp kernel, VariantOp variant,
                     TableRow row) {
  std::string origin;
  llvm::raw_string_ostream words(origin);
  auto number = [](std::optional<double> value) {
    return value ? showTenths(*value) : "-";
  };
  bool isBest = kernel.getBest() == variant.getSymName();
  auto specialized = kernel->getAttrOfType<ArrayAttr>(specializedAttr);
  bool isShipped =
      specialized &&
      llvm::is_contained(specialized.getAsRange<FlatSymbolRefAttr>(),
                         FlatSymbolRefAttr::get(variant));
  row.addNames((isBest      ? "* "
                : isShipped ? "+ "
                            : "  ") +
                   variant.getSymName().str(),
               stringifyGrade(variant.getEvidenceAttr().getGrade()));
  if (std::optional<Totals> sum = totals(variant))
    row.addResources(std::to_string(sum->registers),
                     std::to_string(sum->spills), std::to_string(sum->shared));
  else
    row.addResources("-", "-", "-");
  std::optional<double> factor = speedUp(kernel, variant);
  row.addTimes(number(weightedTime(variant, false)),
               number(weightedTime(variant, true)),
               factor ? showFactor(*factor) : "-");
  words << describeOrigin(kernel, variant);
  if (variant.getRequirements()) {
    words << " [";
    llvm::interleaveComma(
        variant.getRequirementsAttr().getAsRange<RequirementAttr>(), words,
        [&](RequirementAttr need) { words << need.getText(); });
    words << "]";
  }
  row.print(terminal, origin);
}

/// "times on an H200, estimated, and on an NVIDIA H200, measured"
static void printMachines(raw_ostream &os, ArrayRef<VariantOp> variants) {
  std::string text;
  auto add = [&](CostAttr cost, StringRef how) {
    text += (text.empty() ? "times on " : ", and on ") +
            describeMachine(cost.getMachine().getValue()) + ", " + how.str();
  };
  auto find = [&](auto hasCost) { return llvm::find_if(variants, hasCost); };
  auto *estimated = find([](VariantOp v) { return v.getEstimateAttr(); });
  auto *timed = find([](VariantOp v) { return v.getMeasuredAttr(); });
  if (estimated != variants.end())
    add(VariantOp(*estimated).getEstimateAttr(), "estimated");
  if (timed != variants.end())
    add(VariantOp(*timed).getMeasuredAttr(), "measured");
  if (!text.empty())
    os << text << '\n';
}

/// "roofline 170.7 us (bytes and arithmetic): baseline at 4 % ..."
static void printFloor(raw_ostream &os, KernelOp kernel,
                       ArrayRef<VariantOp> variants, double floor,
                       bool measured) {
  os << "  roofline " << showTenths(floor, "< ")
     << " us (bytes and arithmetic)";
  StringRef before = ": ";
  VariantOp baseline = kernel.lookupBaseline(), best;
  if (kernel.getBest())
    best = kernel.lookupSymbol<VariantOp>(*kernel.getBest());
  for (auto [which, title] : {std::pair(baseline, "baseline"), {best, "best"}})
    for (VariantOp variant : variants)
      if (variant == which)
        if (auto time = weightedTime(variant, measured)) {
          os << before << title << " at " << showShare(floor / *time)
             << " of that speed";
          before = ", ";
        }
  os << (measured ? ", measured" : ", estimated") << '\n';
}

/// What takes longer than the fastest and less energy, if anything does.
// no diagnostics: what a table says
static void printFront(raw_ostream &os, ArrayRef<Tradeoff> front) {
  if (front.size() < 2)
    return;
  constexpr size_t max = 4;
  os << "  time against energy: ";
  llvm::interleaveComma(front.take_front(max), os, [&](const Tradeoff &entry) {
    os << VariantOp(entry.variant).getSymName() << ' '
       << printFixed(entry.micros, 1) << " us and "
       << printFixed(entry.microjoules / 1e3, 2) << " mJ";
  });
  if (front.size() > max)
    os << " and " << front.size() - max << " more";
  os << (front.front().isEnergyMeasured ? " (energy measured)\n"
                                        : " (energy estimated)\n");
}

/// What the winner does on a device, at the workload that weighs the largest.
// no diagnostics: what a table says
static void printCounters(raw_ostream &os, KernelOp kernel) {
  auto best = kernel.getBest()
                  ? kernel.lookupSymbol<VariantOp>(*kernel.getBest())
                  : VariantOp();
  ArrayAttr workloads = kernel.getWorkloadsAttr();
  if (!best || !workloads || workloads.empty())
    return;
  unsigned index = 0;
  for (auto [other, workload] :
       llvm::enumerate(workloads.getAsRange<WorkloadAttr>()))
    if (workload.getWeight() > cast<WorkloadAttr>(workloads[index]).getWeight())
      index = other;
  auto value = [&](StringRef name) { return counterAt(best, name, index); };
  std::string text;
  auto add = [&](const llvm::Twine &part) {
    text += (text.empty() ? "  counted of the best: " : ", ") + part.str();
  };
  auto megabytes = [](double bytes) { return printFixed(bytes / 1e6, 1); };
  auto read = value("dram_read_bytes"), written = value("dram_written_bytes"),
       micros = timeAt(best, index, /*measured=*/true);
  if (read && written && micros)
    add(megabytes(*read) + " MB read and " + megabytes(*written) +
        " MB written of DRAM, " +
        printFixed((*read + *written) / *micros / 1e6, 2) + " TB/s");
  // The pipe that is used best, and what is waited for longest.
  for (auto [suffix, isPipe] :
       {std::pair("_pipe_percent", true), {"", false}}) {
    const CounterMetric *largest = nullptr;
    for (const CounterMetric &metric : getCounterMetrics())
      if ((isPipe ? metric.name.ends_with(suffix)
                  : metric.name.starts_with("stall_")) &&
          value(metric.name) &&
          (!largest || *value(metric.name) > *value(largest->name)))
        largest = &metric;
    if (largest && isPipe)
      add(printFixed(*value(largest->name), 0) + " % of the " +
          largest->name.drop_back(StringRef(suffix).size()) + " pipe");
    else if (largest)
      add("warps wait " +
          largest->title.split(" wait ").second.split(',').first);
  }
  if (auto joules = value("joules"))
    add(printFixed(*joules * 1e3, 2) + " mJ a call");
  if (!text.empty())
    os << text << '\n';
  else if (CostAttr cost = best.getMeasuredAttr(); cost && cost.getDetails())
    if (auto why = cost.getDetails().getAs<StringAttr>(notCountedDetail))
      os << "  counters are not on this machine: " << why.getValue() << '\n';
}

void evo::printTable(raw_ostream &os, KernelOp kernel, ArrayRef<Tradeoff> front,
                     StringRef target, unsigned columns) {
  bool measured;
  SmallVector<VariantOp> variants = ranked(kernel, measured);
  printMachines(os, variants);
  const TableRow blank(columns, measured);
  TableRow head = blank;
  head.addNames("  variant", "grade");
  head.addResources("regs", "spills", "shared");
  head.addTimes("est. us", "measured us", "speed-up");
  head.print(os, "how it was made");
  constexpr size_t maxRows = 12;
  for (auto [index, variant] : llvm::enumerate(variants)) {
    bool shown = index < maxRows || variant == kernel.lookupBaseline();
    if (shown)
      printRow(os, kernel, variant, blank);
  }
  if (variants.size() > maxRows)
    os << "  (" << variants.size() << " accepted in all)\n";
  if (std::optional<double> floor =
          floorMicros(kernel, parseTarget(kernel.getContext(), target)))
    printFloor(os, kernel, variants, *floor, measured);
  printCounters(os, kernel);
  printFront(os, front);
  if (kernel->hasAttr(specializedAttr))
    os << "  + is used where its requirements hold, * elsewhere\n";
  llvm::StringMap<unsigned> failures;
  unsigned unreadable = 0, empty = 0;
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (faultOf(proposal) == FaultKind::Server)
      ++unreadable;
    else if (proposal.getStage() == Stage::Answer)
      ++empty;
    else if (proposal.getStage())
      ++failures[stringifyStage(*proposal.getStage())];
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (variant.getEvidence() && !variant.getEvidenceAttr().isAccepted())
      ++failures[stringifyGrade(variant.getEvidenceAttr().getGrade())];
  SmallVector<StringRef> stages(failures.keys());
  llvm::sort(stages);
  for (StringRef stage : stages)
    os << "  " << counted(failures.lookup(stage), "candidate") << " ended in "
       << stage << '\n';
  if (empty)
    os << "  " << counted(empty, "answer") << " held no candidate\n";
  if (unreadable)
    os << "  " << counted(unreadable, "request")
       << " to the server had no answer that can be read\n";
}

llvm::json::Object evo::makeReport(KernelOp kernel, ArrayRef<Tradeoff> front,
                                   uint64_t seed, StringRef target) {
  bool measured;
  llvm::json::Array variants, failed;
  SmallVector<VariantOp> order = ranked(kernel, measured);
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (!llvm::is_contained(order, variant))
      order.push_back(variant);
  for (VariantOp variant : order) {
    llvm::json::Object entry{{"name", variant.getSymName()},
                             {"origin", describeOrigin(kernel, variant)}};
    if (ProposalOp proposal = variant.lookupProposal())
      entry["proposal"] = proposal.getSymName();
    if (EvidenceAttr evidence = variant.getEvidenceAttr())
      entry["evidence"] = llvm::json::Object{
          {"grade", stringifyGrade(evidence.getGrade())},
          {"hash", evidence.getHash().getValue()},
          {"details", describeAttribute(evidence.getDetails())}};
    if (std::optional<Totals> sum = totals(variant))
      entry["resources"] = llvm::json::Object{{"registers", sum->registers},
                                              {"spill_bytes", sum->spills},
                                              {"shared_bytes", sum->shared}};
    if (variant.getRequirements())
      entry["requires"] =
          describeAttribute(spellTexts(variant.getRequirementsAttr()));
    if (CostAttr cost = variant.getEstimateAttr())
      entry["estimate"] = describeCost(cost);
    if (CostAttr cost = variant.getMeasuredAttr())
      entry["measured"] = describeCost(cost);
    variants.push_back(std::move(entry));
  }
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    if (proposal.getStage())
      failed.push_back(llvm::json::Object{
          {"name", proposal.getSymName()},
          {"proposer", proposal.getProposer()},
          {"stage", stringifyStage(*proposal.getStage())},
          {"fault",
           faultName(faultOf(proposal).value_or(FaultKind::Candidate))},
          {"failure", llvm::json::fixUTF8(*proposal.getFailure())}});
  llvm::json::Object report{{"kernel", kernel.getSymName()},
                            {"tool", "evo-opt " EVO_VERSION},
                            {"seed", int64_t(seed)},
                            {"ranked_by", measured ? "measured" : "estimated"},
                            {"variants", std::move(variants)},
                            {"failed", std::move(failed)},
                            {"causes", describeCauses(collectCauses(kernel))}};
  if (std::optional<double> floor =
          floorMicros(kernel, parseTarget(kernel.getContext(), target)))
    report["floor_micros"] = *floor;
  llvm::json::Array pareto;
  for (const Tradeoff &entry : front)
    pareto.push_back(llvm::json::Object{
        {"variant", VariantOp(entry.variant).getSymName()},
        {"micros", entry.micros},
        {"microjoules", entry.microjoules},
        {"time_rests_on", entry.isTimeMeasured ? "measured" : "estimated"},
        {"energy_rests_on",
         entry.isEnergyMeasured ? "measured" : "estimated"}});
  report["pareto"] = std::move(pareto);
  if (kernel.getBest())
    report["best"] = *kernel.getBest();
  if (auto names = kernel->getAttrOfType<ArrayAttr>(specializedAttr)) {
    llvm::json::Array specialized;
    for (auto name : names.getAsRange<FlatSymbolRefAttr>())
      specialized.push_back(name.getValue());
    report["specialized"] = std::move(specialized);
  }
  return report;
}
