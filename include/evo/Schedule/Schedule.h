// Transform-dialect schedules with knobs: what `schedules/` holds, and what a
// proposal of the genome `schedule` writes.
#ifndef EVO_SCHEDULE_SCHEDULE_H
#define EVO_SCHEDULE_SCHEDULE_H

#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Interfaces/Backends.h"
#include "evo/Support/IntExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace evo {

/// A knob of a schedule: its name, and the values it may take, the default
/// first.
struct ScheduleKnob {
  std::string name;
  std::vector<int64_t> values;
  /// What its values do (`evo.meanings`), in a few words; may be empty.
  std::string meaning = {};
};

/// A parsed schedule. Knobs are `transform.tune.knob` ops; attributes that
/// follow from them are named by `evo.bind` and computed when it is resolved.
class Schedule {
public:
  /// Parses a module with a named sequence @__transform_main. Emits diagnostics
  /// located in `fileName`.
  static mlir::FailureOr<Schedule> parse(mlir::MLIRContext *context,
                                         llvm::StringRef text,
                                         llvm::StringRef fileName);

  /// Parses a module of named sequences without @__transform_main.
  static mlir::FailureOr<Schedule> parseLibrary(mlir::MLIRContext *context,
                                                llvm::StringRef text,
                                                llvm::StringRef fileName);

  const std::vector<ScheduleKnob> &getKnobs() const { return knobs; }
  /// The name of the payload op it is for, such as "linalg.softmax"; may be
  /// empty.
  llvm::StringRef getPayloadOp() const;
  /// Knob values by which nothing is done that could be left out; null where
  /// the schedule names none.
  mlir::DictionaryAttr getPlainKnobs() const;
  /// Values of other knobs (`evo.with`) that it takes to see what turning
  /// `knob` is worth; may be null.
  mlir::DictionaryAttr getCompanions(llvm::StringRef knob) const;
  /// Knob values (`evo.starts`) at which a search begins, too, where the
  /// payload has `feature`; may be null.
  mlir::DictionaryAttr getStart(llvm::StringRef feature) const;
  /// Whether it is for products of any kind (`evo.products`).
  bool isForProducts() const;
  /// Whether it is for reductions that are scatters (`evo.scatters`).
  bool isForScatters() const;
  /// Whether it may be of use for `payload`: the op it is for is there. One for
  /// all of linalg fits unless products of matrices are all there is.
  bool fits(mlir::func::FuncOp payload) const;
  /// What values of knobs have to satisfy, each a condition.
  std::vector<std::string> getConstraints() const;
  /// Whether `values` (one for each knob) satisfy the schedule's constraints;
  /// else `why` names the first that fails.
  bool isSensible(const Bindings &values, std::string &why) const;

  /// A copy in which every knob is selected and every bound attribute computed.
  /// Unknown knobs and values that are no option are errors.
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
  resolve(const Bindings &values, mlir::Location loc) const;

  /// Requirements of the alternatives that `values` choose, over the contract's
  /// dimensions of `payload`'s arguments.
  mlir::FailureOr<std::vector<Requirement>>
  getRequirements(const Bindings &values, KernelOp kernel,
                  mlir::Location loc) const;

private:
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module;
  std::vector<ScheduleKnob> knobs;
  std::vector<Requirement> constraints;
};

/// Text of a schedule that is built in; empty if there is none of that name.
llvm::StringRef getBuiltinSchedule(llvm::StringRef name);
/// Names of all built-in schedules that can stand alone.
std::vector<llvm::StringRef> getBuiltinScheduleNames();

/// The tensor-level function that schedules apply to: that of `evo.raised`, or
/// of a tensor-level reference. Null where the kernel has none.
mlir::func::FuncOp getPayload(KernelOp kernel);

/// The genome `schedule`: the name of a built-in schedule or the text of one,
/// knob values in the proposal's options under `knobs`; or `plain`, the plain
/// mapping: `general` with its plain knobs.
std::unique_ptr<Materializer> createScheduleMaterializer();

} // namespace evo

#endif
