// The page as a whole. Its policy allows nothing but the one style sheet, by
// its hash: should some text become markup after all, it still could neither
// run nor load anything.
#include "evo/Report/Page.h"
#include "Numbers.h"
#include "Sections.h"
#include "evo/Support/Digest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Base64.h"

using namespace llvm;
using namespace evo;
using namespace evo::report;

// no diagnostics: a format of browsers
static std::string policy() {
  return "default-src 'none'; img-src data:; style-src 'sha256-" +
         encodeBase64(sha256(styleSheet)) +
         "'; base-uri 'none'; form-action 'none'";
}

static void writeCard(Markup &markup, StringRef value, StringRef name) {
  markup.open("div", {{"class", "card"}})
      .element("div", {{"class", "value"}}, value)
      .element("div", {{"class", "note"}}, name)
      .close("div");
}

// no diagnostics: what the page says
static std::string headlineOf(const Search &search) {
  const Candidate *best = search.findBest(), *before = search.baseline();
  if (!best)
    return "no winner" + std::string(search.best.empty() && !search.isFromFolder
                                         ? " yet"
                                         : "");
  std::string verified = best->grade.empty() ? "" : ", verified " + best->grade;
  if (best == before)
    return "nothing faster than the input" + verified;
  auto factor = search.speedup(*best);
  if (!factor)
    return best->name + verified;
  bool measured = before && before->measured && best->measured;
  return printFactor(*factor) + " as fast as the input, " +
         (measured ? "measured on " : "estimated for ") + machineOf(search) +
         verified;
}

// no diagnostics: what the page says
static void writeCards(Markup &markup, const Search &search) {
  const Candidate *best = search.findBest(), *before = search.baseline();
  markup.open("div", {{"class", "cards"}});
  auto timeOf = [&](const Candidate *one) {
    return one ? shownTime(search, *one) : std::nullopt;
  };
  if (auto factor = best ? search.speedup(*best) : std::nullopt)
    writeCard(markup, printFactor(*factor), "speed-up");
  if (auto time = timeOf(best))
    writeCard(markup, printMicros(*time), "best");
  if (auto time = timeOf(before))
    writeCard(markup, printMicros(*time), "input");
  if (auto time = timeOf(best); time && *time > 0 && search.floor)
    writeCard(markup, printShare(*search.floor / *time), "of the roofline");
  int64_t tried = count_if(search.candidates,
                           [](const Candidate &one) { return one.isTried(); });
  int64_t accepted = count_if(
      search.candidates, [](const Candidate &one) { return one.isAccepted(); });
  writeCard(markup, printCount(tried), "candidates tried");
  writeCard(markup, printCount(accepted), "accepted");
  double money = 0;
  for (const Spending &one : search.spending)
    money += one.money;
  if (money > 0)
    writeCard(markup, printMoney(money),
              search.currency.empty() ? "spent" : search.currency + " spent");
  markup.close("div");
}

// no diagnostics: what the page says
static void writeHead(Markup &markup, const Search &search, StringRef now) {
  markup.open("header");
  markup.element("p", {{"class", "note"}}, "evo-opt, report of a search");
  markup.element("h1", search.kernel);
  markup.element("p", {{"class", "headline"}}, headlineOf(search));
  writeCards(markup, search);
  std::string line;
  auto add = [&](StringRef name, StringRef value) {
    if (!value.empty())
      line += (line.empty() ? "" : " · ") + name.str() + value.str();
  };
  add("", search.tool);
  add("seed ", search.seed);
  add("begun ", search.started.empty() ? "" : search.started + " UTC");
  add("read ", now);
  markup.element("p", {{"class", "note"}}, line);
  if (search.stopped)
    markup.element("p", "Ended before its budget: " + *search.stopped + ".");
  if (!search.settings.empty())
    markup.open("details")
        .element("summary", "settings of the search")
        .open("pre")
        .element("code", search.settings)
        .close("pre")
        .close("details");
  markup.close("header");
}

// no diagnostics: what the page says
static void writeMissing(Markup &markup, const Search &search) {
  std::vector<std::string> notes = search.missing;
  if (!search.isFromFolder)
    notes.push_back(
        "a journal alone does not say whether its search has ended: "
        "this is what it had come to when it was read");
  if (notes.empty())
    return;
  markup.open("aside").open("ul");
  for (const std::string &note : notes)
    markup.element("li", note);
  markup.close("ul").close("aside");
}

std::string report::makePage(const Search &search, StringRef now) {
  Markup markup;
  markup.verbatim("<!DOCTYPE html>\n").open("html", {{"lang", "en"}});
  markup.open("head").empty("meta", {{"charset", "utf-8"}});
  markup.empty("meta", {{"http-equiv", "Content-Security-Policy"},
                        {"content", policy()}});
  markup.empty("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  markup.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  markup.empty("meta", {{"name", "viewport"},
                        {"content", "width=device-width, initial-scale=1"}});
  // A browser asks the server of the page for one otherwise.
  markup.empty("link", {{"rel", "icon"}, {"href", "data:,"}});
  markup.element("title", search.kernel + ": " + headlineOf(search));
  markup.open("style").verbatim(styleSheet).close("style").close("head");
  markup.open("body").open("main");
  writeHead(markup, search, now);
  writeMissing(markup, search);
  writeProgress(markup, search);
  writeWinner(markup, search);
  writeDifference(markup, search);
  writeRoofline(markup, search);
  writeLineage(markup, search);
  writeFailures(markup, search);
  writeCosts(markup, search);
  markup.close("main").close("body").close("html");
  return markup.str();
}
