// Metrics are named as Nsight Compute's documentation names them.
#include "evo/Support/CounterMetrics.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace evo {

// no diagnostics: titles
#define EVO_PIPE(name, title)                                                  \
  {name "_pipe_percent",                                                       \
   "sm__inst_executed_pipe_" name ".avg.pct_of_peak_sustained_active",         \
   "use of the " title " pipe, percent of its peak", CounterMetric::ByTime}
// no diagnostics: titles
#define EVO_STALL(name, title)                                                 \
  {"stall_" name,                                                              \
   "smsp__average_warps_issue_stalled_" name "_per_issue_active.ratio",        \
   "warps that wait " title ", for each instruction issued",                   \
   CounterMetric::ByTime}

// no diagnostics: titles
static constexpr CounterMetric table[] = {
    {nanosecondsCounter, "gpu__time_duration.sum",
     "nanoseconds while counting, at clocks of its own"},
    {"dram_read_bytes", "dram__bytes_read.sum", "bytes read from DRAM"},
    {"dram_written_bytes", "dram__bytes_write.sum", "bytes written to DRAM"},
    {"l2_bytes", "lts__t_bytes.sum", "bytes moved by L2"},
    {"dram_percent", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
     "DRAM bandwidth in use, percent of its peak", CounterMetric::ByTime},
    {"l2_percent", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
     "L2 bandwidth in use, percent of its peak", CounterMetric::ByTime},
    {"l1_percent", "l1tex__throughput.avg.pct_of_peak_sustained_active",
     "L1 and shared memory in use, percent of their peak",
     CounterMetric::ByTime},
    {"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu.sum",
     "shared memory bank conflicts"},
    {"warps_percent", "sm__warps_active.avg.pct_of_peak_sustained_active",
     "occupancy that was reached, percent", CounterMetric::ByTime},
    {"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active",
     "cycles that issue an instruction, percent", CounterMetric::ByTime},
    EVO_PIPE("fma", "multiply-add"),
    EVO_PIPE("alu", "integer and logic"),
    EVO_PIPE("lsu", "load and store"),
    EVO_PIPE("xu", "special function"),
    EVO_PIPE("fp64", "double precision"),
    {"tensor_pipe_percent",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
     "cycles of the tensor pipe in use, percent", CounterMetric::ByTime},
    EVO_STALL("long_scoreboard", "for global or local memory"),
    EVO_STALL("short_scoreboard", "for shared memory or special functions"),
    EVO_STALL("barrier", "at a barrier"),
    EVO_STALL("membar", "at a fence"),
    EVO_STALL("lg_throttle", "for a place in the queue of memory accesses"),
    EVO_STALL("mio_throttle", "for a place in the queue of shared memory"),
    EVO_STALL("math_pipe_throttle", "for an arithmetic pipe"),
    EVO_STALL("wait", "for a fixed latency"),
    EVO_STALL("no_instruction", "for instructions to be fetched"),
    EVO_STALL("not_selected", "while another one issues"),
    {"joules", "", "joules of the board for a call, idle power included"},
};
#undef EVO_PIPE
#undef EVO_STALL

ArrayRef<CounterMetric> getCounterMetrics() { return table; }

const CounterMetric *lookupCounterMetric(StringRef name) {
  const CounterMetric *found = find_if(
      table, [&](const CounterMetric &one) { return one.name == name; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace evo
