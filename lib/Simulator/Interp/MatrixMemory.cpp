// Matrices between memory and lanes. ldmatrix and stmatrix move 8 x 8 matrices
// of 16-bit elements whose rows lie at the addresses that lanes give; wmma
// loads and stores whole tiles from one address and a stride. The lane whose
// address it is makes the access.
#include "Fragments.h"
#include "Matrix.h"
#include <cstring>

namespace evo::sim {
namespace {

constexpr unsigned rowBytes = 16, rowElements = 8;

/// Up to four matrices, by the lane that gives the row's address.
struct Rows {
  uint16_t element[warpSize][rowElements];
  Tagged tag[warpSize][rowElements];
};

/// Where lane `lane` has the halves of its register of matrix `n`.
struct Halves {
  unsigned row[2], column[2];
  Halves(unsigned lane, unsigned n, bool transposed) {
    for (unsigned h : {0, 1}) {
      row[h] = n * 8 + (transposed ? lane % 4 * 2 + h : lane / 4);
      column[h] = transposed ? lane / 4 : lane % 4 * 2 + h;
    }
  }
};

/// Only shared memory has such rows.
bool inShared(Exec &x, Warp &w, const Inst &I, LaneMask giving) {
  const uint64_t *address = reg<uint64_t>(x, w, I.a);
  EVO_BITS(giving)
  if (address[i] >> 60 != SpaceShared) {
    reportAt(x, w, i, I, FindingKind::NullOrWildPointer,
             "matrix row at an address outside shared memory", address[i]);
    return false;
  }
  return true;
}

void loadMatrix(Exec &x, Warp &w, const Inst &I) {
  const std::vector<int32_t> &slots = x.k->lists[I.aux];
  const bool tags = x.shadow && (I.flags & SV_Mask) == SV_Packed;
  Rows rows;
  const LaneMask giving = allLanes >> (warpSize - 8 * slots.size());
  if (!inShared(x, w, I, giving))
    return;
  const LaneAccess access{giving, rowBytes, reg<uint64_t>(x, w, I.a),
                          rowBytes - 1, false};
  const bool ok = forEachLane(
      x, w, I, access, [&](unsigned lane, const Region *r, uint64_t offset) {
        if (!r) {
          std::memset(rows.element[lane], int(x.poison & 0xff), rowBytes);
          return;
        }
        std::memcpy(rows.element[lane], r->host + offset, rowBytes);
        for (unsigned e = 0; tags && e < rowElements; ++e)
          rows.tag[lane][e] = memoryTagged(x, *r, offset + 2 * e);
        if (x.field && !tags) {
          Access a;
          a.region = r;
          a.offset[lane] = offset;
          fieldIntegerLoad(x, I, laneBit(lane), a, rowBytes);
        }
      });
  if (!ok)
    return;
  for (unsigned n = 0; n < slots.size(); ++n)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const Halves at(lane, n, I.sub);
      reg<uint32_t>(x, w, slots[n])[lane] =
          rows.element[at.row[0]][at.column[0]] |
          uint32_t(rows.element[at.row[1]][at.column[1]]) << 16;
      for (unsigned h = 0; tags && h < 2; ++h)
        writeTagged(x, w, slots[n], SV_Packed, h, lane,
                    rows.tag[at.row[h]][at.column[h]]);
    }
}

void storeMatrix(Exec &x, Warp &w, const Inst &I) {
  const std::vector<int32_t> &slots = x.k->lists[I.aux];
  const bool tags = x.shadow && (I.flags & SV_Mask) == SV_Packed;
  Rows rows;
  for (unsigned n = 0; n < slots.size(); ++n)
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      const Halves at(lane, n, I.sub);
      for (unsigned h : {0, 1}) {
        rows.element[at.row[h]][at.column[h]] =
            reg<uint32_t>(x, w, slots[n])[lane] >> 16 * h;
        if (tags)
          rows.tag[at.row[h]][at.column[h]] =
              readTagged(x, w, slots[n], SV_Packed, h, lane);
        else
          rows.tag[at.row[h]][at.column[h]] = untagged(x);
      }
    }
  static_assert(sizeof rows.element[0] == RaceDetector::storeStride,
                "a row is what a lane stores");
  const LaneMask giving = allLanes >> (warpSize - 8 * slots.size());
  if (!inShared(x, w, I, giving))
    return;
  const LaneAccess access{
      giving,       rowBytes, reg<uint64_t>(x, w, I.a),
      rowBytes - 1, true,     reinterpret_cast<const uint8_t *>(rows.element)};
  forEachLane(x, w, I, access,
              [&](unsigned lane, const Region *r, uint64_t offset) {
                if (!r)
                  return;
                std::memcpy(r->host + offset, rows.element[lane], rowBytes);
                markWritten(*r, offset, rowBytes);
                if (x.shadow)
                  storeTagged(x, *r, offset, rowBytes, rows.tag[lane]);
              });
}

struct ElementType {
  unsigned bytes;
  uint8_t shadowValue; ///< ShadowValueKind
};
ElementType elementType(MatrixType t) {
  switch (t) {
  case MatrixType::F16:
    return {2, SV_H};
  case MatrixType::BF16:
    return {2, SV_B};
  case MatrixType::TF32:
  case MatrixType::F32:
    return {4, SV_S};
  case MatrixType::S8:
  case MatrixType::U8:
    return {1, SV_None};
  case MatrixType::S32:
    break;
  }
  return {4, SV_None};
}

