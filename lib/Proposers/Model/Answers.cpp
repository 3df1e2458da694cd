// What a model may say becomes a proposal, the rest is taken out and noted.
#include "Answers.h"
#include "Text.h"
#include "evo/Interfaces/Faults.h"
#include "evo/Target/TargetInfo.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace evo;
using llm::GenomeLanguage;
using llvm::json::fixUTF8;

/// Where the attribute that opens at text[at], '<' or '[', ends; npos where it
/// does not close.
static size_t skipBalanced(StringRef text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\')
          ++at;
    } else if (StringRef("<[{(").contains(c)) {
      ++depth;
    } else if (StringRef(">]})").contains(c) && --depth == 0) {
      return at + 1;
    }
  }
  return StringRef::npos;
}

/// The length of a claim that begins `text`, 0 if none does: a keyword of
/// evo.variant with its attribute.
static size_t claimLength(StringRef text) {
  StringRef rest = text;
  bool isList = rest.consume_front("resources");
  if (!isList && !rest.consume_front("evidence") &&
      !rest.consume_front("estimate") && !rest.consume_front("measured"))
    return 0;
  rest = rest.ltrim();
  if (isList ? !rest.starts_with("[#evo.resources") && !rest.starts_with("[]")
             : !rest.starts_with("#evo.evidence<") &&
                   !rest.starts_with("#evo.cost<"))
    return 0;
  size_t start = text.size() - rest.size();
  size_t open = isList ? start : text.find('<', start);
  size_t end = skipBalanced(text, open);
  return end == StringRef::npos ? 0 : end;
}

/// A header line that claims something.
static bool isClaimLine(StringRef line) {
  line = line.trim();
  if (!line.consume_front("//"))
    return false;
  line = line.ltrim();
  if (!line.consume_front("evo."))
    return false;
  StringRef word = line.take_while([](char c) { return llvm::isAlpha(c); });
  return llvm::StringSwitch<bool>(word)
      .Cases({"evidence", "resources", "cost", "estimate", "measured"}, true)
      .Default(false);
}

std::string evo::withoutClaims(StringRef text) {
  std::string lines;
  for (StringRef rest = text; !rest.empty();) {
    size_t end = rest.find('\n');
    StringRef line = rest.take_front(end == StringRef::npos ? end : end + 1);
    rest = rest.drop_front(line.size());
    if (!isClaimLine(line))
      lines += line;
    else if (line.ends_with("\n"))
      lines += '\n'; // diagnostics keep their line numbers
  }
  std::string result;
  for (size_t i = 0; i < lines.size();) {
    bool isStart = i == 0 || !llvm::isAlnum(lines[i - 1]);
    size_t length = isStart ? claimLength(StringRef(lines).drop_front(i)) : 0;
    if (length)
      i += length;
    else
      result += lines[i++];
  }
  return result;
}

namespace {
/// Options that may stay, and words about those that may not.
struct Options {
  NamedAttrList taken;
  /// Rewrites of the reference's own plan, a line each.
  std::string rewrites;
  std::string refused;
};
} // namespace

/// The extents of a block, as "256", "32 8", "32x8" or "32, 8, 1", as a line of
/// the options genome has them; empty where they are none.
static std::string readBlock(StringRef text) {
  std::string words = text.lower();
  for (char &c : words)
    if (c == 'x' || c == ',')
      c = ' ';
  SmallVector<StringRef> extents;
  StringRef(words).split(extents, ' ', -1, /*KeepEmpty=*/false);
  extents.resize(std::max<size_t>(extents.size(), 3), "1");
  std::string line = "block";
  constexpr unsigned max = target::TargetInfo::maxThreadsPerBlock;
  uint64_t threads = 1;
  for (StringRef extent : extents) {
    unsigned number;
    if (extent.getAsInteger(10, number) || number == 0 || number > max)
      return "";
    threads *= number;
    line += " " + std::to_string(number);
  }
  return extents.size() == 3 && threads <= max ? line : "";
}

/// Takes `name` as a rewrite of the reference's own plan: the shape of its
/// blocks, and whether the code is bound to that. False where it is none.
static bool takeRewrite(StringRef name, StringRef value, std::string &lines) {
  std::string line;
  if (name == "block")
    line = readBlock(value);
  else if (name == "bounds" && (value == "yes" || value == "true"))
    line = "bounds";
  if (line.empty())
    return false;
  lines += line + "\n";
  return true;
}

/// The rewrites `old`, with those of `lines` in place of their like.
static std::string withRewrites(StringRef old, StringRef lines) {
  SmallVector<StringRef> kept, added;
  old.split(kept, '\n', -1, /*KeepEmpty=*/false);
  lines.split(added, '\n', -1, /*KeepEmpty=*/false);
  auto word = [](StringRef line) { return line.split(' ').first; };
  std::string text, last;
  for (StringRef line : added) {
    // Other rewrites divide the block; bounds are of what they leave.
    (word(line) == "block" ? text : last) += (line + "\n").str();
    llvm::erase_if(kept,
                   [&](StringRef other) { return word(other) == word(line); });
  }
  for (StringRef line : kept)
    text += (line + "\n").str();
  return text + last;
}

