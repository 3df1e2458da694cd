// Reads the verbose log that ptxas and nvJitLink share. Its shape, as printed
// by CUDA 12 and 13:
// data format: ptxas's verbose output
//   ptxas info    : Compiling entry function 'f' for 'sm_90'
// data format: ptxas's verbose output
//   ptxas info    : Function properties for f
//       256 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 80 registers, used 1 barriers, 512 bytes smem, ...
// Unknown lines are skipped, so that a new release adds nothing wrong; numbers
// are cross-checked against the ELF image by the caller.
#include "evo/Target/CUDA/Assembler.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace evo::cuda {

/// The text between the first pair of single quotes.
static StringRef getQuoted(StringRef line) {
  return line.split('\'').second.split('\'').first;
}

/// The number directly before `label` in a comma-separated list of facts.
static bool readCount(StringRef line, StringRef label, unsigned &value) {
  size_t at = line.find(label);
  if (at == StringRef::npos)
    return false;
  StringRef before = line.take_front(at).rtrim();
  size_t start = before.find_last_not_of("0123456789");
  StringRef digits =
      start == StringRef::npos ? before : before.drop_front(start + 1);
  return !digits.getAsInteger(10, value);
}

/// A diagnostic code such as (C7510), wherever the message carries it.
static std::string readCode(StringRef text) {
  size_t at = text.find("(C");
  if (at == StringRef::npos)
    return {};
  StringRef code = text.drop_front(at + 1).split(')').first;
  if (code.size() < 4 || !all_of(code.drop_front(), isDigit))
    return {};
  return code.str();
}

static bool readNote(StringRef line, VerboseLog &log) {
  std::string lower = line.lower();
  StringRef text = line;
  NoteKind kind;
  if (size_t at = lower.find("warning");
      at != std::string::npos && StringRef(lower).contains(':')) {
    kind = NoteKind::Warning;
    text = line.drop_front(at + strlen("warning"));
  } else if (size_t at = lower.find("advisory"); at != std::string::npos) {
    kind = NoteKind::Advisory;
    text = line.drop_front(at + strlen("advisory"));
  } else if (!readCode(line).empty()) {
    // data format: ptxas's verbose output
    // "ptxas info    : (C7510) Potential Performance Loss: ..."
    kind = NoteKind::Performance;
    size_t colon = line.find(':');
    text = colon == StringRef::npos ? line : line.drop_front(colon);
  } else {
    return false;
  }
  std::string code = readCode(text);
  text = text.ltrim(" :\t");
  if (!code.empty() && text.starts_with("(" + code + ")"))
    text = text.drop_front(code.size() + 2);
  text = text.trim(" :\t");
  // data format: ptxas's verbose output
  if (StringRef(text).contains("Potential Performance Loss"))
    kind = NoteKind::Performance;
  log.notes.push_back({kind, code, text.str()});
  return true;
}

VerboseLog parseVerboseLog(StringRef text) {
  VerboseLog log;
  // Properties of device functions follow their own heading and must not be
  // charged to the kernel before them.
  bool inKernelProperties = false;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line = line.rtrim("\r");
    if (readNote(line, log))
      continue;
    // data format: ptxas's verbose output
    if (line.contains("Compiling entry function")) {
      log.kernels.emplace_back();
      log.kernels.back().kernel = getQuoted(line).str();
      inKernelProperties = false;
      continue;
    }
    // nvJitLink closes with a summary after linking, whose shared bytes
    // include the system's part.
    // data format: ptxas's verbose output
    if (line.starts_with("info "))
      break;
    if (log.kernels.empty())
      continue;
    KernelResources &kernel = log.kernels.back();
    // data format: ptxas's verbose output
    if (line.contains("Function properties for")) {
      StringRef name =
          // data format: ptxas's verbose output
          line.split("Function properties for").second.trim(" '\t");
      inKernelProperties = name == kernel.kernel;
      continue;
    }
    // data format: ptxas's verbose output
    if (inKernelProperties && line.contains("bytes stack frame")) {
      readCount(line, "bytes stack frame", kernel.stackBytes);
      readCount(line, "bytes spill stores", kernel.spillStoreBytes);
      readCount(line, "bytes spill loads", kernel.spillLoadBytes);
    }
    // data format: ptxas's verbose output
    if (line.contains("Used ") && line.contains(" registers")) {
      readCount(line, "registers", kernel.registers);
      readCount(line, "barriers", kernel.barriers);
      readCount(line, "bytes smem", kernel.staticSharedBytes);
      readCount(line, "bytes cmem[0]", kernel.constBytes);
    }
  }
  return log;
}

} // namespace evo::cuda
