// The prompts as the model reads them. The built-in prompts rendered over one
// full context are compared with files in Inputs/, so that a change of a
// template shows as a change of a prompt. To accept a change, run with
// EVO_UPDATE_GOLDEN=1 and review the difference.
#include "evo/LLM/PromptLibrary.h"
#include "TestSupport.h"
#include "evo/LLM/AnswerParser.h"
#include <cstdlib>

using namespace evo::llm;
using namespace evo::llm::test;
using Kind = ModelError::Kind;
using llvm::json::Object;
using llvm::json::Value;

namespace {

std::string inputPath(const std::string &name) {
  return std::string(EVO_TEST_SOURCE_DIR) + "/Inputs/" + name;
}

Value fullContext() {
  auto value = llvm::json::parse(readFile(inputPath("context.json")));
  if (value)
    return *value;
  ADD_FAILURE() << llvm::toString(value.takeError());
  return nullptr;
}

class GoldenPrompt : public ::testing::TestWithParam<const char *> {};

TEST_P(GoldenPrompt, IsAsReviewed) {
  EVO_TAKE(library, PromptLibrary::builtin());
  EVO_TAKE(text, library.render(GetParam(), fullContext()));
  std::string path = inputPath(std::string(GetParam()) + ".golden.md");
  if (std::getenv("EVO_UPDATE_GOLDEN"))
    writeFile(path, text);
  EXPECT_EQ(text, readFile(path));
}

INSTANTIATE_TEST_SUITE_P(All, GoldenPrompt,
                         ::testing::Values("system", "propose", "repair",
                                           "distill", "judge", "explain"));

TEST(PromptLibrary, NothingIsEscaped) {
  EVO_TAKE(library, PromptLibrary::builtin());
  for (const char *name :
       {"propose", "repair", "system", "distill", "judge", "explain"}) {
    EVO_TAKE(text, library.render(name, fullContext()));
    for (const char *entity :
         {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;", "{{"})
      EXPECT_LACKS(text, entity);
  }
}

TEST(PromptLibrary, EveryTemplateRendersOverAnEmptyContext) {
  EVO_TAKE(library, PromptLibrary::builtin());
  EXPECT_GE(library.names().size(), 14u);
  for (const std::string &name : library.names()) {
    EVO_TAKE(text, library.render(name, Object{}));
    EXPECT_LACKS(text, "{{");
  }
}

TEST(PromptLibrary, WhatIsAbsentLeavesNoHeading) {
  EVO_TAKE(library, PromptLibrary::builtin());
  Value context =
      Object{{"task", Object{{"title", "t"}}},
             {"contract", "// evo.kernel k()"},
             {"reference", Object{{"language", "cuda"}, {"code", "c"}}},
             {"candidates", "1"}};
  EVO_TAKE(text, library.render("propose", context));
  for (const char *absent :
       {"best so far", "Parents", "Knobs", "failed before", "learnt",
        "schedule", "other tasks", "twice", "other kernels"})
    EXPECT_LACKS(text, absent);
  EVO_TAKE(system, library.render("system", context));
  for (const char *absent : {"# CUDA candidates", "# Schedule", "# The GPU"})
    EXPECT_LACKS(system, absent);
  // The same headings are there when their content is.
  EVO_TAKE(whole, library.render("system", fullContext()));
  for (const char *present : {"# CUDA candidates", "# Schedule",
                              "# The GPU\nNVIDIA H200 (sm_90)\n- multi"})
    EXPECT_CONTAINS(whole, present);
}

TEST(PromptLibrary, TheSystemPromptIsAStablePrefix) {
  // It may hold facts of the run, nothing of the kernel at hand.
  EVO_TAKE(library, PromptLibrary::builtin());
  Value context = fullContext();
  EVO_TAKE(before, library.render("system", context));
  for (const char *changing : {"best", "parents", "failures", "insights",
                               "operator", "reference", "contract", "task"})
    context.getAsObject()->erase(changing);
  EVO_TAKE(after, library.render("system", context));
  EXPECT_EQ(before, after);
}

TEST(PromptLibrary, TheFormThatIsShownIsTheFormThatIsRead) {
  EVO_TAKE(library, PromptLibrary::builtin());
  EVO_TAKE(text, library.render("answer-form", fullContext()));
  auto [before, rest] = llvm::StringRef(text).split("````\n");
  llvm::StringRef example = rest.split("````").first;
  AnswerLimits limits;
  std::string filled = example.str();
  size_t at = filled.find("the complete file");
  ASSERT_NE(at, std::string::npos);
  filled.insert(at, "__global__ void k() {} //");
  EVO_TAKE(answer, parseAnswer(filled, limits));
  ASSERT_EQ(answer.candidates.size(), 1u);
  EXPECT_EQ(answer.candidates[0].name, "short-name");
  EXPECT_EQ(answer.candidates[0].rationale, "Why this is faster.");
  EXPECT_EQ(answer.candidates[0].options.at("key"), "value");
  EXPECT_TRUE(answer.problems.empty());
}

TEST(PromptLibrary, HasASchema) {
  EVO_TAKE(library, PromptLibrary::builtin());
  EVO_TAKE(schema, library.schema("answer"));
  EXPECT_EQ(schema.getAsObject()->getString("type"), "object");
  Failed failure = failed(library.schema("nonsense"));
  EXPECT_EQ(failure.kind, Kind::Configuration);
  EXPECT_EQ(failure.text, "there is no schema 'nonsense'");
}

TEST(PromptLibrary, TextOfTheContextIsNeverATemplate) {
  EVO_TAKE(library, PromptLibrary::builtin());
  EVO_TAKE(text,
           library.render("code", Object{{"language", "cuda"},
                                         {"code", "a {{{language}}} b"}}));
  EXPECT_CONTAINS(text, "a {{{language}}} b");
}

// Overriding.

TEST(PromptFolder, OverridesFileByFile) {
  TempFolder folder;
  writeFile(folder.file("code.mustache"), "<{{{code}}}>");
  writeFile(folder.file("mine.mustache"), "mine: {{>code}}");
  writeFile(folder.file("notes.txt"), "{{not a template");
  EVO_TAKE(library, PromptLibrary::withFolder(folder.str()));
  EVO_TAKE(mine, library.render("mine", Object{{"code", "x"}}));
  EXPECT_EQ(mine, "mine: <x>");
  EVO_TAKE(propose, library.render("propose", fullContext()));
  EXPECT_CONTAINS(propose, "<__global__ void best() {}>");
  EVO_TAKE(builtin, PromptLibrary::builtin());
  EXPECT_EQ(failed(builtin.render("mine", Object{})).text,
            "there is no template 'mine'");
}

TEST(PromptFolder, RefusesTemplatesThatWouldRenderWithHoles) {
  const std::pair<const char *, const char *> cases[] = {
      {"a\n{{x}}", "line 2: '{{x}}' would be escaped as HTML"},
      {"{{#a}}", "line 1: section 'a' is not closed"},
      {"{{#a}}{{#b}}{{/a}}", "section 'a' is closed where 'b' is open"},
      {"{{/a}}", "section 'a' is closed but not open"},
      {"{{{x", "the tag is not closed"},
      {"{{=<% %>=}}", "delimiters cannot be changed"},
      {"{{{}}}", "'' is no name"},
      {"{{>nowhere}}", "there is no partial 'nowhere'"},
      {"{{>bad}}", "it includes itself"},
  };
  for (const auto &[text, expected] : cases) {
    TempFolder folder;
    writeFile(folder.file("bad.mustache"), text);
    Failed failure = failed(PromptLibrary::withFolder(folder.str()));
    EXPECT_EQ(failure.kind, Kind::Configuration);
    EXPECT_CONTAINS(failure.text, "template 'bad.mustache'");
    EXPECT_CONTAINS(failure.text, expected);
  }
  TempFolder good;
  writeFile(good.file("bad.mustache"),
            "{{! a comment }}{{#a}}{{^b}}{{&x}}{{{ y }}}{{/b}}{{/a}}");
  EXPECT_TRUE(static_cast<bool>(PromptLibrary::withFolder(good.str())));
}

TEST(PromptFolder, RefusesLoopsLongFilesBadSchemasAndNoFolder) {
  TempFolder loop;
  writeFile(loop.file("one.mustache"), "{{>two}}");
  writeFile(loop.file("two.mustache"), "{{>one}}");
  EXPECT_CONTAINS(failed(PromptLibrary::withFolder(loop.str())).text,
                  "it includes itself");
  TempFolder large;
  writeFile(large.file("one.mustache"), std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(failed(PromptLibrary::withFolder(large.str())).kind,
            Kind::TooLarge);
  TempFolder schema;
  writeFile(schema.file("answer.json"), "{");
  EXPECT_CONTAINS(failed(PromptLibrary::withFolder(schema.str())).text,
                  "schema 'answer.json'");
  EXPECT_EQ(failed(PromptLibrary::withFolder(schema.file("nowhere"))).kind,
            Kind::Files);
}

} // namespace
