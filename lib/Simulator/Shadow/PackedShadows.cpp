// Shadow values inside integers. Halves and floats travel through integer
// registers, packed, shifted and masked. Their shadow values travel along, one
// per 16 bits, 0 meaning "absent".
#include "Simulator/IR/Operands.h"
#include "Simulator/Interp/Cold.h"
#include <cstring>

namespace evo::sim {

Tagged readTagged(Exec &x, Warp &w, int32_t u, unsigned kind, unsigned pos,
                  unsigned lane) {
  Tagged t;
  double g = shadowValueOf(x, w, u, pos)[lane];
  if (kind >= SV_H) {
    if (pos) {
      if (x.shadow == 3)
        t.error = insideBits;
      return t;
    }
    t.shadowValue = kind == SV_D && g == 0 ? 0 : encodeShadowValue(g);
  } else {
    t.shadowValue = bitsTo<uint64_t>(g);
  }
  if (x.shadow == 3 || (x.shadow == 2 && t.shadowValue))
    t.error = errorOf(x, w, u, pos)[lane];
  return t;
}

void writeTagged(Exec &x, Warp &w, int32_t u, unsigned kind, unsigned pos,
                 unsigned lane, Tagged t) {
  if (kind == SV_None || (kind >= SV_H && pos))
    return;
  double g = bitsTo<double>(t.shadowValue);
  if (kind >= SV_H)
    g = t.shadowValue ? bitsTo<double>(t.shadowValue ^ shadowKey)
                      : ownShadowValue(kind, regAddress(x, w, u), lane);
  shadowValueOf(x, w, u, pos)[lane] = g;
  if (x.shadow >= 2)
    errorOf(x, w, u, pos)[lane] = t.error;
}

void clearListedShadowValues(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  // Elements of products and fragments have 32 bits.
  for (size_t d = 0; d < listedDefs(*x.k, I); ++d)
    for (unsigned p : {0, 1})
      EVO_BITS(mask)
  writeTagged(x, w, x.k->lists[I.aux][d], SV_Packed, p, i, untagged(x));
}

void packedShadows(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  const unsigned kind = I.flags & SV_Mask;
  if (kind == SV_None)
    return;
  const bool isMove = I.op == Op::MOV_I || I.op == Op::MOV_L;
  const unsigned positions = has(I.op, fact::isWide) ? 4 : 2;
  // A tag that an op does not hand on leaves bits of no meaning in the field.
  const Tagged nothing = untagged(x);
  auto present = [&](const Tagged &t) {
    return t.shadowValue || (x.shadow == 3 && isFieldValue(t.error));
  };
  EVO_BITS(mask) {
    Tagged t[4] = {nothing, nothing, nothing, nothing};
    auto from = [&](int32_t u, unsigned pos) {
      return readTagged(x, w, u, isMove ? I.sub : SV_Packed, pos, i);
    };
    switch (I.op) {
    case Op::MOV_I:
    case Op::MOV_L:
      if (I.sub != SV_None)
        for (unsigned p = 0; p < positions; ++p)
          t[p] = from(I.a, p);
      break;
    case Op::SELECT_I:
    case Op::SELECT_L:
      for (unsigned p = 0; p < positions; ++p)
        t[p] = from(reg<uint32_t>(x, w, I.a)[i] ? I.b : I.c, p);
      break;
    case Op::OR_I:
    case Op::OR_L: {
      // Each half belongs to the operand whose other side is zero there.
      auto bits = [&](int32_t u, unsigned p) {
        return positions == 4
                   ? uint32_t(reg<uint64_t>(x, w, u)[i] >> 16 * p & 0xffff)
                   : reg<uint32_t>(x, w, u)[i] >> 16 * p & 0xffff;
      };
      for (unsigned p = 0; p < positions; ++p) {
        Tagged a = from(I.a, p), b = from(I.b, p);
        if (present(a) && bits(I.b, p) == 0)
          t[p] = a;
        else if (present(b) && bits(I.a, p) == 0)
          t[p] = b;
      }
      break;
    }
    case Op::SHL_I:
    case Op::SHL_L:
    case Op::LSHR_I:
    case Op::LSHR_L: {
      uint64_t s = positions == 4 ? reg<uint64_t>(x, w, I.b)[i]
                                  : reg<uint32_t>(x, w, I.b)[i];
      if (s % 16)
        break;
      bool left = I.op == Op::SHL_I || I.op == Op::SHL_L;
      for (unsigned p = 0; p < positions; ++p) {
        uint64_t q = left ? p - s / 16 : p + s / 16;
        if (q < positions)
          t[p] = from(I.a, q);
      }
      break;
    }
    case Op::MASK_I:
      if (I.imm >= 16)
        t[0] = from(I.a, 0);
      break;
    case Op::TRUNC_LI:
    case Op::ZEXT_IL:
      for (unsigned p = 0; p < 2; ++p)
        t[p] = from(I.a, p);
      break;
    case Op::UNPACK16_I:
      t[0] = from(I.a, I.imm / 16);
      break;
    case Op::UNPACK32_L:
      for (unsigned p = 0; p < 2; ++p)
        t[p] = from(I.a, I.imm / 16 + p);
      break;
    case Op::PACK16_I:
      t[0] = from(I.a, 0);
      t[1] = from(I.b, 0);
      break;
    case Op::PACK32_L:
      for (unsigned p = 0; p < 2; ++p) {
        t[p] = from(I.a, p);
        t[2 + p] = from(I.b, p);
      }
      break;
    default:
      break;
    }
    for (unsigned p = 0; p < positions; ++p)
      writeTagged(x, w, I.dst, kind, p, i, t[p]);
  }
}

Tagged memoryTagged(Exec &x, const Region &r, uint64_t o) {
  Tagged t;
  if (!r.shadowValue || (o & ((1u << r.granuleShift) - 1))) {
    if (x.shadow == 3)
      t.error = r.shadowValue ? insideBits : opaqueBits;
    return t;
  }
  t.shadowValue = bitsTo<uint64_t>(r.shadowValue[o >> r.granuleShift]);
  if (r.error && (x.shadow == 3 || (x.shadow == 2 && t.shadowValue)))
    t.error = r.error[o >> r.granuleShift];
  return t;
}

void storeTagged(Exec &x, const Region &r, uint64_t o, unsigned bytes,
                 const Tagged *t) {
  if (!r.shadowValue)
    return;
  const uint64_t low = (1u << r.granuleShift) - 1;
  for (uint64_t q = o >> r.granuleShift; q <= (o + bytes - 1) >> r.granuleShift;
       ++q) {
    Tagged v = t ? untagged(x) : Tagged(); // what memset writes is literal
    uint64_t at = q << r.granuleShift;
    if (t && at >= o && !((at - o) & 1) && !(at & low))
      v = t[(at - o) / 2];
    std::memcpy(&r.shadowValue[q], &v.shadowValue, 8);
    if (x.shadow >= 2 && r.error)
      r.error[q] = v.error;
  }
}

void loadPackedShadows(Exec &x, Warp &w, const Inst &I, LaneMask mask,
                       const Access &a) {
  const bool list = I.flags & flagList;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  const unsigned bytes = 1u << (I.sub & 15), positions = bytes > 4 ? 4 : 2;
  EVO_BITS(mask)
  for (unsigned e = 0; e < n; ++e)
    for (unsigned p = 0; p < positions; ++p) {
      Tagged t;
      if (2 * p < bytes)
        t = memoryTagged(x, *a.region, a.offset[i] + e * bytes + 2 * p);
      writeTagged(x, w, list ? x.k->lists[I.aux][e] : I.dst, SV_Packed, p, i,
                  t);
    }
}

void storePackedShadows(Exec &x, Warp &w, const Inst &I, LaneMask mask,
                        const Access &a) {
  const bool list = I.flags & flagList;
  const unsigned n = list ? x.k->lists[I.aux].size() : 1;
  const unsigned bytes = 1u << (I.sub & 15), positions = bytes > 4 ? 4 : 2;
  EVO_BITS(mask)
  for (unsigned e = 0; e < n; ++e) {
    Tagged t[4];
    for (unsigned p = 0; p < positions; ++p)
      t[p] =
          readTagged(x, w, list ? x.k->lists[I.aux][e] : I.b, SV_Packed, p, i);
    storeTagged(x, *a.region, a.offset[i] + e * bytes, bytes, t);
  }
}

} // namespace evo::sim
