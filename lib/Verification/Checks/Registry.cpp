// The ordered list of checks.
#include "Verification/Checks/Registry.h"

using namespace evo;

llvm::ArrayRef<const Check *> evo::getChecks() {
  static constexpr const Check *checks[] = {
#define EVO_CHECK(check) &checks::check,
#include "Verification/Checks/Checks.def"
  };
  return checks;
}
