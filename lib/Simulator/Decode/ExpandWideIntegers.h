// Integers of more than 64 bits, as pairs of words.
#ifndef EVO_LIB_SIMULATOR_DECODE_EXPANDWIDEINTEGERS_H
#define EVO_LIB_SIMULATOR_DECODE_EXPANDWIDEINTEGERS_H

namespace llvm {
class Function;
}

namespace evo::sim {

/// Replaces what `function` computes with integers of 65 to 128 bits by
/// computation with words of 64 bits. What it has no words for it leaves as it
/// is.
void expandWideIntegers(llvm::Function &function);

} // namespace evo::sim

#endif
