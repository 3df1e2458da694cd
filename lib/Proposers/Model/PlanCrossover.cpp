// Whether two parents mean the same by what is handed on is not asked: the
// verifier judges a child like anything else that is proposed.
#include "PlanCrossover.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include <set>

using namespace mlir;
using namespace evo;

static SmallVector<LaunchOp> launchesOf(const Attempt &attempt) {
  VariantOp variant = attempt.variant; // ops are handles, without const
  return llvm::to_vector(variant.getBody().getOps<LaunchOp>());
}

static std::set<StringRef> argumentsOf(ArrayRef<LaunchOp> launches) {
  std::set<StringRef> names;
  for (LaunchOp launch : launches)
    for (auto arg : launch.getArgs().getAsRange<ExprAttr>())
      names.insert(arg.getText());
  return names;
}

/// Scratch buffers that launches on both sides of `cut` use, in order.
static SmallVector<ScratchOp> liveAcross(const Attempt &attempt, unsigned cut) {
  SmallVector<LaunchOp> launches = launchesOf(attempt);
  std::set<StringRef> before = argumentsOf(ArrayRef(launches).take_front(cut)),
                      after = argumentsOf(ArrayRef(launches).drop_front(cut));
  VariantOp variant = attempt.variant;
  SmallVector<ScratchOp> live;
  for (auto scratch : variant.getBody().getOps<ScratchOp>())
    if (before.count(scratch.getName()) && after.count(scratch.getName()))
      live.push_back(scratch);
  return live;
}

static void addCuts(const Attempt &one, const Attempt &other,
                    std::vector<PlanCut> &cuts) {
  unsigned count = launchesOf(one).size(),
           otherCount = launchesOf(other).size();
  for (unsigned cut = 1; cut < count; ++cut)
    for (unsigned otherCut = 1; otherCut < otherCount; ++otherCut) {
      SmallVector<ScratchOp> mine = liveAcross(one, cut),
                             theirs = liveAcross(other, otherCut);
      bool fits = mine.size() == theirs.size() &&
                  llvm::all_of(llvm::zip(mine, theirs), [](auto pair) {
                    auto [a, b] = pair;
                    return a.getElementType() == b.getElementType() &&
                           a.getDims() == b.getDims();
                  });
      if (!fits)
        continue;
      PlanCut found{&one, &other, cut, otherCut, {}};
      for (auto [a, b] : llvm::zip(mine, theirs))
        found.handedOn.emplace_back(b.getName().str(), a.getName().str());
      cuts.push_back(std::move(found));
    }
}

std::vector<PlanCut> evo::findPlanCuts(ArrayRef<const Attempt *> members) {
  std::vector<PlanCut> cuts;
  for (const Attempt *one : members)
    for (const Attempt *other : members)
      if (one != other && !one->isSpecialized() && !other->isSpecialized())
        addCuts(*one, *other, cuts);
  return cuts;
}

namespace {
/// A child's ops, of both parents, under names of its own.
class Child {
public:
  explicit Child(MLIRContext *context) : b(context) {}
  std::string print(const PlanCut &cut);

private:
  OpBuilder b;
  SmallVector<OwningOpRef<Operation *>> scratches, launches, modules;
  std::set<std::string> names, kernels;

  std::string fresh(std::string name);
  void add(const Attempt &parent, ArrayRef<LaunchOp> taken,
           std::map<std::string, std::string> buffers);
};
} // namespace

std::string Child::fresh(std::string name) {
  while (!names.insert(name).second)
    name += "_x";
  return name;
}

