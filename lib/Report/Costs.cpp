// What the search took: of models by stage and model, and of time.
#include "Numbers.h"
#include "Sections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace evo;
using namespace evo::report;

static void writeCells(Markup &markup, const Spending &spending, bool byModel,
                       bool isTotal) {
  markup.open("tr", {{"class", isTotal ? "total" : ""}})
      .element("th", spending.stage);
  if (byModel)
    markup.element("td", spending.model);
  for (int64_t count : {spending.requests, spending.inputTokens,
                        spending.cachedTokens, spending.outputTokens})
    markup.element("td", {{"class", "number"}}, printCount(count));
  markup.element("td", {{"class", "number"}}, printMoney(spending.money));
  markup.element("td", {{"class", "number"}},
                 orDash(spending.seconds, printSeconds));
  markup.close("tr");
}

// no diagnostics: what the page says
static void writeSpending(Markup &markup, const Search &search) {
  bool byModel = any_of(search.spending,
                        [](const Spending &one) { return !one.model.empty(); });
  markup.open("div", {{"class", "scroll"}})
      .open("table", {{"class", "costs"}})
      .open("thead")
      .open("tr")
      .element("th", "stage");
  if (byModel)
    markup.element("th", "model");
  for (StringRef title :
       {"requests", "tokens in", "of these cached", "tokens out"})
    markup.element("th", {{"class", "number"}}, title);
  markup.element("th", {{"class", "number"}},
                 "cost" +
                     (search.currency.empty() ? "" : ", " + search.currency));
  markup.element("th", {{"class", "number"}}, "waited for")
      .close("tr")
      .close("thead")
      .open("tbody");
  Spending total;
  total.stage = "all";
  for (const Spending &one : search.spending) {
    writeCells(markup, one, byModel, false);
    total.requests += one.requests;
    total.withoutBill += one.withoutBill;
    total.inputTokens += one.inputTokens;
    total.cachedTokens += one.cachedTokens;
    total.outputTokens += one.outputTokens;
    total.money += one.money;
    if (one.seconds)
      total.seconds = total.seconds.value_or(0) + *one.seconds;
  }
  if (search.spending.size() > 1)
    writeCells(markup, total, byModel, true);
  markup.close("tbody").close("table").close("div");
  if (!search.pricesOf.empty())
    markup.element("p", {{"class", "note"}},
                   "By the prices of " + search.pricesOf + ".");
  if (total.withoutBill)
    markup.element("p", {{"class", "note"}},
                   printCounted(total.withoutBill, "request") +
                       " without a bill, at the maximum that it can cost.");
}

/// What a name of timings.json stands for; empty: it is not shown.
// no diagnostics: what the page says
static StringRef titleOf(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Case("seconds", "whole search")
      .Case("evaluating", "candidates built and judged")
      .Case("proposing", "the proposer at work")
      .Case("asking", "waiting for a model")
      .Case("overhead", "the search itself")
      .Default("");
}

// no diagnostics: what the page says
static void writeTimes(Markup &markup, const Search &search) {
  double whole = 0;
  for (const Entry &entry : search.times)
    if (double seconds; !StringRef(entry.value).getAsDouble(seconds))
      whole = std::max(whole, seconds);
  if (!(whole > 0))
    return;
  markup.element("h3", "Where the time went")
      .open("table", {{"class", "bars"}});
  for (const Entry &entry : search.times) {
    double seconds = 0;
    if (titleOf(entry.name).empty() ||
        StringRef(entry.value).getAsDouble(seconds))
      continue;
    markup.open("tr")
        .element("th", titleOf(entry.name))
        .open("td", {{"class", "wide"}});
    writeBar(markup, seconds / whole, "time");
    markup.close("td")
        .element("td", {{"class", "number"}}, printSeconds(seconds))
        .close("tr");
  }
  markup.close("table");
  markup.element("p", {{"class", "note"}},
                 "Parts may overlap: candidates are judged while a model is "
                 "waited for.");
}

// no diagnostics: what the page says
void report::writeCosts(Markup &markup, const Search &search) {
  markup.open("section", {{"id", "costs"}})
      .element("h2", "Cost by stage and model");
  if (search.spending.empty())
    markup.element("p", "No model was asked.");
  else
    writeSpending(markup, search);
  writeTimes(markup, search);
  markup.close("section");
}
