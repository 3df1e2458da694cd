// Code for accepted variants; the gate that no unverified code passes.
#include "evo/Interfaces/Backends.h"
#include "evo/Transforms/Passes.h"

using namespace mlir;

namespace evo {
#define GEN_PASS_DEF_LOWER
#include "evo/Transforms/Passes.h.inc"

namespace {
struct LowerPass : impl::LowerBase<LowerPass> {
  using LowerBase::LowerBase;
  TargetAttrInterface device; ///< that the option `target` names

  LogicalResult initialize(MLIRContext *context) override {
    device = parseTarget(context, target);
    return success(bool(device));
  }
  void runOnOperation() override;
  LogicalResult lower(VariantOp variant, const BackendInterface &backends);
};
} // namespace

static gpu::ObjectAttr object(MLIRContext *context, Attribute target,
                              gpu::CompilationTarget format, StringRef data) {
  return gpu::ObjectAttr::get(context, target, format,
                              StringAttr::get(context, data), DictionaryAttr(),
                              gpu::KernelTableAttr());
}

LogicalResult LowerPass::lower(VariantOp variant,
                               const BackendInterface &backends) {
  std::string name = llvmGenerator.str();
  if (DictionaryAttr options = variant.getOptionsAttr())
    if (auto chosen = options.getAs<StringAttr>("codegen"))
      name = chosen.str();
  CodeGenerator *generator = backends.getGenerator(name);
  if (!generator)
    return variant.emitError()
           << "this build has no code generator '" << name << "'";
  FailureOr<CodeObject> code = generator->generate(variant, device);
  if (failed(code))
    return failure();
  OpBuilder b = OpBuilder::atBlockEnd(&variant.getBody().front());
  Attribute named = device.getObjectTarget();
  SmallVector<Attribute> objects = {object(
      &getContext(), named, gpu::CompilationTarget::Assembly, code->ptx)};
  if (!code->cubin.empty())
    objects.push_back(object(&getContext(), named,
                             gpu::CompilationTarget::Binary, code->cubin));
  for (auto old :
       llvm::make_early_inc_range(variant.getBody().getOps<gpu::BinaryOp>()))
    old.erase();
  gpu::BinaryOp::create(b, variant.getLoc(), "code", Attribute(), objects);
  variant.setResourcesAttr(b.getArrayAttr(
      SmallVector<Attribute>(code->resources.begin(), code->resources.end())));
  return success();
}

void LowerPass::runOnOperation() {
  KernelOp kernel = getOperation();
  const BackendInterface *backends =
      BackendInterface::get(&getContext(), kernel.getLoc());
  Verifier *verifier = BackendInterface::getVerifier(kernel);
  if (!backends || !verifier)
    return signalPassFailure();
  for (VariantOp variant : kernel.getBody().getOps<VariantOp>()) {
    EvidenceAttr evidence = variant.getEvidenceAttr();
    if (!allowUnverified && evidence && !evidence.isAccepted())
      continue;
    std::string why;
    if (!verifier->hasValidEvidence(variant, device, why)) {
      if (!allowUnverified) {
        variant.emitError() << "is not lowered: " << why;
        return signalPassFailure();
      }
      variant.emitWarning() << "LOWERED WITHOUT VALID EVIDENCE: " << why;
    }
    if (failed(lower(variant, *backends)))
      return signalPassFailure();
  }
}
} // namespace evo
