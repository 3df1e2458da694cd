// Numbers, times and durations in the words of progress and tables.
#include "Driver/Optimize/Wording.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Unicode.h"
#include <cmath>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace evo;
using llvm::formatv;
using llvm::StringRef;

std::string evo::showTenths(double value, StringRef less) {
  if (value > 0 && value < 0.05)
    return (less + "0.1").str();
  return formatv("{0:f1}", value).str();
}

std::string evo::showShare(double share, unsigned decimals) {
  double percent = 100 * share, min = std::pow(10.0, -double(decimals));
  bool isNothing = percent > 0 && percent <= 0.5 * min;
  std::string number = decimals
                           ? formatv("{0:f1}", isNothing ? min : percent).str()
                           : formatv("{0:f0}", isNothing ? min : percent).str();
  return (isNothing ? "< " : "") + number + " %";
}

std::string evo::showFactor(double factor) {
  if (factor >= 9.95)
    return formatv("{0:f0}x", factor).str();
  return showTenths(factor) + "x";
}

std::string evo::showMoney(double money) {
  if (money > 0 && money < 0.00005)
    return "< 0.0001";
  return formatv(money < 0.1 ? "{0:f4}" : "{0:f2}", money).str();
}

std::string evo::showDuration(double seconds) {
  if (seconds < 99.5)
    return formatv("{0:f0} s", seconds).str();
  if (seconds < 99.5 * 60)
    return formatv("{0:f0} min", seconds / 60).str();
  return formatv("{0:f0} h", seconds / 3600).str();
}

unsigned evo::columnsOf(int descriptor) {
  if (!::isatty(descriptor))
    return 0;
  unsigned columns = 0;
  if (const char *told = std::getenv("COLUMNS");
      told && !StringRef(told).getAsInteger(10, columns) && columns > 0)
    return columns;
  winsize size = {};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

std::string evo::fit(StringRef text, unsigned columns) {
  std::string safe;
  for (char c : text)
    safe += llvm::isPrint(c) || static_cast<unsigned char>(c) >= 0x80 ? c : '?';
  // Bytes that are no UTF-8, or that take no column, are not known to be safe.
  if (llvm::sys::unicode::columnWidthUTF8(safe) < 0)
    for (char &c : safe)
      if (static_cast<unsigned char>(c) >= 0x80)
        c = '?';
  auto width = [](StringRef part) {
    return unsigned(std::max(0, llvm::sys::unicode::columnWidthUTF8(part)));
  };
  if (width(safe) <= columns)
    return safe;
  constexpr unsigned dots = 3;
  if (columns <= dots)
    return std::string(columns, '.');
  auto isInside = [&](size_t at) {
    return (static_cast<unsigned char>(safe[at]) & 0xc0) == 0x80;
  };
  size_t end = safe.size();
  while (end > 0 && (width(StringRef(safe).take_front(end)) > columns - dots ||
                     (end < safe.size() && isInside(end))))
    --end;
  // What is cut within a character has no width that is known.
  while (end > 0 && end < safe.size() && isInside(end))
    --end;
  return safe.substr(0, end) + "...";
}
