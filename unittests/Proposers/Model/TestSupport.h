// A kernel, the outcomes an evaluation would write into it, and a model that
// answers from a list.
#ifndef EVO_UNITTESTS_PROPOSE_TESTSUPPORT_H
#define EVO_UNITTESTS_PROPOSE_TESTSUPPORT_H

#include "../../LLM/TestSupport.h"
#include "evo/Interfaces/SearchSession.h"
#include "evo/Proposers/Model/ModelProposer.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <map>
#include <mutex>

namespace evo::test {

using llm::ModelError;

/// What the fake model was asked, and what it answers: texts in order, or the
/// kinds of failures.
struct Script {
  struct Line {
    std::string text;
    std::optional<ModelError::Kind> failure;
    llm::FinishReason finishReason = llm::FinishReason::Stop;
    uint64_t tokens = 0;
  };
  std::vector<Line> answers;
  std::vector<llm::ModelRequest> requests;
  /// Requests of judges and for notes, which may come at once, and what they
  /// are answered.
  std::vector<llm::ModelRequest> asides;
  std::function<std::string(const llm::ModelRequest &)> aside =
      [](const llm::ModelRequest &request) {
        return request.stage == "judge" ? "It is fine.\nscore: 8" : "- a note";
      };
  std::mutex mutex;

  /// Answers by the names of requests, which come in no order where several are
  /// sent at once; they come before `answers`.
  std::map<std::string, std::string> byName;
  /// Called with each request, without the lock.
  std::function<void()> onAsked;

