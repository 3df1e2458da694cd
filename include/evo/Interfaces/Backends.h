// The roles of a search, as small abstract classes. A pass finds an
// implementation by name through BackendInterface, an interface of the evo
// dialect that the driver fills: passes know roles, only the driver knows
// compilers, devices and models.
//
// Who plays a role serves all kernels of a context, and a pass manager may be
// at several of them at once: every function of a role may be called by several
// threads, each for a kernel of its own, unless it says otherwise. What belongs
// to the search of one kernel is in its SearchSession
// (evo/Interfaces/SearchSession.h).
#ifndef EVO_INTERFACES_BACKENDS_H
#define EVO_INTERFACES_BACKENDS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/FaultKind.h"
#include "mlir/IR/DialectInterface.h"
#include <chrono>
#include <functional>

namespace evo {

struct SearchSession;

/// Turns the text of a proposal into a launch plan.
class Materializer {
public:
  virtual ~Materializer();
  /// The genome it reads.
  virtual Genome getGenome() const = 0;
  /// Fills the empty body of `variant`, and its `requirements`, from
  /// `proposal`. A failure has emitted a diagnostic, located in the proposal's
  /// text.
  virtual mlir::LogicalResult materialize(ProposalOp proposal,
                                          VariantOp variant) = 0;
  /// Does ahead what all proposals have in common, or fetches what an earlier
  /// process left of that, unless `isRepeated`: it is known then that there are
  /// several. A process calls it before it forks for them, while it has one
  /// thread; it may be called again.
  virtual void warmUp(bool isRepeated) { (void)isRepeated; }
};

/// Code of one plan for one target.
struct CodeObject {
  std::string ptx;
  std::string cubin; // empty where no assembler was found
  llvm::SmallVector<ResourcesAttr> resources;
};

class CodeGenerator {
public:
  virtual ~CodeGenerator();
  virtual llvm::StringRef getName() const = 0;
  /// Generates code for all device modules of `plan`. A failure has emitted a
  /// diagnostic.
  virtual mlir::FailureOr<CodeObject> generate(LaunchPlanOpInterface plan,
                                               TargetAttrInterface target) = 0;
};

struct VerificationRequest {
  TargetAttrInterface target;
  Effort effort = Effort::Default;
  uint64_t seed = 0;
  double seconds = 60;
  bool keepsCounterexample = false; ///< beside the evidence
};

/// What of a contract would reward a cheat.
struct AuditReport {
  std::vector<std::string> lines;       ///< a warning each
  std::optional<std::string> undecided; ///< why there is no answer
};

/// Discardable attribute of a kernel that was audited: the report's lines.
inline constexpr llvm::StringLiteral auditAttr = "evo.audit";

class Verifier {
public:
  virtual ~Verifier();
  /// Evidence on `plan` against its kernel's reference. Fails, with a
  /// diagnostic, only where contract or reference are at fault.
  virtual mlir::FailureOr<EvidenceAttr>
  verify(LaunchPlanOpInterface plan, const VerificationRequest &request) = 0;
  /// Looks for what of a contract and its reference would reward a cheat.
  /// Fails, with a diagnostic, where one of them is at fault.
  virtual mlir::FailureOr<AuditReport>
  audit(KernelOp kernel, TargetAttrInterface target, uint64_t seed) = 0;
  /// Whether `variant` holds accepting evidence for what would be shipped; else
  /// `why` says what is missing.
  virtual bool hasValidEvidence(VariantOp variant, TargetAttrInterface target,
                                std::string &why) = 0;
};

/// Lifts device code to a form that is easier to transform.
class Raiser {
public:
  virtual ~Raiser();
  /// Fills the empty body of `variant` with what `plan` does, at level L1. A
  /// failure has emitted a remark at the place that has no such form; the body
  /// is then of no use.
  virtual mlir::LogicalResult raise(LaunchPlanOpInterface plan,
                                    VariantOp variant,
                                    TargetAttrInterface target) = 0;
};

class Measurer {
public:
  virtual ~Measurer();
  virtual llvm::StringRef getName() const = 0;
  /// Whether it can work here; else `why` says what is missing.
  virtual bool isAvailable(std::string &why) = 0;
  /// How many variants of a kernel it can be at side by side.
  virtual unsigned width() const { return 1; }
  /// Time of `variant` for each workload of its kernel. A failure has emitted a
  /// diagnostic.
  virtual mlir::FailureOr<CostAttr> measure(VariantOp variant,
                                            TargetAttrInterface target) = 0;
  /// The same of several variants of one kernel. The baseline, which the others
  /// go by, is not among them unless it is alone.
  virtual std::vector<mlir::FailureOr<CostAttr>>
  measureAll(llvm::ArrayRef<VariantOp> variants, TargetAttrInterface target);
  /// Adds to a time that was measured what the hardware counts while the
  /// variant runs, where it can be counted; what cannot is remarked.
  virtual void count(VariantOp variant, TargetAttrInterface target) {}
  /// All variants of `kernel` are measured: the last chance to find that times
  /// of earlier and later ones cannot be compared, which is remarked.
  virtual void finish(KernelOp kernel) {}
};

/// Discardable attributes of a proposal by a model: the request that it comes
/// from, and the model that answered it where there are several.
inline constexpr llvm::StringLiteral requestAttr = "evo.request";
inline constexpr llvm::StringLiteral modelAttr = "evo.model";

class Proposer {
public:
  virtual ~Proposer();
  virtual llvm::StringRef getName() const = 0;
  /// Adds up to `count` proposals to `kernel`, in view of what was tried
  /// before. Adding none means that it has no more ideas, or that the time of
  /// `session` is over. Fails, with a diagnostic, only where its means are
  /// missing (no key, no answer file).
  virtual mlir::LogicalResult propose(KernelOp kernel, unsigned count,
                                      uint64_t seed,
                                      const SearchSession &session) = 0;
  /// Whether it goes by more than times: what the best variant so far does on a
  /// device is then counted before it is asked.
  virtual bool readsCounters() const { return false; }
};

/// What an isolated evaluation of one proposal gave.
struct Outcome {
  /// The module with the kernel as the stages left it; null where the worker
  /// died or the text could not be read back.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Whose fault it is that it failed; nothing: it did not.
  std::optional<FaultKind> fault;
  Stage stage = Stage::Parse; // where it ended, if it failed
  std::string failure;        // why, for people; empty on success
  /// Stage and seconds of one processor, in order; "process" is the whole.
  std::vector<std::pair<std::string, double>> timings;
  double seconds = 0; // by the clock, from the request to the answer
  /// The run was interrupted before there was an outcome; nothing else is set.
  bool interrupted = false;
};

/// Runs a pipeline on a module where its death is only a verdict. Threads may
/// share one: calls at the same time share what it has, and none waits for all
/// that another one evaluates, nor beyond its own deadline.
class Evaluator {
public:
  virtual ~Evaluator();
  /// Fails, with a diagnostic, only where the infrastructure does.
  virtual mlir::FailureOr<Outcome> evaluate(mlir::ModuleOp module,
                                            llvm::StringRef pipeline) = 0;

