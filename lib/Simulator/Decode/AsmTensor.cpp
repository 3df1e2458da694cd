// Matrices and copies in inline PTX. mma.sync, ldmatrix, stmatrix and cp.async
// as CUDA code and Triton write them, and what goes with them: the 32-bit
// addresses of shared memory. Whatever else begins with these words (sparse
// products, bulk copies, mbarriers) is refused with its text.
#include "AsmDecoder.h"
#include "TensorDecoder.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace evo::sim {

/// A number that is known while decoding.
bool AsmDecoder::immediate(StringRef name, uint64_t &value) {
  auto it = registers.find(name);
  if (it == registers.end())
    return !name.getAsInteger(0, value) || refuse();
  const int32_t slot = it->second.slot;
  if (slot == noOperand || slot >= 0 ||
      d.k.constants[-slot - 1].kind != Constant::Bits)
    return refuse();
  value = d.k.constants[-slot - 1].bits;
  return true;
}

/// The address of shared memory that a register of either width names.
bool AsmDecoder::sharedRegister(StringRef name, int32_t &out) {
  auto it = registers.find(name);
  const unsigned bits =
      it != registers.end() && it->second.type.bits == 64 ? 64 : 32;
  if (!read(name, PtxType::ofBits(bits), out))
    return false;
  if (bits == 64)
    out = d.emitTo(leaf(PtxType::ofBits(32)), Op::TRUNC_LI, out);
  out = d.emitTo(leaf(PtxType::ofBits(64)), Op::UNWINDOW_IL, out);
  return true;
}

/// An address with its displacement added.
bool AsmDecoder::fullAddress(StringRef operand, bool shared, int32_t &out) {
  int64_t disp;
  if (!address(operand, out, disp, shared))
    return false;
  if (disp)
    out = d.emitTo(leaf(PtxType::ofBits(64)), Op::ADD_L, out,
                   d.constant(disp, true));
  return true;
}

bool AsmDecoder::registersOf(StringRef operand, const PtxType &t, Slots &out) {
  for (StringRef name : listed(operand)) {
    int32_t s;
    if (!read(name, t, s))
      return false;
    out.push_back(s);
  }
  return true;
}

/// mma.sync.aligned.SHAPE.row.col[.satfinite].D.A.B.C d, a, b, c
bool AsmDecoder::matrixProduct(const device::Words &op,
                               ArrayRef<StringRef> args) {
  TensorDecoder tensor(d);
  Mma p;
  p.saturate = op.has("saturate");
  if (args.size() != 4 || !TensorDecoder::parseShape(op["shape"], p) ||
      !parseMatrixType(op.types[0], p.d) ||
      !parseMatrixType(op.types[1], p.a) ||
      !parseMatrixType(op.types[2], p.b) ||
      !parseMatrixType(op.types[3], p.c) || !TensorDecoder::isKnownProduct(p) ||
      (p.saturate && p.d != MatrixType::S32))
    return refuse();
  PtxType sum = PtxType::ofBits(32);
  if (p.d == MatrixType::F32)
    sum.floatType = FT_S;
  Slots a, b, c;
  if (!registersOf(args[1], PtxType::ofBits(32), a) ||
      !registersOf(args[2], PtxType::ofBits(32), b) ||
      !registersOf(args[3], sum, c))
    return false;
  Slots result = tensor.registers(tensor.product(p, tensor.elements(a, p.a),
                                                 tensor.elements(b, p.b),
                                                 tensor.elements(c, p.c)),
                                  p.d, p.d == MatrixType::F32);
  SmallVector<StringRef, 4> names = listed(args[0]);
  if (names.size() != result.size())
    return refuse();
  for (size_t i = 0; i < names.size(); ++i)
    write(names[i], sum, result[i]);
  return true;
}

/// ldmatrix.sync.aligned.m8n8.xN[.trans][.shared].b16 {...}, [a] and
/// stmatrix with its operands the other way round.
bool AsmDecoder::matrixMemory(const device::Words &op,
                              ArrayRef<StringRef> args) {
  const bool loads = op.family == "ldmatrix", transposed = op.has("order");
  if (args.size() != 2 || op.types[0] != "b16")
    return refuse();
  const unsigned count = op["count"].back() - '0';
  int32_t at;
  SmallVector<StringRef, 4> names = listed(args[loads ? 0 : 1]);
  if (names.size() != count)
    return refuse();
  if (!fullAddress(args[loads ? 1 : 0], op.has("space"), at))
    return false;
  TensorDecoder tensor(d);
  if (loads) {
    Slots result = tensor.loadMatrix(at, count, transposed);
    for (unsigned i = 0; i < count; ++i)
      write(names[i], PtxType::ofBits(32), result[i]);
    return true;
  }
  Slots source;
  if (!registersOf(args[1], PtxType::ofBits(32), source))
    return false;
  tensor.storeMatrix(at, source, transposed);
  return true;
}

/// cp.async.commit_group, cp.async.wait_all and cp.async.wait_group N
bool AsmDecoder::asyncWait(const device::Words &op, ArrayRef<StringRef> args) {
  TensorDecoder tensor(d);
  uint64_t left = 0;
  const bool isGroup = op.family.ends_with("wait_group");
  if (args.size() != isGroup ||
      (isGroup && (!immediate(args[0], left) || left > INT_MAX)))
    return refuse();
  if (op.family.ends_with("commit_group"))
    tensor.commit();
  else
    tensor.wait(isGroup ? static_cast<int>(left) : -1);
  return true;
}

/// cp.async.{ca,cg}.shared.global[.L2::...] [to], [from], bytes
/// [, bytes to take | predicate to take none]
bool AsmDecoder::asyncCopy(const device::Words &op, ArrayRef<StringRef> args) {
  TensorDecoder tensor(d);
  uint64_t number;
  if (op.has("hint")) {
    if (args.size() < 4)
      return refuse();
    args = args.drop_back(); // a policy has no effect on values
  }
  int32_t to, from, taken = noOperand, ignored = noOperand;
  if (args.size() < 3 || args.size() > 4 || !immediate(args[2], number))
    return refuse();
  if (number != 16 && (op["cache"] == "cg" || (number != 4 && number != 8)))
    return refuse();
  if (!fullAddress(args[0], true, to) || !fullAddress(args[1], false, from))
    return false;
  if (args.size() == 4) {
    auto it = registers.find(args[3]);
    const unsigned bits = it == registers.end() ? 32 : it->second.type.bits;
    if (!read(args[3], PtxType::ofBits(bits), bits == 1 ? ignored : taken))
      return false;
    if (bits == 64) // an immediate of the code around
      taken = d.emitTo(leaf(PtxType::ofBits(32)), Op::TRUNC_LI, taken);
  }
  tensor.copy(to, from, number, taken, ignored);
  return true;
}

/// cvta[.to].SPACE.u64 d, a: between generic addresses and those of a space.
bool AsmDecoder::convertAddress(const device::Words &op,
                                ArrayRef<StringRef> args) {
  if (args.size() != 2 || op.types[0] != "u64")
    return refuse();
  const bool isShared = op["space"] == "shared";
  int32_t v;
  if (isShared && !op.has("to")) {
    if (!sharedRegister(args[1], v))
      return false;
  } else {
    if (!read(args[1], PtxType::ofBits(64), v))
      return false;
    if (isShared)
      v = d.emitTo(leaf(PtxType::ofBits(64)), Op::ZEXT_IL,
                   d.emitTo(leaf(PtxType::ofBits(32)), Op::WINDOW_LI, v));
  }
  write(args[0], PtxType::ofBits(64), v);
  return true;
}

} // namespace evo::sim
