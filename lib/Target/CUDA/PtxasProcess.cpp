// The ptxas backend: a child process with temporary files. It costs a process
// start, but it can be killed, a crash of it is only an error, and it compiles
// whole programs (see Assembler.h), which is the mode the driver also uses.
#include "AssemblerBackends.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/resource.h>

using namespace llvm;

namespace evo::cuda {

/// The folder for temporary files is of no use, for `why`.
static Error cannotKeep(StringRef doing, const std::string &why) {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
  return make_error<MachineError>("cannot " + doing.str() + " '" +
                                  folder.str().str() +
                                  "', the folder for temporary files "
                                  "(TMPDIR): " +
                                  why);
}

/// Whether there is no room beside `path` for an image and a log: ptxas may end
/// well with half of them.
static bool isFull(StringRef path, size_t bytesOfPTX) {
  uint64_t min = (64 << 10) + 4 * bytesOfPTX; // more than most images have
  ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(path);
  return space && space->available < min;
}

namespace {
/// A temporary file that is removed with this object.
class TemporaryFile {
public:
  static Expected<TemporaryFile> create(StringRef suffix) {
    SmallString<128> path;
    if (std::error_code ec =
            sys::fs::createTemporaryFile("evo-ptxas", suffix, path))
      return cannotKeep("make a file in", ec.message());
    return TemporaryFile(path);
  }
  StringRef getPath() const { return path; }
  std::string read() const {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  explicit TemporaryFile(StringRef name)
      : path(name.str()), remover(std::make_unique<FileRemover>(name)) {}
  std::string path;
  std::unique_ptr<FileRemover> remover;
};
} // namespace

/// A process that may not send signals, as a candidate's, relies on the system
/// to end one that does not end by itself.
static int waitFor(const sys::ProcessInfo &process,
                   const AssemblerOptions &options, std::string &message) {
  rlim_t seconds = options.timeoutSeconds;
  rlimit limit = {seconds, seconds};
  (void)prlimit(process.Pid, RLIMIT_CPU, &limit, nullptr);
  return sys::Wait(process, options.timeoutSeconds, &message).ReturnCode;
}

Expected<RawAssembly> assembleWithPtxas(StringRef ptx,
                                        const std::string &program,
                                        const AssemblerOptions &options) {
  Expected<TemporaryFile> input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  Expected<TemporaryFile> output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  Expected<TemporaryFile> log = TemporaryFile::create("log");
  if (!log)
    return log.takeError();
  {
    std::error_code ec;
    raw_fd_ostream os(input->getPath(), ec);
    os << ptx;
    os.close();
    if (!ec)
      ec = os.error();
    os.clear_error();
    if (ec)
      return cannotKeep("write the PTX to", ec.message());
    if (isFull(input->getPath(), ptx.size()))
      // unreachable: by a test, which has no file system to fill
      return cannotKeep("have code written to", "it is full");
  }

  std::string arch = "-arch=" + options.arch;
  std::string level = "-O" + std::to_string(options.optLevel);
  std::string registers =
      "-maxrregcount=" + std::to_string(options.maxRegisters);
  std::vector<StringRef> arguments = {program, "-v", arch, level};
  if (options.maxRegisters)
    arguments.push_back(registers);
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  arguments.insert(arguments.end(),
                   {input->getPath(), "-o", output->getPath()});

  std::optional<StringRef> redirects[] = {StringRef(""), log->getPath(),
                                          log->getPath()};
  std::string message;
  bool notStartedAtAll = false;
  sys::ProcessInfo process =
      sys::ExecuteNoWait(program, arguments, std::nullopt, redirects, 0,
                         &message, &notStartedAtAll);
  int exit = notStartedAtAll ? -1 : waitFor(process, options, message);
  std::string text = log->read();
  constexpr int notStarted = -1; // as LLVM says it
  if (exit == notStarted)
    return make_error<MachineError>("ptxas cannot be started: " + message);
  if (exit != 0) {
    if (StringRef(text).trim().empty())
      text = message;
    // Paths of temporary files say nothing to a reader.
    std::string path = input->getPath().str();
    for (size_t at; (at = text.find(path)) != std::string::npos;)
      text.replace(at, path.size(), "kernel.ptx");
    return createStringError("ptxas failed with %d: %s", exit,
                             StringRef(text).trim().str().c_str());
  }
  return RawAssembly{output->read(), std::move(text)};
}

} // namespace evo::cuda
