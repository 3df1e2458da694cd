// A plot of points and lines as SVG, without scripts: what a point is, its
// tooltip says.
#ifndef EVO_LIB_REPORT_CHART_H
#define EVO_LIB_REPORT_CHART_H

#include "Markup.h"
#include <functional>
#include <vector>

namespace evo::report {

struct Axis {
  std::string title;
  double low = 0, high = 1;
  bool isLog = false;
  bool isCount = false; ///< of things: no ticks between two
  std::string (*print)(double) = nullptr;

  Axis(std::string title, bool isLog, std::string (*print)(double))
      : title(std::move(title)), isLog(isLog), print(print) {}
  /// Of values: all of them with a margin, whole steps at the ends.
  static Axis around(std::string title, std::vector<double> values, bool isLog,
                     std::string (*print)(double));
  double place(double value) const; ///< 0 at `low`, 1 at `high`, clamped
  std::vector<double> ticks() const;
};

class Chart {
public:
  /// `what` is read to those who do not see it.
  Chart(Markup &markup, Axis x, Axis y, llvm::StringRef what);
  using Point = std::pair<double, double>;
  void line(llvm::ArrayRef<Point> points, std::string style);
  void dot(Point at, std::string style, llvm::StringRef tooltip);
  /// A mark at the lower edge: something that has no height.
  void mark(double x, std::string style, llvm::StringRef tooltip);
  /// A line across with its name in the right margin.
  void level(double y, llvm::StringRef name, std::string style);
  void finish();

private:
  struct Level {
    double y;
    std::string name, style;
  };
  Markup &markup;
  Axis x, y;
  std::vector<Level> levels;
  double xOf(double value) const;
  double yOf(double value) const;
};

} // namespace evo::report

#endif