/// Keeps what CodegenOptions::parse accepts. What a schedule sets besides are
/// its knobs, of the values on offer where the knobs are known; what options
/// of the reference's own plan set besides, rewrites of it.
static Options limitOptions(const std::map<std::string, std::string> &wanted,
                            GenomeLanguage language, bool isReferencePlan,
                            ArrayRef<PromptKnob> knobs, Builder b) {
  Options result;
  NamedAttrList chosen;
  auto refuse = [&](StringRef key, StringRef value) {
    if (!result.refused.empty())
      result.refused += ", ";
    result.refused += firstLine(key, 40) + " = " + firstLine(value, 40);
  };
  for (const auto &entry : wanted) {
    const std::string &name = entry.first;
    std::string key = StringRef(name).trim().lower();
    StringRef value = StringRef(entry.second).trim();
    int64_t number = 0;
    bool isNumber = !value.getAsInteger(10, number);
    if (isReferencePlan && takeRewrite(key, value.lower(), result.rewrites))
      continue;
    if (isNumber && (key == "opt" || key == "maxnreg") &&
        isCodegenOption(b.getNamedAttr(key, b.getI64IntegerAttr(number)))) {
      result.taken.set(key, b.getI64IntegerAttr(number));
    } else if (key == "codegen" && (value == llvmGenerator ||
                                    (value == nvrtcGenerator &&
                                     (language == GenomeLanguage::CUDA ||
                                      language == GenomeLanguage::Options)))) {
      result.taken.set(key, b.getStringAttr(value));
    } else if (language == GenomeLanguage::Schedule && key != "opt" &&
               key != "maxnreg" && key != "codegen" && !key.empty()) {
      const PromptKnob *knob = llvm::find_if(
          knobs, [&](const PromptKnob &knob) { return knob.name == name; });
      if (knobs.empty() ||
          (knob != knobs.end() && llvm::is_contained(knob->values, value)))
        chosen.set(name, b.getStringAttr(fixUTF8(value)));
      else
        refuse(name, value);
    } else {
      refuse(name, value);
    }
  }
  if (!chosen.empty())
    result.taken.set("knobs", chosen.getDictionary(b.getContext()));
  return result;
}

void ProposalWriter::setRequest(StringRef id, StringRef ofModel, uint64_t each,
                                std::optional<double> price) {
  request = fixUTF8(id);
  model = fixUTF8(ofModel);
  tokens = each;
  money = price;
}

void ProposalWriter::addUnasked(Genome genome, StringRef text,
                                DictionaryAttr options, StringRef parent,
                                StringRef rationale, StringRef operation) {
  setRequest("", "", 0);
  create(genome, text, options, parent, rationale, operation);
}

std::string ProposalWriter::nextSymbol() {
  for (unsigned serial = 0;; ++serial) {
    std::string symbol = "m" + std::to_string(serial);
    if (!kernel.lookupSymbol(symbol) &&
        !kernel.lookupSymbol(ProposalOp::nameVariantOf(symbol)))
      return symbol;
  }
}

ProposalOp ProposalWriter::create(Genome genome, StringRef text,
                                  DictionaryAttr options, StringRef parent,
                                  StringRef rationale, StringRef operation) {
  OpBuilder b = OpBuilder::atBlockEnd(&kernel.getBody().front());
  auto optional = [&](StringRef text) {
    return text.empty() ? StringAttr() : b.getStringAttr(text);
  };
  last = ProposalOp::create(
      b, kernel.getLoc(), b.getStringAttr(nextSymbol()),
      GenomeAttr::get(b.getContext(), genome), b.getStringAttr(text),
      options && !options.empty() ? options : DictionaryAttr(),
      optional(parent), optional(rationale), b.getStringAttr(proposer),
      StageAttr(), StringAttr());
  last->setAttr(generationAttr, b.getI64IntegerAttr(generation));
  last->setAttr(operatorAttr, b.getStringAttr(operation));
  if (island)
    last->setAttr(islandAttr, b.getI64IntegerAttr(*island));
  if (!request.empty())
    last->setAttr(requestAttr, b.getStringAttr(request));
  if (!model.empty())
    last->setAttr(modelAttr, b.getStringAttr(model));
  if (tokens)
    last->setAttr(tokensAttr, b.getI64IntegerAttr(tokens));
  if (money)
    last->setAttr(moneyAttr, b.getF64FloatAttr(*money));
  SmallVector<StringRef> lines(insights.begin(), insights.end());
  if (!lines.empty())
    last->setAttr(insightsAttr, b.getStrArrayAttr(lines));
  insights.clear();
  return last;
}

/// Whether a candidate without code sets knobs of `schedule`.
static bool setsKnobs(const llm::ParsedCandidate &candidate,
                      const PromptSchedule *schedule) {
  if (!schedule || !StringRef(candidate.code).trim().empty())
    return false;
  return llvm::any_of(schedule->knobs, [&](const PromptKnob &knob) {
    return candidate.options.count(knob.name) != 0;
  });
}

