// The workers of an evaluator, which several searches may ask at a time.
#ifndef EVO_LIB_DRIVER_WORKER_WORKERPOOL_H
#define EVO_LIB_DRIVER_WORKER_WORKERPOOL_H

#include "evo/Support/WorkerProcess.h"
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace evo {

/// Hands out no more than `size` workers at a time. Where more are asked for,
/// the next one that is given back goes to whoever has the fewest, and of these
/// to whoever was given one the longest time ago. Threads may share one.
class WorkerPool {
public:
  WorkerPool(std::vector<std::string> command, unsigned size)
      : command(std::move(command)), size(size) {}

  /// What one search has of the pool; of one thread, as the workers that it was
  /// handed are. They have to have ended, or to be given back, before this
  /// ends.
  class Share {
  public:
    explicit Share(WorkerPool &pool);
    ~Share();
    Share(const Share &) = delete;

    /// A worker that is idle, or yet to be started. Null where none came within
    /// `patience`: this search is then in line for the next one.
    std::unique_ptr<WorkerProcess> take(std::chrono::milliseconds patience);
    /// No worker is waited for any more, so that others need not defer.
    void leaveLine();
    /// Only one that is at nothing.
    void giveBack(std::unique_ptr<WorkerProcess> worker);

  private:
    friend class WorkerPool;
    WorkerPool &pool;
    unsigned taken = 0;
    uint64_t turn; ///< when it was handed one last, or came
    bool isInLine = false;
  };

private:
  /// Call with the mutex held.
  bool isNext(const Share &share) const;

  const std::vector<std::string> command;
  const unsigned size;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t turns = 0;
  std::vector<Share *> shares;
  std::vector<std::unique_ptr<WorkerProcess>> idle;
};

} // namespace evo

#endif
