// What tokens cost, from a dated file. A price that is absent is taken at its
// most expensive: reading from a cache at the price of input. A guess that is
// too low would pass a cap.
#include "evo/LLM/Prices.h"
#include "TextFiles.h"
#include "evo/Support/JSON.h"
#include "evoPrices.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

namespace evo::llm {

using Kind = ModelError::Kind;
using llvm::json::Object;

double Price::of(const Usage &usage) const {
  uint64_t special = usage.cachedTokens + usage.cacheWriteTokens;
  uint64_t plain =
      usage.inputTokens > special ? usage.inputTokens - special : 0;
  return plain * input + usage.cachedTokens * cachedInput +
         usage.cacheWriteTokens * cacheWrite + usage.outputTokens * output;
}

double Price::bound(uint64_t inputTokens, uint64_t outputTokens) const {
  return inputTokens * std::max({input, cachedInput, cacheWrite}) +
         outputTokens * output;
}

/// What may follow a model's name: a date of at least six digits, or "latest".
static bool isVersion(llvm::StringRef rest) {
  if (rest.empty() || rest == "-latest")
    return true;
  if (!rest.consume_front("-") && !rest.consume_front("@"))
    return false;
  return llvm::count_if(rest, llvm::isDigit) >= 6 &&
         llvm::all_of(rest,
                      [](char c) { return llvm::isDigit(c) || c == '-'; });
}

std::optional<Price> PriceTable::find(llvm::StringRef model) const {
  for (llvm::StringRef name : {model, model.rsplit('/').second})
    for (const auto &[entry, price] : prices) {
      llvm::StringRef rest = name;
      if (rest.consume_front(entry) && isVersion(rest))
        return price;
    }
  return std::nullopt;
}

llvm::Expected<PriceTable> PriceTable::parse(llvm::StringRef text) {
  auto bad = [](const llvm::Twine &what) {
    return modelError(Kind::Configuration, "the price table " + what);
  };
  llvm::Expected<llvm::json::Value> value = evo::parseJSON(text);
  if (!value)
    return bad("is no JSON: " + llvm::toString(value.takeError()));
  const Object *root = value->getAsObject();
  std::optional<llvm::StringRef> date, currency;
  const Object *models = nullptr;
  if (root) {
    date = root->getString("date");
    currency = root->getString("currency");
    models = root->getObject("models");
  }
  std::optional<double> per = root ? root->getNumber("per") : std::nullopt;
  if (!date || !currency || !models || !per || !(*per > 0))
    return bad("needs 'date', 'currency', 'per' and 'models'");
  PriceTable table;
  table.dateText = date->str();
  table.currencyText = currency->str();
  for (const auto &entry : *models) {
    std::string name = entry.first.str();
    const Object *numbers = entry.second.getAsObject();
    if (!numbers)
      return bad("has no prices for '" + name + "'");
    for (const auto &number : *numbers) {
      bool known =
          llvm::is_contained({"input", "output", "cachedInput", "cacheWrite"},
                             llvm::StringRef(number.first));
      std::optional<double> price = number.second.getAsNumber();
      if (!known || !price || !(*price >= 0) || !std::isfinite(*price))
        return bad("has no price '" + number.first.str() + "' for '" + name +
                   "'");
    }
    std::optional<double> input = numbers->getNumber("input"),
                          output = numbers->getNumber("output");
    if (!input || !output)
      return bad("needs 'input' and 'output' for '" + name + "'");
    table.prices[name] = {
        *input / *per, *output / *per,
        numbers->getNumber("cachedInput").value_or(*input) / *per,
        numbers->getNumber("cacheWrite").value_or(*input) / *per};
  }
  return table;
}

llvm::Expected<PriceTable> PriceTable::load(llvm::StringRef path) {
  llvm::Expected<std::string> text = readTextFile(path, 1u << 20);
  if (!text)
    return text.takeError();
  llvm::Expected<PriceTable> table = parse(*text);
  if (!table)
    return modelError(Kind::Configuration,
                      "'" + path + "': " + llvm::toString(table.takeError()));
  return table;
}

llvm::Expected<PriceTable> PriceTable::builtin() {
  // Files are named by their dates.
  const embedded::File *newest = nullptr;
  for (const embedded::File &file :
       llvm::ArrayRef(embedded::evoPrices, embedded::evoPricesCount))
    if (!newest || llvm::StringRef(newest->name) < llvm::StringRef(file.name))
      newest = &file;
  if (!newest)
    // unreachable: this build has one
    return modelError(Kind::Configuration, "the build has no price table");
  return parse(llvm::StringRef(newest->data, newest->size));
}

} // namespace evo::llm