/// `buffers` says what scratch buffers that exist already are called.
void Child::add(const Attempt &parent, ArrayRef<LaunchOp> taken,
                std::map<std::string, std::string> buffers) {
  VariantOp variant = parent.variant;
  std::set<StringRef> used = argumentsOf(taken);
  for (auto scratch : variant.getBody().getOps<ScratchOp>())
    if (used.count(scratch.getName()) &&
        !buffers.count(scratch.getName().str())) {
      std::string name = fresh(scratch.getName().str());
      buffers[scratch.getName().str()] = name;
      Operation *copy = scratch->clone();
      cast<ScratchOp>(copy).setName(name);
      scratches.emplace_back(copy);
    }
  // By the callee of the parent.
  llvm::DenseMap<Attribute, SymbolRefAttr> callees;
  for (auto module : variant.getBody().getOps<gpu::GPUModuleOp>()) {
    auto calls = [&](LaunchOp launch) {
      return launch.getCallee().getRootReference() == module.getNameAttr();
    };
    if (llvm::none_of(taken, calls))
      continue;
    auto copy = cast<gpu::GPUModuleOp>(module->clone());
    modules.emplace_back(copy.getOperation());
    copy.setName(fresh(module.getName().str()));
    SymbolTable symbols(copy);
    for (LaunchOp launch : llvm::make_filter_range(taken, calls)) {
      auto [callee, isNew] = callees.try_emplace(launch.getCallee());
      if (!isNew)
        continue;
      // Code generation knows kernels by their names alone.
      const StringAttr leaf = launch.getCallee().getLeafReference();
      std::string name = leaf.str();
      while (!kernels.insert(name).second ||
             (name != leaf && symbols.lookup(name)))
        name += "_x";
      if (name != leaf)
        (void)symbols.rename(symbols.lookup(leaf), name);
      callee->second = SymbolRefAttr::get(
          copy.getNameAttr(), FlatSymbolRefAttr::get(b.getContext(), name));
    }
  }
  for (LaunchOp launch : taken) {
    auto copy = cast<LaunchOp>(launch->clone());
    copy.setCalleeAttr(callees.lookup(launch.getCallee()));
    SmallVector<Attribute> arguments;
    for (auto arg : launch.getArgs().getAsRange<ExprAttr>()) {
      auto renamed = buffers.find(arg.getText().str());
      arguments.push_back(renamed == buffers.end()
                              ? arg
                              : ExprAttr::get(b.getContext(), renamed->second));
    }
    copy.setArgsAttr(b.getArrayAttr(arguments));
    launches.emplace_back(copy.getOperation());
  }
}

std::string Child::print(const PlanCut &cut) {
  SmallVector<LaunchOp> first = launchesOf(*cut.one),
                        last = launchesOf(*cut.other);
  add(*cut.one, ArrayRef(first).take_front(cut.cut), {});
  std::map<std::string, std::string> handedOn(cut.handedOn.begin(),
                                              cut.handedOn.end());
  add(*cut.other, ArrayRef(last).drop_front(cut.otherCut), handedOn);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto *ops : {&scratches, &launches, &modules})
    for (OwningOpRef<Operation *> &op : *ops) {
      op->print(os, OpPrintingFlags().useLocalScope());
      os << '\n';
    }
  return text;
}

/// What both parents say; of what they say differently, the first's. NVRTC
/// would start from a source, which a child does not have.
static DictionaryAttr optionsOf(const Attempt &one, const Attempt &other) {
  VariantOp first = one.variant, second = other.variant;
  NamedAttrList options;
  for (VariantOp parent : {second, first})
    if (DictionaryAttr given = parent.getOptionsAttr())
      for (StringRef name : {"maxnreg", "opt"})
        if (Attribute value = given.get(name))
          options.set(name, value);
  return options.getDictionary(first.getContext());
}

bool evo::crossPlans(KernelOp kernel, std::vector<PlanCut> cuts,
                     StringRef operation, ProposalWriter &writer,
                     Random &random) {
  while (!cuts.empty()) {
    size_t index = random.below(cuts.size());
    PlanCut cut = std::move(cuts[index]);
    cuts.erase(cuts.begin() + index);
    std::string text = Child(kernel.getContext()).print(cut);
    if (llvm::any_of(
            kernel.getBody().getOps<ProposalOp>(),
            [&](ProposalOp proposal) { return proposal.getText() == text; }))
      continue;
    VariantOp one = cut.one->variant;
    std::string rationale =
        "the first " + std::to_string(cut.cut) + " launches of " +
        cut.one->name() + ", then those of " + cut.other->name() +
        " from number " + std::to_string(cut.otherCut) + " on";
    writer.addUnasked(Genome::MLIR, text, optionsOf(*cut.one, *cut.other),
                      one.getSymName(), rationale, operation);
    return true;
  }
  return false;
}
