// Numbers as people read them. What is not zero is never shown as zero.
#ifndef EVO_LIB_REPORT_NUMBERS_H
#define EVO_LIB_REPORT_NUMBERS_H

#include <cstdint>
#include <optional>
#include <string>

namespace evo::report {

std::string printMicros(double micros);   ///< "139 µs", "4.32 ms"
std::string printSeconds(double seconds); ///< "0.52 s", "3 min 20 s"
std::string printFactor(double factor);   ///< "31×", "1.04×"
std::string printShare(double share);     ///< "80 %", "0.4 %", "< 0.1 %"
std::string printCount(int64_t count);    ///< "12,345"
/// "1 line", "3 lines".
std::string printCounted(int64_t count, const char *noun);
std::string printMoney(double money); ///< "0.1203", "< 0.0001"

/// A dash where there is nothing.
template <typename T>
std::string orDash(const std::optional<T> &value, std::string (*print)(T)) {
  return value ? print(*value) : "–";
}

} // namespace evo::report

#endif
