// The page of searches that are made by hand: escaping, numbers, lines that
// differ, and searches that lack this and that.
#include "evo/Report/Page.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <regex>

using namespace evo::report;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string page(const Search &search) { return makePage(search, "now"); }

Candidate accepted(const std::string &name, double micros) {
  Candidate candidate;
  candidate.name = name;
  candidate.grade = "exact";
  candidate.estimated = micros;
  return candidate;
}

Candidate failed(const std::string &name, evo::Stage stage,
                 const std::string &why) {
  Candidate candidate;
  candidate.name = name;
  candidate.stage = stage;
  candidate.failure = why;
  return candidate;
}

TEST(Page, ShowsTextsAsTheyAre) {
  Search search;
  search.kernel = "a<b>&\"c'";
  search.candidates = {accepted("baseline", 2)};
  std::string text = page(search);
  EXPECT_THAT(text, HasSubstr("<h1>a&lt;b&gt;&amp;&quot;c&#39;</h1>"));
  EXPECT_THAT(text, Not(HasSubstr("a<b>")));
}

TEST(Page, ShowsWhatControlsTheDisplay) {
  Search search;
  // Right-to-left override, a bell, a byte that is no UTF-8; a tab stays.
  search.kernel = "x\xE2\x80\xAEy\az\xFFw\tv";
  std::string text = page(search);
  EXPECT_THAT(text, HasSubstr("x[U+202E]y[U+0007]z\xEF\xBF\xBDw\tv"));
  EXPECT_THAT(text, Not(HasSubstr("\xE2\x80\xAE")));
}

TEST(Page, AllowsNothingButItsStyle) {
  std::string text = page(Search());
  EXPECT_THAT(text, HasSubstr("default-src &#39;none&#39;"));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("style=")));
  EXPECT_THAT(text, Not(HasSubstr("unsafe")));
}

TEST(Page, HasNumbersThatPeopleRead) {
  Search search;
  search.floor = 0.9;
  search.candidates = {accepted("baseline", 4323.937), accepted("m0", 139.17)};
  std::string text = page(search);
  EXPECT_THAT(text, HasSubstr("31× as fast as the input"));
  EXPECT_THAT(text, HasSubstr("4.32 ms"));
  EXPECT_THAT(text, HasSubstr("139 µs"));
  EXPECT_THAT(text, HasSubstr("900 ns"));
  EXPECT_THAT(text, HasSubstr("&lt; 0.1 %")); // of the input, never 0 %
  EXPECT_THAT(text, Not(HasSubstr(">0.0 %<")));
}

TEST(Page, SaysWhenThereIsNoWinner) {
  Search search;
  search.isFromFolder = true;
  search.candidates = {failed("m0", evo::Stage::Materialize, "no such type"),
                       failed("m1", evo::Stage::Materialize, "no such name"),
                       failed("m2", evo::Stage::Duplicate, "as m0")};
  std::string text = page(search);
  EXPECT_THAT(text, HasSubstr("No winner"));
  EXPECT_THAT(text, HasSubstr("m0: no such type"));
  EXPECT_THAT(text, HasSubstr("No candidate has both a verdict and a time"));
  // The most frequent cause first.
  EXPECT_LT(text.find("<th>materialize</th>"), text.find("<th>duplicate</th>"));
  search.isFromFolder = false;
  EXPECT_THAT(page(search), HasSubstr("no winner yet"));
}

TEST(Page, SaysThatNothingWasFaster) {
  Search search;
  search.candidates = {accepted("baseline", 2), accepted("m0", 3)};
  EXPECT_THAT(page(search), HasSubstr("nothing faster than the input"));
}

TEST(Page, DoesNotChooseWhatIsForSomeSizesOnly) {
  Search search;
  search.candidates = {accepted("baseline", 4), accepted("m0", 2),
                       accepted("m1", 1)};
  search.candidates[2].requirements = {"N % 4 == 0"};
  EXPECT_EQ(search.findBest()->name, "m0");
}

TEST(Page, NumericFailureAfterAVerdictIsNoAcceptance) {
  Search search;
  search.candidates = {accepted("baseline", 4), accepted("m0", 2)};
  search.candidates[1].stage = evo::Stage::LowerPass;
  search.candidates[1].failure = "ptxas says no";
  EXPECT_EQ(search.findBest()->name, "baseline");
  EXPECT_THAT(page(search), HasSubstr("<th>evo-lower</th>"));
}

