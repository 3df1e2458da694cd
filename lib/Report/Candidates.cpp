// All that was tried: who was made of whom, and what became of it.
#include "Numbers.h"
#include "Sections.h"
#include "evo/Dialect/Evo/IR/Evidence.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

using namespace llvm;
using namespace evo;
using namespace evo::report;

namespace {
struct Placed {
  const Candidate *candidate;
  unsigned depth;
};
} // namespace

/// Those without a parent, each followed by what was made of it. A parent that
/// is nobody, or that comes of its own child, is none.
static std::vector<Placed> orderByLineage(const Search &search) {
  StringMap<std::vector<const Candidate *>> children;
  std::vector<const Candidate *> roots;
  for (const Candidate &candidate : search.candidates)
    if (const Candidate *parent = search.find(candidate.parent);
        parent && parent != &candidate)
      children[parent->name].push_back(&candidate);
    else
      roots.push_back(&candidate);
  std::vector<Placed> order;
  StringSet<> seen;
  auto addTree = [&](const Candidate &root) {
    std::vector<Placed> open = {{&root, 0}};
    while (!open.empty()) {
      Placed next = open.back();
      open.pop_back();
      if (!seen.insert(next.candidate->name).second)
        continue;
      order.push_back(next);
      auto found = children.find(next.candidate->name);
      if (found == children.end())
        continue;
      for (const Candidate *child : reverse(found->second))
        open.push_back({child, next.depth + 1});
    }
  };
  for (const Candidate *root : roots)
    addTree(*root);
  for (const Candidate &candidate : search.candidates) // of a circle
    addTree(candidate);
  return order;
}

/// Names of the winner and of those it comes of.
static StringSet<> findLine(const Search &search) {
  StringSet<> line;
  for (const Candidate *one = search.findBest(); one;
       one = search.find(one->parent))
    if (!line.insert(one->name).second)
      break;
  return line;
}

// no diagnostics: what the page says
static void writeOutcome(Markup &markup, const Candidate &candidate) {
  markup.open("td");
  if (candidate.isAccepted())
    markup.element("span", {{"class", "grade " + candidate.grade}},
                   candidate.grade);
  else if (candidate.isTried())
    markup.element("span", {{"class", "cause"}}, candidate.cause());
  else
    markup.element("span", {{"class", "note"}}, "not tried yet");
  for (const std::string &requirement : candidate.requirements)
    markup.element("div", {{"class", "note"}}, requirement);
  markup.close("td");
}

/// The first line, and no more of it than fits.
static std::string firstLine(StringRef text) {
  constexpr size_t limit = 160;
  StringRef line = text.trim().split('\n').first;
  if (line.size() <= limit)
    return line.str();
  size_t end = line.find_last_of(' ', limit);
  return (line.take_front(end == StringRef::npos || end < limit / 2 ? limit
                                                                    : end) +
          " …")
      .str();
}

static void writeCode(Markup &markup, StringRef summary, StringRef text) {
  if (text.trim().empty())
    return;
  markup.open("details").element("summary", summary);
  markup.open("pre").element("code", text).close("pre").close("details");
}

static void writeHow(Markup &markup, const Candidate &candidate) {
  markup.open("td", {{"class", "how"}});
  std::string from = candidate.proposer;
  if (!candidate.model.empty())
    from += (from.empty() ? "" : ", ") + candidate.model;
  markup.element("span", {{"class", "note"}}, from);
  if (!candidate.options.empty())
    markup.text(" ").element("code", candidate.options);
  if (!candidate.rationale.empty())
    markup.element("div", firstLine(candidate.rationale));
  std::string why = candidate.failure.value_or("");
  for (const Entry &entry : candidate.evidence)
    if (why.empty() && !candidate.isAccepted() &&
        entry.name == evidence::message.name)
      why = entry.value;
  if (!why.empty())
    markup.element("div", {{"class", "failure"}}, firstLine(why));
  if (firstLine(why) != StringRef(why).trim())
    writeCode(markup, "whole message", why);
  if (firstLine(candidate.rationale) != StringRef(candidate.rationale).trim())
    writeCode(markup, "whole rationale", candidate.rationale);
  // Of schedules and options, the text says what the line above says.
  if (candidate.genome == Genome::CUDA || candidate.genome == Genome::MLIR ||
      candidate.code.size() > 200)
    writeCode(markup, "code", candidate.code);
  markup.close("td");
}

