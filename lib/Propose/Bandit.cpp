// All state is the history; nothing is remembered from one request to the next.
#include "Bandit.h"
#include <cmath>

using namespace mlir;
using namespace evo;

namespace {
struct Arm {
  unsigned pulls = 0;
  double reward = 0, cost = 0;
};
} // namespace

static double costOf(const Attempt &attempt) {
  auto tokens =
      ProposalOp(attempt.proposal)->getAttrOfType<IntegerAttr>(tokensAttr);
  return tokens ? static_cast<double>(tokens.getInt()) : 0;
}

size_t evo::chooseArm(size_t count, const History &history,
                      llvm::function_ref<int(const Attempt &)> armOf,
                      double exploration, Random &random) {
  std::vector<Arm> arms(count);
  std::optional<double> best;
  unsigned pulls = 0;
  double allCosts = 0;
  for (const Attempt &attempt : history.attempts) {
    double reward = 0;
    if (attempt.fate == Fate::Accepted && attempt.time) {
      bool isBest = !best || *attempt.time < *best;
      reward = isBest ? 1 : 0.5 * *best / *attempt.time;
      best = std::min(best.value_or(*attempt.time), *attempt.time);
    }
    if (!attempt.proposal || attempt.generation() < 0 ||
        attempt.fate == Fate::Pending)
      continue;
    int index = armOf(attempt);
    if (index < 0)
      continue;
    Arm &arm = arms[index];
    ++arm.pulls;
    ++pulls;
    arm.reward += reward;
    arm.cost += costOf(attempt);
    allCosts += costOf(attempt);
  }
  std::vector<size_t> untried;
  for (size_t i = 0; i < count; ++i)
    if (arms[i].pulls == 0)
      untried.push_back(i);
  if (!untried.empty())
    return untried[random.below(untried.size())];
  size_t chosen = 0;
  double highest = -1;
  for (size_t i = 0; i < count; ++i) {
    const Arm &arm = arms[i];
    // Where nothing is known of costs they are taken to be the same.
    double relativeCost =
        allCosts > 0 ? std::max(arm.cost / arm.pulls / (allCosts / pulls), 0.01)
                     : 1;
    double score = arm.reward / arm.pulls / relativeCost +
                   exploration * std::sqrt(2 * std::log(pulls) / arm.pulls);
    if (score > highest) {
      highest = score;
      chosen = i;
    }
  }
  return chosen;
}
