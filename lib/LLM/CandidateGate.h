// What a candidate of an answer must be. The rules that hold for a candidate
// whatever form it was written in: a known language, whole code, bounded sizes,
// a usable name. What fails a rule is dropped with a problem that tells the
// model what to change.
#ifndef EVO_LIB_LLM_CANDIDATEGATE_H
#define EVO_LIB_LLM_CANDIDATEGATE_H

#include "JsonAnswer.h"
#include "evo/LLM/AnswerParser.h"

namespace evo::llm {

class CandidateGate {
public:
  CandidateGate(const AnswerLimits &limits, std::vector<std::string> problems);

  void admit(RawCandidate raw);
  ParsedAnswer take() { return std::move(answer); }

private:
  void refuse(const RawCandidate &raw, const std::string &why);
  bool checkCode(const RawCandidate &raw, const ParsedCandidate &candidate);
  std::string uniqueName(llvm::StringRef wish) const;

  const AnswerLimits &limits;
  ParsedAnswer answer;
};

} // namespace evo::llm

#endif
