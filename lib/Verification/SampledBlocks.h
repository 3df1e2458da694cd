// A few blocks at the workload's own size: where 32 bits overflow in an
// address, or code asks for just that size, no small shape shows it.
#ifndef EVO_LIB_VERIFICATION_SAMPLEDBLOCKS_H
#define EVO_LIB_VERIFICATION_SAMPLEDBLOCKS_H

#include "Accuracy/AnyOrder.h"
#include "Compare.h"
#include "OnDemand/ElementReference.h"
#include "OnDemand/WriterModel.h"
#include "Sampling/Shapes.h"
#include "Trial.h"
#include "Verdict/Refutation.h"
#include <bitset>
#include <map>
#include <set>

namespace evo {

/// A set of bytes, by buffer and page of `1 << shift` of them.
struct SparseBlockPages
    : std::map<std::pair<sim::BufferId, uint64_t>, std::bitset<1 << 8>> {
  static constexpr unsigned shift = 8;
};

/// What a trial may take, in lane instructions.
struct BlockBudget {
  uint64_t all;         ///< of the check
  uint64_t &left;       ///< of that
  uint64_t ofBlock;     ///< of a block of the candidate as it is shipped
  uint64_t ofDetectors; ///< the same before optimisation
  uint64_t ofReference; ///< of what the reference does for one block
  uint64_t &leftOfReference;
  /// The same for one element that takes more, and for how many of them.
  uint64_t ofElement = 0;
  unsigned maxElements = 0;
  uint64_t separateAccess = 0; ///< as in the limits of a launch
  /// One run of a block costs at most a share of all, so that something is
  /// left for others.
  BlockBudget(uint64_t all, uint64_t &left)
      : all(all), left(left), ofBlock(all / 8), ofDetectors(all / 8),
        ofReference(all / 6), leftOfReference(left) {}
  BlockBudget(uint64_t all, uint64_t &left, uint64_t ofDetectors,
              uint64_t ofReference, uint64_t &leftOfReference,
              uint64_t ofElement, unsigned maxElements, uint64_t separateAccess)
      : all(all), left(left), ofBlock(all / 4), ofDetectors(ofDetectors),
        ofReference(ofReference), leftOfReference(leftOfReference),
        ofElement(ofElement), maxElements(maxElements),
        separateAccess(separateAccess) {}
};

/// Runs blocks of a candidate at one size, on sparse buffers whose contents are
/// functions of the place. Then finds blocks of the reference that write what
/// those wrote, and compares.
class SampledBlocksTrial {
public:
  /// What the evidence calls such data.
  static constexpr llvm::StringLiteral values = "full size";

  SampledBlocksTrial(KernelOp kernel, const ExecutablePlan &reference,
                     const ExecutablePlan &preOptimised,
                     const ExecutablePlan &postOptimised, Bindings sizes,
                     uint64_t seed, BlockBudget budget,
                     const ElementReference *elements = nullptr)
      : kernel(kernel), reference(reference), preOptimised(preOptimised),
        postOptimised(postOptimised), elements(elements),
        sizes(std::move(sizes)), seed(seed), budget(budget) {
    ofReference = findWriter(reference);
    ofCandidate = findWriter(preOptimised);
  }

  /// What a launch is run by where a whole block takes too much: its warps or
  /// its threads, where these share nothing. Numbers of blocks are those of
  /// such units then, block by block.
  struct Cut {
    unsigned parts = 1;
    bool byThread = false;
  };
  using Cuts = std::map<std::pair<bool, size_t>, Cut>; ///< reference's; launch
  Cuts cuts;

  /// The first, the middle and the last block of the launch that writes, or of
  /// the first one where several do, and those that literals name. Branches
  /// that the code before optimisation takes are noted.
  void run(sim::Coverage &coverage, llvm::ArrayRef<int64_t> literals);
  /// One block of that launch.
  void runBlock(uint64_t block, sim::Coverage &coverage) {
    const size_t launch = ofCandidate.value_or(0);
    do {
      isCut = false;
      if (block < preOptimised.countBlocks(sizes, launch))
        tryBlock(block * getCut(preOptimised, launch).parts, coverage);
    } while (isCut);
  }

  /// How many launches of the reference, from the first on, run clean at their
  /// end and in their middle, signed numbers within their range; 0 where that
  /// says nothing of a candidate.
  size_t countLaunchesThatReachTheEnd();
  /// From each of that many launches of the candidate the last block, the
  /// middle one and one by chance, and those that literals name: their results,
  /// accesses and signed numbers, and whether two of them write the same place.
  void runAtTheEnd(size_t launches, sim::Coverage &coverage,
                   llvm::ArrayRef<int64_t> literals);

