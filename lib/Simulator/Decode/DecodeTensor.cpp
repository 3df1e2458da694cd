// Matrices and asynchronous copies. Intrinsics of families (mma, wmma,
// ldmatrix, stmatrix, cp.async), by their further words. What is not known by
// them here stays an unknown call, which decoding refuses.
#include "CallDecoder.h"
#include "Simulator/Interp/Fragments.h"
#include "Simulator/Interp/Math.h"
#include "TensorDecoder.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace evo::sim {

bool parseMatrixType(StringRef text, MatrixType &type) {
  const int t = StringSwitch<int>(text)
                    .Case("f16", int(MatrixType::F16))
                    .Case("bf16", int(MatrixType::BF16))
                    .Case("tf32", int(MatrixType::TF32))
                    .Case("f32", int(MatrixType::F32))
                    .Case("s8", int(MatrixType::S8))
                    .Case("u8", int(MatrixType::U8))
                    .Case("s32", int(MatrixType::S32))
                    .Default(-1);
  type = static_cast<MatrixType>(t);
  return t >= 0;
}

bool TensorDecoder::parseShape(StringRef text, Mma &p) {
  return text.consume_front("m") && !text.consumeInteger(10, p.m) &&
         text.consume_front("n") && !text.consumeInteger(10, p.n) &&
         text.consume_front("k") && !text.consumeInteger(10, p.k) &&
         text.empty();
}

bool TensorDecoder::isKnownProduct(const Mma &p) {
  const bool tall = p.m == 16 && p.n == 8;
  switch (p.a) {
  case MatrixType::F16:
    return tall && (p.k == 8 || p.k == 16) && p.b == p.a && p.c == p.d &&
           (p.d == MatrixType::F16 || p.d == MatrixType::F32);
  case MatrixType::BF16:
    return tall && (p.k == 8 || p.k == 16) && p.b == p.a && p.c == p.d &&
           p.d == MatrixType::F32;
  case MatrixType::TF32:
    return tall && (p.k == 4 || p.k == 8) && p.b == p.a && p.c == p.d &&
           p.d == MatrixType::F32;
  case MatrixType::S8:
  case MatrixType::U8:
    return (p.b == MatrixType::S8 || p.b == MatrixType::U8) && p.c == p.d &&
           p.d == MatrixType::S32 &&
           (tall ? p.k == 16 || p.k == 32 : p.m == 8 && p.n == 8 && p.k == 16);
  default:
    return false;
  }
}

int32_t TensorDecoder::retyped(int32_t slot, FloatType type) {
  if (d.typeOf(slot) == type)
    return slot;
  int32_t r = d.slot(false, type);
  d.emit(Op::MOV_I, r, slot);
  return r;
}

Slots TensorDecoder::elements(ArrayRef<int32_t> registers, MatrixType type) {
  const FloatType ft = evo::sim::floatTypeOf(type);
  Slots out;
  for (int32_t r : registers) {
    if (elementsPerRegister(type) != 2 || d.typeOf(r) == ft) {
      out.push_back(retyped(r, ft));
      continue;
    }
    int32_t bits = retyped(r, FT_None);
    for (int i : {0, 1}) {
      int32_t half = d.slot(false, FT_None);
      d.emit(Op::UNPACK16_I, half, bits).imm = 16 * i;
      out.push_back(retyped(half, ft));
    }
  }
  return out;
}

Slots TensorDecoder::registers(ArrayRef<int32_t> elements, MatrixType type,
                               bool typed) {
  const bool stays =
      typed && (type == MatrixType::F16 || type == MatrixType::F32);
  const unsigned per = stays ? 1 : elementsPerRegister(type);
  Slots out;
  for (size_t i = 0; i < elements.size(); i += per) {
    if (stays) {
      out.push_back(elements[i]);
    } else if (per == 1) {
      out.push_back(retyped(elements[i], FT_None));
    } else if (per == 2) {
      int32_t low = retyped(elements[i], FT_None),
              high = retyped(elements[i + 1], FT_None);
      out.push_back(d.emitTo(i32, Op::PACK16_I, low, high));
    } else {
      int32_t bits = elements[i];
      for (unsigned e = 1; e < per; ++e) {
        int32_t up =
            d.emitTo(i32, Op::SHL_I, elements[i + e], d.constant(8 * e, false));
        bits = d.emitTo(i32, Op::OR_I, bits, up);
      }
      out.push_back(bits);
    }
  }
  return out;
}

