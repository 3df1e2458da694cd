// The roles of a search, as small abstract classes. A pass finds an
// implementation by name through BackendInterface, an interface of the evo
// dialect that the driver fills: passes know roles, only the driver knows
// compilers, devices and models.
#ifndef EVO_INTERFACES_BACKENDS_H
#define EVO_INTERFACES_BACKENDS_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "mlir/IR/DialectInterface.h"
#include <chrono>
#include <functional>

namespace evo {

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
  /// Does ahead what all proposals have in common. A process calls it before it
  /// forks for many of them; it may be called again, and does nothing then.
  virtual void warmUp() {}
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
                                               llvm::StringRef target) = 0;
};

struct VerificationRequest {
  std::string target = "sm_90";
  Effort effort = Effort::Default;
  uint64_t seed = 0;
  double seconds = 60;
};

/// What of a contract would reward a cheat.
struct AuditReport {
  std::vector<std::string> lines; ///< a warning each
  std::string undecided;          ///< why there is no answer, if there is none
};

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
  audit(KernelOp kernel, llvm::StringRef target, uint64_t seed) = 0;
  /// Whether `variant` holds accepting evidence for what would be shipped; else
  /// `why` says what is missing.
  virtual bool hasValidEvidence(VariantOp variant, llvm::StringRef target,
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
                                    llvm::StringRef target) = 0;
};

class Measurer {
public:
  virtual ~Measurer();
  virtual llvm::StringRef getName() const = 0;
  /// Whether it can work here; else `why` says what is missing.
  virtual bool isAvailable(std::string &why) = 0;
  /// Time of `variant` for each workload of its kernel. A failure has emitted a
  /// diagnostic.
  virtual mlir::FailureOr<CostAttr> measure(VariantOp variant,
                                            llvm::StringRef target) = 0;
};

class Proposer {
public:
  virtual ~Proposer();
  virtual llvm::StringRef getName() const = 0;
  /// Adds up to `count` proposals to `kernel`, in view of what was tried
  /// before. Adding none means that it has no more ideas. Fails, with a
  /// diagnostic, only where its means are missing (no key, no answer file).
  virtual mlir::LogicalResult propose(KernelOp kernel, unsigned count,
                                      uint64_t seed) = 0;
};

/// What an isolated evaluation of one proposal gave.
struct Outcome {
  /// The module with the kernel as the stages left it; null where the worker
  /// died or the text could not be read back.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string stage;   // where it ended, if it failed
  std::string failure; // why, empty on success
  /// Stage and seconds of one processor, in order; "process" is the whole.
  std::vector<std::pair<std::string, double>> timings;
  double seconds = 0; // by the clock, from the request to the answer
  /// The run was interrupted before there was an outcome; nothing else is set.
  bool interrupted = false;
};

/// Runs a pipeline on a module where its death is only a verdict.
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
  /// Evaluates all modules, several at a time where it can; the outcomes are
  /// handed out in the order of the modules. Ends early, without a failure,
  /// when the run is interrupted.
  virtual mlir::LogicalResult
  evaluateAll(llvm::ArrayRef<mlir::ModuleOp> modules, llvm::StringRef pipeline,
              OnOutcome done);
  /// How many evaluations can run at a time.
  virtual unsigned width() const { return 1; }
  /// Seconds in which at least one evaluation was under way elsewhere, or what
  /// it is given was written down, or its result read.
  virtual double secondsWaited() const { return 0; }
};

/// Keeps what a search did, so that one that was killed goes on where it was.
class Journal {
public:
  virtual ~Journal();

  /// What an earlier process did for the same search.
  struct Progress {
    unsigned evaluated = 0; ///< candidates
    /// Questions to the proposer since the last one that gave something to try.
    unsigned dry = 0;
    double seconds = 0; ///< that its candidates took
  };
  /// Begins or continues the search of `kernel` that `settings` describe: puts
  /// back the proposals and variants that are on record. Kernels with equal
  /// text and settings are the same search. Fails, with a diagnostic, where the
  /// journal cannot be read or written.
  virtual mlir::FailureOr<Progress> begin(KernelOp kernel,
                                          llvm::StringRef settings) = 0;
  /// The proposer was asked, and added `added` to the kernel.
  virtual mlir::LogicalResult asked(KernelOp kernel,
                                    llvm::ArrayRef<ProposalOp> added,
                                    bool gaveSomethingToTry) = 0;
  /// `proposal` was evaluated, in so many seconds; its outcome stands in the
  /// kernel.
  virtual mlir::LogicalResult evaluated(KernelOp kernel, ProposalOp proposal,
                                        double seconds) = 0;
  /// `variant` was measured, once more perhaps: times depend on the machine and
  /// the hour, so that each stands for itself, and none is put back. Nothing is
  /// kept where no search of `kernel` was begun.
  virtual mlir::LogicalResult measured(KernelOp kernel, VariantOp variant,
                                       CostAttr cost) = 0;
};

/// How a search went, for reports.
struct SearchSummary {
  unsigned candidates = 0; ///< evaluated by this process
  double seconds = 0;      ///< by the clock
  double evaluating = 0;   ///< of these, with an evaluation under way
  double proposing = 0;    ///< of these, within the proposer
  unsigned width = 1;      ///< evaluations at a time
  std::string stopped; ///< why it ended before its budget; empty: it did not
};

/// Something that happened during a search, for whoever watches.
struct SearchEvent {
  std::string candidate; // name of the proposal
  std::string stage;     // where it ended
  std::string result;    // grade, or why it failed
  double seconds = 0;    // of this evaluation
  std::vector<std::pair<std::string, double>> timings; // as of an Outcome
  unsigned spent = 0, budget = 0;
  double bestMicros = 0; // of the best so far; 0: none yet
};

/// The backends that this process has.
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
  std::unique_ptr<Journal> journal; ///< null: nothing is kept
  SearchSummary summary;            ///< of the last search
  /// When the search under way ends, for whoever waits for something; none: it
  /// has no bound of time.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Microseconds that no version of a kernel is known to beat on a target: its
  /// workloads' data over the bandwidth, or the least arithmetic of an accepted
  /// variant where that takes longer, weighted. May be null, or not know.
  std::function<std::optional<double>(KernelOp, llvm::StringRef target)>
      floorMicros;
  /// Called after each candidate; may be null.
  std::function<void(const SearchEvent &)> onEvent;

  Materializer *getMaterializer(Genome genome) const;
  CodeGenerator *getGenerator(llvm::StringRef name) const;
  Measurer *getMeasurer(llvm::StringRef name) const;
  Proposer *getProposer(llvm::StringRef name) const;

  /// The interface of `context`, or null with a diagnostic at `loc`.
  static BackendInterface *get(mlir::MLIRContext *context, mlir::Location loc);
  /// The verifier that `kernel` is judged by, or null with a diagnostic there.
  static Verifier *getVerifier(KernelOp kernel);
};

} // namespace evo

#endif
