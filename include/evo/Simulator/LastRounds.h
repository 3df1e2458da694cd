// Of a kernel the last rounds of its loops.
#ifndef EVO_SIMULATOR_LASTROUNDS_H
#define EVO_SIMULATOR_LASTROUNDS_H

namespace llvm {
class Module;
}

namespace evo::exec {

/// Has kernels of a prepared module begin each loop that counts up to a bound a
/// few rounds before its end: what counts, and places that go along with it,
/// are as they are there after all rounds before. Other values are as they were
/// before the loop, so that a loop is left as it is where these decide on
/// addresses or on ways, and results are not those of the kernel. Whether any
/// loop was changed.
bool skipToLastRounds(llvm::Module &module);

} // namespace evo::exec

#endif
