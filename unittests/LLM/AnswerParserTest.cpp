// The many forms of a model's answer. What must be taken, and beside each form
// what must be refused and in which words: those go back to the model.
#include "evo/LLM/AnswerParser.h"
#include "TestSupport.h"
#include "llvm/Support/FormatVariadic.h"
#include <ctime>

using namespace evo::llm;
using namespace evo::llm::test;
using Language = GenomeLanguage;

namespace {

const std::string launch = "// evo.launch k<<<1, 32>>>(x)\n";
const std::string kernel =
    launch + "__global__ void k(float *x) { x[0] = 1; }\n";

std::string fenced(const std::string &tag, const std::string &code) {
  return "```" + tag + "\n" + code + "```\n";
}

std::string refusal(llvm::StringRef text, const AnswerLimits &limits = {}) {
  Failed failure = failed(parseAnswer(text, limits));
  EXPECT_EQ(failure.kind, ModelError::Kind::BadAnswer);
  return failure.text;
}

// Fenced blocks.

TEST(AnswerParser, TakesTheFormThatIsAskedFor) {
  EVO_TAKE(answer,
           parseAnswer("Sure.\n\n## two passes, fused!\n"
                       "Rationale: reads x once.\n"
                       "```options\nmaxnreg = 64\nuse-fast: true\n```\n" +
                       fenced("cuda", kernel)));
  ASSERT_EQ(answer.candidates.size(), 1u);
  const ParsedCandidate &candidate = answer.candidates[0];
  EXPECT_EQ(candidate.language, Language::CUDA);
  EXPECT_EQ(candidate.name, "two-passes-fused");
  EXPECT_EQ(candidate.rationale, "reads x once.");
  EXPECT_EQ(candidate.code, kernel);
  EXPECT_EQ(candidate.options, (std::map<std::string, std::string>{
                                   {"maxnreg", "64"}, {"use-fast", "true"}}));
  EXPECT_TRUE(answer.problems.empty());
}

TEST(AnswerParser, TakesSeveralCandidates) {
  std::string schedule = "module { transform.named_sequence @s() {} }\n";
  EVO_TAKE(answer,
           parseAnswer("## a\nfirst\n" + fenced("cuda", kernel) +
                       "```json\n{\"unroll\": 4}\n```\n" + "## a\nsecond\n" +
                       fenced("mlir", schedule) + "## c\nthird\n" +
                       "```options\nmaxnreg=32\n```\n" + "## d\n" +
                       fenced("mlir", "gpu.module @m {}\n")));
  ASSERT_EQ(answer.candidates.size(), 4u);
  EXPECT_EQ(answer.candidates[0].options.at("unroll"), "4");
  EXPECT_EQ(answer.candidates[1].language, Language::Schedule);
  EXPECT_EQ(answer.candidates[1].name, "a-2");
  EXPECT_EQ(answer.candidates[1].rationale, "second");
  EXPECT_TRUE(answer.candidates[1].options.empty());
  EXPECT_EQ(answer.candidates[2].language, Language::Options);
  EXPECT_EQ(answer.candidates[2].rationale, "third");
  EXPECT_EQ(answer.candidates[3].language, Language::MLIR);
}

TEST(AnswerParser, OptionsGoToTheRightCode) {
  std::string other = kernel + "// other\n";
  auto options = [](const char *value) {
    return fenced("options", std::string("o = ") + value + "\n");
  };
  for (bool before : {true, false}) {
    std::string text = before ? options("1") + fenced("cuda", kernel) +
                                    options("2") + fenced("cuda", other)
                              : fenced("cuda", kernel) + options("1") +
                                    fenced("cuda", other) + options("2");
    EVO_TAKE(answer, parseAnswer(text));
    ASSERT_EQ(answer.candidates.size(), 2u);
    EXPECT_EQ(answer.candidates[0].options.at("o"), "1") << before;
    EXPECT_EQ(answer.candidates[1].options.at("o"), "2") << before;
  }
}

TEST(AnswerParser, OptionsThatAreNoneAreNamed) {
  EVO_TAKE(lines, parseAnswer(fenced("cuda", kernel) +
                              fenced("options", "a = 1\nfaster please\n")));
  EXPECT_CONTAINS(lines.problems.at(0), "option line 'faster please' is not of "
                                        "the form 'key = value'");
  EVO_TAKE(object, parseAnswer(fenced("cuda", kernel) +
                               fenced("options", "{\"a\": 1 \"b\"}\n")));
  EXPECT_CONTAINS(object.problems.at(0), "the options are not valid JSON");
}

TEST(AnswerParser, TakesUntaggedTildedAndOddlyTaggedFences) {
  for (const std::string &text :
       {fenced("", kernel), fenced("C++", kernel), fenced("cu", kernel),
        "~~~cuda\n" + kernel + "~~~\n", "````cuda\n" + kernel + "````\n",
        "  ```cuda title=x\n" + kernel + "  ```",
        "\xef\xbb\xbf" + fenced("cuda", kernel)}) {
    EVO_TAKE(answer, parseAnswer(text));
    EXPECT_EQ(answer.candidates.size(), 1u) << text;
    EXPECT_EQ(answer.candidates[0].code, kernel) << text;
    EXPECT_EQ(answer.candidates[0].name, "candidate-1");
  }
}

TEST(AnswerParser, TakesFencesWithinFences) {
  for (const std::string &text :
       {"```\n" + fenced("cuda", kernel) + "```\n",
        "```markdown\n## named\nwhy\n" + fenced("cuda", kernel) + "```\n",
        "````markdown\n" + fenced("cuda", kernel) + "````\n"}) {
    EVO_TAKE(answer, parseAnswer(text));
    ASSERT_EQ(answer.candidates.size(), 1u) << text;
    EXPECT_EQ(answer.candidates[0].code, kernel) << text;
  }
  EVO_TAKE(answer, parseAnswer("```markdown\n## named\nwhy\n" +
                               fenced("cuda", kernel) + "```\n"));
  EXPECT_EQ(answer.candidates[0].name, "named");
  EXPECT_EQ(answer.candidates[0].rationale, "why");
}

TEST(AnswerParser, NormalisesLineEndsAndText) {
  EVO_TAKE(answer, parseAnswer("```cuda\r\n" + launch +
                               "__global__ void k() {} // \xff\r\n```\r\n"));
  EXPECT_LACKS(answer.candidates[0].code, "\r");
  EXPECT_CONTAINS(answer.candidates[0].code, "// \xef\xbf\xbd");
}

TEST(AnswerParser, IgnoresForeignBlocksAndSaysSo) {
  EVO_TAKE(answer,
           parseAnswer(fenced("bash", "nvcc k.cu\n") + fenced("cuda", kernel)));
  EXPECT_EQ(answer.candidates.size(), 1u);
  ASSERT_EQ(answer.problems.size(), 1u);
  EXPECT_EQ(answer.problems[0], "the block at line 1 ('bash') was ignored");
}

// JSON.

std::string jsonAnswer(const std::string &code) {
  return llvm::formatv("{0}",
                       llvm::json::Value(llvm::json::Object{
                           {"candidates",
                            llvm::json::Array{llvm::json::Object{
                                {"language", "cuda"},
                                {"name", "j"},
                                {"rationale", "because {"},
                                {"code", code},
                                {"options",
                                 llvm::json::Object{
                                     {"n", 3}, {"b", true}, {"s", "x"}}}}}}}))
      .str();
}

TEST(AnswerParser, TakesJsonWhereverItStands) {
  std::string json = jsonAnswer(kernel);
  for (const std::string &text :
       {json, "Here {it} is:\n" + json + "\nDone }.",
        fenced("json", json + "\n"), "Text.\n" + fenced("", json + "\n"),
        json + "\n\nHope this helps!", jsonAnswer(fenced("cuda", kernel))}) {
    EVO_TAKE(answer, parseAnswer(text));
    ASSERT_EQ(answer.candidates.size(), 1u) << text;
    EXPECT_EQ(answer.candidates[0].name, "j");
    EXPECT_EQ(answer.candidates[0].code, kernel);
    EXPECT_EQ(answer.candidates[0].rationale, "because {");
    EXPECT_EQ(answer.candidates[0].options.at("n"), "3");
    EXPECT_EQ(answer.candidates[0].options.at("b"), "true");
    EXPECT_EQ(answer.candidates[0].options.at("s"), "x");
  }
}

TEST(AnswerParser, MendsSmallMistakesOfJson) {
  EVO_TAKE(answer, parseAnswer("[{\"code\": \"// evo.launch k<<<1,1>>>()\n"
                               "__global__ void k() {}\n\",}, ]"));
  ASSERT_EQ(answer.candidates.size(), 1u);
  EXPECT_CONTAINS(answer.candidates[0].code, "__global__ void k() {}\n");
  EVO_TAKE(lines, parseAnswer("{\"code\": [\"// evo.launch k<<<1,1>>>()\","
                              "\"__global__ void k() {}\"]}"));
  EXPECT_CONTAINS(lines.candidates[0].code, ">>>()\n__global__");
}

TEST(AnswerParser, RefusesJsonThatIsNotTheForm) {
  EXPECT_CONTAINS(refusal("{\"candidates\": 3}"),
                  "'candidates' is not an array");
  EXPECT_CONTAINS(refusal("{\"candidates\": []}"),
                  "list of candidates is empty");
  EXPECT_CONTAINS(refusal("{\"answer\": 42}"),
                  "not an object with 'language', 'code' or 'options'");
  EXPECT_CONTAINS(refusal("[1, 2]"), "candidate 2: not an object");
  EXPECT_CONTAINS(refusal("{\"language\": \"cuda\", \"code\": 7}"),
                  "'code' is not a string");
  EXPECT_CONTAINS(refusal("{\"options\": {\"a\": {\"b\": 1}}}"),
                  "option 'a' is neither a string, a number nor a boolean");
  EXPECT_CONTAINS(refusal("{\"language\": \"cuda\", \"options\": 3}"),
                  "the JSON object: 'options' is not an object");
  EXPECT_CONTAINS(refusal("{\"code\": \"x\" \"y\"}"), "the JSON is not valid");
}

// What must be refused.

TEST(AnswerParser, RefusesTruncatedAnswers) {
  EXPECT_CONTAINS(refusal("Text\n```cuda\n" + kernel),
                  "the block at line 2 is not closed: the answer was cut off");
  std::string json = jsonAnswer(kernel);
  EXPECT_CONTAINS(refusal(llvm::StringRef(json).drop_back(30)),
                  "the JSON is not closed: the answer was cut off");
  EXPECT_CONTAINS(refusal("Here: " + json.substr(0, json.size() - 30)),
                  "the JSON is not closed");
  // A whole candidate before the cut is kept, the cut is told.
  EVO_TAKE(answer, parseAnswer(fenced("cuda", kernel) + "```cuda\n" + launch));
  EXPECT_EQ(answer.candidates.size(), 1u);
  ASSERT_EQ(answer.problems.size(), 1u);
  EXPECT_CONTAINS(answer.problems[0], "not closed");
}

TEST(AnswerParser, RefusesProseAndNothing) {
  EXPECT_CONTAINS(refusal("I would use float4 { and so on }."),
                  "neither a fenced code block nor a JSON object");
  EXPECT_EQ(refusal(""), "the answer is empty");
  EXPECT_EQ(refusal(" \n\t"), "the answer is empty");
  EXPECT_CONTAINS(refusal("```\n```\n"), "neither a fenced code block");
}

TEST(AnswerParser, RefusesCodeThatCannotBeACandidate) {
  EXPECT_CONTAINS(refusal(fenced("cuda", launch + "void f() {}\n")),
                  "no '__global__' function");
  std::string noLaunch = "__global__ void k() {}\n";
  EXPECT_CONTAINS(refusal(fenced("cuda", noLaunch)), "no '// evo.launch' line");
  AnswerLimits relaxed;
  relaxed.requireLaunchLine = false;
  EVO_TAKE(answer, parseAnswer(fenced("cuda", noLaunch), relaxed));
  EXPECT_EQ(answer.candidates.size(), 1u);
  EXPECT_CONTAINS(refusal(fenced("rust", "fn main() {}\n")),
                  "unknown language 'rust'; "
                  "expected cuda, schedule, mlir or options");
  EXPECT_CONTAINS(refusal(fenced("", "int x;\n")), "names no language");
  EXPECT_CONTAINS(
      refusal(fenced("cuda", kernel + "// ... rest of the kernel unchanged\n")),
      "the code is abbreviated at its line 3 ('// ... rest of the kernel "
      "unchanged'); give the whole file");
  EXPECT_CONTAINS(
      refusal(fenced("cuda", kernel + "// ... the rest remains the same\n")),
      "abbreviated at its line 3");
  EXPECT_CONTAINS(refusal(fenced("cuda", kernel + std::string(1, '\0') + "\n")),
                  "the code contains a NUL character");
  EXPECT_CONTAINS(refusal("{\"language\": \"cuda\", \"code\": \" \"}"),
                  "no code, which a 'cuda' candidate needs");
  EXPECT_CONTAINS(refusal("{\"language\": \"schedule\"}"),
                  "neither code nor options");
}

TEST(AnswerParser, CommentsWithDotsAreNoAbbreviation) {
  EVO_TAKE(answer,
           parseAnswer(fenced("cuda", kernel + "// sum x[0] + x[1] + ...\n")));
  EXPECT_EQ(answer.candidates.size(), 1u);
}

TEST(AnswerParser, HoldsToTheLanguagesAskedFor) {
  AnswerLimits limits;
  limits.languages = {Language::Schedule};
  EXPECT_CONTAINS(refusal(fenced("cuda", kernel), limits),
                  "language 'cuda' is not among those asked for");
  EVO_TAKE(answer, parseAnswer("{\"language\": \"schedule\", \"options\": "
                               "{\"tile\": 64}}",
                               limits));
  EXPECT_EQ(answer.candidates[0].options.at("tile"), "64");
}

TEST(AnswerParser, DropsRepetitionsAndExcess) {
  EVO_TAKE(twice, parseAnswer(fenced("cuda", kernel) + fenced("cuda", kernel)));
  EXPECT_EQ(twice.candidates.size(), 1u);
  EXPECT_CONTAINS(twice.problems.at(0), "repeats an earlier candidate");
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += fenced("cuda", kernel + "// " + std::to_string(i) + "\n");
  EVO_TAKE(many, parseAnswer(text));
  EXPECT_EQ(many.candidates.size(), 16u);
  EXPECT_EQ(many.problems.size(), 4u);
  EXPECT_CONTAINS(many.problems.at(0), "more than 16 candidates in one answer");
}

// Size.

TEST(AnswerParser, RefusesHugeAnswersAndHugeCode) {
  std::string filler(10 << 20, 'x');
  EXPECT_CONTAINS(refusal(filler), "10485760 bytes, more than the 4194304");
  EXPECT_CONTAINS(
      refusal(fenced("cuda", kernel + "//" + filler.substr(0, 1 << 20) + "\n")),
      "bytes, more than the 262144 allowed");
  EXPECT_CONTAINS(
      refusal(fenced("cuda", kernel + "//" + filler.substr(0, 1 << 20) + "\n")),
      "the code has 10");
}

TEST(AnswerParser, HostileAnswersTakeLinearTime) {
  // Processor time, which others on the machine do not lengthen.
  auto secondsFor = [](const std::string &piece, size_t size) {
    std::string text;
    while (text.size() < size)
      text += piece;
    std::clock_t start = std::clock();
    refusal(text);
    return double(std::clock() - start) / CLOCKS_PER_SEC;
  };
  for (const char *piece : {"{", "[", "{\"code\": ", "```\n", "```cuda\n", "\n",
                            "\"", "{\"code\": [", "},", ", ", "\\", "# \n",
                            "```cuda\n//\n```\n", "**", "{\"a\"}"})
    // Eight times the size: eight times the time, or sixty-four.
    EXPECT_LT(secondsFor(piece, 1 << 20),
              24 * secondsFor(piece, 1 << 17) + 0.02)
        << piece;
}

} // namespace
