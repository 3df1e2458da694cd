// Plans and times as JSON, between a process and the one that has the device.
// Private to this library.
#ifndef EVO_LIB_RUNTIME_CUDA_TIMINGMESSAGES_H
#define EVO_LIB_RUNTIME_CUDA_TIMINGMESSAGES_H

#include "evo/Runtime/CUDA/TimingService.h"

namespace evo::cuda {

llvm::json::Value toJSON(const TimingPlan &plan);
bool fromJSON(const llvm::json::Value &value, TimingPlan &plan,
              llvm::json::Path path);

llvm::json::Value toJSON(const TimingCase &given);
bool fromJSON(const llvm::json::Value &value, TimingCase &given,
              llvm::json::Path path);

llvm::json::Value toJSON(const Interval &interval);
bool fromJSON(const llvm::json::Value &value, Interval &interval,
              llvm::json::Path path);

llvm::json::Value toJSON(const DeviceFacts &facts);
bool fromJSON(const llvm::json::Value &value, DeviceFacts &facts,
              llvm::json::Path path);

bool fromJSON(const llvm::json::Value &value, MeasureReport &report,
              llvm::json::Path path);

llvm::json::Value toJSON(llvm::ArrayRef<BufferData> data);
bool fromJSON(const llvm::json::Value &value, BufferData &data,
              llvm::json::Path path);

llvm::json::Value toJSON(const RunOptions &options);
bool fromJSON(const llvm::json::Value &value, RunOptions &options,
              llvm::json::Path path);

llvm::json::Value toJSON(const CallReport &report);
bool fromJSON(const llvm::json::Value &value, CallReport &report,
              llvm::json::Path path);

bool fromJSON(const llvm::json::Value &value, CounterReport &report,
              llvm::json::Path path);

} // namespace evo::cuda

#endif
