// Data races of a launch. Two accesses to one byte by different threads, at
// least one of them a write, are a race unless something orders them. The
// interpreter runs threads one after another, so the question at each access is
// whether the earlier ones it conflicts with *happened before* it on a device
// too.
//
// Time. One counter `now` numbers the stretches between events that order
// memory. An access is remembered as (thread, time). A thread knows, of every
// other thread, up to which time that one's accesses are behind it; this is a
// vector clock whose entries are times of the one counter, so it can be kept in
// coarse pieces:
//   - block barriers: everything of the block up to `barrierTime`;
//   - __syncwarp: per warp where all its lanes took part, else lane by lane;
//   - fence and atomic: sparse Knowledge, see RaceOrder.cpp.
// Shuffles and votes exchange registers and order nothing. What a thread was
// told of by a flag or a counter and has not acquired is kept apart: its plain
// loads may be stale.
//
// Memory. Of each granule of 4 bytes (smaller once something smaller is
// accessed) are remembered the last write, two reads, and, in tables on the
// side because they are few, two reads and writes by volatile or atomic
// accesses, and one more write where several threads store the same bytes and
// nothing orders them. Two stand for all: they are kept as far apart (other
// warp, other block) as can be, so that a later access by any thread is
// unordered with one of them if it is with any, but for contrived orders.
// Reads outlast the writes that are ordered after them: another thread may
// store the same bytes, and that nothing orders.
#ifndef EVO_LIB_SIMULATOR_DETECT_RACE_H
#define EVO_LIB_SIMULATOR_DETECT_RACE_H

#include "Simulator/Interp/Exec.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <memory>
#include <optional>

namespace evo::sim {

/// A point in the history of one thread; time 0 means never.
struct Stamp {
  /// What an actor's number has room for in each block.
  static constexpr unsigned threads = target::TargetInfo::maxThreadsPerBlock;
  static_assert((threads & (threads - 1)) == 0 && threads % warpSize == 0,
                "a number is split by shifts");
  uint32_t actor = 0; ///< block's ordinal * threads + thread
  uint32_t time = 0;

  static uint32_t actorOf(uint32_t block, unsigned thread) {
    return block * threads + thread;
  }
  unsigned block() const { return actor / threads; }
  unsigned thread() const { return actor % threads; }
  unsigned warp() const { return actor / warpSize; } ///< within the launch
  unsigned warpInBlock() const { return thread() / warpSize; }
  unsigned lane() const { return actor % warpSize; }
};

/// Which accesses of which threads have happened, by block.
class Knowledge {
public:
  void join(const Knowledge &other);
  /// All threads of a block up to a time.
  void addBlock(uint32_t block, uint32_t time);
  void addThread(uint32_t actor, uint32_t time);
  bool covers(Stamp stamp) const;
  size_t size() const;

private:
  struct View {
    uint32_t block = 0, all = 0;
    /// Threads known beyond `all`, sorted.
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 1> threads;
  };
  /// By block. A lock hands all of it from thread to thread, so that it is
  /// copied more often than anything is looked up.
  std::vector<View> blocks;
  static void addBlock(View &view, uint32_t time);
  static void addThread(View &view, uint32_t actor, uint32_t time);
  static void join(View &view, const View &other);
  View &at(uint32_t block);
};
using KnowledgeRef = std::shared_ptr<const Knowledge>;

class RaceDetector {
public:
  RaceDetector(Exec &x);

  /// Bit i: warp i of the block.
  using WarpSet = uint32_t;
  static constexpr WarpSet wholeBlock = ~WarpSet(0);

  static constexpr unsigned storeStride = 16;
  struct Event {
    AccessObserver::Access access;
    LaneMask mask;
    unsigned bytes; ///< per lane
    const uint64_t *addresses;
    const Access *checked; ///< null where lanes may still fault
    /// Of a store, `stride` bytes per lane (0: there is one lane); else null.
    const uint8_t *stored;
    unsigned stride = storeStride;
  };
  /// Called before the access takes effect.
  void access(const Warp &w, const Inst &i, const Event &event);
  /// The first race; nothing is watched after it.
  std::optional<Finding> found;

