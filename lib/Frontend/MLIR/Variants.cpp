// Names of variants, and what to say of one that is not there.
#include "evo/Frontend/Variants.h"
#include "evo/Interfaces/Faults.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace evo;

static SmallVector<StringRef> namesOf(KernelOp kernel) {
  SmallVector<StringRef> names;
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    names.push_back(variant.getSymName());
  return names;
}

std::string evo::listVariants(KernelOp kernel) {
  constexpr size_t maxNames = 12;
  SmallVector<StringRef> names = namesOf(kernel);
  if (names.empty())
    return "it has none";
  std::string text =
      "it has " + llvm::join(ArrayRef(names).take_front(maxNames), ", ");
  if (names.size() > maxNames)
    text += " and " + std::to_string(names.size() - maxNames) + " more";
  return text;
}

/// The name that was perhaps meant; empty where none is near.
static StringRef findNearest(ArrayRef<StringRef> names, StringRef name) {
  constexpr unsigned maxDistance = 2;
  StringRef nearest;
  unsigned minDistance = maxDistance + 1;
  for (StringRef known : names) {
    // A variant is named after its proposal, which is what tables of others
    // say.
    unsigned distance =
        known == ProposalOp::nameVariantOf(name)
            ? 0
            : name.edit_distance(known, /*AllowReplacements=*/true,
                                 minDistance);
    if (distance < minDistance) {
      minDistance = distance;
      nearest = known;
    }
  }
  return nearest;
}

VariantOp evo::findVariant(KernelOp kernel, StringRef name, Location loc) {
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    if (variant.getSymName() == name)
      return variant;
  InFlightDiagnostic diagnostic = markFault(emitError(loc), FaultKind::Request);
  diagnostic << "there is no variant '" << name << "'";
  if (StringRef nearest = findNearest(namesOf(kernel), name); !nearest.empty())
    diagnostic << "; did you mean '" << nearest << "'?";
  diagnostic << "; " << listVariants(kernel);
  return {};
}
