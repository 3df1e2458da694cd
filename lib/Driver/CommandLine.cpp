// The command line of a verb: LLVM's option library over VerbOptions.td.
#include "CommandLine.h"
#include "evo/Target/TargetInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include <cmath>
#include <map>

using namespace llvm;
using namespace evo;
using opt::DefaultVis;

namespace {
#define OPTTABLE_STR_TABLE_CODE
#include "VerbOptions.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "VerbOptions.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

#define OPTTABLE_PREFIXES_UNION_CODE
#include "VerbOptions.inc"
#undef OPTTABLE_PREFIXES_UNION_CODE

enum OptionID : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "VerbOptions.inc"
#undef OPTION
};

// no diagnostics: help
constexpr opt::OptTable::Info infos[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "VerbOptions.inc"
#undef OPTION
};

class VerbOptTable : public opt::PrecomputedOptTable {
public:
  VerbOptTable()
      : PrecomputedOptTable(OptionStrTable, OptionPrefixesTable, infos,
                            OptionPrefixesUnion) {}

  /// The option that `text`, a word by itself, is of.
  opt::Option find(const std::string &text, opt::Visibility verb) const {
    const char *word = text.c_str();
    opt::InputArgList args(&word, &word + 1);
    unsigned index = 0;
    std::unique_ptr<opt::Arg> arg = ParseOneArg(args, index, verb);
    return arg ? arg->getOption() : getOption(OPT_UNKNOWN);
  }
};
} // namespace

static Error store(const opt::Arg &, bool &slot) {
  slot = true;
  return Error::success();
}

static Error store(const opt::Arg &arg, std::string &slot) {
  slot = arg.getValue();
  return Error::success();
}

static Error store(const opt::Arg &arg, std::vector<std::string> &slot) {
  slot.emplace_back(arg.getValue());
  return Error::success();
}

/// What `arg` is not, in words that end with what was found.
static Error wrongValue(const opt::Arg &arg, const Twine &expected) {
  return createStringError("'" + arg.getOption().getPrefixedName() + "' " +
                           expected + ", found '" + arg.getValue() + "'");
}

static Error store(const opt::Arg &arg, int64_t &slot) {
  if (StringRef(arg.getValue()).getAsInteger(10, slot) || slot < 0)
    return wrongValue(arg, "needs a non-negative integer");
  return Error::success();
}

/// Numbers of GPUs.
static Error store(const opt::Arg &arg, std::vector<int> &slot) {
  slot.clear();
  for (StringRef text : split(arg.getValue(), ',')) {
    int number = 0;
    if (text.getAsInteger(10, number) || number < 0)
      return wrongValue(arg, "needs numbers of GPUs, such as 0,1");
    if (is_contained(slot, number))
      return wrongValue(arg, "names a GPU twice");
    slot.push_back(number);
  }
  return Error::success();
}

static Error store(const opt::Arg &arg, double &slot,
                   const char *expected = "needs a non-negative number") {
  if (StringRef(arg.getValue()).getAsDouble(slot) || !(slot >= 0) ||
      !std::isfinite(slot))
    return wrongValue(arg, expected);
  return Error::success();
}

std::string evo::suggest(StringRef word, ArrayRef<StringRef> known) {
  constexpr unsigned maxDistance = 2;
  StringRef nearest;
  std::string lower = word.lower();
  unsigned minDistance = maxDistance + 1;
  for (StringRef name : known) {
    unsigned distance = StringRef(lower).edit_distance(
        name, /*AllowReplacements=*/true, minDistance);
    if (distance < minDistance) {
      minDistance = distance;
      nearest = name;
    }
  }
  return nearest.empty() ? "" : "; did you mean '" + nearest.str() + "'?";
}

static Error storeOneOf(const opt::Arg &arg, ArrayRef<StringRef> words,
                        std::string &slot) {
  slot = arg.getValue();
  if (is_contained(words, slot))
    return Error::success();
  return createStringError("'" + arg.getOption().getPrefixedName() + "' is " +
                           join(words.drop_back(), ", ") + " or " +
                           words.back().str() + ", found '" + slot + "'" +
                           suggest(slot, words));
}

/// A card or an architecture, as far as its form says.
static Error storeTarget(const opt::Arg &arg, std::string &slot) {
  slot = arg.getValue();
  if (target::findTarget(slot) || target::Arch::parse(slot))
    return Error::success();
  SmallVector<StringRef> known;
  for (const target::TargetInfo &info : target::getTargets()) {
    known.push_back(info.card);
    info.archs.split(known, ' ');
  }
  return createStringError("'--target' is a card or an architecture, found '" +
                           slot + "'" + suggest(slot, known));
}