  /// What belongs to a block that is under way, where several are.
  struct BlockState;
  /// Exchanges it for that of another block.
  void exchange(BlockState &other);
  void blockStart();
  /// The warps leave barrier `id` together. One of them that may have come to
  /// it while others used it, if there is one: it may have stood for one of
  /// those.
  std::optional<unsigned> barrier(WarpSet leaving, uint32_t id);
  /// A warp passes barrier `id` without waiting. Whether it comes after all who
  /// used it before.
  bool barrierArrive(const Warp &w, uint32_t id);
  void warpSync(const Warp &w, LaneMask mask);
  /// These lanes have returned and others of their warp go on: what orders
  /// those later orders nothing that these did after they last took part.
  void exit(const Warp &w, LaneMask mask);
  void fence(const Warp &w, LaneMask mask, bool blockScope);
  /// Whether a thread relied on what it was told of and did not acquire, in a
  /// way that devices grant.
  bool reliesOnUnacquired = false;

private:
  static constexpr unsigned maxThreads = Stamp::threads;
  static constexpr unsigned maxWarps = maxThreads / warpSize;
  static_assert(maxWarps <= sizeof(WarpSet) * 8, "a bit for each warp");
  static constexpr unsigned chunkBytes = 4096;

  /// What is remembered of a granule's ordinary accesses.
  struct Cell {
    Stamp write, read[2];
    uint16_t writeLoc = 0, readLoc[2] = {0, 0};
    bool marked = false; ///< there is an entry in `marks`
    bool joined = false; ///< there is one in `joint`
  };
  static_assert(sizeof(Cell) == 32, "there are many");
  /// A write of the same bytes as the cell's, unordered with it.
  struct Joint {
    Stamp at;
    uint16_t loc = 0;
  };
  /// A volatile or atomic access.
  struct Mark {
    Stamp at;
    uint32_t loc = 0;
    bool blockScope = false, atomic = false;
    bool released = false; ///< by a thread that fenced before
    bool first = false;    ///< nobody wrote there before this store's block
  };
  struct Marks {
    Mark write[2], read[2];
  };
  struct Chunk {
    unsigned shift = 2; ///< log2 bytes of a granule
    std::unique_ptr<Cell[]> cells;
  };
  /// What was published through a location.
  struct SyncPoint {
    KnowledgeRef device, block;
    uint32_t ordinal = 0; ///< of the block `block` holds for
  };
  /// The access being checked, and whose turn it is.
  struct Current {
    const Warp &warp;
    const Inst &inst;
    const Event &event;
    unsigned lane;
    Stamp me;
    bool shared; ///< the memory is the block's own
    bool writes, reads, atomic, strong, blockScope, released, readOnlyPath;
    bool pastCache;   ///< a load that finds nothing stale
    uint64_t address; ///< of the granule
    unsigned bytes;   ///< of the granule
  };

  Exec &x;
  uint32_t now = 1;
  bool severalBlocks = false; ///< are under way at once
  // The block that runs.
  uint32_t ordinal = 0;
  uint32_t barrierTime = 0;
  /// Entries of earlier blocks are smaller than any time of this one.
  std::vector<uint32_t> warpTimes; ///< a warp's last full __syncwarp
  /// [warp][other warp]: through barriers of a part of the block.
  std::vector<std::array<uint32_t, maxWarps>> partTimes;
  /// What the warps knew that passed a barrier without waiting, by its number,
  /// and who left it last, and when.
  struct Arrived {
    std::array<uint32_t, maxWarps> times{};
    KnowledgeRef known, told, ticketed, fenced, fencedInBlock;
    WarpSet left = 0;
    uint32_t leftAt = 0;
  };
  std::vector<Arrived> arrived;
  std::vector<uint32_t> laneTimes; ///< [warp][lane][other lane]
  std::vector<KnowledgeRef> known, fenced, fencedInBlock; ///< by thread
  /// What a thread was told of and has not acquired: by whatever it read of a
  /// flag, and by the counters that it changed.
  std::vector<KnowledgeRef> told, ticketed;
  /// What of it a thread was told of last, which these hold.
  std::vector<KnowledgeRef> toldLast, ticketedLast;
  /// What a thread took up last from a location, which `known` then holds.
  std::vector<KnowledgeRef> taken, takenInBlock;
  bool anyKnown = false, anyFenced = false, anyTold = false;
  uint32_t ticketTime = 0; ///< when the block's latest counter told it anything
  /// By thread: up to when a barrier or warp's synchronisation may order it.
  std::vector<uint32_t> lastTimes;
  bool anyExited = false;
  std::vector<std::array<uint32_t, 3>> blockIds; ///< ctaid by ordinal