Inst &TensorDecoder::withList(Op op, ArrayRef<int32_t> list) {
  // All lanes of the warp take part.
  Inst &i =
      d.emit(op, noOperand, noOperand, noOperand, d.constant(allLanes, false));
  i.aux = d.k.lists.size();
  d.k.lists.push_back(list.vec());
  return i;
}

Slots TensorDecoder::product(Mma p, ArrayRef<int32_t> a, ArrayRef<int32_t> b,
                             ArrayRef<int32_t> c) {
  const bool bytes = p.d == MatrixType::S32;
  auto wanted = [&](MatrixType t, unsigned rows, unsigned columns,
                    bool accumulator) {
    const unsigned n = p.opaque ? wmmaElements(t, rows, columns, accumulator)
                                : rows * columns / warpSize;
    return bytes && !accumulator ? n / 4 : n;
  };
  if (a.size() != wanted(p.a, p.m, p.k, false) ||
      b.size() != wanted(p.b, p.k, p.n, false) ||
      c.size() != wanted(p.c, p.m, p.n, true))
    return {};
  p.slotsA = a.size();
  p.slotsB = b.size();
  p.slotsC = p.slotsD = c.size();
  Slots result, list;
  for (unsigned i = 0; i < p.slotsD; ++i)
    result.push_back(d.slot(false, evo::sim::floatTypeOf(p.d)));
  for (ArrayRef<int32_t> part : {ArrayRef<int32_t>(result), a, b, c})
    list.append(part.begin(), part.end());
  withList(Op::MMA, list).imm = d.k.products.size();
  d.k.products.push_back(p);
  return result;
}

Slots TensorDecoder::loadMatrix(int32_t address, unsigned count,
                                bool transposed) {
  Slots result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(d.slot(false, FT_None));
  Inst &i = withList(Op::LDMATRIX, result);
  i.a = address;
  i.sub = transposed;
  return result;
}

void TensorDecoder::storeMatrix(int32_t address, ArrayRef<int32_t> registers,
                                bool transposed) {
  SmallVector<int32_t, 4> bits;
  for (int32_t r : registers)
    bits.push_back(retyped(r, FT_None));
  Inst &i = withList(Op::STMATRIX, bits);
  i.a = address;
  i.sub = transposed;
}

void TensorDecoder::copy(int32_t to, int32_t from, unsigned bytes,
                         int32_t taken, int32_t ignored) {
  Inst &i = d.emit(Op::CPASYNC, noOperand, to, from, taken);
  i.e = ignored;
  i.imm = bytes;
}

/// The slots of `count` arguments.
Slots TensorDecoder::operands(const CallBase &inst, unsigned first,
                              unsigned count) {
  Slots out;
  for (unsigned i = first; i < first + count; ++i) {
    const Slots &s = d.get(inst.getArgOperand(i));
    out.append(s.begin(), s.end());
  }
  return out;
}

/// Names of products end in the types that are not the same for all: D and C
/// of f16 operands, else A, and B if it is another.
static bool readSignature(ArrayRef<StringRef> types, Mma &p) {
  MatrixType first, second;
  if (types.empty() || types.size() > 2 ||
      !parseMatrixType(types.front(), first) ||
      !parseMatrixType(types.back(), second))
    return false;
  if (first == MatrixType::F32 ||
      (first == MatrixType::F16 && types.size() == 2)) {
    p.a = p.b = MatrixType::F16;
    p.d = first;
    p.c = second;
    return types.size() == 2;
  }
  p.a = first;
  p.b = second;
  p.c = p.d = first == MatrixType::S8 || first == MatrixType::U8
                  ? MatrixType::S32
                  : MatrixType::F32;
  return first != MatrixType::F16 && first != MatrixType::S32;
}

