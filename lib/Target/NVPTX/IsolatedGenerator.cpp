// Makes code where its death is only an answer. LLVM's back end ends the
// process over what it has no code for, so a fork of it generates, and writes
// down what came of it: what it said, and the code. Whoever asks for code of
// the same plan again, as lowering does after a verdict, gets what was made.
#include "evo/Interfaces/Faults.h"
#include "evo/Support/Digest.h"
#include "evo/Support/Isolation.h"
#include "evo/Support/JSON.h"
#include "evo/Target/NVPTX/CodeGenerators.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/ErrorHandling.h"
#include <list>
#include <mutex>
#include <unistd.h>

using namespace mlir;
using namespace evo;

namespace {
/// A diagnostic on its way between processes.
struct Said {
  DiagnosticSeverity severity;
  FaultKind fault;
  std::string text, file;
  unsigned line = 0, column = 0;
};

/// What a generation gave; it failed where there is no code.
struct Generated {
  std::vector<Said> said;
  std::optional<CodeObject> code;
};
} // namespace

static Said takeDown(Diagnostic &diagnostic) {
  Said said{diagnostic.getSeverity(), faultOf(diagnostic), diagnostic.str(),
            ""};
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    said.file = place.getFilename().str();
    said.line = place.getLine();
    said.column = place.getColumn();
  }
  return said;
}

static llvm::json::Value toJSON(const Said &said) {
  return llvm::json::Object{{"severity", unsigned(said.severity)},
                            {"fault", faultName(said.fault)},
                            {"text", llvm::json::fixUTF8(said.text)},
                            {"file", llvm::json::fixUTF8(said.file)},
                            {"line", said.line},
                            {"column", said.column}};
}

static std::string printResources(ArrayRef<ResourcesAttr> resources,
                                  MLIRContext *context) {
  std::string text;
  llvm::raw_string_ostream(text) << ArrayAttr::get(
      context, SmallVector<Attribute>(resources.begin(), resources.end()));
  return text;
}

static llvm::json::Object toJSON(const CodeObject &code, MLIRContext *context) {
  return llvm::json::Object{
      {"ptx", llvm::encodeBase64(code.ptx)},
      {"cubin", llvm::encodeBase64(code.cubin)},
      {"resources", printResources(code.resources, context)}};
}

static Said saidFromJSON(const llvm::json::Object &object) {
  Said said{DiagnosticSeverity(object.getInteger("severity").value_or(0)),
            faultFromName(object.getString("fault").value_or(""))
                .value_or(FaultKind::Candidate),
            object.getString("text").value_or("").str(),
            object.getString("file").value_or("").str()};
  said.line = object.getInteger("line").value_or(0);
  said.column = object.getInteger("column").value_or(0);
  return said;
}

static std::optional<CodeObject> codeFromJSON(const llvm::json::Object &object,
                                              MLIRContext *context) {
  CodeObject code;
  auto decode = [&](StringRef key, std::string &bytes) {
    std::vector<char> decoded;
    if (llvm::Error error =
            llvm::decodeBase64(object.getString(key).value_or(""), decoded))
      return llvm::consumeError(std::move(error)), false;
    bytes.assign(decoded.begin(), decoded.end());
    return true;
  };
  auto resources = dyn_cast_or_null<ArrayAttr>(parseAttribute(
      object.getString("resources").value_or("").str(), context));
  if (!decode("ptx", code.ptx) || !decode("cubin", code.cubin) || !resources)
    return std::nullopt;
  for (auto each : resources.getAsRange<ResourcesAttr>())
    code.resources.push_back(each);
  return code;
}

/// The first line of LLVM's last words, without the addresses of its nodes,
/// which are others each time.
static std::string withoutAddresses(StringRef reason) {
  std::string text;
  for (StringRef word : llvm::split(reason.split('\n').first, ' '))
    if (!word.starts_with("0x"))
      text += (text.empty() ? "" : " ") + word.str();
  return text;
}

/// The words of whatever ends the child, as its answer. What a back end has no
/// code for says nothing about the candidate.
static void onFatalError(void *descriptor, const char *reason, bool) {
  Said said{DiagnosticSeverity::Error, FaultKind::Unsupported,
            "no code can be generated: " + withoutAddresses(reason), ""};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(
      llvm::json::Object{{"said", llvm::json::Array{toJSON(said)}}});
  writeAll(*static_cast<int *>(descriptor), text);
  ::_exit(0);
}