  llvm::DenseMap<uint64_t, Chunk> chunks; ///< by address / chunkBytes
  uint64_t lastKey = ~0ull;
  Chunk *lastChunk = nullptr;
  llvm::DenseMap<uint64_t, Marks> marks;      ///< by granule address
  llvm::DenseMap<uint64_t, Joint> joint;      ///< by granule address
  llvm::DenseMap<uint64_t, SyncPoint> points; ///< by address

  Chunk *chunkOf(uint64_t address, unsigned bytes);
  void split(Chunk &chunk, unsigned shift, uint64_t key);

  bool behindBarrier(Stamp s) const;
  bool comesAfter(unsigned warp, const Arrived &last) const;
  // The usual cases at little cost.
  Cell *usualCells(uint64_t address, unsigned bytes);
  LaneMask passLoads(const Warp &w, const Event &e);
  LaneMask passStores(const Warp &w, const Inst &inst, const Event &e);
  bool ordered(const Current &c, Stamp s) const;
  bool isTold(const Current &c, Stamp s) const;
  bool isGranted(const Current &c, Stamp s);
  bool isLineCached(const Current &c);
  bool follows(const Current &c, Stamp s) const {
    return ordered(c, s) || isTold(c, s);
  }
  void checkGranule(Current &c, Cell &cell);
  bool conflictsWithWrites(const Current &c, const Cell &cell);
  bool conflictsWithMarks(const Current &c);
  void store(const Current &c, Cell &cell);
  static bool isFarther(const Current &c, Stamp a, Stamp b);
  bool conflicts(const Current &c, const Mark &m, bool markWrites) const;
  bool storesWhatIsThere(const Current &c, Stamp other) const;
  bool isFirstStore(const Current &c, const Mark &newest) const;
  void remember(const Current &c, Stamp (&marks)[2], uint16_t (&locs)[2]);
  void remember(const Current &c, Mark (&slots)[2], bool first);
  unsigned placeFor(const Current &c, Stamp a, Stamp b) const;
  void race(const Current &c, Stamp other, uint32_t otherLoc,
            AccessObserver::Access otherAccess, bool otherStrong);
  std::string describeThread(const Current &c, Stamp other) const;

  // RaceOrder.cpp
  unsigned threadOf(const Warp &w, unsigned lane) const {
    return w.index * warpSize + lane;
  }
  /// `time`, but no later than when the thread last took part.
  uint32_t limited(unsigned thread, uint32_t time) const {
    return anyExited ? std::min(time, lastTimes[thread]) : time;
  }
  Knowledge knowledgeOf(const Warp &w, unsigned lane) const;
  /// How a strong access reads a location.
  enum class Reading { Acquires, Observes, Changes };
  void observe(const Warp &w, unsigned lane, uint64_t address, Reading how,
               bool blockScope);
  void release(const Warp &w, unsigned lane, uint64_t address, bool isStore,
               bool ordered, bool blockScope);
  bool hasFenced(unsigned thread) const {
    return fenced[thread] || fencedInBlock[thread];
  }
};

/// Vectors are empty until the block has begun.
struct RaceDetector::BlockState {
  uint32_t ordinal = 0, barrierTime = 0, ticketTime = 0;
  std::vector<uint32_t> warpTimes, laneTimes, lastTimes;
  std::vector<std::array<uint32_t, maxWarps>> partTimes;
  std::vector<Arrived> arrived;
  std::vector<KnowledgeRef> known, fenced, fencedInBlock, told, ticketed,
      toldLast, ticketedLast, taken, takenInBlock;
  bool anyKnown = false, anyFenced = false, anyTold = false, anyExited = false;
};

} // namespace evo::sim

#endif
