// The toolkit that tests on real tools use; tests skip, saying what is missing,
// where the machine has none.
#ifndef EVO_UNITTESTS_TARGET_CUDA_TESTTOOLKIT_H
#define EVO_UNITTESTS_TARGET_CUDA_TESTTOOLKIT_H

#include "evo/Target/CUDA/Toolkit.h"
#include <gtest/gtest.h>
#include <optional>

inline std::optional<evo::cuda::Toolkit>
findTestToolkit(llvm::ArrayRef<evo::cuda::ToolkitPart> parts) {
  auto kit = evo::cuda::Toolkit::discover();
  if (!kit) {
    llvm::consumeError(kit.takeError());
    return std::nullopt;
  }
  if (llvm::Error error = kit->require(parts)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return std::move(*kit);
}

#endif
