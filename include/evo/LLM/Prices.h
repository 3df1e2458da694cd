// What tokens cost, from a dated file. Prices change and differ by contract, so
// they are data with a date and never constants of the program. The newest file
// in prices/ is built in; a user's own file takes its place.
#ifndef EVO_LLM_PRICES_H
#define EVO_LLM_PRICES_H

#include "evo/LLM/ModelClient.h"
#include <map>

namespace evo::llm {

/// Of one token, in the table's currency.
struct Price {
  double input = 0, output = 0;
  /// Of input that was read from the provider's cache, or written to it.
  double cachedInput = 0, cacheWrite = 0;

  double of(const Usage &usage) const;
  /// No answer to a request of so many tokens costs more.
  double bound(uint64_t inputTokens, uint64_t outputTokens) const;
};

class PriceTable {
public:
  /// The newest file of the build.
  static llvm::Expected<PriceTable> builtin();
  /// Errors are ModelError of kind Files or Configuration and name the file.
  static llvm::Expected<PriceTable> load(llvm::StringRef path);
  /// The form of prices/README.md.
  static llvm::Expected<PriceTable> parse(llvm::StringRef json);

  /// Of a model as a request or an answer names it: the entry of that name,
  /// also behind a provider ("anthropic/...") and before a date ("-20250514")
  /// or
  /// "-latest". Nothing where there is none; a resembling name is none.
  std::optional<Price> find(llvm::StringRef model) const;

  const std::string &date() const { return dateText; }
  const std::string &currency() const { return currencyText; }

private:
  std::string dateText, currencyText;
  std::map<std::string, Price> prices;
};

} // namespace evo::llm

#endif