static Error store(const opt::Arg &arg, std::optional<Effort> &slot,
                   bool mayBeNone = false) {
  slot = symbolizeEffort(arg.getValue());
  if (slot || (mayBeNone && arg.getValue() == StringRef("none")))
    return Error::success();
  return createStringError(
      "unknown effort '" + Twine(arg.getValue()) +
      (mayBeNone ? "', expected quick, default, thorough or none"
                 : "', expected quick, default or thorough") +
      suggest(arg.getValue(), {"quick", "default", "thorough"}));
}

/// Of two words: whether it is the second one.
static Error choose(const opt::Arg &arg, StringRef first, StringRef second,
                    bool &isSecond) {
  isSecond = arg.getValue() == second;
  if (arg.getValue() != first && !isSecond)
    return createStringError(
        toString(wrongValue(arg, "is " + first + " or " + second)) +
        suggest(arg.getValue(), {first, second}));
  return Error::success();
}

static Error storeHeader(const opt::Arg &arg, VerbOptions &options) {
  auto [header, variable] = StringRef(arg.getValue()).split('=');
  if (header.empty() || variable.empty())
    return createStringError("'--header' is NAME=VARIABLE, the value being "
                             "that of the variable");
  options.headers.emplace_back(header.str(), variable.str());
  return Error::success();
}

static Error store(const opt::Arg &arg, VerbOptions &options) {
  switch (arg.getOption().getID()) {
  case OPT_INPUT:
    return store(arg, options.inputs);
  case OPT_allow_unverified:
    return store(arg, options.allowUnverified);
  case OPT_answer_seconds:
    return store(arg, options.answerSeconds);
  case OPT_answer_tokens:
    return store(arg, options.answerTokens);
  case OPT_api:
    return choose(arg, "chat", "messages", options.messagesForm);
  case OPT_api_key_env:
    return store(arg, options.keyVariable);
  case OPT_api_key_file:
    return store(arg, options.keyFile);
  case OPT_archive:
    return store(arg, options.archive);
  case OPT_attempts:
    return store(arg, options.attempts);
  case OPT_base_url:
    return store(arg, options.baseURL);
  case OPT_budget:
    return store(arg, options.budget);
  case OPT_confirm:
    return store(arg, options.confirm, /*mayBeNone=*/true);
  case OPT_cuda_path:
    return store(arg, options.cudaPath);
  case OPT_D:
    return store(arg, options.defines);
  case OPT_device:
    return store(arg, options.device);
  case OPT_devices:
    return store(arg, options.devices);
  case OPT_dry_run:
    return store(arg, options.dryRun);
  case OPT_effort:
    return store(arg, options.effort);
  case OPT_exchange_dir:
    return store(arg, options.exchangeDirectory);
  case OPT_exchange_timeout:
    return store(arg, options.exchangeTimeout);
  case OPT_explain:
    return store(arg, options.explain);
  case OPT_header:
    return storeHeader(arg, options);
  case OPT_help:
    return store(arg, options.help);
  case OPT_I:
    return store(arg, options.includes);
  case OPT_jobs:
    return store(arg, options.jobs);
  case OPT_journal:
    return store(arg, options.journal);
  case OPT_keep_sizes:
    return store(arg, options.keepSizes);
  case OPT_json:
    return store(arg, options.json);
  case OPT_list_checks:
    return store(arg, options.listChecks);
  case OPT_kernel:
    return store(arg, options.kernel);
  case OPT_level:
    return store(arg, options.level);
  case OPT_max_gpu_seconds:
    return store(arg, options.maxGPUSeconds);
  case OPT_max_money:
    return store(arg, options.maxMoney);
  case OPT_max_seconds:
    return store(arg, options.maxSeconds);
  case OPT_max_tokens:
    return store(arg, options.maxTokens);
  case OPT_measure_top:
    return store(arg, options.measureTop);
  case OPT_model:
    return store(arg, options.model);
  case OPT_no_gpu:
    return store(arg, options.noGPU);
  case OPT_o:
    return store(arg, options.output);
  case OPT_patience:
    return store(arg, options.patience);
  case OPT_prices:
    return store(arg, options.prices);
  case OPT_progress:
    return storeOneOf(arg, {"lines", "line", "none"}, options.progress);
  case OPT_prompts:
    return store(arg, options.promptDirectory);
  case OPT_proposer:
    return store(arg, options.proposer);
  case OPT_record:
    return store(arg, options.recordDirectory);
  case OPT_replay_dir:
    return store(arg, options.replayDirectory);
  case OPT_replay_match:
    return choose(arg, "exact", "task", options.replayByTask);
  case OPT_reproducer:
    return store(arg, options.reproducer);
  case OPT_require:
    return store(arg, options.requireGrade);
  case OPT_seconds:
    return store(arg, options.seconds, "needs a number");
  case OPT_seed:
    return store(arg, options.seed);
  case OPT_show_pipeline:
    return store(arg, options.showPipeline);
  case OPT_std:
    return store(arg, options.standard);
  case OPT_stop_at:
    return store(arg, options.stopAt);
  case OPT_stop_at_floor:
    return store(arg, options.stopAtFloor);
  case OPT_strategy:
    return store(arg, options.strategy);
  case OPT_structured:
    return store(arg, options.structured);
  case OPT_target:
    return storeTarget(arg, options.target);
  case OPT_temperature:
    return store(arg, options.temperature);
  case OPT_force:
    return store(arg, options.force);
  case OPT_variant:
    return store(arg, options.variant);
  case OPT_reference_variant:
    return store(arg, options.referenceVariant);
  case OPT_trajectories:
    return store(arg, options.trajectories);
  default:
    llvm_unreachable("an option of VerbOptions.td without a place");
  }
}

