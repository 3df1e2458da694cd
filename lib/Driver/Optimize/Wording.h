// Numbers and lines as people read them on a terminal.
#ifndef EVO_LIB_DRIVER_OPTIMIZE_WORDING_H
#define EVO_LIB_DRIVER_OPTIMIZE_WORDING_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace evo {

/// "12.3", and "<0.1" of what one decimal would show as nothing, with `less`
/// in front.
std::string showTenths(double value, llvm::StringRef less = "<");
/// The same of a share, 0 to 1, with so many decimals: "5 %", "< 1 %".
std::string showShare(double share, unsigned decimals = 0);
/// "1.4x", "23x"; "<0.1x" of what is far slower.
std::string showFactor(double factor);
/// "0.12", and more digits of what would be nothing with two.
std::string showMoney(double money);
/// "12 s", "3 min", "2 h": about so long.
std::string showDuration(double seconds);

/// Columns of the terminal that `descriptor` is; 0: it is none. COLUMNS in the
/// environment says otherwise.
unsigned columnsOf(int descriptor);

/// As much of `text` as `columns` hold, with "..." where something is missing.
/// Characters that a terminal would obey become "?".
std::string fit(llvm::StringRef text, unsigned columns);

} // namespace evo

#endif
