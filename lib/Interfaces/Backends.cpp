// Lookup of backends, and the anchors of their classes.
#include "evo/Interfaces/Backends.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace evo;

Materializer::~Materializer() = default;
CodeGenerator::~CodeGenerator() = default;
Raiser::~Raiser() = default;
Verifier::~Verifier() = default;
Measurer::~Measurer() = default;

std::vector<FailureOr<CostAttr>>
Measurer::measureAll(ArrayRef<VariantOp> variants, TargetAttrInterface target) {
  std::vector<FailureOr<CostAttr>> costs;
  for (VariantOp variant : variants)
    costs.push_back(measure(variant, target));
  return costs;
}
Proposer::~Proposer() = default;
Evaluator::~Evaluator() = default;
Journal::~Journal() = default;

LogicalResult Evaluator::evaluateAll(ArrayRef<ModuleOp> modules,
                                     StringRef pipeline, OnOutcome done,
                                     double *busy, Deadline deadline) {
  for (auto [index, module] : llvm::enumerate(modules)) {
    if (deadline && std::chrono::steady_clock::now() >= *deadline)
      return success();
    FailureOr<Outcome> outcome = evaluate(module, pipeline);
    if (failed(outcome))
      return failure();
    if (outcome->interrupted)
      return success();
    FailureOr<bool> goesOn = done(index, *outcome);
    if (failed(goesOn))
      return failure();
    if (!*goesOn)
      return success();
  }
  return success();
}

template <typename Range>
static auto *findByName(const Range &backends, StringRef name) {
  for (const auto &backend : backends)
    if (backend->getName() == name)
      return backend.get();
  return static_cast<decltype(backends.front().get())>(nullptr);
}

Materializer *BackendInterface::getMaterializer(Genome genome) const {
  for (const auto &materializer : materializers)
    if (materializer->getGenome() == genome)
      return materializer.get();
  return nullptr;
}
CodeGenerator *BackendInterface::getGenerator(StringRef name) const {
  return findByName(generators, name);
}
Measurer *BackendInterface::getMeasurer(StringRef name) const {
  return findByName(measurers, name);
}
Proposer *BackendInterface::getProposer(StringRef name) const {
  return findByName(proposers, name);
}

const BackendInterface *BackendInterface::get(MLIRContext *context,
                                              Location loc) {
  auto *dialect = context->getLoadedDialect<EvoDialect>();
  auto *interface =
      dialect ? dialect->getRegisteredInterface<BackendInterface>() : nullptr;
  if (!interface)
    emitError(loc) << "no backends are attached to the evo dialect in this "
                      "process";
  return interface;
}

Verifier *BackendInterface::getVerifier(KernelOp kernel) {
  const BackendInterface *backends = get(kernel.getContext(), kernel.getLoc());
  if (backends && !backends->verifier)
    kernel.emitError() << "no verifier is attached to the evo dialect in this "
                          "process";
  return backends ? backends->verifier.get() : nullptr;
}