TEST(Page, ComparesMeasuredWithMeasured) {
  Search search;
  search.machine = "h200";
  search.candidates = {accepted("baseline", 100), accepted("m0", 1),
                       accepted("m1", 50)};
  search.candidates[0].measured = 90;
  search.candidates[2].measured = 30;
  EXPECT_EQ(search.findBest()->name, "m1");
  EXPECT_THAT(page(search), HasSubstr("3.0× as fast as the input, measured on "
                                      "an H200, verified exact"));
}

TEST(Page, CirclesOfParentsEnd) {
  Search search;
  search.candidates = {accepted("baseline", 4), accepted("a", 2),
                       accepted("b", 3)};
  search.candidates[1].parent = "b";
  search.candidates[2].parent = "a";
  std::string text = page(search);
  text = text.substr(text.find("id=\"lineage\""));
  for (const char *cell : {">a</td>", ">b</td>"}) {
    size_t first = text.find(cell);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(text.find(cell, first + 1), std::string::npos);
  }
}

TEST(Page, AddsUpWhatWasSpent) {
  Search search;
  Spending one, other;
  one.stage = "propose";
  one.model = "m-1";
  one.requests = 2;
  one.inputTokens = 123456;
  one.money = 0.00001;
  other.stage = "judge";
  other.requests = 1;
  other.withoutBill = 1;
  other.money = 0.5;
  search.spending = {one, other};
  std::string text = page(search);
  EXPECT_THAT(text, HasSubstr("123,456"));
  EXPECT_THAT(text, HasSubstr("&lt; 0.0001"));
  EXPECT_THAT(text, HasSubstr("0.5000"));
  EXPECT_THAT(text, HasSubstr("1 request without a bill"));
}

/// Old and new text, out of the rows of the table.
std::pair<std::string, std::string> rowsOf(const std::string &text) {
  std::pair<std::string, std::string> result;
  std::regex row("<tr( class=\"(added|removed)\")?><td class=\"number\">"
                 "([0-9]*)</td><td class=\"number\">([0-9]*)</td><td>[^<]*"
                 "</td><td><code>([^<]*)</code>");
  for (std::sregex_iterator it(text.begin(), text.end(), row), end; it != end;
       ++it) {
    if ((*it)[2] != "added")
      result.first += (*it)[5].str() + "\n";
    if ((*it)[2] != "removed")
      result.second += (*it)[5].str() + "\n";
  }
  return result;
}

std::string difference(const std::string &before, const std::string &after) {
  Search search;
  search.candidates = {accepted("baseline", 2), accepted("m0", 1)};
  search.input = before;
  search.winner = after;
  return page(search);
}

TEST(Difference, TakesTheFewestLines) {
  EXPECT_THAT(difference("a\nb\nc\n", "a\nx\nc\n"),
              HasSubstr("1 line added, 1 removed"));
  EXPECT_THAT(difference("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"),
              HasSubstr("2 lines added, 3 removed"));
  EXPECT_THAT(difference("", "a\n"), HasSubstr("nothing to compare with"));
  EXPECT_THAT(difference("a\n", "a\n"), HasSubstr("as it was given"));
}

TEST(Difference, RowsAreBothTexts) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    auto draw = [&] {
      std::string text;
      for (unsigned i = 0, count = 1 + random() % 8; i < count; ++i)
        text += std::string(1, "abc"[random() % 3]) + "\n";
      return text;
    };
    std::string before = draw(), after = draw();
    if (before == after)
      continue;
    auto rows = rowsOf(difference(before, after));
    if (rows.first.size() == before.size())
      EXPECT_EQ(rows.first, before);
    if (rows.second.size() == after.size())
      EXPECT_EQ(rows.second, after);
    // What is folded is the same in both.
    EXPECT_EQ(before.size() - rows.first.size(),
              after.size() - rows.second.size())
        << before << "---\n"
        << after;
  }
}

TEST(Difference, FoldsWhatIsFarFromChanges) {
  std::string before, after;
  for (unsigned i = 0; i < 100; ++i) {
    before += "line " + std::to_string(i) + "\n";
    after += i == 50 ? "other\n" : "line " + std::to_string(i) + "\n";
  }
  std::string text = difference(before, after);
  EXPECT_THAT(text, HasSubstr("47 lines, the same in both"));
  EXPECT_THAT(text, HasSubstr("46 lines, the same in both"));
  EXPECT_THAT(text, HasSubstr("<code>line 47</code>"));
  EXPECT_THAT(text, Not(HasSubstr("<code>line 46</code>")));
}

TEST(Difference, TextsWithNothingInCommonEnd) {
  std::string before, after;
  for (unsigned i = 0; i < 4000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  std::string text = difference(before, after);
  EXPECT_THAT(text, HasSubstr("4,000 lines added, 4,000 removed"));
  EXPECT_THAT(text, HasSubstr("4,000 lines more"));
}

} // namespace
