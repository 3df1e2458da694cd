// One way to launch a kernel, and what a contract of it would be.
#ifndef EVO_LIB_DRAFT_ATTEMPT_H
#define EVO_LIB_DRAFT_ATTEMPT_H

#include "FitExtents.h"
#include "LaunchForms.h"
#include "Probe.h"
#include "TrialSizes.h"
#include "evo/Draft/Draft.h"
#include "llvm/IR/LLVMContext.h"
#include <set>

namespace evo {

/// One launch with its extents, and what was found out about it.
class LaunchAttempt {
public:
  LaunchAttempt(const CUDADraft &draft, const LaunchForm &form) : form(form) {
    for (const CUDADraft::Argument &argument : draft.arguments)
      if (argument.isBuffer)
        buffers.push_back(argument);
      else
        scalars.push_back(argument);
  }

  bool prepare(const LiftWithHeader &lift, TargetAttrInterface target,
               DeviceBuilder &builder);
  /// Finds sizes at which it runs clean, and extents for all buffers.
  bool fit();
  /// How many sizes the extents of what is written are made of.
  unsigned score() const;
  /// The lines; fills `guesses`.
  std::string header(const CUDADraft &draft);

  std::string why; ///< it came to nothing
  std::vector<std::string> guesses;

private:
  LaunchForm form;
  std::vector<CUDADraft::Argument> buffers, scalars;
  std::optional<Probe> probe;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::LLVMContext context;
  /// What extents are made of: sizes, and extents of the grid; also what these
  /// are made of; or sizes, with more elements than are touched.
  enum class Terms { Sizes, Parts, Bounds };
  Terms wanted = Terms::Sizes;
  bool isTooSlow = false; ///< at small sizes, too
  std::vector<Bindings> trials;
  std::map<std::string, int64_t> multiples; // of names, where not 1
  std::map<std::string, FittedExtent> extents;
  std::map<std::string, std::string> domains; // of integer buffers
  std::set<std::string> usedNames;
  /// Buffers of which more was touched than host code makes them long.
  std::vector<std::string> exceeded;

  /// Whether host code tells all extents.
  bool isKnown() const {
    return llvm::all_of(buffers, [](const CUDADraft::Argument &buffer) {
      return buffer.dims.isKnown();
    });
  }
  /// Sizes, and what was touched at them.
  struct Trials {
    std::vector<Bindings> sizes;
    std::vector<BufferUses> seen;
  };
  /// What extents may be made of: bounds of indices, then sizes, then others.
  struct ExtentTerms {
    std::vector<ExtentTerm> terms;
    size_t numBounds, numFirst;
  };

  /// False where no sizes will do.
  bool setTrials();
  SizeLimits limits() const;
  bool isIndex(const CUDADraft::Argument &buffer, const BufferUses &base);
  /// Nothing, with `why` set, where the kernel does not run.
  std::optional<std::vector<std::string>> findIndices();
  std::optional<DraftExtents> completeDims(const CUDADraft::Argument &buffer,
                                           llvm::ArrayRef<Bindings> sizes,
                                           llvm::ArrayRef<uint64_t> ends) const;
  std::optional<DraftExtents> dimsOfOther(llvm::ArrayRef<Bindings> sizes,
                                          llvm::ArrayRef<uint64_t> ends) const;
  bool tryIndices(llvm::ArrayRef<std::string> indices);
  bool tryBounds(llvm::ArrayRef<std::string> indices,
                 llvm::ArrayRef<std::string> bounds);
  bool shorten(Bindings &sizes);
  /// Whether more is touched of a buffer than host code makes it long.
  bool exceedsAt(const Bindings &sizes);
  bool runTrials(llvm::ArrayRef<std::string> indices,
                 llvm::ArrayRef<std::string> bounds, Trials &trials);
  bool fitExtents(llvm::ArrayRef<std::string> bounds, const Trials &made);
  std::optional<FittedExtent> chooseExtent(const CUDADraft::Argument &buffer,
                                           const ExtentTerms &from,
                                           llvm::ArrayRef<Bindings> sizes,
                                           llvm::ArrayRef<uint64_t> ends);
  bool reachesFarther(const Bindings &sizes,
                      const llvm::StringMap<int64_t> &values,
                      const BufferUses &uses);
  bool attempt();
  bool fitAtMultiples(std::string &firstWhy);
  bool fitByRelations();
  std::string probeHeader() const;
  std::string launchLines() const;
  Bindings chooseWorkload(const CUDADraft &draft) const;
  /// Whether a size is one of a buffer's, or the launch names it.
  bool isNeeded(const std::string &size) const;
  void addGuesses(const CUDADraft &draft);
  void noteUsedNames();
  std::string roleOf(const CUDADraft::Argument &buffer) const {
    return !buffer.isWritten                 ? "in"
           : buffer.isRead && !buffer.zeroed ? "inout"
                                             : "out";
  }
};

} // namespace evo

#endif