/// Generates in the child, and writes down what came of it.
static int generateInChild(CodeGenerator &generator, LaunchPlanOpInterface plan,
                           TargetAttrInterface target, int descriptor) {
  llvm::remove_fatal_error_handler(); // it answers for the parent
  llvm::install_fatal_error_handler(onFatalError, &descriptor);
  llvm::json::Array said;
  OwnDiagnosticHandler handler(plan->getContext(), [&](Diagnostic &diagnostic) {
    said.push_back(toJSON(takeDown(diagnostic)));
    return success();
  });
  FailureOr<CodeObject> code = generator.generate(plan, target);
  llvm::json::Object answer{{"said", std::move(said)}};
  if (succeeded(code))
    answer["code"] = toJSON(*code, plan->getContext());
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(answer));
  return writeAll(descriptor, text) ? 0 : 1;
}

/// What a child's end tells.
static Generated readEnd(const IsolatedResult &result, MLIRContext *context) {
  Generated generated;
  std::optional<FaultKind> fault = result.fault();
  if (!fault) {
    if (llvm::Expected<llvm::json::Value> value = parseJSON(result.output)) {
      const llvm::json::Object *answer = value->getAsObject();
      if (const llvm::json::Array *said =
              answer ? answer->getArray("said") : nullptr)
        for (const llvm::json::Value &each : *said)
          if (const llvm::json::Object *object = each.getAsObject())
            generated.said.push_back(saidFromJSON(*object));
      if (const llvm::json::Object *code =
              answer ? answer->getObject("code") : nullptr)
        generated.code = codeFromJSON(*code, context);
      return generated;
    } else {
      llvm::consumeError(value.takeError());
    }
  }
  // What runs out says so; another death is our own code's.
  generated.said.push_back(
      {DiagnosticSeverity::Error,
       fault && isExhaustion(*fault) ? *fault : FaultKind::Unsupported,
       "no code can be generated: the code generator was " + result.describe(),
       ""});
  return generated;
}

/// All that the code of a plan is made of.
static std::string printPlan(LaunchPlanOpInterface plan,
                             TargetAttrInterface target) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << Attribute(target) << plan.getOptionsAttr() << plan.getSourceAttr()
     << plan.getKernelSpellings();
  for (Region &region : plan->getRegions())
    for (Operation &op : region.getOps())
      if (!isa<gpu::BinaryOp>(op)) // code that was made before
        op.print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return text;
}

namespace {
class IsolatedGenerator : public CodeGenerator {
public:
  explicit IsolatedGenerator(std::unique_ptr<CodeGenerator> inner)
      : inner(std::move(inner)) {}
  StringRef getName() const override { return inner->getName(); }

  FailureOr<CodeObject> generate(LaunchPlanOpInterface plan,
                                 TargetAttrInterface target) override {
    // A fork has one thread of this process's, so no lock may be another's.
    if (plan->getContext()->isMultithreadingEnabled())
      return inner->generate(plan, target);
    const Key key = codeKey(printPlan(plan, target));
    std::optional<Generated> generated = find(key);
    if (!generated) {
      llvm::Expected<IsolatedResult> result = runIsolated(
          [&](int descriptor) {
            return generateInChild(*inner, plan, target, descriptor);
          },
          IsolationLimits());
      if (!result) // there is no room for a child: be it made here
        return llvm::consumeError(result.takeError()),
               inner->generate(plan, target);
      generated = readEnd(*result, plan->getContext());
      if (generated->code)
        insert(key, *generated);
    }
    for (const Said &said : generated->said)
      say(plan, said);
    if (!generated->code)
      return failure();
    return std::move(*generated->code);
  }

private:
  using Key = std::array<uint8_t, 32>;
  std::unique_ptr<CodeGenerator> inner;
  std::mutex mutex;
  std::list<std::pair<Key, Generated>> kept; ///< the last one first

  static void say(LaunchPlanOpInterface plan, const Said &said) {
    Location place = plan.getLoc();
    if (!said.file.empty())
      place = FileLineColLoc::get(plan->getContext(), said.file, said.line,
                                  said.column);
    InFlightDiagnostic diagnostic =
        plan->getContext()->getDiagEngine().emit(place, said.severity)
        << said.text;
    if (said.fault != FaultKind::Candidate)
      (void)markFault(std::move(diagnostic), said.fault);
  }
  std::optional<Generated> find(const Key &key) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto &[made, generated] : kept)
      if (made == key)
        return generated;
    return std::nullopt;
  }
  void insert(const Key &key, const Generated &generated) {
    constexpr size_t capacity = 4;
    std::lock_guard<std::mutex> lock(mutex);
    kept.emplace_front(key, generated);
    if (kept.size() > capacity)
      kept.pop_back();
  }
};
} // namespace

std::unique_ptr<CodeGenerator>
evo::isolateGenerator(std::unique_ptr<CodeGenerator> generator) {
  return std::make_unique<IsolatedGenerator>(std::move(generator));
}
