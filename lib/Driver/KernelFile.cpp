// Reading a kernel file by its extension.
#include "KernelFile.h"
#include "CUDASetup.h"
#include "Contract/Contract.h"
#include "Verbs.h"
#include "Worker/TrialReading.h"
#include "evo/Support/Files.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace evo;

std::unique_ptr<MLIRContext> evo::createContext(const VerbOptions &options) {
  DialectRegistry registry;
  registerDialects(registry);
  attachBackends(registry, backendOptions(options));
  registerPasses();
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

std::optional<Genome> evo::getKernelLanguage(StringRef path,
                                             const VerbOptions &options) {
  StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".mlir")
    return Genome::MLIR;
  if (extension == ".cu")
    return Genome::CUDA;
  if (extension == ".ll")
    return Genome::LLVMIR;
  reportError(options, "unknown kind of file '" + path.str() +
                           "', expected .cu, .ll or .mlir");
  return std::nullopt;
}

std::optional<std::string> evo::findHeaders(const VerbOptions &options) {
  llvm::Expected<cuda::Toolkit> toolkit = findToolkit(options.cudaPath).get();
  llvm::Error missing = toolkit ? toolkit->require(cuda::ToolkitPart::Headers)
                                : toolkit.takeError();
  if (!missing)
    return toolkit->getRoot();
  reportError(options, "CUDA files need the headers of a CUDA toolkit: " +
                           llvm::toString(std::move(missing)));
  return std::nullopt;
}

/// Where `text` is none: at its first byte that no text has, among them those
/// that would be commands to a terminal.
static std::optional<size_t> findBinary(StringRef text) {
  // data format: the first bytes of MLIR's bytecode
  if (text.starts_with("ML\xefR"))
    return std::nullopt;
  size_t at = text.find_if([](unsigned char c) {
    return (c < 0x20 && !llvm::isSpace(c)) || c == 0x7f;
  });
  return at == StringRef::npos ? std::nullopt : std::optional(at);
}

/// Where brackets are nested deeper than any kernel's: readers that descend
/// into each of them would die of it.
static std::optional<size_t> findDeepNesting(StringRef text, unsigned max) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (StringRef("([{").contains(text[i]) && ++depth > max)
      return i;
    if (StringRef(")]}").contains(text[i]) && depth > 0)
      --depth;
  }
  return std::nullopt;
}

std::optional<std::string> evo::readKernelText(StringRef path,
                                               const VerbOptions &options) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text)
    return reportError(options, llvm::toString(text.takeError())), std::nullopt;
  // What it is not is said without showing it.
  if (std::optional<size_t> at = findBinary(*text))
    return reportError(options,
                       llvm::formatv("'{0}' is no text: byte {1} is {2:x2}",
                                     path, *at, uint8_t((*text)[*at]))
                           .str()),
           std::nullopt;
  constexpr unsigned maxNesting = 2000;
  const StringRef kind = llvm::sys::path::extension(path);
  const bool isRead = kind == ".cu" || kind == ".ll" || kind == ".mlir";
  if (std::optional<size_t> at =
          isRead ? findDeepNesting(*text, maxNesting) : std::nullopt) {
    const size_t line = StringRef(*text).take_front(*at).count('\n') + 1;
    return reportError(options, (path + ":" + Twine(line) +
                                 ": brackets are nested more "
                                 "than " +
                                 Twine(maxNesting) + " deep")
                                    .str()),
           std::nullopt;
  }
  return std::move(*text);
}

/// Reads and lifts a file by its extension. What is wrong is reported.
FailureOr<OwningOpRef<ModuleOp>> KernelFile::lift(StringRef path) {
  std::optional<std::string> text = readKernelText(path, options);
  if (!text)
    return failure();
  std::optional<Genome> language = getKernelLanguage(path, options);
  if (!language)
    return failure();
  if (language == Genome::MLIR) {
    SmallVector<StringRef> lines;
    StringRef(*text).split(lines, '\n');
    source = llvm::none_of(lines, [](StringRef line) {
      // data format: an op as MLIR prints it
      return line.ltrim().starts_with("evo.kernel ");
    });
  }
  std::optional<std::string> toolkit;
  if (language == Genome::CUDA && !(toolkit = findHeaders(options)))
    return exitCode = Infrastructure, failure();
  auto read = [&]() -> FailureOr<OwningOpRef<ModuleOp>> {
    if (language == Genome::MLIR)
      return liftMLIR(context.get(), *text, path, /*contract=*/{},
                      options.keepSizes);
    if (language == Genome::LLVMIR)
      return liftLLVMIR(context.get(), *text, path);
    return liftCUDA(context.get(), *text, path,
                    cudaOptions(backendOptions(options), *toolkit), &drafts);
  };
  // Clang takes its time, and to die it needs more than a line.
  if (language != Genome::CUDA)
    if (ExitCode code =
            tryReading(*context, path, options, [&] { (void)read(); });
        code != Done)
      return exitCode = code, failure();
  return read();
}

KernelFile::KernelFile(StringRef path, const VerbOptions &options)
    : options(options), context(createContext(options)),
      reporter(*context, options.json), path(path.str()) {
  FailureOr<OwningOpRef<ModuleOp>> lifted = lift(path);
  if (succeeded(lifted))
    module = std::move(*lifted);
}

KernelOp KernelFile::getKernel(StringRef what, bool needsContract) {
  if (!module)
    return {};
  SmallVector<KernelOp> kernels(module->getOps<KernelOp>());
  auto hasContract = [](KernelOp kernel) { return kernel.hasContract(); };
  if (needsContract && !kernels.empty() && llvm::none_of(kernels, hasContract))
    reportError(options,
                "the kernel has no contract: add an '// evo.kernel' line" +
                    describeDraft(path, options));
  else if (kernels.size() != 1)
    reportError(options, what.str() + " must hold one kernel, found " +
                             std::to_string(kernels.size()));
  else
    return kernels.front();
  return KernelOp();
}