  /// An element that no block of the candidate writes, where each thread has to
  /// write several of them.
  void findUnwrittenByGrid();
  /// Accesses and signed numbers in the last rounds of loops, for those that
  /// have more rounds than can be run.
  void tryLastRounds();

  /// Instructions of the first thread of the launch that writes, `limit` where
  /// it is not at its end by then. Nothing where threads need each other, or it
  /// fails.
  std::optional<uint64_t> countFirstThread(uint64_t limit);

  /// What is wrong with the candidate, if anything is, in words.
  std::optional<Refutation> describe() const {
    return describeTrial(finding, difference, argument, printBindings(sizes),
                         values);
  }
  std::optional<sim::Finding> finding;
  std::optional<Comparison> difference;
  std::string argument; ///< in which it is
  /// Something was left out, for one block alone runs for too long.
  bool overBudget = false;
  /// Of the data: two floats of some rows stand out.
  bool hasOutliers = true;
  double scale = 1; ///< of floats
  /// Most integers are the same, so that narrow counts of them overflow.
  bool areAlike = true;
  /// Data that are places of buffers are the last ones of these.
  bool lastPlaces = false;
  /// Why what was seen does not speak for the candidate at these sizes, if it
  /// does not.
  std::optional<std::string> notCompared;
  unsigned blocks = 0, compared = 0; ///< that ran; results
  /// "M = 8192, N = 8192: 3 of 8192 blocks, 768 results compared", or what was
  /// left out and why.
  std::string summary;

private:
  /// Bytes that were written, by argument and place.
  struct Writes;
  struct Run;
  KernelOp kernel;
  const ExecutablePlan &reference, &preOptimised, &postOptimised;
  /// The reference by elements, where it is one of tensors.
  const ElementReference *elements;
  Bindings sizes;
  uint64_t seed;
  BlockBudget budget;
  llvm::StringMap<sim::PageContents> contents;                ///< of inputs
  llvm::StringMap<std::shared_ptr<sim::ReadOnlyPages>> pages; ///< the same
  /// Of inputs that have outliers, the element of the last row that is large.
  llvm::StringMap<uint64_t> standsOut;
  std::string skipped;   ///< why not all values are compared
  sim::Dim3 grid, block; ///< of the candidate, once it has run
  /// The launches whose blocks can be compared; none where several write.
  std::optional<size_t> ofReference, ofCandidate;
  /// One of its blocks was; what is left goes to where it is cheaper.
  bool referenceIsOverBudget = false;
  /// So the contract does not cover these sizes.
  bool referenceFails = false;
  /// Signed numbers and places that two blocks write are looked at.
  bool atTheEnd = false;

