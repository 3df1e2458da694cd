// One input, read the way that the driver reads it. The first argument is
// `--reader=NAME`; libFuzzer passes over what begins with two dashes. What a
// reader says about bad input is not looked at: it must only end, with an error
// or without. With other arguments it is evo-opt, which a finding is tried
// with.
#include "Frontend/CUDA/IncludeCheck.h"
#include "LLM/Wire.h"
#include "Verification/Sampling/Shapes.h"
#include "evo/Driver/Driver.h"
#include "evo/Driver/Registration.h"
#include "evo/Frontend/ContractHeader.h"
#include "evo/Frontend/Lift.h"
#include "evo/Journal/Journal.h"
#include "evo/Journal/Resume.h"
#include "evo/LLM/AnswerParser.h"
#include "evo/Report/Page.h"
#include "evo/Report/Read.h"
#include "evo/Runtime/LaunchDescription.h"
#include "evo/Support/Files.h"
#include "evo/Support/JSON.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace evo;
using llvm::StringRef;

namespace {
std::unique_ptr<mlir::MLIRContext> context;

/// Attributes stay in a context for good, so that it is a new one now and then.
void renewContext(unsigned maxUses) {
  static unsigned uses = 0;
  if (uses++ % maxUses != 0)
    return;
  mlir::DialectRegistry registry;
  registerDialects(registry);
  attachBackends(registry, BackendOptions());
  context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
}

/// A file of this process with `text` in it.
std::string asFile(StringRef text, StringRef name) {
  static std::string folder = [] {
    llvm::SmallString<128> path;
    llvm::sys::fs::createUniqueDirectory("evo-fuzz", path);
    return path.str().str();
  }();
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code code;
  llvm::raw_fd_ostream(path, code) << text;
  for (const char *side : {"-wal", "-shm", "-journal"})
    (void)llvm::sys::fs::remove(path + side);
  return path.str().str();
}

void forget(llvm::Error error) { llvm::consumeError(std::move(error)); }
template <typename T> void forget(llvm::Expected<T> value) {
  forget(value.takeError());
}

/// As front ends do, but for the code that is launched; then draws the sizes
/// that the contract would be tried on.
void readHeader(StringRef text) {
  auto header = parseContractHeader(context.get(), text, "input.cu");
  if (failed(header) || !header->name)
    return;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(context.get()));
  mlir::OpBuilder b = mlir::OpBuilder::atBlockEnd(module->getBody());
  KernelOp kernel = createKernel(b, module->getLoc(), *header);
  if (failed(kernel.verify()))
    return;
  b.setInsertionPointToStart(&kernel.getBody().front());
  auto plan = ReferenceOp::create(b, module->getLoc(), mlir::StringAttr());
  b.setInsertionPointToStart(&plan.getBody().emplaceBlock());
  createPlan(b, *header, "device",
             std::vector<std::string>(header->launches.size(), "kernel"));
  (void)printContractHeader(kernel, plan);
  constexpr int64_t workLimit = 20'000;
  auto work = [&](const Bindings &sizes) {
    double product = 1;
    for (StringRef dim : kernel.getDimensionNames())
      product *= double(std::max<int64_t>(1, sizes.lookup(dim)));
    return int64_t(std::min(1e18, product));
  };
  auto target = parseTarget(context.get(), "sm_90");
  (void)sampleShapes(kernel, plan, {}, target, 4, workLimit, work, Random(1));
  (void)sampleLimitShapes(kernel, plan, target, Random(1));
  (void)sampleEmptyShapes(kernel, plan, target, Random(1));
}

void readMLIR(StringRef text) {
  (void)liftMLIR(context.get(), text, "input.mlir");
}

void readLLVMIR(StringRef text) {
  (void)liftLLVMIR(context.get(), text, "input.ll");
}

void readCUDA(StringRef text) {
  static const CUDAOptions options = [] {
    CUDAOptions found;
    const char *toolkit = std::getenv("EVO_CUDA_PATH");
    found.toolkit = toolkit ? toolkit : "";
    // Headers once parsed, or most of the time goes to the same ones.
    const char *cache = std::getenv("EVO_CACHE_DIR");
    found.cacheDirectory = cache ? cache : "";
    // Most inputs are wrong, and would be so without them as well.
    found.doubtsHeaders = false;
    return found;
  }();
  (void)liftCUDA(context.get(), text, "input.cu", options);
}

void readIncludes(StringRef text) {
  (void)checkIncludes(context.get(), text, "input.cu");
}

void readAnswer(StringRef text) {
  forget(llm::parseAnswer(text, llm::AnswerLimits()));
}

void readReply(StringRef text) {
  for (auto form : {llm::WireForm::ChatCompletions, llm::WireForm::Messages})
    forget(llm::Wire::of(form).parse("application/json", text));
  (void)llm::parseErrorBody(text);
}

void readJournal(StringRef text) {
  std::string path = asFile(text, "journal"), printed;
  llvm::raw_string_ostream os(printed);
  forget(exportJournal(path, os));
  forget(exportTrajectories(path, os));
  RunRequest request;
  request.kernel = "scale";
  forget(chooseRun(path, request, /*anySeed=*/true));
  report::Search search;
  if (llvm::Error error = report::addJournal(search, path, context.get()))
    return forget(std::move(error));
  (void)report::makePage(search, "now");
}

void readReport(StringRef text) {
  std::string path = asFile(text, "report.json");
  report::Search search;
  if (llvm::Error error = report::addFolder(
          search, llvm::sys::path::parent_path(path), context.get()))
    return forget(std::move(error));
  (void)report::makePage(search, "now");
}

void readLaunch(StringRef text) {
  llvm::Expected<llvm::json::Value> value = parseJSON(text);
  if (!value)
    return forget(value.takeError());
  forget(LaunchDescription::fromJSON(*value));
}

struct Reader {
  llvm::StringLiteral name;
  void (*read)(StringRef);
  bool isText = false;
  unsigned perContext = 5000; ///< inputs, until it is a new one
};
constexpr Reader readers[] = {
    {"header", readHeader, true}, {"mlir", readMLIR, true},
    {"ll", readLLVMIR, true},     {"cu", readCUDA, true, 100},
    {"includes", readIncludes},   {"answer", readAnswer},
    {"reply", readReply},         {"journal", readJournal},
    {"report", readReport},       {"launch", readLaunch}};

const Reader *chosen = nullptr;
} // namespace

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  StringRef name = *argc > 1 ? StringRef((*argv)[1]) : "";
  if (!name.consume_front("--reader="))
    std::exit(runEvoOpt(*argc, *argv));
  for (const Reader &reader : readers)
    if (reader.name == name)
      chosen = &reader;
  if (chosen)
    return 0;
  llvm::errs() << "usage: evo-fuzz --reader=";
  llvm::interleave(
      readers, llvm::errs(),
      [](const Reader &reader) { llvm::errs() << reader.name; }, "|");
  llvm::errs() << " [LIBFUZZER'S FLAGS] [FOLDER OF INPUTS]\n";
  std::exit(3);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  renewContext(chosen->perContext);
  mlir::ScopedDiagnosticHandler quiet(
      context.get(), [](mlir::Diagnostic &) { return mlir::success(); });
  std::string text(reinterpret_cast<const char *>(data), size);
  // What is no text the driver takes for none before it reads it.
  if (chosen->isText)
    for (char &c : text)
      if ((static_cast<unsigned char>(c) < 0x20 && !llvm::isSpace(c)) ||
          c == 0x7f)
        c = ' ';
  chosen->read(text);
  return 0;
}
