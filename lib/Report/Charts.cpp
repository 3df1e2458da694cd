// What the search came to over time, and how far that is from the roofline.
#include "Chart.h"
#include "Numbers.h"
#include "Sections.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace evo;
using namespace evo::report;

std::string report::machineOf(const Search &search) {
  // Letters whose names begin with a vowel, as all names are spelled out.
  bool vowel =
      StringRef(search.machine).find_first_of("AEFHILMNORSXaefhilmnorsx") == 0;
  return (vowel ? "an " : "a ") + StringRef(search.machine).upper();
}

std::optional<double> report::shownTime(const Search &search,
                                        const Candidate &candidate) {
  if (search.isMeasured() && candidate.measured)
    return candidate.measured;
  return candidate.estimated;
}

namespace {
/// A candidate with its place on the axis of time.
struct Placed {
  const Candidate *candidate;
  double at;
};
} // namespace

static std::vector<Placed> place(const Search &search, bool byTime) {
  std::vector<Placed> placed;
  for (const Candidate &candidate : search.candidates) {
    if (!candidate.isTried() || (byTime && !candidate.elapsed))
      continue;
    double at = byTime ? *candidate.elapsed : double(placed.size() + 1);
    placed.push_back({&candidate, at});
  }
  stableSortBy(placed, [](const Placed &one) { return one.at; });
  return placed;
}

static std::string tooltipOf(const Search &search, const Candidate &candidate) {
  std::string text = candidate.name;
  if (candidate.isAccepted())
    text += ": " + candidate.grade;
  else
    text += ": " + candidate.cause();
  if (auto time = shownTime(search, candidate))
    text += ", " + printMicros(*time);
  if (auto factor = search.speedup(candidate))
    text += ", " + printFactor(*factor);
  return text;
}

static std::string printWhole(double value) {
  return printCount(static_cast<int64_t>(value));
}

/// The times of the axis: those drawn, and the levels.
static std::vector<double> timesOf(const Search &search,
                                   ArrayRef<Placed> placed, bool isMeasured) {
  std::vector<double> times;
  for (const Placed &one : placed)
    if (auto time = one.candidate->time(isMeasured);
        time && *time > 0 && one.candidate->isAccepted())
      times.push_back(*time);
  if (search.floor && *search.floor > 0 && !times.empty())
    times.push_back(*search.floor);
  return times;
}

/// The steps of the best time, up to the last outcome.
static std::vector<Chart::Point> bestSteps(ArrayRef<Placed> placed,
                                           bool isMeasured) {
  std::vector<Chart::Point> steps;
  for (const Placed &one : placed) {
    auto time = one.candidate->time(isMeasured);
    if (!time || !(*time > 0) || !one.candidate->isAccepted() ||
        !one.candidate->requirements.empty())
      continue;
    if (!steps.empty() && *time >= steps.back().second)
      continue;
    if (!steps.empty())
      steps.push_back({one.at, steps.back().second});
    steps.push_back({one.at, *time});
  }
  if (!steps.empty())
    steps.push_back({placed.back().at, steps.back().second});
  return steps;
}

// no diagnostics: what the page says
void report::writeProgress(Markup &markup, const Search &search) {
  bool byTime = search.hasTimes();
  // What is measured in the end are some of them; the search went by estimates.
  bool isMeasured = all_of(search.candidates, [](const Candidate &one) {
    return !one.isAccepted() || one.measured;
  });
  std::vector<Placed> placed = place(search, byTime);
  std::vector<double> times = timesOf(search, placed, isMeasured);
  if (placed.empty())
    return;
  markup.open("section", {{"id", "progress"}}).element("h2", "Best over time");
  if (times.empty()) {
    markup.element("p", "No candidate has both a verdict and a time yet.")
        .close("section");
    return;
  }
  std::vector<double> places;
  for (const Placed &one : placed)
    places.push_back(one.at);
  Axis x = byTime ? Axis::around("since the search began", places, false,
                                 printSeconds)
                  : Axis::around("candidates tried", places, false, printWhole);
  x.isCount = !byTime;
  Axis y = Axis::around(isMeasured ? "time of the kernel, measured"
                                   : "time of the kernel, estimated",
                        times, true, printMicros);
  Chart chart(markup, x, y, "best time of an accepted kernel over time");
  const Candidate *best = search.findBest(), *before = search.baseline();
  if (search.floor && *search.floor > 0)
    chart.level(*search.floor, "roofline " + printMicros(*search.floor),
                "roof");
  if (before && before->time(isMeasured))
    chart.level(*before->time(isMeasured),
                "input " + printMicros(*before->time(isMeasured)), "input");
  chart.line(bestSteps(placed, isMeasured), "best");
  for (const Placed &one : placed) {
    std::string tooltip = tooltipOf(search, *one.candidate);
    auto time = one.candidate->time(isMeasured);
    if (!one.candidate->isAccepted())
      chart.mark(one.at, "failed", tooltip);
    else if (time && *time > 0)
      chart.dot({one.at, *time}, one.candidate == best ? "winner" : "accepted",
                tooltip);
  }
  if (best && best != before && best->time(isMeasured))
    chart.level(*best->time(isMeasured),
                "best " + printMicros(*best->time(isMeasured)), "best");
  chart.finish();
  markup.open("p", {{"class", "legend"}});
  markup.element("span", {{"class", "key accepted"}}, "accepted")
      .element("span", {{"class", "key winner"}}, "best")
      .element("span", {{"class", "key failed"}}, "not accepted")
      .close("p");
  if (!byTime)
    markup.element("p", {{"class", "note"}},
                   "By the order of the candidates: when each was done is kept "
                   "in a journal only.");
  markup.close("section");
}

