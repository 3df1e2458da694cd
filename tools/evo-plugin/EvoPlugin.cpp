// Dialect and passes for another tool's mlir-opt. The pass entry point alone
// leaves the dialect unregistered and gets no registry, so the dialect entry
// point attaches the backends: load the plugin as both.
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Driver/Registration.h"
#include "evo/Transforms/Passes.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "EvoPasses", EVO_VERSION,
          [] { evo::registerEvoPasses(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Evo", EVO_VERSION,
          [](mlir::DialectRegistry *registry) {
            evo::registerDialects(*registry);
            evo::BackendOptions options;
            options.worker = evo::findWorker();
            evo::attachBackends(*registry, options);
          }};
}
