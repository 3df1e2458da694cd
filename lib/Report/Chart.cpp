// Sizes are units of the view box, which the page scales to its width.
#include "Chart.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace evo::report;

static constexpr double width = 960, height = 340, left = 86, right = 176,
                        top = 14, bottom = 46, lineOfText = 15;

static std::string number(double value) { return formatv("{0:f1}", value); }

/// "5.00 ms" is "5 ms": ticks are round.
static std::string trimZeros(std::string text) {
  size_t point = text.find('.'), end = text.find_first_not_of("0123456789.");
  if (point == std::string::npos || (end != std::string::npos && end < point))
    return text;
  end = std::min(end, text.size());
  size_t last = text.find_last_not_of('0', end - 1);
  return text.erase(last == point ? point : last + 1,
                    end - (last == point ? point : last + 1));
}

Axis Axis::around(std::string title, std::vector<double> values, bool isLog,
                  std::string (*print)(double)) {
  Axis axis(std::move(title), isLog, print);
  if (values.empty())
    return axis;
  auto [min, max] = std::minmax_element(values.begin(), values.end());
  axis.low = *min;
  axis.high = *max;
  if (isLog) {
    double margin = std::max(1.15, std::pow(axis.high / axis.low, 0.06));
    axis.low /= margin;
    axis.high *= margin;
  } else {
    axis.low = std::min(axis.low, 0.0);
    axis.high = axis.high > axis.low ? axis.low + 1.04 * (axis.high - axis.low)
                                     : axis.low + 1;
  }
  return axis;
}

double Axis::place(double value) const {
  double at = isLog ? std::log(value / low) / std::log(high / low)
                    : (value - low) / (high - low);
  return std::clamp(at, 0.0, 1.0);
}

std::vector<double> Axis::ticks() const {
  std::vector<double> ticks;
  if (!isLog) {
    double step = std::pow(10, std::floor(std::log10((high - low) / 4)));
    if (isCount)
      step = std::max(step, 1.0);
    for (double factor : {2.0, 2.5, 2.0}) // 2, 5 and 10 times
      if ((high - low) / step > 8)
        step *= factor;
    const auto first = static_cast<int64_t>(std::ceil(low / step)),
               last = static_cast<int64_t>(std::floor(high / step));
    for (int64_t tick = first; tick <= last; ++tick)
      ticks.push_back(double(tick) * step);
    return ticks;
  }
  double decades = std::log10(high / low);
  for (int power = static_cast<int>(std::floor(std::log10(low)));
       power <= std::log10(high); ++power)
    for (double digit : {1, 2, 5}) {
      double value = digit * std::pow(10, power);
      if (value >= low && value <= high && (digit == 1 || decades < 2.5))
        ticks.push_back(value);
    }
  return ticks;
}

double Chart::xOf(double value) const {
  return left + x.place(value) * (width - left - right);
}
double Chart::yOf(double value) const {
  return height - bottom - y.place(value) * (height - top - bottom);
}

Chart::Chart(Markup &markup, Axis xAxis, Axis yAxis, StringRef what)
    : markup(markup), x(std::move(xAxis)), y(std::move(yAxis)) {
  markup.open("div", {{"class", "scroll"}});
  markup.open("svg", {{"class", "chart"},
                      {"role", "img"},
                      {"viewBox", formatv("0 0 {0} {1}", width, height)},
                      {"aria-label", what.str()}});
  for (double tick : y.ticks()) {
    std::string at = number(yOf(tick));
    markup.empty("line", {{"class", "grid"},
                          {"x1", number(left)},
                          {"x2", number(width - right)},
                          {"y1", at},
                          {"y2", at}});
    markup.element("text",
                   {{"class", "tick"},
                    {"x", number(left - 8)},
                    {"y", number(yOf(tick) + 4)},
                    {"text-anchor", "end"}},
                   trimZeros(y.print(tick)));
  }
  for (double tick : x.ticks()) {
    std::string at = number(xOf(tick));
    markup.empty("line", {{"class", "axis"},
                          {"x1", at},
                          {"x2", at},
                          {"y1", number(height - bottom)},
                          {"y2", number(height - bottom + 5)}});
    markup.element("text",
                   {{"class", "tick"},
                    {"x", at},
                    {"y", number(height - bottom + 19)},
                    {"text-anchor", "middle"}},
                   trimZeros(x.print(tick)));
  }
  markup.empty("line", {{"class", "axis"},
                        {"x1", number(left)},
                        {"x2", number(width - right)},
                        {"y1", number(height - bottom)},
                        {"y2", number(height - bottom)}});
  markup.element("text",
                 {{"class", "title"},
                  {"x", number((left + width - right) / 2)},
                  {"y", number(height - 6)},
                  {"text-anchor", "middle"}},
                 x.title);
  markup.element("text",
                 {{"class", "title"},
                  {"transform", formatv("translate(12 {0}) rotate(-90)",
                                        number((top + height - bottom) / 2))},
                  {"text-anchor", "middle"}},
                 y.title);
}

void Chart::line(ArrayRef<Point> points, std::string style) {
  std::string path;
  for (const Point &point : points)
    path += (path.empty() ? "M" : "L") + number(xOf(point.first)) + " " +
            number(yOf(point.second));
  markup.empty("path", {{"class", std::move(style)}, {"d", path}});
}

void Chart::dot(Point at, std::string style, StringRef tooltip) {
  markup.open("circle", {{"class", std::move(style)},
                         {"cx", number(xOf(at.first))},
                         {"cy", number(yOf(at.second))},
                         {"r", "4.5"}});
  markup.element("title", tooltip).close("circle");
}

void Chart::mark(double at, std::string style, StringRef tooltip) {
  double low = height - bottom - 2;
  markup.open("path", {{"class", std::move(style)},
                       {"d", formatv("M{0} {1}l6 6m0 -6l-6 6",
                                     number(xOf(at) - 3), number(low - 8))}});
  markup.element("title", tooltip).close("path");
}

void Chart::level(double at, StringRef name, std::string style) {
  std::string place = number(yOf(at));
  markup.empty("line", {{"class", "level " + style},
                        {"x1", number(left)},
                        {"x2", number(width - right)},
                        {"y1", place},
                        {"y2", place}});
  levels.push_back({yOf(at), name.str(), std::move(style)});
}

void Chart::finish() {
  // Names that would stand on each other are moved down, and all of them up
  // where that leads out of the chart.
  stableSortBy(levels, [](const Level &level) { return level.y; });
  double next = top;
  for (Level &level : levels) {
    level.y = std::max(level.y, next);
    next = level.y + lineOfText;
  }
  double limit = height - bottom;
  for (size_t i = levels.size(); i-- > 0;) {
    levels[i].y = std::min(levels[i].y, limit);
    limit = levels[i].y - lineOfText;
  }
  for (const Level &level : levels)
    markup.element("text",
                   {{"class", "name " + level.style},
                    {"x", number(width - right + 8)},
                    {"y", number(level.y + 4)}},
                   level.name);
  markup.close("svg").close("div");
}
