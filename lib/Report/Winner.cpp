// The winner: what it is, what its verdict rests on, what was changed.
#include "Difference.h"
#include "Numbers.h"
#include "Sections.h"
#include "evo/Dialect/Evo/IR/Evo.h"
#include "evo/Support/CounterMetrics.h"
#include "evo/Support/Fixed.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace evo;
using namespace evo::report;

static void writeRow(Markup &markup, StringRef name, StringRef value,
                     StringRef meaning = "") {
  if (value.empty())
    return;
  markup.open("tr").element("th", name).element("td", value);
  if (!meaning.empty())
    markup.element("td", {{"class", "note"}}, meaning);
  markup.close("tr");
}

/// What a detail of evidence is, for people; empty where it is not known.
static StringRef meaningOf(StringRef key) {
#define EVIDENCE_KEY(Kind, variable, name, meaning, when)                      \
  if (key == name)                                                             \
    return meaning;
#include "evo/Dialect/Evo/IR/EvidenceKeys.def"
#undef EVIDENCE_KEY
  return "";
}

// no diagnostics: what the page says
static StringRef meaningOfGrade(StringRef text) {
  std::optional<Grade> grade = symbolizeGrade(text);
  if (grade == Grade::Exact)
    return "the same operations as the input: the same function of floats";
  if (grade == Grade::Algebraic)
    return "the same function of real numbers, rounded in another order";
  if (grade == Grade::Numeric)
    return "within the error bounds on all samples that were run";
  return "";
}

// no diagnostics: what the page says
static void writeFacts(Markup &markup, const Search &search,
                       const Candidate &best) {
  markup.open("table", {{"class", "facts"}});
  writeRow(markup, "candidate", best.name);
  writeRow(markup, "made by",
           best.proposer + (best.model.empty() ? "" : ", " + best.model));
  writeRow(markup, "from", best.parent);
  writeRow(markup, "language",
           best.genome ? stringifyGenome(*best.genome) : "");
  writeRow(markup, "options", best.options);
  writeRow(markup, "time, measured",
           best.measured
               ? printMicros(*best.measured) + " on " + machineOf(search)
               : "");
  writeRow(markup, "time, estimated",
           best.estimated ? printMicros(*best.estimated) : "");
  if (best.resources) {
    writeRow(markup, "registers", printCount(best.resources->registers));
    writeRow(markup, "spilled bytes", printCount(best.resources->spillBytes));
    writeRow(markup, "static shared bytes",
             printCount(best.resources->sharedBytes));
  }
  for (const Entry &entry : best.estimate)
    writeRow(markup, entry.name, entry.value);
  writeRow(markup, "at", join(search.workloads, "; "));
  writeRow(markup, "faster elsewhere", join(search.specialized, ", "),
           "specialised variants, used where their requirements hold");
  markup.close("table");
}

/// Numbers of a list, as people read them.
static std::string printNumbers(StringRef list) {
  SmallVector<StringRef> numbers;
  list.trim("[]").split(numbers, ',');
  std::string text;
  for (StringRef number : numbers) {
    double value = 0;
    if (number.trim().getAsDouble(value))
      return list.str();
    text += (text.empty() ? "" : ", ") + (std::abs(value) < 1000
                                              ? printFixed(value, 2)
                                              : printCount(int64_t(value)));
  }
  return text;
}

// no diagnostics: what the page says
static void writeCounters(Markup &markup, const Search &search,
                          const Candidate &best) {
  const Candidate *before = search.baseline();
  if (before == &best || (before && before->counters.empty()))
    before = nullptr;
  markup.element("h3", "What the hardware counted")
      .open("div", {{"class", "scroll"}})
      .open("table", {{"class", "facts"}});
  markup.open("tr").element("th", "").element("td", "winner");
  if (before)
    markup.element("td", "input");
  markup.close("tr");
  for (const CounterMetric &metric : getCounterMetrics()) {
    auto print = [&](const Candidate &of) {
      auto entry = find_if(of.counters, [&](const Entry &each) {
        return each.name == metric.name;
      });
      return entry == of.counters.end() ? std::string()
                                        : printNumbers(entry->value);
    };
    std::string own = print(best);
    if (own.empty())
      continue;
    markup.open("tr").element("th", metric.title).element("td", own);
    if (before)
      markup.element("td", print(*before));
    markup.close("tr");
  }
  markup.close("table").close("div");
}