  bool isCut = false; ///< since that was last reset
  Cut getCut(const ExecutablePlan &plan, size_t launch) const {
    auto cut = cuts.find({&plan == &reference, launch});
    return cut == cuts.end() ? Cut() : cut->second;
  }
  struct RunFacts;
  bool cutFiner(const RunFacts &run, const ExecutablePlan &plan, size_t launch,
                uint64_t limit = 0);
  uint64_t countUnits(const ExecutablePlan &plan, size_t launch) const {
    return plan.countBlocks(sizes, launch) * getCut(plan, launch).parts;
  }
  std::optional<size_t> findWriter(const ExecutablePlan &plan);
  /// Whether later launches may take addresses from what earlier ones wrote.
  bool handsOnIntegers(const ExecutablePlan &plan);
  llvm::Expected<std::unique_ptr<Run>> prepare(const ExecutablePlan &plan);
  bool isOfCandidate(const ExecutablePlan &plan) const {
    return &plan == &postOptimised || &plan == &preOptimised;
  }
  /// Lane instructions that runs of a plan may take yet, and might at first.
  uint64_t &leftFor(const ExecutablePlan &plan) {
    return isOfCandidate(plan) ? budget.left : budget.leftOfReference;
  }
  uint64_t allFor(const ExecutablePlan &plan) const {
    return isOfCandidate(plan) ? budget.all : 6 * budget.ofReference;
  }
  /// What is run.
  struct Request {
    const ExecutablePlan &plan;
    size_t launch;
    uint64_t block;
    unsigned warp = ~0u; ///< of it alone, unless ~0u; from the one at `part` on
    double part = 0;
    llvm::ArrayRef<uint64_t> more = {}; ///< blocks
    std::optional<Cut> cut = std::nullopt;
    ExecutablePlan::CodePart code = ExecutablePlan::CodePart::All;
    uint64_t limit = ~0ull; ///< of lane instructions, besides the budget's
    uint64_t own = 0;       ///< these instead of the budget's, unless 0
  };
  llvm::Expected<std::unique_ptr<Run>> runBlock(const Request &request,
                                                sim::Options options);
  llvm::Error runBlockOn(Run &run, const Request &request,
                         sim::Options options);
  static bool isFinite(ArgumentAttr arg, const sim::GlobalMemory &memory,
                       sim::BufferId id, uint64_t at);
  static bool isFault(sim::FindingKind kind);
  /// A buffer and a byte in it.
  using Place = std::pair<sim::BufferId, uint64_t>;
  static bool wrote(const Run &run, const Place &place);
  static std::unique_ptr<Run>
  bisect(uint64_t count, const Place &target,
         llvm::function_ref<std::unique_ptr<Run>(uint64_t)> probe,
         uint64_t &found);
  /// Runs a block, or a warp of it; null where nothing can be said of it.
  using Probe = llvm::function_ref<std::unique_ptr<Run>(uint64_t, unsigned)>;
  std::unique_ptr<Run> search(const Place &target, bool byWarps, Probe run);
  std::unique_ptr<Run> findReference(unsigned output, const Place &target,
                                     double part);
  void compareBlock(const Run &got);
  std::unique_ptr<Run> comparePlace(const Run &got, const Place &target);
  void compareRun(const Run &got);
  // OnDemand/CompareElements.cpp: single elements of the reference.
  std::unique_ptr<Run> runElements(unsigned output, unsigned launch,
                                   llvm::ArrayRef<uint64_t> places);
  /// By warps, where lanes have sums to share.
  std::unique_ptr<Run> runFewElements(unsigned output,
                                      llvm::ArrayRef<uint64_t> places);
  std::map<unsigned, unsigned> atOnce; ///< by output
  unsigned longElements = 0;           ///< that took more than a block may
  unsigned countAtOnce(unsigned output, uint64_t element,
                       std::unique_ptr<Run> &one);
  bool areRightInOrder(unsigned output, llvm::ArrayRef<uint64_t> places,
                       const Run &got);
  uint64_t findTelling(const Run &got, ArgumentAttr output,
                       const std::vector<uint64_t> &written);
  void compareElements(const Run &got);
  void judgeUncompared();
  std::unique_ptr<Run> runReference(uint64_t block, unsigned warp,
                                    double part = 0, bool judged = true);
  std::unique_ptr<Run> runReferenceUnit(const WriterModel &model, uint64_t unit,
                                        bool judged = true);
  void compare(const Run &wanted, const Run &got);
  /// Set while the reference runs for the terms of its sums, not for errors.
  sim::TermsArena *terms = nullptr;
  sim::Options optionsOfJudge();
  bool takeAnyOrder(const Run &wanted, ArgumentAttr arg,
                    llvm::ArrayRef<uint64_t> places, sim::GlobalMemory &dense);
  bool comparedNonzero = false; ///< something that should not be 0
  bool tryMore(llvm::function_ref<bool()> tryOne);
  bool tryNear(uint64_t block, uint64_t all,
               llvm::function_ref<bool(uint64_t)> tryOne);
  bool tryBlock(uint64_t block, sim::Coverage &coverage);
  // OnDemand/Coverage.cpp: which block writes an element.
  using Elements = WriterModel::Elements;
  /// What blocks of the candidate wrote of each output.
  std::map<uint64_t, std::vector<Elements>> seen;
  struct Output {
    ArgumentAttr arg;
    sim::BufferId id;
    uint64_t elements;
  };
  std::vector<Output> outputs;
  static Elements listWritten(const Run &run, unsigned output);
  void note(const Run &run);
  /// The launch at which that is looked, where there are several.
  std::optional<size_t> chained;
  /// What launches after it write, and whether one of them may write all of it.
  std::map<sim::BufferId, bool> isLater;
  /// Elements that launches which were looked at do not write, by output: an
  /// earlier one may.
  std::map<unsigned, llvm::SmallVector<uint64_t>> pending;
  /// Whether all elements that were asked for have a writer that was found.
  bool isCovered = false;
  void checkCoverage(std::optional<size_t> launch);
  void coverOutput(unsigned output, Random &random);
  void addMissing(unsigned output, const WriterModel &model,
                  llvm::SmallVectorImpl<uint64_t> &targets);
  std::unique_ptr<Run> runCandidate(uint64_t block);
  /// Lane instructions of the block of the candidate that ran last.
  uint64_t costOfBlock = 0;
  bool isOverBudgetForCoverage() const;
  void compareFound(const Run &run, const Place &place);
  std::optional<WriterModel> learnWriters(unsigned output,
                                          bool byDigits = false);
  std::map<unsigned, WriterModel> ofReferenceWriters;
  std::set<unsigned> withoutDigits; ///< outputs of the reference
  const WriterModel *learnReference(unsigned output, bool byDigits = false);
  bool findWriterOf(unsigned output, uint64_t element, WriterModel &model);
  void compareUntouched(unsigned output, uint64_t element);
  llvm::SmallVector<uint64_t> listWrittenByReference(unsigned output,
                                                     Random &random);
  /// The difference is an element that the reference writes, and nobody else.
  void takeUnwritten(ArgumentAttr arg, uint64_t element);
  void takeHole(unsigned output, uint64_t element, const WriterModel &model);
  Place getPlace(unsigned output, uint64_t element) const;
  const Output &getOutput(sim::BufferId id) const;
  // SampledBlocksChain.cpp: results that several launches make.
  struct Chain;
  using Pages = SparseBlockPages;
  void tryChains();
  void tryAllChains();
  void coverDespite(size_t launch);
  void findHoles();
  /// What a launch of the candidate reads and no earlier one writes.
  std::optional<sim::Finding> hole;
  std::string nameOf(const ExecutablePlan &plan) const;
  std::unique_ptr<Run> probe(const ExecutablePlan &plan, size_t launch,
                             llvm::ArrayRef<uint64_t> blocks, Pages &needs,
                             std::optional<Cut> cut = std::nullopt);
  /// Of one block with all that it rests on, by launch: lane instructions and
  /// what takes the time, instructions of warps.
  struct ChainCost {
    uint64_t lanes = 0, warps = 0;
  };
  std::map<size_t, ChainCost> costOfChains;
  uint64_t warpInstructions = 0; ///< of the candidate, so far
  /// Not all blocks of a launch were compared that were to be.
  bool chainsLeftOut = false;
  bool affordsChain(size_t launch);
  struct KnownProbe;
  /// Runs that took long, by plan, launch, block and its parts.
  std::map<std::tuple<const ExecutablePlan *, size_t, uint64_t, unsigned>,
           std::shared_ptr<KnownProbe>>
      probes;
  static constexpr llvm::StringLiteral chainOverBudget =
      "the blocks behind a block are over budget";
  std::unique_ptr<Run> prepareProbe(const ExecutablePlan &plan);
  std::unique_ptr<Run> probeStores(const ExecutablePlan &plan, size_t launch,
                                   uint64_t block,
                                   std::optional<Cut> cut = std::nullopt);
  std::unique_ptr<Run> probeMaker(const ExecutablePlan &plan, size_t launch,
                                  uint64_t block, const Place &place,
                                  Pages &needs);
  struct MovedPages;
  std::unique_ptr<Run> foresee(const ExecutablePlan &plan, size_t launch,
                               llvm::ArrayRef<uint64_t> blocks, Pages &needs);
  bool runChained(Run &run, const Request &request,
                  const sim::Options &options);
  std::set<std::pair<bool, size_t>> wholeOnly; ///< launches that no cut helps
  uint64_t getLimitOfWhole(const ExecutablePlan &plan, size_t launch,
                           std::optional<Cut> cut) const;
  uint64_t getUsualCost(const ExecutablePlan &plan) const;
  std::unique_ptr<Run> findMaker(const ExecutablePlan &plan, size_t launch,
                                 const Place &place, uint64_t bytes,
                                 uint64_t next, bool &isReader, bool &isOthers);
  // OnDemand/WriteRules.cpp: what a launch writes of a buffer.
  struct WriteRule;
  std::map<std::tuple<bool, size_t, sim::BufferId>, std::shared_ptr<WriteRule>>
      rules; ///< by whether it is the reference's, launch and buffer
  WriteRule *learnRule(const ExecutablePlan &plan, size_t launch,
                       sim::BufferId buffer);
  std::unique_ptr<Run> findByRule(const ExecutablePlan &plan, size_t launch,
                                  const Place &place, bool &isOthers);
  bool isHole(const ExecutablePlan &plan, size_t launch, const Place &place,
              bool mayRun);
  bool isHoleOfAll(const ExecutablePlan &plan, llvm::ArrayRef<size_t> launches,
                   const Place &place);
  void takeMade(const ExecutablePlan &plan, llvm::ArrayRef<size_t> passing,
                const Run &maker, sim::BufferId buffer, Pages &needs);
  std::optional<uint64_t> findBlockOfOutlier(size_t launch);
  bool isGiven(llvm::StringRef name);
  llvm::SmallVector<uint64_t> listMakers(const ExecutablePlan &plan,
                                         size_t launch, sim::BufferId buffer,
                                         const Pages &needs,
                                         llvm::ArrayRef<size_t> passing);
  bool cutChained(const RunFacts &run, const ExecutablePlan &plan,
                  size_t launch);
  bool isChainOverBudget(const ExecutablePlan &plan, const Chain &chain);
  void takeChainOverBudget(const ExecutablePlan &plan, const Chain &chain);
  bool addMakers(const ExecutablePlan &plan, const Run &reader, size_t launch,
                 size_t blocks, Pages needs, Chain &chain);
  std::unique_ptr<Run> runChain(const ExecutablePlan &plan, size_t launch,
                                uint64_t block, const Pages &needs,
                                const Chain &chain,
                                const sim::Options &options);
  bool tryChained(size_t launch, uint64_t block,
                  std::optional<Place> only = std::nullopt);
  static bool mayWriteBefore(const ExecutablePlan &plan, size_t launch,
                             llvm::StringRef buffer);
  bool isLast(size_t launch, const Place &place);
  bool isOwn(const Run &run, size_t launch,
             llvm::SmallVectorImpl<sim::BufferId> &hidden);
  void noteLater(size_t launch);
  std::unique_ptr<Run> runChainedReference(const Place &target);
  bool tryLaterLaunch(size_t launch, uint64_t block);
  void takeFault(const sim::Finding &fault, size_t launch, uint64_t block);
  bool runsCleanNear(size_t launch, double place);
  std::optional<sim::Finding> findReferenceFault(size_t launch, double place);
  void findDoubleWrite(const Run &got, const Run &wanted);
  void tryLiterals(llvm::ArrayRef<int64_t> literals,
                   llvm::SmallVectorImpl<uint64_t> &done,
                   sim::Coverage &coverage);
};

/// How values follow from places.
struct ValuesOfPlaces {
  /// Integers whose domain names extents are places: the last ones of those.
  bool lastPlaces = false;
  bool hasOutliers = true; ///< two floats of some rows stand out
  double scale = 1;        ///< of other floats
  /// Most integers are the same, so that narrow counts of them overflow.
  bool areAlike = true;
};

/// Gives floats that are no buffers the values that callers usually hand over,
/// or one of their domain.
void takeUsualFloats(KernelOp kernel, TrialValues &values);

/// Whether integers are told by what they count, not by the extents of buffers
/// that they may be places of.
bool areCounted(ArgumentAttr arg);

/// Contents of a sparse buffer of `arg`: values of its domain that follow from
/// seed and place.
sim::PageContents fillByPlace(ArgumentAttr arg, const Bindings &sizes,
                              uint64_t elements, uint64_t rowLength,
                              uint64_t seed, ValuesOfPlaces kind = {});

/// The element of the last row that is large, where two floats stand out;
/// nothing where none do.
std::optional<uint64_t> findOutlier(ArgumentAttr arg, uint64_t elements,
                                    uint64_t rowLength, uint64_t seed);

/// The same of integers that are all the largest of a declared range of
/// numbers, or the lowest where that is larger without its sign; null for
/// others.
sim::PageContents fillExtreme(ArgumentAttr arg, const Bindings &sizes);

/// The same of integers within a range, each of which is the number of the
/// element before it; null for all others.
sim::PageContents fillPath(ArgumentAttr arg, const Bindings &sizes);

/// The same of elements that are all alike, one, or half of it where those of
/// another buffer should be larger, or of integers as much as may be added up
/// without reaching `maxSum`, or as near to that as the domain has it, but for
/// one at an odd place near the end of each row, which is larger, or smaller:
/// null where the domain does not let them be alike. The only element of a
/// buffer is as the others, or as that one where `isPeak`.
sim::PageContents fillAlike(ArgumentAttr arg, const Bindings &sizes,
                            uint64_t elements, uint64_t rowLength,
                            int64_t maxSum, bool isBelow, bool isDip,
                            bool isPeak);

} // namespace evo

#endif
