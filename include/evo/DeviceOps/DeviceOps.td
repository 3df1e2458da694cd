// The table of operations. All that is decided by the name of an operation is
// decided here. To add one: a record, what it does in lib/Simulator, and a test
// (docs/Extending.md).
include "evo/DeviceOps/DeviceOp.td"
include "evo/DeviceOps/Math.td"
include "evo/DeviceOps/Arithmetic.td"
include "evo/DeviceOps/Threads.td"
include "evo/DeviceOps/Memory.td"
include "evo/DeviceOps/Targets.td"
