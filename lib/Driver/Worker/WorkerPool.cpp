// One lock around who has how many workers; it is never held while one works.
#include "WorkerPool.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace evo;

WorkerPool::Share::Share(WorkerPool &pool) : pool(pool) {
  std::lock_guard<std::mutex> lock(pool.mutex);
  turn = ++pool.turns;
  pool.shares.push_back(this);
}

WorkerPool::Share::~Share() {
  std::lock_guard<std::mutex> lock(pool.mutex);
  llvm::erase(pool.shares, this);
  pool.changed.notify_all();
}

bool WorkerPool::isNext(const Share &share) const {
  unsigned taken = 0;
  for (const Share *other : shares) {
    taken += other->taken;
    if (other->isInLine &&
        std::tie(other->taken, other->turn) < std::tie(share.taken, share.turn))
      return false;
  }
  return taken < size;
}

std::unique_ptr<WorkerProcess>
WorkerPool::Share::take(std::chrono::milliseconds patience) {
  std::unique_lock<std::mutex> lock(pool.mutex);
  isInLine = true;
  if (!pool.changed.wait_for(lock, patience,
                             [&] { return pool.isNext(*this); }))
    return nullptr;
  isInLine = false;
  ++taken;
  turn = ++pool.turns;
  // There may be one for the next in line, too.
  pool.changed.notify_all();
  if (pool.idle.empty())
    return std::make_unique<WorkerProcess>(pool.command);
  std::unique_ptr<WorkerProcess> worker = std::move(pool.idle.back());
  pool.idle.pop_back();
  return worker;
}

void WorkerPool::Share::leaveLine() {
  std::lock_guard<std::mutex> lock(pool.mutex);
  if (isInLine)
    pool.changed.notify_all();
  isInLine = false;
}

void WorkerPool::Share::giveBack(std::unique_ptr<WorkerProcess> worker) {
  std::lock_guard<std::mutex> lock(pool.mutex);
  --taken;
  pool.idle.push_back(std::move(worker));
  pool.changed.notify_all();
}
