// The hashes themselves are made where a proposal is materialized.
#include "Tried.h"
#include "Isolate.h"
#include "evo/Interfaces/Structure.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace evo;

/// What was judged and how code is made of it; empty where nothing was judged.
static std::string deviceKey(VariantOp variant) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (!evidence || evidence.getHash().getValue().empty())
    return "";
  return (evidence.getHash().getValue() + " " +
          describeCodegen(variant.getOptionsAttr()))
      .str();
}

void Tried::read(KernelOp kernel) {
  for (auto variant : kernel.getBody().getOps<VariantOp>())
    note(variant);
  for (auto proposal : kernel.getBody().getOps<ProposalOp>())
    remember(proposal);
}

void Tried::remember(ProposalOp proposal) {
  std::string name = proposal.getSymName().str();
  if (auto code = proposal->getAttrOfType<StringAttr>(codeAttr))
    codes.try_emplace(code.getValue(), name);
  if (auto shape = proposal->getAttrOfType<StringAttr>(shapeAttr))
    shapes.try_emplace(shape.getValue(), name);
}

OwningOpRef<ModuleOp> Tried::isolate(KernelOp kernel,
                                     ProposalOp proposal) const {
  OwningOpRef<ModuleOp> module = isolateCandidate(kernel, {proposal});
  Builder b(kernel.getContext());
  NamedAttrList known;
  for (const auto &entry : codes)
    known.append(entry.getKey(), b.getStringAttr(entry.second));
  if (!known.empty())
    (*module->getOps<KernelOp>().begin())
        ->setAttr(knownAttr, known.getDictionary(b.getContext()));
  return module;
}

std::string Tried::note(ProposalOp proposal, ProposalOp result) {
  for (StringRef name : {codeAttr, shapeAttr})
    if (auto hash = result->getAttrOfType<StringAttr>(name))
      proposal->setAttr(name, hash);
  auto code = proposal->getAttrOfType<StringAttr>(codeAttr);
  auto shape = proposal->getAttrOfType<StringAttr>(shapeAttr);
  if (!code || !shape)
    return "";
  if (auto same = codes.find(code.getValue()); same != codes.end())
    return same->second;
  if (auto like = shapes.find(shape.getValue()); like != shapes.end())
    proposal->setAttr(likeAttr,
                      StringAttr::get(proposal.getContext(), like->second));
  remember(proposal);
  return "";
}

std::string Tried::note(VariantOp variant) {
  std::string key = deviceKey(variant);
  if (key.empty())
    return "";
  auto [entry, isNew] = judged.try_emplace(key, variant.getSymName().str());
  return isNew ? "" : entry->second;
}
