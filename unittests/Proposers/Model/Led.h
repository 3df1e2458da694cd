// A search by one strategy, step by step, with what it asks.
#ifndef EVO_UNITTESTS_PROPOSE_LED_H
#define EVO_UNITTESTS_PROPOSE_LED_H

#include "TestSupport.h"

namespace evo::test {

/// A search by one strategy, of candidates c0, c1, ... one a generation, with
/// the operator that each request came from.
class Led {
public:
  explicit Led(const std::string &strategy) {
    ModelProposerOptions options;
    options.strategy = strategy;
    session = std::make_unique<Session>(options);
  }
  /// The reference's own variant, as the driver adds it.
  void addBaseline(const std::string &micros) {
    Kernel &kernel = session->kernel;
    mlir::OpBuilder b =
        mlir::OpBuilder::atBlockEnd(&kernel.op().getBody().front());
    ProposalOp::create(
        b, kernel.op().getLoc(), b.getStringAttr("baseline"),
        GenomeAttr::get(b.getContext(), Genome::Options), b.getStringAttr(""),
        mlir::DictionaryAttr(), mlir::StringAttr(), mlir::StringAttr(),
        b.getStringAttr("reference"), StageAttr(), mlir::StringAttr());
    kernel.accept("baseline", micros);
  }
  /// One more request; its candidate is still pending afterwards.
  std::string ask(uint64_t seed) {
    std::string name = "c" + std::to_string(asked);
    session->script->say(candidate(name));
    EXPECT_TRUE(session->propose(1, seed)) << session->kernel.diagnostics;
    EXPECT_EQ(session->script->requests.size(), asked + 1);
    return session->script->asked(asked++);
  }
  /// One more candidate, accepted with this time.
  std::string accept(double micros, uint64_t seed,
                     const std::string &more = "") {
    std::string text = ask(seed);
    session->kernel.accept(last(), std::to_string(micros), more);
    return text;
  }
  std::string refute(uint64_t seed) {
    std::string text = ask(seed);
    session->kernel.refute(last(), "a race");
    return text;
  }
  std::string last() const { return "m" + std::to_string(asked - 1); }
  std::string operation() {
    return session->kernel.proposal(last())
        ->getAttrOfType<mlir::StringAttr>("evo.operator")
        .str();
  }

  std::unique_ptr<Session> session;
  size_t asked = 0;
};

/// How many programs of the model a prompt shows as parents.
inline size_t parentsIn(llvm::StringRef text) {
  size_t at = text.find("# Parents\n");
  if (at == llvm::StringRef::npos)
    return 0;
  llvm::StringRef section = text.drop_front(at + 10);
  for (llvm::StringRef next : {"\n# What", "\n# Knobs", "\n# Kernels"})
    section = section.take_front(section.find(next));
  return section.count("\n## ") + section.starts_with("## ");
}

} // namespace evo::test

#endif