// no diagnostics: what the page says
void report::writeLineage(Markup &markup, const Search &search) {
  if (search.candidates.empty())
    return;
  bool measured = search.isMeasured(), byTime = search.hasTimes();
  StringSet<> line = findLine(search);
  markup.open("section", {{"id", "lineage"}})
      .element("h2", "Candidates and their lineage")
      .element("p", {{"class", "note"}},
               "Each below the one that it was made of. The winner's line is "
               "marked.")
      .open("div", {{"class", "scroll"}})
      .open("table", {{"class", "candidates"}})
      .open("thead")
      .open("tr")
      .element("th", "candidate")
      .element("th", "outcome");
  if (byTime)
    markup.element("th", {{"class", "number"}}, "at");
  markup.element("th", {{"class", "number"}}, "estimated");
  if (measured)
    markup.element("th", {{"class", "number"}}, "measured");
  markup.element("th", {{"class", "number"}}, "speed-up")
      .element("th", "how it was made")
      .close("tr")
      .close("thead")
      .open("tbody");
  const Candidate *best = search.findBest();
  for (const auto &[candidate, depth] : orderByLineage(search)) {
    bool isMarked = line.contains(candidate->name);
    markup.open("tr", {{"class", candidate == best ? "winner"
                                 : isMarked        ? "line"
                                                   : ""}});
    markup.open(
        "td", {{"class", "name depth" + std::to_string(std::min(depth, 12u))}});
    if (depth)
      markup.element("span", {{"class", "note"}}, "└\u00A0");
    markup.text(candidate->name).close("td");
    writeOutcome(markup, *candidate);
    if (byTime)
      markup.element("td", {{"class", "number"}},
                     orDash(candidate->elapsed, printSeconds));
    markup.element("td", {{"class", "number"}},
                   orDash(candidate->estimated, printMicros));
    if (measured)
      markup.element("td", {{"class", "number"}},
                     orDash(candidate->measured, printMicros));
    markup.element("td", {{"class", "number"}},
                   candidate->isAccepted()
                       ? orDash(search.speedup(*candidate), printFactor)
                       : "–");
    writeHow(markup, *candidate);
    markup.close("tr");
  }
  markup.close("tbody").close("table").close("div").close("section");
}

void report::writeBar(Markup &markup, double share, std::string style) {
  // Never so thin that it is not seen.
  double width = share > 0 ? std::clamp(100 * share, 0.5, 100.0) : 0;
  markup.open("svg", {{"class", "bar"},
                      {"viewBox", "0 0 100 10"},
                      {"preserveAspectRatio", "none"},
                      {"aria-hidden", "true"}});
  markup.empty("rect", {{"class", std::move(style)},
                        {"width", std::to_string(width)},
                        {"height", "10"}});
  markup.close("svg");
}

// no diagnostics: what the page says
void report::writeFailures(Markup &markup, const Search &search) {
  std::map<std::string, std::vector<const Candidate *>> byCause;
  for (const Candidate &candidate : search.candidates)
    if (std::string cause = candidate.cause(); !cause.empty())
      byCause[cause].push_back(&candidate);
  markup.open("section", {{"id", "failures"}})
      .element("h2", "Failures by cause");
  if (byCause.empty()) {
    markup.element("p", "None: each candidate that was tried was accepted.")
        .close("section");
    return;
  }
  std::vector<std::pair<std::string, std::vector<const Candidate *>>> causes(
      byCause.begin(), byCause.end());
  stableSortBy(causes,
               [](const auto &entry) { return -int64_t(entry.second.size()); });
  markup.open("table", {{"class", "bars"}});
  for (const auto &[cause, failed] : causes) {
    markup.open("tr").element("th", cause).open("td", {{"class", "wide"}});
    writeBar(markup, double(failed.size()) / causes.front().second.size(),
             "failed");
    markup.open("details").element("summary", "which, and why");
    markup.open("ul");
    constexpr size_t maxListed = 50;
    for (const Candidate *one : ArrayRef(failed).take_front(maxListed)) {
      std::string why = one->failure.value_or("");
      for (const Entry &entry : one->evidence)
        if (why.empty() && entry.name == evidence::message.name)
          why = entry.value;
      markup.element("li",
                     one->name + (why.empty() ? "" : ": ") + firstLine(why));
    }
    if (failed.size() > maxListed)
      markup.element("li",
                     printCount(int64_t(failed.size() - maxListed)) + " more");
    markup.close("ul").close("details").close("td");
    markup
        .element("td", {{"class", "number"}},
                 printCount(int64_t(failed.size())))
        .close("tr");
  }
  markup.close("table").close("section");
}
