// The words for kinds of failures.
#include "evo/Support/FaultKind.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace evo;

static constexpr std::pair<FaultKind, StringLiteral> names[] = {
    {FaultKind::Candidate, "candidate"},
    {FaultKind::Reference, "reference"},
    {FaultKind::Machine, "machine"},
    {FaultKind::Unsupported, "unsupported"},
    {FaultKind::Request, "request"},
    {FaultKind::Server, "server"},
    {FaultKind::OutOfTime, "out-of-time"},
    {FaultKind::OutOfMemory, "out-of-memory"},
    {FaultKind::Crashed, "crashed"}};

StringRef evo::faultName(FaultKind kind) {
  return find_if(names, [&](const auto &entry) { return entry.first == kind; })
      ->second;
}

std::optional<FaultKind> evo::faultFromName(StringRef name) {
  for (const auto &[kind, word] : names)
    if (word == name)
      return kind;
  return std::nullopt;
}
