// One request a judge and candidate; all of them go out together.
#include "Judges.h"
#include "Answers.h"
#include "Text.h"
#include "evo/Support/Fixed.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

std::optional<double> evo::readMark(StringRef answer) {
  std::string lower = answer.lower();
  size_t at = lower.rfind("score:");
  if (at == std::string::npos)
    return std::nullopt;
  StringRef rest = StringRef(lower).drop_front(at + 6).ltrim(" *`\t");
  StringRef number =
      rest.take_while([](char c) { return llvm::isDigit(c) || c == '.'; });
  double mark;
  if (number.empty() || number.rtrim('.').getAsDouble(mark) || mark > 10)
    return std::nullopt;
  return mark;
}

namespace {
struct Mark {
  std::string judge, words;
  double value;
};
} // namespace

static void settle(ProposalOp proposal, ArrayRef<Mark> marks, double minimum) {
  if (marks.empty())
    return;
  double sum = 0;
  std::string list, words;
  for (const Mark &mark : marks) {
    sum += mark.value;
    list += (list.empty() ? "" : " ") + mark.judge + "=" +
            printFixed(mark.value, 1);
    words += "\n" + mark.judge + ": " + mark.words;
  }
  Builder b(proposal.getContext());
  proposal->setAttr("evo.marks", b.getStringAttr(list));
  double mean = sum / marks.size();
  if (mean >= minimum)
    return;
  proposal.setStage(Stage::Judged);
  proposal.setFailure("mean mark " + printFixed(mean, 1) + " of 10, " +
                      printFixed(minimum, 1) + " wanted (" + list + ")" +
                      words);
}

llvm::Error evo::judgeProposals(ArrayRef<ProposalOp> proposals,
                                const Strategy &strategy,
                                const PromptContext &context,
                                const llm::PromptLibrary &prompts,
                                const llm::ModelRequest &frame,
                                llm::ModelClient &client, bool isInOrder) {
  std::vector<llm::ModelRequest> requests;
  for (ProposalOp proposal : proposals)
    for (const std::string &judge : strategy.judges) {
      llvm::Expected<std::string> aspect =
          prompts.render("judge-" + judge, llvm::json::Object());
      if (!aspect)
        return aspect.takeError();
      llvm::Expected<std::string> text =
          prompts.render("judge", context.judge(proposal, *aspect));
      if (!text)
        return text.takeError();
      llm::ModelRequest request = frame;
      request.stage = llm::judgeStage.str();
      request.schema = std::nullopt;
      request.id = (cast<KernelOp>(proposal->getParentOp()).getSymName() + "/" +
                    proposal.getSymName() + ".judge-" + judge)
                       .str();
      request.messages = {{llm::Role::User, std::move(*text)}};
      requests.push_back(std::move(request));
    }
  std::vector<llvm::Expected<llm::ModelAnswer>> answers;
  if (isInOrder)
    for (const llm::ModelRequest &request : requests)
      answers.push_back(client.complete(request));
  else
    answers = llm::completeAll(client, requests);
  llvm::Error failure = llvm::Error::success();
  size_t next = 0;
  for (ProposalOp proposal : proposals) {
    std::vector<Mark> marks;
    for (const std::string &judge : strategy.judges) {
      llvm::Expected<llm::ModelAnswer> &answer = answers[next++];
      if (!answer) {
        failure = llvm::joinErrors(std::move(failure),
                                   unlessOptional(answer.takeError()));
        continue;
      }
      std::string text = client.redact(answer->text);
      if (std::optional<double> value = readMark(text))
        marks.push_back(
            {judge, llvm::json::fixUTF8(bounded(StringRef(text).trim(), 600)),
             *value});
    }
    settle(proposal, marks, strategy.minMark);
  }
  return failure;
}
