// Spaces of knobs and points in them.
#ifndef EVO_LIB_PROPOSERS_EVOLUTIONARY_SPACE_H
#define EVO_LIB_PROPOSERS_EVOLUTIONARY_SPACE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/Random.h"
#include <map>

namespace evo {

/// A knob's values, the usual one first.
struct Knob {
  std::string name;
  std::vector<std::string> values;
};

/// One choice for each knob.
using Point = std::map<std::string, std::string>;

/// One way to make variants of a kernel, with its knobs.
class Space {
public:
  virtual ~Space();
  std::string name;
  std::vector<Knob> knobs;

  /// Whether the combination of values can work, as far as is known beforehand.
  virtual bool isSensible(const Point &point) const = 0;
  /// Creates the proposal of `point`.
  virtual ProposalOp propose(mlir::OpBuilder &builder, KernelOp kernel,
                             llvm::StringRef symbol, const Point &point,
                             llvm::StringRef parent) const = 0;

  Point usual() const;
  /// Other points at which a search of this kernel should begin.
  virtual std::vector<Point> getStarts() const { return {}; }
  /// Whether `point` is one of this space, sensible or not.
  bool contains(const Point &point) const;
  /// `from` with `value` of `knob`, and with the other values without which
  /// that has no effect.
  virtual Point vary(const Point &from, const Knob &knob,
                     const std::string &value) const;
  Point mutate(const Point &point, Random &random) const;
  Point cross(const Point &a, const Point &b, Random &random) const;
  /// How many points there are, sensible or not; at most `limit`.
  uint64_t getNumPoints(uint64_t limit) const;
  /// The points by number, from 0.
  Point getPoint(uint64_t number) const;

protected:
  /// A proposal of this space, with the point among its options.
  ProposalOp createProposal(mlir::OpBuilder &builder, KernelOp kernel,
                            llvm::StringRef symbol, Genome genome,
                            llvm::StringRef text, mlir::NamedAttrList options,
                            const Point &point, llvm::StringRef parent) const;
};

/// The spaces that fit `kernel`.
std::vector<std::unique_ptr<Space>> getSpaces(KernelOp kernel);

/// Launch shape, unrolling and code generation of a lifted launch plan.
std::unique_ptr<Space> createLaunchSpace(KernelOp kernel);

/// Launches in two or three dimensions, for 1-D kernels that divide the linear
/// thread index.
std::unique_ptr<Space> createRemappingSpace(KernelOp kernel);

/// Cooperative loop distribution, for plans with loops.
std::unique_ptr<Space> createDistributionSpace(KernelOp kernel);

/// Whether threads of the plan communicate. An approximation; the rewrites look
/// closer.
bool communicates(ReferenceOp reference);

/// How deep the loops of the plan's device code are nested.
unsigned getLoopDepth(ReferenceOp reference);

/// Adds a space for each built-in schedule whose payload op the kernel's
/// tensor-level code has.
void addScheduleSpaces(KernelOp kernel,
                       std::vector<std::unique_ptr<Space>> &spaces);

} // namespace evo

#endif
