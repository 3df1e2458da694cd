// From LLVM IR back to a gpu.module: for what a front end has compiled, and for
// what a rewrite has changed.
#include "evo/DeviceOps/SpelledCalls.h"
#include "evo/DeviceOps/SplitStatements.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Lowering/DeviceModule.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Target/LLVMIR/Import.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace evo;

/// Replaces named structs by literal ones. Names of types are global to a
/// context, while two candidates may well give one name to different types.
static void useLiteralStructs(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](LLVM::LLVMStructType type) -> std::optional<Type> {
    if (!type.isIdentified() || type.isOpaque())
      return std::nullopt;
    return LLVM::LLVMStructType::getLiteral(type.getContext(), type.getBody(),
                                            type.isPacked());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Names of variables that a host may set before a launch.
static SmallVector<std::string> findHostSet(const llvm::Module &module) {
  SmallVector<std::string> names;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (variable.isExternallyInitialized())
      names.push_back(variable.getName().str());
  return names;
}

/// The importer drops `externally_initialized`; without it LLVM takes initial
/// values for the values that a kernel reads.
static void markHostSet(ModuleOp module, ArrayRef<std::string> names) {
  for (const std::string &name : names)
    if (auto variable = module.lookupSymbol<LLVM::GlobalOp>(name))
      variable.setExternallyInitialized(true);
}

LogicalResult evo::importDevice(OpBuilder &builder, Location loc,
                                StringRef name,
                                std::unique_ptr<llvm::Module> module) {
  OwningOpRef<ModuleOp> imported;
  SmallVector<std::string> hostSet = findHostSet(*module);
  device::splitStatements(*module, device::Carry::Hidden);
  device::callSpelled(*module);
  {
    // The importer warns of parts of the data layout it has no use for.
    OwnDiagnosticHandler handler(builder.getContext(), [](Diagnostic &diag) {
      return success(diag.getSeverity() != DiagnosticSeverity::Error);
    });
    // A compiler has made this code: what MLIR has no form for, we lack.
    FaultScope scope(builder.getContext(), FaultKind::Unsupported);
    // Those that an import needs, and no others: kernels of one module are
    // transformed at the same time, and none may load what is not there yet.
    // Passes name these, so in them nothing is loaded here.
    builder.getContext()
        ->loadDialect<DLTIDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
    imported = translateLLVMIRToModule(std::move(module), builder.getContext(),
                                       /*emitExpensiveWarnings=*/false,
                                       /*dropDICompositeTypeElements=*/true,
                                       /*loadAllDialects=*/false);
  }
  if (!imported)
    return failure();
  markHostSet(*imported, hostSet);
  useLiteralStructs(*imported);
  auto device = gpu::GPUModuleOp::create(builder, loc, name);
  // Kernels keep their attributes; the data layout moves with them.
  for (NamedAttribute attr : (*imported)->getAttrs())
    if (attr.getName().getValue() != SymbolTable::getSymbolAttrName())
      device->setAttr(attr.getName(), attr.getValue());
  Block *body = device.getBody();
  body->getOperations().splice(body->end(),
                               imported->getBody()->getOperations());
  return success();
}