/// A tile from one address and a stride, which the lanes must agree on.
class TileAccess {
public:
  TileAccess(Exec &x, Warp &w, const Inst &I, LaneMask mask)
      : x(x), w(w), I(I), mask(mask), tile(x.k->tiles[I.imm]),
        slots(x.k->lists[I.aux]), type(elementType(tile.type)) {}
  void run() {
    if (!agree())
      return;
    // Neighbours in a row are one access where rows lie in memory as such.
    const unsigned step = tile.rowMajor ? 2 : 1;
    for (unsigned i = 0; i < slots.size(); i += step)
      if (!elements(i, step))
        return;
  }

private:
  Exec &x;
  Warp &w;
  const Inst &I;
  const LaneMask mask;
  const MatrixTile &tile;
  const std::vector<int32_t> &slots;
  const ElementType type;

  bool fail(FindingKind kind, const std::string &message) {
    report(x, w, firstLane(mask), I, kind, message);
    return !x.stop;
  }
  bool agree();
  bool elements(unsigned i, unsigned count);
};

bool TileAccess::agree() {
  const uint64_t *base = reg<uint64_t>(x, w, I.a);
  const uint32_t *stride = reg<uint32_t>(x, w, I.b);
  const unsigned first = firstLane(mask);
  EVO_BITS(mask)
  if (base[i] != base[first] || stride[i] != stride[first])
    return fail(FindingKind::BarrierDivergence,
                "lanes of one warp name different matrices");
  if (base[first] & (tile.alignment - 1)) {
    reportAt(x, w, first, I, FindingKind::Misaligned,
             "matrix of fragments that needs an alignment of " +
                 std::to_string(tile.alignment),
             base[first]);
    if (x.stop)
      return false;
  }
  const unsigned min = std::min(16u, tile.alignment);
  if (uint64_t(stride[first]) * type.bytes % min)
    return fail(FindingKind::Misaligned, "a stride of " +
                                             std::to_string(stride[first]) +
                                             " elements is no multiple of " +
                                             std::to_string(min) + " bytes");
  return true;
}

bool TileAccess::elements(unsigned first, unsigned count) {
  const bool store = I.op == Op::WMMASTORE;
  const uint64_t *base = reg<uint64_t>(x, w, I.a);
  const uint32_t *stride = reg<uint32_t>(x, w, I.b);
  uint64_t addresses[warpSize];
  uint8_t stored[warpSize * RaceDetector::storeStride];
  EVO_BITS(mask) {
    const Place p = wmmaPlace(tile.columns, i, first);
    const uint64_t n = tile.rowMajor ? uint64_t(p.row) * stride[i] + p.column
                                     : uint64_t(p.column) * stride[i] + p.row;
    addresses[i] = base[i] + n * type.bytes;
    for (unsigned e = 0; store && e < count; ++e)
      std::memcpy(stored + i * RaceDetector::storeStride + e * type.bytes,
                  reg<uint32_t>(x, w, slots[first + e]) + i, type.bytes);
  }
  const LaneAccess access{mask,      count * type.bytes,
                          addresses, type.bytes - 1,
                          store,     store ? stored : nullptr};
  return forEachLane(
      x, w, I, access, [&](unsigned lane, const Region *r, uint64_t offset) {
        for (unsigned e = 0; e < count; ++e, offset += type.bytes) {
          const int32_t slot = slots[first + e];
          if (store && r) {
            std::memcpy(r->host + offset,
                        stored + lane * RaceDetector::storeStride +
                            e * type.bytes,
                        type.bytes);
            markWritten(*r, offset, type.bytes);
            if (x.shadow) {
              Tagged t[2] = {untagged(x), untagged(x)};
              if (type.shadowValue)
                for (unsigned p : {0, 1})
                  t[p] = readTagged(x, w, slot, type.shadowValue, p, lane);
              storeTagged(x, *r, offset, type.bytes, t);
            }
          } else if (!store) {
            uint32_t bits = 0;
            if (r)
              std::memcpy(&bits, r->host + offset, type.bytes);
            else
              std::memcpy(&bits, &x.poison, type.bytes);
            reg<uint32_t>(x, w, slot)[lane] = bits;
            if (x.shadow && type.shadowValue)
              writeTagged(x, w, slot, type.shadowValue, 0, lane,
                          r ? memoryTagged(x, *r, offset) : untagged(x));
            if (x.field && type.shadowValue)
              fieldFloatLoad(x, w, I, slot, type.shadowValue - SV_H,
                             laneBit(lane));
          }
        }
      });
}

} // namespace

void matrixMemoryOp(Exec &x, Warp &w, const Inst &I, LaneMask mask) {
  switch (I.op) {
  case Op::LDMATRIX:
    return loadMatrix(x, w, I);
  case Op::STMATRIX:
    return storeMatrix(x, w, I);
  default:
    return TileAccess(x, w, I, mask).run();
  }
}

} // namespace evo::sim