/// Why `word` is none of the verb's options.
static Error refuse(const VerbOptTable &table, StringRef verbName,
                    opt::Visibility verb, const std::string &word) {
  StringRef name = StringRef(word).split('=').first;
  if (name != word &&
      table.find(name.str(), verb).getKind() == opt::Option::FlagClass)
    return createStringError("'" + word + "' takes no value");
  std::string nearest;
  constexpr unsigned minLength = 4, maxDistance = 2;
  bool isNear = table.findNearest(word, nearest, verb, minLength,
                                  maxDistance) <= maxDistance;
  return createStringError("'" + verbName + "' takes no option '" + word + "'" +
                           (isNear ? "; did you mean '" + nearest + "'?" : ""));
}

Expected<VerbOptions> evo::parseVerbOptions(StringRef verbName, VerbBit bit,
                                            ArrayRef<std::string> words) {
  const VerbOptTable table;
  const opt::Visibility verb(bit);
  std::vector<const char *> texts;
  for (const std::string &word : words)
    texts.push_back(word.c_str());
  opt::InputArgList args(texts.data(), texts.data() + texts.size());
  VerbOptions options;
  options.command.push_back(verbName.str());
  llvm::append_range(options.command, words);
  for (unsigned index = 0; index < words.size();) {
    const std::string &word = words[index];
    std::unique_ptr<opt::Arg> arg = table.ParseOneArg(args, index, verb);
    if (!arg) {
      const char *operand =
          table.getOptionMetaVar(table.find(word + "=", verb).getID());
      return createStringError("'" + word + "' needs a value (" + operand +
                               ")");
    }
    if (arg->getOption().matches(OPT_UNKNOWN))
      return refuse(table, verbName, verb, word);
    if (Error error = store(*arg, options))
      return std::move(error);
  }
  if (!options.keyVariable.empty() && !options.keyFile.empty())
    return createStringError("'--api-key-env' and '--api-key-file' are two "
                             "places for one key");
  return options;
}

void evo::printVerbOptions(raw_ostream &os, VerbBit verb) {
  const VerbOptTable table;
  std::map<unsigned, std::string> lines; // by group; those of none come first
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    opt::Option option = table.getOption(id);
    const char *help = table.getOptionHelpText(id);
    if (!help || !option.hasVisibilityFlag(verb))
      continue;
    std::string left = option.getPrefixedName().str();
    if (const char *operand = table.getOptionMetaVar(id))
      left += (option.getKind() == opt::Option::JoinedClass ? "" : " ") +
              std::string(operand);
    opt::Option group = option.getGroup();
    raw_string_ostream text(lines[group.isValid() ? group.getID() : 0]);
    text << "  " << left;
    text.indent(left.size() < 26 ? 26 - left.size() : 1) << help << '\n';
  }
  for (const auto &[group, text] : lines)
    os << '\n'
       << (group ? table.getOptionHelpText(group) : "options") << ":\n"
       << text;
}