bool evo::isReferencePlan(KernelOp kernel, const Attempt *base) {
  ReferenceOp reference = kernel.getReference();
  if (!reference || !reference.isLaunchPlan())
    return false;
  return !base || (base->proposal &&
                   ProposalOp(base->proposal).getGenome() == Genome::Options);
}

/// Adds what `taken` does not say of the options and knobs of `base`.
static void inherit(NamedAttrList &taken, ProposalOp base, bool withKnobs) {
  DictionaryAttr old = base.getOptionsAttr();
  if (!old)
    return;
  for (NamedAttribute option : old) {
    Attribute present = taken.get(option.getName());
    if (option.getName() != "knobs") {
      if (!present)
        taken.append(option);
    } else if (withKnobs) {
      NamedAttrList knobs(cast<DictionaryAttr>(option.getValue()));
      if (auto chosen = dyn_cast_or_null<DictionaryAttr>(present))
        for (NamedAttribute knob : chosen)
          knobs.set(knob.getName(), knob.getValue());
      taken.set("knobs", knobs.getDictionary(old.getContext()));
    }
  }
}

bool ProposalWriter::add(const llm::ParsedCandidate &candidate,
                         StringRef parent, const Attempt *best,
                         StringRef operation, const PromptSchedule *schedule) {
  Builder b(kernel.getContext());
  GenomeLanguage language = candidate.language;
  // Knob values come as options without code.
  if (language == GenomeLanguage::Options && setsKnobs(candidate, schedule))
    language = GenomeLanguage::Schedule;
  std::string code = withoutClaims(candidate.code);
  bool hasClaims = code != candidate.code;
  bool onlyKnobs =
      language == GenomeLanguage::Schedule && StringRef(code).trim().empty();
  // The knobs of a schedule that the model wrote itself are its own.
  ProposalOp base = best ? best->proposal : ProposalOp();
  Options options = limitOptions(
      candidate.options, language,
      language == GenomeLanguage::Options && isReferencePlan(kernel, best),
      onlyKnobs && schedule ? ArrayRef(schedule->knobs)
                            : ArrayRef<PromptKnob>(),
      b);
  bool isEmpty = options.taken.empty() && options.rewrites.empty() &&
                 (onlyKnobs || language == GenomeLanguage::Options);
  Genome genome = *symbolizeGenome(llm::languageName(language));
  if (onlyKnobs) {
    code = schedule ? schedule->name : std::string();
    isEmpty |= !schedule;
    if (schedule && base && base.getGenome() == genome &&
        base.getText().trim() == code)
      inherit(options.taken, base, /*withKnobs=*/true);
  } else if (language == GenomeLanguage::Options && base) {
    // Options alone are for the best program as it is.
    genome = base.getGenome();
    code = base.getText().str();
    inherit(options.taken, base, /*withKnobs=*/genome == Genome::Schedule);
  } else if (language == GenomeLanguage::Options && best &&
             VariantOp(best->variant).getSource()) {
    genome = Genome::CUDA;
    code = VariantOp(best->variant).getSource()->str();
  }
  if (!options.rewrites.empty())
    code = withRewrites(code, options.rewrites);
  std::string rationale = candidate.name;
  if (!candidate.rationale.empty())
    rationale += ": " + candidate.rationale;
  if (hasClaims)
    rationale += " (claims of evidence or cost were removed)";
  if (!options.refused.empty())
    rationale += " (options not taken: " + options.refused + ")";
  ProposalOp proposal =
      create(genome, code, options.taken.getDictionary(b.getContext()), parent,
             fixUTF8(rationale), operation);
  if (!isEmpty)
    return true;
  std::string why = "sets no option or knob that is known";
  if (!options.refused.empty())
    why += ": " + options.refused;
  proposal.setStage(Stage::Answer);
  proposal.setFailure(why);
  return false;
}

void ProposalWriter::addUnusable(StringRef text, StringRef problems,
                                 StringRef parent, StringRef operation,
                                 FaultKind fault) {
  ProposalOp proposal = create(Genome::CUDA, fixUTF8(bounded(text, 64 << 10)),
                               DictionaryAttr(), parent, "", operation);
  std::string why = fixUTF8(problems.trim());
  if (why.empty())
    // unreachable: what is refused has a reason
    why = "no reason was given";
  setFailure(proposal, Stage::Answer, why, fault);
}

void ProposalWriter::note(const std::vector<std::string> &problems) {
  if (last && !problems.empty())
    last->setAttr(notesAttr,
                  Builder(kernel.getContext())
                      .getStringAttr(fixUTF8(llvm::join(problems, "\n"))));
}

llvm::Error evo::unlessOptional(llvm::Error error) {
  return llvm::handleErrors(
      std::move(error),
      [](std::unique_ptr<llm::ModelError> model) -> llvm::Error {
        if (model->concernsAnswerOnly() ||
            model->getKind() == llm::ModelError::Kind::MissingRecord)
          return llvm::Error::success();
        return llvm::Error(std::move(model));
      });
}
