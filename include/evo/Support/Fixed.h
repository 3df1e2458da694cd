// Numbers with decimals, of which none is shown as nothing that is something.
#ifndef EVO_SUPPORT_FIXED_H
#define EVO_SUPPORT_FIXED_H

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <string>

namespace evo {

/// `value` with `digits` decimals; where these are all 0 and the value is not,
/// with the first digit that counts: 0.0017 of two decimals is "0.002".
inline std::string printFixed(double value, unsigned digits) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool isLost =
      value != 0 && std::fabs(value) < 0.5 * std::pow(10.0, -double(digits));
  if (isLost)
    os << llvm::format("%.1g", value);
  else
    os << llvm::format("%.*f", digits, value);
  return text;
}

} // namespace evo

#endif
