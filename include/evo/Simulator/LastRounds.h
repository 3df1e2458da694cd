// Of a kernel the last rounds of its loops.
#ifndef EVO_SIMULATOR_LASTROUNDS_H
#define EVO_SIMULATOR_LASTROUNDS_H

#include <memory>

namespace llvm {
class Module;
}

namespace evo::sim {

/// A copy of a prepared module whose kernels begin each loop that counts up to
/// a bound a few rounds before its end: what counts, and places that go along
/// with it, are as they are there after all rounds before. Other values are as
/// they were before the loop, so that a loop is left as it is where these
/// decide on addresses or on ways, and results are not those of the kernel.
/// Null where there is no loop, or none was changed.
std::unique_ptr<llvm::Module> copyWithLastRounds(const llvm::Module &module);

} // namespace evo::sim

#endif
