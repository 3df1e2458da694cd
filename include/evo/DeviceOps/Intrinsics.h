// LLVM's intrinsics for what all kernels do, by what it is: rewrites create
// calls of them, and conversions recognise such calls. Who only asks what an
// operation is like asks its record (DeviceOps.h).
#ifndef EVO_DEVICEOPS_INTRINSICS_H
#define EVO_DEVICEOPS_INTRINSICS_H

#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/IR/Intrinsics.h"
#include <optional>

namespace evo::device {

/// ThreadId, BlockDim, BlockId or GridDim along an axis, 0 to 2.
struct SpecialRegister {
  Tells tells;
  unsigned axis;
};
llvm::Intrinsic::ID getIntrinsic(SpecialRegister read);
/// What an intrinsic reads; nothing where it is none of these registers.
std::optional<SpecialRegister> findRegister(llvm::Intrinsic::ID id);

/// Which lane's value a shuffle has as its result.
enum class ShuffleFrom { Up, Down, Xor, Index };
/// Of 32 bits, without a second result: (members, value, which, bounds).
llvm::Intrinsic::ID getShuffle(ShuffleFrom from, bool isFloat);
std::optional<ShuffleFrom> findShuffle(llvm::Intrinsic::ID id);

/// All threads of the block wait at barrier (number).
llvm::Intrinsic::ID getBlockBarrier();
/// (members) of a warp wait.
llvm::Intrinsic::ID getWarpBarrier();
/// A bit for each lane of (members, condition).
llvm::Intrinsic::ID getBallot();

} // namespace evo::device

#endif
