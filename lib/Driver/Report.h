// What optimize leaves behind, and what it prints.
#ifndef EVO_LIB_DRIVER_REPORT_H
#define EVO_LIB_DRIVER_REPORT_H

#include "evo/Interfaces/ParetoFront.h"
#include "llvm/Support/JSON.h"

namespace evo {

/// How a variant was made, in a few words: "search:launch block=32 1 1".
std::string describeOrigin(KernelOp kernel, VariantOp variant);

/// The table of variants, fastest first, refuted and failed ones counted below,
/// and how far from the minimum possible time on `target` the baseline and the
/// best are: a ratio between the two says little where the baseline is slow.
/// `front` are its trade-offs of time and energy. Rows are cut to `columns`,
/// those of a terminal; 0: to none.
void printTable(llvm::raw_ostream &os, KernelOp kernel,
                llvm::ArrayRef<Tradeoff> front, llvm::StringRef target,
                unsigned columns);

/// All that is known of the search as one object (report.json), but what
/// depends on the clock.
llvm::json::Object makeReport(KernelOp kernel, llvm::ArrayRef<Tradeoff> front,
                              uint64_t seed, llvm::StringRef target);

/// PTX and cubin of a lowered variant; empty where there is none.
llvm::StringRef getPTX(VariantOp variant);
llvm::StringRef getCubin(VariantOp variant);

} // namespace evo

#endif