static bool isWmmaShape(const Mma &p) {
  const bool area = (p.m == 16 && p.n == 16) || (p.m == 32 && p.n == 8) ||
                    (p.m == 8 && p.n == 32);
  if (p.a == MatrixType::TF32)
    return p.m == 16 && p.n == 16 && p.k == 8;
  return area && p.k == 16;
}

/// llvm.nvvm.mma.SHAPE.row.col[.satfinite].TYPES and
/// llvm.nvvm.wmma.SHAPE.mma.LAYOUT.LAYOUT.TYPES[.satfinite], without prefix.
bool TensorDecoder::mma(const CallBase &inst, ArrayRef<StringRef> parts,
                        bool opaque) {
  Mma p;
  p.opaque = opaque;
  if (parts.size() < 4 || !parseShape(parts[0], p))
    return false;
  parts = parts.drop_front(opaque ? 2 : 1);
  auto isLayout = [](StringRef s) { return s == "row" || s == "col"; };
  if (!isLayout(parts[0]) || !isLayout(parts[1]) ||
      (!opaque && (parts[0] != "row" || parts[1] != "col")))
    return false;
  SmallVector<StringRef, 4> types;
  for (StringRef s : parts.drop_front(2))
    if (s == "satfinite")
      p.saturate = true;
    else
      types.push_back(s);
  if (!readSignature(types, p) ||
      (opaque ? !isWmmaShape(p) : !isKnownProduct(p)))
    return false;
  if (p.saturate && p.d != MatrixType::S32)
    return false;
  // How many arguments each operand has follows from what one holds.
  auto count = [&](MatrixType t, unsigned rows, unsigned columns,
                   bool accumulator) {
    const unsigned n = opaque ? wmmaElements(t, rows, columns, accumulator)
                              : rows * columns / warpSize;
    return n / elementsPerRegister(t);
  };
  const unsigned na = count(p.a, p.m, p.k, false),
                 nb = count(p.b, p.k, p.n, false),
                 nc = count(p.c, p.m, p.n, true);
  if (inst.arg_size() != na + nb + nc)
    return false;
  Slots a = elements(operands(inst, 0, na), p.a),
        b = elements(operands(inst, na, nb), p.b),
        c = elements(operands(inst, na + nb, nc), p.c);
  if (!d.error.empty())
    return true;
  Slots result = product(p, a, b, c);
  if (result.empty())
    return false;
  d.values[&inst] = registers(result, p.d, true);
  return true;
}

/// SHAPE.load.{a,b,c}.LAYOUT[.stride].TYPE and SHAPE.store.d....
bool TensorDecoder::tile(const CallBase &inst, ArrayRef<StringRef> parts) {
  Mma shape;
  MatrixTile t;
  if (parts.size() < 5 || parts.size() > 6 || !parseShape(parts[0], shape) ||
      !parseMatrixType(parts.back(), t.type))
    return false;
  const bool store = parts[1] == "store", hasStride = parts.size() == 6;
  StringRef which = parts[2];
  if ((hasStride && parts[4] != "stride") || which.size() != 1)
    return false;
  const bool accumulator = which == "c" || which == "d";
  shape.a = t.type;
  if (accumulator && shape.k == 8)
    shape.a = MatrixType::TF32;
  if (!isWmmaShape(shape))
    return false;
  t.rows = which == "b" ? shape.k : shape.m;
  t.columns = which == "a" ? shape.k : shape.n;
  t.rowMajor = parts[3] == "row";
  // The ISA: as aligned as the fragment is large.
  const unsigned bytes = elementsPerRegister(t.type) == 4   ? 1
                         : elementsPerRegister(t.type) == 2 ? 2
                                                            : 4;
  const unsigned held = wmmaElements(t.type, t.rows, t.columns, accumulator);
  t.alignment = held * bytes;
  const unsigned own = t.rows * t.columns / warpSize;
  int32_t base = d.scalar(inst.getArgOperand(0));
  int32_t stride = hasStride
                       ? d.scalar(inst.getArgOperand(inst.arg_size() - 1))
                       : d.constant(t.rowMajor ? t.columns : t.rows, false);
  if (!d.error.empty())
    return true;
  Slots list;
  if (store) {
    list = elements(operands(inst, 1, inst.arg_size() - 1 - hasStride), t.type);
    if (list.size() != own)
      return false;
  } else {
    for (unsigned i = 0; i < own; ++i)
      list.push_back(d.slot(false, evo::sim::floatTypeOf(t.type)));
  }
  Inst &i = withList(store ? Op::WMMASTORE : Op::WMMALOAD, list);
  i.a = base;
  i.b = stride;
  i.imm = d.k.tiles.size();
  d.k.tiles.push_back(t);
  if (store)
    return true;
  // The copies of an element are one value until somebody writes to one.
  Slots all;
  while (all.size() < held)
    all.append(list.begin(), list.end());
  d.values[&inst] = registers(all, t.type, true);
  return true;
}