/// A share of a peak, for an axis of them.
static std::string printShareTick(double share) { return printShare(share); }
static std::string printBalance(double value) { return printFactor(value); }

namespace {
struct Intensity {
  const Candidate *candidate;
  double x, y;
};
} // namespace

/// Arithmetic over bytes, and arithmetic over time, both in units in which the
/// peak is 1.
static std::vector<Intensity> intensities(const Search &search) {
  std::vector<Intensity> points;
  if (!search.bytesFloor || !(*search.bytesFloor > 0))
    return points;
  for (const Candidate &candidate : search.candidates) {
    auto time = shownTime(search, candidate);
    if (candidate.isAccepted() && time && *time > 0 && candidate.arithmetic &&
        *candidate.arithmetic > 0)
      points.push_back({&candidate, *candidate.arithmetic / *search.bytesFloor,
                        *candidate.arithmetic / *time});
  }
  return points;
}

// no diagnostics: what the page says
static void drawRoofline(Markup &markup, const Search &search,
                         ArrayRef<Intensity> points) {
  std::vector<double> xs = {0.5, 2}, ys = {1};
  for (const Intensity &point : points) {
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  Axis x = Axis::around("arithmetic per byte (1×: the card's balance)", xs,
                        true, printBalance);
  Axis y = Axis::around("share of peak arithmetic", ys, true, printShareTick);
  Chart chart(markup, x, y, "roofline of the card and the accepted kernels");
  double corner = std::max(x.low, y.low);
  chart.line({{corner, corner}, {1, 1}, {x.high, 1}}, "roof");
  const Candidate *best = search.findBest(), *before = search.baseline();
  for (const Intensity &point : points)
    if (point.candidate != best && point.candidate != before)
      chart.dot({point.x, point.y}, "accepted",
                tooltipOf(search, *point.candidate));
  for (const Intensity &point : points)
    if (point.candidate == best || point.candidate == before)
      chart.dot({point.x, point.y},
                point.candidate == best ? "winner" : "input",
                tooltipOf(search, *point.candidate));
  chart.finish();
  markup.open("p", {{"class", "legend"}});
  markup.element("span", {{"class", "key accepted"}}, "accepted")
      .element("span", {{"class", "key winner"}}, "best")
      .element("span", {{"class", "key input"}}, "input")
      .element("span", {{"class", "key roof"}}, "what the card can do")
      .close("p");
}

// no diagnostics: what the page says
void report::writeRoofline(Markup &markup, const Search &search) {
  if (!search.floor || !(*search.floor > 0))
    return;
  markup.open("section", {{"id", "roofline"}}).element("h2", "Roofline");
  std::string text = "No version can take less than " +
                     printMicros(*search.floor) +
                     (search.machine.empty() ? "" : " on " + machineOf(search));
  if (search.bytesFloor)
    text +=
        *search.bytesFloor >= *search.floor
            ? ": the time to move each byte once"
            : ": the minimum arithmetic seen, at peak; moving each byte once "
              "takes " +
                  printMicros(*search.bytesFloor);
  markup.element("p", text + ".");
  markup.open("table", {{"class", "bars"}});
  const Candidate *best = search.findBest(), *before = search.baseline();
  for (const Candidate *one : {before, best == before ? nullptr : best})
    if (auto time = one ? shownTime(search, *one) : std::nullopt;
        time && *time > 0) {
      double share = *search.floor / *time;
      markup.open("tr").element("th", one == before ? "input" : "best");
      markup.open("td", {{"class", "wide"}});
      writeBar(markup, share, one == before ? "input" : "winner");
      markup.close("td");
      markup.element("td", {{"class", "number"}}, printShare(share));
      markup.element("td", {{"class", "number"}}, printMicros(*time));
      markup.close("tr");
    }
  markup.close("table");
  if (std::vector<Intensity> points = intensities(search); !points.empty())
    drawRoofline(markup, search, points);
  markup.close("section");
}