// no diagnostics: what the page says
void report::writeWinner(Markup &markup, const Search &search) {
  const Candidate *best = search.findBest();
  markup.open("section", {{"id", "winner"}});
  if (!best) {
    markup.element("h2", "No winner")
        .element("p", "No candidate was accepted for all sizes with a time. "
                      "What each ended of stands below.")
        .close("section");
    return;
  }
  markup.element("h2", search.best.empty() ? "Best so far" : "Winner");
  if (!best->rationale.empty())
    markup.open("blockquote").text(best->rationale).close("blockquote");
  writeFacts(markup, search, *best);
  if (!best->grade.empty()) {
    markup.open("h3").text("Evidence: ");
    markup.element("span", {{"class", "grade " + best->grade}}, best->grade)
        .close("h3");
    markup.element("p", meaningOfGrade(best->grade));
    markup.open("div", {{"class", "scroll"}})
        .open("table", {{"class", "facts"}});
    for (const Entry &entry : best->evidence)
      writeRow(markup, entry.name, entry.value,
               entry.name == "hash" ? "of the code that was judged, contract, "
                                      "reference, target and tool"
                                    : meaningOf(entry.name));
    markup.close("table").close("div");
  }
  if (!best->counters.empty())
    writeCounters(markup, search, *best);
  markup.close("section");
}

/// Lines that are the same and further than that from any that are not are
/// folded.
static constexpr size_t context = 3;
static constexpr size_t maxRows = 4000;

static void writeLine(Markup &markup, const DiffLine &line) {
  using Kind = DiffLine::Kind;
  auto number = [](size_t value) {
    return value ? std::to_string(value) : std::string();
  };
  markup.open("tr", {{"class", line.kind == Kind::Added     ? "added"
                               : line.kind == Kind::Removed ? "removed"
                                                            : ""}});
  markup.element("td", {{"class", "number"}}, number(line.oldNumber));
  markup.element("td", {{"class", "number"}}, number(line.newNumber));
  markup.element("td", line.kind == Kind::Added     ? "+"
                       : line.kind == Kind::Removed ? "−"
                                                    : " ");
  markup.open("td").element("code", line.text).close("td").close("tr");
}

/// Which lines are near a change.
static std::vector<bool> findShown(ArrayRef<DiffLine> lines) {
  std::vector<bool> shown(lines.size());
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].kind != DiffLine::Kind::Same)
      for (size_t j = i - std::min(i, context);
           j < std::min(lines.size(), i + context + 1); ++j)
        shown[j] = true;
  return shown;
}

// no diagnostics: what the page says
static void writeLines(Markup &markup, ArrayRef<DiffLine> lines) {
  std::vector<bool> shown = findShown(lines);
  markup.open("div", {{"class", "scroll"}}).open("table", {{"class", "diff"}});
  size_t rows = 0, folded = 0;
  auto writeFold = [&](StringRef what) {
    if (folded)
      markup.open("tr", {{"class", "fold"}})
          .element("td", {{"colspan", "4"}},
                   printCounted(int64_t(folded), "line") + what.str())
          .close("tr");
    folded = 0;
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    if (rows >= maxRows) {
      folded = lines.size() - i;
      break;
    }
    if (!shown[i]) {
      ++folded;
      continue;
    }
    writeFold(", the same in both");
    writeLine(markup, lines[i]);
    ++rows;
  }
  writeFold(rows >= maxRows ? " more" : ", the same in both");
  markup.close("table").close("div");
}

// no diagnostics: what the page says
void report::writeDifference(Markup &markup, const Search &search) {
  const Candidate *best = search.findBest();
  if (!best || search.winner.empty())
    return;
  markup.open("section", {{"id", "difference"}})
      .element("h2", "Winner's code, against the input");
  if (search.input.empty()) {
    markup.element("p", "The input is not known here, so there is nothing to "
                        "compare with.");
  } else if (search.input == search.winner) {
    markup.element("p", "The input, as it was given.");
  } else {
    std::vector<DiffLine> lines = compareLines(search.input, search.winner);
    auto count = [&](DiffLine::Kind kind) {
      return int64_t(count_if(
          lines, [&](const DiffLine &line) { return line.kind == kind; }));
    };
    std::string text = printCounted(count(DiffLine::Kind::Added), "line") +
                       " added, " + printCount(count(DiffLine::Kind::Removed)) +
                       " removed.";
    if (search.areBothPlans)
      text += " The winner has no source of its own: both are shown as MLIR, "
              "which is what is judged and compiled.";
    markup.element("p", text);
    if (search.areBothPlans)
      markup.open("details").element("summary", "line by line");
    writeLines(markup, lines);
    if (search.areBothPlans)
      markup.close("details");
  }
  markup.open("details").element("summary", "The winner, whole");
  markup.open("pre").element("code", search.winner).close("pre");
  markup.close("details").close("section");
}
