// evo-opt lift: a kernel file as MLIR.
#include "Contract/Contract.h"
#include "Verbs.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Shapes/AbstractShapes.h"

using namespace mlir;
using namespace evo;

/// Replaces the lifted form of each kernel by the raised one. What stands in
/// the way has been said in a remark.
static int raiseToL1(ModuleOp module, const VerbOptions &options) {
  for (auto kernel : module.getOps<KernelOp>())
    if (!kernel.getReference() ||
        kernel.getReference().getBody().getOps<gpu::GPUModuleOp>().empty())
      return reportError(options, "'--level=l1' needs device code"), WrongInput;
  if (failed(
          runPipeline(module, "builtin.module(evo.kernel(evo-raise-structured{"
                              "target=" +
                                  options.target + "}))")))
    return WrongInput;
  for (auto kernel : module.getOps<KernelOp>()) {
    if (kernel.getBody().getOps<VariantOp>().empty())
      return Undecided;
    kernel.getReference().erase();
  }
  return Done;
}

/// Replaces the reference of each kernel by the tensor-level code that was
/// verified to compute the same.
static int raiseToL2(ModuleOp module, const VerbOptions &options) {
  for (auto kernel : module.getOps<KernelOp>())
    if (!kernel.hasContract())
      return reportError(options,
                         "'--level=l2' needs a contract, by which the kernel "
                         "is checked against what is found" +
                             describeDraft(options.inputs[0], options)),
             WrongInput;
  if (failed(runPipeline(module, "builtin.module(evo.kernel(evo-raise{target=" +
                                     options.target + "}))")))
    return WrongInput;
  for (auto kernel : module.getOps<KernelOp>()) {
    ReferenceOp reference = kernel.getReference();
    if (!reference.isLaunchPlan())
      continue; // it was written so
    auto found = kernel.getBody().getOps<RaisedOp>();
    if (found.empty()) {
      kernel.emitRemark("no tensor-level code was found that computes what the "
                        "kernel does");
      return Undecided;
    }
    RaisedOp raised = *found.begin();
    OpBuilder b(reference);
    auto code = ReferenceOp::create(b, reference.getLoc(), StringAttr());
    code.getBody().takeBody(raised.getBody());
    raised.erase();
    reference.erase();
  }
  return Done;
}

/// Says which extents stayed numbers, and why.
static void remarkFixedExtents(ModuleOp module) {
  for (auto kernel : module.getOps<KernelOp>())
    if (auto fixed = kernel->getAttrOfType<ArrayAttr>(fixedExtentsName))
      for (auto text : fixed.getAsRange<StringAttr>())
        kernel.emitRemark() << "stays a number: " << text.getValue();
}

/// Says what contracts the launches of a CUDA file without header lines
/// suggest.
static void remarkDrafts(MLIRContext *context, ArrayRef<CUDADraft> drafts) {
  constexpr size_t enough = 32;
  drafts = drafts.take_while([](const CUDADraft &d) { return d.isLaunched; });
  for (const CUDADraft &draft : drafts.take_front(enough))
    emitRemark(
        FileLineColLoc::get(context, draft.file, draft.line, draft.column))
        << "the launch suggests this contract, to be completed:\n"
        << draft.text();
  if (drafts.size() > enough) {
    const CUDADraft &next = drafts[enough];
    emitRemark(FileLineColLoc::get(context, next.file, next.line, next.column))
        << "and " << drafts.size() - enough << " more like this";
  }
}

int evo::runLift(const VerbOptions &options) {
  if (options.inputs.size() != 1)
    return reportError(options, "'lift' takes one kernel file"), WrongInput;
  if (options.level != "l0" && options.level != "l1" && options.level != "l2")
    return reportError(options, "'--level' takes l0, l1 or l2, found '" +
                                    options.level + "'"),
           WrongInput;
  KernelFile file(options.inputs[0], options);
  if (!file.getModule())
    return file.getExitCode();
  // The error of a kernel without a contract says more than these.
  if (options.level != "l2")
    remarkDrafts(&file.getContext(), file.getDrafts());
  remarkFixedExtents(file.getModule());
  if (options.level == "l1")
    if (int code = raiseToL1(file.getModule(), options); code != Done)
      return code;
  if (options.level == "l2")
    if (int code = raiseToL2(file.getModule(), options); code != Done)
      return code;
  std::string text;
  llvm::raw_string_ostream os(text);
  file.getModule().print(os);
  os << '\n';
  return writeOutput(text, options);
}
