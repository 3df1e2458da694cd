// Three digits that count, in units that keep numbers short.
#include "Numbers.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace evo;
using llvm::formatv;

/// Three significant digits, without an exponent below 1000.
static std::string significant(double value) {
  if (!std::isfinite(value))
    return "–";
  double size = std::fabs(value);
  if (size >= 99.95)
    return report::printCount(std::llround(value));
  if (size >= 9.995)
    return formatv("{0:f1}", value).str();
  if (size >= 0.01)
    return formatv("{0:f2}", value).str();
  return size == 0 ? "0" : formatv("{0:e1}", value).str();
}

std::string report::printMicros(double micros) {
  if (micros < 0.9995)
    return significant(micros * 1e3) + " ns";
  if (micros < 999.5)
    return significant(micros) + " µs";
  if (micros < 999.5e3)
    return significant(micros / 1e3) + " ms";
  return significant(micros / 1e6) + " s";
}

std::string report::printSeconds(double seconds) {
  if (!(seconds < 1e9))
    return "–";
  if (seconds < 99.95)
    return significant(seconds) + " s";
  int64_t whole = std::llround(seconds);
  if (whole < 3600)
    return formatv("{0} min {1} s", whole / 60, whole % 60).str();
  return formatv("{0} h {1} min", whole / 3600, whole / 60 % 60).str();
}

std::string report::printFactor(double factor) {
  if (factor >= 9.95)
    return printCount(std::llround(factor)) + "×";
  return (factor < 1.995 ? formatv("{0:f2}×", factor)
                         : formatv("{0:f1}×", factor))
      .str();
}

std::string report::printShare(double share) {
  double percent = 100 * share;
  if (percent > 0 && percent < 0.1)
    return "< 0.1 %";
  return (percent < 9.95 ? formatv("{0:f1} %", percent)
                         : formatv("{0:f0} %", percent))
      .str();
}

std::string report::printCount(int64_t count) {
  std::string digits = std::to_string(count < 0 ? -count : count), text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % 3 == 0)
      text += ',';
    text += digits[i];
  }
  return (count < 0 ? "-" : "") + text;
}

std::string report::printCounted(int64_t count, const char *noun) {
  return printCount(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string report::printMoney(double money) {
  if (money == 0)
    return "0";
  return money < 0.0001 ? "< 0.0001" : formatv("{0:f4}", money).str();
}