/// cp.async.{ca,cg}.shared.global.SIZE[.s], without the family.
bool TensorDecoder::asyncCopy(const CallBase &inst, StringRef name) {
  if (!name.consume_front("ca.shared.global.") &&
      !name.consume_front("cg.shared.global."))
    return false;
  const bool sized = name.consume_back(".s");
  unsigned bytes;
  if (name.getAsInteger(10, bytes) || inst.arg_size() != 2u + sized)
    return false;
  int32_t to = d.scalar(inst.getArgOperand(0)),
          from = d.scalar(inst.getArgOperand(1)),
          taken = sized ? d.scalar(inst.getArgOperand(2)) : noOperand;
  copy(to, from, bytes, taken, noOperand);
  return true;
}

/// For all copies, or until so many groups of them are left.
bool TensorDecoder::asyncWait(const CallBase &inst) {
  if (inst.arg_empty()) {
    wait(-1);
    return true;
  }
  auto *left = dyn_cast<ConstantInt>(inst.getArgOperand(0));
  if (!left || left->getZExtValue() > INT_MAX)
    return false;
  wait(left->getZExtValue());
  return true;
}

/// {ldmatrix,stmatrix}.sync.aligned.m8n8.xN[.trans].b16, without the family.
bool TensorDecoder::matrixMemory(const CallBase &inst, StringRef name,
                                 bool loads) {
  if (!name.consume_front("sync.aligned.m8n8."))
    return false;
  SmallVector<StringRef, 4> parts;
  name.split(parts, '.');
  const bool transposed = parts.size() == 3 && parts[1] == "trans";
  unsigned count;
  if (parts.back() != "b16" || parts.size() != 2u + transposed ||
      !parts[0].consume_front("x") || parts[0].getAsInteger(10, count))
    return false;
  int32_t address = d.scalar(inst.getArgOperand(0));
  if (loads)
    d.values[&inst] = loadMatrix(address, count, transposed);
  else
    storeMatrix(address, operands(inst, 1, count), transposed);
  return true;
}

CallDecoder::Outcome CallDecoder::tensors() {
  TensorDecoder tensor(dec);
  const StringRef words = StringRef(plain).drop_front(
      std::min(plain.size(), entry.words.size() + 1));
  SmallVector<StringRef, 8> parts;
  auto isKnown = [&] {
    words.split(parts, '.');
    switch (entry.kind) {
    case Kind::AsyncCopy:
      return tensor.asyncCopy(*inst, words);
    case Kind::AsyncCommit:
      tensor.commit();
      return true;
    case Kind::AsyncWait:
      return tensor.asyncWait(*inst);
    case Kind::MatrixProduct:
      return tensor.mma(*inst, parts, false);
    case Kind::MatrixTile:
      if (parts.size() < 2)
        return false;
      return parts[1] == "mma" ? tensor.mma(*inst, parts, true)
                               : tensor.tile(*inst, parts);
    default:
      return tensor.matrixMemory(*inst, words, entry.kind == Kind::MatrixLoad);
    }
  };
  switch (entry.kind) {
  case Kind::AsyncCopy:
  case Kind::AsyncCommit:
  case Kind::AsyncWait:
  case Kind::MatrixProduct:
  case Kind::MatrixTile:
  case Kind::MatrixLoad:
  case Kind::MatrixStore:
    return isKnown() ? Outcome::Done : Outcome::Unknown;
  default:
    return Outcome::NotMine;
  }
}

} // namespace evo::sim
