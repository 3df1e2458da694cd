// The names that LLVM has for them.
#include "evo/DeviceOps/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace evo::device {

namespace {
struct Registers {
  Tells tells;
  Intrinsic::ID byAxis[3];
};
struct Shuffles {
  ShuffleFrom from;
  Intrinsic::ID words, floats;
};
} // namespace

static constexpr Registers registers[] = {
    {Tells::ThreadId,
     {Intrinsic::nvvm_read_ptx_sreg_tid_x, Intrinsic::nvvm_read_ptx_sreg_tid_y,
      Intrinsic::nvvm_read_ptx_sreg_tid_z}},
    {Tells::BlockDim,
     {Intrinsic::nvvm_read_ptx_sreg_ntid_x,
      Intrinsic::nvvm_read_ptx_sreg_ntid_y,
      Intrinsic::nvvm_read_ptx_sreg_ntid_z}},
    {Tells::BlockId,
     {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_ctaid_z}},
    {Tells::GridDim,
     {Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
      Intrinsic::nvvm_read_ptx_sreg_nctaid_z}}};

static constexpr Shuffles shuffles[] = {
    {ShuffleFrom::Up, Intrinsic::nvvm_shfl_sync_up_i32,
     Intrinsic::nvvm_shfl_sync_up_f32},
    {ShuffleFrom::Down, Intrinsic::nvvm_shfl_sync_down_i32,
     Intrinsic::nvvm_shfl_sync_down_f32},
    {ShuffleFrom::Xor, Intrinsic::nvvm_shfl_sync_bfly_i32,
     Intrinsic::nvvm_shfl_sync_bfly_f32},
    {ShuffleFrom::Index, Intrinsic::nvvm_shfl_sync_idx_i32,
     Intrinsic::nvvm_shfl_sync_idx_f32}};

Intrinsic::ID getIntrinsic(SpecialRegister read) {
  for (const Registers &row : registers)
    if (row.tells == read.tells)
      return row.byAxis[read.axis];
  return Intrinsic::not_intrinsic;
}

std::optional<SpecialRegister> findRegister(Intrinsic::ID id) {
  for (const Registers &row : registers)
    for (unsigned axis = 0; axis < std::size(row.byAxis); ++axis)
      if (row.byAxis[axis] == id)
        return SpecialRegister{row.tells, axis};
  return std::nullopt;
}

Intrinsic::ID getShuffle(ShuffleFrom from, bool isFloat) {
  for (const Shuffles &row : shuffles)
    if (row.from == from)
      return isFloat ? row.floats : row.words;
  return Intrinsic::not_intrinsic;
}

std::optional<ShuffleFrom> findShuffle(Intrinsic::ID id) {
  for (const Shuffles &row : shuffles)
    if (row.words == id || row.floats == id)
      return row.from;
  return std::nullopt;
}

Intrinsic::ID getBlockBarrier() {
  return Intrinsic::nvvm_barrier_cta_sync_aligned_all;
}
Intrinsic::ID getWarpBarrier() { return Intrinsic::nvvm_bar_warp_sync; }
Intrinsic::ID getBallot() { return Intrinsic::nvvm_vote_ballot_sync; }

} // namespace evo::device