  void say(std::string text) { answers.push_back({std::move(text), {}}); }
  void fail(ModelError::Kind kind) { answers.push_back({"scripted", kind}); }
  std::string system(size_t i) const { return requests.at(i).messages[0].text; }
  /// The last message of request `i`.
  std::string asked(size_t i) const {
    return requests.at(i).messages.back().text;
  }
};

/// A language that can be materialized here, as far as proposers can tell.
class NamedMaterializer : public Materializer {
public:
  explicit NamedMaterializer(Genome genome) : genome(genome) {}
  Genome getGenome() const override { return genome; }
  mlir::LogicalResult materialize(ProposalOp, VariantOp) override {
    return mlir::failure();
  }

private:
  Genome genome;
};

class ScriptedClient : public llm::ModelClient {
public:
  explicit ScriptedClient(std::shared_ptr<Script> script)
      : script(std::move(script)) {}
  llvm::Expected<llm::ModelAnswer>
  complete(const llm::ModelRequest &request) override {
    if (script->onAsked)
      script->onAsked();
    std::lock_guard<std::mutex> lock(script->mutex);
    if (auto named = script->byName.find(request.id);
        named != script->byName.end()) {
      script->requests.push_back(request);
      llm::ModelAnswer answer;
      answer.text = named->second;
      return answer;
    }
    if (request.stage == "judge" || request.stage == "notes" ||
        request.stage == "reflect") {
      script->asides.push_back(request);
      llm::ModelAnswer answer;
      answer.text = script->aside(request);
      return answer;
    }
    size_t index = script->requests.size();
    script->requests.push_back(request);
    if (index >= script->answers.size())
      return llm::modelError(ModelError::Kind::Unreachable,
                             "the script has ended");
    const Script::Line &line = script->answers[index];
    if (line.failure)
      return llm::modelError(*line.failure, line.text);
    llm::ModelAnswer answer;
    answer.text = line.text;
    answer.finishReason = line.finishReason;
    answer.usage.outputTokens = line.tokens;
    return answer;
  }

private:
  std::shared_ptr<Script> script;
};

/// One candidate in the form that prompts ask for.
inline std::string candidate(llvm::StringRef name, llvm::StringRef extra = "",
                             llvm::StringRef options = "") {
  std::string text = ("## " + name + "\nBecause of " + name + ".\n").str();
  if (!options.empty())
    text += ("```options\n" + options + "\n```\n").str();
  return text +
         ("```cuda\n// evo.launch rows<<<M, 32>>>(x, y, M, N)\n" + extra +
          "__global__ void rows(const float *x, float *y, int M, int N) { /* " +
          name + " */ }\n```\n")
             .str();
}

/// The kernel of most tests: a launch plan with CUDA source, or a tensor
/// function.
class Kernel {
public:
  explicit Kernel(bool tensorLevel = false) {
    context.loadDialect<EvoDialect, mlir::func::FuncDialect,
                        mlir::LLVM::LLVMDialect, mlir::gpu::GPUDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diag) {
      diagnostics += diag.str() + "\n";
      return mlir::success();
    });
    std::string plan =
        R"(evo.reference attributes {source = "// evo.launch rows<<<M, 32>>>(x, y, M, N)\0A__global__ void rows() { the_reference(); }"} {
      evo.launch @device::@rows grid ["M", "1", "1"] block ["32", "1", "1"] args ["x", "y", "M", "N"]
      gpu.module @device { llvm.func @rows(%x: !llvm.ptr, %y: !llvm.ptr, %m: i32, %n: i32) { llvm.return } }
    })";
    std::string tensor = R"(evo.reference {
      func.func @rows(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> { return %y : tensor<?xf32> }
    })";
    module = mlir::parseSourceString<mlir::ModuleOp>(
        R"(evo.kernel @row_sum
             args [#evo.arg<"x" in f32 ["M", "N"]>, #evo.arg<"y" out f32 ["M"]>]
             workloads [#evo.workload<{M = 4096, N = 1024}>] {)" +
            (tensorLevel ? tensor : plan) + "}",
        &context);
    if (!module)
      ADD_FAILURE() << "the kernel does not parse: " << diagnostics;
  }

  KernelOp op() { return *module->getOps<KernelOp>().begin(); }

  std::vector<ProposalOp> proposals() {
    auto range = op().getBody().getOps<ProposalOp>();
    return {range.begin(), range.end()};
  }
  ProposalOp proposal(llvm::StringRef name) {
    return op().lookupSymbol<ProposalOp>(name);
  }

  /// Backends with this materializer and no other.
  void attachMaterializer(Genome genome) {
    auto *dialect = context.getLoadedDialect<EvoDialect>();
    auto backends = std::make_unique<BackendInterface>(dialect);
    backends->materializers.push_back(
        std::make_unique<NamedMaterializer>(genome));
    dialect->addInterface(std::move(backends));
  }

  /// What a failed stage writes.
  void fail(llvm::StringRef name, Stage stage, llvm::StringRef why) {
    proposal(name).setStage(stage);
    proposal(name).setFailure(why);
  }
  /// Adds the variant `name` with attributes in the syntax of evo.variant.
  /// With `of`, it is made of the proposal of that name, if there is one.
  void addVariant(const std::string &name, const std::string &clauses,
                  const std::string &body = "", const std::string &of = "") {
    auto parsed = mlir::parseSourceString<mlir::ModuleOp>(
        "evo.kernel @other args [#evo.arg<\"x\" in f32 [\"M\", \"N\"]>, "
        "#evo.arg<\"y\" out f32 [\"M\"]>] { evo.variant @\"" +
            name + "\" " + clauses + " {\n" + body + "} }",
        &context);
    if (!parsed)
      return (void)(ADD_FAILURE() << diagnostics);
    KernelOp other = *parsed->getOps<KernelOp>().begin();
    auto variant = *other.getBody().getOps<VariantOp>().begin();
    variant->moveBefore(&op().getBody().front(), op().getBody().front().end());
    if (op().lookupSymbol<ProposalOp>(of))
      variant.setProposal(of);
  }
  void refute(const std::string &name, const std::string &message) {
    addVariant(name + ".v",
               "evidence #evo.evidence<refuted hash = \"abc\" details = {"
               "at = \"M = 7, N = 33\", message = \"" +
                   message +
                   "\", reason = \"race\", samples = 17 : i64, values = "
                   "\"ties\"}>",
               "", name);
  }
  void accept(const std::string &name, const std::string &micros,
              const std::string &more = "", const std::string &details = "",
              const std::string &body = "") {
    addVariant(name + ".v",
               "evidence #evo.evidence<numeric hash = \"def\" details = "
               "{samples = 17 : i64}> " +
                   more + " estimate #evo.cost<estimated us = [" + micros +
                   "] machine = \"h200\"" +
                   (details.empty() ? "" : " details = {" + details + "}") +
                   ">",
               body, name);
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline std::unique_ptr<Proposer> scripted(std::shared_ptr<Script> script,
                                          ModelProposerOptions options = {},
                                          std::string name = "llm") {
  return createModelProposer(
      std::move(name),
      [script]() -> llvm::Expected<std::unique_ptr<llm::ModelClient>> {
        return std::make_unique<ScriptedClient>(script);
      },
      std::move(options));
}

/// A kernel with its proposer, ready to ask.
struct Session {
  explicit Session(ModelProposerOptions options = {}, bool tensorLevel = false)
      : kernel(tensorLevel), script(std::make_shared<Script>()),
        proposer(scripted(script, std::move(options))) {}
  bool propose(unsigned count, uint64_t seed = 1) {
    bool ok = mlir::succeeded(proposer->propose(kernel.op(), count, seed, {}));
    EXPECT_TRUE(mlir::succeeded(mlir::verify(*kernel.module)))
        << kernel.diagnostics;
    return ok;
  }
  Kernel kernel;
  std::shared_ptr<Script> script;
  std::unique_ptr<Proposer> proposer;
};

} // namespace evo::test

#endif
