// Who has no say in sessions has plain ones.
#include "evo/Interfaces/SearchSession.h"

using namespace mlir;
using namespace evo;

SessionAnalysis::SessionAnalysis(Operation *kernel) {
  auto *dialect = kernel->getContext()->getLoadedDialect<EvoDialect>();
  auto *backends = dialect->getRegisteredInterface<BackendInterface>();
  if (backends && backends->openSession)
    session = backends->openSession(cast<KernelOp>(kernel));
  else
    session = std::make_shared<SearchSession>();
}