  /// Hands out the outcome of module number `index`. A failure ends the
  /// evaluation as one; false ends it, and what was not handed out yet counts
  /// as never evaluated.
  using OnOutcome =
      llvm::function_ref<mlir::FailureOr<bool>(size_t index, Outcome &outcome)>;
  /// None: there is no bound of time.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  /// Evaluates all modules, several at a time where it can; the outcomes are
  /// handed out in the order of the modules. Ends early, without a failure,
  /// when the run is interrupted or `deadline` is over: what is under way then
  /// counts as never evaluated. Adds to `busy`, which may be null, the
  /// seconds of this call in which at least one of its evaluations was under
  /// way elsewhere, or what it is given was written down, or its result read.
  virtual mlir::LogicalResult
  evaluateAll(llvm::ArrayRef<mlir::ModuleOp> modules, llvm::StringRef pipeline,
              OnOutcome done, double *busy, Deadline deadline);
  /// How many evaluations can run at a time.
  virtual unsigned width() const { return 1; }
};

/// Keeps what a search did, so that one that was killed goes on where it was.
/// One belongs to one session.
class Journal {
public:
  virtual ~Journal();

  /// What an earlier process did for the same search.
  struct Progress {
    unsigned evaluated = 0; ///< candidates
    /// Questions to the proposer since the last one that gave something to try.
    unsigned dry = 0;
    double seconds = 0; ///< that its candidates took
    /// Candidates that a question asks for of which no end is on record; 0:
    /// there is none. Asked so once more, it is the same question.
    unsigned question = 0;
  };
  /// Begins or continues the search of `kernel` that `settings` describe: puts
  /// back the proposals and variants that are on record. Kernels with equal
  /// text and settings are the same search. Fails, with a diagnostic, where the
  /// journal cannot be read or written.
  virtual mlir::FailureOr<Progress> begin(KernelOp kernel,
                                          llvm::StringRef settings) = 0;
  /// The proposer is about to be asked for `count` candidates.
  virtual mlir::LogicalResult asking(KernelOp kernel, unsigned count) = 0;
  /// The proposer was asked, and added `added` to the kernel.
  virtual mlir::LogicalResult asked(KernelOp kernel,
                                    llvm::ArrayRef<ProposalOp> added,
                                    bool gaveSomethingToTry) = 0;
  /// `proposal` was evaluated, in so many seconds; its outcome stands in the
  /// kernel.
  virtual mlir::LogicalResult evaluated(KernelOp kernel, ProposalOp proposal,
                                        double seconds) = 0;
  /// `variant` was measured, once more perhaps: times depend on the machine and
  /// the hour, so that each stands for itself, and none is put back. A null
  /// cost: no device has a time for it. Nothing is kept where no search of
  /// `kernel` was begun.
  virtual mlir::LogicalResult measured(KernelOp kernel, VariantOp variant,
                                       CostAttr cost) = 0;
};

/// The backends that this process has. Nothing of it changes once it is
/// attached to the dialect.
class BackendInterface : public mlir::DialectInterface::Base<BackendInterface> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BackendInterface)
  explicit BackendInterface(mlir::Dialect *dialect) : Base(dialect) {}

  std::vector<std::unique_ptr<Materializer>> materializers;
  std::vector<std::unique_ptr<CodeGenerator>> generators;
  std::vector<std::unique_ptr<Measurer>> measurers;
  std::vector<std::unique_ptr<Proposer>> proposers;
  std::unique_ptr<Raiser> raiser;
  std::unique_ptr<Verifier> verifier;
  std::unique_ptr<Evaluator> evaluator;
  /// Microseconds that no version of a kernel is known to beat on a target: its
  /// workloads' data over the bandwidth, or the minimum arithmetic of an
  /// accepted variant where that takes longer, weighted. May be null, or not
  /// know.
  std::function<std::optional<double>(KernelOp, TargetAttrInterface)>
      floorMicros;
  /// Opens the session of a kernel that is searched; null: they are plain ones,
  /// which nobody watches and of which nothing is kept.
  std::function<std::shared_ptr<SearchSession>(KernelOp)> openSession;

  Materializer *getMaterializer(Genome genome) const;
  CodeGenerator *getGenerator(llvm::StringRef name) const;
  Measurer *getMeasurer(llvm::StringRef name) const;
  Proposer *getProposer(llvm::StringRef name) const;

  /// The interface of `context`, or null with a diagnostic at `loc`.
  static const BackendInterface *get(mlir::MLIRContext *context,
                                     mlir::Location loc);
  /// The verifier that `kernel` is judged by, or null with a diagnostic there.
  static Verifier *getVerifier(KernelOp kernel);
};

} // namespace evo

#endif
