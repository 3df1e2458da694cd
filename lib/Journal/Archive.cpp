// Kernels as counts of what their references do, compared by the angle between
// them: a big kernel resembles a small one of the same kind.
#include "Archive.h"
#include "Schema.h"
#include "evo/Interfaces/SearchTime.h"
#include "evo/Journal/Journal.h"
#include "evo/Support/Digest.h"
#include "evo/Support/JSON.h"
#include "evo/Support/Sort.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace evo;

using Features = std::map<std::string, double>;

std::string evo::taskDigest(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kernel.getArgsAttr() << spellTexts(kernel.getRequirementsAttr())
     << kernel.getAccuracyAttr();
  if (ReferenceOp reference = kernel.getReference())
    for (Operation &op : reference.getBody().getOps())
      op.print(os, OpPrintingFlags().useLocalScope());
  return digest(text);
}

/// Logarithms, so that an unrolled loop does not drown the rest. What every
/// kernel has (constants, branches, address computations) says nothing.
static Features featuresOf(KernelOp kernel) {
  Features counts;
  if (ReferenceOp reference = kernel.getReference())
    reference.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name.contains("constant") || name.ends_with("return") ||
          name.contains("getelementptr") || name.ends_with(".br") ||
          name == "evo.reference")
        return;
      ++counts[name.str()];
      if (auto call = op->getAttrOfType<FlatSymbolRefAttr>("callee"))
        ++counts["call " + call.getValue().str()];
    });
  if (ArrayAttr arguments = kernel.getArgsAttr())
    for (auto argument : arguments.getAsRange<ArgumentAttr>()) {
      std::string name;
      llvm::raw_string_ostream os(name);
      os << "argument " << argument.getElementType() << ' '
         << argument.getDimStrings().size() << argument.isRead()
         << argument.isWritten();
      ++counts[name];
    }
  for (auto &entry : counts)
    entry.second = std::log2(1 + entry.second);
  return counts;
}

static std::string print(const Features &features) {
  llvm::json::Object object;
  for (const auto &[name, count] : features)
    object[name] = count;
  return llvm::formatv("{0}", llvm::json::Value(std::move(object))).str();
}

static Features parse(StringRef text) {
  Features features;
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return features;
  }
  if (const llvm::json::Object *object = value->getAsObject())
    for (const auto &entry : *object)
      if (auto count = entry.second.getAsNumber())
        features[entry.first.str()] = *count;
  return features;
}

/// The cosine of the angle; 0 where one has nothing.
static double similarity(const Features &one, const Features &other) {
  double product = 0, length = 0, otherLength = 0;
  for (const auto &[name, count] : one) {
    length += count * count;
    if (auto found = other.find(name); found != other.end())
      product += count * found->second;
  }
  for (const auto &entry : other)
    otherLength += entry.second * entry.second;
  if (length == 0 || otherLength == 0)
    return 0;
  return product / std::sqrt(length * otherLength);
}

ArchiveKey ArchiveKey::of(KernelOp kernel) {
  return {taskDigest(kernel), print(featuresOf(kernel))};
}

llvm::Error evo::archiveProgram(Database &database, int64_t run,
                                KernelOp kernel, ProposalOp proposal,
                                std::optional<ArchiveKey> &key) {
  VariantOp variant = proposal.lookupVariant();
  VariantOp baseline = kernel.lookupBaseline();
  if (!variant || !baseline || variant == baseline || variant.getRequirements())
    return llvm::Error::success();
  // What was measured since takes the place of what was estimated.
  if (llvm::Error error = database.execute(
          "DELETE FROM program WHERE run = ? AND candidate = ?",
          {run, proposal.getSymName()}))
    return error;
  EvidenceAttr evidence = variant.getEvidenceAttr();
  std::optional<double> time = expectedTime(variant),
                        before = expectedTime(baseline);
  if (!evidence || !evidence.isAccepted() || !time || !before ||
      !(*time < *before) || proposal.getGenome() == Genome::Options)
    return llvm::Error::success();
  if (!key)
    key = ArchiveKey::of(kernel);
  return database.execute(
      "INSERT INTO program (run, candidate, task, kernel, features, language, "
      "code, rationale, speedup) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {run, proposal.getSymName(), StringRef(key->task), kernel.getSymName(),
       StringRef(key->features), stringifyGenome(proposal.getGenome()),
       proposal.getText(), proposal.getRationale().value_or(""),
       *before / *time});
}

llvm::Expected<std::vector<ArchivedProgram>>
evo::findSimilar(StringRef path, KernelOp kernel, unsigned count) {
  std::vector<ArchivedProgram> found;
  if (!llvm::sys::fs::exists(path))
    return found;
  llvm::Expected<Database> database =
      openJournal(path, Database::Mode::ReadOnly);
  if (!database)
    return database.takeError();
  std::string task = taskDigest(kernel);
  Features own = featuresOf(kernel);
  std::string lastTask;
  // The best of each task comes first.
  if (llvm::Error error = database->query(
          "SELECT task, kernel, candidate, language, code, rationale, speedup, "
          "features FROM program WHERE task <> ? "
          "ORDER BY task, speedup DESC, run, candidate",
          {StringRef(task)}, [&](const Row &row) {
            if (row.text(0) == lastTask)
              return llvm::Error::success();
            lastTask = row.text(0).str();
            found.push_back({row.text(1).str(), row.text(2).str(),
                             row.text(3).str(), row.text(4).str(),
                             row.text(5).str(), row.real(6),
                             similarity(own, parse(row.text(7)))});
            return llvm::Error::success();
          }))
    return std::move(error);
  stableSortBy(found, [](const ArchivedProgram &program) {
    return std::tuple(-program.similarity, program.kernel);
  });
  if (found.size() > count)
    found.resize(count);
  return found;
}
